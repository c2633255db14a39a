// SPDX-License-Identifier: Apache-2.0
// Before first paint, so that a chosen theme never flashes the other one. A file, for the content policy.
try {
  const theme = localStorage.getItem("prism.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // No storage: the system's theme.
}
