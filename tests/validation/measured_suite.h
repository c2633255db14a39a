// SPDX-License-Identifier: Apache-2.0
// Where the measured data is, and how the suites read it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "evidence_file.h"
#include "prism/evidence_operators.h"

namespace prism::measured {

inline std::string folder() {
  const char* named = std::getenv("PRISM_MEASURED_DATA");
  return named ? named : "";
}

/// A suite whose data is not there says so and is skipped.
class Measured : public testing::Test {
 protected:
  void SetUp() override {
    if (folder().empty()) GTEST_SKIP() << "set PRISM_MEASURED_DATA to the folder of measured data";
  }
};

inline nlohmann::json json_file(const std::string& name) {
  std::ifstream in(folder() + "/" + name);
  return nlohmann::json::parse(in);
}

inline OperatorTrace operator_trace(const std::string& name) {
  OperatorTraceReader reader;
  const auto fault =
      cli::read_pieces(folder() + "/operator-traces/" + name + ".csv.gz", [&](std::string_view piece) {
        reader.feed(piece);
        return true;
      });
  if (fault) throw std::runtime_error(*fault);
  auto trace = reader.finish();
  if (!trace) throw std::runtime_error(trace.diagnostics.at(0).message);
  return *trace;
}

inline double mean(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum / static_cast<double>(v.size());
}

}  // namespace prism::measured
