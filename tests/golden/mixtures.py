# SPDX-License-Identifier: Apache-2.0
"""Writes mixtures.csv: quantiles of three mixtures, 40 digits by mpmath (https://mpmath.org), by bisection.

    python3 tests/golden/mixtures.py > tests/golden/mixtures.csv
"""
from mpmath import mp, mpf, erfc, exp, gammainc, inf, log, log1p, sqrt

mp.dps = 40


def lognormal(median, cv):
    s = sqrt(log1p(mpf(cv) ** 2))
    upper = lambda z: erfc(z / sqrt(2)) / 2
    return (lambda x: upper(-log(x / median) / s)), (lambda x: upper(log(x / median) / s))


def gamma(mean, cv):
    k = 1 / mpf(cv) ** 2
    return (lambda x: gammainc(k, 0, x * k / mean, regularized=True)), (lambda x: gammainc(k, x * k / mean, inf, regularized=True))


def exponential(mean):
    return (lambda x: -mp.expm1(-x / mean)), (lambda x: exp(-x / mean))


def bisect(rising):
    low, high = mpf(-60), mpf(12)
    while high - low > mpf(10) ** -30:
        middle = (low + high) / 2
        if rising(exp(middle)) < 0: low = middle
        else: high = middle
    return exp(low)


MIXTURES = {
    "two modes": [("0.95", lognormal(mpf(1), "0.1")), ("0.05", lognormal(mpf("1.6"), "0.05"))],
    "far modes": [("0.7", lognormal(mpf(1), "0.02")), ("0.3", lognormal(mpf(3), "0.02"))],
    "unlike": [("0.5", gamma(mpf(1), "0.5")), ("0.3", exponential(mpf(2))), ("0.2", gamma(mpf(1), "2"))],
}
print("mixture,side,mass,reference")
for name, parts in MIXTURES.items():
    for p in map(mpf, ["1e-6", "1e-3", "0.05", "0.25", "0.45"]):
        x = bisect(lambda v: log(sum(mpf(w) * part[0](v) for w, part in parts) / p))
        print(name, "lower", mp.nstr(p, 8), mp.nstr(x, 20), sep=",")
    for q in map(mpf, ["0.45", "0.25", "0.05", "1e-3", "1e-6", "1e-9", "1e-12"]):
        x = bisect(lambda v: log(q / sum(mpf(w) * part[1](v) for w, part in parts)))
        print(name, "upper", mp.nstr(q, 8), mp.nstr(x, 20), sep=",")
