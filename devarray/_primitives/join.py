"""Joining: `concat` along an existing axis, `stack` along a new one, and the checks of their arguments.

Both compute the result's shape and dtype, allocate it once, and write the arrays into their parts of it: those that
share what they are computed from by one launch (csrc/engine/parts.cpp).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.order import axes_as_all_lie, made_along
from devarray._array.out import write_out
from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array, normalize_axis
from devarray.errors import DTypeError, ShapeError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = ["common_dtype", "concat", "parts", "stack"]

_ROW = 256
"""Host memory of the Array object of one row, in bytes, roughly."""


def common_dtype(arrays: Sequence[Array]) -> np.dtype:
    dtypes = dict.fromkeys(a.dtype for a in arrays)
    if len(dtypes) > 2 and all(dtype.isbuiltin == 1 for dtype in dtypes):  # of several, not of one after the other
        return np.result_type(*dtypes)
    dtype = arrays[0].dtype
    for other in dtypes:
        dtype = _core.promote(dtype, other)
    return dtype


def parts(arrays: Iterable[Any]) -> list[Any]:
    """The arrays to join, as a list.

    Iterating over an Array makes an object of each row, and joining them copies all: it is refused before that where
    the objects or the copy need more memory than there is.
    """
    if isinstance(arrays, Array) and arrays.ndim:
        row = arrays.itemsize * prod(arrays.shape[1:])
        _core.require_room(len(arrays) * max(row, _ROW), arrays.queue, arrays.allocator)
    return list(arrays)


def _require_arrays(arrays: Sequence[Any], what: str) -> None:
    if not arrays:
        raise ShapeError(f"{what}: need at least one array to {'stack' if what == 'stack' else 'concatenate'}")
    for a in arrays:
        if not isinstance(a, Array):
            raise DTypeError(f"{what} takes device arrays, not {type(a).__name__}; use asarray() first")


def misfit(first: tuple[int, ...], shape: tuple[int, ...], number: int, axis: int) -> str:
    """NumPy's words for the array of that number, whose shape differs from the first one's outside an axis."""
    if len(first) != len(shape):
        return (
            f"all the input arrays must have same number of dimensions, but the array at index 0 has {len(first)} "
            f"dimension(s) and the array at index {number} has {len(shape)} dimension(s)"
        )
    wrong = next(i for i, (m, n) in enumerate(zip(first, shape, strict=True)) if i != axis and m != n)
    return (
        "all the input array dimensions except for the concatenation axis must match exactly, but along dimension "
        f"{wrong}, the array at index 0 has size {first[wrong]} and the array at index {number} has size {shape[wrong]}"
    )


def _joined_records(name: str, arrays: Sequence[Any], axis: int | None, join: Callable[..., Array]) -> Any:
    """Join arrays of records, all of one dtype, by joining their bytes."""
    first = arrays[0]
    for a in arrays:
        if not isinstance(a, OpaqueArray) or a.dtype != first.dtype:
            raise DTypeError(f"{name} joins records of one dtype, {first.dtype}; {getattr(a, 'dtype', a)} was given")
    if axis is None:
        arrays, axis = [a.ravel() for a in arrays], 0
    place = normalize_axis(axis, first.ndim + (name == "stack"))
    return first._of(join([a.bytes for a in arrays], place), first.dtype)


def concat(
    arrays: Sequence[Array],
    /,
    axis: int | None = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Array:
    """Arrays joined along an axis; flattened first where it is None.

    Parameters
    ----------
    arrays : sequence of array_like
        At least one. Their shapes may differ along `axis` only.
    axis : int, optional
        The axis to join along, the first by default. None: the arrays are flattened first.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the arrays' cast to.
    dtype : dtype, optional
        Of the result; by default the dtype that the arrays' promote to. Not together with `out`.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for the casts to `dtype` or into `out`. "same_kind" by default.

    Returns
    -------
    Array
        A new array, in the memory order that the arrays share; or `out`.

    Raises
    ------
    ShapeError
        Where there are no arrays, they have no axes, or their shapes differ elsewhere.
    DTypeError
        For what is not an array, casts that the rule does not allow, and `dtype` beside `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.concat([da.zeros(1), da.ones(2)]).copy_to_host()
    array([0., 1., 1.])
    """
    joined = _core.join(arrays, axis, False) if out is None and dtype is None and casting == "same_kind" else None
    if joined is not None:
        return joined
    arrays = parts(arrays)
    if arrays and isinstance(arrays[0], OpaqueArray):
        return _joined_records("concat", arrays, axis, concat)
    _require_arrays(arrays, "concat")
    if axis is None:
        arrays = [a.reshape(-1) for a in arrays]
        axis = 0
    first = arrays[0]
    if first.ndim == 0:
        raise ShapeError("zero-dimensional arrays cannot be concatenated: they have no axis to join along; use stack")
    axis = normalize_axis(axis, first.ndim)
    for number, a in enumerate(arrays[1:], 1):
        if a.ndim != first.ndim or any(
            i != axis and size != other for i, (size, other) in enumerate(zip(a.shape, first.shape, strict=True))
        ):
            raise ShapeError(
                f"{misfit(first.shape, a.shape, number, axis)}: shapes {first.shape} and {a.shape} differ outside axis "
                f"{axis}"
            )
    shape = list(first.shape)
    shape[axis] = sum(a.shape[axis] for a in arrays)
    result = _target("concat", arrays, shape, None, out, dtype, casting)
    _core.join_into(result, arrays, axis, False)
    return result if result is out else write_out("concat", result, out, casting=casting)


def _target(
    name: str,
    arrays: Sequence[Array],
    shape: Sequence[int],
    new_axis: int | None,
    out: Array | None,
    dtype: Any,
    casting: Any,
) -> Array:
    """What arrays are joined into: `out` where none of them looks at its memory, else a new array as they lie."""
    if dtype is not None and out is not None:
        raise DTypeError(
            f"{name}: concatenate() only takes `out` or `dtype` as an argument, but both were provided: the dtype of "
            "`out` is that of the result"
        )
    wanted = out.dtype if isinstance(out, Array) else dtype
    target = common_dtype(arrays) if wanted is None else wanted
    for a in arrays if wanted is not None or casting != "same_kind" else ():
        if not np.can_cast(a.dtype, target, casting):
            raise DTypeError(
                f"{name}: Cannot cast array data from {a.dtype!r} to {np.dtype(target)!r} according to the rule "
                f"{casting!r}"
            )
    if isinstance(out, Array) and out.shape == tuple(shape) and out.device is arrays[0].device:
        seen: Array = out
        if not any(a.pending or _core.shares_memory(a, seen) for a in arrays):
            return seen
    # To ask how a pending array lies would compute it apart from its store into the result.
    if len(shape) < 2 or any(a.pending for a in arrays) or all(_core.is_contiguous(a, "C") for a in arrays):
        return _core.empty_at(arrays[0], shape, target)
    forms = [(list(a.shape), list(a.strides)) for a in arrays]
    if new_axis is not None:
        for sizes, strides in forms:
            sizes.insert(new_axis, 1)
            strides.insert(new_axis, 0)
    return made_along(lambda dims: _core.empty_at(arrays[0], dims, target), shape, axes_as_all_lie(forms))


def stack(
    arrays: Sequence[Array],
    axis: int = 0,
    out: Array | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Array:
    """Arrays of one shape joined along a new axis.

    Parameters
    ----------
    arrays : sequence of array_like
        At least one, all of one shape.
    axis : int
        Where the new axis is in the result. 0 by default.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the arrays' cast to.
    dtype : dtype, optional
        Of the result; by default the dtype that the arrays' promote to. Not together with `out`.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for the casts to `dtype` or into `out`. "same_kind" by default.

    Returns
    -------
    Array
        A new array of one axis more, or `out`.

    Raises
    ------
    ShapeError
        Where there are no arrays, or their shapes differ.
    DTypeError
        For casts that the rule does not allow, and `dtype` beside `out`.
    AxisError
        For an axis that the result does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.stack([da.zeros(2), da.ones(2)]).copy_to_host()
    array([[0., 0.],
           [1., 1.]])
    """
    joined = _core.join(arrays, axis, True) if out is None and dtype is None and casting == "same_kind" else None
    if joined is not None:
        return joined
    arrays = parts(arrays)
    if arrays and isinstance(arrays[0], OpaqueArray):
        return _joined_records("stack", arrays, axis, stack)
    _require_arrays(arrays, "stack")
    first = arrays[0]
    for a in arrays[1:]:
        if a.shape != first.shape:
            raise ShapeError(f"all input arrays must have the same shape: stack got shapes {first.shape} and {a.shape}")
    axis = normalize_axis(axis, first.ndim + 1)
    shape = list(first.shape)
    shape.insert(axis, len(arrays))
    result = _target("stack", arrays, shape, axis, out, dtype, casting)
    _core.join_into(result, arrays, axis, True)
    return result if result is out else write_out("stack", result, out, casting=casting)
