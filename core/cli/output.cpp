// SPDX-License-Identifier: Apache-2.0
#include "output.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "input.h"

namespace prism::cli {
namespace {

namespace fs = std::filesystem;

/// Terminals and pipes may stand on both sides.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
}

}  // namespace

bool spares_inputs(const std::string& output, const std::vector<std::string>& inputs, bool json) {
  for (const std::string& input : inputs)
    if (same_file(output, input == "-" ? "/dev/stdin" : input)) {
      print_fault("output_is_input", output + " is read by this command; write to another file", json);
      return false;
    }
  return true;
}

std::string cannot_write(const std::string& file) {
  return "cannot write " + file + (errno != 0 ? std::string(": ") + std::strerror(errno) : "");
}

bool write_file(const std::string& file, std::string_view text, bool json) {
  errno = 0;
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (out) return true;
  print_fault("unwritable", cannot_write(file), json);
  return false;
}

}  // namespace prism::cli
