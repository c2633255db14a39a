# SPDX-License-Identifier: Apache-2.0
"""Writes quantiles.csv: reference numbers for the distribution families, 50 digits by mpmath (https://mpmath.org).

It shares nothing with the core: distribution functions come from erfc and the incomplete gamma function, and
quantiles, shapes and truncations are solved by bisection at high precision. Run it only to add rows:

    python3 tests/golden/quantiles.py > tests/golden/quantiles.csv
"""
from mpmath import mp, mpf, erfc, exp, expm1, findroot, gamma, gammainc, inf, log, log1p, loggamma, sqrt

mp.dps = 50
LOWER = [mpf(10) ** -6, mpf(10) ** -3, mpf("0.05"), mpf("0.25")]
UPPER = [mpf("0.5"), mpf("0.25"), mpf("0.05"), mpf(10) ** -3, mpf(10) ** -6, mpf(10) ** -9, mpf(10) ** -12]


def bisect(rising, low, high):
    """Where the increasing function `rising` crosses 0."""
    assert rising(low) <= 0 <= rising(high)
    while high - low > mpf(10) ** -40 * max(abs(high), abs(low), mpf(10) ** -400):
        middle = (low + high) / 2
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


class Law:
    """lower(x), upper(x), mean, sd; `quantile` by bisection in log x."""

    def quantile(self, lower=None, upper=None):
        if lower is not None:
            rising = lambda t: log(self.lower(exp(t)) / lower)
        else:
            rising = lambda t: log(upper / self.upper(exp(t)))
        return exp(bisect(rising, log(self.mean) - self.reach, log(self.mean) + self.reach))

    reach = 30
    def median(self): return self.quantile(upper=mpf(1) / 2)
    def p95(self): return self.quantile(upper=mpf("0.05"))


def normal_upper(z): return erfc(z / sqrt(2)) / 2


class Normal(Law):
    def __init__(self, location, scale):
        self.m, self.s = location, scale
        a = -location / scale
        self.kept = normal_upper(a)
        hazard = exp(-a * a / 2) / sqrt(2 * mp.pi) / self.kept
        self.mean = scale * (hazard - a)
        self.sd = scale * sqrt(1 + a * hazard - hazard ** 2)
    def upper(self, x): return normal_upper((x - self.m) / self.s) / self.kept
    def lower(self, x):
        # A difference of two tails, taken on the side where both are small.
        side = 1 if self.m > 0 else -1
        return side * (normal_upper(-side * (x - self.m) / self.s) - normal_upper(side * self.m / self.s)) / self.kept


class Lognormal(Law):
    def __init__(self, median, log_sd):
        self.m, self.s = median, log_sd
        self.mean = median * exp(log_sd ** 2 / 2)
        self.sd = self.mean * sqrt(expm1(log_sd ** 2))
    def upper(self, x): return normal_upper(log(x / self.m) / self.s)
    def lower(self, x): return normal_upper(-log(x / self.m) / self.s)


class Gamma(Law):
    reach = 400
    def __init__(self, shape, scale):
        self.k, self.c = shape, scale
        self.mean, self.sd = shape * scale, sqrt(shape) * scale
    def quantile(self, lower=None, upper=None):
        if self.k < 10: return Law.quantile(self, lower, upper)
        # For large shapes the incomplete gamma function is slow: secants from Wilson and Hilferty's approximation.
        z = bisect(lambda t: normal_upper(-t) - lower if lower else upper - normal_upper(t), mpf(-10), mpf(10))
        start = self.mean * (1 - 1 / (9 * self.k) + z / (3 * sqrt(self.k))) ** 3
        miss = (lambda x: log(self.lower(x) / lower)) if lower else (lambda x: log(self.upper(x) / upper))
        return findroot(miss, (start, start * (1 + mpf("1e-3") / sqrt(self.k))), solver="secant", tol=mpf(10) ** -40)
    def lower(self, x):
        x /= self.c
        if self.k < 10: return gammainc(self.k, 0, x, regularized=True)
        term, total, n = mpf(1), mpf(1), 1
        while term > mpf(10) ** -50 * total:
            term *= x / (self.k + n)
            total += term
            n += 1
        return exp(self.k * log(x) - x - loggamma(self.k + 1)) * total
    def upper(self, x):
        if self.k < 10: return gammainc(self.k, x / self.c, inf, regularized=True)
        return 1 - self.lower(x)


class Closed(Law):
    """Quantile by formula; y is minus the log of the upper mass."""
    def quantile(self, lower=None, upper=None):
        return self.of(-log1p(-lower) if lower is not None else -log(upper))


class Weibull(Closed):
    def __init__(self, shape, scale):
        self.of = lambda y: scale * y ** (1 / shape)
        self.mean = scale * gamma(1 + 1 / shape)
        self.sd = scale * sqrt(gamma(1 + 2 / shape) - gamma(1 + 1 / shape) ** 2)


class Uniform(Closed):
    def __init__(self, low, high):
        self.of = lambda y: low + (high - low) * -expm1(-y)
        self.mean, self.sd = (low + high) / 2, (high - low) / sqrt(12)


class ShiftedExponential(Closed):
    def __init__(self, shift, scale):
        self.of = lambda y: shift + scale * y
        self.mean, self.sd = shift + scale, scale


class Exponential(ShiftedExponential):
    def __init__(self, mean): ShiftedExponential.__init__(self, mpf(0), mean)


class Pareto(Closed):
    def __init__(self, minimum, shape):
        self.of = lambda y: minimum * exp(y / shape)
        self.mean = shape * minimum / (shape - 1)
        self.sd = self.mean / sqrt(shape * (shape - 2)) if shape > 2 else inf


class Gpd(Closed):
    def __init__(self, location, scale, shape):
        self.of = lambda y: location + (scale * expm1(shape * y) / shape if shape else scale * y)
        self.mean = location + scale / (1 - shape)
        self.sd = scale / (1 - shape) / sqrt(1 - 2 * shape) if shape < 0.5 else inf


def cv(law): return law.sd / law.mean
def tail(law): return law.p95() / law.median()


def scale_family(unit, feature, low, high):
    """Pairs for laws unit(shape) of any size: find the shape with the feature (monotone in it), then the scale."""
    def solve(target, by):
        sign = 1 if by(unit(exp(high), mpf(1))) > by(unit(exp(low), mpf(1))) else -1
        return exp(bisect(lambda t: sign * log(by(unit(exp(t), mpf(1))) / target), low, high))
    def make(a, b):
        shape = solve(b / a if feature == "median+p95" else b, tail if feature == "median+p95" else cv)
        one = unit(shape, mpf(1))
        return unit(shape, a / (one.mean if feature == "mean+cv" else one.median()))
    return make


ROWS = []


def row(family, names, law, *values):
    values = [mpf(v) for v in values]
    law = law(*values)
    cells = [family, names, " ".join(mp.nstr(v, 17) for v in values)]
    ROWS.append(cells + ["mean", "", mp.nstr(law.mean, 20)])
    ROWS.append(cells + ["sd", "", mp.nstr(law.sd, 20)])
    for p in LOWER: ROWS.append(cells + ["lower", mp.nstr(p, 17), mp.nstr(law.quantile(lower=p), 20)])
    for q in UPPER: ROWS.append(cells + ["upper", mp.nstr(q, 17), mp.nstr(law.quantile(upper=q), 20)])


for pair in [(100, 1), ("0.003", "0.0005"), (1, "0.12"), (1, "0.3"), (1, 1), (0, 1), (-3, 1), (-50, 2)]:
    row("normal", "location+scale", Normal, *pair)
row("normal", "mean+cv", lambda m, c: Normal(m, c * m), "0.002", "0.01")  # cut-off below 1e-2000
truncated = lambda a, scale: Normal((mpf(10) - a) * scale, scale)  # a = 10 + shift, so that it is positive
for c in ["0.2", "0.5", "0.9"]:
    row("normal", "mean+cv", scale_family(truncated, "mean+cv", log(mpf("0.01")), log(mpf(60))), 2, c)
row("normal", "median+p95", scale_family(truncated, "median+p95", log(mpf("0.01")), log(mpf(60))), 1, "2.5")
row("normal", "median+cv", scale_family(truncated, "median+cv", log(mpf("0.01")), log(mpf(60))), 1, "0.7")

lognormal_cv = lambda c: sqrt(log1p(c * c))
for c in ["0.001", "0.05", "0.5", "1", "3"]:
    row("lognormal", "mean+cv", lambda m, v: Lognormal(m * exp(-lognormal_cv(v) ** 2 / 2), lognormal_cv(v)), 2, c)
z95 = bisect(lambda z: log(mpf("0.05") / normal_upper(z)), mpf(0), mpf(5))
row("lognormal", "median+p95", lambda m, p: Lognormal(m, log(p / m) / z95), 1, "1.25")
row("lognormal", "median+log_sd", Lognormal, "0.001", "0.2")
row("lognormal", "median+cv", lambda m, v: Lognormal(m, lognormal_cv(v)), 1, "0.15")

for pair in [(1, 1), ("0.5", 3), (32, "0.125"), (10000, 1)]: row("gamma", "shape+scale", Gamma, *pair)
for c in ["0.001", "0.05", "0.5", "2", "3"]: row("gamma", "mean+cv", lambda m, v: Gamma(1 / v ** 2, m * v * v), 2, c)
row("gamma", "median+cv", scale_family(Gamma, "median+cv", log(mpf("0.05")), log(mpf(100))), 1, "0.25")
for p in ["1.1", "2.5", "20"]:
    row("gamma", "median+p95", scale_family(Gamma, "median+p95", log(mpf("0.05")), log(mpf(1000))), 1, p)

for pair in [(1, 1), ("0.5", 3), (10, "0.125")]: row("weibull", "shape+scale", Weibull, *pair)
for c in ["0.001", "0.05", "0.5", "1", "3"]:
    row("weibull", "mean+cv", scale_family(Weibull, "mean+cv", log(mpf("0.2")), log(mpf(3000))), 2, c)
row("weibull", "median+cv", scale_family(Weibull, "median+cv", log(mpf("0.2")), log(mpf(3000))), 1, "0.25")
row("weibull", "median+p95", scale_family(Weibull, "median+p95", log(mpf("0.2")), log(mpf(3000))), 1, "1.5")

row("uniform", "low+high", Uniform, 0, 1)
row("uniform", "low+high", Uniform, 3, 5)
row("uniform", "median+p95", lambda m, p: Uniform(m - (p - m) / mpf("0.9"), m + (p - m) / mpf("0.9")), 1, "1.5")
for names in ["mean+cv", "median+cv"]:
    row("uniform", names, lambda m, v: Uniform(m - m * v * sqrt(3), m + m * v * sqrt(3)), 2, "0.3")

row("exponential", "mean", Exponential, 3)
row("exponential", "median", lambda m: Exponential(m / log(2)), 3)

row("shifted_exponential", "shift+scale", ShiftedExponential, 0, 1)
row("shifted_exponential", "shift+scale", ShiftedExponential, 5, "0.25")
row("shifted_exponential", "median+p95",
    lambda m, p: ShiftedExponential(m - (p - m) / log(10) * log(2), (p - m) / log(10)), 1, "1.5")
row("shifted_exponential", "mean+cv", lambda m, v: ShiftedExponential(m - m * v, m * v), 2, "0.3")
shifted = lambda part, scale: ShiftedExponential(scale, part * scale)
row("shifted_exponential", "median+cv", scale_family(shifted, "median+cv", log(mpf("0.001")), log(mpf(1000))), 2, "0.3")

pareto = lambda excess, minimum: Pareto(minimum, 2 + excess)
row("pareto", "minimum+shape", Pareto, 2, "2.5")
row("pareto", "minimum+shape", Pareto, 2, "1.5")
for c in ["0.05", "0.5", "3"]:
    row("pareto", "mean+cv", scale_family(pareto, "mean+cv", log(mpf("0.001")), log(mpf(1000))), 2, c)
row("pareto", "median+cv", scale_family(pareto, "median+cv", log(mpf("0.001")), log(mpf(1000))), 1, "0.25")
row("pareto", "median+p95", scale_family(pareto, "median+p95", log(mpf("0.001")), log(mpf(1000))), 1, "1.5")

for triple in [(1, 2, "0.25"), (0, 1, 0), (0, 1, "0.7"), (1, 1, "-0.5")]:
    row("gpd", "location+scale+shape", Gpd, *triple)
row("gpd", "scale+shape", lambda s, x: Gpd(mpf(0), s, x), 2, "0.1")
gpd = lambda room, scale: Gpd(mpf(0), scale, mpf("0.5") - room)
for c in ["0.3", "0.9", "3"]:
    row("gpd", "mean+cv", scale_family(gpd, "mean+cv", log(mpf("0.001")), log(mpf(100))), 2, c)
row("gpd", "median+cv", scale_family(gpd, "median+cv", log(mpf("0.001")), log(mpf(100))), 1, "1.5")
for p in ["1.5", "5"]:
    row("gpd", "median+p95", scale_family(gpd, "median+p95", log(mpf("0.001")), log(mpf(100))), 1, p)

print("family,parameters,values,quantity,mass,reference")
for cells in ROWS: print(",".join(cells))
