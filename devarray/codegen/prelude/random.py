"""Random numbers: a counter-based generator, and the transforms of its words that need more than one operation.

What draws and rejects takes its further numbers from a sequence of its own, seeded by the word that it was given, so
that every element is a function of its number alone.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["RANDOM", "RANDOM_CUDA", "philox_block", "philox_jumped"]

_ATTEMPTS = 1000
"""Rejections before a variate is given up as NaN: parameters that are no numbers would loop for ever."""


def _ratio(numerators: Sequence[str], denominators: Sequence[str]) -> str:
    """C text of the quotient of two polynomials in `r`, coefficients from the constant on."""

    def horner(coefficients: Sequence[str]) -> str:
        *lower, text = (f"{number}_T" for number in coefficients)
        for number in reversed(lower):
            text = f"({text} * r + {number})"
        return text

    return f"{horner(numerators)} / {horner(denominators)}"


# Wichura, Algorithm AS 241, Applied Statistics 37 (1988): near 0.5, in r = 0.425^2 - q^2; below, in r = sqrt(-log(t)).
_CENTRE = _ratio(
    (
        "3.3871328727963666080",
        "133.14166789178437745",
        "1971.5909503065514427",
        "13731.693765509461125",
        "45921.953931549871457",
        "67265.770927008700853",
        "33430.575583588128105",
        "2509.0809287301226727",
    ),
    (
        "1.0",
        "42.313330701600911252",
        "687.18700749205790830",
        "5394.1960214247511077",
        "21213.794301586595867",
        "39307.895800092710610",
        "28729.085735721942674",
        "5226.4952788528545610",
    ),
)
_TAIL = _ratio(
    (
        "1.42343711074968357734",
        "4.63033784615654529590",
        "5.76949722146069140550",
        "3.64784832476320460504",
        "1.27045825245236838258",
        "0.241780725177450611770",
        "0.0227238449892691845833",
        "7.74545014278341407640e-4",
    ),
    (
        "1.0",
        "2.05319162663775882187",
        "1.67638483018380384940",
        "0.689767334985100004550",
        "0.148103976427480074590",
        "0.0151986665636164571966",
        "5.47593808499534494600e-4",
        "1.05075007164441684324e-9",
    ),
)
_FAR_TAIL = _ratio(
    (
        "6.65790464350110377720",
        "5.46378491116411436990",
        "1.78482653991729133580",
        "0.296560571828504891230",
        "0.0265321895265761230930",
        "0.00124266094738807843860",
        "2.71155556874348757815e-5",
        "2.01033439929228813265e-7",
    ),
    (
        "1.0",
        "0.599832206555887937690",
        "0.136929880922735805310",
        "0.0148753612908506148525",
        "7.86869131145613259100e-4",
        "1.84631831751005468180e-5",
        "1.42151175831644588870e-7",
        "2.04426310338993978564e-15",
    ),
)


def philox_block(upper: str = "x2 = 0, x3 = 0", word: str = "u64", lanes: str = "") -> str:
    """Words `x0` to `x3` of the block in which word `at` lies. As in NumPy, word 0 is the first of block 1.

    Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3 (2011). With a vector as the type of words
    its lanes are of different blocks: `lanes` is added to the first one's number.
    """
    return f"""\
  {word} x0 = (at >> 2) + 1{lanes}, x1 = 0, {upper}, k0 = key0, k1 = key1;
#pragma unroll
  for (i32 round = 0; round < 10; ++round) {{
    const {word} high0 = mul_high_{word}(0xd2e7470ee14c6c93UL, x0), low0 = 0xd2e7470ee14c6c93UL * x0;
    const {word} high1 = mul_high_{word}(0xca5a826395121157UL, x2), low1 = 0xca5a826395121157UL * x2;
    x0 = high1 ^ x1 ^ k0;
    x1 = low1;
    x2 = high0 ^ x3 ^ k1;
    x3 = low0;
    k0 += 0x9e3779b97f4a7c15UL;
    k1 += 0xbb67ae8584caa73bUL;
  }}"""


def philox_jumped(name: str, jumps: int) -> str:
    """A function for words of a stream that was jumped: the upper words of its counter are the number of jumps."""
    return f"""
FN u64 {name}(const u64 at, const u64 key0, const u64 key1) {{
{philox_block(f"x2 = {jumps % 2**64}UL, x3 = {jumps >> 64}UL")}
  return at & 2 ? (at & 1 ? x3 : x2) : (at & 1 ? x1 : x0);
}}
"""


RANDOM_CUDA: dict[tuple[str, str], str] = {
    ("mul_high", "u64"): "FN u64 mul_high_u64(const u64 a, const u64 b) { return __umul64hi(a, b); }",
}

RANDOM: dict[tuple[str, str], str] = {
    ("mul_high", "u64"): "FN u64 mul_high_u64(const u64 a, const u64 b) { return mul_hi(a, b); }",
    ("philox", "u64"): f"""
FN u64 philox_u64(const u64 at, const u64 key0, const u64 key1) {{
{philox_block()}
  return at & 2 ? (at & 1 ? x3 : x2) : (at & 1 ? x1 : x0);
}}""",
    ("philox_half", "u64"): """
FN u64 philox_half_u64(const u64 at, const u64 key0, const u64 key1) {
  const u64 word = philox_u64(at >> 1, key0, key1);
  return at & 1 ? word >> 32 : word & 0xffffffffUL;
}""",
    # Steele, Lea, Flood, Fast splittable pseudorandom number generators (2014): number n of the sequence of a seed
    ("sequence", "u64"): """
FN u64 sequence_u64(const u64 seed, const u64 n) {
  u64 x = seed + (n + 1) * 0x9e3779b97f4a7c15UL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9UL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebUL;
  return x ^ (x >> 31);
}""",
    # Lemire, Fast random integer generation in an interval (2019)
    ("bounded", "u64"): f"""
FN u64 bounded_u64(const u64 word, const u64 count) {{
  if (count == 0) return word;
  u64 x = word;
  if (x * count < count) {{
    const u64 least = (0 - count) % count;
    for (u64 n = 0; x * count < least && n < {_ATTEMPTS}; ++n) x = sequence_u64(word, n);
  }}
  return mul_high_u64(x, count);
}}""",
    # Number n of a sequence, strictly between 0 and 1
    ("uniform", "f64"): """
FN f64 uniform_f64(const u64 seed, const u64 n) {
  return ((f64)(sequence_u64(seed, n) >> 12) + 0.5) * 0x1p-52;
}""",
    # Stirling's series, from 8 on; below, by the recurrence
    ("log_gamma", "f64"): """
FN f64 log_gamma_f64(const f64 x) {
  f64 y = x, product = 1;
#pragma unroll
  for (i32 n = 0; n < 8; ++n) {
    const f64 factor = y < 8 ? y : 1;
    product *= factor;
    y += y < 8;
  }
  const f64 r = 1 / y, s = r * r;
  const f64 rest = r * (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s / 1188))));
  return (y - 0.5) * log_f64(y) - y + 0.91893853320467274178 + rest - log_f64(product);
}""",
    ("normal_tail", "f"): f"""
FN T normal_tail_T(const T t) {{
  const T q = 0.5_T - t;
  if (q <= 0.425_T) {{
    const T r = 0.180625_T - q * q;
    return q * ({_CENTRE});
  }}
  const T s = sqrt_T(-log_T(t));
  if (s <= 5.0_T) {{
    const T r = s - 1.6_T;
    return {_TAIL};
  }}
  const T r = s - 5.0_T;
  return {_FAR_TAIL};
}}""",
    # Marsaglia, Tsang, A simple method for generating gamma variables (2000); shapes below 1 by their boost
    ("draw_gamma", "f64"): f"""
FN f64 draw_gamma_f64(const f64 u, const f64 shape) {{
  if (shape == 0) return 0;
  const u64 seed = AS_U64(u);
  const f64 d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3.0, c = 1 / (3 * sqrt_f64(d));
  for (u64 n = 0; n < {2 * _ATTEMPTS}; n += 2) {{
    const f64 p = uniform_f64(seed, n), w = uniform_f64(seed, n + 1);
    const f64 x = p < 0.5 ? -normal_tail_f64(p) : normal_tail_f64(1 - p);
    const f64 y = 1 + c * x, v = y * y * y;
    if (y > 0 && log_f64(w) < 0.5 * x * x + d - d * v + d * log_f64(v))
      return shape < 1 ? d * v * exp_f64(log_f64(uniform_f64(seed, {2 * _ATTEMPTS})) / shape) : d * v;
  }}
  return AS_F64(0x7ff8000000000000UL);
}}""",
    # Small means by counting up to the uniform number; else Hoermann's PTRS, The transformed rejection method for
    # generating Poisson random variables (1993)
    ("draw_poisson", "f64"): f"""
FN f64 draw_poisson_f64(const f64 u, const f64 mean) {{
  if (mean < 10) {{
    f64 k = 0, p = exp_f64(-mean), sum = p;
    for (; u >= sum && k < {_ATTEMPTS}; sum += p) p *= mean / (k += 1);
    return k;
  }}
  const u64 seed = AS_U64(u);
  const f64 b = 0.931 + 2.53 * sqrt_f64(mean), a = -0.059 + 0.02483 * b, log_mean = log_f64(mean);
  const f64 inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), sure = 0.9277 - 3.6224 / (b - 2);
  for (u64 n = 0; n < {2 * _ATTEMPTS}; n += 2) {{
    const f64 x = uniform_f64(seed, n) - 0.5, v = uniform_f64(seed, n + 1), s = 0.5 - fabs_f64(x);
    const f64 k = floor_f64((2 * a / s + b) * x + mean + 0.43);
    if (s >= 0.07 && v <= sure) return k;
    if (k < 0 || (s < 0.013 && v > s)) continue;
    if (log_f64(v * inverse_alpha / (a / (s * s) + b)) <= k * log_mean - mean - log_gamma_f64(k + 1)) return k;
  }}
  return AS_F64(0x7ff8000000000000UL);
}}""",
    # Best, Fisher, Efficient simulation of the von Mises distribution (1979); nearly flat and nearly normal ones apart
    ("draw_vonmises", "f64"): f"""
FN f64 draw_vonmises_f64(const f64 u, const f64 k) {{
  const u64 seed = AS_U64(u);
  if (k < 1e-8) return 3.14159265358979323846 * (2 * uniform_f64(seed, 0) - 1);
  if (k > 1e6) {{
    const f64 p = uniform_f64(seed, 0);
    return (p < 0.5 ? -normal_tail_f64(p) : normal_tail_f64(1 - p)) / sqrt_f64(k);
  }}
  const f64 tau = 1 + sqrt_f64(1 + 4 * k * k), rho = (tau - sqrt_f64(2 * tau)) / (2 * k);
  const f64 r = k < 1e-5 ? 1 / k + k : (1 + rho * rho) / (2 * rho);
  for (u64 n = 0; n < {3 * _ATTEMPTS}; n += 3) {{
    const f64 z = cos_f64(3.14159265358979323846 * uniform_f64(seed, n)), v = uniform_f64(seed, n + 1);
    const f64 f = (1 + r * z) / (r + z), c = k * (r - f);
    if (c * (2 - c) > v || log_f64(c / v) + 1 - c >= 0)
      return uniform_f64(seed, n + 2) < 0.5 ? -acos_f64(f) : acos_f64(f);
  }}
  return AS_F64(0x7ff8000000000000UL);
}}""",
    # Devroye, Non-uniform random variate generation (1986), chapter X.6
    ("draw_zipf", "f64"): f"""
FN f64 draw_zipf_f64(const f64 u, const f64 a) {{
  if (a >= 1025) return 1;
  const u64 seed = AS_U64(u);
  const f64 b = exp2_f64(a - 1);
  for (u64 n = 0; n < {2 * _ATTEMPTS}; n += 2) {{
    const f64 x = floor_f64(exp_f64(-log_f64(uniform_f64(seed, n)) / (a - 1))), v = uniform_f64(seed, n + 1);
    const f64 t = exp_f64((a - 1) * log1p_f64(1 / x));
    if (x < 0x1p63 && v * x * (t - 1) / (b - 1) <= t / b) return x;
  }}
  return AS_F64(0x7ff8000000000000UL);
}}""",
    # Few expected successes by counting up to the uniform number; else Hoermann's BTRS, The generation of binomial
    # random variates (1993)
    ("draw_binomial", "f64"): f"""
FN f64 draw_binomial_f64(const f64 u, const f64 trials, const f64 chance) {{
  const f64 p = chance > 0.5 ? 1 - chance : chance, q = 1 - p, odds = p / q, mean = trials * p;
  f64 k = 0;
  if (mean < 10) {{
    f64 f = exp_f64(trials * log1p_f64(-p)), sum = f;
    for (; u >= sum && k < trials && k < {_ATTEMPTS}; sum += f) {{
      k += 1;
      f *= odds * (trials - k + 1) / k;
    }}
    return chance > 0.5 ? trials - k : k;
  }}
  const u64 seed = AS_U64(u);
  const f64 spread = sqrt_f64(mean * q), b = 1.15 + 2.53 * spread, a = -0.0873 + 0.0248 * b + 0.01 * p;
  const f64 sure = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * spread, m = floor_f64((trials + 1) * p);
  const f64 log_odds = log_f64(odds), top = log_gamma_f64(m + 1) + log_gamma_f64(trials - m + 1);
  for (u64 n = 0; n < {2 * _ATTEMPTS}; n += 2) {{
    const f64 x = uniform_f64(seed, n) - 0.5, v = uniform_f64(seed, n + 1), s = 0.5 - fabs_f64(x);
    k = floor_f64((2 * a / s + b) * x + mean + 0.5);
    if (k < 0 || k > trials) continue;
    if (!(s >= 0.07 && v <= sure) && log_f64(v * alpha / (a / (s * s) + b)) >
        top - log_gamma_f64(k + 1) - log_gamma_f64(trials - k + 1) + (k - m) * log_odds) continue;
    return chance > 0.5 ? trials - k : k;
  }}
  return AS_F64(0x7ff8000000000000UL);
}}""",
}
