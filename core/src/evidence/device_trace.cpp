// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <pcg_random.hpp>
#include <tuple>

#include "evidence/faults.h"
#include "evidence/json_stream.h"
#include "evidence/lines.h"
#include "prism/evidence_trace.h"
#include "prism/numerics.h"

namespace prism {
namespace {

constexpr std::size_t longest_name = 512;
constexpr std::size_t most_open = 100'000;  ///< begin events without their end
constexpr std::size_t most_processes = 100'000;
constexpr std::size_t most_steps = 1'000'000;

enum Field { ph, cat, name, pid, tid, ts, dur, fields };
constexpr std::array<std::string_view, fields> field_names = {"ph", "cat", "name", "pid", "tid", "ts", "dur"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  return out;
}

enum class Place { device, memory, host };
/// Categories of Kineto's activities. What has no category, or one that is not known, is taken for work:
/// other tracers name theirs as they like.
Place place_of(const std::string& category) {
  static constexpr std::string_view host[] = {"cpu_op",
                                              "user_annotation",
                                              "gpu_user_annotation",
                                              "python_function",
                                              "cuda_runtime",
                                              "cuda_driver",
                                              "trace",
                                              "operator",
                                              "overhead",
                                              "cuda_sync",
                                              "cpu_instant_event",
                                              "cuda_profiler_range",
                                              "privateuse1_runtime",
                                              "privateuse1_driver",
                                              "mtia_runtime",
                                              "xpu_runtime",
                                              "collective_comm",
                                              "hip_runtime",
                                              "runtime",
                                              "ac2g",
                                              "fwdbwd",
                                              "python",
                                              "cpu"};
  if (category == "gpu_memcpy" || category == "gpu_memset" || category == "memcpy" || category == "memset")
    return Place::memory;
  for (const std::string_view h : host)
    if (category == h) return Place::host;
  return Place::device;
}

/// "rank 3", "Rank_3", "[rank:3]" in the name of a process.
std::int64_t rank_in(std::string_view text) {
  const std::string name = lower(text);
  std::size_t at = name.find("rank");
  if (at == std::string::npos) return -1;
  at = name.find_first_not_of(" _:-=#", at + 4);
  if (at == std::string::npos) return -1;
  const std::size_t end = name.find_first_not_of("0123456789", at);
  const auto number =
      whole_number_of(std::string_view(name).substr(at, end == std::string::npos ? end : end - at));
  return number && *number < 100'000'000 ? *number : -1;
}

/// Keeps `most_samples` values of a stream of any length, each with the same chance (Vitter's algorithm R).
class Reservoir {
 public:
  explicit Reservoir(std::string_view key) : random_(stream_state(0, 0, stream_key(key))) {}
  void take(std::vector<double>& kept, std::int64_t seen, double value) {
    if (kept.size() < DeviceTrace::most_samples) return kept.push_back(value);
    const std::uint64_t at = random_() % static_cast<std::uint64_t>(seen);
    if (at < kept.size()) kept[at] = value;
  }

 private:
  pcg64_oneseq random_;
};

}  // namespace

struct DeviceTraceReader::State {
  Account account;
  DeviceTrace trace;
  JsonStream json;
  std::vector<Diagnostic> faults;
  bool first_piece = true;

  // Where the reader is.
  std::size_t depth = 0;
  bool bare_array = false, events_seen = false, in_events = false, in_info = false, in_event = false,
       in_args = false;
  std::string top_key, key;
  std::array<std::string, fields> event;
  std::array<bool, fields> has{};
  std::string process_name;

  std::map<std::string, std::int32_t, std::less<>> kernel_at, process_at;
  std::map<std::string, std::int64_t, std::less<>> rank_of_pid;
  std::vector<Reservoir> reservoirs;
  std::int64_t first_start = std::numeric_limits<std::int64_t>::max();
  struct Open {
    std::string name, category;
    std::int64_t start;
  };
  std::map<std::pair<std::string, std::string>, std::vector<Open>> open;
  std::size_t open_count = 0;

  void hear(JsonEvent e, std::string_view text);
  void value(std::string_view text);
  void end_event();
  void operation(const std::string& category, std::string_view named, std::int64_t start,
                 std::int64_t duration);
  std::int32_t kernel(std::string_view named, std::string_view kind);
  std::int32_t process();
  void step(std::string_view named, std::int64_t duration);
};

void DeviceTraceReader::State::hear(JsonEvent e, std::string_view text) {
  const std::size_t event_depth = bare_array ? 2 : 3;  // of what stands inside an event
  switch (e) {
    case JsonEvent::begin_array:
      ++depth;
      if (depth == 1) bare_array = events_seen = in_events = true;
      if (depth == 2 && !bare_array && top_key == "traceEvents") in_events = events_seen = true;
      break;
    case JsonEvent::begin_object:
      ++depth;
      if (in_events && depth == event_depth) {
        in_event = true;
        for (std::string& f : event) f.clear();
        has = {};
        process_name.clear();
      } else if (in_event && depth == event_depth + 1) {
        in_args = key == "args";
      } else if (depth == 2 && !bare_array) {
        in_info = top_key == "distributedInfo";
      }
      break;
    case JsonEvent::end_array:
      --depth;
      if (depth == 1 && !bare_array) in_events = false;
      break;
    case JsonEvent::end_object:
      --depth;
      if (in_event && depth == event_depth - 1) {
        in_event = false;
        end_event();
      }
      if (depth == event_depth) in_args = false;
      if (depth == 1) in_info = false;
      break;
    case JsonEvent::key:
      if (depth == 1) top_key = text;
      if ((in_event && depth <= event_depth + 1) || in_info) key = text;
      break;
    case JsonEvent::string:
    case JsonEvent::number:
      if (in_event && depth == event_depth) {
        const auto found = std::find(field_names.begin(), field_names.end(), key);
        if (found != field_names.end()) {
          event[static_cast<std::size_t>(found - field_names.begin())] = text;
          has[static_cast<std::size_t>(found - field_names.begin())] = true;
        }
      } else if (in_event && in_args && depth == event_depth + 1 && key == "name") {
        process_name = text;
      } else if (in_info && depth == 2) {
        value(text);
      }
      break;
    case JsonEvent::literal:
      // A bare NaN or Infinity counts as missing.
      break;
  }
}

void DeviceTraceReader::State::value(std::string_view text) {
  if (key == "backend") trace.backend = text;
  const auto number = whole_number_of(text);
  if (key == "rank" && number) trace.rank = *number;
  if (key == "world_size" && number) trace.world_size = *number;
}

void DeviceTraceReader::State::end_event() {
  ++account.records;
  const std::string& phase = event[ph];
  if (phase == "M") {
    const std::int64_t rank = event[name] == "process_name" ? rank_in(process_name) : -1;
    if (rank >= 0 && rank_of_pid.size() < most_processes) rank_of_pid[event[pid]] = rank;
    return account.ignore("metadata events");
  }
  if (phase != "X" && phase != "B" && phase != "E") {
    const bool short_phase = phase.size() == 1 && phase[0] > ' ' && phase[0] < 127;
    return account.ignore(phase.empty() ? "events without a phase"
                                        : "events of phase " + (short_phase ? phase : "?"));
  }
  const auto start = has[ts] ? nanoseconds_of_us(event[ts]) : std::nullopt;
  if (!start) return account.ignore("no finite start");
  if (phase == "B") {
    if (open_count >= most_open) return account.ignore("too many events begun and not ended");
    open[{event[pid], event[tid]}].push_back({event[name], event[cat], *start});
    ++open_count;
    return account.ignore("begin events, used with their end");
  }
  if (phase == "E") {
    const auto stack = open.find({event[pid], event[tid]});
    if (stack == open.end() || stack->second.empty()) return account.ignore("end events without a begin");
    const Open begun = stack->second.back();
    stack->second.pop_back();
    --open_count;
    return operation(lower(begun.category), begun.name, begun.start, *start - begun.start);
  }
  const auto lasts = has[dur] ? nanoseconds_of_us(event[dur]) : std::nullopt;
  if (!lasts) return account.ignore("no finite duration");
  operation(lower(event[cat]), event[name], *start, *lasts);
}

void DeviceTraceReader::State::operation(const std::string& category, std::string_view named,
                                         std::int64_t start, std::int64_t duration) {
  const Place place = place_of(category);
  if (duration < 0) return account.ignore("negative duration");
  if (place == Place::host) {
    if (named.substr(0, 13) == "ProfilerStep#" && category == "user_annotation") step(named, duration);
    return account.ignore("host events, " + category);
  }
  if (duration == 0) return account.ignore("zero duration");
  if (named.empty()) return account.ignore("operations without a name");
  const auto collective = place == Place::device ? collective_name(named) : std::nullopt;
  const std::string_view kind = collective ? collective->kind : place == Place::memory ? "memory" : "compute";
  const std::int32_t at = kernel(named, kind);
  DeviceTrace::Kernel& k = trace.kernels[static_cast<std::size_t>(at)];
  const double seconds = static_cast<double>(duration) * 1e-9;
  k.least_s = k.count == 0 ? seconds : std::min(k.least_s, seconds);
  k.most_s = std::max(k.most_s, seconds);
  k.total_s += seconds;
  reservoirs[static_cast<std::size_t>(at)].take(k.samples, ++k.count, seconds);
  first_start = std::min(first_start, start);
  ++account.used;
  if (place == Place::memory) return account.recognise("memory copies and sets");
  ++trace.kernel_events;
  const std::int32_t who = process();
  if (!collective) return account.recognise("compute kernels");
  ++trace.recognised;
  account.recognise(std::string(collective->library) + " " + std::string(collective->kind));
  if (trace.collectives.size() < DeviceTrace::most_collectives)
    trace.collectives.push_back({who, at, start, duration});
}

std::int32_t DeviceTraceReader::State::kernel(std::string_view named, std::string_view kind) {
  named = named.substr(0, longest_name);
  auto found = kernel_at.find(named);
  if (found != kernel_at.end()) return found->second;
  if (trace.kernels.size() >= DeviceTrace::most_names) {
    named = kind == "compute" ? "(other kernels)" : "(other collectives)";
    found = kernel_at.find(named);
    if (found != kernel_at.end()) return found->second;
  }
  const auto at = static_cast<std::int32_t>(trace.kernels.size());
  trace.kernels.push_back({std::string(named), std::string(kind), 0, 0, 0, 0, {}});
  reservoirs.emplace_back(named);
  kernel_at.emplace(std::string(named), at);
  return at;
}

std::int32_t DeviceTraceReader::State::process() {
  const auto found = process_at.find(event[pid]);
  if (found != process_at.end()) return found->second;
  if (trace.processes.size() >= most_processes) return 0;
  const auto at = static_cast<std::int32_t>(trace.processes.size());
  trace.processes.push_back({event[pid], -1});
  process_at.emplace(event[pid], at);
  return at;
}

void DeviceTraceReader::State::step(std::string_view named, std::int64_t duration) {
  const auto number = whole_number_of(named.substr(13));
  if (number && duration > 0 && trace.steps.size() < most_steps)
    trace.steps.push_back({*number, static_cast<double>(duration) * 1e-9});
}

DeviceTraceReader::DeviceTraceReader() : state_(std::make_unique<State>()) {}
DeviceTraceReader::~DeviceTraceReader() = default;
DeviceTraceReader::DeviceTraceReader(DeviceTraceReader&&) noexcept = default;
const Account& DeviceTraceReader::account() const { return state_->account; }

bool DeviceTraceReader::feed(std::string_view piece) {
  State& s = *state_;
  s.account.bytes += static_cast<std::int64_t>(piece.size());
  return s.json.feed(piece, [&](JsonEvent e, std::string_view t) { s.hear(e, t); });
}

Result<DeviceTrace> DeviceTraceReader::finish() {
  using Out = Result<DeviceTrace>;
  State& s = *state_;
  const auto end = s.json.finish([&](JsonEvent e, std::string_view t) { s.hear(e, t); });
  const std::string at = " at byte " + std::to_string(s.json.offset());
  if (end == JsonStream::End::empty) return Out::fault(evidence_fault(Code::syntax, "the file is empty"));
  if (end == JsonStream::End::faulty)
    return Out::fault(evidence_fault(Code::syntax, "not JSON" + at + ": " + s.json.fault() + " (" +
                                                       std::to_string(s.account.records) +
                                                       " events read before)"));
  if (end == JsonStream::End::early)
    return Out::fault(
        evidence_fault(Code::syntax, "the file is cut off" + at + ", inside an open object or string (" +
                                         std::to_string(s.account.records) + " events read before)"));
  if (!s.events_seen)
    return Out::fault(evidence_fault(Code::missing_key, "no traceEvents: not a trace in the Chrome format"));
  Account& a = s.account;
  a.format = s.bare_array ? "Chrome trace, bare array" : "Chrome trace, object form";
  if (end == JsonStream::End::open_array)
    a.notes.push_back("the array is not closed, which the format allows");
  if (s.json.cut_tokens() > 0)
    a.notes.push_back(std::to_string(s.json.cut_tokens()) + " texts longer than 64 KiB were cut");
  const std::string n = std::to_string(s.trace.kernel_events);
  a.notes.push_back(std::to_string(s.trace.recognised) + " of " + n + " kernels recognised as communication");
  if (s.trace.recognised == 0 && s.trace.kernel_events > 0)
    a.notes.push_back("NO COMMUNICATION FOUND: no kernel name is known as one of NCCL, RCCL, HCCL or oneCCL");
  if (s.trace.kernel_events == 0) a.notes.push_back("NO KERNELS FOUND: the trace has host events only");
  if (s.open_count > 0) a.ignore("begin events without an end", static_cast<std::int64_t>(s.open_count));

  DeviceTrace& t = s.trace;
  for (DeviceTrace::Process& p : t.processes) {
    const auto named = s.rank_of_pid.find(p.pid);
    if (named != s.rank_of_pid.end())
      p.rank = named->second;
    else if (t.processes.size() == 1)
      p.rank = t.rank;
  }
  if (t.rank < 0 && t.processes.size() <= 1 && (t.processes.empty() || t.processes[0].rank < 0))
    a.notes.push_back("the file does not say its rank");
  if (t.recognised > 0 && t.processes.size() <= 1)
    a.notes.push_back(
        "one rank only: durations of collectives include waiting for others and are no transfer times");
  if (s.first_start != std::numeric_limits<std::int64_t>::max()) t.base_ns = s.first_start;
  for (DeviceTrace::Collective& c : t.collectives) c.start_ns -= t.base_ns;
  std::sort(t.steps.begin(), t.steps.end(), [](const auto& x, const auto& y) {
    return std::tie(x.number, x.seconds) < std::tie(y.number, y.seconds);
  });
  return Out::of(std::move(t));
}

}  // namespace prism
