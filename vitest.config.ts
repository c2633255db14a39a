// SPDX-License-Identifier: Apache-2.0
// One command runs the page's parts (tests/web) and the real page in Chromium (tests/e2e).
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: { name: "web", include: ["tests/web/**/*.test.ts"], environment: "node", testTimeout: 30_000 },
      },
      {
        test: {
          name: "e2e",
          include: ["tests/e2e/**/*.test.ts"],
          environment: "node",
          // A guard against hanging, not a measure: on a busy machine axe alone has taken a minute.
          testTimeout: 180_000,
          hookTimeout: 60_000,
          // Two cores and one browser: files one after the other, or they would measure each other.
          fileParallelism: false,
        },
      },
    ],
  },
});
