"""Products of vectors and matrices. CPU devices use NumPy's BLAS over mapped memory, CUDA cuBLAS, other GPUs a tiled
kernel of our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.out import write_out
from devarray._primitives.host import through_host
from devarray._primitives.planned import run_planned
from devarray.array import Array, reduce
from devarray.errors import ShapeError
from devarray.linalg.backend import has_cublas
from devarray.linalg.checks import require_operands
from devarray.linalg.keywords import with_keywords

if TYPE_CHECKING:
    from devarray.codegen.kernels.launches import Plan, View
    from devarray.codegen.language.dialect import Dialect

__all__ = ["matmul", "matvec", "vecmat"]


def matmul(
    x1: Array,
    x2: Array,
    /,
    out: Array | None = None,
    *,
    axes: Sequence[int] | None = None,
    axis: int | None = None,
    keepdims: bool = False,
    casting: Any = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
    sig: Any = None,
) -> Array:
    """Matrix product over the last two axes, broadcast over the others.

    Parameters
    ----------
    x1, x2 : array_like
        A one-dimensional operand is a vector: a row on the left, a column on the right, and that axis is dropped.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    axes : list of tuple of int, optional
        The axes of both operands and of the result that the product is about, in place of the last ones.
    axis : int, optional
        NumPy's, for :func:`vecdot` alone.
    keepdims : bool
        NumPy's, for :func:`vecdot` alone. False by default.
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
        A new array of the dtype that the operands' promote to, or `out`.

    Raises
    ------
    ShapeError
        Where the shapes do not fit, or an operand has no axis.
    DTypeError
        For what is no array.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> da.matmul(x, x).copy_to_host()
    array([[ 7., 10.],
           [15., 22.]])
    """
    if (
        axes is not None
        or axis is not None
        or dtype is not None
        or signature is not None
        or sig is not None
        or order != "K"
        or keepdims
        or casting != "same_kind"
    ):
        keywords = (out, axes, axis, keepdims, casting, order, dtype, signature, sig)
        return with_keywords("matmul", matmul, x1, x2, *keywords)
    quick = _core.gemm(x1, x2)
    if quick is not None:
        inner = (x1.ndim > 1) + (x2.ndim > 1)
        return write_out("matmul", quick, out, casting=casting, spread=True, inner=inner)
    require_operands("matmul", x1, x2)
    first, second = x1.ndim, x2.ndim
    if first == 0 or second == 0:
        raise ShapeError(
            f"matmul: Input operand {int(first > 0)} does not have enough dimensions: 0-dimensional arrays have no "
            "matrix product; use *"
        )
    dtype = x1.dtype
    if x2.dtype != dtype:
        dtype = _core.promote(dtype, x2.dtype)
        return matmul(x1.astype(dtype, copy=False), x2.astype(dtype, copy=False), out)
    left = x1[None, :] if first == 1 else x1
    right = x2[:, None] if second == 1 else x2
    m, depth = left.shape[-2:]
    rows, n = right.shape[-2:]
    if depth != rows:
        raise ShapeError(
            f"matmul: Input operand 1 has a mismatch in its core dimension 0: shapes {x1.shape} and {x2.shape} not "
            f"aligned: {depth} columns, {rows} rows"
        )
    shape: tuple[int, ...] = (m, n)
    if left.ndim > 2 or right.ndim > 2:
        shape = (*_core.broadcast_shapes(left.shape[:-2], right.shape[:-2]), m, n)
    result = _product(left, right, shape, dtype)
    if first == 1:
        result = result[..., 0, :]
    if second == 1:
        result = _core.as_value(result[..., 0])
    inner = (first > 1) + (second > 1)
    return write_out("matmul", result, out, casting=casting, spread=True, inner=inner)


def _product(left: Array, right: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    if left.shape[-1] == 0:
        return _core.full(shape, dtype, 0, left.queue, left.allocator)
    if left.device.strategy == "cpu":
        return through_host("matmul", _numpy_matmul, [left, right], shape, dtype)
    floats = dtype.kind in "fc"
    vector = floats and 1 in shape[-2:]
    by_reduction = vector and (shape[-2:] == (1, 1) or (dtype == np.float32 and len(shape) == 2))
    if floats and not by_reduction and (left.device.driver != "cuda" or has_cublas()):
        result = _core.gemm(left, right)
        if result is not None:
            return result
    if vector:
        # A product with a vector reads its matrix once: a reduction that absorbs the multiplication runs at the
        # memory's speed, which a tiled product of one row does not, nor cuBLAS's of float32.
        return reduce(left[..., None] * right[..., None, :, :], "sum", -2, False, dtype, consume=True)
    result = _core.empty_at(left, shape, dtype)
    if result.size:
        if len(shape) > 2:
            left = _core.broadcast_to(left, (*shape[:-2], *left.shape[-2:]))
            right = _core.broadcast_to(right, (*shape[:-2], *right.shape[-2:]))
        run_planned(_plan_matmul, ("a", "b", "out"), (left, right, result))
    return result


def _plan_matmul(left: View, right: View, out: View, dialect: Dialect) -> Plan:
    from devarray.codegen.kernels.matmul import plan_matmul

    return plan_matmul(left, right, out, dialect)


def _numpy_matmul(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    if out.dtype == np.float16:  # which BLAS lacks: float32 is faster, and closer
        out[...] = np.matmul(a.astype(np.float32), b.astype(np.float32))
    elif out.dtype.kind == "b":
        out[...] = np.matmul(a, b)
    else:
        np.matmul(a, b, out=out)


def matvec(
    x1: Array,
    x2: Array,
    /,
    out: Array | None = None,
    *,
    axes: Sequence[int] | None = None,
    axis: int | None = None,
    keepdims: bool = False,
    casting: Any = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
    sig: Any = None,
) -> Array:
    """Products of matrices with vectors, broadcast over the other axes.

    Parameters
    ----------
    x1 : array_like
        The matrices, of shape ``(..., M, N)``.
    x2 : array_like
        The vectors, of shape ``(..., N)``.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    axes : list of tuple of int, optional
        The axes of both operands and of the result that the product is about, in place of the last ones.
    axis : int, optional
        NumPy's, for :func:`vecdot` alone.
    keepdims : bool
        NumPy's, for :func:`vecdot` alone. False by default.
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
        A new array of shape ``(..., M)``, or `out`.

    Raises
    ------
    ShapeError
        Where the shapes do not fit.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.matvec(da.asarray([[1, 2], [3, 4]]), da.asarray([[1, 10], [0, 1]])).copy_to_host()
    array([[21, 43],
           [ 2,  4]])
    """
    x1, x2 = require_operands("matvec", x1, x2)
    if (
        axes is not None
        or axis is not None
        or dtype is not None
        or signature is not None
        or sig is not None
        or order != "K"
        or keepdims
        or casting != "same_kind"
    ):
        keywords = (out, axes, axis, keepdims, casting, order, dtype, signature, sig)
        return with_keywords("matvec", matvec, x1, x2, *keywords)
    if x1.ndim < 2 or x2.ndim < 1:
        raise ShapeError(
            f"matvec: Input operand {int(x1.ndim > 1)} does not have enough dimensions: it takes matrices and vectors, "
            f"not arrays of {x1.ndim} and {x2.ndim} dimensions"
        )
    result = matmul(x1, x2[..., None])[..., 0]
    return write_out("matvec", result, out, casting=casting, spread=True, inner=1)


def vecmat(
    x1: Array,
    x2: Array,
    /,
    out: Array | None = None,
    *,
    axes: Sequence[int] | None = None,
    axis: int | None = None,
    keepdims: bool = False,
    casting: Any = "same_kind",
    order: str = "K",
    dtype: Any = None,
    subok: bool = True,
    signature: Any = None,
    sig: Any = None,
) -> Array:
    """Products of conjugated vectors with matrices, broadcast over the other axes.

    Parameters
    ----------
    x1 : array_like
        The vectors, of shape ``(..., M)``.
    x2 : array_like
        The matrices, of shape ``(..., M, N)``.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).
    axes : list of tuple of int, optional
        The axes of both operands and of the result that the product is about, in place of the last ones.
    axis : int, optional
        NumPy's, for :func:`vecdot` alone.
    keepdims : bool
        NumPy's, for :func:`vecdot` alone. False by default.
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
        A new array of shape ``(..., N)``, or `out`.

    Raises
    ------
    ShapeError
        Where the shapes do not fit.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.vecmat(da.asarray([1, 10]), da.asarray([[1, 2], [3, 4]])).copy_to_host()
    array([31, 42])
    """
    x1, x2 = require_operands("vecmat", x1, x2)
    if (
        axes is not None
        or axis is not None
        or dtype is not None
        or signature is not None
        or sig is not None
        or order != "K"
        or keepdims
        or casting != "same_kind"
    ):
        keywords = (out, axes, axis, keepdims, casting, order, dtype, signature, sig)
        return with_keywords("vecmat", vecmat, x1, x2, *keywords)
    if x1.ndim < 1 or x2.ndim < 2:
        raise ShapeError(
            f"vecmat: Input operand {int(x1.ndim > 0)} does not have enough dimensions: it takes vectors and matrices, "
            f"not arrays of {x1.ndim} and {x2.ndim} dimensions"
        )
    result = matmul((x1.conj() if x1.dtype.kind == "c" else x1)[..., None, :], x2)[..., 0, :]
    return write_out("vecmat", result, out, casting=casting, spread=True, inner=1)
