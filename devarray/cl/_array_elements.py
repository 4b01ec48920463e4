"""Elements of arrays under ``pyopencl.array``'s names: taken, put, chosen, compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

import devarray as da
from devarray._primitives.checks import require_array
from devarray.cl._array import Array, require_elements, wrap
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._core import Queue
    from devarray._typing import ArrayLike

__all__ = [
    "if_positive",
    "logical_and",
    "logical_not",
    "logical_or",
    "maximum",
    "minimum",
    "multi_put",
    "multi_take",
    "multi_take_put",
    "require_list",
    "take",
]


def take(
    a: Array, indices: Array, out: Array | None = None, queue: Queue | None = None, wait_for: object = None
) -> Array:
    """The elements at indices of the flat array.

    Parameters
    ----------
    a : Array
        Elements.
    indices : Array
        Whole numbers, which count the elements of the flat array.
    out : Array, optional
        Where the result goes, and what is returned; a new array by default.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    wait_for : list of Event, optional
        Taken for PyOpenCL's sake: the queue's order is enough.

    Returns
    -------
    Array
        A new array of the shape of `indices`, or `out`.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.take(x, cl_array.to_device(queue, np.array([2, 0]))).get()
    array([2, 3])
    """
    require_elements("take", a)
    found = da.take(a.ravel(), indices)
    if out is None:
        return wrap(found, a)
    out[...] = found
    return out


def require_list(name: str, arrays: object) -> None:
    """Refuse what is no list of arrays."""
    if not isinstance(arrays, Sequence):
        raise DTypeError(f"{name} takes a list of device arrays, not {type(arrays).__name__}")
    require_elements(name, *arrays)


def multi_take(arrays: Sequence[Array], indices: Array, out: Any = None, queue: Queue | None = None) -> list[Array]:
    """The elements at the same indices of several arrays.

    Parameters
    ----------
    arrays : list of Array
        Arrays.
    indices : Array
        Whole numbers, which count the elements of the flat array.
    out : list of Array, optional
        Where elements go; new arrays by default.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    list of Array
        A new array for each array, or `out`.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> [y.get() for y in cl_array.multi_take([x, x * 10], cl_array.to_device(queue, np.array([2, 0])))]
    [array([2, 3]), array([20, 30])]
    """
    require_list("multi_take", arrays)
    if out is not None:
        require_list("multi_take's out", out)
        if len(out) != len(arrays):
            raise ShapeError(f"multi_take: out has {len(out)} arrays, and there are {len(arrays)} to take from")
    return [take(a, indices, None if out is None else out[i]) for i, a in enumerate(arrays)]


def multi_put(
    arrays: Sequence[Array],
    dest_indices: Array,
    dest_shape: Any = None,
    out: Any = None,
    queue: Queue | None = None,
    **_: Any,
) -> list[Array]:
    """Arrays into which the elements of several arrays are put at the same indices.

    Parameters
    ----------
    arrays : list of Array
        Arrays.
    dest_indices : Array
        Where elements go in the flat results.
    dest_shape : int or tuple of int, optional
        Shape of the results; needed without `out`.
    out : list of Array, optional
        Where elements go; new arrays by default.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    **_
        `use_fill`: for each array, whether its first element stands for all of them. Others are taken for
        PyOpenCL's sake.

    Returns
    -------
    list of Array
        A new array for each array, or `out`.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> (y,) = cl_array.multi_put([x], cl_array.to_device(queue, np.array([2, 0, 1])), dest_shape=3)
    >>> y.get()
    array([1, 2, 3])
    """
    require_list("multi_put", arrays)
    use_fill = _.get("use_fill")
    if out is None:
        out = [Array(a.queue, dest_shape, a.dtype) for a in arrays]
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
    """Arrays into which elements of several arrays, from the same indices, are put at the same other indices.

    Parameters
    ----------
    arrays : list of Array
        Arrays.
    dest_indices : Array
        Where elements go in the flat results.
    src_indices : Array
        Which elements of the flat arrays are taken.
    dest_shape : int or tuple of int, optional
        Shape of the results; needed without `out`.
    out : list of Array, optional
        Where elements go; new arrays by default.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.
    src_offsets : list of int, optional
        For each array, what is added to its indices; 0 by default.

    Returns
    -------
    list of Array
        A new array for each array, or `out`.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> one, x = (cl_array.to_device(queue, np.array(v)) for v in ([1], [3, 1, 2]))
    >>> (y,) = cl_array.multi_take_put([x], one - 1, one, out=[x.copy()])
    >>> y.get()
    array([1, 1, 2])
    """
    require_list("multi_take_put", arrays)
    if out is None:
        out = [Array(a.queue, dest_shape, a.dtype) for a in arrays]
    require_array("multi_take_put", *out)
    for i, (target, a) in enumerate(zip(out, arrays, strict=True)):
        places = src_indices if src_offsets is None else src_indices.astype(np.int64) + int(src_offsets[i])
        target.reshape(-1)[dest_indices] = take(a, places)
    return list(out)


def _host(x: object) -> Any:
    return x.copy_to_host() if isinstance(x, da.Array) else x


def if_positive(
    criterion: Array, then_: Any, else_: Any, out: Array | None = None, queue: Queue | None = None
) -> Array:
    """Elements of `then_` where the criterion is positive, else of `else_`.

    Parameters
    ----------
    criterion : Array
        What is compared with 0.
    then_ : Array or scalar
        Elements where it is greater.
    else_ : Array or scalar
        Elements elsewhere.
    out : Array, optional
        Where the result goes, and what is returned; a new array by default.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array, or `out`.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.if_positive(x - 2, x, -x).get()
    array([ 3, -1, -2])
    """
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


def maximum(a: ArrayLike, b: ArrayLike, out: object = None, queue: Queue | None = None) -> Any:
    """The greater of two arrays' elements.

    Parameters
    ----------
    a : array_like
        Elements.
    b : array_like
        Elements, which broadcast against the first.
    out : Array, optional
        Where the result goes, and what is returned; a new array by default.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array, or `out`; of host values, NumPy's result.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.maximum(x, 2).get()
    array([3, 2, 2])
    """
    return _binary(da.maximum, a, b, out) if _any_array(a, b) else np.maximum(a, b)


def minimum(a: ArrayLike, b: ArrayLike, out: object = None, queue: Queue | None = None) -> Any:
    """The lesser of two arrays' elements.

    Parameters
    ----------
    a : array_like
        Elements.
    b : array_like
        Elements, which broadcast against the first.
    out : Array, optional
        Where the result goes, and what is returned; a new array by default.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array, or `out`; of host values, NumPy's result.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.minimum(x, 2).get()
    array([2, 1, 2])
    """
    return _binary(da.minimum, a, b, out) if _any_array(a, b) else np.minimum(a, b)


def _any_array(*values: object) -> bool:
    return isinstance(values[0], da.Array) or isinstance(values[-1], da.Array)


def logical_and(x1: ArrayLike, x2: ArrayLike, /, out: object = None, queue: Queue | None = None) -> Any:
    """Whether both elements are not zero.

    Parameters
    ----------
    x1 : array_like
        Elements.
    x2 : array_like
        Elements, which broadcast against the first.
    out : Array, optional
        Where the result goes, and what is returned; a new array by default.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of bool, or `out`; of host values, NumPy's result.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.logical_and(x, x - 1).get()
    array([ True, False,  True])
    """
    return _binary(da.logical_and, x1, x2, out) if _any_array(x1, x2) else np.logical_and(x1, x2)


def logical_or(x1: ArrayLike, x2: ArrayLike, /, out: object = None, queue: Queue | None = None) -> Any:
    """Whether one of the elements is not zero.

    Parameters
    ----------
    x1 : array_like
        Elements.
    x2 : array_like
        Elements, which broadcast against the first.
    out : Array, optional
        Where the result goes, and what is returned; a new array by default.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of bool, or `out`; of host values, NumPy's result.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.logical_or(x - 1, x - 3).get()
    array([ True,  True,  True])
    """
    return _binary(da.logical_or, x1, x2, out) if _any_array(x1, x2) else np.logical_or(x1, x2)


def logical_not(x: ArrayLike, /, out: Any = None, queue: Queue | None = None) -> Any:
    """Whether elements are zero.

    Parameters
    ----------
    x : array_like
        Elements.
    out : Array, optional
        Where the result goes, and what is returned; a new array by default.
    queue : CommandQueue, optional
        Taken for PyOpenCL's sake: the work goes to the arrays' own queue.

    Returns
    -------
    Array
        A new array of bool, or `out`; of host values, NumPy's result.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array
    >>> x = cl_array.to_device(queue, np.array([3, 1, 2]))
    >>> cl_array.logical_not(x - 1).get()
    array([False,  True, False])
    """
    if not isinstance(x, da.Array):
        return np.logical_not(x)
    made = da.logical_not(x)
    if out is None:
        return wrap(made, x)
    out[...] = made
    return out
