// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "evidence/faults.h"
#include "evidence/json_text.h"
#include "evidence/launch_flags.h"
#include "evidence/lines.h"
#include "evidence/shell_words.h"
#include "prism/evidence_launch.h"

namespace prism {
namespace {

constexpr std::size_t largest_text = 1 << 20;

template <std::size_t n>
bool listed(const std::string_view (&list)[n], std::string_view flag) {
  return std::find(std::begin(list), std::end(list), flag) != std::end(list);
}

}  // namespace

struct LaunchReader::State {
  Account account;
  std::string text;
  LaunchArguments out;
  std::optional<Diagnostic> fault;
  std::optional<std::int64_t> nodes, layers_per_virtual_stage;
  bool grouped_queries = false;
  std::optional<std::int64_t> query_groups;
  std::set<std::string> seen, repeated;

  bool number(std::string_view flag, const std::string& value);
  bool word(std::string_view flag, const std::string& value);
  void take(const std::string& flag, const std::string& value);
  void settle();
};

/// Flags with a whole number. False if it is none of them.
bool LaunchReader::State::number(std::string_view flag, const std::string& value) {
  std::optional<std::int64_t> taken;
  const auto put = [&](auto& target) { target = *taken; };
  const auto is = [&](std::string_view name) {
    if (flag != name) return false;
    taken = whole_number_of(value);
    if (!taken || *taken < 1 || *taken > 1'000'000'000) {
      taken.reset();
      if (!fault)
        fault =
            evidence_fault(Code::wrong_type,
                           std::string(flag) + " should be a whole number from 1 on, not \"" + value + "\"",
                           value.substr(0, 1) == "$" ? "set the variable in the same text" : "");
    }
    return true;
  };
  if (is("--tensor-model-parallel-size")) {
    if (taken) put(out.tp);
  } else if (is("--pipeline-model-parallel-size")) {
    if (taken) put(out.pp);
  } else if (is("--context-parallel-size")) {
    if (taken) put(out.cp);
  } else if (is("--num-layers"))
    out.layers = taken;
  else if (is("--hidden-size"))
    out.hidden = taken;
  else if (is("--ffn-hidden-size"))
    out.ffn_hidden = taken;
  else if (is("--num-attention-heads"))
    out.heads = taken;
  else if (is("--num-query-groups"))
    query_groups = taken;
  else if (is("--kv-channels"))
    out.head_dim = taken;
  else if (is("--seq-length"))
    out.sequence = taken;
  else if (is("--micro-batch-size"))
    out.micro_batch = taken;
  else if (is("--global-batch-size"))
    out.global_batch = taken;
  else if (is("--vocab-size") || is("--padded-vocab-size"))
    out.vocabulary = taken;
  else if (is("--num-layers-per-virtual-pipeline-stage"))
    layers_per_virtual_stage = taken;
  else if (is("--num-virtual-stages-per-pipeline-rank")) {
    if (taken) put(out.virtual_stages);
  } else if (is("--nnodes"))
    nodes = taken;
  else if (is("--nproc_per_node") || is("--nproc-per-node"))
    out.gpus_per_node = taken;
  else
    return false;
  return true;
}

/// Flags that are switches or take a word.
bool LaunchReader::State::word(std::string_view flag, const std::string& value) {
  if (flag == "--swiglu")
    out.gated_ffn = true;
  else if (flag == "--untie-embeddings-and-output-weights")
    out.tied_embeddings = false;
  else if (flag == "--sequence-parallel")
    out.sequence_parallel = true;
  else if (flag == "--use-distributed-optimizer")
    out.distributed_optimizer = true;
  else if (flag == "--recompute-activations")
    out.recompute = "selective";
  else if (flag == "--recompute-granularity")
    out.recompute = value == "full" ? "full" : "selective";
  else if (flag == "--group-query-attention")
    grouped_queries = true;
  else
    return false;
  return true;
}

void LaunchReader::State::take(const std::string& flag, const std::string& value) {
  ++account.records;
  if (number(flag, value) || word(flag, value)) {
    if (!seen.insert(flag).second) repeated.insert(flag);
    ++account.used;
    return account.recognise("flags of model and layout");
  }
  if (listed(harmless_flags, flag)) return account.ignore("flags without influence on the time of a step");
  if (listed(beyond_flags, flag)) {
    out.not_modelled.push_back(flag);
    return account.ignore("flags whose effect the scenario does not carry: " + flag);
  }
  if (out.unknown.size() < 200) out.unknown.push_back(flag.substr(0, 80));
  account.ignore("unknown flags");
}

void LaunchReader::State::settle() {
  const auto refuse = [&](Code code, std::string message) {
    if (!fault) fault = evidence_fault(code, std::move(message));
  };
  std::string missing;
  for (const auto& [value, flag] : {std::pair{out.layers, "--num-layers"},
                                    {out.hidden, "--hidden-size"},
                                    {out.heads, "--num-attention-heads"},
                                    {out.sequence, "--seq-length"}})
    if (!value) missing += (missing.empty() ? "" : ", ") + std::string(flag);
  if (!missing.empty())
    return refuse(Code::missing_key, "the arguments lack " + missing + ", so the model is not known");
  if (grouped_queries || query_groups) out.kv_heads = query_groups.value_or(*out.heads);
  if (layers_per_virtual_stage) {
    const std::int64_t a_chunk = *layers_per_virtual_stage * out.pp;
    if (*out.layers % a_chunk != 0)
      return refuse(Code::not_divisible, "--num-layers " + std::to_string(*out.layers) +
                                             " is not divisible by pipeline size " + std::to_string(out.pp) +
                                             " x layers per virtual stage " +
                                             std::to_string(*layers_per_virtual_stage));
    out.virtual_stages = *out.layers / a_chunk;
  }
  if (out.gpus_per_node) out.gpus = nodes.value_or(1) * *out.gpus_per_node;
  if (out.gpus && *out.gpus % (out.tp * out.pp * out.cp) != 0)
    return refuse(Code::not_divisible, std::to_string(*out.gpus) + " GPUs are not divisible by tensor " +
                                           std::to_string(out.tp) + " x context " + std::to_string(out.cp) +
                                           " x pipeline " + std::to_string(out.pp));
  if (!out.gpus) out.assumed.push_back("data-parallel degree 1: the arguments do not say how many GPUs run");
  if (!out.vocabulary)
    out.assumed.push_back("vocabulary 51,200: GPT-2's, padded; the arguments name a tokenizer only");
  if (!out.micro_batch) out.assumed.push_back("micro-batch 1");
  if (!out.global_batch)
    out.assumed.push_back("global batch of one micro-batch a pipeline stage and replica");
  if (!out.ffn_hidden)
    out.assumed.push_back(
        "--ffn-hidden-size 4 x --hidden-size, as Megatron-LM takes it (8/3 with --swiglu, to a multiple of "
        "64)");
  out.assumed.push_back("GPU h100-sxm: no argument names it");
  for (const std::string& a : out.assumed) account.notes.push_back("assumed: " + a);
  for (const std::string& flag : repeated)
    account.notes.push_back(flag.substr(0, 80) + " is given more than once: the last one counts");
  if (!out.unknown.empty()) {
    std::string list;
    for (std::size_t i = 0; i < out.unknown.size() && i < 30; ++i) list += (i ? ", " : "") + out.unknown[i];
    account.notes.push_back(std::to_string(out.unknown.size()) + " unknown flags: " + list);
  }
}

LaunchReader::LaunchReader() : state_(std::make_unique<State>()) {}
LaunchReader::~LaunchReader() = default;
LaunchReader::LaunchReader(LaunchReader&&) noexcept = default;
const Account& LaunchReader::account() const { return state_->account; }

void LaunchReader::feed(std::string_view piece) {
  state_->account.bytes += static_cast<std::int64_t>(piece.size());
  state_->text.append(piece.substr(0, largest_text + 1 - std::min(state_->text.size(), largest_text + 1)));
}

Result<LaunchArguments> LaunchReader::finish() {
  State& s = *state_;
  s.account.format = "Megatron-LM arguments";
  if (s.text.size() > largest_text)
    return Result<LaunchArguments>::fault(
        evidence_fault(Code::too_large, "a launch script of more than 1 MiB"));
  const std::vector<std::string> words = shell_words(s.text);
  const auto is_flag = [](const std::string& w) {
    return w.size() > 2 && w[0] == '-' && w[1] == '-' && w[2] >= 'a' && w[2] <= 'z';
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!is_flag(words[i])) continue;
    const std::size_t equals = words[i].find('=');
    if (equals != std::string::npos)
      s.take(words[i].substr(0, equals), words[i].substr(equals + 1));
    else
      s.take(words[i], i + 1 < words.size() && !is_flag(words[i + 1]) ? words[i + 1] : "");
  }
  if (s.account.used == 0)
    return Result<LaunchArguments>::fault(evidence_fault(
        Code::missing_key, "no argument of Megatron-LM found", "e.g. --num-layers 96 --hidden-size 12288"));
  if (!s.fault) s.settle();
  if (s.fault) return Result<LaunchArguments>::fault(*s.fault);
  return Result<LaunchArguments>::of(s.out);
}

namespace {

nlohmann::ordered_json scenario_of(const LaunchArguments& a) {
  using Json = nlohmann::ordered_json;
  const std::int64_t hidden = *a.hidden;
  const std::int64_t ffn = a.ffn_hidden.value_or(a.gated_ffn ? hidden * 8 / 3 / 64 * 64 : 4 * hidden);
  const std::int64_t dp = a.gpus ? *a.gpus / (a.tp * a.pp * a.cp) : 1;
  Json model = {{"layers", *a.layers}, {"hidden", hidden}, {"ffn_hidden", ffn}, {"heads", *a.heads}};
  if (a.kv_heads) model["kv_heads"] = *a.kv_heads;
  if (a.head_dim) model["head_dim"] = *a.head_dim;
  model["vocabulary"] = a.vocabulary.value_or(51200);
  model["gated_ffn"] = a.gated_ffn;
  model["tied_embeddings"] = a.tied_embeddings;
  Json parallel = {{"tp", a.tp},
                   {"cp", a.cp},
                   {"pp", a.pp},
                   {"dp", dp},
                   {"schedule", a.virtual_stages > 1 ? "interleaved-1f1b" : "1f1b"},
                   {"virtual_stages", a.virtual_stages},
                   {"zero", a.distributed_optimizer ? 1 : 0},
                   {"sequence_parallel", a.sequence_parallel},
                   {"recompute", a.recompute}};
  const std::int64_t micro = a.micro_batch.value_or(1);
  Json batch = {
      {"global", a.global_batch.value_or(micro * a.pp * dp)}, {"micro", micro}, {"sequence", *a.sequence}};
  return {{"prism", 1},     {"title", "Megatron-LM launch arguments"},
          {"model", model}, {"parallel", parallel},
          {"batch", batch}, {"cluster", {{"gpu", "h100-sxm"}}}};
}

}  // namespace

std::string launch_scenario(const LaunchArguments& a) { return scenario_of(a).dump(2) + "\n"; }

std::string launch_json(const LaunchArguments& a, const Account& account) {
  return evidence_dump({{"prism_evidence", 1},
                        {"kind", "launch_arguments"},
                        {"account", evidence_account(account)},
                        {"scenario", scenario_of(a)},
                        {"assumed", a.assumed},
                        {"not_modelled", a.not_modelled},
                        {"unknown", a.unknown}});
}

}  // namespace prism
