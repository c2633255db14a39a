// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "evidence/faults.h"
#include "evidence/json_stream.h"
#include "evidence/lines.h"
#include "evidence/operator_rows.h"

namespace prism {
namespace {

enum Column { dp_rank, stage, rank, step, optype, start_ts, duration, seq_id, mc, columns };
constexpr std::array<std::string_view, columns> column_names = {
    "dp_rank", "stage", "rank", "step", "optype", "start_ts", "duration", "seq_id", "mc"};
constexpr int required = mc;  // the columns before it

constexpr std::int64_t most_rows = 20'000'000;
constexpr std::int64_t most_workers = 1 << 20;

}  // namespace

struct OperatorTraceReader::State {
  Account account;
  std::vector<OperatorRow> rows;
  std::vector<Diagnostic> faults;
  enum class Form { unknown, csv, json } form = Form::unknown;

  LineSplitter lines;
  std::vector<std::string_view> fields;
  std::array<int, columns> at{};  ///< column of the file, or -1
  bool header_seen = false;

  JsonStream json;
  std::array<std::string, columns> cell;
  int json_key = -1;

  void fault(Code code, std::string message, std::string hint = {}) {
    if (faults.empty()) faults.push_back(evidence_fault(code, std::move(message), std::move(hint)));
  }
  void read_header(std::string_view line);
  void read_line(std::string_view line);
  void read_json(JsonEvent event, std::string_view text);
  template <class Get>
  void read_row(Get&& get);
};

template <class Get>
void OperatorTraceReader::State::read_row(Get&& get) {
  ++account.records;
  if (account.records > most_rows) return fault(Code::too_large, "more than 20,000,000 rows");
  const auto type = find_op_type(get(optype));
  if (!type) {
    if (get(optype).find("send") != std::string_view::npos &&
        get(optype).find("recv") != std::string_view::npos)
      return fault(Code::unsupported, "combined sends and receives (" + std::string(get(optype)) +
                                          ") cannot be told apart; record them one by one");
    const bool many = account.ignored.size() > 50;
    return account.ignore(many ? "other unknown types"
                               : "unknown type " + std::string(get(optype).substr(0, 60)));
  }
  std::array<std::int64_t, 5> whole{};
  constexpr std::array<Column, 5> whole_columns = {dp_rank, stage, rank, step, seq_id};
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const auto value = whole_number_of(get(whole_columns[i]));
    if (!value)
      return account.ignore(std::string(column_names[static_cast<std::size_t>(whole_columns[i])]) +
                            " is no whole number");
    whole[i] = *value;
  }
  const auto [replica, at_stage, global_rank, at_step, seq] = whole;
  if (replica < 0 || at_stage < 0 || replica >= most_workers || at_stage >= most_workers)
    return account.ignore("dp_rank or stage is not from 0 to 1,048,575");
  const auto from = number_of(get(start_ts)), lasts = number_of(get(duration));
  if (!from || !lasts) return account.ignore("start_ts or duration is no finite number");
  if (*lasts < 0) return account.ignore("negative duration");
  const auto chunk = whole_number_of(get(mc));
  if (chunk && *chunk > 0)
    return fault(Code::unsupported,
                 "several virtual stages in a rank (mc = " + std::to_string(*chunk) +
                     "): the order of their operations is not known well enough to rebuild the graph");
  rows.push_back({at_step, std::max<std::int64_t>(global_rank, 0), seq, *from, *lasts,
                  static_cast<std::int32_t>(replica), static_cast<std::int32_t>(at_stage), 0, *type});
}

void OperatorTraceReader::State::read_header(std::string_view line) {
  header_seen = true;
  if (line.substr(0, 3) == "\xef\xbb\xbf") line.remove_prefix(3);
  split_fields(line, ',', fields);
  std::string missing;
  for (int c = 0; c < columns; ++c) {
    const std::string_view name = column_names[static_cast<std::size_t>(c)];
    const auto found = std::find(fields.begin(), fields.end(), name);
    if (std::count(fields.begin(), fields.end(), name) > 1)
      return fault(Code::duplicate_key, "the first line names the column " + std::string(name) + " twice");
    at[static_cast<std::size_t>(c)] = found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
    if (found == fields.end() && c < required)
      missing += (missing.empty() ? "" : ", ") + std::string(column_names[static_cast<std::size_t>(c)]);
  }
  if (!missing.empty())
    fault(Code::missing_key,
          "the first line should name the columns of an operator trace; missing: " + missing,
          "columns: dp_rank, stage, rank, step, optype, start_ts, duration, seq_id");
}

void OperatorTraceReader::State::read_line(std::string_view line) {
  if (!faults.empty() || trimmed(line).empty()) return;
  if (!header_seen) return read_header(line);
  split_fields(line, ',', fields);
  read_row([&](int c) {
    const int i = at[static_cast<std::size_t>(c)];
    return i >= 0 && i < static_cast<int>(fields.size()) ? fields[static_cast<std::size_t>(i)]
                                                         : std::string_view{};
  });
}

void OperatorTraceReader::State::read_json(JsonEvent event, std::string_view text) {
  switch (event) {
    case JsonEvent::begin_object:
      for (std::string& c : cell) c.clear();
      break;
    case JsonEvent::key: {
      const auto found = std::find(column_names.begin(), column_names.end(), text);
      json_key = found == column_names.end() ? -1 : static_cast<int>(found - column_names.begin());
      break;
    }
    case JsonEvent::string:
    case JsonEvent::number:
      if (json_key >= 0) cell[static_cast<std::size_t>(json_key)] = text;
      json_key = -1;
      break;
    case JsonEvent::end_object:
      if (!cell[optype].empty() && faults.empty())
        read_row([&](int c) { return std::string_view(cell[static_cast<std::size_t>(c)]); });
      for (std::string& c : cell) c.clear();
      break;
    default:
      json_key = -1;
  }
}

OperatorTraceReader::OperatorTraceReader() : state_(std::make_unique<State>()) {}
OperatorTraceReader::~OperatorTraceReader() = default;
OperatorTraceReader::OperatorTraceReader(OperatorTraceReader&&) noexcept = default;
const Account& OperatorTraceReader::account() const { return state_->account; }

void OperatorTraceReader::feed(std::string_view piece) {
  State& s = *state_;
  s.account.bytes += static_cast<std::int64_t>(piece.size());
  if (s.form == State::Form::unknown) {
    const std::string_view text = trimmed(piece);
    if (text.empty()) return;
    s.form = text.front() == '[' || text.front() == '{' ? State::Form::json : State::Form::csv;
    s.account.format = s.form == State::Form::json ? "operator trace, JSON rows" : "operator trace, CSV";
  }
  if (!s.faults.empty()) return;
  if (s.form == State::Form::csv) {
    s.lines.feed(piece, [&](std::string_view line) { s.read_line(line); });
  } else if (!s.json.feed(piece, [&](JsonEvent e, std::string_view t) { s.read_json(e, t); })) {
    s.fault(Code::syntax, "not JSON at byte " + std::to_string(s.json.offset()) + ": " + s.json.fault());
  }
}

Result<OperatorTrace> OperatorTraceReader::finish() {
  State& s = *state_;
  if (s.form == State::Form::csv) s.lines.finish([&](std::string_view line) { s.read_line(line); });
  if (s.form == State::Form::json && s.faults.empty()) {
    const auto end = s.json.finish([&](JsonEvent e, std::string_view t) { s.read_json(e, t); });
    if (end == JsonStream::End::faulty || end == JsonStream::End::early)
      s.fault(Code::syntax, "the JSON text ends early, at byte " + std::to_string(s.json.offset()));
  }
  if (s.form == State::Form::unknown) s.fault(Code::syntax, "the file is empty");
  if (!s.faults.empty()) return Result<OperatorTrace>::faults(s.faults);
  return tabulate_rows(std::move(s.rows), s.account);
}

}  // namespace prism
