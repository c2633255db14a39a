# SPDX-License-Identifier: Apache-2.0
"""Writes streams.csv: keys, seeds and first words of random streams, computed apart from the core.

Keys are FNV-1a, mixed; a stream's seed mixes seed, block and key; words are PCG's XSH-RR 64/32 with the one fixed increment
(M. E. O'Neill, https://www.pcg-random.org), written here from the published definitions.

    python3 tests/golden/streams.py > tests/golden/streams.csv
"""
M = (1 << 64) - 1


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & M
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M
    return x ^ x >> 31


def name_key(name):
    h = 0xCBF29CE484222325
    for byte in name.encode(): h = (h ^ byte) * 0x100000001B3 & M
    return mix(h)


def member(key, index): return mix(key ^ mix(index ^ 0xD1B54A32D192ED03))
def state(seed, block, key): return member(member(mix(seed), block), key)


STEP, INCREMENT = 6364136223846793005, 1442695040888963407


def words(seed, n):
    s = ((seed + INCREMENT) * STEP + INCREMENT) & M  # how PCG's constructor takes a seed
    for _ in range(n):
        x = (s >> 18 ^ s) >> 27 & 0xFFFFFFFF
        r = s >> 59
        yield (x >> r | x << (32 - r)) & 0xFFFFFFFF
        s = (s * STEP + INCREMENT) & M


print("seed,block,name,index,key,stream,word0,word1,word2,word3")
for seed in (0, 1, 2, M):
    for block in (0, 1, 39):
        for name, index in (("", 0), ("compute", 0), ("compute", 1), ("communication", 511)):
            key = member(name_key(name), index)
            s = state(seed, block, key)
            print(seed, block, name, index, f"{key:016x}", f"{s:016x}", *(f"{w:08x}" for w in words(s, 4)), sep=",")
