// SPDX-License-Identifier: Apache-2.0

/** A fresh seed, short enough to read out. Any 64-bit seed may be typed. */
export function freshSeed(): string {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]! % 1_000_000);
}
