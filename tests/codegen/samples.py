"""Inputs that find mistakes: the special values of each dtype against each other, and random ones of every size."""

from __future__ import annotations

import numpy as np

from devarray.ops.dtypes import KIND, REAL_OF
from devarray.ops.table import WHERE, Op


def specials(dtype: str) -> np.ndarray:
    """Limits, zeros of both signs, infinities, NaN, subnormals and small numbers."""
    kind = KIND[dtype]
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        info = np.iinfo(dtype)
        values = [0, 1, 2, 3, 5, 7, 8, 15, 31, 32, 33, 63, 64, 100, info.max // 2, info.max - 1, info.max]
        values += [-1, -2, -3, -7, -64, info.min, info.min + 1]
        return np.array([value for value in values if info.min <= value <= info.max], dtype)
    if kind == "f":
        info = np.finfo(dtype)
        tiny = float(info.smallest_subnormal)
        values = [
            0,
            tiny,
            3 * tiny,
            float(info.tiny),
            info.eps,
            1e-3,
            0.25,
            0.5,
            0.75,
            1 - info.eps / 2,
            1,
            1 + info.eps,
        ]
        values += [1.5, 2, 2.5, 3, np.pi / 2, np.pi, 10, 11.5, 1e3, float(info.max) / 2, float(info.max), np.inf]
        positive = np.array(values, dtype)
        return np.concatenate([positive, -positive, np.array([np.nan], dtype)])
    info = np.finfo(REAL_OF[dtype])
    values = np.array([0, info.tiny, info.eps, 0.5, 1, 1 + info.eps, 2, 3, 100, info.max, np.inf, np.nan], info.dtype)
    return grid(np.concatenate([values, -values[:-1]]), dtype)


def grid(parts: np.ndarray, dtype: str) -> np.ndarray:
    """Complex numbers with every pair of parts."""
    made = np.empty((parts.size, parts.size), dtype)
    made.real, made.imag = parts[:, None], parts
    return made.ravel()


def random(dtype: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Small numbers, and numbers of every magnitude."""
    kind = KIND[dtype]
    if kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if kind in "iu":
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, n, dtype, endpoint=True)
        values[::2] = rng.integers(max(info.min, -20), 20, values[::2].size)
        return values
    if kind == "f":
        info = np.finfo(dtype)
        low = np.log2(float(info.smallest_subnormal))
        values = np.exp2(rng.uniform(low, info.maxexp, n)) * rng.choice([-1, 1], n)
        values[::3] = rng.uniform(-3, 3, values[::3].size)
        values[1::3] = rng.uniform(-100, 100, values[1::3].size)
        return values.astype(dtype)
    made = np.empty(n, dtype)
    made.real, made.imag = random(REAL_OF[dtype], n, rng), rng.permutation(random(REAL_OF[dtype], n, rng))
    return made


def inputs(op: Op, dtype: str, n: int = 2000) -> list[np.ndarray]:
    """Arguments for an op: special values against special values, then random ones."""
    rng = np.random.default_rng(1)
    special = specials(dtype)
    if op.nin == 1:
        return [np.concatenate([special, random(dtype, n, rng)])]
    if special.size > 100:
        special = rng.choice(special, 60, replace=False)
    arguments = [np.concatenate([part.ravel(), random(dtype, n, rng)]) for part in np.meshgrid(special, special)]
    if op.nin == 3:
        third = rng.permutation(arguments[1])
        arguments = [*arguments, third]
        if op.flags & WHERE:
            arguments[0] = rng.integers(0, 2, third.size).astype(bool)
    return arguments


def same_bits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Where two arrays agree, signs of zeros included; any NaN is equal to any other."""
    if a.dtype.kind == "c":
        return same_bits(a.real, b.real) & same_bits(a.imag, b.imag)
    if a.dtype.kind == "f":
        return ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))
    return a == b
