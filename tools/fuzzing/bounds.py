"""How far a result may lie from NumPy's.

docs/design.md, rule 12: + - * / and roots of real numbers, comparisons, integers, casts and whatever only moves
elements have NumPy's bits. Other functions are a few units in the last place away, and sums are added in another order.
Memory that holds such values has a bound, which the operations below carry on; all others refuse such operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

ULP = 8
"""Of functions that are not exact; tests/ops/test_differential.py allows 6 on chosen values."""


class Unfit(Exception):
    """A statement that the program cannot have: its result is not comparable, or NumPy cannot run it."""


class Bound(NamedTuple):
    """Elements differ by at most ``absolute + relative * abs(element)``."""

    absolute: float = 0.0
    relative: float = 0.0

    def widest(self, other: Bound) -> Bound:
        return Bound(max(self.absolute, other.absolute), max(self.relative, other.relative))


EXACT = Bound()
TINY = 1e-300
"""Of results that are near by rounding, so that not even zeros are taken for exact ones: they have any sign."""
Rule = Callable[[Sequence[np.ndarray], Sequence[Bound], float], Bound]


def epsilon(*arrays: np.ndarray) -> float:
    """The coarsest spacing at 1 of the arrays' floats; 0 where there is none."""
    return max((float(np.finfo(a.dtype).eps) for a in arrays if a.dtype.kind in "fc"), default=0.0)


def largest(x: np.ndarray) -> float:
    return float(np.abs(x).max(initial=0)) if x.dtype.kind != "b" else 1.0


def _need(fits: bool, why: str) -> None:
    if not fits:
        raise Unfit(why)


def _inexact(bounds: Sequence[Bound]) -> bool:
    return any(bound != EXACT for bound in bounds)


def _finite(arrays: Sequence[np.ndarray]) -> None:
    _need(all(np.isfinite(a).all() for a in arrays), "needs finite numbers")


def _error(x: np.ndarray, bound: Bound) -> float:
    return bound.absolute + bound.relative * largest(x)


def _room(value: float, arrays: Sequence[np.ndarray]) -> None:
    top = min((float(np.finfo(a.dtype).max) for a in arrays if a.dtype.kind in "fc"), default=np.inf)
    _need(value < top / 4, "comes near an overflow")


def _exact(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    _need(not _inexact(bounds), "needs exact operands")
    return EXACT


def _finite_exact(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    _finite(arrays)
    return _exact(arrays, bounds, eps)


def _cast(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """Of NaN and what is out of range NumPy makes other integers in vectors than one by one."""
    value, target = arrays
    if value.dtype.kind in "fc" and target.dtype.kind in "iu":
        limits = np.iinfo(target.dtype)
        _finite([value])
        _need(bool(((value.real > limits.min - 1.0) & (value.real < limits.max)).all()), "out of range")
    return _exact(arrays[:1], bounds[:1], eps)


def _same(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """Elements are moved, chosen, or change their sign; a tenth for what a cast may round."""
    if not _inexact(bounds):
        return EXACT
    _finite(arrays)
    return Bound(max(b.absolute for b in bounds), max(b.relative for b in bounds) + eps)


def _extreme(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """Of zeros of both signs NumPy gives either, as the vectors of the processor at hand do.

    Complex numbers are ordered by real parts, then by imaginary ones: where those are near, rounding decides.
    """
    _need(
        not _inexact(bounds) or all(a.dtype.kind != "c" for a in arrays),
        "complex numbers in an order that rounding makes",
    )
    floats = [a for a in arrays if a.dtype.kind in "fc"]
    parts = [part for a in floats for part in ((a.real, a.imag) if a.dtype.kind == "c" else (a,))]
    _need(not any(_signals(part) for part in parts), "a signalling NaN")
    signs = {bool(sign) for part in parts for sign in np.unique(np.signbit(part[part == 0]))}
    integers_have_zero = len(floats) < len(arrays) and True in signs
    _need(len(signs) < 2 and not integers_have_zero, "zeros of both signs")
    return _same(arrays, bounds, eps)


def _signals(x: np.ndarray) -> bool:
    """Whether there is a signalling NaN, as NumPy's sorts of float16 leave them; C's fmin does not pass over it."""
    quiet = 1 << (np.finfo(x.dtype).nmant - 1)
    return bool((np.ascontiguousarray(x).view(f"u{x.itemsize}")[np.isnan(x)] & quiet == 0).any())


def _chosen(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """By a condition, whose zeros must be zeros in both libraries."""
    _need(not _inexact(bounds[:1]), "a condition that is exact")
    return _same(arrays[1:], bounds[1:], eps)


def _unique(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """Values that are equal but for their rounding are one or several."""
    _need(not _inexact(bounds), "needs exact operands")
    return _extreme(arrays, bounds, eps)


def _sign(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """Processors give NaN either sign, and bits of their own."""
    _need(not any(np.isnan(a).any() for a in arrays if a.dtype.kind in "fc"), "the sign or the bits of a NaN")
    return _exact(arrays, bounds, eps)


def _next(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """The next to a zero towards a zero is the second; NumPy's of float16 is the first (docs/differences.md)."""
    floats = [a for a in arrays if a.dtype.kind == "f"]
    signs = {bool(sign) for a in floats for sign in np.unique(np.signbit(a[a == 0]))}
    _need(len(signs) < 2 or eps != np.finfo(np.float16).eps, "zeros of both signs")
    return _sign(arrays, bounds, eps)


def _sum(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    if not _inexact(bounds):
        return EXACT
    _finite(arrays)
    total = sum(largest(a) for a in arrays)
    _room(total, arrays)
    return Bound(sum(_error(a, b) for a, b in zip(arrays, bounds, strict=True)) + eps * total, TINY)


def _product(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    if not _inexact(bounds) and all(a.dtype.kind != "c" for a in arrays):
        return EXACT
    _finite(arrays)
    a, b = (largest(x) for x in arrays)
    _room(4 * a * b, arrays)
    of_a, of_b = (_error(x, bound) for x, bound in zip(arrays, bounds, strict=True))
    return Bound(of_a * b + of_b * a + of_a * of_b + ULP * eps * a * b, TINY)


def _function(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    _need(not _inexact(bounds), "needs exact operands")
    _finite(arrays)
    _need(all(largest(a) <= 64 for a in arrays), "needs moderate numbers")
    return Bound(relative=(8 if any(a.dtype.kind == "c" for a in arrays) else 1) * ULP * eps)


def _shifted(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """logaddexp: an operand and what is added to it may cancel."""
    near = _function(arrays, bounds, eps)
    return Bound(ULP * eps * max(largest(a) for a in arrays), near.relative)


def _beside_one(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """log1p: of complex numbers NumPy's is the logarithm of a sum, which loses what is small beside 1."""
    near = _function(arrays, bounds, eps)
    return Bound(ULP * eps, near.relative) if any(a.dtype.kind == "c" for a in arrays) else near


def _total(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """Sums, means, and products of rows with columns: of as many terms as the first operand has."""
    if not _inexact(bounds) and eps == 0:
        return EXACT
    _finite(arrays)
    terms, sizes = max(arrays[0].size, 1), [largest(a) for a in arrays]
    top = float(np.prod(sizes))
    _room(terms * top, arrays)
    errors = [_error(a, b) for a, b in zip(arrays, bounds, strict=True)]
    error = sum(e * float(np.prod(sizes[:i] + sizes[i + 1 :])) for i, e in enumerate(errors))
    error += float(np.prod(errors))  # which is all of it beside zeros
    return Bound(terms * (2 * error + ULP * eps * top), TINY)


def _running(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """Sums one after the other: of equal terms, each rounds the same way."""
    absolute, relative = _total(arrays, bounds, eps)
    terms = max(arrays[0].size, 1)
    return Bound(absolute + terms * terms / 2 * eps * largest(arrays[0]), relative)


def _shrinking(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """Products of many elements, of which none is above 2."""
    if not _inexact(bounds) and eps == 0:
        return EXACT
    _need(not _inexact(bounds), "needs exact operands")
    _finite(arrays)
    _need(arrays[0].size <= 8 and largest(arrays[0]) <= 4, "needs few and small numbers")
    return Bound(relative=ULP * eps * 8)


def _deviation(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    _need(not _inexact(bounds), "needs exact operands")
    _finite(arrays)
    top = largest(arrays[0])
    _room(max(arrays[0].size, 1) * top * top * 4, arrays)
    return Bound(ULP * eps * top * top * max(arrays[0].size, 1), TINY)


def _transform(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """Fourier transforms of rows; the second operand is as long as their sums. Each stage rounds once."""
    x, terms = arrays[0], max(arrays[1].size, 2)
    _finite([x])
    _need(not any(a.size == 0 for a in arrays), "has no elements")
    top = terms * largest(x)
    _room(4 * top, [x, np.empty(0, np.float32)] if eps > 1e-10 else [x])
    return Bound(terms * _error(x, bounds[0]) + ULP * eps * np.log2(terms) * top, TINY)


def _norm(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """Roots of sums of squares: what squares lose below the least number counts."""
    x, eps = arrays[0], eps or epsilon(np.float64(1))
    _need(not _inexact(bounds), "needs exact operands")
    _finite([x])
    top = max(x.size, 1) * max(largest(x), 1)
    _room(top * top, [x])
    lost = np.sqrt(x.size * float(np.finfo(np.result_type(x, np.float32)).tiny))
    return Bound(lost, eps * (ULP + x.size))


def _well_conditioned(arrays: Sequence[np.ndarray], bounds: Sequence[Bound]) -> None:
    _need(not _inexact(bounds), "needs exact operands")
    _finite(arrays)
    matrix = arrays[0]
    _need(matrix.ndim > 1 and matrix.shape[-1] == matrix.shape[-2] and matrix.dtype != np.float16, "no matrix")
    _need(bool((np.linalg.cond(matrix) < 100).all()), "ill-conditioned")


def _solved(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    _well_conditioned(arrays, bounds)
    matrix, right = arrays[:2]
    _need(right.dtype != np.float16, "no dtype of linear algebra")
    least = float(np.linalg.svd(matrix, compute_uv=False).min())
    size = largest(right) * matrix.shape[-1] / least
    _room(size, arrays)
    return Bound(ULP * eps * matrix.shape[-1] * 100 * size, TINY)


def _determinant(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    _well_conditioned(arrays, bounds)
    _room(largest(np.prod(np.linalg.norm(arrays[0].astype(np.complex128), axis=-1), axis=-1)), arrays)
    return Bound(relative=ULP * eps * arrays[0].shape[-1] * 10)


def _added(arrays: Sequence[np.ndarray], bounds: Sequence[Bound], eps: float) -> Bound:
    """A few terms added in place, in any order."""
    if not _inexact(bounds) and eps == 0:
        return EXACT
    _finite(arrays)
    terms = 10
    top = sum(largest(a) for a in arrays)
    _room(terms * top, arrays)
    return Bound(terms * sum(_error(a, b) for a, b in zip(arrays, bounds, strict=True)) + ULP * eps * terms * top, TINY)


RULES: dict[str, Rule] = {
    "exact": _exact,
    "chosen": _chosen,
    "finite": _finite_exact,
    "cast": _cast,
    "same": _same,
    "extreme": _extreme,
    "unique": _unique,
    "sign": _sign,
    "next": _next,
    "sum": _sum,
    "product": _product,
    "function": _function,
    "shifted": _shifted,
    "beside_one": _beside_one,
    "total": _total,
    "running": _running,
    "shrinking": _shrinking,
    "deviation": _deviation,
    "transform": _transform,
    "norm": _norm,
    "solved": _solved,
    "determinant": _determinant,
    "added": _added,
}


def difference(ours: np.ndarray, wanted: np.ndarray, bound: Bound) -> str:
    """What differs, or nothing."""
    if not isinstance(ours, np.ndarray):
        return f"{type(ours).__name__}, wanted an array"
    if ours.dtype != wanted.dtype:
        return f"dtype {ours.dtype}, wanted {wanted.dtype}"
    if ours.shape != wanted.shape:
        return f"shape {ours.shape}, wanted {wanted.shape}"
    good = _same_bits(ours, wanted) if bound == EXACT else _near(ours, wanted, bound)
    if good.all():
        return ""
    at = tuple(int(i[0]) for i in np.nonzero(~good)) if ours.ndim else ()
    allowed = "" if bound == EXACT else f" (bound {bound.absolute:.3g} + {bound.relative:.3g} * |x|)"
    return (
        f"{np.count_nonzero(~good)} of {good.size} differ, first at {at}: {ours[at]!r}, wanted {wanted[at]!r}{allowed}"
    )


def _same_bits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.kind == "c":
        both = _same_bits(a.real, b.real) & _same_bits(a.imag, b.imag)
        return both | (np.isnan(a) & np.isnan(b))  # which of several NaNs an extreme is, nobody promises
    if a.dtype.kind != "f":
        return a == b
    return ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))


def _near(a: np.ndarray, b: np.ndarray, bound: Bound) -> np.ndarray:
    if b.dtype.kind not in "fc":
        return _same_bits(a, b)
    tiny = 16 * float(np.finfo(b.dtype).smallest_subnormal)
    wide = np.longdouble if b.dtype.kind == "f" else np.clongdouble
    size = np.abs(b.astype(wide))
    near = np.abs(a.astype(wide) - b.astype(wide)) <= bound.absolute + bound.relative * size + tiny
    return near | (a == b) | (np.isnan(a) & np.isnan(b)) | (~np.isfinite(size) & ~np.isfinite(np.abs(a)) & ~np.isnan(a))
