// SPDX-License-Identifier: Apache-2.0
// prism import, fit and validate as a user starts them; gzip on the way in.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "../core/operator_rows.h"
#include "evidence_file.h"

namespace prism::cli::evidence_program_test {
namespace {

using nlohmann::json;

std::string gzipped(const std::string& text) {
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&z, text.size()) + 64, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

class EvidenceProgram : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() /
        ("prism-evidence-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) +
         "-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  std::string read(const std::string& name) const {
    std::ifstream in(folder_ / name, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  struct Ended {
    int code;
    std::string out, err;
  };
  Ended run(const std::string& arguments) const {
    const std::string command = std::string("'") + PRISM_PROGRAM + "' " + arguments + " >'" +
                                (folder_ / "out").string() + "' 2>'" + (folder_ / "err").string() + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read("out"), read("err")};
  }
  std::filesystem::path folder_;
};

std::string trace_csv() {
  made_up::Job job;
  job.steps = 12;
  job.compute = [](bool forward, int r, int s, int k, int step) {
    return (forward ? 1.0 : 2.0) * (1 + 0.01 * ((r * 5 + s * 3 + k * 7 + step * 11) % 10)) *
           (r == 1 && s == 1 ? 1.4 : 1);
  };
  return made_up::csv_of(job, made_up::rows_of(job));
}

TEST_F(EvidenceProgram, operators_plain_and_gzip_say_the_same_and_give_a_scenario_that_runs) {
  const std::string plain = write("t.csv", trace_csv()), packed = write("t.csv.gz", gzipped(trace_csv()));
  const Ended a = run("import operators '" + plain + "'");
  EXPECT_EQ(a.code, 0) << a.err;
  EXPECT_NE(a.out.find("slow worker: replica 1, stage 1 (rank 3)"), std::string::npos) << a.out;
  EXPECT_EQ(run("import operators '" + packed + "'").out, a.out);
  const json document = json::parse(
      run("import operators --json '" + packed + "' --scenario '" + (folder_ / "s.json").string() + "'").out);
  EXPECT_EQ(document["kind"], "operator_trace");
  EXPECT_EQ(document["workers"].size(), 4u);
  EXPECT_EQ(document["measured_s"].size(), 12u);
  EXPECT_EQ(run("run '" + (folder_ / "s.json").string() + "' --trials 200").code, 0);
}

TEST_F(EvidenceProgram, validate_prints_errors_null_and_baselines) {
  const std::string file = write("t.csv", trace_csv());
  const Ended text = run("validate '" + file + "'");
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* part : {"6 steps to fit on, 6 held out", "KS distance", "baseline: training steps",
                           "baseline: constant", "independent draws"})
    EXPECT_NE(text.out.find(part), std::string::npos) << part;
  const json document =
      json::parse(run("validate --json --split halves --without 100,110 '" + file + "'").out);
  EXPECT_EQ(document["training_steps"].size(), 5u);
  EXPECT_EQ(document["training_steps"][0], 120);
  EXPECT_EQ(run("validate --split thirds '" + file + "'").code, 2);
}

TEST_F(EvidenceProgram, files_that_are_damaged_cut_or_too_large_are_refused) {
  const std::string packed = gzipped(trace_csv());
  std::string broken = packed;
  broken[packed.size() / 2] ^= 0x55;
  const Ended damaged = run("import operators '" + write("damaged.gz", broken) + "'");
  EXPECT_EQ(damaged.code, 1);
  EXPECT_NE(damaged.err.find("is damaged"), std::string::npos) << damaged.err;
  const Ended cut = run("import operators '" + write("cut.gz", packed.substr(0, packed.size() / 2)) + "'");
  EXPECT_EQ(cut.code, 1);
  EXPECT_NE(cut.err.find("is cut off"), std::string::npos) << cut.err;
  EXPECT_EQ(run("import operators '" + (folder_ / "absent").string() + "'").code, 1);
  // Zeros pack a thousandfold: the bound holds while inflating, not afterwards.
  const std::string bomb = write("bomb.gz", gzipped(std::string(64 << 20, '0')));
  std::int64_t seen = 0;
  const auto fault = read_pieces(
      bomb, [&](std::string_view piece) { return seen += static_cast<std::int64_t>(piece.size()), true; },
      {.inflated = 1 << 20});
  ASSERT_TRUE(fault);
  EXPECT_NE(fault->find("inflates to more than 1 MiB"), std::string::npos);
  EXPECT_LE(seen, 2 << 20);
  EXPECT_NE(read_pieces(bomb, [](std::string_view) { return true; }, {.stored = 1000})
                .value_or("")
                .find("larger than"),
            std::string::npos);
}

TEST_F(EvidenceProgram, several_gzip_members_are_one_file) {
  std::string all;
  const auto fault = read_pieces(write("two.gz", gzipped("one\n") + gzipped("two\n")),
                                 [&](std::string_view piece) { return all += piece, true; });
  EXPECT_FALSE(fault);
  EXPECT_EQ(all, "one\ntwo\n");
}

TEST_F(EvidenceProgram, fit_names_the_family_or_says_that_it_cannot) {
  std::string numbers;
  for (int i = 1; i <= 200; ++i) numbers += std::to_string(1 + 0.001 * ((i * 37) % 200)) + "\n";
  const Ended e = run("fit '" + write("n.txt", numbers) + "'");
  EXPECT_EQ(e.code, 0) << e.err;
  EXPECT_NE(e.out.find("uniform"), std::string::npos);
  EXPECT_TRUE(json::accept(run("fit --json '" + write("n.txt", numbers) + "'").out));
  EXPECT_EQ(run("fit '" + write("few.txt", "1\n2\n") + "'").code, 1);
}

TEST_F(EvidenceProgram, wrong_uses_are_told_apart_from_refused_inputs) {
  const std::string file = write("t.csv", trace_csv());
  EXPECT_EQ(run("import pictures '" + file + "'").code, 2);
  EXPECT_EQ(run("import operators '" + file + "' '" + file + "'").code, 2);
  EXPECT_EQ(run("import nccl '" + file + "' --scenario x").code, 2);
  const Ended json_fault = run("import nccl --json '" + file + "'");
  EXPECT_EQ(json_fault.code, 1);
  EXPECT_EQ(json::parse(json_fault.out)["ok"], false);
}

}  // namespace
}  // namespace prism::cli::evidence_program_test
