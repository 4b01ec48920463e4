"""Products of vectors and of any axes: vecdot, cross, dot, inner, vdot, outer, kron, tensordot."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.out import write_out
from devarray._primitives.checks import require_array
from devarray._primitives.host import through_host
from devarray._primitives.host_threads import each_block
from devarray._primitives.join import stack
from devarray._routines.manipulation.axes import moveaxis
from devarray._routines.manipulation.splitting import unstack
from devarray.array import Array, normalize_axes, normalize_axis, reduce
from devarray.errors import DTypeError, ShapeError, ValueError
from devarray.linalg.checks import require_operands
from devarray.linalg.keywords import with_keywords
from devarray.linalg.products import matmul

__all__ = [
    "cross",
    "dot",
    "inner",
    "kron",
    "outer",
    "tensordot",
    "vdot",
    "vecdot",
]


_PIECE = 8192
"""Elements of a part of a long vector, which OpenBLAS adds up on one thread, so that cores decide no bit."""


def vecdot(
    x1: Array,
    x2: Array,
    /,
    out: Array | None = None,
    *,
    axes: Any = None,
    axis: int = -1,
    keepdims: bool = False,
    casting: Any = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
    sig: Any = None,
) -> Array:
    """Sums of ``conj(x1) * x2`` along an axis, broadcast over the other axes.

    Parameters
    ----------
    x1, x2 : array_like
        The vectors.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    axes : list of tuple of int, optional
        The axes of both operands and of the result that the product is about, in place of the last ones.
    axis : int
        The axis of each of the arrays, which have the same size along it. -1 by default.
    keepdims : bool
        Whether the axis stays, with size 1. False by default.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for what may be cast. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature, sig : str or tuple of dtype, optional
        The dtypes of operands and results, as NumPy's ufuncs take them.

    Returns
    -------
    Array
        A new array without the axis, or `out`.

    Raises
    ------
    ShapeError
        Where the shapes or the axis do not fit.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.vecdot(da.asarray([[1, 2], [3, 4]]), da.asarray([10, 1])).copy_to_host()
    array([12, 34])
    """
    x1, x2 = require_operands("vecdot", x1, x2)
    if (
        axes is not None
        or keepdims
        or dtype is not None
        or signature is not None
        or sig is not None
        or order != "K"
        or casting != "same_kind"
    ):
        along = axis if axis != -1 else None
        keywords = (out, axes, along, keepdims, casting, order, dtype, signature, sig)
        return with_keywords("vecdot", vecdot, x1, x2, *keywords)
    x1, x2, from_end = _aligned(x1, x2, axis)
    by_blas = from_end == -1 and _suits_blas(x1, x2)
    result = _vecdot_on_host(x1, x2) if by_blas else _sum_of_products("vecdot", x1, x2, from_end)
    return result if out is None else write_out("vecdot", result, out, casting=casting, spread=True)


def _sum_of_products(name: str, x1: Array, x2: Array, axis: int) -> Array:
    if x1.shape[axis] != x2.shape[axis]:
        raise ShapeError(
            f"{name}: Input operand 1 has a mismatch in its core dimension 0: the vectors have {x1.shape[axis]} and "
            f"{x2.shape[axis]} elements"
        )
    dtype = _core.promote(x1.dtype, x2.dtype)
    if dtype.kind == "b":
        return reduce(x1 & x2, "any", axis, False, consume=True)
    # Without a name, so that the conjugates are not written
    terms = (x1.conj() if x1.dtype.kind == "c" else x1) * x2
    return reduce(terms, "sum", axis, False, None if dtype.kind in "fc" else dtype, consume=True)


def _aligned(x1: Array, x2: Array, axis: int) -> tuple[Array, Array, int]:
    """Both arrays with the axis at one place, counted from the end, and that place."""
    first, second = (normalize_axis(axis, x.ndim) - x.ndim for x in (x1, x2))
    if first == second:
        return x1, x2, first
    return moveaxis(x1, first, -1), moveaxis(x2, second, -1), -1


def outer(a: Array, b: Array, out: Array | None = None) -> Array:
    """Products of all pairs of elements: ``result[i, j] = x1[i] * x2[j]``.

    Parameters
    ----------
    a, b : array_like
        The vectors; arrays of more dimensions are flattened.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new array of shape ``(x1.size, x2.size)``, or `out`.

    Raises
    ------
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.outer(da.asarray([1, 2]), da.asarray([3, 4, 5])).copy_to_host()
    array([[ 3,  4,  5],
           [ 6,  8, 10]])
    """
    a, b = require_operands("outer", a, b)
    return write_out("outer", a.reshape(-1, 1) * b.reshape(1, -1), out)


def cross(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Cross products of vectors of three elements.

    Parameters
    ----------
    x1, x2 : array_like
        Broadcast against each other, but not along `axis`, where both have size 3.
    axis : int
        The axis of each of the arrays and of the result. -1 by default.

    Returns
    -------
    Array
        A new array.

    Raises
    ------
    ShapeError
        Where the vectors have not three elements, or the shapes do not broadcast.
    DTypeError
        For bool.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.linalg.cross(da.asarray([1, 0, 0]), da.asarray([0, 1, 0])).copy_to_host()
    array([0, 0, 1])
    """
    x1, x2 = require_operands("cross", x1, x2)
    x1, x2, place = _aligned(x1, x2, axis)
    if x1.shape[place] != 3 or x2.shape[place] != 3:
        raise ShapeError(
            f"cross: Both input arrays must be (arrays of) 3-dimensional vectors, but they are {x1.shape[place]} and "
            f"{x2.shape[place]} dimensional instead."
        )
    if x1.dtype.kind == x2.dtype.kind == "b":
        raise DTypeError("cross takes numbers, not bool")
    a1, a2, a3 = unstack(x1, axis=place)
    b1, b2, b3 = unstack(x2, axis=place)
    parts = [a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1]
    return stack(parts, axis=axis)


def dot(a: Array, b: Array, out: Array | None = None) -> Array:
    """NumPy's ``dot``: sums of products over the last axis of `a` and the last but one of `b`.

    Parameters
    ----------
    a, b : array_like
        The arrays. One without axes is a factor.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new array, or `out`.

    Raises
    ------
    ShapeError
        Where the two axes differ in size.

    Examples
    --------
    >>> import devarray as da
    >>> da.dot(da.asarray([1, 2, 3]), da.asarray([4, 5, 6])).item()
    32
    """
    require_array("dot", a, b)
    if a.ndim == 0 or b.ndim == 0:
        return _into("dot", a * b, out)
    if a.ndim <= 2 and b.ndim <= 2:
        return _into("dot", matmul(a, b), out)
    return _into("dot", tensordot(a, b, axes=((a.ndim - 1,), (max(b.ndim - 2, 0),))), out)


def _into(name: str, result: Array, out: Array | None) -> Array:
    """The result, or `out` with it, which NumPy's BLAS functions want to be just like it and in C order."""
    if isinstance(out, Array) and (out.dtype != result.dtype or out.ndim != result.ndim or not out.is_c_contiguous()):
        raise ValueError(
            f"{name}: out has dtype {out.dtype}, {out.ndim} axes and strides {out.strides}; it is a C-ordered array of "
            f"dtype {result.dtype} and shape {result.shape}"
        )
    return write_out(name, result, out)


def inner(a: Array, b: Array, /) -> Array:
    """NumPy's ``inner``: sums of products over the last axes.

    Parameters
    ----------
    a, b : array_like
        The arrays. One without axes is a factor.

    Returns
    -------
    Array
        A new array of shape ``a.shape[:-1] + b.shape[:-1]``.

    Raises
    ------
    ShapeError
        Where the last axes differ in size.

    Examples
    --------
    >>> import devarray as da
    >>> da.inner(da.asarray([[1, 2], [3, 4]]), da.asarray([1, 10])).copy_to_host()
    array([21, 43])
    """
    require_array("inner", a, b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.ndim == b.ndim == 1 and a.shape == b.shape and a.device.strategy == "cpu":
        return matmul(a, b)
    if a.ndim == b.ndim == 2 and a.shape[1] == b.shape[1]:
        return matmul(a, b.T)
    return _core.as_value(tensordot(a, b, axes=((a.ndim - 1,), (b.ndim - 1,))))


def vdot(a: Array, b: Array, /) -> Array:
    """NumPy's ``vdot``: the sum of ``conj(a) * b`` over all elements.

    Parameters
    ----------
    a, b : array_like
        Of as many elements; flattened.

    Returns
    -------
    Array
        Without axes.

    Raises
    ------
    ShapeError
        Where the arrays do not have as many elements.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.vdot(da.asarray([1j, 2]), da.asarray([1j, 1])).item()
    (3+0j)
    """
    a, b = require_operands("vdot", a, b)
    x, y = (x if x.ndim == 1 else x.reshape(-1) for x in (a, b))
    if _suits_blas(x, y):
        return _vecdot_on_host(x, y)
    suits = x.dtype == y.dtype and x.dtype.char in "fd" and x.shape == y.shape and x.size
    # Of what is pending, the kernel of the sum computes the elements
    if suits and x.device.strategy == "cpu" and not (x.pending or y.pending):
        return x @ y
    return _sum_of_products("vdot", x, y, -1)


def _suits_blas(x: Array, y: Array) -> bool:
    """Whether these are complex vectors of a CPU: its kernels of complex sums do not come near BLAS."""
    return (
        x.dtype.kind == "c"
        and x.dtype == y.dtype
        and x.shape[-1] == y.shape[-1]
        and x.size > 0
        and y.size > 0
        and x.device.strategy == "cpu"
    )


def _fill_rows(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    def rows(begin: int, end: int) -> None:
        np.vecdot(x[begin:end], y[begin:end], out=out[begin:end])

    each_block(rows, len(out), prod(x.shape[1:]))


def _vecdot_on_host(x: Array, y: Array) -> Array:
    """Sums of ``conj(x) * y`` along the last axes, by NumPy."""
    quick = _core.on_host(np.vecdot, x, y)
    if quick is not None:
        return quick
    shape = _core.broadcast_shapes(x.shape, y.shape)[:-1]

    def fill(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
        if shape:
            space = (*shape, x.shape[-1])
            _fill_rows(np.broadcast_to(x, space), np.broadcast_to(y, space), out)
            return
        whole = len(x) // _PIECE * _PIECE
        parts = np.empty(whole // _PIECE + 1, x.dtype)
        _fill_rows(x[:whole].reshape(-1, _PIECE), y[:whole].reshape(-1, _PIECE), parts[:-1])
        parts[-1] = np.vecdot(x[whole:], y[whole:])
        out[...] = parts.sum()

    return _core.as_value(through_host("vecdot", fill, [x, y], shape, x.dtype))


def kron(a: Array, b: Array) -> Array:
    """Kronecker product: a copy of `b` for each element of `a`, times it.

    Parameters
    ----------
    a, b : array_like
        The arrays; axes of size 1 are put in front of the one that has fewer.

    Returns
    -------
    Array
        A new array, whose sizes are the products of the operands' sizes.

    Raises
    ------
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.kron(da.asarray([1, 10]), da.asarray([1, 2, 3])).copy_to_host()
    array([ 1,  2,  3, 10, 20, 30])
    """
    a, b = require_operands("kron", a, b)
    ndim = max(a.ndim, b.ndim)
    first, second = (1,) * (ndim - a.ndim) + a.shape, (1,) * (ndim - b.ndim) + b.shape
    spread = a.reshape(tuple(size for pair in zip(first, (1,) * ndim, strict=True) for size in pair))
    product = spread * b.reshape(tuple(size for pair in zip((1,) * ndim, second, strict=True) for size in pair))
    return product.reshape(tuple(i * j for i, j in zip(first, second, strict=True)))


def tensordot(a: Array, b: Array, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Array:
    """Sums of products over pairs of axes.

    Parameters
    ----------
    a, b : array_like
        The arrays.
    axes : int or pair of sequences of int
        How many of the last axes of `a` are paired with the first ones of `b`, in order (2 by default); or the axes
        of each.

    Returns
    -------
    Array
        A new array with the other axes of `a`, then the other axes of `b`.

    Raises
    ------
    ShapeError
        Where paired axes differ in size, or do not come in pairs.
    AxisError
        For an axis that an array does not have.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.ones((2, 3, 4))
    >>> da.tensordot(x, x, axes=((0, 2), (0, 2))).copy_to_host()
    array([[8., 8., 8.],
           [8., 8., 8.],
           [8., 8., 8.]])
    """
    a, b = require_operands("tensordot", a, b)
    first, second = _paired_axes(a, b, axes)
    for i, j in zip(first, second, strict=True):
        if a.shape[i] != b.shape[j]:
            raise ShapeError(
                f"tensordot: shape-mismatch for sum: shapes {a.shape} and {b.shape} not aligned: {a.shape[i]} (dim "
                f"{i}) != {b.shape[j]} (dim {j})"
            )
    kept1 = [i for i in range(a.ndim) if i not in first]
    kept2 = [j for j in range(b.ndim) if j not in second]
    rows, columns = [a.shape[i] for i in kept1], [b.shape[j] for j in kept2]
    depth = prod(a.shape[i] for i in first)
    left = _core.permute(a, [*kept1, *first]).reshape((prod(rows), depth))
    right = _core.permute(b, [*second, *kept2]).reshape((depth, prod(columns)))
    return matmul(left, right).reshape((*rows, *columns))


def _paired_axes(x1: Array, x2: Array, axes: Any) -> tuple[list[int], list[int]]:
    if hasattr(axes, "__index__"):
        count = operator.index(axes)
        if not 0 <= count <= min(x1.ndim, x2.ndim):
            raise ShapeError(f"tensordot: {count} axes cannot be paired for {x1.ndim} and {x2.ndim} dimensions")
        return list(range(x1.ndim - count, x1.ndim)), list(range(count))
    given1, given2 = axes
    first, second = normalize_axes(given1, x1.ndim), normalize_axes(given2, x2.ndim)
    if len(first) != len(second):
        raise ShapeError(f"tensordot: shape-mismatch for sum: axes come in pairs, not {len(first)} and {len(second)}")
    return first, second
