// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <tuple>

#include "evidence/faults.h"
#include "evidence/lines.h"
#include "prism/evidence_steps.h"

namespace prism {
namespace {

struct ColumnName {
  std::string_view name;
  double seconds;  ///< one unit of the column
};
constexpr ColumnName time_columns[] = {
    {"seconds", 1},
    {"step_time_s", 1},
    {"step_time", 1},
    {"step_time_seconds", 1},
    {"time_s", 1},
    {"duration_s", 1},
    {"iteration_time_s", 1},
    {"iteration_time", 1},
    {"train_step_timing in s", 1},
    {"train_step_timing", 1},
    {"train_step_time", 1},
    {"elapsed_s", 1},
    {"ms", 1e-3},
    {"milliseconds", 1e-3},
    {"step_time_ms", 1e-3},
    {"time_ms", 1e-3},
    {"duration_ms", 1e-3},
    {"iteration_time_ms", 1e-3},
    {"elapsed_ms", 1e-3},
    {"elapsed time per iteration (ms)", 1e-3},
    {"us", 1e-6},
    {"microseconds", 1e-6},
    {"step_time_us", 1e-6},
    {"time_us", 1e-6},
    {"duration_us", 1e-6},
};
/// Marks of log lines, before the number.
constexpr ColumnName marks[] = {
    {"elapsed time per iteration (ms):", 1e-3},
    {"elapsed time per iteration (s):", 1},
    {"train_step_timing in s", 1},
    {"train_step_timing", 1},
    {"train_step_time", 1},
};

constexpr std::string_view step_columns[] = {"step", "iteration", "iter", "global_step"};
constexpr std::string_view worker_columns[] = {"worker", "worker_id", "rank", "global_rank", "dp_rank"};
/// Beyond both no step of a job lies: whoever has such a number has another unit, or no step.
constexpr double shortest_s = 1e-9, longest_s = 1e9;

template <std::size_t n>
bool is_one_of(const std::string_view (&names)[n], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

/// The number that follows a mark, behind any of : = " and spaces.
std::optional<double> number_after(std::string_view rest) {
  const std::size_t from = rest.find_first_not_of(" :=\"'");
  if (from == std::string_view::npos) return std::nullopt;
  rest.remove_prefix(from);
  return number_of(rest.substr(0, rest.find_first_not_of("0123456789.eE+-")));
}

}  // namespace

struct StepLogReader::State {
  Account account;
  StepLog log;
  LineSplitter lines;
  std::vector<std::string_view> fields;
  enum class Form { unknown, csv, marked, plain } form = Form::unknown;
  char separator = ',';
  int time_column = -1, run_column = -1, step_column = -1, worker_column = -1;
  double unit = 1;
  /// Rows of one worker for one step so far, and where the n-th of a step stands in its run: a run that goes
  /// back to a checkpoint has steps again.
  std::map<std::tuple<std::string, std::string, std::string>, int> rows_of_worker;
  std::map<std::tuple<std::string, std::string, int>, std::size_t> place_of_step;
  std::string last_run, last_step;
  std::int64_t slower_workers = 0, steps_again = 0;
  std::optional<Diagnostic> fault;

  StepLog::Run& run_named(std::string_view name) {
    for (StepLog::Run& r : log.runs)
      if (r.name == name) return r;
    log.runs.push_back({std::string(name), {}});
    return log.runs.back();
  }
  bool is_step_time(double seconds) {
    if (!(seconds > 0))
      account.ignore("step time not above 0");
    else if (!(seconds >= shortest_s && seconds <= longest_s))
      account.ignore("step time not from 1e-9 to 1e9 s");
    else if (log.runs.size() > 10'000)
      account.ignore("runs beyond 10,000");
    else
      return true;
    return false;
  }
  void take(std::string_view run, double seconds) {
    if (!is_step_time(seconds)) return;
    run_named(run).seconds.push_back(seconds);
    ++account.used;
  }
  void take_row(std::string_view run, std::string_view step, std::string_view worker, double seconds);
  bool is_header(std::string_view line);
  bool marked(std::string_view line);
  void read_line(std::string_view line);
};

bool StepLogReader::State::is_header(std::string_view line) {
  if (line.substr(0, 3) == "\xef\xbb\xbf") line.remove_prefix(3);
  for (const char s : {',', ';', '\t'}) {
    const std::string text = lower(line);
    split_fields(text, s, fields);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (fields[i] == "run" || fields[i] == "run_id") run_column = static_cast<int>(i);
      if (is_one_of(step_columns, fields[i])) step_column = static_cast<int>(i);
      if (is_one_of(worker_columns, fields[i])) worker_column = static_cast<int>(i);
      for (const ColumnName& c : time_columns)
        if (fields[i] == c.name && time_column < 0) {
          time_column = static_cast<int>(i);
          unit = c.seconds;
          account.notes.push_back("step times are column \"" + std::string(c.name) + "\", " +
                                  (c.seconds == 1      ? "seconds"
                                   : c.seconds == 1e-3 ? "milliseconds"
                                                       : "microseconds"));
        }
    }
    if (time_column >= 0) return separator = s, true;
    run_column = step_column = worker_column = -1;
  }
  return false;
}

/// A step takes as long as its slowest worker.
void StepLogReader::State::take_row(std::string_view run, std::string_view step, std::string_view worker,
                                    double seconds) {
  if (!is_step_time(seconds)) return;
  if (worker_column < 0) {
    if (run == last_run && step == last_step && !fault)
      fault = evidence_fault(Code::inconsistent,
                             "step " + std::string(step) + " stands in two rows one after the other",
                             "one row a step, or a column worker (or rank) that says whose row it is");
    last_run = run;
    last_step = step;
  }
  const std::string name(run), number(step);
  const int nth = rows_of_worker[{name, number, std::string(worker)}]++;
  std::vector<double>& steps = run_named(run).seconds;
  const auto [place, fresh] = place_of_step.try_emplace({name, number, nth}, steps.size());
  ++account.used;
  if (fresh) {
    steps.push_back(seconds);
    steps_again += nth > 0;
  } else {
    steps[place->second] = std::max(steps[place->second], seconds);
    ++slower_workers;
  }
}

bool StepLogReader::State::marked(std::string_view line) {
  for (const ColumnName& m : marks) {
    // A progress bar may repeat in one line: the last one is the finished step.
    const std::size_t at = line.rfind(m.name);
    if (at == std::string_view::npos) continue;
    const auto value = number_after(line.substr(at + m.name.size()));
    if (!value) return account.ignore("a step-time mark without a number"), true;
    take("", *value * m.seconds);
    return true;
  }
  return false;
}

void StepLogReader::State::read_line(std::string_view line) {
  line = trimmed(line);
  if (line.empty()) return;
  ++account.records;
  if (form == Form::csv) {
    split_fields(line, separator, fields);
    const auto cell = [&](int c) {
      return c >= 0 && c < static_cast<int>(fields.size()) ? fields[static_cast<std::size_t>(c)]
                                                           : std::string_view{};
    };
    const auto value = number_of(cell(time_column));
    if (!value) return account.ignore("no number in the column of step times");
    if (step_column < 0) return take(cell(run_column), *value * unit);
    return take_row(cell(run_column), cell(step_column), cell(worker_column), *value * unit);
  }
  if (form != Form::plain && marked(line)) {
    form = Form::marked;
    return;
  }
  if (form == Form::unknown && is_header(line)) {
    form = Form::csv;
    --account.records;
    return;
  }
  if (form == Form::marked) return account.ignore("lines without a step time");
  if (const auto value = number_of(line)) {
    form = Form::plain;
    return take("", *value);
  }
  account.ignore("lines without a step time");
}

StepLogReader::StepLogReader() : state_(std::make_unique<State>()) {}
StepLogReader::~StepLogReader() = default;
StepLogReader::StepLogReader(StepLogReader&&) noexcept = default;
const Account& StepLogReader::account() const { return state_->account; }

void StepLogReader::feed(std::string_view piece) {
  state_->account.bytes += static_cast<std::int64_t>(piece.size());
  state_->lines.feed(piece, [&](std::string_view line) { state_->read_line(line); });
}

Result<StepLog> StepLogReader::finish() {
  State& s = *state_;
  s.lines.finish([&](std::string_view line) { s.read_line(line); });
  s.account.format = s.form == State::Form::csv      ? "step times, CSV"
                     : s.form == State::Form::marked ? "step times, log lines"
                                                     : "step times, plain numbers";
  if (s.fault) return Result<StepLog>::fault(*s.fault);
  if (s.account.used == 0)
    return Result<StepLog>::fault(evidence_fault(
        Code::missing_key, "no step time found in " + std::to_string(s.account.records) + " lines",
        "CSV with a column such as seconds or step_time_ms, log lines of Megatron-LM or NeMo, or one number "
        "a line"));
  if (s.form == State::Form::plain) s.account.notes.push_back("plain numbers are taken as seconds");
  if (s.worker_column >= 0 && s.step_column < 0)
    return Result<StepLog>::fault(
        evidence_fault(Code::missing_key, "a column says whose each row is, but none which step it is of",
                       "add a column step"));
  if (s.slower_workers > 0)
    s.account.notes.push_back("rows of several workers: a step takes as long as its slowest worker");
  if (s.steps_again > 0)
    s.account.notes.push_back(
        std::to_string(s.steps_again) +
        " steps come again in their run, as after a return to a checkpoint; each counts");
  s.account.recognise("steps", s.account.used - s.slower_workers);
  s.account.recognise("runs", static_cast<std::int64_t>(s.log.runs.size()));
  return Result<StepLog>::of(std::move(s.log));
}

}  // namespace prism
