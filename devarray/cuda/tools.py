"""Contexts, occupancy, memory pools and C types under ``pycuda.tools``' names.

Examples
--------
>>> from devarray.cuda import tools
>>> tools.dtype_to_ctype("uint32"), tools.bitlog2(1000)
('unsigned int', 9)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from math import ceil
from typing import Any, TypeVar

from devarray import cuda
from devarray.cuda._c_types import (
    Argument,
    ScalarArg,
    VectorArg,
    dtype_to_ctype,
    get_arg_type,
    get_or_register_dtype,
    parse_c_arg,
    register_dtype,
)
from devarray.cuda._contexts import get_default_device, make_default_context
from devarray.cuda._pools import (
    DebugMemoryPool,
    DeviceMemoryPool,
    PageLockedAllocator,
    PageLockedMemoryPool,
    PooledDeviceAllocation,
    PooledHostAllocation,
)
from devarray.errors import ValueError

__all__ = [
    "Argument",
    "DebugMemoryPool",
    "DeviceData",
    "DeviceMemoryPool",
    "OccupancyRecord",
    "PageLockedAllocator",
    "PageLockedMemoryPool",
    "PooledDeviceAllocation",
    "PooledHostAllocation",
    "ScalarArg",
    "VectorArg",
    "bitlog2",
    "clear_context_caches",
    "context_dependent_memoize",
    "dtype_to_ctype",
    "get_arg_type",
    "get_default_device",
    "get_or_register_dtype",
    "init_cuda_context_fixture",
    "make_default_context",
    "mark_cuda_test",
    "parse_c_arg",
    "register_dtype",
]

Result = TypeVar("Result")
_Function = TypeVar("_Function", bound=Callable[..., Any])


# --- contexts ----------------------------------------------------------------------------------------------------


_caches: list[dict[Any, Any]] = []


def context_dependent_memoize(func: Callable[..., Result]) -> Callable[..., Result]:
    """Remember a function's results by the current context and its arguments.

    Parameters
    ----------
    func : callable
        All its arguments are hashable.

    Returns
    -------
    callable
        Called as `func` is.
    """
    results: dict[Any, Result] = {}
    _caches.append(results)

    @wraps(func)
    def remembered(*args: object, **kwargs: object) -> Result:
        key = cuda.Context.get_current(), args, frozenset(kwargs.items())
        if key not in results:
            results[key] = func(*args, **kwargs)
        return results[key]

    return remembered


def clear_context_caches() -> None:
    """Empty the caches of all functions that `context_dependent_memoize` wraps.

    Examples
    --------
    >>> from devarray.cuda import tools
    >>> tools.clear_context_caches()
    """
    for results in _caches:
        results.clear()


def init_cuda_context_fixture() -> Iterator[None]:
    """A generator for pytest's fixtures: a context while tests run, taken down behind them.

    Yields
    ------
    None
        While the context is current: the one that devarray's arrays live in.
    """
    cuda.init()
    make_default_context(lambda device: device.retain_primary_context()).push()
    yield
    cuda.Context.pop()
    clear_context_caches()


def mark_cuda_test(inner_f: _Function) -> _Function:
    """A test that runs in a context of its own, which is taken down behind it.

    Parameters
    ----------
    inner_f : callable
        The test.

    Returns
    -------
    callable
        The test with its context.
    """

    @wraps(inner_f)
    def tested(*args: object, **kwargs: object) -> Any:
        cuda.init()
        context = make_default_context(lambda device: device.retain_primary_context())
        context.push()
        try:
            return inner_f(*args, **kwargs)
        finally:
            cuda.Context.synchronize()
            cuda.Context.pop()
            clear_context_caches()

    return tested  # type: ignore[return-value]


# --- devices and occupancy ---------------------------------------------------------------------------------------


def _up(value: float, multiple: int = 1) -> int:
    return ceil(value / multiple) * multiple


class DeviceData:
    """What a multiprocessor of a device holds, as the driver says it.

    Parameters
    ----------
    dev : Device, optional
        The current context's by default.

    Attributes
    ----------
    max_threads : int
        Of a block.
    warp_size, warps_per_mp, thread_blocks_per_mp : int
        Threads of a warp; warps and blocks of a multiprocessor.
    registers, shared_memory : int
        Of a block: 32-bit registers and bytes.
    smem_alloc_granularity, smem_granularity : int
        Bytes that shared memory is given out in; banks.
    """

    def __init__(self, dev: Any = None) -> None:
        device = cuda.Context.get_device() if dev is None else dev
        names = cuda.device_attribute
        self.max_threads = device.get_attribute(names.MAX_THREADS_PER_BLOCK)
        self.warp_size = device.get_attribute(names.WARP_SIZE)
        self.warps_per_mp = device.get_attribute(names.MAX_THREADS_PER_MULTIPROCESSOR) // self.warp_size
        self.thread_blocks_per_mp = device.get_attribute(names.MAX_BLOCKS_PER_MULTIPROCESSOR)
        self.registers = device.get_attribute(names.MAX_REGISTERS_PER_BLOCK)
        self.shared_memory = device.get_attribute(names.MAX_SHARED_MEMORY_PER_BLOCK)
        self.smem_alloc_granularity, self.smem_granularity = 128, 32
        self.register_allocation_unit = "warp"

    def align_bytes(self, word_size: int = 4) -> int:
        """Bytes that a row's length is a multiple of, for loads of words.

        Parameters
        ----------
        word_size : int
            4, 8 or 16. 4 by default.

        Returns
        -------
        int
            64 or 128.
        """
        if word_size not in (4, 8, 16):
            raise ValueError(f"no alignment is known for words of {word_size} bytes; there are 4, 8 and 16")
        return 64 if word_size == 4 else 128

    def align(self, bytes: int, word_size: int = 4) -> int:
        """Bytes, rounded up to `align_bytes`.

        Parameters
        ----------
        bytes : int
            The number.
        word_size : int
            As `align_bytes` takes it.

        Returns
        -------
        int
            At least `bytes`.
        """
        return _up(bytes, self.align_bytes(word_size))

    def align_words(self, word_size: int) -> int:
        """Words that a row's length is a multiple of.

        Parameters
        ----------
        word_size : int
            As `align_bytes` takes it.

        Returns
        -------
        int
            Words.
        """
        return self.align_bytes(word_size) // word_size

    def align_dtype(self, elements: int, dtype_size: int) -> int:
        """Elements, rounded up to `align_words`.

        Parameters
        ----------
        elements : int
            The number.
        dtype_size : int
            Bytes of an element.

        Returns
        -------
        int
            At least `elements`.
        """
        return _up(elements, self.align_words(dtype_size))

    def coalesce(self, thread_count: int) -> int:
        """Threads, rounded up to half a warp.

        Parameters
        ----------
        thread_count : int
            The number.

        Returns
        -------
        int
            At least `thread_count`.
        """
        return _up(thread_count, 16)

    @staticmethod
    def make_valid_tex_channel_count(size: int) -> int:
        """The channels that a texture has for so many.

        Parameters
        ----------
        size : int
            At most 4.

        Returns
        -------
        int
            1, 2 or 4.
        """
        found = next((count for count in (1, 2, 4) if size <= count), None)
        if found is None:
            raise ValueError(f"a texture has at most 4 channels, not {size}")
        return found


class OccupancyRecord:
    """How many blocks of a kernel run on a multiprocessor at once, and what bounds that.

    Parameters
    ----------
    devdata : DeviceData
        The device.
    threads : int
        Of a block.
    shared_mem : int
        Bytes of a block. 0 by default.
    registers : int
        Of a thread. 0 by default.

    Attributes
    ----------
    tb_per_mp : int
        Blocks.
    limited_by : {"device", "warps", "regs", "smem"}
        The bound.
    warps_per_mp : int
        Warps.
    occupancy : float
        Their share of those that the multiprocessor holds.

    Notes
    -----
    ``Function.max_active_blocks`` and the like ask the driver, which knows more.
    """

    def __init__(self, devdata: Any, threads: int, shared_mem: int = 0, registers: int = 0) -> None:
        if threads > devdata.max_threads:
            raise ValueError(f"too many threads: {threads} of {devdata.max_threads}")
        warps = _up(threads / devdata.warp_size)
        memory = _up(shared_mem, devdata.smem_alloc_granularity)
        words = warps * devdata.warp_size * registers
        if words > devdata.registers:
            raise ValueError(f"too many registers: {words} of {devdata.registers}")
        if memory > devdata.shared_memory:
            raise ValueError(f"too much smem: {memory} of {devdata.shared_memory} bytes")
        self.tb_per_mp_limits = [(devdata.thread_blocks_per_mp, "device"), (devdata.warps_per_mp // warps, "warps")]
        if registers:
            self.tb_per_mp_limits.append((devdata.registers // words, "regs"))
        if shared_mem:
            self.tb_per_mp_limits.append((devdata.shared_memory // memory, "smem"))
        self.tb_per_mp, self.limited_by = min(self.tb_per_mp_limits)
        self.warps_per_mp = self.tb_per_mp * warps
        self.occupancy = self.warps_per_mp / devdata.warps_per_mp


def bitlog2(n: int) -> int:
    """The place of the highest bit.

    Parameters
    ----------
    n : int
        At least 1.

    Returns
    -------
    int
        Counted from 0.

    Examples
    --------
    >>> from devarray.cuda.tools import bitlog2
    >>> [bitlog2(n) for n in (1, 2, 255, 256)]
    [0, 1, 7, 8]
    """
    return n.bit_length() - 1
