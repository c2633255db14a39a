// SPDX-License-Identifier: Apache-2.0
// Imports that Vite answers at build time.
declare module "*?raw" {
  const text: string;
  export default text;
}
declare module "*?url" {
  const url: string;
  export default url;
}
declare module "*.css" {}
interface ImportMeta {
  glob<T>(
    pattern: string | string[],
    options: { query?: string; import?: string; eager: true },
  ): Record<string, T>;
  glob<T>(
    pattern: string | string[],
    options?: { query?: string; import?: string; eager?: false },
  ): Record<string, () => Promise<T>>;
}
