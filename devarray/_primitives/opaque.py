"""Arrays of dtypes without arithmetic: structured ones, and floats of other packages such as ``ml_dtypes.bfloat16``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.protocols import PROTOCOLS
from devarray._primitives.opaque_assign import as_records, is_dense, pairs_of_bytes
from devarray._primitives.opaque_casts import OpaqueCasts
from devarray._primitives.opaque_dtypes import (
    PLAIN,
    axes_taken,
    bytes_from,
    bytes_of,
    is_plain,
    picks,
    regroup,
    shaped,
    storable,
    subset,
)
from devarray._primitives.opaque_elements import element, text_or_array
from devarray._primitives.opaque_moves import OpaqueMoves
from devarray._primitives.opaque_numbers import OpaqueNumbers
from devarray._runtime.arguments import few
from devarray._runtime.config import config
from devarray._runtime.devices import Device, Queue, resolve_place
from devarray.array import Array
from devarray.errors import DTypeError, IndexError, ShapeError, ValueError

__all__ = ["OpaqueArray", "of_records"]

_COUNTS = np.dtype(np.int64)
"""What dates and durations are stored as."""


class OpaqueArray(OpaqueMoves, OpaqueCasts, OpaqueNumbers):
    """An array of elements that are stored, moved and viewed, but not computed with.

    :func:`devarray.to_device` makes one of host data of a structured dtype. A field of plain dtype is an
    :class:`~devarray.Array` over the same memory; one element is an array without axes (numba's ``DeviceRecord``).
    A field that is not aligned, as NumPy packs them without ``align=True``, is an OpaqueArray of the plain dtype: it is
    assigned to like any other; operators, functions and methods of arrays read its values into an Array first.

    Parameters
    ----------
    shape : int or sequence of int
        Sizes of the axes.
    dtype : dtype
        Structured, void, or another package's, without Python objects.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Attributes
    ----------
    bytes : Array
        The memory: uint8, with a last axis of ``itemsize``.
    dtype : numpy.dtype
    is_element : bool
        Whether it is one element that was asked for by its index, where NumPy gives a scalar.

    Examples
    --------
    >>> import devarray as da, numpy as np
    >>> points = np.array([(1, 2.5), (2, 3.5)], [("n", "i4"), ("x", "f4")])
    >>> p = da.to_device(points)
    >>> p["x"] *= 2
    >>> p[1]["n"] = 7
    >>> p.copy_to_host()
    array([(1, 5.), (7, 7.)], dtype=[('n', '<i4'), ('x', '<f4')])
    """

    __slots__ = ("__weakref__", "_dtype", "bytes", "is_element")
    _dtype: np.dtype[Any]
    bytes: Array
    is_element: bool

    def __init__(
        self,
        shape: int | Sequence[int],
        dtype: object,
        *,
        device: Device | str | None = None,
        allocator: object = None,
        queue: Queue | None = None,
    ) -> None:
        self._dtype = storable(dtype)
        sizes = (shape,) if isinstance(shape, int) else tuple(few("OpaqueArray", "shape", shape))
        self.bytes = _core.empty((*sizes, self.dtype.itemsize), "uint8", *resolve_place(device, allocator, queue))
        self.is_element = False

    @classmethod
    def _of(cls, memory: Array, dtype: np.dtype) -> OpaqueArray:
        made = cls.__new__(cls)
        made.bytes, made._dtype, made.is_element = memory, dtype, False
        return made

    # --- shape and place ------------------------------------------------------------------------------------------

    @property
    def dtype(self) -> np.dtype[Any]:
        """The elements' dtype. Another one can be assigned, and is that of the same bytes, as with :meth:`view`."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        asked = np.dtype(dtype)
        stored = asked if is_plain(asked) or asked.kind in "mM" else storable(asked)
        self.bytes, self._dtype = view_as_records(self.bytes, stored, self.itemsize).bytes, stored

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes."""
        return self.bytes.shape[:-1]

    @shape.setter
    def shape(self, sizes: Any) -> None:
        self.bytes = shaped(self.bytes, sizes, self.dtype.itemsize)

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each axis."""
        return self.bytes.strides[:-1]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.bytes.ndim - 1

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.bytes.size // self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.bytes.nbytes

    @property
    def device(self) -> Device:
        """The device that it lives on."""
        return self.bytes.device

    def is_c_contiguous(self) -> bool:
        """Whether the elements are dense in memory, the last axis fastest.

        Returns
        -------
        bool
            On the host; no value is read.

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray((2, 3), "V4").is_c_contiguous()
        True
        """
        return self.bytes.is_c_contiguous()

    def __len__(self) -> int:
        if not self.ndim and not self.dtype.names:
            raise DTypeError("len() of unsized object: the array is 0-dimensional")
        return self.shape[0] if self.ndim else len(self.dtype.names or ())  # of a record the number of its fields

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    # --- elements and fields ----------------------------------------------------------------------------------------

    def __getitem__(self, key: object) -> Any:
        """A field by its name (an Array, or an OpaqueArray of a structured field), or elements by index; views."""
        found = self._at(key)
        if found.ndim or key is Ellipsis or (type(key) is tuple and any(k is Ellipsis for k in key)):
            return found
        return text_or_array(found) if isinstance(key, str | list) and not self.is_element else element(found)

    def _at(self, key: Any) -> Any:
        if isinstance(key, str):
            return self._field(key)
        if isinstance(key, list) and key and all(isinstance(name, str) for name in key):
            return self._of(self.bytes, subset(self.dtype, key))
        if isinstance(key, tuple) and any(k is Ellipsis for k in key):
            key = (*key, slice(None))  # the bytes stay together
        elif key is Ellipsis:
            return self
        elif not self.ndim and self.dtype.names and isinstance(key, int | np.integer) and not isinstance(key, bool):
            return self._field(self.dtype.names[key])
        else:
            self._require_axes(key)
        return self._of(self.bytes[key], self.dtype)

    def _require_axes(self, key: Any) -> None:
        """Keys end at the elements: what stands for more axes would reach into their bytes."""
        if (taken := axes_taken(key)) > self.ndim:
            raise IndexError(f"too many indices for array: array is {self.ndim}-dimensional, but {taken} were indexed")

    def __setitem__(self, key: object, value: Any) -> None:
        if picks(key):
            self._require_axes(key)
            through = isinstance(key, tuple) and any(k is Ellipsis for k in key)
            for mine, theirs in pairs_of_bytes(self, as_records(value, self)):
                mine[(*key, slice(None)) if through else key] = theirs  # type: ignore[misc]
            return
        target = self._at(key)
        if isinstance(target, Array):
            target[...] = value
            return
        for mine, theirs in pairs_of_bytes(target, as_records(value, target)):
            mine[...] = theirs

    def _field(self, name: str) -> Any:
        if not self.dtype.fields:
            raise IndexError(f"there is no field {name!r}; {self.dtype} has none")
        if name not in self.dtype.fields:
            raise ValueError(f"there is no field of name {name}; the fields are {', '.join(self.dtype.fields)}")
        dtype, offset = self.dtype.fields[name][:2]
        return self._view(dtype, offset)

    def view(self, dtype: Any = None) -> Any:
        """The same memory as elements of another dtype.

        Parameters
        ----------
        dtype : dtype
            The dtype; the same by default. One of another size changes the size of the last axis, which must be dense.
            A class below :class:`numpy.ndarray`, such as ``numpy.recarray``, takes the values to the host, as
            ``config.fallback`` says.

        Returns
        -------
        Array or OpaqueArray
            A view: an Array for a dtype that devices compute with, where the elements are aligned for it.

        Raises
        ------
        DTypeError
            For a dtype of which the last axis holds no whole number.

        Examples
        --------
        >>> import devarray as da
        >>> da.OpaqueArray(3, "V4").view(da.float32).dtype
        dtype('float32')
        >>> da.OpaqueArray((2, 1), "V24").view(da.float64).shape
        (2, 3)
        """
        if isinstance(dtype, type) and issubclass(type(self), dtype):
            return self if self.is_element else self[...]
        if isinstance(dtype, type) and issubclass(dtype, np.ndarray):
            return np.asarray(self).view(dtype)  # which goes to the host as config.fallback says
        target = self.dtype if dtype is None else np.dtype(dtype)
        return view_as_records(self.bytes, target, self.itemsize)._view(target, 0)

    def getfield(self, dtype: Any, offset: int = 0) -> Any:
        """Part of each element, as :meth:`numpy.ndarray.getfield`.

        Parameters
        ----------
        dtype : dtype
            Of the part.
        offset : int
            Where it begins, in bytes.

        Returns
        -------
        Array or OpaqueArray
            A view.

        Raises
        ------
        ValueError
            For a part that is not within an element.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> x = da.to_device(np.array([(1, 2.5), (7, 3.5)], [("n", "i4"), ("x", "f4")]))
        >>> x.getfield("f4", 4).tolist()
        [2.5, 3.5]
        """
        part = np.dtype(dtype)
        if not 0 <= offset <= self.itemsize - part.itemsize:
            raise ValueError(
                f"getfield: {part} at offset {offset} is not within an element of {self.itemsize} bytes; offset is "
                f"between 0 and {self.itemsize - part.itemsize}"
            )
        return self._view(part, offset)

    def _view(self, dtype: np.dtype, offset: int) -> Any:
        base, inner = dtype.base, dtype.shape  # a field may itself be a small array
        shape, strides = (*self.shape, *inner), [*self.strides]
        step = base.itemsize
        for i in range(len(inner), 0, -1):
            strides.insert(self.ndim, step)
            step *= inner[i - 1]
        if base not in PLAIN and base.kind not in "mM":
            memory = _core.view(self.bytes, (*shape, base.itemsize), (*strides, 1), offset)
            return self._of(memory, base)
        unit = base.itemsize // (2 if base.kind == "c" else 1)
        if any(n % unit for n in (_core.byte_offset(self.bytes) + offset, *strides)):
            memory = _core.view(self.bytes, (*shape, base.itemsize), (*strides, 1), offset)
            return self._of(memory, base)  # devices read numbers at multiples of their size only
        if base.kind in "mM":
            return PROTOCOLS["dates_of_counts"](_core.view(self.bytes, shape, strides, offset, _COUNTS), base)
        return _core.view(self.bytes, shape, strides, offset, base)

    # --- transfers --------------------------------------------------------------------------------------------------

    def copy_to_host(self, ary: np.ndarray | None = None, stream: Queue | None = None) -> np.ndarray:
        """The values as a NumPy array: see :meth:`devarray.Array.copy_to_host`.

        Parameters
        ----------
        ary : numpy.ndarray, optional
            Written and returned: of the same shape and dtype. A new array by default.
        stream : Queue, optional
            The copy is enqueued there and the call may return before it is done.

        Returns
        -------
        numpy.ndarray
            `ary`, or a new array.

        Raises
        ------
        DTypeError
            Where `ary` is no NumPy array or has another dtype.
        ShapeError
            Where `ary` has another shape.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> da.to_device(np.array([(1, 2.5)], [("n", "i4"), ("x", "f4")])).copy_to_host().tolist()
        [(1, 2.5)]
        """
        if ary is None:
            fresh = self.bytes.copy_to_host(stream=stream)
            return fresh.view(self.dtype).reshape(self.shape)
        if not isinstance(ary, np.ndarray) or ary.dtype != self.dtype:
            raise DTypeError(
                f"copy_to_host writes into a numpy.ndarray of {self.dtype}, not {getattr(ary, 'dtype', ary)}"
            )
        if ary.shape != self.shape:
            raise ShapeError(f"copy_to_host: the host array has shape {ary.shape}, the device array {self.shape}")
        self.bytes.copy_to_host(bytes_of(ary), stream)
        return ary

    def copy_to_device(self, ary: object, stream: Queue | None = None) -> None:
        """Write the values of a host array or an OpaqueArray into this one.

        Parameters
        ----------
        ary : array_like or OpaqueArray
            Of the same shape; an OpaqueArray of the same dtype.
        stream : Queue, optional
            The copy is enqueued there.

        Raises
        ------
        DTypeError
            For an OpaqueArray of another dtype.
        ShapeError
            Where the shapes differ.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> x = da.OpaqueArray(1, [("n", "i4"), ("x", "f4")])
        >>> x.copy_to_device(np.array([(1, 2.5)], x.dtype))
        >>> x.tolist()
        [(1, 2.5)]
        """
        if isinstance(ary, OpaqueArray):
            if ary.dtype != self.dtype:
                raise DTypeError(f"copy_to_device: the source has dtype {ary.dtype}, the array {self.dtype}")
            if ary.shape != self.shape:
                raise ShapeError(f"copy_to_device: the source has shape {ary.shape}, the array {self.shape}")
            if not is_dense(self.dtype):
                self[...] = ary
                return
            self.bytes.copy_to_device(ary.bytes, stream)
            return
        host = np.asarray(ary, self.dtype)
        if host.shape != self.shape:
            raise ShapeError(f"copy_to_device: the source has shape {host.shape}, the array {self.shape}")
        if not is_dense(self.dtype):
            self[...] = host
            return
        self.bytes.copy_to_device(bytes_of(host), stream)

    def item(self, *args: Any) -> Any:
        """One element, as :meth:`numpy.ndarray.item` gives it. Waits for the device.

        Parameters
        ----------
        *args : int or tuple of int
            Which element, where there are several: its number, or its indices.

        Returns
        -------
        object
            As :meth:`numpy.ndarray.item` returns it: a tuple for a record.

        Raises
        ------
        ValueError
            For an array of another number of elements than one.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> da.to_device(np.array([(1, 2.5)], [("n", "i4"), ("x", "f4")])).item()
        (1, 2.5)
        """
        if self.size != 1 and not args:
            raise ValueError(f"can only convert an array of size 1 to a Python scalar; this one has shape {self.shape}")
        return self.copy_to_host().item(*args)

    def tolist(self) -> Any:
        """The values as nested lists. Waits for the device.

        Returns
        -------
        list or object
            Nested lists of what :meth:`item` returns; one of these for an array without axes.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> da.to_device(np.array([(1, 2.5)], [("n", "i4"), ("x", "f4")])).tolist()
        [(1, 2.5)]
        """
        return self.copy_to_host().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self.ndim and config.fallback != "allow":
            raise DTypeError(
                "a device array does not turn into a NumPy array by itself, because that would hide a transfer and a "
                "wait; call x.copy_to_host(), or allow it with devarray.config.fallback = 'allow'"
            )
        if copy is False:
            raise ValueError("a NumPy array of a device array's values is a copy; copy=False was given")
        host = self.copy_to_host()
        return host if dtype is None else host.astype(np.dtype(dtype), copy=False)

    def __str__(self) -> str:
        return str(self.copy_to_host())

    def __repr__(self) -> str:
        if config.repr == "numpy":
            host = self.copy_to_host()
            return repr(host[()] if self.is_element else host)
        where = f"device='{self.device.driver}:{self.device.index}'"
        return f"OpaqueArray({np.array2string(self.copy_to_host(), separator=', ')}, dtype={self.dtype}, {where})"


def view_as_records(memory: Array, dtype: np.dtype, itemsize: int) -> OpaqueArray:
    """Bytes of elements of a size, along the last axis of an array of bytes, as elements of another dtype."""
    shape, strides = list(memory.shape), list(memory.strides)
    regroup(shape, strides, itemsize, dtype)
    return OpaqueArray._of(_core.view(memory, (*shape, dtype.itemsize), (*strides, 1)), dtype)


def view_of_array(x: Array, dtype: np.dtype) -> Any:
    """What ``x.view(dtype)`` gives for dtypes that no kernel has: records, dates, numbers in another order of bytes."""
    if dtype.kind in "mM":
        return PROTOCOLS["dates_of_counts"](x.view(_COUNTS), dtype)
    memory = _core.view(x, (*x.shape, x.itemsize), (*x.strides, 1), 0, np.dtype(np.uint8))
    return view_as_records(memory, dtype if is_plain(dtype) else storable(dtype), x.itemsize)


def cast_to_opaque(x: Array, dtype: np.dtype[Any]) -> Any:
    """What ``x.astype(dtype)`` gives for a dtype that is no kernel's: dates, or the nearest of bfloat16."""
    if dtype.kind in "mM":
        return PROTOCOLS["dates_of_array"](x, dtype)
    return OpaqueArray._of(bytes_from(x, dtype), dtype)


def of_records(shape: Any, dtype: object, place: Sequence[Any]) -> Any:
    """An array of records or dates at a place (queue, allocator); None for a dtype that devices cannot store."""
    try:
        asked = np.dtype(dtype)  # type: ignore[call-overload]
        if asked.kind in "mM":
            return PROTOCOLS["uninitialised_dates"](shape, asked, place)
        found = storable(asked)
    except TypeError:  # of which a DTypeError is one
        return None
    return OpaqueArray(shape, found, queue=place[0], allocator=place[1])
