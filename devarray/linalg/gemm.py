"""Matrix products by cuBLAS, from views of any strides that BLAS can express.

cuBLAS works in column-major order. A product in row-major order is the product of the transposed factors in reverse
order: the right operand goes first, and the result is written as it should lie.
"""

from __future__ import annotations

from itertools import product as tuples

import numpy as np

from devarray import _core
from devarray.array import Array
from devarray.codegen.kernels.launches import collapse
from devarray.cuda import cublas

__all__ = ["order_of", "product"]

_LIMIT = 2**31 - 1  # sizes and leading dimensions are int

# One and zero in the dtype of the computation, by address.
_SCALARS = {
    name: (np.ones(1, wide), np.zeros(1, wide))
    for name, wide in (
        ("float16", np.float32),
        ("float32", np.float32),
        ("float64", np.float64),
        ("complex64", np.complex64),
        ("complex128", np.complex128),
    )
}
_ONE_AND_ZERO = {name: (one.ctypes.data, zero.ctypes.data) for name, (one, zero) in _SCALARS.items()}


def order_of(shape: tuple[int, ...], strides: tuple[int, ...], size: int) -> tuple[int, int] | None:
    """How BLAS sees the last two axes of a view: (operation, leading dimension), or None where it cannot.

    Parameters
    ----------
    shape, strides : tuple of int
        Strides in bytes.
    size : int
        Bytes of an element.

    Returns
    -------
    tuple of int or None
        Operation 0 where elements of a row are neighbours, 1 where those of a column are.

    Examples
    --------
    >>> order_of((2, 3), (12, 4), 4), order_of((3, 2), (4, 12), 4), order_of((2, 3), (24, 8), 4)
    ((0, 3), (1, 3), None)
    """
    rows, columns = shape[-2:]
    down, right = strides[-2:]
    if right == size or columns == 1:
        if rows == 1:
            return cublas.NO, columns
        if down >= columns * size and down % size == 0:
            return cublas.NO, down // size
    if down == size or rows == 1:
        if columns == 1:
            return cublas.TRANSPOSE, rows
        if right >= rows * size and right % size == 0:
            return cublas.TRANSPOSE, right // size
    return None


def _expressible(x: Array) -> tuple[Array, int, int]:
    """A view that BLAS can read, copied where it cannot, with its operation and leading dimension."""
    order = order_of(x.shape, x.strides, x.itemsize)
    if order is None or any(step < 0 or step % x.itemsize for step in x.strides[:-2]):
        x = _core.contiguous(x)
        order = (cublas.NO, x.shape[-1])
    return x, *order


def product(left: Array, right: Array, shape: tuple[int, ...], dtype: np.dtype) -> Array | None:
    """``left @ right`` of floating-point matrices of one dtype, or None where sizes are beyond cuBLAS' integers.

    Parameters
    ----------
    left, right : Array
        Of at least two dimensions; the inner size is not 0.
    shape : tuple of int
        Of the result, its leading dimensions broadcast.
    """
    result = _core.empty_at(left, shape, dtype)
    if result.size == 0:
        return result
    left, left_op, left_step = _expressible(left)
    right, right_op, right_step = _expressible(right)
    m, n = shape[-2:]
    depth = left.shape[-1]
    if max(m, n, depth, left_step, right_step) > _LIMIT:
        return None
    name = dtype.name
    data, compute = cublas.DATA[name], cublas.COMPUTE[name]
    one, zero = _ONE_AND_ZERO[name]
    queue = left.queue

    if len(shape) == 2:

        def run(a: int, b: int, c: int) -> None:
            cublas.gemm_ex(
                *(cublas.handle(queue), right_op, left_op, n, m, depth, one),
                *(b, data, right_step, a, data, left_step, zero, c, data, n, compute, -1),
            )

        _core.enqueue(run, (left, right, result), 0b100)
        return result

    batch = shape[:-2]
    strides = [_batch_strides(x, batch) for x in (left, right, result)]
    sizes, (left_steps, right_steps, steps) = collapse(batch, strides)
    size = dtype.itemsize
    rows_merge = left_op == cublas.NO and left_steps[0] == m * left_step * size and sizes[0] * m <= _LIMIT
    if len(sizes) == 1 and right_steps[0] == 0 and rows_merge:  # one matrix for a stack of rows: a single product
        m, sizes, left_steps, right_steps, steps = sizes[0] * m, (1,), (0,), (0,), (0,)
    *outer, count = sizes

    def run_stack(a: int, b: int, c: int) -> None:
        handle = cublas.handle(queue)
        for index in tuples(*map(range, outer)):
            at_a, at_b, at_c = (
                sum(i * step for i, step in zip(index, own, strict=False)) for own in (left_steps, right_steps, steps)
            )
            cublas.gemm_strided_batched_ex(
                *(handle, right_op, left_op, n, m, depth, one),
                *(b + at_b, data, right_step, right_steps[-1] // size),
                *(a + at_a, data, left_step, left_steps[-1] // size),
                *(zero, c + at_c, data, n, steps[-1] // size, count, compute, -1),
            )

    _core.enqueue(run_stack, (left, right, result), 0b100)
    return result


def _batch_strides(x: Array, batch: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of the leading axes, 0 along those that are broadcast."""
    own = [stride if size > 1 else 0 for size, stride in zip(x.shape[:-2], x.strides[:-2], strict=True)]
    return (*([0] * (len(batch) - len(own))), *own)
