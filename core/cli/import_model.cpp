// SPDX-License-Identifier: Apache-2.0
// prism import-model
#include <iostream>

#include "commands.h"
#include "format.h"

namespace prism::cli {
namespace {

/// 2, 2, 2, 1 as "3 × 2, 1".
std::string runs(const std::vector<std::int64_t>& list) {
  std::string out;
  for (std::size_t i = 0; i < list.size();) {
    std::size_t j = i;
    while (j < list.size() && list[j] == list[i]) ++j;
    out += (out.empty() ? "" : ", ") + (j - i > 1 ? std::to_string(j - i) + " × " : "") +
           std::to_string(list[i]);
    i = j;
  }
  return out;
}

void print_spreads(std::int64_t layers, std::int64_t stages) {
  std::cerr << "\n" << layers << " layers over " << stages << " virtual stages (layers_per_virtual_stage)\n";
  std::vector<std::vector<std::string>> rows;
  for (const LayerSpread& s : layer_spreads(layers, stages)) {
    const bool fits = !s.layers_per_virtual_stage.empty();
    rows.push_back({std::string(s.rule) + ": " +
                    (fits ? runs(s.layers_per_virtual_stage) : "refused, " + std::string(s.condition))});
  }
  std::cerr << table(rows);
}

}  // namespace

// The model goes to the standard output, to be put into a scenario; what is said about it to the other one.
int import_model(const ModelImportOptions& options) {
  const auto input = read_input(options.file, {}, false);
  if (!input) return refused;
  const auto imported = read_hugging_face(input->text);
  if (!imported) {
    for (const Diagnostic& d : imported.diagnostics) std::cerr << diagnostic_text(d, *input) << "\n";
    return refused;
  }
  std::cout << model_json(imported->model) << "\n";
  std::vector<std::vector<std::string>> rows;
  for (const ModelImport::Entry& e : imported->account)
    rows.push_back({e.field + (e.value.empty() ? "" : " = " + e.value) + ": " + e.from});
  std::cerr << "Where it comes from\n" << printable(table(rows), true);
  if (!imported->left_out.empty()) std::cerr << "\nLeft out\n";
  for (const std::string& part : imported->left_out) std::cerr << "  " << printable(part) << "\n";
  if (options.stages > 0) print_spreads(imported->model.layers, options.stages);
  return done;
}

}  // namespace prism::cli
