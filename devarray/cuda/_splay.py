"""How a kernel over elements in one row is shared among blocks and threads."""

from __future__ import annotations

from typing import Any

from devarray import cuda
from devarray.cuda.tools import DeviceData

__all__ = ["splay"]


def splay(n: int, dev: Any = None) -> tuple[tuple[int, int], tuple[int, int, int]]:
    """A grid and blocks for a kernel whose threads go through `n` elements in strides of all of them.

    Parameters
    ----------
    n : int
        Elements.
    dev : Device, optional
        The current context's by default.

    Returns
    -------
    grid : tuple of int
        Two numbers of blocks, at most four times as many as the device holds at once.
    block : tuple of int
        Three numbers of threads, whole warps of up to 128.

    Notes
    -----
    PyCUDA's function of that name.

    Examples
    --------
    >>> from devarray.cuda import gpuarray
    >>> gpuarray.splay(1000)
    ((32, 1), (32, 1, 1))
    """
    device = cuda.Context.get_device() if dev is None else dev
    data, most_threads = DeviceData(device), 128
    units = device.get_attribute(cuda.device_attribute.MULTIPROCESSOR_COUNT)
    most_blocks = 4 * data.thread_blocks_per_mp * units
    warps = max(1, -(-n // data.warp_size))
    blocks = min(warps, most_blocks)
    threads = min(-(-warps // blocks) * data.warp_size, most_threads)
    return (blocks, 1), (threads, 1, 1)
