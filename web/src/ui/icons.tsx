// SPDX-License-Identifier: Apache-2.0
// Line icons on a 20-unit grid, always beside or inside something that has a name.
const paths = {
  examples: "M3 3h6v6H3zM11 3h6v6h-6zM3 11h6v6H3zM11 11h6v6h-6z",
  lessons: "M2 8l8-4 8 4-8 4zM5 9.500V14c3 2 7 2 10 0V9.500M18 8v5",
  undo: "M8 4 4 8l4 4M4 8h8a4 4 0 0 1 0 8H9",
  redo: "m12 4 4 4-4 4m4-4H8a4 4 0 0 0 0 8h3",
  open: "M3 16V4h5l2 2h7v3M3 16l2.500-7H19l-2.500 7z",
  share: "M10 13V3m0 0L6.500 6.500M10 3l3.500 3.500M4 10v7h12v-7",
  system: "M3 4h14v9H3zm4 13h6m-3-4v4",
  light:
    "M10 6.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM10 1.500v2m0 13v2m8.500-8.500h-2m-13 0h-2m14-6-1.400 1.400M5.400 14.600 4 16m12 0-1.400-1.400M5.400 5.400 4 4",
  dark: "M16.500 12A7 7 0 0 1 8 3.500 7 7 0 1 0 16.500 12z",
  die: "M4 4h12v12H4zM7.500 7.500h.010M12.500 12.500h.010M12.500 7.500h.010M7.500 12.500h.010",
  copy: "M7 7V3h10v10h-4M3 7h10v10H3z",
  download: "M10 3v10m0 0 3.500-3.500M10 13 6.500 9.500M4 17h12",
  close: "m5 5 10 10M15 5 5 15",
  minus: "M5 10h10",
  plus: "M5 10h10M10 5v10",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  );
}
