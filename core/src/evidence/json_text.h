// SPDX-License-Identifier: Apache-2.0
// What this room writes as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "prism/evidence.h"
#include "prism/evidence_prediction.h"

namespace prism {

nlohmann::ordered_json evidence_account(const Account& account);
nlohmann::ordered_json evidence_judgement(const Judgement& judgement);
std::string evidence_dump(const nlohmann::ordered_json& value);

}  // namespace prism
