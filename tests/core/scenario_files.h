// SPDX-License-Identifier: Apache-2.0
// Scenario texts that several suites start from.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace prism::test {

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline const std::string source_dir = PRISM_SOURCE_DIR;

inline nlohmann::json corpus_manifest() {
  return nlohmann::json::parse(read_file(source_dir + "/tests/scenarios/manifest.json"));
}

/// Paths of the scenarios that must be read: the good half of the corpus and the examples.
inline std::vector<std::string> good_scenarios() {
  std::vector<std::string> paths;
  const nlohmann::json manifest = corpus_manifest();
  for (const auto& m : manifest["good"])
    paths.push_back(source_dir + "/tests/scenarios/good/" + m["file"].get<std::string>());
  const nlohmann::json examples = nlohmann::json::parse(read_file(source_dir + "/examples/index.json"));
  for (const auto& m : examples) paths.push_back(source_dir + "/examples/" + m["file"].get<std::string>());
  return paths;
}

/// A job as a JSON value, to be changed by a test. Key order is kept, so "prism" stays first.
inline nlohmann::ordered_json job() {
  return nlohmann::ordered_json::parse(R"({
    "prism": 1,
    "model": "llama-3.1-8b",
    "parallel": {"tp": 4, "pp": 4, "dp": 2},
    "batch": {"global": 32, "micro": 1, "sequence": 8192},
    "cluster": {"gpu": "h100-sxm"}
  })");
}

}  // namespace prism::test
