// SPDX-License-Identifier: Apache-2.0
// Writes docs/validation.md, or with --table core/src/report/measurements.cpp, to the standard output. The
// measured data is looked for in $PRISM_MEASURED_DATA.
#include <iostream>
#include <sstream>

#include "tables.h"

int main(int argc, char** argv) {
  using namespace prism::validation;
  if (argc > 1 && std::string(argv[1]) == "--table") {
    write_table(std::cout, published_groups(true), multi_node());
    return 0;
  }
  const std::vector<Group> groups = published_groups(true);
  const std::vector<Layout> multi = multi_node(), single = single_node();
  std::ostringstream body;
  Claims claims;
  write_multi_node(body, claims, multi);
  write_single_node(body, claims, single);
  write_sensitivity(body, multi, single);
  for (const Group& g : groups) {
    write_group(body, claims, g);
    if (g.name == "Megatron Bridge on H100, FP8") write_fp8_crosswise(body, groups);
  }
  write_all_reduce(body, claims);
  write_memory(body, claims, groups);

  std::cout << R"(# Validation: the cost model against public measurements

What is compared is the *deterministic* step (every random factor at its median) with a measured or published time of one
iteration, in seconds. Error = modelled / measured − 1. One set of numbers for a GPU and a precision, no number for a
single row. Figures that were fitted on the rows they are shown with say so: they show that the model *can* explain the
rows, not that it predicts them. A row outside its bound counts as failed even where the reason is known.

Published rows and their sources are in `tests/validation/cost_model/rows.json`. Measured files that may not be part of this
repository are read from a folder.

)";
  write_summary(std::cout, claims);
  std::cout << body.str() << R"(## How this page is written

Written by one command, never by hand:

    PRISM_MEASURED_DATA=<folder> npm run validate

`build/native/tests/validation/cost_model/validation --table` writes `core/src/report/measurements.cpp`, the rows that a result names as nearest to it.
)";
}
