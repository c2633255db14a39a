// SPDX-License-Identifier: Apache-2.0
// Reads the tables of tests/golden.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace prism::test {

inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> cells;
  std::istringstream in(text);
  for (std::string cell; std::getline(in, cell, at);) cells.push_back(cell);
  return cells;
}

/// The rows of tests/golden/<name> below its header line.
inline std::vector<std::vector<std::string>> golden_rows(const std::string& name) {
  std::ifstream in(std::string(PRISM_SOURCE_DIR) + "/tests/golden/" + name);
  if (!in) throw std::runtime_error("cannot read tests/golden/" + name);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) rows.push_back(split(line, ','));
  if (rows.empty()) throw std::runtime_error("no rows in tests/golden/" + name);
  return rows;
}

}  // namespace prism::test
