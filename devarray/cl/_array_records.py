"""Arrays of structures of devarray.cl.array: a class beside Array, and one beside each class derived from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from inspect import ismemberdescriptor
from types import CellType, FunctionType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import devarray as da
from devarray import _core
from devarray._kernels.driver_arrays import DriverArray, shape_of
from devarray._kernels.driver_records import RecordArray
from devarray._primitives.opaque import OpaqueArray
from devarray._primitives.opaque_dtypes import bytes_of
from devarray._runtime.devices import resolve_place
from devarray._runtime.records import is_record
from devarray.cl._array_places import array_under, memory_of, queue_of_array
from devarray.cl._events import wait_for_events

if TYPE_CHECKING:
    from devarray._core import Queue
    from devarray._typing import DTypeLike

__all__ = ["Records", "records_class"]

_classes: dict[type, Any] = {}
_MADE_BY_PYTHON = frozenset(("__dict__", "__weakref__", "__abstractmethods__", "_abc_impl"))


def _kept(name: str) -> Callable[..., Any]:
    """A method of RecordArray whose result has a class of `devarray.cl.array`."""
    method = getattr(RecordArray, name)

    @wraps(method)
    def called(self: Any, *args: object, **kwargs: object) -> Any:
        return self._like(method(self, *args, **kwargs))

    return called


class Records(RecordArray):
    """An array of structures or vectors on an OpenCL device: moved, filled, viewed by field and given to kernels."""

    numbers: type[Any]
    """The class of the same name for numbers, of which fields are."""
    root: type[Any]
    """`devarray.cl.array.Array`."""
    _queue: Any

    def __new__(
        cls,
        cq: object,
        shape: int | Sequence[int],
        dtype: DTypeLike | None,
        order: str = "C",
        allocator: object = None,
        data: Any = None,
        offset: int = 0,
        strides: Sequence[int] | None = None,
        events: Sequence[Any] | None = None,
        **private: Any,
    ) -> Any:
        if not is_record(dtype):  # what methods of derived classes make by type(self)(...)
            return cls.numbers(cq, shape, dtype, order, allocator, data, offset, strides, events, **private)
        queue, frozen = queue_of_array(cq, private)
        wait_for_events(events)
        kind, sizes = np.dtype(dtype), shape_of(shape)
        if strides is None and order == "F":
            strides = np.empty(sizes, kind, order="F").strides
        under = array_under(data)
        if data is None:
            place = resolve_place(None, memory_of(queue, allocator), queue)
            under, offset = _core.empty((math.prod(sizes) * kind.itemsize,), "uint8", *place), 0
        if under is not None:
            steps = np.empty(sizes, kind).strides if strides is None else strides
            made = cls._bare(_core.view(under, (*sizes, kind.itemsize), (*steps, 1), offset, np.dtype("uint8")), kind)
        else:
            rows = None if strides is None else (*strides, 1)
            shape = (*sizes, kind.itemsize)
            made = cls._bare(da.Array(data, shape, "uint8", rows, offset, queue=queue, allocator=allocator), kind)
        if frozen:
            made._queue = None
        return made

    def __init__(self, *_: object, **__: object) -> None:
        """Do nothing: derived classes call it, and what it is given made the array before."""

    @classmethod
    def _bare(cls, memory: da.Array, dtype: np.dtype) -> Self:
        made = object.__new__(cls)
        made.bytes, made._dtype, made.is_element = memory, dtype, False
        return made

    @classmethod
    def _of(cls, memory: da.Array, dtype: np.dtype) -> Self:
        made = cls._bare(memory, dtype)
        if cls.__init__ is not Records.__init__:  # PyOpenCL's makes results by the class's constructor
            made.__init__(None, made.shape, made.dtype)  # type: ignore[misc]
        return made

    @classmethod
    def of_host(cls, queue: object, host: np.ndarray, allocator: object, array_queue: Queue | None) -> Self:
        """A host array on the device, in its order.

        Parameters
        ----------
        queue : CommandQueue
            Whose device the array lies on, and what orders its work.
        host : numpy.ndarray
            Structures.
        allocator : callable or memory resource, optional
            Where the memory comes from.
        array_queue : CommandQueue, optional
            The array's attribute ``queue``; `queue` by default.

        Returns
        -------
        Array
            A new array.
        """
        order = "F" if host.flags.f_contiguous and not host.flags.c_contiguous else "C"
        made: Self = cls(queue, host.shape, host.dtype, order, allocator)
        made.bytes.copy_to_device(bytes_of(host))  # what lies between fields, too
        return made if array_queue is None else made.with_queue(array_queue)

    def _like(self, x: Any) -> Any:
        queue = self.__dict__.get("_queue")
        if isinstance(x, da.Array):
            return x if isinstance(x, self.numbers) else self.numbers._of(x, queue)
        if not isinstance(x, OpaqueArray):
            return x
        made = x if isinstance(x, type(self)) else type(self)._of(x.bytes, x.dtype)
        if queue is not None:
            made._queue = queue
        return made

    @property
    def _memory(self) -> Any:
        """The bytes as an array of numbers, which has PyOpenCL's attributes."""
        return self.root._of(self.bytes, self.__dict__.get("_queue"))

    def _place_queue(self) -> Any:
        return self.bytes.queue

    @property
    def queue(self) -> Any:
        """The queue that it was given, by default the one that orders work on it; None after ``with_queue(None)``."""
        return self.__dict__.get("_queue", self.bytes.queue)

    @property
    def context(self) -> Any:
        """The context of the array's queue."""
        return self._place_queue().context

    @property
    def data(self) -> Any:
        """The memory from the first element on: see `Array.data`."""
        return self._memory.data

    @property
    def base_data(self) -> Any:
        """The memory of the array that this one is a view of: see `Array.base_data`."""
        return self._memory.base_data

    @property
    def offset(self) -> int:
        """Bytes from the start of `base_data` to the first element."""
        return int(self._memory.offset)

    @property
    def events(self) -> list[Any]:
        """A list with one event, behind all work on the array so far: for another queue's ``wait_for``."""
        found: list[Any] = self.bytes.events
        return found

    def with_queue(self, queue: Queue | None) -> Self:
        """The same array, whose attribute ``queue`` is another one: see `Array.with_queue`.

        Parameters
        ----------
        queue : CommandQueue or None
            None for an array that names no queue.

        Returns
        -------
        Array
            Of the same memory. Work on it is ordered as on the first one.
        """
        made = type(self)._of(self.bytes, self.dtype)
        made._queue = queue
        return made

    def empty_like(self, queue: Queue | None = None, allocator: object = None) -> Any:
        """An uninitialised array of this one's class, shape, dtype, order and place.

        Parameters
        ----------
        queue : CommandQueue, optional
            The array's attribute ``queue``; that of this one by default.
        allocator : callable or memory resource, optional
            Where the memory comes from; where that of this one does by default.

        Returns
        -------
        Array
            A new array.
        """
        order = "F" if self.flags.f_contiguous and not self.flags.c_contiguous else "C"
        near = self._place_queue() if queue is None else queue
        made = type(self)(near, self.shape, self.dtype, order, self.allocator if allocator is None else allocator)
        return made.with_queue(self.queue if queue is None else queue)

    def copy(self, queue: Queue | str | None = None, *_: object, **__: object) -> Self:  # type: ignore[override]
        """A copy of the array.

        Parameters
        ----------
        queue : CommandQueue, optional
            The attribute ``queue`` of the copy. A letter is an order, which is C's.
        *_, **__
            Not used.

        Returns
        -------
        Array
            In memory of its own.
        """
        made: Self = self._like(super().copy("K"))
        return made if queue is None or isinstance(queue, str) else made.with_queue(queue)

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Self:
        return self.copy()

    def __reduce__(self) -> Any:
        """Pickled as what has no queue: arrays of numbers become a `devarray.Array`, too."""
        return OpaqueArray._of, (self.bytes, self.dtype)

    def get(self, queue: Queue | None = None, ary: np.ndarray | None = None, **_: object) -> Any:
        """Copy the array to the host.

        Parameters
        ----------
        queue : CommandQueue, optional
            Not needed.
        ary : numpy.ndarray, optional
            Where to; a new one by default.
        **_
            Further parameters of PyOpenCL's, which change nothing.

        Returns
        -------
        numpy.ndarray
            The elements; a new one of an array in Fortran order has that order, too.
        """
        columns = ary is None and self.flags.f_contiguous and not self.flags.c_contiguous
        return self.T.copy_to_host().T if columns else self.copy_to_host(ary)

    def get_async(self, queue: Queue | None = None, ary: Any = None, **_: object) -> tuple[np.ndarray, Any]:
        """Copy the array to the host, which waits.

        Parameters
        ----------
        queue : CommandQueue, optional
            Not needed: the array's own orders the copy.
        ary : numpy.ndarray, optional
            Where to; a new one by default.
        **_
            Not used.

        Returns
        -------
        (numpy.ndarray, Event)
            The elements, and an event behind the copy.
        """
        return self.get(ary=ary), self._place_queue().record()

    def map_to_host(
        self, queue: Queue | None = None, flags: int | None = None, is_blocking: bool = True, wait_for: object = None
    ) -> np.ndarray:
        """The array's memory as a host array: see `Array.map_to_host`.

        Parameters
        ----------
        queue : CommandQueue, optional
            Where a buffer is mapped; the array's own by default.
        flags : int, optional
            Of `map_flags`, for a buffer; reading and writing by default.
        is_blocking : bool, default True
            It waits in any case.
        wait_for : sequence of Event, optional
            Waited for.

        Returns
        -------
        numpy.ndarray
            What is written there is the array's once ``base.release(queue)`` was called.
        """
        found: np.ndarray = self._memory.map_to_host(queue, flags, is_blocking, wait_for)
        return found.view(self.dtype)[..., 0]

    def add_event(self, evt: object) -> None:
        """Order later work on the array behind an event.

        Parameters
        ----------
        evt : Event
            Of work that was enqueued elsewhere.
        """
        self._memory.add_event(evt)

    def finish(self) -> None:
        """Wait for all work on the array."""
        self._memory.finish()

    def setitem(self, subscript: object, value: object, queue: Queue | None = None, wait_for: object = None) -> None:
        """Assign to elements.

        Parameters
        ----------
        subscript : index
            As in ``x[subscript] = value``.
        value : Array, numpy.ndarray or record
            What is assigned.
        queue : CommandQueue, optional
            Not needed.
        wait_for : sequence of Event, optional
            Waited for.
        """
        wait_for_events(wait_for)
        self[subscript] = value

    __hash__ = None  # type: ignore[assignment]

    def _zero_fill(self, queue: Queue | None = None, wait_for: Any = None) -> None:
        """Set every byte to 0: what PyOpenCL's ``zeros`` does, which classes derived from its class call."""
        wait_for_events(wait_for)
        self.bytes[...] = 0

    __getitem__, view = _kept("__getitem__"), _kept("view")
    reshape, ravel, squeeze, transpose = _kept("reshape"), _kept("ravel"), _kept("squeeze"), _kept("transpose")

    @property
    def T(self) -> Any:
        """The array with its axes reversed, a view."""
        return self._like(super().T)


def records_class(cls: type[Any]) -> Any:
    """The class of arrays of structures for `devarray.cl.array.Array` or a class derived from it.

    Arrays of structures hold bytes, which nothing may compute with, and so are none of the engine's arrays. For a
    derived class its statement is done once more over a class of structures: the methods and attributes are the same,
    and ``super()`` leads to those of structures. ``isinstance`` takes the one for the other.
    """
    if cls not in _classes:
        derived = [base for base in cls.__bases__ if issubclass(base, DriverArray) and base is not DriverArray]
        _classes[cls] = made = (
            _over_records(cls, derived) if derived else type("Array", (Records,), {"numbers": cls, "root": cls})
        )
        cls.register(made)
    return _classes[cls]


def _over_records(cls: type, derived: Sequence[type]) -> type:
    bases = tuple(records_class(base) if base in derived else base for base in cls.__bases__)
    cell = CellType()
    names = {k: v for k, v in vars(cls).items() if k not in _MADE_BY_PYTHON and not ismemberdescriptor(v)}
    made = type(cls)(cls.__name__, bases, {k: _again(v, cell) for k, v in names.items()} | {"numbers": cls})
    cell.cell_contents = made
    return made


def _again(found: Any, cell: CellType) -> Any:
    """What a class statement defines, with ``super()`` of another class."""
    if isinstance(found, property):
        get, put, delete = (_again(f, cell) for f in (found.fget, found.fset, found.fdel))
        return property(get, put, delete, found.__doc__)
    if isinstance(found, classmethod | staticmethod):
        return type(found)(_again(found.__func__, cell))
    if not isinstance(found, FunctionType) or "__class__" not in found.__code__.co_freevars:
        return found
    names = found.__code__.co_freevars
    closure = tuple(cell if n == "__class__" else c for n, c in zip(names, found.__closure__ or (), strict=True))
    made = FunctionType(found.__code__, found.__globals__, found.__name__, found.__defaults__, closure)
    made.__kwdefaults__, made.__dict__ = found.__kwdefaults__, found.__dict__
    made.__doc__, made.__qualname__ = found.__doc__, found.__qualname__
    return made
