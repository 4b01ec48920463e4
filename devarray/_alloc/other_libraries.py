"""devarray's memory for arrays of CuPy's and PyTorch's."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from devarray import _core
from devarray.errors import DeviceError

__all__ = ["cupy_allocator", "torch_allocator"]

_KEPT_STREAMS = 64
_streams: OrderedDict[tuple[int, int], Any] = OrderedDict()


def _device(number: int) -> Any:
    found = _core.cuda.devices()
    if not 0 <= number < len(found):
        raise DeviceError(f"there is no CUDA device {number}, only {len(found)} of them")
    return found[number]


def _queue(device: Any, stream: Any) -> Any:
    """A queue for a stream of CuPy's, which it keeps: the driver gives a handle out again when its stream is gone."""
    key = device.index, stream.ptr
    queue = _streams.pop(key, None)
    if queue is None:
        device.default_queue.context.push()  # CuPy may not have called the driver yet
        try:
            queue = _core.cuda.Stream.from_handle(stream.ptr or 1, stream)  # 1: the legacy default stream
        finally:
            _core.cuda.Context.pop()
    _streams[key] = queue
    if len(_streams) > _KEPT_STREAMS:
        _streams.popitem(last=False)
    return queue


def cupy_allocator(nbytes: int) -> Any:
    """Memory of devarray's for CuPy: ``cupy.cuda.set_allocator(devarray.alloc.cupy_allocator)``.

    It comes from the default allocator of CuPy's current device, in the order of CuPy's current stream: both libraries
    share one pool.

    Parameters
    ----------
    nbytes : int
        Bytes.

    Returns
    -------
    cupy.cuda.MemoryPointer
        It goes back to the allocator with its last reference.

    Raises
    ------
    OutOfMemoryError
        If there is not that much.

    Examples
    --------
    >>> import cupy
    >>> with cupy.cuda.using_allocator(alloc.cupy_allocator):
    ...     x = cupy.arange(3)
    >>> x.tolist()
    [0, 1, 2]
    """
    import cupy  # type: ignore[import-not-found, unused-ignore]

    number = cupy.cuda.device.get_device_id()
    device = _device(number)
    queue = _queue(device, cupy.cuda.get_current_stream())
    block = _core.default_allocator(device).allocate(nbytes, queue)
    memory = cupy.cuda.UnownedMemory(block.handle, nbytes, block, number)
    return cupy.cuda.MemoryPointer(memory, 0)


def torch_allocator() -> Any:
    """devarray's memory for PyTorch: ``torch.cuda.memory.change_current_allocator(devarray.alloc.torch_allocator())``.

    It comes from the default allocator of the tensor's device, in the order of PyTorch's current stream: both libraries
    share one pool. PyTorch takes an allocator before it first allocates only.

    Returns
    -------
    torch.cuda.memory.CUDAPluggableAllocator
        Over the functions ``devarray_malloc`` and ``devarray_free`` of devarray's extension.

    Examples
    --------
    >>> import torch
    >>> isinstance(alloc.torch_allocator(), torch.cuda.memory.CUDAPluggableAllocator)
    True
    """
    import torch  # type: ignore[import-not-found, unused-ignore]

    return torch.cuda.memory.CUDAPluggableAllocator(_core.__file__, "devarray_malloc", "devarray_free")
