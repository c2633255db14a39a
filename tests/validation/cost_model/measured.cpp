// SPDX-License-Identifier: Apache-2.0
#include "measured.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace prism::validation {

std::vector<std::string> measured_lines(const std::string& file) {
  const char* folder = std::getenv("PRISM_MEASURED_DATA");
  std::ifstream in(std::string(folder ? folder : "") + "/" + file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  if (!lines.empty()) return lines;
  std::fprintf(stderr, "no %s: PRISM_MEASURED_DATA must name the folder of the measured data\n",
               file.c_str());
  std::exit(1);
}

std::vector<std::vector<double>> measured_rows(const std::string& file) {
  std::vector<std::vector<double>> rows;
  const auto lines = measured_lines(file);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::istringstream cells(lines[i]);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) {
      char* end = nullptr;
      const double value = std::strtod(cell.c_str(), &end);
      rows.back().push_back(end == cell.c_str() ? NAN : value);
    }
  }
  return rows;
}

double median_step_s(const std::string& file) {
  std::map<std::string, std::vector<double>> runs;
  const auto lines = measured_lines("step-times/" + file);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::istringstream cells(lines[i]);
    std::string run, step, seconds;
    std::getline(cells, run, ',');
    std::getline(cells, step, ',');
    std::getline(cells, seconds, ',');
    runs[run].push_back(std::strtod(seconds.c_str(), nullptr));
  }
  double sum = 0;
  for (auto& [run, times] : runs) {
    times.erase(times.begin(), times.begin() + std::min<std::ptrdiff_t>(2, std::ssize(times)));
    std::sort(times.begin(), times.end());
    sum += 0.5 * (times[(times.size() - 1) / 2] + times[times.size() / 2]);
  }
  return sum / static_cast<double>(runs.size());
}

}  // namespace prism::validation
