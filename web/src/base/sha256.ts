// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), synchronous. The browser's own digest is a promise, and a link must be ready within the
// click that copies it: Safari and Firefox refuse the clipboard after an await.

/** Round constants: first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const K: Uint32Array = (() => {
  const k = new Uint32Array(64);
  let found = 0;
  for (let n = 2; found < 64; n++) {
    let prime = true;
    for (let q = 2; q * q <= n && prime; q++) prime = n % q !== 0;
    if (prime) k[found++] = (Math.cbrt(n) % 1) * 2 ** 32;
  }
  return k;
})();

type State = [number, number, number, number, number, number, number, number];

const rotate = (x: number, n: number) => (x >>> n) | (x << (32 - n));

/** The digest as 64 lower-case hex digits. */
export function sha256(bytes: Uint8Array): string {
  const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);

  const h = Uint32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  );
  const w = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(at + 4 * i);
    for (let i = 16; i < 64; i++) {
      const a = w[i - 15]!;
      const b = w[i - 2]!;
      const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
      const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
      w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
    }
    let [a, b, c, d, e, f, g, y] = h as unknown as State;
    for (let i = 0; i < 64; i++) {
      const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
      const t1 = (y + s1 + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0;
      const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      y = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    [a, b, c, d, e, f, g, y].forEach((v, i) => {
      h[i] = h[i]! + v;
    });
  }
  return Array.from(h, (v) => v.toString(16).padStart(8, "0")).join("");
}
