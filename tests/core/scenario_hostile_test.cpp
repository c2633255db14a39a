// SPDX-License-Identifier: Apache-2.0
// Texts that mean harm or are damaged: always an answer with a place, never a crash, never a long wait.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "prism/scenario.h"
#include "scenario_files.h"

namespace prism::scenario_hostile_test {
namespace {

/// Reads it; every diagnostic must have a place and a message.
Result<Scenario> read_soundly(const std::string& text) {
  auto r = read_scenario(text);
  EXPECT_NE(static_cast<bool>(r), !r.diagnostics.empty()) << text.substr(0, 500);
  EXPECT_LE(r.diagnostics.size(), 20u);
  for (const Diagnostic& d : r.diagnostics) {
    EXPECT_GE(d.line, 1) << d.pointer << ": " << d.message << "\n" << text.substr(0, 500);
    EXPECT_GE(d.column, 1) << d.pointer << ": " << d.message;
    EXPECT_FALSE(d.message.empty());
    EXPECT_LE(d.message.size(), 1000u) << d.message.substr(0, 200);
  }
  return r;
}

/// The text must be refused with this code, in seconds (a quadratic reader needs minutes).
void expect_quickly(const std::string& text, Code code) {
  const std::clock_t begin = std::clock();  // of this process: other work on the machine does not count
  const auto r = read_soundly(text);
  const double s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  ASSERT_FALSE(r.diagnostics.empty());
  EXPECT_EQ(code_name(r.diagnostics.front().code), code_name(code)) << r.diagnostics.front().message;
#ifdef __SANITIZE_ADDRESS__
  EXPECT_LT(s, 60.0);
#else
  EXPECT_LT(s, 6.0);
#endif
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  all.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(HostileScenario, EveryTruncationOfEveryGoodFileIsRefused) {
  for (const std::string& path : test::good_scenarios()) {
    std::string text = test::read_file(path);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    const std::size_t step = text.size() > 3000 ? 7 : 1;
    for (std::size_t n = 0; n < text.size(); n += step)
      EXPECT_FALSE(read_soundly(text.substr(0, n))) << path << " cut to " << n;
  }
}

TEST(HostileScenario, AnyByteMayBeAnyOther) {
  std::uint64_t state = 1;
  const auto random = [&](std::size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((state >> 33) % below);
  };
  const std::string alphabet = "{}[]\",:0123456789-+.eE \\/untrflsae\n\x80\xC3\xF0\x01";
  int refused = 0, accepted = 0;
  for (const std::string& path : test::good_scenarios()) {
    const std::string text = test::read_file(path);
    for (int i = 0; i < 400; ++i) {
      std::string changed = text;
      for (std::size_t n = 1 + random(3); n > 0; --n)
        changed[random(changed.size())] = alphabet[random(alphabet.size())];
      read_soundly(changed) ? ++accepted : ++refused;
    }
  }
  EXPECT_GT(refused, accepted);
  EXPECT_GT(accepted, 0);
}

// Every value of a good scenario replaced by values of other types and sizes.
TEST(HostileScenario, AnyValueMayBeAnyOther) {
  using Json = nlohmann::ordered_json;
  std::string deep = repeated("[", 50) + repeated("]", 50);
  const std::vector<Json> replacements = {nullptr,
                                          true,
                                          -1,
                                          0,
                                          1e15,
                                          2.5,
                                          1e300,
                                          "",
                                          "text",
                                          std::string(300, 'x'),
                                          Json::array(),
                                          Json::object(),
                                          Json::parse(deep),
                                          Json::array({1, "a", nullptr}),
                                          {{"preset", 5}},
                                          {{"", 0}}};
  for (const std::string& path : test::good_scenarios()) {
    std::string text = test::read_file(path);
    if (text.substr(0, 3) == "\xEF\xBB\xBF") text.erase(0, 3);
    const Json document = Json::parse(text);
    const Json flat = document.flatten();
    std::vector<Json::json_pointer> places;
    // Long lists repeat themselves; where memory is watched, fewer places of each text do.
    const std::size_t stride = 1 + flat.size() / (std::getenv("PRISM_SANITIZED") ? 10 : 40);
    std::size_t n = 0;
    for (const auto& member : flat.items()) {
      if (n++ % stride != 0) continue;
      for (Json::json_pointer at(member.key()); !at.empty(); at = at.parent_pointer())
        if (std::find(places.begin(), places.end(), at) == places.end()) places.push_back(at);
    }
    for (const auto& at : places) {
      for (const Json& replacement : replacements) {
        Json changed = document;
        changed[at] = replacement;
        read_soundly(changed.dump());
      }
      Json removed = document;
      Json& parent = removed[at.parent_pointer()];
      if (parent.is_object()) parent.erase(at.back());
      read_soundly(removed.dump());
    }
  }
}

TEST(HostileScenario, SizesBeyondReasonAreRefusedAtOnce) {
  expect_quickly(std::string(8'000'001, ' '), Code::too_large);
  expect_quickly(repeated("[", 4'000'000), Code::too_deep);
  expect_quickly(repeated("{\"a\":", 1'000'000), Code::too_deep);
  auto s = test::job();
  s["title"] = std::string(7'000'000, 'x');
  expect_quickly(s.dump(), Code::out_of_range);
}

TEST(HostileScenario, MillionsOfKeysItemsAndFaultsTakeLinearTime) {
  std::string keys = "{\"prism\": 1";
  for (int i = 0; i < 500'000; ++i) keys += ",\"k" + std::to_string(i) + "\":0";
  expect_quickly(keys + "}", Code::unknown_key);

  std::string job = test::job().dump();
  job.pop_back();
  expect_quickly(job + ", \"run\": {\"step_within_s\": [" + repeated("1,", 2'000'000) + "1]}}",
                 Code::out_of_range);
  expect_quickly(job + ", \"variability\": {\"factors\": [" + repeated("{},", 64) + "{}]}}",
                 Code::out_of_range);

  // 4,096 operators with a fault each: the first ones are placed, the rest only counted.
  std::string operators = "{\"prism\": 1, \"batch\": {\"micro_batches\": 1}, \"operators\": [";
  operators += repeated("{\"name\": 5},", 4095) + "{}]}";
  expect_quickly(operators, Code::missing_key);
}

TEST(HostileScenario, TextOfTheUserIsCutAndCleanedInMessages) {
  auto s = test::job();
  s["parallel"]["schedule"] = std::string(5000, 'q') + "\n\x1b[31m";
  const auto r = read_soundly(s.dump());
  ASSERT_EQ(r.diagnostics.size(), 1u);
  EXPECT_LT(r.diagnostics[0].message.size(), 200u);
  for (char c : r.diagnostics[0].message) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
}

}  // namespace
}  // namespace prism::scenario_hostile_test
