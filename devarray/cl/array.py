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
from devarray._primitives.checks import require_array
from devarray._runtime.records import is_record
from devarray.cl._array import Array, _copy_queue, require_elements, wrap  # noqa: F401 - arraycontext's name
from devarray.cl._array_elements import (
    if_positive,
    logical_and,
    logical_not,
    logical_or,
    maximum,
    minimum,
    multi_put,
    multi_take,
    multi_take_put,
    require_list,
    take,
)
from devarray.cl._array_names import (
    ArrayHasOffsetError,
    DoubleDowncastWarning,
    InconsistentOpenCLQueueWarning,
    VecLookupWarner,
    vec,
)
from devarray.cl._array_places import place_of
from devarray.cl._array_records import Records, records_class
from devarray.cl._array_reductions import (
    all,
    any,
    cumsum,
    dot,
    max,
    min,
    subset_dot,
    subset_max,
    subset_min,
    sum,
    vdot,
)
from devarray.errors import DTypeError, ValueError

if TYPE_CHECKING:
    from devarray._core import Queue
    from devarray._typing import AxesLike, DTypeLike, ShapeLike

__all__ = [
    "Array",
    "ArrayHasOffsetError",
    "DoubleDowncastWarning",
    "InconsistentOpenCLQueueWarning",
    "VecLookupWarner",
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
    "vec",
    "zeros",
    "zeros_like",
]


def to_device(
    queue: Queue | None, ary: object, allocator: object = None, async_: object = None, array_queue: Queue | None = None
) -> Array:
    """A host array on the device of a queue.

    Parameters
    ----------
    queue : CommandQueue
        Whose device the array lies on, and what orders its work.
    ary : array_like
        Numbers on the host.
    allocator : callable or memory resource, optional
        Where the memory comes from; the device's default by default.
    async_ : bool, optional
        Taken for PyOpenCL's sake.
    array_queue : CommandQueue, optional
        The array's attribute ``queue``; `queue` by default.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> cl_array.to_device(queue, np.arange(3)).get()
    array([0, 1, 2])
    """
    host = np.asarray(ary)
    if host.dtype == object:
        raise DTypeError("to_device on object arrays does not work: devices hold numbers")
    if is_record(host.dtype):
        return records_class(Array).of_host(queue, host, allocator, array_queue)
    return Array._of(da.asarray(ary, copy=True, **place_of(queue, allocator)), array_queue)


def empty(queue: Any, shape: Any, dtype: Any, order: str = "C", allocator: Any = None, data: Any = None) -> Array:
    """An uninitialised array.

    Parameters
    ----------
    queue : CommandQueue or Context
        Where the array lies, and what orders its work.
    shape : int or tuple of int
        Sizes of the axes.
    dtype : dtype
        A number's.
    order : {"C", "F"}, optional
        Which axis is dense in memory.
    allocator : callable or memory resource, optional
        Where the memory comes from; the device's default by default.
    data : Buffer or SVM, optional
        Memory that the array lies in; fresh memory by default.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> cl_array.empty(queue, (2, 3), np.float32).shape
    (2, 3)
    """
    return Array(queue, shape, dtype, order, allocator, data)


def zeros(queue: Any, shape: Any, dtype: Any, order: str = "C", allocator: Any = None) -> Array:
    """An array of zeros.

    Parameters
    ----------
    queue : CommandQueue or Context
        Where the array lies, and what orders its work.
    shape : int or tuple of int
        Sizes of the axes.
    dtype : dtype
        A number's.
    order : {"C", "F"}, optional
        Which axis is dense in memory.
    allocator : callable or memory resource, optional
        Where the memory comes from; the device's default by default.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> cl_array.zeros(queue, 3, np.float32).get()
    array([0., 0., 0.], dtype=float32)
    """
    return Array(queue, shape, dtype, order, allocator).fill(0)


def empty_like(ary: Array, queue: Queue | None = None, allocator: object = None) -> Array:
    """An uninitialised array of another one's shape, dtype and place.

    Parameters
    ----------
    ary : Array
        The array whose shape, dtype and place are taken.
    queue : CommandQueue, optional
        The array's attribute ``queue``; that of `ary` by default.
    allocator : callable or memory resource, optional
        Where the memory comes from; where that of `ary` does by default.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> cl_array.empty_like(cl_array.zeros(queue, (2, 3), np.int32)).shape
    (2, 3)
    """
    if isinstance(ary, Records):
        return ary.empty_like(queue, allocator)
    near = getattr(ary, "_place_queue", lambda: queue)
    place: dict[str, Any] = {} if allocator is None else {"allocator": allocator, "queue": near()}
    made = wrap(da.empty_like(ary, **place), ary)
    return made if queue is None else made.with_queue(queue)


def zeros_like(ary: Array) -> Array:
    """An array of zeros of another one's shape, dtype and place.

    Parameters
    ----------
    ary : Array
        The array whose shape, dtype and place are taken.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> cl_array.zeros_like(cl_array.arange(queue, 3, dtype=np.int64)).get()
    array([0, 0, 0])
    """
    return empty_like(ary).fill(0) if isinstance(ary, Records) else wrap(da.zeros_like(ary), ary)


def arange(
    queue: Queue | None, *args: object, dtype: DTypeLike | None = None, allocator: object = None, **_: object
) -> Array:
    """Evenly spaced numbers.

    Parameters
    ----------
    queue : CommandQueue
        Where the array lies, and what orders its work.
    *args : int or float
        Start, stop and step, as :func:`devarray.arange` takes them.
    dtype : dtype, optional
        The numbers'; by default by the arguments.
    allocator : callable or memory resource, optional
        Where the memory comes from; the device's default by default.
    **_
        Taken for PyOpenCL's sake.

    Returns
    -------
    Array
        A new array of one axis.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> cl_array.arange(queue, 1, 7, 2, dtype=np.int64).get()
    array([1, 3, 5])
    """
    made: Any = da.arange
    return Array._of(made(*args, dtype=dtype, **place_of(queue, allocator)).evaluate())


def concatenate(arrays: Sequence[Array], axis: int = 0, queue: Queue | None = None, allocator: object = None) -> Array:
    """Arrays joined along an axis.

    Parameters
    ----------
    arrays : list of Array
        Arrays.
    axis : int, optional
        The axis.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    allocator : callable, optional
        Taken for PyOpenCL's sake: the memory comes from where the operand's does.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.concatenate([x, x]).get()
    array([3, 1, 2, 3, 1, 2])
    """
    require_list("concatenate", arrays)
    return wrap(da.concatenate(list(arrays), axis=axis), arrays[0])


def hstack(arrays: Sequence[Array], queue: Queue | None = None) -> Array:
    """Arrays joined along the second axis, or the only one.

    Parameters
    ----------
    arrays : list of Array
        Arrays.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.hstack([x, x]).get()
    array([3, 1, 2, 3, 1, 2])
    """
    require_list("hstack", arrays)
    if not arrays:
        raise ValueError("need at least one array to hstack")
    return wrap(da.hstack(list(arrays)), arrays[0])


def stack(arrays: Sequence[Array], axis: int = 0, queue: Queue | None = None) -> Array:
    """Arrays joined along a new axis.

    Parameters
    ----------
    arrays : list of Array
        Arrays.
    axis : int, optional
        The axis.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array with one more axis.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.stack([x, x], axis=1).shape
    (3, 2)
    """
    require_list("stack", arrays)
    if not arrays:
        raise ValueError("need at least one array to stack")
    return wrap(da.stack(list(arrays), axis=axis), arrays[0])


def diff(array: Array, queue: Queue | None = None, allocator: object = None) -> Array:
    """Differences of neighbouring elements.

    Parameters
    ----------
    array : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    allocator : callable, optional
        Taken for PyOpenCL's sake: the memory comes from where the operand's does.

    Returns
    -------
    Array
        A new array with one element less.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.diff(x).get()
    array([-2,  1])
    """
    require_array("diff", array)
    return wrap(da.diff(array), array)


def transpose(a: Array, axes: AxesLike = None) -> Array:
    """A view with its axes in another order.

    Parameters
    ----------
    a : Array
        Elements.
    axes : tuple of int, optional
        The axes in their new order; reversed by default.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> cl_array.transpose(cl_array.zeros(queue, (2, 3), np.int32)).shape
    (3, 2)
    """
    require_elements("transpose", a)
    return a.transpose(axes)


def reshape(a: Array, shape: ShapeLike | None) -> Array:
    """The elements in another shape.

    Parameters
    ----------
    a : Array
        Elements.
    shape : int or tuple of int
        Sizes of the axes, of which one may be -1.

    Returns
    -------
    Array
        A view where strides can express it, else a new array.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> cl_array.reshape(cl_array.zeros(queue, (2, 3), np.int32), (3, -1)).shape
    (3, 2)
    """
    require_elements("reshape", a)
    return a.reshape(shape)


def as_strided(ary: Array, shape: Any = None, strides: Any = None) -> Array:
    """A view of other sizes and strides.

    Parameters
    ----------
    ary : Array
        The array below.
    shape : tuple of int, optional
        Sizes of the axes; the array's own by default.
    strides : tuple of int, optional
        Bytes from one element to the next along each axis; the array's own by default.

    Returns
    -------
    Array
        A view.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.as_strided(x, (2,), (16,)).get()
    array([3, 2])
    """
    require_elements("as_strided", ary)
    return wrap(da.lib.stride_tricks.as_strided(ary, shape, strides), ary)
