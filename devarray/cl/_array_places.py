"""Where arrays of devarray.cl.array lie, and what orders their work, of what PyOpenCL takes for that."""

from __future__ import annotations

from typing import Any

from devarray import _core
from devarray._alloc.chosen import chosen_defaults
from devarray.cl.tools import first_arg_dependent_memoize
from devarray.errors import DeviceError

__all__ = ["array_under", "memory_of", "place_of", "queue_of", "queue_of_array"]


def queue_of(cq: object) -> Any:
    """The queue of what PyOpenCL takes for one: a queue, a context, or None.

    Arrays need an order. For a queue that has none it is one of the same context and device that has one, which all
    such arrays share; kernels on other queues wait for what they read and are waited for.
    """
    if cq is None:
        return cq
    if isinstance(cq, _core.cl.CommandQueue):
        return cq if cq.in_order else _ordered(cq.context, cq.device)
    if isinstance(cq, _core.cl.Context):
        return _core.cl.CommandQueue(cq)
    raise DeviceError(f"a CommandQueue or a Context is wanted, not {type(cq).__name__}")


@first_arg_dependent_memoize
def _ordered(context: Any, device: Any) -> Any:
    return _core.cl.CommandQueue(context, device)


def queue_of_array(cq: object, private: Any) -> Any:
    """The queue of the parameters of an array's constructor, and whether the array's attribute ``queue`` is None.

    A `cq` of None leaves the place to ``_queue`` and ``_context``. Where these are those of an array without a queue,
    so is the new one, and its memory's order is that of a queue which all such arrays of the context share.
    """
    given = cq if cq is not None else private.get("_queue")
    if given is not None:
        return queue_of(given), False
    context = private.get("_context")
    return (None, False) if context is None else (_ordered(context, context.devices[0]), "_queue" in private)


def array_under(data: object) -> Any:
    """The array of numbers that lies where another one is to lie: one that is given, or of shared virtual memory."""
    found = data.array if isinstance(data, _core.cl.ArrayPointer) else data
    return found if isinstance(found, _core.ArrayBase) else None


def memory_of(queue: Any, allocator: Any) -> Any:
    """Where the memory of an array on a queue comes from: `allocator`, or a pool of buffer objects for None.

    Devices with shared virtual memory prefer that for arrays, but only buffer objects go where PyOpenCL's programs put
    ``x.data``: into copies with offsets, maps, fills and images. What the program chose for arrays stays its choice.
    """
    if allocator is not None:
        return allocator
    device, _, current = _core.current_place()
    if queue is not None and queue.engine_device is not device:
        device = queue.engine_device
        current = _core.default_allocator(device)
    chosen = current is not _core.default_allocator(device) or current in chosen_defaults
    return None if chosen or not current.kind.startswith("svm") else _buffers(device)


def place_of(cq: object, allocator: Any) -> dict[str, Any]:
    """The ``queue=`` and ``allocator=`` of a new array, of what PyOpenCL takes for them."""
    queue = queue_of(cq)
    return {"queue": queue, "allocator": memory_of(queue, allocator)}


@first_arg_dependent_memoize
def _buffers(device: Any) -> Any:
    return _core.PoolMemoryResource(_core.DeviceMemoryResource(device, "buffer"))
