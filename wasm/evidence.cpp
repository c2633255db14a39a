// SPDX-License-Identifier: Apache-2.0
// Reading what others wrote (evidence.d.ts), evidence and models: a module of its own, which who only runs
// scenarios does not download.
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "binding.h"
#include "prism/evidence_import.h"
#include "prism/report.h"

namespace {

using emscripten::val;

int last_handle = 0;
std::map<int, prism::EvidenceImport> imports;

prism::EvidenceImport& import_of(int handle) {
  const auto found = imports.find(handle);
  if (found == imports.end()) throw std::invalid_argument("unknown import " + std::to_string(handle));
  return found->second;
}

int import_begin(const std::string& kind) {
  imports.emplace(++last_handle, prism::EvidenceImport(kind));
  return last_handle;
}

bool import_piece(int handle, const val& array) {
  // Kept between pieces, because a new one would be filled with zeros first.
  static std::vector<std::byte> piece;
  const auto length = array["length"].as<std::size_t>();
  if (piece.size() < length) piece.resize(length);
  view(piece).call<void>("set", array);
  return import_of(handle).feed({reinterpret_cast<const char*>(piece.data()), length});
}

std::string import_found(int handle) { return import_of(handle).found(); }

std::string import_rest(int handle, const std::string& title) { return import_of(handle).rest(title); }

std::string import_timeline(int handle) { return import_of(handle).timeline(); }

void import_end(int handle) {
  import_of(handle);
  imports.erase(handle);
}

std::string import_model(const std::string& config, double virtual_stages) {
  if (!(virtual_stages >= 1 && virtual_stages <= 1e6))
    throw std::out_of_range("virtual stages from 1 to 1000000");
  return prism::model_import_json(config, static_cast<std::int64_t>(virtual_stages));
}

}  // namespace

EMSCRIPTEN_BINDINGS(prism_evidence) {
  emscripten::function("import_begin", &Guarded<import_begin>::call);
  emscripten::function("import_piece", &Guarded<import_piece>::call);
  emscripten::function("import_found", &Guarded<import_found>::call);
  emscripten::function("import_rest", &Guarded<import_rest>::call);
  emscripten::function("import_timeline", &Guarded<import_timeline>::call);
  emscripten::function("import_end", &Guarded<import_end>::call);
  emscripten::function("import_model", &Guarded<import_model>::call);
}
