// SPDX-License-Identifier: Apache-2.0
#include "workload/flops.h"

#include "workload/parameters.h"

namespace prism::workload {

Flops step_flops(const Scenario& scenario) {
  const Model& model = *scenario.model;
  const double sequences = static_cast<double>(scenario.batch.global);
  const double s = static_cast<double>(scenario.batch.sequence), tokens = sequences * s;
  const double layers = static_cast<double>(model.layers), h = static_cast<double>(model.hidden);
  const double plain = static_cast<double>(model.experts ? model.experts->dense_first : model.layers);

  double products = 2 * tokens * plain * layer_products(model, false);
  if (model.experts) products += 2 * tokens * (layers - plain) * layer_products(model, true);
  const HeadWidths heads = head_widths(model, 1);
  const double scores = 2 * sequences * s * s * layers * heads.heads * (heads.query + heads.value);
  const double head = 2 * tokens * h * static_cast<double>(model.vocabulary);
  const double padded_head =
      2 * tokens * h * static_cast<double>(padded_vocabulary(model.vocabulary, scenario.parallel.tp));

  const bool flash = scenario.cost_model.flash_attention;
  const double attention_forward = flash ? scores / 2 : scores;
  // Flash computes the scores again: five products backward for two forward.
  const double attention_backward = (flash ? 2.5 : 2) * attention_forward;

  Flops flops;
  flops.model = 3 * (products + scores / 2 + head);
  flops.hardware = 3 * (products + padded_head) + attention_forward + attention_backward;
  if (scenario.parallel.recompute == Recompute::full) flops.hardware += products + attention_forward;
  if (scenario.parallel.recompute == Recompute::selective) flops.hardware += attention_forward;
  return flops;
}

}  // namespace prism::workload
