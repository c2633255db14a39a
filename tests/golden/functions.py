# SPDX-License-Identifier: Apache-2.0
"""Writes functions.csv: exp, expm1, log and log1p at awkward points, 60 digits by mpmath (https://mpmath.org).

Arguments are doubles in hexadecimal, so that the reference belongs to exactly the number the core sees.

    python3 tests/golden/functions.py > tests/golden/functions.csv
"""
import math
import random

from mpmath import mp, mpf

mp.dps = 60
random.seed(20240501)
TINY = [5e-324, 1e-320, 2.2250738585072014e-308, 1e-300, 1e-100, 1e-20, 1e-17, 1.1e-16, 2.3e-16, 1e-10, 1e-5, 1e-3]
NEAR_ONE = [1 + s * 2.0 ** -k for k in (52, 40, 30, 20, 10, 5, 3, 2) for s in (1, -1)]
HALF_LOG_2 = [s * 0.5 * math.log(2) * (2 * j + 1) * (1 + d) for j in (0, 1, 2, 50) for d in (-1e-15, 0, 1e-15) for s in (1, -1)]
SQRT_2 = [math.sqrt(2) * 2.0 ** k * (1 + d) for k in (-3, -1, 0, 1, 50) for d in (-2e-16, 0, 2e-16)]
SPREAD = [random.uniform(-1, 1) for _ in range(40)] + [random.uniform(-40, 40) for _ in range(40)]
WIDE = [random.uniform(-744, 709) for _ in range(40)] + [709.7, 709.78, -707.5, -708.5, -740.1, -744.9, -745.1]

POINTS = {
    "exp": (mp.exp, [0.0, 1.0, -1.0] + TINY + [-t for t in TINY] + HALF_LOG_2 + SPREAD + WIDE),
    "expm1": (mp.expm1, [1.0, -1.0] + TINY + [-t for t in TINY] + HALF_LOG_2 + SPREAD + [x for x in WIDE if x > 0]),
    "log": (mp.log, TINY + NEAR_ONE + SQRT_2 + [abs(x) for x in SPREAD] + [math.exp(x) for x in WIDE if x > -700] + [1.7e308]),
    "log1p": (mp.log1p, TINY + [-t for t in TINY] + [x - 1 for x in NEAR_ONE] + [x for x in SPREAD if x > -1] +
              [math.sqrt(2) - 1, math.sqrt(0.5) - 1, -1 + 2.0 ** -53, 1e15, 1e16, 1e17, 1e300]),
}
print("function,argument,reference")
for name, (function, arguments) in POINTS.items():
    for x in arguments:
        print(f"{name},{float(x).hex()},{mp.nstr(function(mpf(x)), 25, min_fixed=1, max_fixed=0)}")
