"""Iterators over elements: over a copy of the values on the host, taken when they begin, but where they write."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from devarray._array.order import axes_as_they_lie
from devarray._array.protocols import strided_on_host
from devarray._primitives.host_calls import to_host
from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array
from devarray.errors import DTypeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["broadcast", "isfortran", "ndenumerate", "nditer", "nested_iters"]


class ndenumerate(Iterator[tuple[tuple[int, ...], Any]]):
    """Index and value of each element, in C order. Copies the values to the host.

    Parameters
    ----------
    arr : array_like
        The array.

    Examples
    --------
    >>> import devarray as da
    >>> [(i, int(v)) for i, v in da.ndenumerate(da.asarray([[1, 2]]))]
    [((0, 0), 1), ((0, 1), 2)]
    """

    def __init__(self, arr: object) -> None:
        self._items = np.ndenumerate(to_host(arr))

    def __next__(self) -> tuple[tuple[int, ...], Any]:
        return next(self._items)


def _writes_to_a_copy(name: str) -> DTypeError:
    return DTypeError(
        f"{name} on device arrays reads a copy on the host; write by an expression of whole arrays, or iterate "
        "over x.copy_to_host() and move the result with asarray()"
    )


def nditer(op: Any, flags: Any = None, op_flags: Any = None, *args: Any, **kwargs: Any) -> Any:
    """NumPy's iterator over the elements of arrays.

    Device arrays that are only read are copied to the host. Of those that are written to, each element is a view on
    the device, with ``external_loop`` a row of them: right, but slow as all loops over elements. Records, other dtypes
    (`op_dtypes`) and rows that add up (``reduce_ok``) are written on the host, and to the device at the end: of the
    loop, of ``with``, or of the iterator.

    Parameters
    ----------
    op : array_like or sequence of array_like
        What is gone through.
    flags, op_flags : sequence of str, optional
        As :class:`numpy.nditer` takes them.
    *args, **kwargs
        NumPy's further parameters.

    Returns
    -------
    numpy.nditer
        Over NumPy arrays; where device arrays are written to, an iterator with its methods.

    Examples
    --------
    >>> import devarray as da
    >>> [int(v) for v in da.nditer(da.asarray([[1, 2], [3, 4]]))]
    [1, 2, 3, 4]
    >>> x = da.arange(3)
    >>> for v in da.nditer(x, op_flags=["readwrite"]):
    ...     v[...] = v * 2
    >>> x.copy_to_host()
    array([0, 2, 4])
    """
    several = type(op) in (list, tuple)
    operands = list(op) if several else [op]
    written = _written(operands, op_flags)
    if not any(written[i] and isinstance(x, Array | OpaqueArray) for i, x in enumerate(operands)):
        return np.nditer(_as_they_lie(op), flags, op_flags, *args, **kwargs)
    cast = (args and args[0]) or kwargs.get("op_dtypes")
    summed = {"external_loop", "reduce_ok"} <= set(flags or ())  # rows in which one element lies several times
    if cast or summed or any(isinstance(x, OpaqueArray) for x in operands):
        return _IteratorOverCopies(operands, written, flags, op_flags, args, kwargs)
    return _WritingIterator(operands, written, several, flags, op_flags, args, kwargs)


def _as_they_lie(op: Any) -> Any:
    """Operands on the host. Those of the device lie there as they do here: in that order elements are gone through."""
    if type(op) in (list, tuple):
        return type(op)(strided_on_host(x) if isinstance(x, Array) else to_host(x) for x in op)
    return strided_on_host(op) if isinstance(op, Array) else to_host(op)


def _written(operands: list[Any], op_flags: Any) -> list[bool]:
    """Whether the flags have each operand written to; flags of one are those of all."""
    given = list(op_flags or ())
    if not given or isinstance(given[0], str):
        given = [given] * len(operands)
    given += [[]] * (len(operands) - len(given))
    return [any(str(flag) in ("readwrite", "writeonly") for flag in each) for each in given]


class _Iterator:
    """What :class:`numpy.nditer` has, by an iterator of NumPy's in ``_source``."""

    _source: Any

    def __iter__(self) -> Self:
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """End."""
        self._source.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._source, name, value)


class _WritingIterator(_Iterator):
    """:class:`numpy.nditer` for device arrays that are written to.

    NumPy's goes through arrays of the elements' numbers, which lie as the device arrays do; the elements are views of
    these, or with ``external_loop`` rows that are written back before the next step.
    """

    def __init__(
        self,
        operands: list[Any],
        written: list[bool],
        several: bool,
        flags: Any,
        op_flags: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        ours = [isinstance(x, Array) for x in operands]
        given = list(op_flags or ())
        if not given or isinstance(given[0], str):
            given = [given] * len(operands)
        read: Any = [_of_numbers(each) if mine else list(each) for mine, each in zip(ours, given, strict=True)]
        numbers = [_numbers_of(x) if mine else x for mine, x in zip(ours, operands, strict=True)]
        self.__dict__.update(_operands=operands, _ours=ours, _written=written, _several=several, _rows=[])
        self.__dict__["_source"] = np.nditer(numbers, flags, read, *args, **kwargs)

    @property
    def operands(self) -> tuple[Any, ...]:
        """The arrays that are gone through."""
        theirs = self._source.operands
        return tuple(
            x if mine else theirs[i] for i, (x, mine) in enumerate(zip(self._operands, self._ours, strict=True))
        )

    @property
    def value(self) -> Any:
        """The elements at hand."""
        made = tuple(self[i] for i in range(len(self._operands)))
        return made if self._several else made[0]

    def _element(self, place: int, found: np.ndarray) -> Any:
        if not self._ours[place]:
            return found
        x = self._operands[place]
        if not x.ndim:
            return x.reshape(found.shape) if self._written[place] or found.ndim else x[()]
        at = np.unravel_index(found, x.shape)
        if not found.ndim:
            index = tuple(int(i) for i in at)
            return x[(*index, ...)] if self._written[place] else x[index]
        row = x[at]
        if self._written[place]:
            self._rows.append((x, at, row))
        return row

    def _write_rows(self) -> None:
        for x, at, row in self._rows:
            x[at] = row
        self._rows.clear()

    def __getitem__(self, place: int) -> Any:
        return self._element(range(len(self._operands))[place], np.asarray(self._source[place]))

    def __setitem__(self, place: int, value: object) -> None:
        if not self._written[place]:
            raise ValueError(f"Iterator operand {place} is not writeable")
        if self._ours[place]:
            x = self._operands[place]
            x[np.unravel_index(np.asarray(self._source[place]), x.shape)] = value
        else:
            self._source[place] = value

    def __len__(self) -> int:
        return len(self._operands)

    def __next__(self) -> Any:
        self._write_rows()
        found = next(self._source)
        found = found if isinstance(found, tuple) else (found,)
        made = tuple(self._element(i, part) for i, part in enumerate(found))
        return made if self._several else made[0]

    def iternext(self) -> bool:
        """Go on by one step; False at the end."""
        self._write_rows()
        return bool(self._source.iternext())

    def close(self) -> None:
        """End, and write what is still to be written."""
        self._write_rows()
        self._source.close()


def _of_numbers(flags: Any) -> list[str]:
    """An operand's flags for the elements' numbers, which are read where the elements are written."""
    return ["readwrite" if flag == "writeonly" else flag for flag in map(str, flags)]


class _IteratorOverCopies(_Iterator):
    """:class:`numpy.nditer` over copies on the host, which are written back where the iterator ends."""

    def __init__(
        self, operands: list[Any], written: list[bool], flags: Any, op_flags: Any, args: Any, kwargs: dict[str, Any]
    ) -> None:
        copies = [_as_they_lie(x) for x in operands]
        pairs = [
            (x, copy)
            for x, copy, writes in zip(operands, copies, written, strict=True)
            if writes and isinstance(x, Array | OpaqueArray)
        ]
        resolved = any(flag in ("copy", "updateifcopy") for each in op_flags or () for flag in [each, *each])
        self.__dict__.update(_pairs=pairs, _written=False, _ended=False, _at_close=resolved)
        self.__dict__["_source"] = np.nditer(copies, flags, op_flags, *args, **kwargs)

    def _write_back(self) -> None:
        for x, copy in self._pairs:
            x[...] = copy
        self.__dict__.update(_written=False, _ended=True)

    @property
    def operands(self) -> tuple[Any, ...]:
        """What is gone through: copies on the host up to the end, and the arrays themselves after it."""
        found = self._source.operands
        if not self._ended:
            self.__dict__["_written"] = True  # for all that is known
            return tuple(found)
        return tuple(next((x for x, copy in self._pairs if copy is each), each) for each in found)

    def __getitem__(self, place: Any) -> Any:
        self.__dict__["_written"] = True
        return self._source[place]

    def __setitem__(self, place: Any, value: object) -> None:
        self.__dict__["_written"] = True
        self._source[place] = value

    def __len__(self) -> int:
        return len(self._source)

    def __next__(self) -> Any:
        self.__dict__.update(_written=True, _ended=False)
        try:
            return next(self._source)
        except StopIteration:
            self._write_back()
            raise

    def iternext(self) -> bool:
        """Go on by one step; False at the end."""
        self.__dict__.update(_written=True, _ended=False)
        goes_on = bool(self._source.iternext())
        if not goes_on:
            self._write_back()
        return goes_on

    def close(self) -> None:
        """End, and write back."""
        self._source.close()
        if self._written or self._at_close:
            self._write_back()

    def __del__(self) -> None:
        if self.__dict__.get("_written"):
            self._write_back()


def _numbers_of(x: Array) -> np.ndarray:
    """The elements' numbers, in an array that lies as x does, also where it runs backwards."""
    axes = axes_as_they_lie(x.strides)
    numbers = np.empty([x.shape[a] for a in axes], np.int64).transpose(np.argsort(axes).tolist())
    turned: Any = (*(slice(None, None, -1 if step < 0 else 1) for step in x.strides), ...)
    numbers = numbers[turned]
    numbers[...] = np.arange(x.size).reshape(x.shape)
    return numbers


def nested_iters(
    op: Any,
    axes: Any,
    flags: Any = None,
    op_flags: Any = None,
    op_dtypes: Any = None,
    order: Any = "K",
    casting: Any = "safe",
    buffersize: int = 0,
) -> Any:
    """NumPy's nested iterators over the elements of arrays, copied to the host.

    Parameters
    ----------
    op : array_like or sequence of array_like
        What is gone through.
    axes : list of list of int
        The axes of each iterator.
    flags, op_flags : sequence of str, optional
        As :func:`numpy.nested_iters` takes them.
    op_dtypes : sequence of dtype, optional
        To read the operands in.
    order : {"C", "F", "A", "K"}
        Of going through them. "K", as they lie, by default.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        The rule for casts. "safe" by default.
    buffersize : int
        Of buffers. 0, NumPy's own, by default.

    Returns
    -------
    tuple of numpy.nditer
        Over NumPy arrays.

    Raises
    ------
    DTypeError
        Where a device array would be written to.

    Examples
    --------
    >>> import devarray as da
    >>> outer, inner = da.nested_iters(da.asarray([[1, 2], [3, 4]]), [[0], [1]])
    >>> [[int(v) for v in inner] for _ in outer]
    [[1, 2], [3, 4]]
    """
    operands = list(op) if type(op) in (list, tuple) else [op]
    written = _written(operands, op_flags)
    if any(written[i] and isinstance(x, Array | OpaqueArray) for i, x in enumerate(operands)):
        raise _writes_to_a_copy("nested_iters")
    return np.nested_iters(_as_they_lie(op), axes, flags, op_flags, op_dtypes, order, casting, buffersize)


def broadcast(*args: object) -> np.broadcast:
    """What arrays broadcast to: NumPy's object, over copies of the values on the host.

    :func:`devarray.broadcast_shapes` tells the shape without a copy.

    Parameters
    ----------
    *args : array_like
        The arrays.

    Returns
    -------
    numpy.broadcast
        With `shape`, `ndim`, `size`, `numiter`, `iters` and `index`; iterates over tuples of elements.

    Raises
    ------
    ValueError
        Where the shapes do not broadcast.

    Examples
    --------
    >>> import devarray as da
    >>> da.broadcast(da.ones((2, 1)), da.ones(3)).shape
    (2, 3)
    """
    return np.broadcast(*map(to_host, args))


def isfortran(a: ArrayLike) -> bool:
    """Whether an array is dense in Fortran's order, and not in C's.

    Parameters
    ----------
    a : array_like
        The array.

    Returns
    -------
    bool
        On the host; no value is read.

    Examples
    --------
    >>> import devarray as da
    >>> da.isfortran(da.ones((2, 3)).T), da.isfortran(da.ones(3))
    (True, False)
    """
    flags = a.flags if isinstance(a, Array) else np.asarray(a).flags
    return bool(flags["F_CONTIGUOUS"] and not flags["C_CONTIGUOUS"])
