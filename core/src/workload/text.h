// SPDX-License-Identifier: Apache-2.0
// Numbers in sentences for people.
#pragma once

#include <cstdio>
#include <string>

namespace prism::workload {

/// Three significant digits.
inline std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}
inline std::string rate_text(double bytes_per_s) { return number_text(bytes_per_s * 1e-9) + " GB/s"; }
inline std::string bytes_text(double bytes) {
  return bytes < 1e6   ? number_text(bytes * 1e-3) + " kB"
         : bytes < 1e9 ? number_text(bytes * 1e-6) + " MB"
                       : number_text(bytes * 1e-9) + " GB";
}
inline std::string seconds_text(double s) {
  return s < 1e-3 ? number_text(s * 1e6) + " us"
         : s < 1  ? number_text(s * 1e3) + " ms"
                  : number_text(s) + " s";
}

}  // namespace prism::workload
