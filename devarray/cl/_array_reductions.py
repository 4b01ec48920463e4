"""Reductions under ``pyopencl.array``'s names: results are arrays without axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import devarray as da
from devarray._kernels.driver_arrays import dtype_of
from devarray._primitives.checks import require_array
from devarray.cl._array import Array, wrap
from devarray.cl._array_elements import take
from devarray.cl._events import event_behind

if TYPE_CHECKING:
    from devarray._core import Queue
    from devarray._typing import DTypeLike

__all__ = ["all", "any", "cumsum", "dot", "max", "min", "subset_dot", "subset_max", "subset_min", "sum", "vdot"]


def sum(
    a: Array,
    dtype: DTypeLike | None = None,
    queue: Queue | None = None,
    slice: object = None,
    initial: object = np._NoValue,
    **_: object,
) -> Array:
    """The sum of all elements, in the array's own dtype, as a 0-d array.

    Parameters
    ----------
    a : Array
        Elements.
    dtype : dtype, optional
        The result's, which is also computed in; by default that of the elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    slice : slice, optional
        The elements of the flat array that take part; all by default.
    initial : scalar, optional
        What the result starts with.
    **_
        Taken for PyOpenCL's sake.

    Returns
    -------
    Array
        A new array without axes.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.sum(x).get()
    array(6)
    """
    require_array("sum", a)
    return _reduced(da.sum, a, slice, initial, dtype=dtype or a.dtype)


def any(a: Array, queue: Queue | None = None, wait_for: object = None) -> Array:
    """Whether an element is not zero, as a 0-d array.

    Parameters
    ----------
    a : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    wait_for : list of Event, optional
        Taken for PyOpenCL's sake: the queue's order is enough.

    Returns
    -------
    Array
        A new array without axes.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.any(x - 1).get()
    array(True)
    """
    require_array("any", a)
    return a.any()


def all(a: Array, queue: Queue | None = None, wait_for: object = None) -> Array:
    """Whether all elements are not zero, as a 0-d array.

    Parameters
    ----------
    a : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    wait_for : list of Event, optional
        Taken for PyOpenCL's sake: the queue's order is enough.

    Returns
    -------
    Array
        A new array without axes.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.all(x - 1).get()
    array(False)
    """
    require_array("all", a)
    return a.all()


def max(a: Array, queue: Queue | None = None, initial: object = np._NoValue) -> Array:
    """The greatest element, as a 0-d array.

    Parameters
    ----------
    a : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    initial : scalar, optional
        What the result starts with.

    Returns
    -------
    Array
        A new array without axes.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.max(x).get()
    array(3)
    """
    require_array("max", a)
    return _reduced(da.max, a, None, initial)


def min(a: Array, queue: Queue | None = None, initial: object = np._NoValue) -> Array:
    """The least element, as a 0-d array.

    Parameters
    ----------
    a : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    initial : scalar, optional
        What the result starts with.

    Returns
    -------
    Array
        A new array without axes.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.min(x).get()
    array(1)
    """
    require_array("min", a)
    return _reduced(da.min, a, None, initial)


def _reduced(function: Any, a: Array, slice: object, initial: object, **kwargs: Any) -> Array:
    part = a if slice is None else a.ravel()[slice]
    if initial is not np._NoValue:
        kwargs["initial"] = initial
    return wrap(function(part, **kwargs), a)


def dot(a: Array, b: Array, dtype: DTypeLike | None = None, queue: Queue | None = None, slice: object = None) -> Array:
    """The sum of the products of all elements.

    Parameters
    ----------
    a : Array
        Elements.
    b : Array
        As many elements.
    dtype : dtype, optional
        The result's, which is also computed in; by default that of the elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    slice : slice, optional
        The elements of the flat array that take part; all by default.

    Returns
    -------
    Array
        A new array without axes.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.dot(x, x).get()
    array(14)
    """
    require_array("dot", a, b)
    return _dot(a, b, dtype, slice)


def vdot(a: Array, b: Array, dtype: DTypeLike | None = None, queue: Queue | None = None, slice: object = None) -> Array:
    """The sum of the products of all elements, those of the first conjugated.

    Parameters
    ----------
    a : Array
        Elements.
    b : Array
        As many elements.
    dtype : dtype, optional
        The result's, which is also computed in; by default that of the elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    slice : slice, optional
        The elements of the flat array that take part; all by default.

    Returns
    -------
    Array
        A new array without axes.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([1j, 2], np.complex64))
    >>> cl_array.vdot(x, x).get()
    array(5.+0.j, dtype=complex64)
    """
    require_array("vdot", a, b)
    return _dot(a.conj() if a.dtype.kind == "c" else a, b, dtype, slice)


def _dot(a: Array, b: Array, dtype: DTypeLike | None, slice: object) -> Array:
    left, right = (a, b) if slice is None else (a.ravel()[slice], b.ravel()[slice])
    return wrap(da.sum(left * right, dtype=dtype or dtype_of(a, b)), a)


def subset_dot(
    subset: Array, a: Array, b: Array, dtype: DTypeLike | None = None, queue: Queue | None = None, slice: object = None
) -> Array:
    """The sum of the products of the elements at some indices.

    Parameters
    ----------
    subset : Array
        Whole numbers, which count the elements of the flat arrays.
    a : Array
        Elements.
    b : Array
        As many elements.
    dtype : dtype, optional
        The result's, which is also computed in; by default that of the elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    slice : slice, optional
        The elements of the flat array that take part; all by default.

    Returns
    -------
    Array
        A new array without axes.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.subset_dot(cl_array.to_device(queue, np.array([0, 2])), x, x).get()
    array(13)
    """
    require_array("subset_dot", subset)
    places = subset if slice is None else subset[slice]
    return _dot(take(a, places), take(b, places), dtype, None)


def subset_max(subset: Array, a: Array, queue: Queue | None = None, slice: object = None) -> Array:
    """The greatest of the elements at some indices.

    Parameters
    ----------
    subset : Array
        Whole numbers, which count the elements of the flat arrays.
    a : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    slice : slice, optional
        The elements of the flat array that take part; all by default.

    Returns
    -------
    Array
        A new array without axes.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.subset_max(cl_array.to_device(queue, np.array([1, 2])), x).get()
    array(2)
    """
    require_array("subset_max", subset)
    return max(take(a, subset if slice is None else subset[slice]))


def subset_min(subset: Array, a: Array, queue: Queue | None = None, slice: object = None) -> Array:
    """The least of the elements at some indices.

    Parameters
    ----------
    subset : Array
        Whole numbers, which count the elements of the flat arrays.
    a : Array
        Elements.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    slice : slice, optional
        The elements of the flat array that take part; all by default.

    Returns
    -------
    Array
        A new array without axes.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.subset_min(cl_array.to_device(queue, np.array([0, 2])), x).get()
    array(2)
    """
    require_array("subset_min", subset)
    return min(take(a, subset if slice is None else subset[slice]))


def cumsum(
    a: Array,
    output_dtype: object = None,
    queue: Queue | None = None,
    wait_for: object = None,
    return_event: bool = False,
) -> Any:
    """Running sums, in the array's own dtype.

    Parameters
    ----------
    a : Array
        Elements.
    output_dtype : dtype, optional
        The sums'; the elements' by default.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    wait_for : list of Event, optional
        Taken for PyOpenCL's sake: the queue's order is enough.
    return_event : bool, optional
        Whether the event behind the work is returned, too. False by default.

    Returns
    -------
    Array
        A new array of as many elements; with `return_event` the second of two, behind the event.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.cumsum(x).get()
    array([3, 4, 6])
    """
    require_array("cumsum", a)
    made = wrap(da.cumsum(a, dtype=output_dtype or a.dtype), a)
    return (event_behind(made), made) if return_event else made
