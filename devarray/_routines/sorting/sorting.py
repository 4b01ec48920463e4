"""Sorting: the sorting chapter of the Array API standard, and NumPy's further functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.order import along_memory
from devarray._primitives.convert import asarray
from devarray._primitives.host import through_host
from devarray._primitives.opaque import OpaqueArray
from devarray._primitives.planned import run_planned
from devarray._routines.sorting import host_rows
from devarray._routines.sorting.host_rows import argpartition_rows, argsort_rows, partition_rows, sort_rows
from devarray._routines.sorting.records import keys_of_records
from devarray.array import Array, normalize_axes, normalize_axis
from devarray.errors import DTypeError, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray.codegen.kernels.launches import Plan, View
    from devarray.codegen.language.dialect import Dialect

__all__ = ["argpartition", "argsort", "lexsort", "partition", "sort", "sort_complex"]


def sort(
    a: Array,
    axis: int | None = -1,
    kind: object = None,
    order: object = None,
    *,
    descending: bool = False,
    stable: bool | None = None,
) -> Array:
    """A sorted copy of an array.

    NaN come last, -0 equals 0, and complex numbers are ordered by real part, then imaginary part. CPU devices sort on
    the host, which waits.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis to sort along, the last one by default. None: the flattened array.
    kind : {"quicksort", "heapsort", "mergesort", "stable"}, optional
        NumPy's algorithm, which is not used: equal elements always keep their order.
    order : str or sequence of str, optional
        Of records (:class:`~devarray.OpaqueArray`) the fields that count first. Arrays have none.
    descending : bool
        Whether the greatest element comes first. False by default.
    stable : bool, optional
        Not used, as `kind`.

    Returns
    -------
    Array
        A new array of the shape and dtype of `a`.

    Raises
    ------
    ShapeError
        Where the array has no axis.
    AxisError
        For an axis that the array does not have.
    ValueError
        For another `kind`, for `kind` beside `stable`, and for an `order`.

    Examples
    --------
    >>> import devarray as da
    >>> da.sort(da.asarray([3, 1, 2])).copy_to_host()
    array([1, 2, 3])
    """
    if kind is None and order is None and stable is None and not descending:
        quick = _core.any_on_host(host_rows.sort, a, axis)
        if quick is not None:
            return quick
    if isinstance(a, OpaqueArray):
        return _sorted_records(a, axis, order, False)
    _check_hints("sort", kind, order, stable)
    if axis is None:
        return _sorted(a.reshape(-1), 0, descending, False)
    return along_memory(lambda x, axis: sorted_by_rows(x, axis, descending), a, normalize_axis(axis, a.ndim))


def sorted_by_rows(x: Array, axis: int, descending: bool = False) -> Array:
    """:func:`sort` with a result in C order, whatever the order of `x`."""
    quick = None if descending or x.ndim < 2 else _core.any_on_host(host_rows.sort, x, axis)
    return _sorted(x, axis, descending, False) if quick is None else quick


def argsort(
    a: Array,
    axis: int | None = -1,
    kind: object = None,
    order: object = None,
    *,
    descending: bool = False,
    stable: bool | None = None,
) -> Array:
    """The indices that sort an array as :func:`sort` does.

    Parameters
    ----------
    a : array_like
        The array.
    axis : int, optional
        The axis to sort along, the last one by default. None: the flattened array.
    kind : {"quicksort", "heapsort", "mergesort", "stable"}, optional
        NumPy's algorithm, which is not used: equal elements always keep their order.
    order : str or sequence of str, optional
        Of records (:class:`~devarray.OpaqueArray`) the fields that count first. Arrays have none.
    descending : bool
        Whether the greatest element comes first. False by default.
    stable : bool, optional
        Not used, as `kind`.

    Returns
    -------
    Array
        int64, of the shape of `a`.

    Raises
    ------
    ShapeError
        Where the array has no axis.
    AxisError
        For an axis that the array does not have.
    ValueError
        For another `kind`, for `kind` beside `stable`, and for an `order`.

    Examples
    --------
    >>> import devarray as da
    >>> da.argsort(da.asarray([3, 1, 2])).copy_to_host()
    array([1, 2, 0])
    """
    if kind is None and order is None and stable is None and not descending:
        quick = _core.any_on_host(host_rows.argsort, a, axis)
        if quick is not None:
            return quick
    if isinstance(a, OpaqueArray):
        return _sorted_records(a, axis, order, True)
    _check_hints("argsort", kind, order, stable)
    if a.ndim == 0 and axis is not None:
        normalize_axes(axis, 1)  # NumPy makes a row of it
    return _sorted(a.reshape(-1), 0, descending, True) if axis is None else _sorted(a, axis, descending, True)


def _sorted_records(x: OpaqueArray, axis: int | None, order: str | Sequence[str] | None, indices: bool) -> Any:
    from devarray._primitives.gather import along_axis

    if axis is None or not x.ndim:
        x, axis = x.ravel(), 0 if axis is None else axis
    axis = normalize_axis(axis, x.ndim)
    found = order_of_records(x, order, axis)
    if indices:
        return found
    places = _core.iota(x.size, np.dtype(np.int64), 0, 1, found.queue, found.allocator).reshape(x.shape)
    return x.take(along_axis(places, found, axis))


def order_of_records(x: OpaqueArray, order: str | Sequence[str] | None = None, axis: int = 0) -> Array:
    """The indices that sort the records along an axis: by the fields of `order` first, then by the others."""
    keys = list(keys_of_records(x, order))
    if not keys or not x.size:
        made = _core.iota(x.shape[axis], np.dtype(np.int64), 0, 1, x.bytes.queue, x.bytes.allocator)
        return _core.broadcast_to(made.reshape((-1, *(1 for _ in x.shape[axis + 1 :]))), x.shape).copy()
    return lexsort(keys[::-1], axis)


_KINDS = ("quicksort", "heapsort", "mergesort", "stable")


def _unknown_kind(name: str, kind: str, kinds: tuple[str, ...]) -> str:
    if kinds is _KINDS:
        return f"{name}: sort kind must be one of 'quick', 'heap', or 'stable' (got {kind!r})"
    return f"{name}: select kind must be {' or '.join(map(repr, kinds))} (got {kind!r})"


def _check_hints(name: str, kind: object, order: object, stable: object, kinds: tuple[str, ...] = _KINDS) -> None:
    """NumPy's errors for what says how to sort. NumPy reads the first letter of a kind, in either case."""
    if kind is not None and not isinstance(kind, str):
        raise DTypeError(
            f"{name}: {'sort' if kinds is _KINDS else 'select'} kind must be str, not {type(kind).__name__}"
        )
    if kind is not None and kind[:1].lower() not in {known[0] for known in kinds}:
        raise ValueError(_unknown_kind(name, kind, kinds))
    if kind is not None and stable is not None:
        raise ValueError(
            f"{name}: `kind` and keyword parameters can't be provided at the same time. Use only one of `kind` and "
            "`stable`"
        )
    if order is not None:
        raise ValueError(f"{name}: Cannot specify order when the array has no fields.")


def partition(
    a: Array, kth: int | Sequence[int], axis: int | None = -1, kind: str = "introselect", order: object = None
) -> Array:
    """A copy in which the k-th element along an axis is where sorting puts it, with no greater one before it.

    The copy is sorted altogether, except on CPU devices.

    Parameters
    ----------
    a : array_like
        The array.
    kth : int or sequence of int
        From -n to n - 1 for n elements along the axis.
    axis : int, optional
        The axis, the last one by default. None: the flattened array.
    kind : {"introselect"}
        NumPy's algorithm, which is not used.
    order : str or sequence of str, optional
        Of records (:class:`~devarray.OpaqueArray`) the fields that count first. Arrays have none.

    Returns
    -------
    Array
        A new array of the dtype of `a`.

    Raises
    ------
    ValueError
        For a `kth` outside the axis, another `kind`, and for an `order`.
    DTypeError
        For a `kth` that is no integer.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.partition(da.asarray([3, 1, 2]), 1)[1].item()
    2
    """
    if isinstance(a, OpaqueArray):
        _check_hints("partition", kind, None, None, ("introselect",))
        return _partitioned_records("partition", a, kth, axis, order)
    _check_hints("partition", kind, order, None, ("introselect",))
    return _partitioned("partition", a, kth, axis, False)


def argpartition(
    a: Array, kth: int | Sequence[int], axis: int | None = -1, kind: str = "introselect", order: object = None
) -> Array:
    """The indices that :func:`partition` an array.

    Parameters
    ----------
    a : array_like
        The array.
    kth : int or sequence of int
        From -n to n - 1 for n elements along the axis.
    axis : int, optional
        The axis, the last one by default. None: the flattened array.
    kind : {"introselect"}
        NumPy's algorithm, which is not used.
    order : str or sequence of str, optional
        Of records (:class:`~devarray.OpaqueArray`) the fields that count first. Arrays have none.

    Returns
    -------
    Array
        int64.

    Raises
    ------
    ValueError
        For a `kth` outside the axis, another `kind`, and for an `order`.
    DTypeError
        For a `kth` that is no integer.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.argpartition(da.asarray([3, 1, 2]), 1)[1].item()
    2
    """
    if isinstance(a, OpaqueArray):
        _check_hints("argpartition", kind, None, None, ("introselect",))
        return _partitioned_records("argpartition", a, kth, axis, order)
    _check_hints("argpartition", kind, order, None, ("introselect",))
    return _partitioned("argpartition", a if a.ndim else a.reshape(1), kth, axis, True)  # as NumPy


def _partitioned_records(name: str, x: OpaqueArray, kth: Any, axis: int | None, order: Any) -> Any:
    """Records, or their indices, sorted altogether."""
    _places_along(name, kth, x.size if axis is None else x.shape[normalize_axis(axis, x.ndim)], 0)
    return _sorted_records(x, axis, order, name == "argpartition")


def _places_along(name: str, kth: Any, size: int, axis: int) -> np.ndarray:
    """The places that `kth` names along an axis."""
    places = np.asarray(kth.copy_to_host() if isinstance(kth, Array) else kth)
    if places.dtype.kind == "b":
        raise ValueError(f"{name}: Booleans unacceptable as partition index; kth is {kth!r}")
    if places.dtype.kind not in "iu":
        raise DTypeError(f"{name}: Partition index must be integer, not of {places.dtype}")
    wrong = places[(places < -size) | (places >= size)]
    if wrong.size:
        raise ValueError(f"{name}: kth(={wrong[0]}) out of bounds ({size}) along axis {axis}")
    return places


def _partitioned(name: str, a: Array, kth: int | Sequence[int], axis: int | None, indices: bool) -> Array:
    x, axis = (a.reshape(-1), 0) if axis is None else (a, normalize_axis(axis, a.ndim))
    if not x.size:  # as NumPy, which has nothing to order where there are no elements
        _places_along(name, np.asarray(kth.copy_to_host() if isinstance(kth, Array) else kth) * 0, 1, axis)
        return _core.empty_at(x, None, np.int64) if indices else x.copy()
    places = _places_along(name, kth, x.shape[axis], axis)
    places = places.reshape(-1).astype(np.intp)
    if indices:
        return _placed(x, places, axis, True)
    return along_memory(lambda x, axis: partitioned_by_rows(x, places, axis), x, axis)


def partitioned_by_rows(x: Array, places: Sequence[int] | np.ndarray, axis: int) -> Array:
    """:func:`partition` at places that are there, with a result in C order, whatever the order of `x`."""
    return _placed(x, np.asarray(places), axis, False)


_FEW = 256
"""Places up to which selecting takes less than sorting."""


def _placed(x: Array, places: np.ndarray, axis: int, indices: bool) -> Array:
    if x.device.strategy == "gpu" or x.dtype.kind == "c" or not 0 < places.size <= _FEW:
        return _sorted(x, axis, False, indices)

    rows = argpartition_rows if indices else partition_rows

    def fill(values: np.ndarray, out: np.ndarray) -> None:
        rows(values, out, axis, places)

    return through_host("partition", fill, [x], x.shape, np.int64 if indices else x.dtype)


def lexsort(keys: Any, axis: int = -1) -> Array:
    """The indices that sort by several keys: by the last one, equals by the one before it, and so on.

    Parameters
    ----------
    keys : sequence of array_like, or Array
        Of one shape; an Array's first axis holds the keys.
    axis : int
        The axis to sort along. The last one by default.

    Returns
    -------
    Array
        int64, of the shape of a key.

    Raises
    ------
    ShapeError
        Where the keys differ in shape.
    DTypeError
        Where there is no key.
    AxisError
        For an axis that the keys do not have.

    Examples
    --------
    >>> import devarray as da
    >>> last, first = da.asarray([2, 1, 2]), da.asarray([0, 0, 1])
    >>> da.lexsort((first, last)).copy_to_host()
    array([1, 0, 2])
    """
    from devarray._primitives.gather import along_axis
    from devarray._primitives.operands import as_arrays

    if not len(keys):
        raise DTypeError("need sequence of keys with len > 0 in lexsort")
    given = as_arrays(*keys)
    if given[0].ndim == 0:
        normalize_axes(axis, 1)
        return _core.as_value(_core.full((), np.dtype(np.int64), 0, given[0].queue, given[0].allocator))
    if len({x.shape for x in given}) > 1:
        raise ShapeError(f"lexsort: all keys need to be the same shape, not {', '.join(str(x.shape) for x in given)}")
    axis = normalize_axis(axis, given[0].ndim)
    order = _sorted(given[0], axis, False, True)
    for key in given[1:]:
        order = along_axis(order, _sorted(along_axis(key, order, axis), axis, False, True), axis)
    return order


def sort_complex(a: object) -> Array:
    """A sorted copy along the last axis, as complex numbers.

    Small integers become complex64, everything else that is not complex complex128, as in NumPy.

    Parameters
    ----------
    a : array_like
        Of at least one axis.

    Returns
    -------
    Array
        complex64 for integers of at most 16 bits, complex128 for other real numbers; else of the dtype of `a`.

    Raises
    ------
    ShapeError
        Where the array has no axis.

    Examples
    --------
    >>> import devarray as da
    >>> da.sort_complex(da.asarray([2, 1])).copy_to_host()
    array([1.+0.j, 2.+0.j])
    """
    ordered = _sorted(x := asarray(a), x.ndim - 1, False, False)
    if x.dtype.kind == "c":
        return ordered
    small = x.dtype.kind in "iu" and x.itemsize <= 2
    return ordered.astype(np.complex64 if small else np.complex128)


def sorted_by_bits(x: Array, bits: int, indices: bool = False) -> Array:
    """Integers of one axis sorted, or their order, of which all but some lowest bits are the same; 0: none need be."""
    return _sorted(x, 0, False, indices, bits)


def _sorted(x: Array, axis: int, descending: bool, indices: bool, bits: int = 0) -> Array:
    if x.ndim == 0 and indices:  # NumPy's
        return _core.full((1,), np.int64, 0, x.queue, x.allocator)
    axis = normalize_axis(axis, x.ndim)
    if x.device.strategy == "cpu":
        return _sorted_on_host(x, axis, descending, indices)
    if axis != x.ndim - 1 and x.size:
        # Each digit walks along rows; two copies that keep to memory's order cost less than walks across it.
        rows = _core.contiguous(_swapped(x, axis))
        return _core.contiguous(_swapped(_sorted(rows, x.ndim - 1, descending, indices), axis))
    result = _core.empty_at(x, x.shape, np.int64 if indices else None)
    if result.size:
        run_planned(_plan, ("in", "out"), (x, result), axis, descending, indices, bits)
    return result


def _plan(source: View, out: View, axis: int, descending: bool, indices: bool, bits: int, dialect: Dialect) -> Plan:
    from devarray.codegen.kernels.sort import plan_argsort, plan_sort

    return (plan_argsort if indices else plan_sort)(source, out, axis, dialect, descending=descending, bits=bits)


def _swapped(x: Array, axis: int) -> Array:
    """A view in which an axis and the last one have changed places."""
    axes = list(range(x.ndim))
    axes[axis], axes[-1] = axes[-1], axis
    return _core.permute(x, axes)


def _sorted_on_host(x: Array, axis: int, descending: bool, indices: bool) -> Array:
    rows = argsort_rows if indices else sort_rows

    def fill(values: np.ndarray, out: np.ndarray) -> None:
        rows(values, out, axis, descending)

    return through_host("sort", fill, [x], x.shape, np.int64 if indices else x.dtype)
