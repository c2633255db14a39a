// SPDX-License-Identifier: Apache-2.0
// The same rules as the page's (tests/web/link.test.ts), and the two against one corpus (tests/links).
#include "link.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "link_payload.h"
#include "prism/numerics.h"

namespace prism::cli::link_test {
namespace {

const Link example{
    "0.1.0", "0123456789abcdef",
    R"({"prism":1,"title":"Eight × eight","run":{"trials":10000,"seed":"18446744073709551615"}})"};

std::string link_of(const Link& link) { return std::get<std::string>(write_link(link)); }

std::string outcome(std::string_view text) {
  const auto read = read_link(text);
  const auto* fault = std::get_if<LinkFault>(&read);
  return fault ? std::string(fault->code) : "opened";
}

/// A link around any bytes, with length and check as they should be.
std::string forge(std::string_view packed) {
  const std::string payload = to_base64url(packed);
  std::string length;
  for (std::size_t n = payload.size(); n > 0; n /= 36)
    length.insert(length.begin(), "0123456789abcdefghijklmnopqrstuvwxyz"[n % 36]);
  Sha256 sha;
  sha.update(payload);
  return "#v1." + length + "-" + sha.hex_digest().substr(0, 8) + "." + payload;
}
std::string forge_text(std::string_view text) { return forge(deflate_raw(text)); }
std::string around(const std::string& scenario) {
  return forge_text(R"({"engine":"0.1.0","digest":"","scenario":)" + scenario + "}");
}

TEST(Base64url, KnownAnswersAndBack) {  // RFC 4648 section 10, without padding
  for (const auto& [bytes, text] : {std::pair<std::string, std::string>{"", ""},
                                    {"f", "Zg"},
                                    {"fo", "Zm8"},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg"},
                                    {"\xfb\xff", "-_8"}}) {
    EXPECT_EQ(to_base64url(bytes), text);
    EXPECT_EQ(from_base64url(text), bytes);
  }
}

TEST(Base64url, OnlyTheCanonicalSpellingIsRead) {
  for (const char* text : {"Zh", "Z", "Zg==", "Z+", "Zm9vY", " Zg"})
    EXPECT_EQ(from_base64url(text), std::nullopt) << text;
}

TEST(Link, GivesBackWhatItWasMadeOf) {
  const std::string link = link_of(example);
  for (const std::string& text : {link, link.substr(1), "https://any.host/prism/" + link,
                                  link.substr(0, 60) + "\r\n  " + link.substr(60)}) {
    const auto read = read_link(text);
    ASSERT_TRUE(std::holds_alternative<Link>(read)) << text;
    EXPECT_EQ(std::get<Link>(read).engine, example.engine);
    EXPECT_EQ(std::get<Link>(read).digest, example.digest);
    EXPECT_EQ(std::get<Link>(read).scenario, example.scenario);
  }
}

TEST(Link, OfTheLargeExampleHasAtMost400Characters) {
  std::ifstream in(PRISM_SOURCE_DIR "/examples/llama3-405b-16384-h100.json");
  std::ostringstream text;
  text << in.rdbuf();
  const std::string link = link_of({"0.1.0", "0123456789abcdef", text.str()});
  EXPECT_LE(link.size(), 400u);
  EXPECT_EQ(outcome(link), "opened");
}

TEST(Link, KeepsTheSpellingOfNumbers) {
  const auto read = read_link(link_of({"0.1.0", "", "{ \"b\": 1e3,\n \"a\": [ 0.10 ] }\n"}));
  EXPECT_EQ(std::get<Link>(read).scenario, R"({"b":1e3,"a":[0.10]})");
}

TEST(Link, NoChangeOfOneCharacterOpens) {
  const std::string link = link_of(example);
  for (std::size_t at = 1; at < link.size(); ++at)
    for (const char c : std::string_view("AZaz09-_.#v1%")) {
      if (c == link[at]) continue;
      std::string changed = link;
      changed[at] = c;
      EXPECT_NE(outcome(changed), "opened") << changed;
    }
}

TEST(Link, CutOffAnywhereSaysSo) {
  const std::string link = link_of(example);
  for (std::size_t keep = 3; keep < link.size(); ++keep)
    EXPECT_EQ(outcome(link.substr(0, keep)), "truncated") << keep;
  for (const std::size_t percent : {1u, 10u, 50u}) {
    const auto read = read_link(link.substr(0, link.size() * (100 - percent) / 100));
    EXPECT_NE(std::get<LinkFault>(read).message.find(" characters arrived"), std::string::npos);
  }
}

TEST(Link, EachFaultHasItsOutcome) {
  const std::string link = link_of(example);
  const std::string whole = deflate_raw(R"({"engine":"1","digest":"","scenario":{}})");
  const std::pair<std::string, std::string> cases[] = {
      {"", "not_a_link"},
      {"#hello", "not_a_link"},
      {"https://example.org/", "not_a_link"},
      {"#v2.5-01234567.AAAAA", "newer"},
      {"#v12", "newer"},
      {"#v0.1-01234567.A", "damaged"},
      {"#v01.1-01234567.A", "damaged"},
      {"#v1", "truncated"},
      {"#v1.2s-0123", "truncated"},
      {"#v1.02s-01234567.AA", "damaged"},
      {"#v1,2s-01234567.AA", "damaged"},
      {"#v1.zzzzz-01234567.AA", "too_large"},
      {link + "A", "damaged"},
      {forge("no deflate stream at all, just text"), "damaged"},
      {forge(whole), "opened"},
      {forge(whole.substr(0, whole.size() - 1)), "damaged"},
      {forge(whole + '\0'), "damaged"},
      {forge_text("{\xff}"), "damaged"},
      {forge_text("[]"), "damaged"},
      {forge_text(R"({"engine":"<b>","digest":"","scenario":{}})"), "damaged"},
      {forge_text(R"({"engine":"1","digest":"xyz","scenario":{}})"), "damaged"},
      {forge_text(R"({"engine":"1","digest":"","scenario":[]})"), "damaged"},
      {forge_text(R"({"engine":"1","digest":"","scenario":{},"more":{}})"), "damaged"},
      {around("{]}"), "damaged"},
      {around("{\"a\":\"\xc3\x28\"}"), "damaged"},
      {around("{\"a\":" + std::string(500000, '[') + std::string(500000, ']') + "}"), "damaged"},
      {around("{\"a\":" + std::string(63, '[') + std::string(63, ']') + "}"), "opened"},
      {around("{\"a\":" + std::string(64, '[') + std::string(64, ']') + "}"), "damaged"},
      {around(R"({"title":"a\u0007b"})"), "unsafe_text"},
      {around(R"({"title":"a\nb"})"), "unsafe_text"},
      {around(R"({"a":{"b":[{"\u202e":1}]}})"), "unsafe_text"},
      {around(R"({"title":"\u2066"})"), "unsafe_text"},
      {around(R"({"title":"\u0085"})"), "unsafe_text"},
      {around(R"({"title":"<img src=x onerror=alert(1)> é 𝄞 \u00a0"})"), "opened"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(outcome(text), expected) << text.substr(0, 80);
}

TEST(Link, OneThatInflatesTo100MegabytesIsRefusedAtOnce) {
  const std::string bomb =
      forge_text(R"({"engine":"1","digest":"","scenario":{"a":")" + std::string(100'000'000, 'x') + "\"}}");
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(outcome(bomb), "too_large");
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(500));
}

TEST(Link, TheLimitIsOneMebibyteOfText) {
  const auto sized = [](std::size_t n) {
    const std::string head = R"({"engine":"1","digest":"","scenario":{"a":")";
    return head + std::string(n - head.size() - 3, 'x') + "\"}}";
  };
  EXPECT_EQ(outcome(forge_text(sized(1 << 20))), "opened");
  EXPECT_EQ(outcome(forge_text(sized((1 << 20) + 1))), "too_large");
  const auto written = write_link({"0.1.0", "", "{\"a\":\"" + std::string(1 << 20, 'x') + "\"}"});
  EXPECT_EQ(std::get<LinkFault>(written).code, "too_large");
}

TEST(Link, IsNotWrittenWithTextThatNoReaderOpens) {
  const auto written = write_link({"0.1.0", "", R"({"title":"a\u0007"})"});
  EXPECT_EQ(std::get<LinkFault>(written).code, "unsafe_text");
}

std::string read_file(const std::string& name) {
  std::ifstream in(PRISM_SOURCE_DIR "/tests/links/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(LinkCorpus, EveryLinkEverPublishedOpens) {
  std::istringstream lines(read_file("published.txt"));
  int links = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("#v") == std::string::npos) continue;
    EXPECT_EQ(outcome(line), "opened") << line;
    ++links;
  }
  EXPECT_GT(links, 0);
}

TEST(LinkCorpus, EveryRefusedLinkIsRefusedForItsReason) {
  const auto corpus = nlohmann::json::parse(read_file("refused.json"));
  EXPECT_GT(corpus.size(), 0u);
  for (const auto& entry : corpus)
    EXPECT_EQ(outcome(entry["link"].get<std::string>()), entry["outcome"]) << entry["why"];
}

}  // namespace
}  // namespace prism::cli::link_test
