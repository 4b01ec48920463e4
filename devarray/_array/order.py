"""NumPy's memory orders: what a caller's `order` means for an array, and new arrays in that order.

"C" is row-major (the last axis has the smallest stride), "F" column-major. "A" is "F" for an array that is stored so,
else "C". "K" keeps the order of the axes in memory, whatever it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod
from typing import Any

from devarray import _core
from devarray.errors import DTypeError, ValueError

__all__ = [
    "along_memory",
    "as_it_lies",
    "axes_as_all_lie",
    "axes_as_they_lie",
    "is_fortran",
    "laid_out",
    "lies",
    "made_along",
    "made_in_order",
    "order_of",
    "stored_on_host",
    "strides_fall",
]


def order_of(order: object, allowed: str = "CFAK", name: str = "") -> Any:
    """A caller's `order` as one of the letters in `allowed`; lower case is taken too.

    None stands for "K" where that is allowed, else for "C". `name` is the function that the messages name.
    """
    if order is None:
        return "K" if "K" in allowed else "C"
    if not isinstance(order, str):
        raise DTypeError(f"{name and name + ': '}order must be str, not {type(order).__name__}")
    letter = order.upper()
    if len(letter) != 1 or letter not in allowed:
        raise ValueError(f"{name and name + ': '}{_unknown_order(letter, allowed, order)}")
    return letter


def _unknown_order(letter: str, allowed: str, given: str) -> str:
    """NumPy's words for an order that is none, or none here."""
    if len(letter) == 1 and letter in "CFAK":
        return (
            "only 'C' or 'F' order is permitted"
            if allowed == "CF"
            else f"order {given!r} is not permitted for reshaping"
        )
    here = "" if "K" in allowed else "; only 'C' or 'F' order is permitted" if allowed == "CF" else ""
    return f"order must be one of 'C', 'F', 'A', or 'K' (got {given!r}){here}"


def axes_as_they_lie(strides: Sequence[int]) -> list[int]:
    """The axes sorted by the size of their strides, the largest first."""
    return sorted(range(len(strides)), key=lambda axis: -abs(strides[axis]))


def axes_as_all_lie(forms: Sequence[tuple[Sequence[int], Sequence[int]]]) -> list[int]:
    """The order of the axes by stride that several arrays, given as (shape, strides), agree on; else C order.

    NumPy's rule for the results of joining (PyArray_CreateMultiSortedStrideOrder): an insertion sort in which an axis
    goes before another one where it has the larger stride in every array. Arrays in which one of the two axes has
    size 1 have no say, since its stride means nothing.
    """

    def farther(axis: int, other: int) -> bool | None:
        votes = [
            abs(strides[axis]) > abs(strides[other])
            for shape, strides in forms
            if shape[axis] != 1 and shape[other] != 1
        ]
        return all(votes) if votes else None

    order: list[int] = []
    for axis in range(len(forms[0][0])):
        place = len(order)
        for i in reversed(range(len(order))):
            before = farther(axis, order[i])
            if before:
                place = i
            elif before is not None:
                break
        order.insert(place, axis)
    return order


def along_memory(work: Callable[..., Any], x: Any, *axes: int) -> Any:
    """``work(x, *axes)``, whose result has the axes of `x`, in memory in the order in which those of `x` lie.

    `work` is given the array with its axes by their strides, the largest first, and makes one in C order.
    """
    if x.ndim < 2 or _core.is_contiguous(x, "C"):
        return work(x, *axes)
    order = _axes_of_iterator(x)
    if order == list(range(x.ndim)):
        return work(x, *axes)
    made = work(_core.permute(x, order), *map(order.index, axes))
    return _core.as_owner(_core.permute(made, sorted(range(x.ndim), key=order.__getitem__)))


def strides_fall(values: Any) -> bool:
    """Whether the strides of an array on the host fall from the first axis to the last, as those of C order do."""
    if values.ndim < 2 or values.flags.c_contiguous:
        return True
    return all(abs(one) >= abs(other) for one, other in pairwise(values.strides))


def as_it_lies(x: Any) -> Any:
    """The array with its axes permuted so that the last one has the least stride; a view."""
    return _core.permute(x, _axes_of_iterator(x))


def _axes_of_iterator(x: Any) -> list[int]:
    """The axes from the largest stride to the least.

    An axis that repeats its elements stays where it is beside its neighbours, as NumPy's iterator has it
    (npyiter_find_best_axis_ordering): an insertion sort from the last axis on.
    """
    steps = [abs(step) if size > 1 else 0 for size, step in zip(x.shape, x.strides, strict=True)]
    order: list[int] = []  # the last one first
    for axis in reversed(range(x.ndim)):
        place = len(order)
        for i in reversed(range(len(order))):
            if not steps[axis] or not steps[order[i]]:
                continue
            if steps[axis] >= steps[order[i]]:
                break
            place = i
        order.insert(place, axis)
    return order[::-1]


def is_fortran(x: Any, order: str) -> bool:
    """Whether `order`, "C", "F" or "A", means column-major for an array; "A" does for one that is stored so."""
    letter = order_of(order, "CFA")
    return letter == "F" or (letter == "A" and _core.is_contiguous(x, "F") and not _core.is_contiguous(x, "C"))


def stored_on_host(x: Any) -> Any:
    """The values on the host, with the order of axes that files and pickles keep: of what lies without gaps its own."""
    if x.ndim > 1:
        axes = axes_as_they_lie(x.strides)
        turned = _core.permute(x, axes)
        if _core.is_contiguous(turned, "C"):
            return turned.copy_to_host().transpose(sorted(range(x.ndim), key=axes.__getitem__))
    return x.copy_to_host()


def lies(x: Any, order: str) -> bool:
    """Whether an array is stored in an order already; every array is in "A" and "K"."""
    return order in "AK" or _core.is_contiguous(x, order)


def made_in_order(make: Callable[[Any], Any], shape: Sequence[int], order: str, model: Any = None) -> Any:
    """A new array of `shape` in an order, from `make`, which takes a shape and makes an array in C order.

    "A" and "K" follow the strides of `model`; "K" only where the model has as many axes as `shape`. Without a model
    both mean "C".
    """
    if order in "AK" and model is not None and model.ndim > 1:
        axes = axes_as_they_lie(model.strides)
        if order == "A":
            order = "F" if _is_stored_by_columns(model) else "C"
        elif len(shape) == model.ndim:
            return made_along(make, shape, axes)
    if order == "F" and len(shape) > 1:
        return _core.as_owner(_core.permute(make(list(shape)[::-1]), None))
    return make(shape)


def _is_stored_by_columns(model: Any) -> bool:
    """:func:`is_fortran` of what has a shape, strides and a dtype, and may lie on the host."""
    if isinstance(model, _core.ArrayBase):
        return is_fortran(model, "A")
    by_columns = [model.dtype.itemsize * prod(model.shape[:axis]) for axis in range(model.ndim)]
    by_rows = [model.dtype.itemsize * prod(model.shape[axis + 1 :]) for axis in range(model.ndim)]
    return list(model.strides) == by_columns != by_rows


def made_along(make: Callable[[Any], Any], shape: Sequence[int], axes: Sequence[int]) -> Any:
    """A new array of `shape` whose `axes`, from the largest stride to the smallest, are given; `make` as above."""
    if list(axes) == list(range(len(axes))):
        return make(shape)
    made = make([shape[axis] for axis in axes])
    return _core.as_owner(_core.permute(made, sorted(range(len(axes)), key=list(axes).__getitem__)))


def laid_out(x: Any, order: str, dtype: Any = None) -> Any:
    """A copy of `x` in an order, and cast to `dtype` where one is given, in one kernel."""
    target = x.dtype if dtype is None else dtype

    def make(shape: Any) -> Any:
        return _core.empty(shape, target, x.queue, x.allocator)

    fresh = made_in_order(make, x.shape, order, x)
    fresh[...] = x if target == x.dtype else _core.astype(x, target)
    return fresh
