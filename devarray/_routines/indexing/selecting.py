"""NumPy's functions that read and write the elements that conditions or index arrays select."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.numbers import stored_number
from devarray._array.operations import row_along
from devarray._array.out import mask_of, write_out
from devarray._primitives.checks import clip_mode, integers, whole_parts, within
from devarray._primitives.convert import as_value, holds_arrays
from devarray._primitives.gather import gather
from devarray._primitives.opaque import OpaqueArray
from devarray._primitives.opaque_assign import as_records, pairs_of_bytes
from devarray._primitives.operands import as_arrays, asarray_like, dtype_beside_numbers, has_texts, of_texts
from devarray._primitives.stored import stored_in
from devarray._routines.manipulation.editing import resize
from devarray._routines.statistics.cumulative import cumulative_sum
from devarray.array import OP, Array
from devarray.errors import DTypeError, IndexError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["choose", "compress", "copyto", "extract", "place", "put", "putmask", "select"]


# --- reading -------------------------------------------------------------------------------------------------------


_FEW = 1 << 12
"""Elements of a condition whose places the host finds sooner than the device."""


def _beside(condition: ArrayLike, a: ArrayLike) -> tuple[Any, Array]:
    """A condition and an array, both of the device but for a short condition that the host has."""
    if isinstance(a, Array) and not isinstance(condition, Array) and not holds_arrays(condition):
        known = np.asarray(condition)
        if known.size <= _FEW:
            return known, a
    mask, x = as_arrays(condition, a)
    return mask, x


def compress(condition: ArrayLike, a: ArrayLike, axis: int | None = None, out: Array | None = None) -> Array:
    """The slices along an axis for which a condition holds. Waits for their number, but of short host conditions.

    Parameters
    ----------
    condition : array_like
        One-dimensional: at most as long as the axis, or false behind its end.
    a : array_like
        The array.
    axis : int, optional
        The axis to select along. By default `a` is flattened.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new array of the dtype of `a`, or `out`.

    Raises
    ------
    IndexError
        Where the condition holds behind the end of the axis.
    ShapeError
        Where the condition has another number of dimensions than one.

    Examples
    --------
    >>> import devarray as da
    >>> da.compress([False, True], da.asarray([[1, 2], [3, 4], [5, 6]]), axis=0).copy_to_host()
    array([[3, 4]])
    """
    mask, x = _beside(condition, a)
    if mask.ndim != 1:
        raise ShapeError(f"compress: condition must be a 1-d array, not one of {mask.ndim} dimensions")
    x, axis = row_along(x, axis)
    size = x.shape[axis]
    if mask.size > size:
        if bool(mask[size:].any()):
            raise IndexError(f"compress: the condition holds behind the end of axis {axis} of size {size}")
        mask = mask[:size]
    before = (slice(None),) * axis
    if isinstance(mask, np.ndarray):  # whose places the host knows, without a wait
        return write_out("compress", x[(*before, mask.nonzero()[0])], out, casting="taken")
    mask = mask.astype(np.bool_, copy=False)
    return write_out("compress", x[(*before, slice(0, mask.size))][(*before, mask)], out, casting="taken")


def extract(condition: ArrayLike, arr: object) -> Array:
    """The elements for which a condition holds, in C order. Waits for their number.

    Parameters
    ----------
    condition : array_like
        Of as many elements as `arr`.
    arr : array_like
        The array.

    Returns
    -------
    Array
        One-dimensional, of the dtype of `arr`.

    Raises
    ------
    IndexError
        Where the condition holds behind the last element.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.arange(6).reshape(2, 3)
    >>> da.extract(x % 2 == 0, x).copy_to_host()
    array([0, 2, 4])
    """
    mask, x = as_arrays(condition, arr)
    return compress(mask.reshape(-1), x)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: object = 0) -> Array:
    """Elements of the first of several arrays whose condition holds, in one fused kernel.

    Parameters
    ----------
    condlist : sequence of array_like of bool
        The conditions, in the order in which they are tried.
    choicelist : sequence of array_like
        One for each condition; all broadcast.
    default : array_like
        The values where no condition holds. 0 by default.

    Returns
    -------
    Array
        A new array of the dtype that the choices and the default promote to.

    Raises
    ------
    ValueError
        Where there are not as many choices as conditions, or none.
    DTypeError
        For conditions that are not bool.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.arange(6)
    >>> da.select([x < 3, x > 3], [-x, x**2], 42).copy_to_host()
    array([ 0, -1, -2, 42, 16, 25])
    """
    if len(condlist) != len(choicelist) or not len(condlist):
        raise ValueError(
            "select with an empty condition list is not possible"
            if not len(condlist) and not len(choicelist)
            else "list of cases must be same length as list of conditions: "
            f"select got {len(condlist)} conditions and {len(choicelist)} choices"
        )
    if has_texts((choicelist, default)):
        return of_texts("select")(condlist, choicelist, default)
    arrays = as_arrays(*condlist, *choicelist, default)
    conditions, choices = arrays[: len(condlist)], arrays[len(condlist) :]
    for i, condition in enumerate(conditions):
        if condition.dtype.kind != "b":
            raise DTypeError(f"invalid entry {i} in condlist: should be boolean ndarray, not one of {condition.dtype}")
    dtype = dtype_beside_numbers((*choicelist, default), choices)
    *picks, result = (x.astype(dtype, copy=False) for x in choices)
    for condition, pick in zip(conditions[::-1], picks[::-1], strict=True):
        result = _core.apply(OP["where"], condition, pick, result)
    return result


def choose(a: ArrayLike, choices: Any, out: Array | None = None, mode: str = "raise") -> Array:
    """Elements of several arrays, selected by the number of an array at each place, in one fused kernel.

    Parameters
    ----------
    a : array_like of int
        The number of the choice at each place.
    choices : sequence of array_like
        All broadcast with `a`.
    out : Array, optional
        Where the result goes. It has the result's shape; the result is cast to its dtype.
    mode : {"raise", "wrap", "clip"}
        What happens to other numbers: an error (the default), counting on from the first choice, or the nearest one.
        With ``"raise"``, host numbers raise ValueError; device numbers raise IndexError at the next point where the
        host waits for the device.

    Returns
    -------
    Array
        A new array of the dtype that the choices promote to, or `out`.

    Raises
    ------
    ValueError
        Where there are no choices, for another `mode`, and for host numbers without a choice.
    DTypeError
        For numbers that are not integers.

    Examples
    --------
    >>> import devarray as da
    >>> da.choose(da.asarray([0, 1, 0]), [da.asarray([1, 2, 3]), -1]).copy_to_host()
    array([ 1, -1,  3])
    """
    if not len(choices):
        raise ValueError("choose: 0-length sequence: there are no choices")
    numbers = within(integers(a, "choose"), len(choices), clip_mode(mode, "choose"), "choose")
    choices = list(choices)
    index, *picks = as_arrays(numbers, *choices)
    dtype = dtype_beside_numbers(choices, picks)
    shape = index.shape
    for x in picks:
        shape = _core.broadcast_shapes(shape, x.shape)
    result = picks[0].astype(dtype, copy=False)
    for i, pick in enumerate(picks[1:], 1):
        result = _core.apply(OP["where"], index == i, pick.astype(dtype, copy=False), result)
    return write_out(
        "choose",
        result if result.shape == shape and len(picks) > 1 else _core.broadcast_to(result, shape).copy(),
        out,
        casting="unsafe",
    )


# --- writing -------------------------------------------------------------------------------------------------------


def copyto(dst: Array | OpaqueArray, src: Any, casting: Any = "same_kind", where: Any = True) -> None:
    """Write values to an array, broadcast to its shape.

    Parameters
    ----------
    dst : Array or OpaqueArray
        The array to write to.
    src : array_like
        The values.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        Which casts are allowed, as :func:`numpy.can_cast` has them. "same_kind" by default.
    where : array_like of bool
        Where to write; broadcast to the shape, too. Everywhere by default.

    Raises
    ------
    DTypeError
        Where the cast is not allowed, `dst` is no Array, or `where` is an array of another dtype than bool.
    ShapeError
        Where the shapes do not broadcast.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.zeros(3)
    >>> da.copyto(x, 7, where=da.asarray([True, False, True]))
    >>> x.copy_to_host()
    array([7., 0., 7.])
    """
    if not isinstance(dst, Array | OpaqueArray):
        raise DTypeError("copyto does not write into host memory; use x.copy_to_host(ary)")
    if isinstance(dst, Array) and holds_arrays(src):
        src = as_value(src, dst)
    weak = isinstance(dst, Array) and type(src) in (bool, int, float, complex)
    value = src if weak or isinstance(src, Array | OpaqueArray) else np.asarray(src)
    given = np.result_type(dst.dtype, src) if weak else value.dtype
    if not np.can_cast(given, dst.dtype, casting):
        raise DTypeError(
            f"copyto: Cannot cast array data from {given!r} to {dst.dtype!r} according to the rule {casting!r}"
        )
    if where is True:
        dst[...] = value
        return
    if isinstance(dst, OpaqueArray):
        mask = asarray_like(mask_of("copyto", where), dst.bytes)[..., None]
        for mine, theirs in pairs_of_bytes(dst, as_records(value, dst)):
            mine[...] = _core.apply(OP["where"], mask, theirs, mine)
        return
    if isinstance(value, int) and not isinstance(value, bool):
        value = stored_number(value, dst.dtype)  # raises where it is out of range
    mask, pick = asarray_like(mask_of("copyto", where), dst), asarray_like(value, dst)
    dst[...] = _core.apply(OP["where"], mask, pick.astype(dst.dtype, copy=False), dst)


def put(a: Array, ind: Any, v: object, mode: str = "raise") -> None:
    """Write values at indices into the flattened array.

    Parameters
    ----------
    a : Array
        The array to write to.
    ind : array_like of int
        Of several values for one element, one stays.
    v : array_like
        Cast to the dtype of `a`; repeated, or cut off, to as many as there are indices.
    mode : {"raise", "wrap", "clip"}
        What happens to indices outside: an error (the default), counting on from the start, or the nearest one. With
        ``"raise"``, negative indices count from the end, host indices outside raise IndexError, and device indices do
        so at the next point where the host waits for the device.

    Raises
    ------
    IndexError
        For host indices outside the array, or an array without elements.
    DTypeError
        For indices that are not integers.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.zeros((2, 2), da.int64)
    >>> da.put(x, [0, 3], [5, 6])
    >>> x.copy_to_host()
    array([[5, 0],
           [0, 6]])
    """
    places, values = integers(whole_parts(ind), "put").reshape(-1), stored_in(v, a).reshape(-1)
    if places.size == 0:
        return
    if a.size == 0:
        raise IndexError("put: cannot replace elements of an empty array")
    if values.size == 0:
        return
    mode = clip_mode(mode, "put")
    places = places if mode == "raise" else within(places, a.size, mode, "put")
    flat = a.reshape(-1)
    flat[places] = values if values.size in (1, places.size) else resize(values, places.size)
    if not _core.shares_memory(flat, a):  # reshape made a copy
        a[...] = flat.reshape(a.shape)


def _fitting(name: str, mask: Any, x: Array) -> Array:
    found = asarray_like(mask, x)
    if found.size != x.size:
        raise ShapeError(
            f"{name}: mask and data must be the same size: a mask of shape {found.shape} does not fit an array of "
            f"shape {x.shape}"
        )
    return found.astype(np.bool_, copy=False).reshape(x.shape)


def _safely(name: str, values: object, x: Array) -> Array:
    """Values as an array of x's dtype. As in NumPy, arrays have one that casts to it safely; scalars are real."""
    if holds_arrays(values):
        values = as_value(values, x)
    dtype = values.dtype if isinstance(values, Array | np.ndarray) else None
    if isinstance(values, Array) and _core.is_value(values) and values.dtype.kind != "c":
        return stored_in(values, x)
    if dtype is None and np.asarray(values).dtype.kind == "c":
        dtype = np.dtype(np.complex64)
    if dtype is not None and not np.can_cast(dtype, x.dtype, "safe"):
        raise DTypeError(f"{name}: Cannot cast array data from {dtype!r} to {x.dtype!r} according to the rule 'safe'")
    return stored_in(values, x)


def putmask(a: Array, /, mask: Any, values: ArrayLike) -> None:
    """Write the elements of an array to the same places of another, where a mask holds.

    Parameters
    ----------
    a : Array
        The array to write to.
    mask : array_like
        Of as many elements as `a`.
    values : array_like
        Repeated, or cut off, to as many elements as `a` has, in C order. The dtype of arrays casts safely to that of
        `a`.

    Raises
    ------
    ShapeError
        Where the mask does not have as many elements.
    DTypeError
        Where the values do not cast safely.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.arange(5)
    >>> da.putmask(x, x > 2, da.asarray([10, 20]))
    >>> x.copy_to_host()
    array([ 0,  1,  2, 20, 10])
    """
    where, new = _fitting("putmask", mask, a), _safely("putmask", values, a)
    if new.size == 0 or a.size == 0:
        return
    new = new.reshape(()) if new.size == 1 else resize(new, a.shape) if new.shape != a.shape else new
    a[...] = _core.apply(OP["where"], where, new, a)


def place(arr: Array, mask: object, vals: object) -> None:
    """Write values, one after the other and then from the first again, where a mask holds.

    Parameters
    ----------
    arr : Array
        The array to write to.
    mask : array_like
        Of as many elements as `arr`.
    vals : array_like
        The values. The dtype of arrays casts safely to that of `arr`.

    Raises
    ------
    ValueError
        Where there are no values, but places for them.
    ShapeError
        Where the mask does not have as many elements.
    DTypeError
        Where the values do not cast safely.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.arange(6)
    >>> da.place(x, x > 2, [10, 20])
    >>> x.copy_to_host()
    array([ 0,  1,  2, 10, 20, 10])
    """
    where, values = _fitting("place", mask, arr), _safely("place", vals, arr).reshape(-1)
    if values.size == 0:
        if bool(where.any()):
            raise ValueError("place: Cannot insert from an empty array!")
        return
    if values.size == 1:
        new = values.reshape(())
    else:
        number = (cumulative_sum(where.reshape(-1), dtype=np.int64) - 1) % values.size
        new = gather(values, number, 0).reshape(arr.shape)
    arr[...] = _core.apply(OP["where"], where, new, arr)
