// SPDX-License-Identifier: Apache-2.0
// prism run --blocks and prism merge: parts computed by separate processes give the single run's document,
// byte for byte.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace prism::cli::parts_test {
namespace {

namespace fs = std::filesystem;

struct Ran {
  int code;
  std::string out;
};

Ran prism(const std::string& arguments) {
  FILE* pipe = popen((std::string(PRISM_PROGRAM) + " " + arguments + " 2>&1").c_str(), "r");
  std::string out;
  char buffer[4096];
  for (std::size_t n; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  const int status = pclose(pipe);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out};
}

class PartFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("prism-parts-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  /// 1,000 trials are four blocks, the last one not full.
  Ran part(const std::string& blocks, const std::string& name, const std::string& more = "") {
    return prism("run " + scenario_ + " --trials 1000 " + more + " --blocks " + blocks + " -o " + file(name));
  }
  const std::string scenario_ = std::string(PRISM_SOURCE_DIR) + "/examples/variability-1024.json";

 private:
  fs::path folder_;
};

TEST_F(PartFiles, MergeToTheSingleRunByteForByte) {
  ASSERT_EQ(part("0:1", "a").code, 0);
  ASSERT_EQ(part("1:3", "b", "--threads 1").code, 0);
  ASSERT_EQ(part("3:4", "c", "--threads 3").code, 0);
  const Ran whole = prism("run " + scenario_ + " --trials 1000 --json");
  const Ran merged = prism("merge --json " + file("c") + " " + file("a") + " " + file("b"));
  EXPECT_EQ(whole.code, 0);
  EXPECT_EQ(merged.code, 0);
  EXPECT_EQ(merged.out, whole.out);
}

TEST_F(PartFiles, WhatIsWrongIsSaid) {
  ASSERT_EQ(part("0:2", "a").code, 0);
  ASSERT_EQ(part("1:4", "b").code, 0);
  ASSERT_EQ(part("3:4", "c").code, 0);
  ASSERT_EQ(part("2:4", "other", "--seed 2").code, 0);
  const auto says = [&](const std::string& arguments, const std::string& words) {
    const Ran ran = prism(arguments);
    EXPECT_EQ(ran.code, 1) << arguments;
    EXPECT_NE(ran.out.find(words), std::string::npos) << ran.out;
  };
  says("merge " + file("a") + " " + file("c"), "blocks 2:3 are missing");
  says("merge " + file("a"), "blocks 2:4 are missing");
  says("merge " + file("a") + " " + file("b"), "blocks 1:2 are in two parts");
  says("merge " + file("a") + " " + file("other"), "another scenario");
  says("merge " + file("nothing"), "cannot read");
  for (const std::string range : {"2:2", "3:5", "x", "1", "-1:2", "1:2:3"}) {
    const Ran ran = part(range, "d");
    EXPECT_NE(ran.code, 0) << range;
  }
  std::ifstream in(file("a"), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::ofstream(file("short"), std::ios::binary) << bytes.substr(0, bytes.size() - 5);
  says("merge " + file("short") + " " + file("c"), "checksum");
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(file("damaged"), std::ios::binary) << bytes;
  says("merge " + file("damaged") + " " + file("c"), "checksum");
}

}  // namespace
}  // namespace prism::cli::parts_test
