"""NumPy's ``x.flat``: the elements of an array in C order, to be read, written and iterated over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import as_value
from devarray._primitives.opaque_assign import as_records
from devarray._primitives.opaque_dtypes import is_plain
from devarray.array import Array
from devarray.errors import IndexError

__all__ = ["FlatArray", "flat_of", "flat_of_opaque", "write_flat"]


class FlatArray(Array):
    """The elements of an array in C order, under the names of :class:`numpy.flatiter`.

    As an operand it is the flattened array: a view of the array where that is in C order, else a copy that is made when
    ``x.flat`` is asked for. Items are read from the array, and written to it, in both cases.

    Attributes
    ----------
    base : Array
        The array.
    index : int
        How many elements ``next`` has given.
    coords : tuple of int
        The place of the next one.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.zeros((2, 3)).T
    >>> x.flat[1:3] = [1, 2]
    >>> x.copy_to_host()
    array([[0., 1.],
           [2., 0.],
           [0., 0.]])
    """

    index: int
    _of: Array
    _row: Array | None = None  # the elements side by side, for who goes through them

    @property
    def base(self) -> Array:
        """The array."""
        return self._of

    @property
    def coords(self) -> tuple[int, ...]:
        """The place of the element that ``next`` gives."""
        return tuple(int(i) for i in np.unravel_index(self.index, self._of.shape))

    def __getitem__(self, key: object) -> Any:
        key, x = _checked(key), self._of
        if isinstance(key, int | np.integer) and not x.is_c_contiguous():
            return x[_place(x, int(key))]
        return _core.reshape(x, (-1,))[key]

    def __setitem__(self, key: object, value: object) -> None:
        write_flat(self._of, _checked(key), value)

    def copy(self, order: str = "C") -> Array:
        """The elements in C order in a new array."""
        return self._of.reshape(-1, copy=True)

    def __iter__(self) -> Iterator[Any]:
        if self._of.is_c_contiguous():
            self._row = _core.reshape(self._of, (-1,))
        return self

    def __next__(self) -> Any:
        at = self.index
        if at >= self.size:
            raise StopIteration
        self.index = at + 1
        return self[at] if self._row is None else self._row[at]


def flat_of(x: Array) -> FlatArray:
    """What ``x.flat`` gives."""
    made: FlatArray = _core.view_as(FlatArray, _core.reshape(x, (-1,)))
    made._of, made.index = x, 0
    return made


class _FlatNumbers(FlatArray):
    """The numbers of an OpaqueArray in C order: a copy, but that items are read from and written to the array."""

    _numbers_of: Any

    @property
    def base(self) -> Any:
        """The array."""
        return self._numbers_of

    def __getitem__(self, key: object) -> Any:
        return flat_of(self._numbers_of._numbers())[key]

    def __setitem__(self, key: object, value: object) -> None:
        numbers = self._numbers_of._numbers()
        flat_of(numbers)[key] = value
        self._numbers_of[...] = numbers


class FlatElements:
    """The dates, durations or records of an array in C order, under the names of :class:`numpy.flatiter`."""

    def __init__(self, of: Any) -> None:
        self.base, self.index = of, 0

    @property
    def coords(self) -> tuple[int, ...]:
        """The place of the element that ``next`` gives."""
        return tuple(int(i) for i in np.unravel_index(self.index, self.base.shape))

    def __getitem__(self, key: object) -> Any:
        key = _checked(key)
        if isinstance(key, int | np.integer):
            return self.base[_place(self.base, int(key))]
        return self.base.reshape(-1)[key]

    def __setitem__(self, key: object, value: Any) -> None:
        key, of = _checked(key), self.base
        if isinstance(key, int | np.integer):
            of[_place(of, int(key))] = value
        elif of.dtype.kind in "mM":
            self._write_dates(key, value)
        elif of.size:
            places = _core.iota(of.size, np.dtype(np.int64), 0, 1, of.bytes.queue, of.bytes.allocator)[key]
            of[_indices(places.reshape(-1), of.shape)] = _as_often(as_records(value, of).reshape(-1), places.size)

    def _write_dates(self, key: Any, value: Any) -> None:
        dates = self.base._numbers()  # of a field that is not aligned a copy
        values = type(dates)(np.shape(value), dates.dtype, queue=dates.queue)
        values[...] = value
        write_flat(dates.counts, key, values.counts)
        if dates is not self.base:
            self.base[...] = dates

    def copy(self) -> Any:
        """The elements in C order in a new array."""
        return self.base.reshape(-1).copy()

    def __len__(self) -> int:
        return int(self.base.size)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.base.reshape(-1), dtype)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if self.index >= self.base.size:
            raise StopIteration
        self.index += 1
        return self.base.reshape(-1)[self.index - 1]


def flat_of_opaque(x: Any) -> Any:
    """What ``x.flat`` gives of an OpaqueArray, or of dates or durations."""
    if not is_plain(x.dtype) and x.dtype.name != "bfloat16":
        return FlatElements(x)
    numbers = x._numbers()
    made: Any = _core.view_as(_FlatNumbers, _core.reshape(numbers, (-1,)))
    made._of, made._numbers_of, made.index = numbers, x, 0
    return made


def write_flat(x: Array, key: object, value: object) -> None:
    """Write elements in C order; what is too short for them starts again, and what is too long is cut."""
    if _core.is_value(x):
        x[...] = value  # raises: it is read-only
    if isinstance(key, int | np.integer):
        x[_place(x, int(key))] = value
        return
    places = _core.iota(x.size, np.dtype(np.int64), 0, 1, x.queue, x.allocator)[key]
    if places.ndim == 0:  # of a tuple
        places = places.reshape(1)
    if not (isinstance(value, bool | int | float | complex | np.generic) or getattr(value, "shape", None) == ()):
        values = (value if isinstance(value, Array) else as_value(value, x)).reshape(-1)
        value = _as_often(values, places.size).reshape(places.shape)
    if x.is_c_contiguous():
        _core.reshape(x, (-1,), False)[places if not isinstance(key, slice) else key] = value
        return
    x[_indices(places, x.shape)] = value


def _as_often(values: Any, count: int) -> Any:
    """Values from the first on, over and over, or as many of them as are wanted."""
    if values.size in (0, count):
        return values
    of = values if isinstance(values, Array) else values.bytes
    return values[_core.iota(count, np.dtype(np.int64), 0, 1, of.queue, of.allocator) % values.size]


def _indices(places: Array, shape: tuple[int, ...]) -> tuple[Array, ...]:
    """The indices of elements that are numbered in C order."""
    rest, axes = places, []
    for size in shape[::-1]:
        axes.append(rest % size)
        rest = rest // size
    return tuple(axes[::-1])


def _place(x: Array, number: int) -> tuple[int, ...]:
    """The indices of an element that is numbered in C order."""
    if not -x.size <= number < x.size:
        raise IndexError(f"index {number} is out of bounds for size {x.size}")
    return tuple(int(i) for i in np.unravel_index(number % x.size, x.shape))


def _checked(key: object) -> Any:
    if isinstance(key, tuple):
        if not key:
            return ...
        if len(key) == 1:
            key = key[0]
    if key is None or isinstance(key, tuple):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`) and integer or boolean arrays are valid indices of x.flat, "
            f"which has one axis, not {key!r}"
        )
    return key
