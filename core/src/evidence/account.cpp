// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "evidence/json_text.h"
#include "prism/evidence.h"

namespace prism {

double quantile_of_sorted(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(at);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

std::string account_json(const Account& account) { return evidence_dump(evidence_account(account)); }

nlohmann::ordered_json evidence_account(const Account& a) {
  nlohmann::ordered_json out = {
      {"format", a.format}, {"bytes", a.bytes}, {"records", a.records}, {"used", a.used}};
  const auto counts = [](const std::vector<Account::Count>& list) {
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    for (const Account::Count& c : list) array.push_back({{"what", c.what}, {"count", c.count}});
    return array;
  };
  out["ignored"] = counts(a.ignored);
  out["kinds"] = counts(a.kinds);
  out["notes"] = a.notes;
  return out;
}

std::string evidence_dump(const nlohmann::ordered_json& value) {
  // Names come from files: bytes that are no UTF-8 are replaced, not thrown at.
  return value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace prism
