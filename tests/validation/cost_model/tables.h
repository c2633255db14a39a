// SPDX-License-Identifier: Apache-2.0
// The sections of docs/validation.md, and the rows of its summary.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "published.h"
#include "vtrain.h"

namespace prism::validation {

/// One claim with its bound; printed at the top, failed or not.
struct Claim {
  std::string about, what, found, bound;
  bool holds;
  bool fitted;  ///< a number of the model was chosen on these rows: no prediction
};
using Claims = std::vector<Claim>;

void write_group(std::ostream& out, Claims& claims, const Group& group);
void write_fp8_crosswise(std::ostream& out, const std::vector<Group>& groups);
void write_multi_node(std::ostream& out, Claims& claims, const std::vector<Layout>& layouts);
void write_single_node(std::ostream& out, Claims& claims, const std::vector<Layout>& layouts);
void write_sensitivity(std::ostream& out, const std::vector<Layout>& multi,
                       const std::vector<Layout>& single);
void write_all_reduce(std::ostream& out, Claims& claims);
void write_memory(std::ostream& out, Claims& claims, const std::vector<Group>& groups);
/// core/src/report/measurements.cpp.
void write_table(std::ostream& out, const std::vector<Group>& groups, const std::vector<Layout>& multi);
void write_summary(std::ostream& out, const Claims& claims);

}  // namespace prism::validation
