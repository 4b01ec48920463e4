"""NumPy's objects that build arrays from slices and values in brackets: ``mgrid``, ``ogrid``, ``r_``, ``c_``.

Examples
--------
>>> import devarray as da
>>> da.mgrid[0:2, 0:3].shape
(2, 2, 3)
>>> [x.shape for x in da.ogrid[0:2, 0:1:5j]]
[(2, 1), (1, 5)]
>>> da.r_[1:4, 0, [7, 8]].copy_to_host()
array([1, 2, 3, 0, 7, 8])
>>> da.c_[da.arange(2), da.arange(2) * 10].copy_to_host()
array([[ 0,  0],
       [ 1, 10]])
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from devarray._primitives.convert import asarray, default_float
from devarray._primitives.join import concat, stack
from devarray._primitives.opaque_numbers import read
from devarray._routines.creation.grids import meshgrid
from devarray._routines.creation.ranges import arange, linspace
from devarray.array import Array
from devarray.errors import DTypeError, ValueError

__all__ = ["c_", "mgrid", "ogrid", "r_"]


def _line(part: slice) -> Array:
    """The values of a slice: a step of ``nj`` means n of them, the end included. Without a stop it is the start."""
    start, stop = (0, part.start) if part.stop is None else (part.start, part.stop)
    start, stop = (0 if end is None else end for end in (start, stop))
    if isinstance(part.step, complex | np.complexfloating):
        return linspace(start, stop, int(abs(complex(part.step))))
    return arange(start, stop, 1 if part.step is None else part.step)


def _ends(part: slice) -> tuple[Any, Any, Any, bool]:
    """Start, stop and step of a slice of a grid, and whether the step counts values; of the device they are read."""
    start, stop, step = (x.item() if isinstance(x, Array) else x for x in (part.start, part.stop, part.step))
    start, stop = (0, start) if stop is None else (start, stop)
    counts = isinstance(step, complex | np.complexfloating)
    return 0 if start is None else start, 0 if stop is None else stop, 1 if step is None else step, counts


def _grid_line(part: slice, dtype: Any) -> Array:
    """The values along an axis in the dtype of the grid, as NumPy computes them: from the places 0, 1, ..."""
    start, stop, step, counts = _ends(part)
    if counts:
        size = int(abs(step))
        step = size if size == 1 else (stop - start) / float(size - 1)
    else:
        size = math.ceil((stop - start) / step)
    if np.dtype(dtype) == np.float64:
        dtype = default_float(None, None)
    line: Array = (arange(0, size, 1, dtype) * step + start).astype(dtype, copy=False)
    return line


class _Grid:
    """Coordinates of a grid; `sparse` leaves them in one dimension each."""

    def __init__(self, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Any:
        if isinstance(key, slice):
            start, stop, step, counts = _ends(key)
            return _grid_line(key, np.result_type(start, stop, abs(step))) if counts else _line(key)
        if not all(isinstance(part, slice) for part in key):
            raise DTypeError(f"a grid takes slices, as in mgrid[0:3, 0:1:5j], not {key!r}")
        if not key:
            return () if self._sparse else arange(0, dtype=np.int64)
        ends = [_ends(part) for part in key]
        dtype = np.result_type(0, *(number for *two, step, counts in ends for number in (*two, abs(step))))
        grids = meshgrid(*(_grid_line(part, dtype) for part in key), sparse=self._sparse, indexing="ij")
        return grids if self._sparse else stack(grids)


class _Row:
    """Joins what stands in brackets, as its directive says: ``"axis,dimensions,place of the first dimension"``."""

    _directive = (0, 1, -1)

    def __getitem__(self, key: object) -> Array:
        given = key if isinstance(key, tuple) else (key,)
        axis, dimensions, first = self._directive
        if given and isinstance(given[0], str):
            axis, dimensions, first = self._directed(given[0], axis, dimensions, first)
            given = given[1:]
        if any(isinstance(part, str) for part in given):
            raise ValueError("r_ and c_ take a directive in the first place only")
        arrays = [_with_axes(part, dimensions, first) for part in self._parts(given)]
        return concat(arrays, axis=axis)

    def _directed(self, text: str, axis: int, dimensions: int, first: int) -> tuple[int, int, int]:
        if text in ("r", "c"):
            raise DTypeError(
                f"the directive {text!r} makes a matrix, which devices do not have; use an array of two axes"
            )
        try:
            numbers = [int(number) for number in text.split(",")]
        except builtins.ValueError:
            raise ValueError(
                f"the directive {text!r} is no list of up to three integers, as in r_['0,2', ...]"
            ) from None
        if len(numbers) > 3:
            raise ValueError(f"the directive {text!r} has more than three integers")
        return (*numbers, *(axis, dimensions, first)[len(numbers) :])  # type: ignore[return-value]

    def _parts(self, given: tuple[Any, ...]) -> list[Array]:
        parts = [
            part if _is_scalar(part) else _line(part) if isinstance(part, slice) else asarray(read(part))
            for part in given
        ]
        dtype = np.result_type(*(part if _is_scalar(part) else part.dtype for part in parts))
        return [asarray(part, dtype=dtype) if _is_scalar(part) else part.astype(dtype, copy=False) for part in parts]


def _with_axes(x: Array, dimensions: int, first: int) -> Array:
    """An array with at least so many axes, its own beginning at the place `first` among them."""
    missing = dimensions - x.ndim
    if missing <= 0:
        return x
    if x.ndim == 0:
        return x.reshape((1,) * dimensions)
    before = first if first >= 0 else missing + first + 1
    before = min(max(before, 0), missing)
    return x.reshape((1,) * before + x.shape + (1,) * (missing - before))


def _is_scalar(part: object) -> bool:
    return isinstance(part, bool | int | float | complex | np.generic)


class _Column(_Row):
    """Joins along the last axis; one-dimensional arrays are columns."""

    _directive = (-1, 2, 0)


mgrid = _Grid(False)
ogrid = _Grid(True)
r_ = _Row()
c_ = _Column()
