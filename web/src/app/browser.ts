// SPDX-License-Identifier: Apache-2.0
// The browser's side of the controller: address bar and storage. Storage may be forbidden; then nothing is kept.
import { isObject } from "../base/json";
import type { Surroundings } from "./controller";
import type { Answer } from "./state";
import { version } from "./version";

/** Undefined where nothing was kept, or it is forbidden or damaged. */
function read(storage: () => Storage, key: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(storage().getItem(key) ?? "null");
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function write(storage: () => Storage, key: string, value: object | null) {
  try {
    if (value) storage().setItem(key, JSON.stringify(value));
    else storage().removeItem(key);
  } catch {
    // Forbidden or full.
  }
}

/** Keeps nothing: so it is in another page's frame. */
export const browser: Surroundings = {
  now: () => performance.now(),
  fragment: () => location.hash,
  replaceFragment: (fragment) =>
    history.replaceState(null, "", location.pathname + location.search + fragment),
  draft: { load: () => null, save() {} },
  pinned: { load: () => null, save() {} },
};

const draft_key = "prism.draft";
const pinned_key = "prism.pinned";
const local = () => localStorage;
const ofTab = () => sessionStorage;

export const stored: Pick<Surroundings, "draft" | "pinned"> = {
  draft: {
    load() {
      const { text, fragment } = read(local, draft_key) ?? {};
      return typeof text === "string" && typeof fragment === "string" ? { text, fragment } : null;
    },
    save: (draft) => write(local, draft_key, draft),
  },
  pinned: {
    load() {
      const kept = read(ofTab, pinned_key);
      // Another version's result may lack what this one reads.
      const ours = isObject(kept?.result) && kept.result.engine_version === version;
      return ours ? (kept as unknown as Answer) : null;
    },
    save: (pinned) => write(ofTab, pinned_key, pinned),
  },
};

export type Theme = "system" | "light" | "dark";
const theme_key = "prism.theme";

export function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}

export function applyTheme(theme: Theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem(theme_key);
    else localStorage.setItem(theme_key, theme);
  } catch {
    // Forbidden: it lasts until the page is left.
  }
}

/** A link's fragment on this page, from https: on. */
export const whole = (fragment: string) => location.origin + location.pathname + fragment;

/** Hands a file to the user. */
export function download(name: string, type: string, content: BlobPart) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A drawing as a picture, at twice its size: sharp on slides. */
export async function png(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = 2 * image.naturalWidth;
    canvas.height = 2 * image.naturalHeight;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), "image/png"),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** A file name from a title: letters, digits and hyphens. */
export function fileName(title: string, suffix: string): string {
  const stem = title
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .toLowerCase()
    .slice(0, 60);
  return `${stem || "prism"}-${suffix}`;
}
