// SPDX-License-Identifier: Apache-2.0
// Calendar dates in UTC, proleptic Gregorian, without leap seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace prism {

/// Minutes since 1970-01-01T00:00 of "2026-01-31" or "2026-01-31T09:00"; none if it is no date from 1970 to
/// 2999.
std::optional<std::int64_t> minutes_of(std::string_view date);
/// "2026-01-31T09:00"
std::string date_of(std::int64_t minutes);

}  // namespace prism
