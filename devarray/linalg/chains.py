"""Products of several matrices: multi_dot."""

from __future__ import annotations

from collections.abc import Sequence

from devarray import _core
from devarray._array.out import write_out
from devarray._primitives.checks import require_array
from devarray.array import Array
from devarray.errors import LinAlgError, ValueError
from devarray.linalg.products import matmul
from devarray.linalg.vector_products import dot

__all__ = ["multi_dot"]


def multi_dot(arrays: Sequence[Array], *, out: Array | None = None) -> Array:
    """Product of two or more matrices, in the order of evaluation that takes the fewest multiplications.

    Parameters
    ----------
    arrays : sequence of array_like
        Two-dimensional; the first and the last one may be vectors. Of two arrays :func:`dot` is the product.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new array.

    Raises
    ------
    ValueError
        For fewer than two arrays.
    LinAlgError
        For more than two arrays that are no matrices.
    ShapeError
        Where the shapes do not fit.

    Examples
    --------
    >>> import devarray as da
    >>> a, b, c = da.ones((2, 3)), da.ones((3, 4)), da.ones((4,))
    >>> da.linalg.multi_dot([a, b, c]).copy_to_host()
    array([12., 12.])
    """
    arrays = list(arrays)
    require_array("multi_dot", *arrays)
    if len(arrays) < 2:
        raise ValueError("multi_dot: Expecting at least two arrays.")
    if len(arrays) == 2 and not all(x.ndim in (1, 2) for x in arrays):
        return dot(arrays[0], arrays[1], out)
    for number, x in enumerate(arrays):
        if x.ndim != 2 and not (x.ndim == 1 and number in (0, len(arrays) - 1)):
            raise LinAlgError(
                f"multi_dot: {x.ndim}-dimensional array given. Array must be two-dimensional, or a vector as the first "
                "or the last one"
            )
    rows = 1 if arrays[0].ndim == 1 else arrays[0].shape[0]
    sizes = [rows, *(x.shape[0] if x.ndim == 1 and i else x.shape[-1] for i, x in enumerate(arrays))]
    if arrays[-1].ndim == 1:
        sizes[-2:] = [arrays[-1].shape[0], 1]
    split = _cheapest_order(sizes)

    def product(first: int, last: int) -> Array:
        if first == last:
            return arrays[first]
        at = split[first, last]
        return matmul(product(first, at), product(at + 1, last))

    return write_out("multi_dot", _core.as_value(product(0, len(arrays) - 1)), out)


def _cheapest_order(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where to split each product of neighbouring matrices (dynamic programming; Cormen et al., chapter 14.2)."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    split: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            cost[i, j], split[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )
    return split
