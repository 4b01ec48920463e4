"""What NumPy lets a program ask and set of an array's memory: flags, its owner, shape, dtype and strides in place."""

from __future__ import annotations

import operator
import sys
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray.errors import DTypeError, Error, ShapeError, ValueError

if TYPE_CHECKING:
    from devarray._core import Array

__all__ = ["AttributeMethods", "Flags"]


class _NotInPlace(Error, AttributeError):
    """An attribute that cannot be set on this array."""


_SHORT = {
    "A": "ALIGNED",
    "B": "BEHAVED",
    "C": "C_CONTIGUOUS",
    "CA": "CARRAY",
    "CONTIGUOUS": "C_CONTIGUOUS",
    "F": "F_CONTIGUOUS",
    "FA": "FARRAY",
    "FORTRAN": "F_CONTIGUOUS",
    "O": "OWNDATA",
    "W": "WRITEABLE",
    "X": "WRITEBACKIFCOPY",
}
"""NumPy's other spellings."""
_BITS = {"C_CONTIGUOUS": 1, "F_CONTIGUOUS": 2, "OWNDATA": 4, "ALIGNED": 0x100, "WRITEABLE": 0x400}


class Flags(dict[str, bool]):
    """What ``x.flags`` gives: NumPy's flags, by attributes and by keys, also by NumPy's short ones.

    ``x.flags.writeable`` can be set, also as ``x.flags["WRITEABLE"]``. Arrays are always aligned.
    """

    __slots__ = ("_array",)
    _array: _core.ArrayBase

    def __init__(self, /, array: _core.ArrayBase, turned: _core.ArrayBase | None = None) -> None:
        """`turned`: of an array of elements' bytes, the view whose first axis is that of an element's bytes."""
        super().__init__(
            C_CONTIGUOUS=_core.is_contiguous(array, "C"),
            F_CONTIGUOUS=_core.is_contiguous(array if turned is None else turned, "F"),
            OWNDATA=_core.owns_memory(array),
            WRITEABLE=_core.is_writable(array),
            ALIGNED=True,
            WRITEBACKIFCOPY=False,
        )
        object.__setattr__(self, "_array", array)

    def __missing__(self, name: str) -> bool:
        c, f, writeable = self["C_CONTIGUOUS"], self["F_CONTIGUOUS"], self["WRITEABLE"]
        derived = {
            "BEHAVED": writeable,
            "CARRAY": writeable and c,
            "FARRAY": not c,  # so NumPy computes it
            "FNC": f and not c,
            "FORC": f or c,
        }
        full = _SHORT.get(name, name)
        if full in derived:
            return derived[full]
        if full == name or full not in self:
            raise KeyError(f"there is no flag {name!r}; the flags are {', '.join([*self, *derived])}")
        return self[full]

    @property
    def num(self) -> int:
        """The flags as NumPy's number."""
        return sum(bit for name, bit in _BITS.items() if self[name])

    def __getattr__(self, name: str) -> bool:
        if name.islower():
            try:
                return self[name.upper()]
            except KeyError as error:
                raise AttributeError(error.args[0]) from None
        raise AttributeError(f"there is no flag {name!r}")

    def __setattr__(self, /, name: str, value: bool) -> None:
        if name != "writeable":
            raise AttributeError(f"the flag {name!r} cannot be set; x.flags.writeable alone can")
        self["WRITEABLE"] = value

    def __setitem__(self, /, name: str, value: bool) -> None:
        full = _SHORT.get(name, name)
        if full != "WRITEABLE":
            raise ValueError(f"flags: WRITEABLE alone can be set, not {name!r}")
        _core.set_writable(self._array, bool(value))
        super().__setitem__(full, bool(value))

    def __repr__(self, /) -> str:
        return "".join(f"  {name} : {value}\n" for name, value in self.items())


class AttributeMethods(_core.ArrayBase):
    """Flags and owner of an array's memory, and the attributes that can be set."""

    __slots__ = ()

    @property
    def flags(self) -> Flags:
        """NumPy's flags, as a dict or by attributes: C_CONTIGUOUS, F_CONTIGUOUS, OWNDATA, WRITEABLE and the others.

        ``x.flags.writeable = False`` makes writing to the array an error, and to the views that are taken of it later.
        """
        return Flags(self)

    def setflags(self, /, write: bool | None = None, align: bool | None = None, uic: bool | None = None) -> None:
        """Set the flag WRITEABLE.

        Parameters
        ----------
        write : bool, optional
            Whether the array can be written to. True is for arrays with memory of their own, and views of such. No
            change by default.
        align, uic : bool, optional
            NumPy's: arrays are always aligned, and never copies that are written back.

        Raises
        ------
        ValueError
            Where `write` is true for memory that is read-only, or for a view of an array that is; where `align` is
            false or `uic` true.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.zeros(3)
        >>> x.setflags(write=False)
        >>> x.flags.writeable, x[1:].flags.writeable
        (False, False)
        """
        if align is False or uic:
            raise ValueError("setflags: arrays are always aligned (align), and never written back elsewhere (uic)")
        if write is not None:
            _core.set_writable(self, bool(write))

    @property
    def base(self) -> Array | None:
        """The array whose memory this one shows; None for an array with memory of its own, and for values.

        Where that array is gone, a new one over all of its memory, without its shape.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.arange(6)
        >>> x[2:].reshape(2, 2).base is x, x.base is None
        (True, True)
        """
        return _core.base_of(self)

    def resize(self: Any, /, *new_shape: object, refcheck: bool = True) -> None:
        """Change shape and size in place: what is added is zero, what does not fit is left out.

        Parameters
        ----------
        *new_shape : int or tuple of int
            The sizes of the axes. None changes nothing.
        refcheck : bool
            Whether it is an error that the program has another name or a view of the array. True by default. With
            False, views keep the memory as it was.

        Raises
        ------
        ShapeError
            For a negative size.
        ValueError
            Where the array is a view, is not dense, or is referenced elsewhere while its size changes.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.asarray([1, 2, 3])
        >>> x.resize(2, 2)
        >>> x.copy_to_host()
        array([[1, 2],
               [3, 0]])
        """
        references = sys.getrefcount(self)
        if not new_shape or new_shape == (None,):
            return
        sizes = new_shape[0] if len(new_shape) == 1 and isinstance(new_shape[0], (tuple, list)) else new_shape
        shape = _integers("resize: a shape", sizes)
        if any(size < 0 for size in shape):
            raise ShapeError(f"resize: negative dimensions not allowed, got {shape}")
        flags = self.flags
        if not (flags.c_contiguous or flags.f_contiguous):
            raise ValueError(
                "resize only works on single-segment arrays: this one is not dense; devarray.resize(x, shape) makes a "
                "new array"
            )
        wanted = _core.byte_size(shape, self.itemsize)
        if wanted == self.nbytes:
            turned = flags.fnc
            view = _core.reshape(self.T if turned else self, shape[::-1] if turned else shape, False)
            _core.adopt_view(self, view.T if turned else view)
            return
        if _core.is_value(self) or not flags.owndata:
            raise ValueError(
                "cannot resize this array: it does not own its data; devarray.resize(x, shape) makes a new array"
            )
        if refcheck and (references > _REFERENCES or _core.is_shared(self)):
            raise ValueError(
                "cannot resize an array that references or is referenced by another array in this way: it has views "
                "or references elsewhere; devarray.resize(x, shape) makes a new array, refcheck=False changes this one"
            )
        _core.evaluate(self)
        # The elements stay as memory has them: of an array in Fortran's order it is the transposed one that grows.
        lying, sizes = (self.T, shape[::-1]) if flags.fnc else (self, shape)
        fresh = _core.full(sizes, self.dtype, 0, self.queue, self.allocator)
        if kept := min(fresh.size, self.size):
            _core.reshape(fresh, (-1,))[:kept] = _core.reshape(lying, (-1,))[:kept]
        _core.adopt_view(self, fresh.T if flags.fnc else fresh)

    def __reversed__(self: Any) -> Iterator[Array]:
        return (self[i] for i in range(len(self) - 1, -1, -1))

    # --- what ``x.shape = ...`` and its like call -----------------------------------------------------------------

    def _set_shape(self: Any, shape: object) -> None:
        self._require_no_value("shape")
        try:
            view = _core.reshape(self, shape, False)
        except ShapeError:
            raise
        except Error as error:
            raise _NotInPlace(f"shape = {shape}: {error}; x.reshape({shape}) makes a copy where it must") from None
        _core.adopt_view(self, view)

    def _set_dtype(self: Any, dtype: Any) -> None:
        self._require_no_value("dtype")
        view = self.view(np.dtype(dtype))
        if not isinstance(view, _core.ArrayBase):
            raise _NotInPlace(
                f"dtype = {dtype}: an array of numbers does not become one of records; x.view(dtype) is one"
            )
        _core.adopt_view(self, view)

    def _set_strides(self: Any, strides: object) -> None:
        self._require_no_value("strides")
        warnings.warn(
            "setting the strides of an array is deprecated, as in NumPy 2.4: devarray.lib.stride_tricks.as_strided "
            "makes a view",
            DeprecationWarning,
            stacklevel=3,
        )
        steps = _integers("strides", strides)
        if len(steps) != self.ndim:
            raise ValueError(f"strides: {len(steps)} of them for an array of {self.ndim} axes")
        _core.adopt_view(self, _core.view(self, self.shape, steps))

    def _require_no_value(self, what: str) -> None:
        if _core.is_value(self):
            raise _NotInPlace(
                f"the {what} of an element that was read, or of a result without axes, cannot be set; use x[i, ...]"
            )


def _integers(what: str, given: object) -> tuple[int, ...]:
    try:
        return tuple(map(operator.index, given if isinstance(given, (tuple, list)) else (given,)))
    except TypeError:
        raise DTypeError(f"{what} is an integer or a sequence of integers, not {given!r}") from None


def _references() -> int:
    """What the reference count of an array with one name is inside of :meth:`AttributeMethods.resize`."""

    class Probe:
        def resize(self, /, *new_shape: object, refcheck: bool = True) -> int:
            return sys.getrefcount(self)

    probe = Probe()
    return probe.resize(1)


_REFERENCES = _references()
