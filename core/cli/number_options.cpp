// SPDX-License-Identifier: Apache-2.0
#include "number_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "format.h"

namespace prism::cli {
namespace {

/// As people write it: 131,072 and 0.001, without an exponent or a tail of zeros.
std::string shown(std::int64_t n) { return grouped(n); }
std::string shown(double x) {
  const auto whole = static_cast<std::int64_t>(x);
  return static_cast<double>(whole) == x ? grouped(whole) : nlohmann::json(x).dump();
}

template <class Number>
Number number_of(const std::string& name, const std::string& text, Number least, Number most) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= least && value <= most) return value;
  throw CLI::ValidationError(name, std::string(std::is_integral_v<Number> ? "a whole number" : "a number") +
                                       " from " + shown(least) + " to " + shown(most) +
                                       " is expected, found \"" + text + "\"");
}

std::vector<std::string> items_of(const std::string& text) {
  std::vector<std::string> items{""};
  for (char c : text)
    if (c == ',')
      items.emplace_back();
    else
      items.back() += c;
  return items;
}

/// Numbers by `read`. The same one twice: 1.1 and 1.10 are.
template <class Item, class Read>
CLI::Option* add_items(CLI::App* command, const std::string& name, std::vector<Item>& to,
                       const std::string& what, Repeats repeats, Read read) {
  CLI::Option* option = command->add_option_function<std::string>(
      name,
      [name, &to, repeats, read](const std::string& text) {
        to.clear();
        std::vector<double> seen;
        for (const std::string& item : items_of(text)) {
          to.push_back(read(item));
          const double value = number_of<double>(name, item, std::numeric_limits<double>::lowest(),
                                                 std::numeric_limits<double>::max());
          if (repeats == Repeats::no && std::find(seen.begin(), seen.end(), value) != seen.end())
            throw CLI::ValidationError(name, item + " is in the list twice");
          seen.push_back(value);
        }
      },
      what);
  return option->type_name("A,B,...");
}

}  // namespace

CLI::Option* add_number(CLI::App* command, const std::string& name, double& to, const std::string& what,
                        double least, double most) {
  return command
      ->add_option_function<std::string>(
          name,
          [name, &to, least, most](const std::string& text) { to = number_of(name, text, least, most); },
          what)
      ->type_name("NUMBER");
}

CLI::Option* add_list(CLI::App* command, const std::string& name, std::vector<double>& to,
                      const std::string& what, double least, double most, Repeats repeats) {
  return add_items(command, name, to, what, repeats,
                   [=](const std::string& item) { return number_of(name, item, least, most); });
}

CLI::Option* add_list(CLI::App* command, const std::string& name, std::vector<std::int64_t>& to,
                      const std::string& what, std::int64_t least, std::int64_t most) {
  return add_items(command, name, to, what, Repeats::no,
                   [=](const std::string& item) { return number_of(name, item, least, most); });
}

CLI::Option* add_list(CLI::App* command, const std::string& name, std::vector<std::string>& to,
                      const std::string& what) {
  return add_items(command, name, to, what, Repeats::no, [=](const std::string& item) {
    if (const auto value = nlohmann::json::parse(item, nullptr, false); value.is_number()) return item;
    throw CLI::ValidationError(name, "a number is expected, found \"" + item + "\"");
  });
}

}  // namespace prism::cli
