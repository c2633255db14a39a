// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), synchronous. The browser's own digest is a promise, and a link must be ready within the
// click that copies it: Safari and Firefox refuse the clipboard after an await.

/** Round constants: first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const K: Int32Array = (() => {
  const k = new Int32Array(64);
  let found = 0;
  for (let n = 2; found < 64; n++) {
    let prime = true;
    for (let q = 2; q * q <= n && prime; q++) prime = n % q !== 0;
    if (prime) k[found++] = (Math.cbrt(n) % 1) * 2 ** 32;
  }
  return k;
})();

const w = new Int32Array(64);

/**
 * One block of 64 bytes. A function of its own with the rotations written out: it is compiled after a few calls, while a
 * link that is opened is often the first thing that is hashed.
 */
function compress(h: Int32Array, bytes: Uint8Array, at: number) {
  for (let i = 0, j = at; i < 16; i++, j += 4)
    w[i] = (bytes[j]! << 24) | (bytes[j + 1]! << 16) | (bytes[j + 2]! << 8) | bytes[j + 3]!;
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0;
  }
  let a = h[0]!;
  let b = h[1]!;
  let c = h[2]!;
  let d = h[3]!;
  let e = h[4]!;
  let f = h[5]!;
  let g = h[6]!;
  let y = h[7]!;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t1 = (y + s1 + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
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
  h[0]! += a;
  h[1]! += b;
  h[2]! += c;
  h[3]! += d;
  h[4]! += e;
  h[5]! += f;
  h[6]! += g;
  h[7]! += y;
}

/** The digest as 64 lower-case hex digits. */
export function sha256(bytes: Uint8Array): string {
  const padded = new Uint8Array(((bytes.length + 8) >> 6) * 64 + 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);

  const h = Int32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  );
  for (let at = 0; at < padded.length; at += 64) compress(h, padded, at);
  return Array.from(h, (v) => (v >>> 0).toString(16).padStart(8, "0")).join("");
}
