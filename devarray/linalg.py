"""Products of matrices. CPU devices use NumPy's BLAS over mapped memory; GPUs a tiled kernel."""

from __future__ import annotations

import numpy as np

from devarray import _core
from devarray.array import Array, set_matmul
from devarray.errors import DeviceError, DTypeError, ShapeError
from devarray.host import through_host

__all__ = ["matmul"]


def matmul(x1: Array, x2: Array, /) -> Array:
    """Matrix product over the last two axes, broadcast over the others.

    Parameters
    ----------
    x1, x2 : Array
        One-dimensional ones are vectors: a row on the left, a column on the right, and that axis is dropped.

    Returns
    -------
    Array
        Of the operands' promoted dtype.

    Raises
    ------
    ShapeError, DTypeError, DeviceError

    Examples
    --------
    >>> import devarray as da
    >>> x = da.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> da.matmul(x, x).copy_to_host()
    array([[ 7., 10.],
           [15., 22.]])
    """
    for x in (x1, x2):
        if not isinstance(x, Array):
            raise DTypeError(f"matmul takes device arrays, not {type(x).__name__}; use asarray() first")
        if x.ndim == 0:
            raise ShapeError("matmul: 0-dimensional arrays have no matrix product; use *")
    if x1.device is not x2.device:
        raise DeviceError(f"matmul got arrays of {x1.device} and of {x2.device}; move one with to_device()")
    dtype = _core.promote(x1.dtype, x2.dtype)
    left = x1.reshape(1, -1) if x1.ndim == 1 else x1
    right = x2.reshape(-1, 1) if x2.ndim == 1 else x2
    if left.shape[-1] != right.shape[-2]:
        raise ShapeError(
            f"matmul: shapes {x1.shape} and {x2.shape} do not fit: {left.shape[-1]} columns, {right.shape[-2]} rows"
        )
    batch = _core.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    shape = (*batch, left.shape[-2], right.shape[-1])
    if left.shape[-1] == 0:
        result = _core.full(shape, dtype, 0, x1.queue, x1.allocator)
    else:
        result = _product(left.astype(dtype, copy=False), right.astype(dtype, copy=False), shape, dtype)
    if x1.ndim == 1:
        result = result.reshape((*shape[:-2], shape[-1]))
    if x2.ndim == 1:
        result = result.reshape(result.shape[:-1])
    return result


def _product(left: Array, right: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array:
    if left.device.type == "cpu":
        return through_host("matmul", _numpy_matmul, [left, right], shape, dtype)
    from devarray.codegen import matmul as template
    from devarray.compiler import dialect
    from devarray.planned import run, view_of

    result = _core.empty_at(left, shape, dtype)
    if result.size:
        left = _core.broadcast_to(left, (*shape[:-2], *left.shape[-2:]))
        right = _core.broadcast_to(right, (*shape[:-2], *right.shape[-2:]))
        plan = template.plan_matmul(
            view_of("a", left), view_of("b", right), view_of("out", result), dialect(left.device)
        )
        run(plan, {"out": result, "a": left, "b": right}, {"out"})
    return result


def _numpy_matmul(a: np.ndarray, b: np.ndarray, out: np.ndarray) -> None:
    if out.dtype.kind == "b":
        out[...] = np.matmul(a, b)
    else:
        np.matmul(a, b, out=out)


set_matmul(matmul)
