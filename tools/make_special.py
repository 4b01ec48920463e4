"""Write devarray/codegen/prelude/special_fits.py: the polynomials of the special functions.

    python tools/make_special.py

Each is a Chebyshev series of a smooth function over an interval, cut where its coefficients fall below 2**-58 of the
function's least magnitude there, and written in powers of y in [-1, 1]. Found with mpmath and 300 bits.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath as mp

TARGET = Path(__file__).resolve().parent.parent / "devarray/codegen/prelude/special_fits.py"
mp.mp.prec = 300

Function = Callable[[Any], Any]


def chebyshev(f: Function, count: int = 64) -> list[Any]:
    """Coefficients of the Chebyshev series of a function of y in [-1, 1]."""
    angles = [mp.pi * (k + mp.mpf(1) / 2) / count for k in range(count)]
    values = [f(mp.cos(angle)) for angle in angles]
    least = min(abs(v) for v in values)
    found = []
    for n in range(count):
        total = mp.fsum(v * mp.cos(n * angle) for v, angle in zip(values, angles, strict=True))
        found.append(total * (1 if n == 0 else 2) / count)
    end = max(n for n, c in enumerate(found) if abs(c) > least * mp.mpf(2) ** -58)
    if end > count - 8:
        raise ValueError(f"the series does not fall quickly enough: {end} of {count}")
    return found[: end + 1]


def powers(series: list[Any]) -> list[float]:
    """The same in powers of y."""
    before, current = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    total = [mp.mpf(0)] * len(series)
    total[0] = series[0]
    for c in series[1:]:
        for k, part in enumerate(current):
            total[k] += c * part
        after = [mp.mpf(0), *(2 * part for part in current)]
        for k, part in enumerate(before):
            after[k] -= part
        before, current = current, after
    return [float(c) for c in total]


def over(f: Function, low: Any, high: Any) -> Function:
    """A function of x in [low, high] as one of y."""
    low, high = mp.mpf(low), mp.mpf(high)
    return lambda y: f((high - low) / 2 * y + (high + low) / 2)


def inverse_error(x: Any) -> Any:
    """erfinv, by Newton's method from mpmath's start."""
    return mp.erfinv(x)


def inverse_by_w(w: Any) -> Any:
    """erfinv(x) / x, where w = -log(1 - x * x)."""
    if w < mp.mpf(2) ** -200:
        return mp.sqrt(mp.pi) / 2
    x = mp.sqrt(-mp.expm1(-w))
    return inverse_error(x) / x


def inverse_by_root(s: Any) -> Any:
    """erfcinv(p) / s, where s = sqrt(-log(p * (2 - p)))."""
    q = mp.exp(-s * s)  # p (2 - p)
    p = q / (1 + mp.sqrt(1 - q))
    y = s
    for _ in range(60):
        step = (mp.erfc(y) - p) / (-2 / mp.sqrt(mp.pi) * mp.exp(-y * y))
        step = step / (1 + y * step)  # Halley's
        y -= step
        if abs(step) < mp.mpf(2) ** -220:
            break
    return y / s


def erfcx(x: Any) -> Any:
    return mp.exp(x * x) * mp.erfc(x)


def scaled_erfcx(y: Any) -> Any:
    """(1 + 2 x) erfcx(x), where y = (x - 4) / (x + 4)."""
    if y > 1 - mp.mpf(2) ** -100:
        return 2 / mp.sqrt(mp.pi)
    x = 4 * (1 + y) / (1 - y)
    return (1 + 2 * x) * (erfcx(x) if x < 1000 else _far_erfcx(x))


def _far_erfcx(x: Any) -> Any:
    total, term = mp.mpf(1), mp.mpf(1)
    for k in range(1, 60):
        term *= -(2 * k - 1) / (2 * x * x)
        total += term
    return total / (x * mp.sqrt(mp.pi))


def phase(order: int, part: int) -> Function:
    """P or x Q of the Bessel functions' asymptotic form, of z = 1 / x**2 in [0, 1 / 64]."""

    def value(z: Any) -> Any:
        x = 1 / mp.sqrt(max(z, mp.mpf(2) ** -80))
        turn = x - (2 * order + 1) * mp.pi / 4
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        scale = mp.sqrt(mp.pi * x / 2)
        c, s = mp.cos(turn), mp.sin(turn)
        return scale * (j * c + y * s) if part == 0 else x * scale * (y * c - j * s)

    return value


def without_zeros(order: int, zeros: list[Any]) -> Function:
    """J of z = x**2 without its first zeros, and for order 1 without x."""

    def value(z: Any) -> Any:
        x = mp.sqrt(z) if z > 0 else mp.mpf(2) ** -60
        found = mp.besselj(order, x) / (x if order else 1)
        for zero in zeros:
            found /= (x - zero) * (x + zero)
        return found

    return value


def y_rest(order: int) -> Function:
    """What Y is beside log(x) J (and 1 / x), of z = x**2."""

    def value(z: Any) -> Any:
        x = mp.sqrt(z) if z > 0 else mp.mpf(2) ** -60
        rest = mp.bessely(order, x) - 2 / mp.pi * mp.log(x) * mp.besselj(order, x)
        return rest if order == 0 else (rest + 2 / (mp.pi * x)) / x

    return value


def k_rest(order: int) -> Function:
    """What K is beside log(x / 2) I (and 1 / x), of z = x**2 in [0, 4]."""

    def value(z: Any) -> Any:
        x = mp.sqrt(z) if z > 0 else mp.mpf(2) ** -60
        sign = 1 if order == 0 else -1
        rest = mp.besselk(order, x) + sign * mp.log(x / 2) * mp.besseli(order, x)
        return rest if order == 0 else x * rest

    return value


def k_far(order: int) -> Function:
    return lambda t: mp.sqrt(1 / t) * mp.exp(1 / t) * mp.besselk(order, 1 / t) if t > 1e-12 else mp.sqrt(mp.pi / 2)


def i_far(order: int) -> Function:
    def value(t: Any) -> Any:
        if t > mp.mpf(1) / 200:
            return mp.sqrt(1 / t) * mp.exp(-1 / t) * mp.besseli(order, 1 / t)
        total, term = mp.mpf(1), mp.mpf(1)
        for k in range(1, 100):
            term *= -(4 * order**2 - (2 * k - 1) ** 2) * t / (8 * k)
            total += term
        return total / mp.sqrt(2 * mp.pi)

    return value


def exp1_far(t: Any) -> Any:
    x = 1 / t if t > 1e-12 else mp.mpf(10) ** 12
    return x * mp.exp(x) * mp.e1(x) if x < 2000 else mp.fsum((-1) ** k * mp.factorial(k) / x**k for k in range(40))


ROOT_OF_PSI = mp.findroot(lambda x: mp.digamma(x), mp.mpf("1.4616321449683623"))
J_ZEROS = {order: [mp.besseljzero(order, k) for k in (1, 2, 3)] for order in (0, 1)}


def fits() -> dict[str, list[float]]:
    """All polynomials by name."""
    made: dict[str, Function] = {
        "INVERSE_NEAR": over(inverse_by_w, 0, "6.25"),
        "INVERSE_MIDDLE": over(inverse_by_root, "2.5", 4),
        "INVERSE_FAR": over(inverse_by_root, 4, 9),
        "INVERSE_FARTHEST": over(inverse_by_root, 9, 28),
        "ERFCX": scaled_erfcx,
        "GAMMA": over(mp.gamma, 2, 3),
        "PSI": over(lambda x: mp.digamma(x) / (x - ROOT_OF_PSI), 1, 2),
        "J0": over(without_zeros(0, J_ZEROS[0]), 0, 64),
        "J1": over(without_zeros(1, J_ZEROS[1]), 0, 64),
        "Y0": over(y_rest(0), 0, 25),
        "Y1": over(y_rest(1), 0, 25),
        "P0": over(phase(0, 0), 0, mp.mpf(1) / 25),
        "Q0": over(phase(0, 1), 0, mp.mpf(1) / 25),
        "P1": over(phase(1, 0), 0, mp.mpf(1) / 25),
        "Q1": over(phase(1, 1), 0, mp.mpf(1) / 25),
        "I1_FAR": over(i_far(1), 0, mp.mpf(1) / 8),
        "K0": over(k_rest(0), 0, 4),
        "K1": over(k_rest(1), 0, 4),
        "K0_FAR": over(k_far(0), 0, mp.mpf(1) / 2),
        "K1_FAR": over(k_far(1), 0, mp.mpf(1) / 2),
        "EXP1_NEAREST": over(exp1_far, 1, 2),
        "EXP1_NEAR": over(exp1_far, mp.mpf(1) / 4, 1),
        "EXP1_MIDDLE": over(exp1_far, mp.mpf(1) / 16, mp.mpf(1) / 4),
        "EXP1_FAR": over(exp1_far, 0, mp.mpf(1) / 16),
    }
    return {name: powers(chebyshev(f)) for name, f in made.items()}


def two(x: Any) -> tuple[float, float]:
    """A number as two doubles."""
    high = float(x)
    return high, float(x - high)


def text() -> str:
    """The module."""
    lines = [
        '"""Polynomials of the special functions, the lowest power first.',
        "",
        "Written by tools/make_special.py: do not edit.",
        '"""',
        "",
        "FITS: dict[str, list[float]] = {",
    ]
    for name, numbers in fits().items():
        lines.append(f'    "{name}": [')
        lines += [f"        {number!r}," for number in numbers]
        lines.append("    ],")
    lines += ["}", ""]
    lines.append(f"ROOT_OF_PSI = {two(ROOT_OF_PSI)!r}")
    lines.append('"""Where digamma is zero, as the sum of two numbers."""')
    lines.append("J_ZEROS = {")
    for order, zeros in J_ZEROS.items():
        lines += [f"    {order}: [", *(f"        {two(z)!r}," for z in zeros), "    ],"]
    lines.append("}")
    lines.append('"""The first zeros of the Bessel functions of the first kind, as sums of two numbers."""')
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text())
