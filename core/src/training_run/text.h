// SPDX-License-Identifier: Apache-2.0
// Numbers in warnings.
#pragma once

#include <cstdio>
#include <string>

namespace prism::training {

inline std::string rounded(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

inline std::string duration(double s) {
  if (s < 120) return rounded(s) + " s";
  if (s < 7200) return rounded(s / 60) + " minutes";
  if (s < 172800) return rounded(s / 3600) + " hours";
  return rounded(s / 86400) + " days";
}

}  // namespace prism::training
