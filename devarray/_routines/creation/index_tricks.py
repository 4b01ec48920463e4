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

from typing import Any

import numpy as np

from devarray._primitives.convert import asarray
from devarray._primitives.join import concat, stack
from devarray._routines.creation.grids import meshgrid
from devarray._routines.creation.ranges import arange, linspace
from devarray.array import Array
from devarray.errors import DTypeError, ValueError

__all__ = ["c_", "mgrid", "ogrid", "r_"]


def _line(part: slice) -> Array:
    """The values of a slice: a step of ``nj`` means n of them, the end included."""
    if part.stop is None:
        raise ValueError("a slice in brackets needs a stop, as in mgrid[0:5]")
    start = 0 if part.start is None else part.start
    if isinstance(part.step, complex):
        return linspace(start, part.stop, int(abs(part.step)))
    return arange(start, part.stop, 1 if part.step is None else part.step)


class _Grid:
    """Coordinates of a grid; `sparse` leaves them in one dimension each."""

    def __init__(self, sparse: bool) -> None:
        self._sparse = sparse

    def __getitem__(self, key: slice | tuple[slice, ...]) -> Any:
        if isinstance(key, slice):
            return _line(key)
        if not all(isinstance(part, slice) for part in key):
            raise DTypeError(f"a grid takes slices, as in mgrid[0:3, 0:1:5j], not {key!r}")
        lines = [_line(part) for part in key]
        dtype = np.result_type(*(line.dtype for line in lines))
        grids = meshgrid(*(line.astype(dtype, copy=False) for line in lines), sparse=self._sparse, indexing="ij")
        return grids if self._sparse else stack(grids)


class _Row:
    """Joins along the first axis what stands in brackets."""

    def __getitem__(self, key: Any) -> Array:
        return concat(self._parts(key), axis=0)

    def _parts(self, key: Any) -> list[Array]:
        given = key if isinstance(key, tuple) else (key,)
        if any(isinstance(part, str) for part in given):
            raise DTypeError("directives such as r_['0,2', ...] are not taken; use concat, stack or reshape")
        parts = [
            part if _is_scalar(part) else _line(part) if isinstance(part, slice) else asarray(part) for part in given
        ]
        dtype = np.result_type(*(part if _is_scalar(part) else part.dtype for part in parts))
        arrays = [asarray(part, dtype=dtype) if _is_scalar(part) else part.astype(dtype, copy=False) for part in parts]
        return [x.reshape(1) if x.ndim == 0 else x for x in arrays]


def _is_scalar(part: Any) -> bool:
    return isinstance(part, bool | int | float | complex | np.generic)


class _Column(_Row):
    """Joins along the second axis; one-dimensional arrays are columns."""

    def __getitem__(self, key: Any) -> Array:
        return concat([x[:, None] if x.ndim == 1 else x for x in self._parts(key)], axis=-1)


mgrid = _Grid(False)
ogrid = _Grid(True)
r_ = _Row()
c_ = _Column()
