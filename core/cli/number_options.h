// SPDX-License-Identifier: Apache-2.0
// Options that take a number or a list of numbers, read strictly: "nan", an empty item and an item given
// twice are refused by name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace prism::cli {

/// Whether a list may name one number twice.
enum class Repeats { no, yes };

/// Numbers from `least` to `most`.
CLI::Option* add_number(CLI::App* command, const std::string& name, double& to, const std::string& what,
                        double least, double most);
/// The same between commas.
CLI::Option* add_list(CLI::App* command, const std::string& name, std::vector<double>& to,
                      const std::string& what, double least, double most, Repeats repeats = Repeats::no);
CLI::Option* add_list(CLI::App* command, const std::string& name, std::vector<std::int64_t>& to,
                      const std::string& what, std::int64_t least, std::int64_t most);
/// The same, of any finite numbers, kept as they are written.
CLI::Option* add_list(CLI::App* command, const std::string& name, std::vector<std::string>& to,
                      const std::string& what);

}  // namespace prism::cli
