// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "prism/report.h"

namespace prism {

std::string model_import_json(std::string_view config, std::int64_t virtual_stages) {
  using nlohmann::ordered_json;
  const auto imported = read_hugging_face(config);
  if (!imported) return R"({"ok":false,"errors":)" + diagnostics_json(imported.diagnostics) + "}";
  ordered_json out = {{"ok", true},
                      {"model", ordered_json::parse(model_json(imported->model))},
                      {"account", ordered_json::array()},
                      {"left_out", imported->left_out},
                      {"layers", ordered_json::array()}};
  for (const ModelImport::Entry& e : imported->account)
    out["account"].push_back({{"field", e.field}, {"value", e.value}, {"from", e.from}});
  for (const LayerSpread& s : layer_spreads(imported->model.layers, virtual_stages))
    out["layers"].push_back({{"rule", s.rule},
                             {"condition", s.condition},
                             {"layers_per_virtual_stage", s.layers_per_virtual_stage}});
  // Names and values quoted from the file need not be UTF-8.
  return out.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace prism
