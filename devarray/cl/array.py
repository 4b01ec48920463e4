"""Arrays under ``pyopencl.array``'s names: `devarray.Array` with PyOpenCL's methods, and functions that take a queue.

Examples
--------
>>> import numpy as np
>>> from devarray import cl
>>> import devarray.cl.array as cl_array
>>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
>>> x = cl_array.to_device(queue, np.arange(4, dtype=np.float32))
>>> (2 * x).get()
array([0., 2., 4., 6.], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import devarray as da
from devarray._kernels.driver_arrays import dtype_of
from devarray._primitives.checks import require_array
from devarray.cl._array import Array, queue_of, wrap
from devarray.errors import DTypeError, ValueError

if TYPE_CHECKING:
    from devarray._core import Queue
    from devarray._typing import ArrayLike, AxesLike, DTypeLike, ShapeLike

__all__ = [
    "Array",
    "all",
    "any",
    "arange",
    "as_strided",
    "concatenate",
    "cumsum",
    "diff",
    "dot",
    "empty",
    "empty_like",
    "hstack",
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "max",
    "maximum",
    "min",
    "minimum",
    "multi_put",
    "multi_take",
    "multi_take_put",
    "reshape",
    "stack",
    "subset_dot",
    "subset_max",
    "subset_min",
    "sum",
    "take",
    "to_device",
    "transpose",
    "vdot",
    "zeros",
    "zeros_like",
]


def to_device(queue: Queue | None, ary: Any, allocator: Any = None, async_: Any = None, **_: Any) -> Array:
    """A host array on the device of a queue."""
    if np.asarray(ary).dtype == object:
        raise DTypeError("to_device on object arrays does not work: devices hold numbers")
    return Array._of(da.asarray(ary, queue=queue_of(queue), allocator=allocator, copy=True))


def empty(queue: Any, shape: Any, dtype: Any, order: str = "C", allocator: Any = None, data: Any = None) -> Array:
    """An uninitialised array."""
    return Array(queue, shape, dtype, order, allocator, data)


def zeros(queue: Any, shape: Any, dtype: Any, order: str = "C", allocator: Any = None) -> Array:
    """An array of zeros."""
    return Array(queue, shape, dtype, order, allocator).fill(0)


def empty_like(ary: Array, queue: Queue | None = None, allocator: Any = None) -> Array:
    """An uninitialised array of another one's shape, dtype and place."""
    return wrap(da.empty_like(ary), ary)


def zeros_like(ary: Array) -> Array:
    """An array of zeros of another one's shape, dtype and place."""
    return wrap(da.zeros_like(ary), ary)


def arange(queue: Queue | None, *args: Any, dtype: DTypeLike | None = None, allocator: Any = None, **_: Any) -> Array:
    """Evenly spaced numbers."""
    made: Any = da.arange
    return Array._of(made(*args, dtype=dtype, queue=queue_of(queue), allocator=allocator).evaluate())


def take(a: Array, indices: Array, out: Array | None = None, queue: Queue | None = None, wait_for: Any = None) -> Array:
    """The elements at indices of the flat array."""
    require_array("take", a)
    found = da.take(a.ravel(), indices)
    if out is None:
        return wrap(found, a)
    out[...] = found
    return out


def _require_list(name: str, arrays: Any) -> None:
    if not isinstance(arrays, Sequence):
        raise DTypeError(f"{name} takes a list of device arrays, not {type(arrays).__name__}")
    require_array(name, *arrays)


def multi_take(arrays: Sequence[Array], indices: Array, out: Any = None, queue: Queue | None = None) -> list[Array]:
    """The elements at the same indices of several arrays."""
    _require_list("multi_take", arrays)
    return [take(a, indices, None if out is None else out[i]) for i, a in enumerate(arrays)]


def multi_put(
    arrays: Sequence[Array],
    dest_indices: Array,
    dest_shape: Any = None,
    out: Any = None,
    queue: Queue | None = None,
    **_: Any,
) -> list[Array]:
    """Arrays into which the elements of several arrays are put at the same indices."""
    _require_list("multi_put", arrays)
    use_fill = _.get("use_fill")
    if out is None:
        out = [empty(a.queue, dest_shape, a.dtype) for a in arrays]
    require_array("multi_put", *out)
    for i, (target, a) in enumerate(zip(out, arrays, strict=True)):
        place = target.reshape(-1)
        place[dest_indices] = a[0] if use_fill is not None and bool(np.asarray(_host(use_fill))[i]) else a
    return list(out)


def multi_take_put(
    arrays: Sequence[Array],
    dest_indices: Array,
    src_indices: Array,
    dest_shape: Any = None,
    out: Any = None,
    queue: Queue | None = None,
    src_offsets: Any = None,
) -> list[Array]:
    """Arrays into which elements of several arrays, from the same indices, are put at the same other indices."""
    _require_list("multi_take_put", arrays)
    if out is None:
        out = [empty(a.queue, dest_shape, a.dtype) for a in arrays]
    require_array("multi_take_put", *out)
    for i, (target, a) in enumerate(zip(out, arrays, strict=True)):
        places = src_indices if src_offsets is None else src_indices.astype(np.int64) + int(src_offsets[i])
        target.reshape(-1)[dest_indices] = take(a, places)
    return list(out)


def _host(x: Any) -> Any:
    return x.copy_to_host() if isinstance(x, da.Array) else x


def concatenate(arrays: Sequence[Array], axis: int = 0, queue: Queue | None = None, allocator: Any = None) -> Array:
    """Arrays joined along an axis."""
    _require_list("concatenate", arrays)
    return wrap(da.concatenate(list(arrays), axis=axis), arrays[0])


def hstack(arrays: Sequence[Array], queue: Queue | None = None) -> Array:
    """Arrays joined along the second axis, or the only one."""
    _require_list("hstack", arrays)
    if not arrays:
        raise ValueError("need at least one array to hstack")
    return wrap(da.hstack(list(arrays)), arrays[0])


def stack(arrays: Sequence[Array], axis: int = 0, queue: Queue | None = None) -> Array:
    """Arrays joined along a new axis."""
    _require_list("stack", arrays)
    if not arrays:
        raise ValueError("need at least one array to stack")
    return wrap(da.stack(list(arrays), axis=axis), arrays[0])


def diff(array: Array, queue: Queue | None = None, allocator: Any = None) -> Array:
    """Differences of neighbouring elements."""
    require_array("diff", array)
    return wrap(da.diff(array), array)


def transpose(a: Array, axes: AxesLike = None) -> Array:
    """A view with its axes in another order."""
    require_array("transpose", a)
    return a.transpose(axes)


def reshape(a: Array, shape: ShapeLike | None) -> Array:
    """The elements in another shape."""
    require_array("reshape", a)
    return a.reshape(shape)


def as_strided(ary: Array, shape: Any = None, strides: Any = None) -> Array:
    """A view of other sizes and strides."""
    require_array("as_strided", ary)
    return wrap(da.lib.stride_tricks.as_strided(ary, shape, strides), ary)


def if_positive(
    criterion: Array, then_: Any, else_: Any, out: Array | None = None, queue: Queue | None = None
) -> Array:
    """Elements of `then_` where the criterion is positive, else of `else_`."""
    if not isinstance(criterion, da.Array):
        return then_ if criterion > 0 else else_
    for x in (then_, else_):
        if isinstance(x, da.Array) and x.shape not in (criterion.shape, ()):
            raise ValueError("shapes do not match")
    found = da.where(criterion > 0, then_, else_)
    if out is None:
        return wrap(found, criterion)
    out[...] = found
    return out


def _binary(function: Any, a: Any, b: Any, out: Any) -> Any:
    like = a if isinstance(a, Array) else b
    if not isinstance(like, Array):
        return function(a, b)
    made = function(a, b)
    if out is None:
        return wrap(made, like)
    out[...] = made
    return out


def maximum(a: ArrayLike, b: ArrayLike, out: Any = None, queue: Queue | None = None) -> Any:
    """The greater of two arrays' elements."""
    return _binary(da.maximum, a, b, out) if _any_array(a, b) else np.maximum(a, b)


def minimum(a: ArrayLike, b: ArrayLike, out: Any = None, queue: Queue | None = None) -> Any:
    """The lesser of two arrays' elements."""
    return _binary(da.minimum, a, b, out) if _any_array(a, b) else np.minimum(a, b)


def _any_array(*values: Any) -> bool:
    return isinstance(values[0], da.Array) or isinstance(values[-1], da.Array)


def logical_and(x1: ArrayLike, x2: ArrayLike, /, out: Any = None, queue: Queue | None = None) -> Any:
    """Whether both elements are not zero."""
    return _binary(da.logical_and, x1, x2, out) if _any_array(x1, x2) else np.logical_and(x1, x2)


def logical_or(x1: ArrayLike, x2: ArrayLike, /, out: Any = None, queue: Queue | None = None) -> Any:
    """Whether one of the elements is not zero."""
    return _binary(da.logical_or, x1, x2, out) if _any_array(x1, x2) else np.logical_or(x1, x2)


def logical_not(x: ArrayLike, /, out: Any = None, queue: Queue | None = None) -> Any:
    """Whether elements are zero."""
    if not isinstance(x, da.Array):
        return np.logical_not(x)
    made = da.logical_not(x)
    if out is None:
        return wrap(made, x)
    out[...] = made
    return out


def sum(
    a: Array,
    dtype: DTypeLike | None = None,
    queue: Queue | None = None,
    slice: Any = None,
    initial: object = np._NoValue,
    **_: Any,
) -> Array:
    """The sum of all elements, in the array's own dtype, as a 0-d array."""
    require_array("sum", a)
    return _reduced(da.sum, a, slice, initial, dtype=dtype or a.dtype)


def any(a: Array, queue: Queue | None = None, wait_for: Any = None) -> Array:
    """Whether an element is not zero, as a 0-d array."""
    require_array("any", a)
    return a.any()


def all(a: Array, queue: Queue | None = None, wait_for: Any = None) -> Array:
    """Whether all elements are not zero, as a 0-d array."""
    require_array("all", a)
    return a.all()


def max(a: Array, queue: Queue | None = None, initial: object = np._NoValue) -> Array:
    """The greatest element, as a 0-d array."""
    require_array("max", a)
    return _reduced(da.max, a, None, initial)


def min(a: Array, queue: Queue | None = None, initial: object = np._NoValue) -> Array:
    """The least element, as a 0-d array."""
    require_array("min", a)
    return _reduced(da.min, a, None, initial)


def _reduced(function: Any, a: Array, slice: Any, initial: object, **kwargs: Any) -> Array:
    part = a if slice is None else a.ravel()[slice]
    if initial is not np._NoValue:
        kwargs["initial"] = initial
    return wrap(function(part, **kwargs), a)


def dot(a: Array, b: Array, dtype: DTypeLike | None = None, queue: Queue | None = None, slice: Any = None) -> Array:
    """The sum of the products of all elements."""
    require_array("dot", a, b)
    return _dot(a, b, dtype, slice)


def vdot(a: Array, b: Array, dtype: DTypeLike | None = None, queue: Queue | None = None, slice: Any = None) -> Array:
    """The sum of the products of all elements, those of the first conjugated."""
    require_array("vdot", a, b)
    return _dot(a.conj() if a.dtype.kind == "c" else a, b, dtype, slice)


def _dot(a: Array, b: Array, dtype: DTypeLike | None, slice: Any) -> Array:
    left, right = (a, b) if slice is None else (a.ravel()[slice], b.ravel()[slice])
    return wrap(da.sum(left * right, dtype=dtype or dtype_of(a, b)), a)


def subset_dot(
    subset: Array, a: Array, b: Array, dtype: DTypeLike | None = None, queue: Queue | None = None, slice: Any = None
) -> Array:
    """The sum of the products of the elements at some indices."""
    require_array("subset_dot", subset)
    places = subset if slice is None else subset[slice]
    return _dot(take(a, places), take(b, places), dtype, None)


def subset_max(subset: Array, a: Array, queue: Queue | None = None, slice: Any = None) -> Array:
    """The greatest of the elements at some indices."""
    require_array("subset_max", subset)
    return max(take(a, subset if slice is None else subset[slice]))


def subset_min(subset: Array, a: Array, queue: Queue | None = None, slice: Any = None) -> Array:
    """The least of the elements at some indices."""
    require_array("subset_min", subset)
    return min(take(a, subset if slice is None else subset[slice]))


def cumsum(
    a: Array, output_dtype: Any = None, queue: Queue | None = None, wait_for: Any = None, return_event: bool = False
) -> Any:
    """Running sums, in the array's own dtype."""
    require_array("cumsum", a)
    made = wrap(da.cumsum(a, dtype=output_dtype or a.dtype), a)
    return (made._place_queue().record(), made) if return_event else made
