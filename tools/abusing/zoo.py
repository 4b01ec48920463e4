"""Hostile values, and objects of every class to ask for hostile things. A call is text that is run here, so that

    from abusing.zoo import *

from tools/ makes each line that tools/abuse.py reports run by itself.
"""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np

import devarray as da
import devarray.cl.algorithm
import devarray.cl.array
import devarray.cl.bitonic_sort
import devarray.cl.characterize
import devarray.cl.clmath
import devarray.cl.clrandom
import devarray.cl.cltypes
import devarray.cl.elementwise
import devarray.cl.reduction
import devarray.cl.scan
import devarray.cl.tools
import devarray.cuda.compiler
import devarray.cuda.cumath
import devarray.cuda.elementwise
import devarray.cuda.gpuarray
import devarray.cuda.reduction
from devarray import alloc, cl, cuda, fft, lib, linalg, random  # noqa: F401 (calls name them)


class Unexpected(Exception):
    """What hostile objects raise, so that it can be told from what devarray raises."""


def _unexpected(self: Any, *args: Any, **kwargs: Any) -> Any:
    raise Unexpected


class Raising:
    """Every protocol raises."""

    __index__ = __int__ = __float__ = __len__ = __iter__ = __getitem__ = __array__ = __bool__ = _unexpected
    __dlpack__ = __dlpack_device__ = __buffer__ = __fspath__ = __call__ = __eq__ = __lt__ = _unexpected
    __hash__ = None  # type: ignore[assignment]

    @property
    def __array_interface__(self) -> dict[str, Any]:
        raise Unexpected

    __cuda_array_interface__ = __array_interface__


class Lying:
    """Every protocol answers, and wrong."""

    shape, dtype, ndim, size, strides, nbytes = (2**61,), np.dtype("f8"), -1, -5, (-(2**63),), -1
    __cuda_array_interface__ = {"shape": (2**61,), "typestr": "<f8", "data": (64, False), "version": 3}  # noqa: RUF012

    def __index__(self) -> int:
        return 2**63

    def __len__(self) -> int:
        return 2**62

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, int) and key > 5:
            raise IndexError
        return self

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return np.array(["not", "numbers"])

    def __dlpack_device__(self) -> Any:
        return "cpu", "zero"

    def __dlpack__(self, **kwargs: Any) -> Any:
        return None

    def __fspath__(self) -> str:
        return "/nonexistent/\udcff"


class Subarray(np.ndarray):
    """NumPy's class, derived."""


def cyclic() -> list[Any]:
    x: list[Any] = []
    x.append(x)
    return x


def released() -> Any:
    """An array whose memory was released under it."""
    memory = cl.Buffer(context(), cl.mem_flags.READ_WRITE, 80)
    x = da.Array(memory, (10,), "f8")
    memory.release()
    return x


def released_buffer() -> Any:
    memory = buffer()
    memory.release()
    return memory


def foreign() -> Any:
    """An array of another device, where there is one."""
    other = next((d for d in da.devices() if d is not da.device()), da.device())
    return da.ones(3, device=other)


@cache
def context() -> Any:
    return cl.Context([d for d in (p for q in cl.get_platforms() for p in q.get_devices()) if _is_default(d)][:1])


def _is_default(d: Any) -> bool:
    return str(d.platform.name) == da.device().caps["platform"]


@cache
def command_queue() -> Any:
    return cl.CommandQueue(context())


def buffer() -> Any:
    return cl.Buffer(context(), cl.mem_flags.READ_WRITE, 64)


@cache
def program() -> Any:
    return cl.Program(context(), "kernel void f(global int *a, int n) {}").build()


def kernel() -> Any:
    return cl.Kernel(program(), "f")


def image() -> Any:
    return cl.create_image(context(), cl.mem_flags.READ_WRITE,
                           cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT), shape=(4, 4))  # fmt: skip


def event() -> Any:
    return cl.enqueue_marker(command_queue())


def upstream() -> Any:
    return alloc.DeviceMemoryResource(da.device())


def x() -> Any:
    return da.asarray([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])


def square() -> Any:
    return da.asarray([[4.0, 1.0], [1.0, 3.0]])


def new(cls: type) -> Any:
    """An object that was never initialised."""
    return cls.__new__(cls)


HOSTILE = """None|True|0|-1|3|2**31|-2**31|2**40|2**61|2**62|2**63 - 1|2**63|-2**63|2**64|10**30|0.5|-0.0|1e300
    float("nan")|float("inf")|1j|""|"text"|"f8"|"\\0"|b"bytes"|()|[]|{}|set()|(0,)|(2, 3)|(-1,)|(2**61,)|(2**31, 2**31)
    [1, 2]
    [[1, 2], [3]]|[None]|["a"]|{"a": 1}|range(3)|(i for i in range(3))|iter([])|object()|...|slice(None)
    slice(0, 2**63)|int|type|da|len|lambda *a, **k: None|lambda *a: 1 / 0|NotImplemented|np.float64(0.5)|np.int8(-1)
    np.bool_(True)|np.array(2)|np.ones(3)|np.ones((2, 3))[::-1]|np.array([object()])|np.array(["a"])
    np.array([], "M8[s]")|np.zeros(3, "f8,i4")|np.ones(3, ">f8")|np.ones(2, np.longdouble)|np.ones(4).view(Subarray)
    np.zeros((1,) * 40)|np.dtype("f8")|np.dtype("O")|np.dtype("V3")|memoryview(b"abcd")|bytearray(8)|cyclic()
    Raising()|Lying()|[Raising()]|(Lying(), Lying())|Raising|da.ones(3)|da.ones((2, 3))|da.zeros(0)|da.zeros((0, 3))
    da.asarray(2)|da.asarray(True)|da.arange(6)[::-2]|x().T|x() + 1|da.asarray([1, 0, 1], dtype="u1")
    da.asarray([1j, 2])|da.asarray([float("nan"), 1])|da.asarray([-1, 2**62])|[da.ones(2), None]
    (da.ones(2), da.ones(3))|da.broadcast_to(da.ones(1), (2**40,))|released()|released_buffer()|foreign()
    new(da.Array)|new(da.Queue)|new(da.Device)|new(da.Event)|new(cl.Buffer)|new(alloc.MemoryResource)|da.queue()
    da.device()|da.OpaqueArray((2,), "i4,f4")|upstream()|buffer()|command_queue()|context()|kernel()|event()|cl|cuda"""
VALUES = [text.strip() for line in HOSTILE.splitlines() for text in line.strip().split("|")]

LIVE = {
    "Array": "x()",
    "OpaqueArray": 'da.OpaqueArray((2,), "i4,f4")',
    "Queue": "da.queue()",
    "Device": "da.device()",
    "Event": "da.queue().record()",
    "Config": "da.config",
    "MappedNDArray": "da.mapped_array(3)",
    "DeviceMemoryResource": "upstream()",
    "PoolMemoryResource": "alloc.PoolMemoryResource(upstream())",
    "LimitingResourceAdaptor": "alloc.LimitingResourceAdaptor(upstream(), 1 << 20)",
    "StatisticsResourceAdaptor": "alloc.StatisticsResourceAdaptor(upstream())",
    "TrackingResourceAdaptor": "alloc.TrackingResourceAdaptor(upstream())",
    "CallbackMemoryResource": "alloc.CallbackMemoryResource(upstream().allocate, device=da.device())",
    "Block": "upstream().allocate(64, da.queue())",
    "MemoryPool": "alloc.MemoryPool(upstream())",
    "Generator": "random.default_rng(1)",
    "Philox": "random.Philox(1)",
    "ElementwiseKernel": 'da.ElementwiseKernel("T a, T b", "T c", "c = a + b", "abuse_add")',
    "ReductionKernel": 'da.ReductionKernel("T a", "T b", "a", "a + b", "b = a", "0", "abuse_sum")',
    "vectorize": "da.vectorize(lambda a, b: a + 2 * b)",
    "cl.array.Array": "cl.array.to_device(command_queue(), np.ones((2, 3)))",
    "cl.clrandom.PhiloxGenerator": "cl.clrandom.PhiloxGenerator(context())",
    "cl.elementwise.ElementwiseKernel": 'cl.elementwise.ElementwiseKernel(context(), "double *a", "a[i] = i")',
    "cl.reduction.ReductionKernel": 'cl.reduction.ReductionKernel(context(), "f8", "0", "a+b", "x[i]", "double *x")',
    "cl.scan.InclusiveScanKernel": 'cl.scan.InclusiveScanKernel(context(), "f8", "a+b")',
    "cl.Context": "context()",
    "cl.CommandQueue": "cl.CommandQueue(context())",
    "cl.Buffer": "buffer()",
    "cl.MemoryObject": "buffer()",
    "cl.Image": "image()",
    "cl.ImageFormat": "cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)",
    "cl.Program": "program()",
    "cl.Kernel": "kernel()",
    "cl.Event": "event()",
    "cl.UserEvent": "cl.UserEvent(context())",
    "cl.Device": "context().devices[0]",
    "cl.Platform": "cl.get_platforms()[0]",
    "cl.Sampler": "cl.Sampler(context(), False, cl.addressing_mode.CLAMP, cl.filter_mode.NEAREST)",
    "cl.LocalMemory": "cl.LocalMemory(64)",
    "cl.SVM": "cl.SVM(cl.csvm_empty(context(), 8, np.int32))",
    "cl.SVMAllocation": "cl.SVMAllocation(context(), 64, 64, cl.svm_mem_flags.READ_WRITE)",
    "cl.NameVersion": "cl.NameVersion('a', 1)",
}
"""How to come by a live object of a class."""


@cache
def live() -> dict[str, str]:
    """Those of LIVE that the default device has: memory that the host sees too and images are not every device's."""
    kinds, device = da.device().memory_kinds, context().devices[0]
    svm = cl.characterize.has_coarse_grain_buffer_svm(device)
    there = {
        "MappedNDArray": "pinned" in kinds or "svm_fine" in kinds,
        "cl.SVM": svm,
        "cl.SVMAllocation": svm,
        "cl.Image": bool(device.image_support),
    }
    return {name: text for name, text in LIVE.items() if there.get(name, True)}


PLAUSIBLE = {
    "shape": "(2, 3)", "size": "3", "dtype": '"f8"', "axis": "0", "axes": "(0, 1)", "n": "3", "k": "1", "num": "5",
    "queue": "da.queue()", "stream": "da.queue()", "device": "da.device()", "allocator": "upstream()", "order": '"C"',
    "indices": "da.asarray([0, 1])", "indices_or_sections": "[1]", "arrays": "[da.ones(3), da.ones(3)]",
    "tup": "[da.ones(3), da.ones(3)]", "fill_value": "1", "subscripts": '"ij->ji"', "func": "lambda a: a",
    "func1d": "lambda a: a", "function": "lambda *a: a[0]", "file": '"abuse.npy"', "fname": '"abuse.txt"',
    "buffer": "bytearray(64)", "iter": "range(3)", "context": "context()", "ctx": "context()",
    "upstream": "upstream()", "nbytes": "64", "src": "buffer()", "dest": "buffer()", "kernel": "kernel()", "reps": "2",
    "repeats": "2", "pad_width": "1", "bins": "4", "obj": "[1, 2]", "start": "0", "stop": "5", "ord": "2",
    "mask": "x() > 2", "condition": "x() > 2", "source": "1", "destination": "0", "new_shape": "(3, 2)", "shift": "1",
    "mem": "buffer()", "format": "cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)", "flags": "1",
    "p": "0.5", "deg": "1", "kth": "1", "window_shape": "2", "dimensions": "(2, 2)", "multi_index": "([0], [1])",
    "dims": "(2, 3)",
}  # fmt: skip
"""An ordinary value of a parameter, by its name; of others an array."""


def enter_an_empty_folder(folder: str) -> None:
    os.chdir(folder)
