// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "evidence/faults.h"
#include "evidence/json_text.h"
#include "evidence/lines.h"
#include "evidence/moments.h"
#include "prism/evidence_benchmark.h"

namespace prism {
namespace {

struct TypeWidth {
  std::string_view name;
  int bytes;
};
constexpr TypeWidth types[] = {{"int8", 1},     {"uint8", 1},    {"int32", 4}, {"uint32", 4},
                               {"int64", 8},    {"uint64", 8},   {"half", 2},  {"float", 4},
                               {"double", 8},   {"bfloat16", 2}, {"char", 1},  {"fp8_e4m3", 1},
                               {"fp8_e5m2", 1}, {"f8e4m3", 1},   {"f8e5m2", 1}};
int width_of(std::string_view type) {
  for (const TypeWidth& t : types)
    if (t.name == type) return t.bytes;
  return 0;
}

constexpr std::string_view operations[] = {"all_reduce", "all_gather", "reduce_scatter", "alltoall",
                                           "broadcast",  "sendrecv",   "scatter",        "gather",
                                           "reduce",     "hypercube"};

bool is_number(std::string_view word) { return number_of(word).has_value(); }
/// N/A stands where a column was not measured.
bool is_value(std::string_view word) { return is_number(word) || word == "N/A" || word == "n/a"; }

/// "[1,0]<stdout>:" and "node3: " in front of a line, as mpirun and srun put them.
std::string_view without_prefix(std::string_view line) {
  if (line.substr(0, 1) == "[") {
    const std::size_t end = line.find(">:");
    if (end != std::string_view::npos && end < 40) return line.substr(end + 2);
    const std::size_t tag = line.find("]:");
    if (tag != std::string_view::npos && tag < 40) return line.substr(tag + 2);
  }
  const std::size_t label = line.find(": ");
  if (label != std::string_view::npos && label < 20 && line.find_first_not_of("0123456789") == label)
    return line.substr(label + 2);
  return line;
}

}  // namespace

struct BenchmarkReader::State {
  Account account;
  LineSplitter lines;
  CollectiveBenchmark out;
  std::vector<std::string_view> cells;
  enum class Sweep { no, yes } sweep = Sweep::no;
  double sweep_unit = 1e-6;
  bool header_seen = false, has_root = false, has_wrong = false;

  void read_line(std::string_view line);
  void read_comment(std::string_view line);
  bool read_row(const std::vector<std::string_view>& words);
  bool read_sweep(std::string_view line);
};

void BenchmarkReader::State::read_comment(std::string_view line) {
  account.ignore("comments and headers");
  for (const std::string_view op : operations) {
    std::string perf(op);
    perf += "_perf";
    if (line.find(perf) != std::string_view::npos && out.operation.empty()) out.operation = op;
  }
  const auto words = words_of(line);
  const auto says = [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (says("size") && says("count") && says("type")) {
    header_seen = true;
    has_root = says("root");
    has_wrong = says("#wrong") || says("wrong") || says("error");
  }
  if (words.size() > 3 && words[0] == "#" && words[1] == "Rank") {
    if (const auto rank = whole_number_of(words[2])) out.ranks = std::max(out.ranks, *rank + 1);
  }
}

/// size count type [redop] [root] time algbw busbw wrong, then time algbw busbw wrong in place. Read from the
/// front by kind of word: columns at the end have come and gone.
bool BenchmarkReader::State::read_row(const std::vector<std::string_view>& words) {
  if (words.size() < 6) return false;
  const auto bytes = whole_number_of(words[0]), count = whole_number_of(words[1]);
  if (!bytes || !count || *bytes < 0 || *count < 0 || width_of(words[2]) == 0) return false;
  std::size_t i = 3;
  if (!is_value(words[i])) ++i;  // redop
  std::vector<std::string_view> values;
  for (; i < words.size() && is_value(words[i]); ++i) values.push_back(words[i]);
  // Without a header an odd number of values says that a root comes first.
  const bool root = header_seen ? has_root : values.size() > 3 && values.size() % 2 == 1;
  if (root && !values.empty()) values.erase(values.begin());
  if (values.size() < 3) return false;
  const auto time = number_of(values[0]), bus = number_of(values[2]);
  if (!time) return account.ignore("rows without a time (N/A)"), true;
  if (!(*time > 0)) return account.ignore("rows whose time is not above 0"), true;
  CollectiveBenchmark::Row row{*bytes,       std::string(words[2]), *time * 1e-6,
                               std::nullopt, bus ? *bus * 1e9 : 0,  0};
  const std::size_t second = header_seen ? (has_wrong ? 4u : 3u) : values.size() >= 8 ? 4u : 3u;
  if (values.size() >= second + 3) {
    const auto in_place = number_of(values[second]);
    if (in_place && *in_place > 0) row.in_place_s = *in_place * 1e-6;
  }
  if (*bytes == 0) return account.ignore("rows of 0 bytes"), true;
  row.algorithm_bytes_per_s = static_cast<double>(*bytes) / row.out_of_place_s;
  out.rows.push_back(std::move(row));
  ++account.used;
  return true;
}

/// size(B),count,type,time(ns),busbw(GB/s),time(ns),busbw(GB/s)
bool BenchmarkReader::State::read_sweep(std::string_view line) {
  split_fields(line, ',', cells);
  if (cells.size() < 5) return false;
  if (cells[0].substr(0, 4) == "size") {
    sweep = Sweep::yes;
    sweep_unit = cells[3].find("(ns)") != std::string_view::npos   ? 1e-9
                 : cells[3].find("(ms)") != std::string_view::npos ? 1e-3
                                                                   : 1e-6;
    account.ignore("comments and headers");
    return true;
  }
  if (sweep == Sweep::no) return false;
  const auto bytes = whole_number_of(cells[0]);
  const auto time = number_of(cells[3]), bus = number_of(cells[4]);
  if (!bytes || *bytes <= 0 || !time || !(*time > 0)) return false;
  CollectiveBenchmark::Row row{
      *bytes,       std::string(cells[2]), *time * sweep_unit,
      std::nullopt, bus ? *bus * 1e9 : 0,  static_cast<double>(*bytes) / (*time * sweep_unit)};
  const auto in_place = cells.size() > 5 ? number_of(cells[5]) : std::nullopt;
  if (in_place && *in_place > 0) row.in_place_s = *in_place * sweep_unit;
  out.rows.push_back(std::move(row));
  ++account.used;
  return true;
}

void BenchmarkReader::State::read_line(std::string_view line) {
  line = trimmed(without_prefix(trimmed(line)));
  if (line.empty()) return;
  ++account.records;
  if (line.front() == '#') return read_comment(line);
  if (line.find(',') != std::string_view::npos && read_sweep(line)) return;
  if (read_row(words_of(line))) return;
  account.ignore("lines that are no row of the table");
}

BenchmarkReader::BenchmarkReader() : state_(std::make_unique<State>()) {}
BenchmarkReader::~BenchmarkReader() = default;
BenchmarkReader::BenchmarkReader(BenchmarkReader&&) noexcept = default;
const Account& BenchmarkReader::account() const { return state_->account; }

void BenchmarkReader::feed(std::string_view piece) {
  state_->account.bytes += static_cast<std::int64_t>(piece.size());
  state_->lines.feed(piece, [&](std::string_view line) { state_->read_line(line); });
}

Result<CollectiveBenchmark> BenchmarkReader::finish() {
  State& s = *state_;
  s.lines.finish([&](std::string_view line) { s.read_line(line); });
  s.account.format = s.sweep == State::Sweep::yes ? "collective benchmark, CSV" : "nccl-tests";
  if (s.out.rows.empty())
    return Result<CollectiveBenchmark>::fault(evidence_fault(
        Code::missing_key,
        "no row of an nccl-tests table found in " + std::to_string(s.account.records) + " lines",
        "rows begin with size, count and type, e.g. 1048576 262144 float sum"));
  std::vector<double> factors;
  for (const auto& row : s.out.rows) {
    const double gbyte = row.algorithm_bytes_per_s;
    if (gbyte > 5e9 && row.bus_bytes_per_s > 0) factors.push_back(row.bus_bytes_per_s / gbyte);
    s.account.recognise(row.type);
  }
  if (!factors.empty()) {
    s.out.bus_factor = median_of(factors);
    s.account.notes.push_back("busbw is " + std::to_string(s.out.bus_factor).substr(0, 5) +
                              " x algbw here: algbw is message size over time; busbw is what the slowest "
                              "link carries, and is what to compare "
                              "with a link's rate (2 (n-1)/n for an all-reduce over n ranks, (n-1)/n for "
                              "all-gather, reduce-scatter, all-to-all)");
  }
  if (s.out.operation.empty()) s.account.notes.emplace_back("the file does not say which operation it measured");
  return Result<CollectiveBenchmark>::of(std::move(s.out));
}

std::optional<LatencyBandwidth> fit_latency_bandwidth(const CollectiveBenchmark& b, std::int64_t from) {
  // Weights 1/time^2: minimise sum ((a + b x - t)/t)^2.
  double w = 0, wx = 0, wxx = 0, wt = 0, wxt = 0;
  int n = 0;
  for (const auto& row : b.rows) {
    if (row.bytes < from) continue;
    const double t = row.out_of_place_s, x = static_cast<double>(row.bytes), weight = 1 / (t * t);
    w += weight;
    wx += weight * x;
    wxx += weight * x * x;
    wt += weight * t;
    wxt += weight * x * t;
    ++n;
  }
  const double determinant = w * wxx - wx * wx;
  if (n < 3 || !(determinant > 0)) return std::nullopt;
  const double alpha = (wxx * wt - wx * wxt) / determinant, slope = (w * wxt - wx * wt) / determinant;
  if (!(slope > 0)) return std::nullopt;
  LatencyBandwidth out{std::max(alpha, 0.0), 1 / slope, 0, n};
  for (const auto& row : b.rows)
    if (row.bytes >= from)
      out.worst_error = std::max(
          out.worst_error,
          std::fabs((out.alpha_s + static_cast<double>(row.bytes) * slope) / row.out_of_place_s - 1));
  return out;
}

std::string benchmark_json(const CollectiveBenchmark& b, const Account& account) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const auto& r : b.rows)
    rows.push_back({{"bytes", r.bytes},
                    {"type", r.type},
                    {"time_us", r.out_of_place_s * 1e6},
                    {"in_place_us", r.in_place_s ? Json(*r.in_place_s * 1e6) : Json(nullptr)},
                    {"algorithm_gbyte_per_s", r.algorithm_bytes_per_s * 1e-9},
                    {"bus_gbyte_per_s", r.bus_bytes_per_s * 1e-9}});
  Json out = {{"prism_evidence", 1},
              {"kind", "collective_benchmark"},
              {"account", evidence_account(account)},
              {"operation", b.operation},
              {"ranks", b.ranks},
              {"bus_factor", b.bus_factor},
              {"rows", rows}};
  if (const auto f = fit_latency_bandwidth(b))
    out["latency_bandwidth"] = {{"alpha_us", f->alpha_s * 1e6},
                                {"algorithm_gbyte_per_s", f->bytes_per_s * 1e-9},
                                {"worst_relative_error", f->worst_error},
                                {"rows", f->rows}};
  return evidence_dump(out);
}

}  // namespace prism
