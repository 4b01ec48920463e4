"""The class `Array` of devarray.cl.array: `devarray.Array` with PyOpenCL's methods."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import devarray as da
from devarray import _core
from devarray._alloc.pyopencl import allocator_of
from devarray._kernels.driver_arrays import DriverArray, shape_of
from devarray._primitives.checks import require_array
from devarray._primitives.opaque import OpaqueArray
from devarray._runtime.records import is_record
from devarray.cl import enqueue_copy, enqueue_map_buffer, map_flags
from devarray.cl._array_names import ArrayHasOffsetError
from devarray.cl._array_places import array_under, memory_of, queue_of_array
from devarray.cl._array_records import records_class
from devarray.cl._events import wait_for_events
from devarray.cl._map import HostMapping
from devarray.errors import DTypeError, ValueError

if TYPE_CHECKING:
    from devarray._core import Queue
    from devarray._typing import DTypeLike

__all__ = ["Array", "require_elements", "wrap"]

_PRIVATE = frozenset(("_fast", "_flags", "_size", "_context", "_queue"))
_copy_queue = None
"""The default of `Array.copy`, which arraycontext names."""


def _with_axes(first: object, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Where PyOpenCL's methods take a queue first, NumPy's take axes."""
    return {**kwargs, "axis": first} if isinstance(first, int | tuple | np.integer) else kwargs


class Array(DriverArray, metaclass=ABCMeta):
    """An array on an OpenCL device, with PyOpenCL's methods.

    Its operators and views are those of :class:`devarray.Array`: dtypes are promoted as NumPy does, views share memory,
    and element-wise work is deferred and fused.

    Parameters
    ----------
    cq : CommandQueue or Context
        Orders the work on the array. One that works out of order lends its context and device: the array's ``queue`` is
        then an in-order one.
    shape : int or tuple of int
        Sizes of the axes.
    dtype : dtype
        A number's. One with fields gives an array that is moved, filled and handed to kernels: an instance of this
        class by `isinstance`, and of a derived class that was asked for.
    order : {"C", "F"}
        Which axis is dense in memory.
    allocator : memory resource, optional
        Where the memory comes from.
    data : Buffer or SVMAllocation, optional
        Memory that the array lies in; fresh memory by default.
    offset : int
        Bytes to the first element.
    strides : tuple of int, optional
        Bytes from element to element along each axis.
    events : list of Event, optional
        Taken, and waited for.
    **private
        Parameters of a derived class, for its ``__init__``; and those that PyOpenCL keeps for itself and loopy's
        generated code gives: ``_queue`` and ``_context`` stand in for a `cq` of None.

    Notes
    -----
    PyOpenCL's class of that name.
    """

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
    ) -> Self:
        others = private.keys() - _PRIVATE
        if others and cls.__init__ is Array.__init__:
            raise TypeError(f"{cls.__name__} takes no argument {sorted(others)[0]!r}")
        if is_record(dtype):  # a class of its own, which Python then does not call __init__ of
            made: Any = records_class(cls)
            return made(cq, shape, dtype, order, allocator, data, offset, strides, events, **private)
        queue, frozen = queue_of_array(cq, private)
        wait_for_events(events)
        if data is None:
            allocator = memory_of(queue, allocator)
            return cls._of(da.Array(shape_of(shape), dtype, queue=queue, allocator=allocator, order=order))
        sizes = shape_of(shape)
        if (under := array_under(data)) is not None:
            steps = np.empty(sizes, dtype, "F" if order == "F" else "C").strides if strides is None else strides
            view = cls._of(_core.view(under, sizes, tuple(steps), offset, np.dtype(dtype)), queue)
            return view._frozen() if frozen else view
        if strides is None and order == "F":
            strides = np.empty(sizes, dtype, order="F").strides
        made = cls._of(da.Array(data, sizes, dtype, strides, offset, queue=queue, allocator=allocator))
        return made._frozen() if frozen else made

    def __init__(self, *_: object, **__: object) -> None:
        """Do nothing: derived classes call it, and what it is given made the array before."""

    @classmethod
    def _of(cls, x: da.Array, queue: Queue | None = None) -> Self:
        made = super()._of(x, queue)
        if cls.__init__ is not Array.__init__:  # PyOpenCL's makes results by the class's constructor
            made.__init__(None, made.shape, made.dtype)  # type: ignore[misc]
        return made

    @property
    def context(self) -> Any:
        """The context of the array's queue."""
        return self._place_queue().context

    @property
    def allocator(self) -> Any:
        """Where the memory comes from: the allocator that was given, or the memory resource."""
        return allocator_of(super().allocator)

    @property
    def data(self) -> Any:
        """The memory from the first element on, as kernels take it.

        Raises
        ------
        ArrayHasOffsetError
            If it lies in a buffer object, and no buffer object of the device can start there.
        """
        try:
            return super().data
        except ValueError as error:
            raise ArrayHasOffsetError(str(error)) from None

    @property
    def base_data(self) -> Any:
        """The memory of the array that this one is a view of, from that one's first byte on.

        A program that leaves `offset` out for an array that is no view reads no other array's memory. Where no buffer
        object of the device can start there, and over memory of the program's, it is the whole memory object.
        """
        return self._base_memory()[0]

    @property
    def offset(self) -> int:
        """Bytes from the start of `base_data` to the first element: 0 for an array with memory of its own."""
        return self._base_memory()[1]

    def _base_memory(self) -> tuple[Any, int]:
        memory, offset = _core.raw_memory(self)
        owner = _core.base_of(self)
        owner = self if owner is None else owner
        if memory is None or isinstance(memory, _core.cl.ArrayBuffer) or not _core.owns_memory(owner):
            return memory, offset
        start = _core.byte_offset(owner)
        try:  # this keeps the owner alive, whose memory is then no other array's
            return da.Array.data.fget(owner), offset - start  # type: ignore[attr-defined]
        except ValueError:  # no buffer object starts there
            return memory, offset

    def with_queue(self, queue: Queue | None) -> Self:
        """The same array, whose attribute ``queue`` is another one.

        Parameters
        ----------
        queue : CommandQueue or None
            None for an array that names no queue, as arraycontext's frozen ones.

        Returns
        -------
        Array
            Of the same memory. Work on it is ordered as on the first one, whatever the attribute says.
        """
        return self._frozen() if queue is None else type(self)._of(self, queue)

    def _frozen(self) -> Self:
        made = type(self)._of(self)
        made.__dict__["_queue"] = None
        return made

    @property
    def queue(self) -> Any:
        """The queue that it was given, by default the one that orders work on it; None after ``with_queue(None)``."""
        return None if self.__dict__.get("_queue", self) is None else super().queue

    def _like(self, x: object) -> Any:
        return records_class(type(self))._of(x.bytes, x.dtype) if isinstance(x, OpaqueArray) else super()._like(x)

    def _zero_fill(self, queue: Queue | None = None, wait_for: Any = None) -> None:
        """Set every byte to 0: what PyOpenCL's ``zeros`` does, which classes derived from its class call."""
        wait_for_events(wait_for)
        self.fill(0)

    def get_async(self, queue: Queue | None = None, ary: object = None, **_: object) -> tuple[np.ndarray, Any]:
        """Copy the array to the host without a wait.

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
            The elements are there when the event is complete.
        """
        if ary is not None and not isinstance(ary, np.ndarray):
            raise DTypeError(f"get_async: ary is a NumPy array, not {type(ary).__name__}")
        # The host's memory gets the device's order, so that it is one copy.
        order = "F" if self.flags.f_contiguous and not self.flags.c_contiguous else "C"
        target = np.empty(self.shape, self.dtype, order=order) if ary is None else ary  # type: ignore[call-overload]
        plain = target.flags.f_contiguous if order == "F" else target.flags.c_contiguous
        if not plain:
            self.copy_to_host(target)
            return target, self._place_queue().record()
        source = self if order == "F" or self.flags.c_contiguous else _core.contiguous(self)
        memory, offset = _core.raw_memory(source)
        if memory is None:
            return target, self._place_queue().record()
        if memory.kind == "buffer":
            event = enqueue_copy(self._place_queue(), target, memory, src_offset=offset, is_blocking=False)
        else:
            event = enqueue_copy(self._place_queue(), target, _core.cl._array_memory(source), is_blocking=False)
        return target, event

    def map_to_host(
        self, queue: Queue | None = None, flags: int | None = None, is_blocking: bool = True, wait_for: object = None
    ) -> np.ndarray:
        """The array's memory as a host array: that memory where the host sees it, a mapped buffer elsewhere.

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
            What is written there is the array's once ``base.release(queue)`` was called; until then the device must not
            use it. A read-only copy where the memory can be neither seen nor mapped.
        """
        wait_for_events(wait_for)
        self.finish()
        place: Any = queue or self._place_queue()
        memory, offset = _core.raw_memory(self)
        if memory is None or memory.kind in ("svm_fine", "pinned"):
            return np.asarray(HostMapping(self.as_host_view(), place))
        if isinstance(memory, _core.cl.Buffer) and min(self.strides, default=0) >= 0:
            flags = map_flags.READ | map_flags.WRITE if flags is None else flags
            layout = offset, self.shape, self.dtype
            return enqueue_map_buffer(place, memory, flags, *layout, strides=self.strides)[0]
        copy = self.get()
        copy.flags.writeable = False
        return copy

    def add_event(self, evt: object) -> None:
        """Order later work on the array behind an event.

        Parameters
        ----------
        evt : Event
            Of work that was enqueued elsewhere.
        """
        self._place_queue().wait_event(evt)

    def finish(self) -> None:
        """Wait for all work on the array."""
        _core.evaluate(self)
        self._place_queue().finish()

    def setitem(self, subscript: object, value: object, queue: Queue | None = None, wait_for: object = None) -> None:
        """Assign to elements.

        Parameters
        ----------
        subscript : index
            As in ``x[subscript] = value``.
        value : Array, numpy.ndarray or scalar
            What is assigned.
        queue : CommandQueue, optional
            Not needed.
        wait_for : sequence of Event, optional
            Waited for.
        """
        wait_for_events(wait_for)
        self[subscript] = value

    def any(  # type: ignore[override]
        self, queue: Queue | int | Sequence[int] | None = None, wait_for: Any = None, **kwargs: Any
    ) -> Any:
        """Whether an element is not zero: a 0-d array, or along axes as NumPy's.

        Parameters
        ----------
        queue : CommandQueue, optional
            Not needed. Numbers are axes, the first parameter of NumPy's arrays.
        wait_for : sequence of Event, optional
            Not needed.
        **kwargs
            Of :meth:`devarray.Array.any`.

        Returns
        -------
        Array
            Of bool.
        """
        return self._like(da.any(self, **_with_axes(queue, kwargs)))

    def all(  # type: ignore[override]
        self, queue: Queue | int | Sequence[int] | None = None, wait_for: Any = None, **kwargs: Any
    ) -> Any:
        """Whether all elements are not zero: a 0-d array, or along axes as NumPy's.

        Parameters
        ----------
        queue : CommandQueue, optional
            Not needed. Numbers are axes, the first parameter of NumPy's arrays.
        wait_for : sequence of Event, optional
            Not needed.
        **kwargs
            Of :meth:`devarray.Array.all`.

        Returns
        -------
        Array
            Of bool.
        """
        return self._like(da.all(self, **_with_axes(queue, kwargs)))


def require_elements(name: str, *operands: object) -> None:
    """DTypeError where an operand is no device array, of numbers or of structures."""
    require_array(name, *(x for x in operands if not isinstance(x, OpaqueArray)))


def wrap(x: Any, like: Any = None) -> Any:
    """A result as an array of this module's classes: of that of `like`, or of Array."""
    if isinstance(like, Array):
        return like._like(x)
    return records_class(Array)._of(x.bytes, x.dtype) if isinstance(x, OpaqueArray) else Array._of(x)
