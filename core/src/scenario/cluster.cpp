// SPDX-License-Identifier: Apache-2.0
// `cluster` and `cost_model`.
#include "scenario/parts.h"
#include "scenario/presets/presets.h"

namespace prism::scenario {
namespace {

constexpr std::string_view custom_gpu = "default";
// Slower than any machine, and far from where seconds overflow.
constexpr double least_rate = 1e-3, least_share = 1e-3;

void read_link(Section& cluster, std::string_view key, const PresetSection& gpu, Figure rate, Figure latency,
               Cluster::Link& to) {
  const Json* value = cluster.has(key) || !gpu.preset.empty() ? cluster.take(key) : cluster.require(key);
  if (!value && gpu.preset.empty()) return;
  Section s(cluster.notes(), value, cluster.at(key));
  constexpr std::string_view bytes = "per_gpu_gbyte_per_s", bits = "per_gpu_gbit_per_s";
  constexpr Limits<double> rates{least_rate, 1e6};
  double gbyte_per_s = 0, us = 0;
  if (s.has(bits)) {
    double gbit_per_s = 0;
    const bool good = s.real(bits, gbit_per_s, rates);
    if (s.take(bytes))
      s.fault_at(bits, Code::inconsistent,
                 in_quotes(bytes) + " and " + in_quotes(bits) + " give the same rate", "keep one of the two");
    s.echo = Json::object();
    gbyte_per_s = gbit_per_s / 8;
    if (good) {
      s.put_assumed(bytes, number(gbyte_per_s), "derived: " + std::string(bits) + " / 8");
      s.notes().compare(s.at(bytes), gbyte_per_s,
                        gpu.preset.empty() ? std::nullopt : std::optional(rate.value));
    }
  } else {
    s.take(bits);
    s.real(bytes, gbyte_per_s, rates, gpu.figure(rate.value, rate.source));
  }
  s.real("latency_us", us, {0, 1e6}, gpu.figure(latency.value, latency.source));
  s.finish();
  to = {gbyte_per_s * 1e9, us / 1e6};
  cluster.put(key, std::move(s.echo));
}

/// One number of the cost model: its key, its range, and where it goes.
struct Field {
  std::string_view key;
  Limits<double> limits;
  Figure CostModelPreset::*preset;
  double CostModel::*to;
  double per_unit;  ///< what the key's unit divides by
};
constexpr Limits<double> share{least_share, 1}, part{0, 1}, microseconds{0, 1e6}, bytes{0, 1000};
constexpr Field before_attention[] = {
    {"gemm_efficiency", share, &CostModelPreset::gemm_efficiency, &CostModel::gemm_efficiency, 1},
    {"gemm_overhead_us", microseconds, &CostModelPreset::gemm_overhead_us, &CostModel::gemm_overhead_s, 1e6},
    {"memory_efficiency", share, &CostModelPreset::memory_efficiency, &CostModel::memory_efficiency, 1},
};
constexpr Field after_attention[] = {
    {"attention_efficiency", share, &CostModelPreset::attention_efficiency, &CostModel::attention_efficiency,
     1},
    {"network_efficiency", share, &CostModelPreset::network_efficiency, &CostModel::network_efficiency, 1},
    {"layer_floor_us", microseconds, &CostModelPreset::layer_floor_us, &CostModel::layer_floor_s, 1e6},
    {"gradient_bytes", bytes, &CostModelPreset::gradient_bytes, &CostModel::gradient_bytes, 1},
    {"optimizer_bytes", bytes, &CostModelPreset::optimizer_bytes, &CostModel::optimizer_bytes, 1},
    {"tp_overlap", part, &CostModelPreset::tp_overlap, &CostModel::tp_overlap, 1},
    {"dp_overlap", part, &CostModelPreset::dp_overlap, &CostModel::dp_overlap, 1},
    {"pp_overlap", part, &CostModelPreset::pp_overlap, &CostModel::pp_overlap, 1},
};

/// `calibrate`: one measured step time, by its median or its mean.
void read_calibration(Section& cost_model, CostModel& to) {
  const Json* value = cost_model.take("calibrate");
  if (!value) return;
  Section s(cost_model.notes(), value, cost_model.at("calibrate"));
  constexpr std::string_view median = "median_step_s", mean = "mean_step_s";
  if (s.has(median) && s.has(mean)) {
    s.fault_at(mean, Code::inconsistent, in_quotes(median) + " and " + in_quotes(mean) + " are one too many",
               "keep one of the two");
    s.take(median);
    s.take(mean);
  } else if (s.has(mean)) {
    to.calibration = Calibration::mean;
    s.real(mean, to.calibrate_to_s, {1e-6, 1e9});
    s.take(median);
  } else {
    to.calibration = Calibration::median;
    s.real(median, to.calibrate_to_s, {1e-6, 1e9});
    s.take(mean);
  }
  s.finish();
  cost_model.put("calibrate", std::move(s.echo));
}

void read_cost_model(Section& root, std::string_view gpu, std::string_view precision, CostModel& to) {
  Section s(root.notes(), root.take("cost_model"), root.at("cost_model"));
  const CostModelPreset* preset = nullptr;
  for (const CostModelPreset& p : cost_model_presets())
    if (p.precision == precision && (p.gpu == gpu || (!preset && p.gpu == "other"))) preset = &p;
  const std::string origin = "default for " +
                             std::string(preset->gpu == "other" ? "GPUs without values of their own" : gpu) +
                             (precision == "bf16" ? "" : " in " + std::string(precision));
  const auto read = [&](const Field& f) {
    const Figure& figure = preset->*f.preset;
    double value = 0;
    s.real(f.key, value, f.limits, Assumed<double>{figure.value, origin, std::string(figure.source)});
    to.*f.to = value / f.per_unit;
  };
  for (const Field& f : before_attention) read(f);
  const Figure& flash = preset->flash_attention;
  s.boolean("flash_attention", to.flash_attention,
            Assumed<bool>{flash.value != 0, origin, std::string(flash.source)});
  for (const Field& f : after_attention) read(f);
  read_calibration(s, to);
  s.finish();
  root.put("cost_model", std::move(s.echo));
}

}  // namespace

void read_cluster(Section& root, Scenario& to, bool job) {
  if (!job) {
    Section s(root.notes(), root.take("cluster"), root.at("cluster"));
    s.integer("gpus_per_node", to.cluster.gpus_per_node, {1, 4096}, Assumed<std::int64_t>{8});
    constexpr std::string_view why = "with \"operators\" this has no effect: latencies are given";
    for (std::string_view key : {"gpu", "nvlink_domain", "intra_node", "inter_node"})
      refuse_key(s, key, Code::inconsistent, why, "leave it out");
    s.finish();
    root.put("cluster", std::move(s.echo));
    refuse_key(root, "cost_model", Code::inconsistent, why, "leave it out");
    return;
  }

  const Json* value = root.require("cluster");
  if (!value) {
    root.take("cost_model");
    return;
  }
  Section s(root.notes(), value, root.at("cluster"));
  const Json* gpu_value = s.require("gpu");
  if (!gpu_value) {
    for (std::string_view key : {"gpus_per_node", "nvlink_domain", "intra_node", "inter_node"}) s.take(key);
    s.finish();
    root.take("cost_model");
    return;
  }
  auto gpu = open_preset(root.notes(), *gpu_value, s.at("gpu"), preset_names(gpu_presets()), "a GPU preset");
  if (!gpu) {
    root.take("cost_model");
    return;
  }
  const GpuPreset none{}, *preset = find_preset(gpu_presets(), gpu->preset);
  const GpuPreset& p = preset ? *preset : none;
  const auto figure = [&](Figure f) { return gpu->figure(f.value, f.source); };
  Gpu& g = to.cluster.gpu;
  double tflops = 0, fp8 = 0, fp4 = 0, gib = 0, gbyte_per_s = 0;
  gpu->section.real("peak_tflops", tflops, {least_rate, 1e6}, figure(p.peak_tflops));
  // A GPU without such a rate is read without the key.
  const auto narrow = [&](std::string_view key, const Figure& preset_figure, double& rate) {
    if (preset_figure.value > 0 || gpu->section.has(key))
      gpu->section.real(key, rate, {least_rate, 1e6},
                        preset_figure.value > 0 ? figure(preset_figure) : std::nullopt);
    else
      gpu->section.take(key);
  };
  narrow("fp8_tflops", p.fp8_tflops, fp8);
  narrow("fp4_tflops", p.fp4_tflops, fp4);
  gpu->section.real("memory_gib", gib, {least_rate, 1e6}, figure(p.memory_gib));
  gpu->section.real("memory_gbyte_per_s", gbyte_per_s, {least_rate, 1e7}, figure(p.memory_gbyte_per_s));
  gpu->section.finish();
  const bool same = preset && tflops == p.peak_tflops.value && fp8 == p.fp8_tflops.value &&
                    fp4 == p.fp4_tflops.value && gib == p.memory_gib.value &&
                    gbyte_per_s == p.memory_gbyte_per_s.value;
  g.name = preset ? gpu->preset + (same ? "" : " (changed)") : "custom";
  const double rate = to.precision == "fp8" ? fp8 : to.precision == "fp4" ? fp4 : tflops;
  if (rate == 0 && tflops > 0)
    root.fault_at("precision", Code::inconsistent, "the GPU has no dense rate in " + to.precision,
                  "take bf16, or give \"" + to.precision + "_tflops\" of the GPU");
  g.peak_flops = rate * 1e12;
  g.attention_peak_flops = tflops * 1e12;
  g.memory_bytes = gib * 1073741824.0;
  g.memory_bytes_per_s = gbyte_per_s * 1e9;
  s.put("gpu", std::move(gpu->section.echo));

  const std::int64_t per_node = preset ? static_cast<std::int64_t>(p.gpus_per_node.value) : 8;
  s.integer("gpus_per_node", to.cluster.gpus_per_node, {1, 4096},
            preset ? gpu->figure(per_node, p.gpus_per_node.source)
                   : Assumed<std::int64_t>{per_node, std::string(custom_gpu)});
  const std::int64_t domain = preset ? static_cast<std::int64_t>(p.nvlink_domain.value) : 0;
  const bool whole_node = !preset || (domain == per_node && to.cluster.gpus_per_node != per_node);
  s.integer("nvlink_domain", to.cluster.nvlink_domain, {1, 4096},
            whole_node ? Assumed<std::int64_t>{to.cluster.gpus_per_node, "derived: gpus_per_node"}
                       : *gpu->figure(domain, p.nvlink_domain.source));
  read_link(s, "intra_node", *gpu, p.intra_node_gbyte_per_s, p.intra_node_latency_us, to.cluster.intra_node);
  read_link(s, "inter_node", *gpu, p.inter_node_gbyte_per_s, p.inter_node_latency_us, to.cluster.inter_node);
  s.finish();
  root.put("cluster", std::move(s.echo));
  read_cost_model(root, gpu->preset, to.precision, to.cost_model);
}

}  // namespace prism::scenario
