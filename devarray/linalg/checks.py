"""Checks of the operands of linear algebra, with NumPy's errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.checks import require_array
from devarray._primitives.operands import asarray_like
from devarray._routines.creation import ranges
from devarray.array import Array
from devarray.errors import DeviceError, DTypeError, LinAlgError

__all__ = [
    "cutoff",
    "inexact",
    "mirrored",
    "one_device",
    "real_dtype",
    "require_operands",
    "require_right_sides",
    "require_square",
    "square",
    "stack",
]


def one_device(name: str, *operands: Array) -> None:
    """DeviceError where operands lie on different devices."""
    first = operands[0].device
    for x in operands:
        if x.device is not first:
            raise DeviceError(f"{name} got arrays of {first} and of {x.device}; move one with to_device()")


def inexact(name: str, x: Array, *others: Array) -> np.dtype:
    """The dtype that a decomposition computes in: the operands' promoted one, where integers count as float64."""
    if not others and x.dtype.kind in "fc" and x.dtype.itemsize > 2:
        return x.dtype
    dtype, *more = (np.dtype(np.float64) if y.dtype.kind in "biu" else y.dtype for y in (x, *others))
    for other in more:
        dtype = _core.promote(dtype, other)
    if dtype == np.float16:
        raise DTypeError(f"{name} does not take float16, which LAPACK lacks; use float32")
    return dtype


def stack(name: str, x: Any) -> Array:
    """`x` as a stack of matrices of an inexact dtype."""
    require_array(name, x)
    if x.ndim < 2:
        raise LinAlgError(f"{name}: {x.ndim}-dimensional array given. Array must be at least two-dimensional")
    dtype = inexact(name, x)
    return x if x.dtype is dtype else x.astype(dtype, copy=False)


def square(name: str, x: object) -> Array:
    """`x` as a stack of square matrices of an inexact dtype."""
    x = stack(name, x)
    require_square(name, x)
    return x


def require_square(name: str, x: Array) -> None:
    """LinAlgError where `x` is no stack of square matrices, of whatever dtype."""
    if x.ndim < 2:
        raise LinAlgError(f"{name}: {x.ndim}-dimensional array given. Array must be at least two-dimensional")
    if x.shape[-1] != x.shape[-2]:
        raise LinAlgError(
            f"{name}: Last 2 dimensions of the array must be square, not {x.shape[-2]} rows and {x.shape[-1]} columns"
        )


def require_right_sides(name: str, a: Array, b: Array) -> None:
    """LinAlgError where `a` is not one matrix, or `b` no right sides of its rows."""
    if a.ndim != 2 or b.ndim not in (1, 2):
        raise LinAlgError(
            f"{name}: {(a if a.ndim != 2 else b).ndim}-dimensional array given. Array must be two-dimensional: one "
            f"matrix and right sides of one or two dimensions, not {a.ndim} and {b.ndim}"
        )
    if a.shape[0] != b.shape[0]:
        raise LinAlgError(
            f"{name}: Incompatible dimensions: a matrix of {a.shape[0]} rows does not fit right sides of {b.shape[0]} "
            "rows"
        )


def real_dtype(dtype: np.dtype) -> np.dtype:
    """The real dtype of a complex one's precision; real ones are their own."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def mirrored(name: str, x: Array) -> Array:
    """The Hermitian matrices that the lower triangles of `x` say."""
    if x.shape[-1] != x.shape[-2]:
        raise LinAlgError(
            f"{name}: Last 2 dimensions of the array must be square: Hermitian matrices are; these have shape "
            f"{x.shape[-2:]}"
        )
    below = ranges.tril(x, k=-1)
    return ranges.tril(x) + (below.mT.conj() if x.dtype.kind == "c" else below.mT)


def require_operands(name: str, x1: Any, x2: Any) -> tuple[Array, Array]:
    """Both, which are arrays of one device."""
    require_array(name, x1, x2)
    one_device(name, x1, x2)
    return x1, x2


def cutoff(name: str, values: Array, rtol: Any, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    """Singular values up to this count as zero; one for each matrix."""
    if rtol is None:
        rtol = max(shape[-2:]) * float(np.finfo(dtype).eps)
    elif not isinstance(rtol, int | float | np.number):
        rtol = asarray_like(rtol, values)[..., None]
    return values.max(axis=-1, keepdims=True) * rtol
