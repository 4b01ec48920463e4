"""Indexing by integer arrays and masks, in get and set, with NumPy's rules.

A key is split in two. Its ints, slices, Ellipsis and None make a view; its arrays then index axes of that view, in one
gather or scatter. Masks become index arrays (`nonzero`, which reads their count from the device), except where one mask
is the whole key: then elements are selected or placed directly, and one value for all of them is chosen in a fused
kernel, without a wait.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from devarray import _core
from devarray._primitives.bounds import require_mask_fits, require_seen_inside
from devarray._primitives.compaction import compress_elements, nonzero_rows, place_elements
from devarray._primitives.convert import asarray
from devarray._primitives.planned import run_planned
from devarray._primitives.stored import stored_in
from devarray._primitives.taken import take_on_host, taken, taken_of_pending
from devarray._runtime.config import config
from devarray.array import OP, Array
from devarray.errors import DeviceError, DTypeError, IndexError, ShapeError

if TYPE_CHECKING:
    from devarray.codegen.kernels.launches import Plan, View
    from devarray.codegen.language.dialect import Dialect

__all__ = [
    "along_axis",
    "gather",
    "indices_on_device",
    "require_inside",
    "scatter_along_axis",
]


def gather(x: Array, indices: Array, axis: int) -> Array:
    """x with `axis` replaced by the axes of `indices`."""
    return _gather_one(x, indices, axis, f"take along axis {axis} of size {x.shape[axis]}")


def require_inside(indices: Array, size: int, what: str) -> None:
    """Indices that are not from 0 to ``size - 1`` raise IndexError at the next wait (negative ones do, too)."""
    if indices.size == 0:
        return
    if size == 0:
        raise IndexError(f"{what}: there are no elements")
    outside = _core.apply(OP["logical_or"], indices < 0, indices >= size).any()
    one = _core.full((1,), np.bool_, 0, indices.queue, indices.allocator)
    try:
        _gather(one, {0: outside.astype(np.int64)}, (), 0, what)  # whose only index is 0 where all are inside
    except IndexError:
        raise IndexError(f"{what}: an index is outside of 0 to {size - 1}") from None


def along_axis(x: Array, indices: Array, axis: int) -> Array:
    """`take_along_axis` of arrays of one number of dims, broadcast except along `axis`."""
    x, indices = _aligned(x, indices, axis, "take_along_axis")
    result = _core.empty_at(x, indices.shape, None)
    _run_along(x, indices, axis, result, False)
    return result


def scatter_along_axis(x: Array, indices: Array, values: Array, axis: int) -> None:
    """`put_along_axis`: x at the places that `along_axis` reads takes `values`, broadcast to the indices."""
    _require_as_many_axes(x, indices, "put_along_axis")
    if any(n == 1 < m for i, (n, m) in enumerate(zip(x.shape, indices.shape, strict=True)) if i != axis):
        # Indices of more rows than there are write to the same ones, as index arrays do.
        rows = [np.arange(n).reshape([-1 if i == j else 1 for j in range(x.ndim)]) for i, n in enumerate(x.shape)]
        x[tuple(indices if i == axis else row for i, row in enumerate(rows))] = values
        return
    if any(n != m for i, (n, m) in enumerate(zip(x.shape, indices.shape, strict=True)) if i != axis):
        indices = _core.broadcast_to(indices, (*x.shape[:axis], indices.shape[axis], *x.shape[axis + 1 :]))
    _run_along(x, indices, axis, _core.broadcast_to(_apart(values, x), indices.shape), True)


def _require_as_many_axes(x: Array, indices: Array, name: str) -> None:
    if x.ndim != indices.ndim:
        raise ShapeError(
            f"{name}: `indices` and `arr` must have the same number of dimensions: the array has {x.ndim} and the "
            f"indices {indices.ndim}"
        )


def _aligned(x: Array, indices: Array, axis: int, name: str) -> tuple[Array, Array]:
    _require_as_many_axes(x, indices, name)
    wide = _core.broadcast_shapes(
        (*x.shape[:axis], 1, *x.shape[axis + 1 :]), (*indices.shape[:axis], 1, *indices.shape[axis + 1 :])
    )
    x = _core.broadcast_to(x, (*wide[:axis], x.shape[axis], *wide[axis + 1 :]))
    return x, _core.broadcast_to(indices, (*wide[:axis], indices.shape[axis], *wide[axis + 1 :]))


def _run_along(x: Array, indices: Array, axis: int, other: Array, scatter: bool) -> None:
    if indices.size == 0:
        return
    indices = _plain_indices(indices)
    require_seen_inside(x, {axis: indices})
    flag = _core.index_flag(x, f"index along axis {axis} of size {x.shape[axis]}")
    run_planned(_plan_along, ("x", "indices", "other", "flag"), (x, indices, other, flag), axis, scatter)
    _look_at_flag(x)


def _plan_along(x: View, indices: View, other: View, _: View, axis: int, scatter: bool, dialect: Dialect) -> Plan:
    from devarray.codegen.kernels.gather import plan_put_along_axis, plan_take_along_axis

    return (plan_put_along_axis if scatter else plan_take_along_axis)(x, indices, axis, other, dialect)


def _look_at_flag(x: Array) -> None:
    """In eager mode an index out of bounds is an error of the call that made it, which waits to learn of it."""
    if not _core.deferred() and not config.forbid_waits:
        _core.wait(x.queue)


def _choose(x: Array, mask: Array, values: Array) -> None:
    """x = values where the mask of its leading axes is true; `values` broadcast over the axes that are left."""
    if mask.size == 0:
        return
    wide = mask.reshape(mask.shape + (1,) * (x.ndim - mask.ndim))
    x[...] = _core.apply(OP["where"], wide, values, x)


# --- keys ----------------------------------------------------------------------------------------------------------


class _Selection(NamedTuple):
    """What a key picks: a view, and index arrays into axes of it.

    Attributes
    ----------
    view : Array
    indices : dict
        Index array by axis of the view.
    shape : tuple of int
        That the index arrays broadcast to.
    start : int
        Where that shape stands among the view's axes that are not indexed.
    """

    view: Array
    indices: dict[int, Array]
    shape: tuple[int, ...]
    start: int


def _entry(item: Any, x: Array) -> Any:
    """A key's item as an int, slice, None, Ellipsis, host array or device array."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, Array):
        if item.device is not x.device:
            raise DeviceError(f"the index is on {item.device}, the array on {x.device}; move it with to_device()")
        if item.dtype.kind not in "biu":
            raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {item.dtype}")
        return item
    if not isinstance(item, bool | np.bool_ | np.ndarray | list | tuple):
        try:
            return operator.index(item)
        except TypeError:
            if isinstance(item, str | bytes) or not (isinstance(item, Sequence) or hasattr(item, "__array__")):
                raise IndexError(
                    "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean "
                    f"arrays are valid indices, not {item!r}"
                ) from None  # a range, a pandas.Series
    if isinstance(item, list | tuple) and any(isinstance(part, Array) for part in item):
        return _entry(asarray(item, queue=x.queue, allocator=x.allocator), x)
    host = np.asarray(item)
    if host.size == 0 and not isinstance(item, np.ndarray):
        host = host.astype(np.int64)
    if host.dtype.kind not in "biu":
        raise IndexError(f"arrays used as indices must be of integer (or boolean) type, not {host.dtype}")
    return host


def _is_mask(entry: object) -> bool:
    return isinstance(entry, Array | np.ndarray) and entry.dtype.kind == "b"


def _axes_of(entry: Any) -> int:
    if entry is None or entry is Ellipsis:
        return 0
    return entry.ndim if _is_mask(entry) else 1


def _entries(x: Array, key: object) -> list[Any]:
    """The key's items with the Ellipsis written out, one or more for each axis of x; an Ellipsis of no axes stays."""
    entries = [_entry(item, x) for item in (key if isinstance(key, tuple) else (key,))]
    ellipses = [i for i, entry in enumerate(entries) if entry is Ellipsis]
    if len(ellipses) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    consumed = sum(_axes_of(entry) for entry in entries)
    if consumed > x.ndim:
        raise IndexError(f"too many indices for array: array is {x.ndim}-dimensional, but {consumed} were indexed")
    at = ellipses[0] if ellipses else len(entries)
    entries[at : at + 1] = [slice(None)] * (x.ndim - consumed) or entries[at : at + 1]
    return entries


def _index_arrays(x: Array, mask: Any, axis: int) -> list[Any]:
    """The index arrays that a mask over the axes from `axis` on stands for."""
    require_mask_fits(mask, x.shape[axis : axis + mask.ndim], axis)
    return list(np.nonzero(mask)) if isinstance(mask, np.ndarray) else list(nonzero_rows(mask))


def _select(x: Array, key: Any) -> _Selection:
    if _is_sole_index(key, x):
        return _Selection(x, {0: _plain_indices(key)}, key.shape, 0)
    basic: list[Any] = []
    arrays: dict[int, Any] = {}
    shapes: list[tuple[int, ...]] = []
    kinds = ""  # of the items: "a" for arrays and the ints among them, "s" for axes that stay, "." for an Ellipsis
    axis = axes = 0  # of x, and of the view
    for entry in _entries(x, key):
        if isinstance(entry, int):
            basic.append(entry)
            kinds, axis = kinds + "a", axis + 1
        elif entry is Ellipsis:
            kinds += "."  # stands between arrays as an axis does, and is none
        elif not isinstance(entry, Array | np.ndarray):
            basic.append(entry)
            kinds, axis, axes = kinds + "s", axis + (entry is not None), axes + 1
        elif _is_mask(entry) and entry.ndim == 0:
            shapes.append((int(bool(entry)),))
            kinds += "a"
        else:
            for array in _index_arrays(x, entry, axis) if _is_mask(entry) else [entry]:
                arrays[axes] = indices_on_device(array, x, axis)
                shapes.append(array.shape)
                basic.append(slice(None))
                kinds, axis, axes = kinds + "a", axis + 1, axes + 1
    before, _, behind = kinds.partition("a")
    start = before.count("s") if not behind.rpartition("a")[0].strip("a") else 0
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        raise IndexError(
            "shape mismatch: indexing arrays could not be broadcast together with shapes " + " ".join(map(str, shapes))
        ) from None
    return _Selection(x[(*basic, ...)], arrays, shape, start)


def indices_on_device(index: Array | np.ndarray, x: Array, axis: int) -> Array:
    """An index array on the device of x. Indices that the host knows are checked here."""
    if isinstance(index, Array):
        return _plain_indices(index)
    size = x.shape[axis]
    if index.size:
        least, greatest = int(index.min()), int(index.max())
        if least < -size or greatest >= size:
            wrong = least if least < -size else greatest
            raise IndexError(f"index {wrong} is out of bounds for axis {axis} with size {size}")
    return _uploaded(index.astype(np.int64, copy=False), x)


def _uploaded(host: np.ndarray, x: Array) -> Array:
    fresh = _core.empty(host.shape, host.dtype, x.queue, x.allocator)
    if host.size:
        _core.copy_from_host(fresh, host)
    return fresh


_PLAIN = {np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.uint64)}


def _plain_indices(indices: Array) -> Array:
    """Few dtypes make few kernels: 64 bits for all but int32 and uint64."""
    return indices if indices.dtype in _PLAIN else indices.astype(np.int64)


# --- gather and scatter --------------------------------------------------------------------------------------------


def _space(view: Array, indices: dict[int, Array], shape: tuple[int, ...], start: int) -> tuple[int, ...]:
    kept = [size for axis, size in enumerate(view.shape) if axis not in indices]
    return (*kept[:start], *shape, *kept[start:])


def _run(
    view: Array, indices: dict[int, Array], shape: tuple[int, ...], start: int, other: Array, scatter: bool, what: str
) -> None:
    """Move elements between the indexed places of `view` and `other`, which has the shape of the space."""
    if other.size == 0:
        return
    for axis in indices:
        if view.shape[axis] == 0:
            raise IndexError(f"{what}: axis {axis} has no elements")
    require_seen_inside(view, indices)
    wide = [index if index.shape == shape else _core.broadcast_to(index, shape) for index in indices.values()]
    arrays = (view, other, _core.index_flag(view, what), *wide)
    alone = not scatter and len(indices) == 1
    run_planned(
        _plan, _ROLES[: len(arrays)], arrays, tuple(indices), start, scatter, stand_in=take_on_host if alone else None
    )
    _look_at_flag(view)


_ROLES = ("view", "other", "flag", *(f"index{number}" for number in range(64)))  # as many axes as NumPy has


def _plan(view: View, other: View, _: View, *rest: Any) -> Plan:
    """The plan of a gather or scatter. The rest: views of the index arrays, the indexed axes, where their space stands
    among the others, whether it scatters, and the dialect."""
    from devarray.codegen.kernels.gather import IndexArray, plan_gather, plan_scatter
    from devarray.codegen.kernels.launches import View

    *columns, axes, start, scatter, dialect = rest
    space = other.shape
    kept = [step for axis, step in enumerate(view.strides) if axis not in axes]
    before, after = (0,) * start, (0,) * (len(kept) - start)
    inner = (0,) * (len(space) - len(kept))
    table = View("view", view.dtype, space, (*kept[:start], *inner, *kept[start:]))
    indices = [
        IndexArray(
            View(index.role, index.dtype, space, (*before, *index.strides, *after)),
            view.shape[axis],
            view.strides[axis],
        )
        for axis, index in zip(axes, columns, strict=True)
    ]
    return (plan_scatter if scatter else plan_gather)(table, indices, other, dialect)


def _gather(view: Array, indices: dict[int, Array], shape: tuple[int, ...], start: int, what: str) -> Array:
    if view.pending:
        space = _space(view, indices, shape, start)
        computed = taken_of_pending(
            view, indices, start, space, lambda operand: _gather(operand, indices, shape, start, what)
        )
        if computed is not None:
            return computed
    fused = taken(view, indices, shape, start, what)
    if fused is not None:
        return fused
    result = _core.empty_at(view, _space(view, indices, shape, start), None)
    _run(view, {axis: _plain_indices(index) for axis, index in indices.items()}, shape, start, result, False, what)
    return result


def _gather_one(x: Array, indices: Array, axis: int, what: str) -> Array:
    """The most frequent gather, by a single index array."""
    few = _core.gather_on_host(x, indices) if axis == 0 else None
    if few is not None:
        return few
    indices = _plain_indices(indices)
    if x.pending:
        return _gather(x, {axis: indices}, indices.shape, axis, what)
    fused = taken(x, {axis: indices}, indices.shape, axis, what)
    if fused is not None:
        return fused
    again = _core.gather_again(_plan, x, indices, axis, ((axis,), axis, False), what)
    if again is None:
        return _gather(x, {axis: indices}, indices.shape, axis, what)
    _look_at_flag(x)
    return again


def _what(indices: dict[int, Array], view: Array) -> str:
    return "index into " + ", ".join(f"axis {axis} of size {view.shape[axis]}" for axis in indices)


def _without_arrays(picked: _Selection) -> Array:
    """The view of a selection by 0-d masks alone: an axis of one element, or of none."""
    view = picked.view[(slice(None),) * picked.start + (None,)]
    return view[(slice(None),) * picked.start + (slice(0, picked.shape[0]),)]


def _sole_mask(x: Array, key: object) -> Array | None:
    """The key as a device mask over leading axes of x, if it is nothing else, and no mask of the host for a GPU."""
    if isinstance(key, tuple) and len(key) == 1:
        (key,) = key
    if isinstance(key, np.ndarray) and key.dtype.kind == "b" and 0 < key.ndim <= x.ndim and x.device.type == "cpu":
        require_mask_fits(key, x.shape[: key.ndim])
        key = _uploaded(key, x)  # a copy is quicker than the indices of its elements
    if not isinstance(key, Array) or key.dtype.kind != "b" or not 0 < key.ndim <= x.ndim:
        return None
    _entry(key, x)
    require_mask_fits(key, x.shape[: key.ndim])
    return key


def _require_a_row(values: Array, key: Any, x: Array) -> None:
    """NumPy takes a value of at most one axis where a mask of all of x is the key, and spreads no others."""
    if values.ndim < 2:
        return
    if isinstance(key, tuple) and len(key) == 1:
        (key,) = key
    if isinstance(key, list) and not any(isinstance(part, Array) for part in key):
        key = np.asarray(key)
    if isinstance(key, Array | np.ndarray) and key.dtype.kind == "b" and key.ndim == x.ndim:
        raise DTypeError(
            f"NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has {values.ndim} "
            f"dimensions: x[mask] = value takes a value of at most one axis, not one of shape {values.shape}"
        )


def _is_sole_index(key: object, x: Array) -> bool:
    """Whether the key is one integer array on the device: by far the most frequent form."""
    return isinstance(key, Array) and key.dtype.kind in "iu" and x.ndim > 0 and key.device is x.device


def _behind_integers(x: Array, key: object) -> tuple[Array, Any] | None:
    """`x[i, j, array, ...]` as `x[i, j]` and `(array, ...)`, which is often one array alone."""
    if not isinstance(key, tuple):
        return None
    count = 0
    while count < len(key) and isinstance(key[count], int | np.integer) and not isinstance(key[count], bool):
        count += 1
    if not 0 < count < min(len(key), x.ndim) or not isinstance(key[count], Array | np.ndarray) or not key[count].ndim:
        return None
    rest = key[count:]
    return x[key[:count]], rest[0] if len(rest) == 1 else rest


def advanced_getitem(x: Array, key: Any) -> Array:
    """x[key] for a key with index arrays, lists or masks."""
    if _is_sole_index(key, x):
        return _gather_one(x, key, 0, f"index into axis 0 of size {x.shape[0]}")
    if (behind := _behind_integers(x, key)) is not None:
        with suppress(IndexError):  # said below, of the axes of x
            return behind[0][behind[1]]
    mask = _sole_mask(x, key)
    if mask is not None and mask.ndim == x.ndim:
        few = _core.select_on_host(x, mask)
        return compress_elements(x, mask) if few is None else few
    picked = _select(x, key)
    if not picked.indices and not picked.shape:  # other libraries' arrays without axes are integers
        return x[tuple(_entries(x, key))]
    if not picked.indices:
        return _without_arrays(picked).copy()
    return _gather(picked.view, picked.indices, picked.shape, picked.start, _what(picked.indices, picked.view))


def _set_value(x: Array, mask: Any, value: Array) -> None:
    """A result without axes becomes another value of its dtype where the mask holds."""
    if value.size == 0 and not bool(mask):  # one value for each place that the mask names: none for none
        return
    if value.size != 1:
        raise ShapeError(f"a result without axes takes one value, not {value.size} of shape {value.shape}")
    _core.rebind_value(x, _core.apply(OP["where"], mask, value.reshape(()), x))


def advanced_setitem(x: Array, key: object, value: object) -> None:
    """x[key] = value for such a key."""
    if _core.is_value(x):  # under a mask without axes
        return _set_value(x, key, stored_in(value, x))
    if (behind := _behind_integers(x, key)) is not None:
        with suppress(IndexError):
            behind[0][behind[1]] = value
            return None
    mask = None if _is_sole_index(key, x) else _sole_mask(x, key)
    if mask is not None:
        values = _apart(stored_in(value, x), x)
        _require_a_row(values, mask, x)
        while values.ndim > 0 and values.shape[0] == 1 and values.ndim > x.ndim - mask.ndim:
            values = values[0]
        if values.ndim <= 1 and mask.ndim == x.ndim and _core.place_on_host(x, mask, values):
            return None
        if values.ndim <= x.ndim - mask.ndim:
            return _choose(x, mask, values)
        if mask.ndim == x.ndim:
            return place_elements(x, mask, values)
    picked = _select(x, key)
    if not picked.indices:
        target, place = (_without_arrays(picked), ...) if picked.shape else (x, tuple(_entries(x, key)))
        target[place] = value
        return None
    view = picked.view
    space = _space(view, picked.indices, picked.shape, picked.start)
    values = _apart(stored_in(value, x), view)
    _require_a_row(values, key, x)
    while values.ndim > len(space) and values.shape[0] == 1:
        values = values[0]
    try:
        values = _core.broadcast_to(values, space)
    except ShapeError:
        given = f"shape mismatch: value array of shape {values.shape}"
        raise ShapeError(f"{given} could not be broadcast to indexing result of shape {space}") from None
    indices = {axis: _apart(index, view) for axis, index in picked.indices.items()}
    _run(view, indices, picked.shape, picked.start, values, True, _what(indices, view))
    return None


def _apart(value: Array, x: Array) -> Array:
    """The array, or a copy where it shares memory with x, which is about to be written."""
    return value.copy().evaluate() if _core.shares_memory(value, x) else value
