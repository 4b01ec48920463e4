"""DLPack's table of C functions, the CUDA array interface, and memory shared with CuPy and PyTorch."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from capsules import (
    CPU,
    CUDA,
    CUDA_HOST,
    CUDA_MANAGED,
    Tensor,
    Versioned,
    get_pointer,
    opened,
)
from oracle import host, same, values

import devarray as da
from devarray import _core


def address_of(x: da.Array) -> int:
    memory, offset = x.base_data, x.offset
    return memory.handle + offset


# --- the C exchange table ----------------------------------------------------------------------------------------


class ExchangeApi(ctypes.Structure):
    _ERROR = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        (
            "allocate",
            ctypes.CFUNCTYPE(
                ctypes.c_int, ctypes.POINTER(Tensor), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p, _ERROR
            ),
        ),
        ("from_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))),
        ("to_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.py_object))),
        ("borrow_from_object", ctypes.c_void_p),
        (
            "current_stream",
            ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p)),
        ),
    ]


def exchange_api() -> ExchangeApi:
    capsule = da.Array.__dlpack_c_exchange_api__
    return ExchangeApi.from_address(get_pointer(capsule, b"dlpack_exchange_api"))


def test_the_exchange_table_takes_an_array_there_and_back(device: da.Device) -> None:
    api = exchange_api()
    assert (api.major, api.minor) == (1, 3)
    wanted = values("int32", (2, 3))
    x = da.asarray(wanted)
    tensor = ctypes.c_void_p()
    assert api.from_object(x, ctypes.byref(tensor)) == 0
    assert Versioned.from_address(tensor.value).tensor.shape[:2] == [2, 3]
    out = ctypes.py_object()
    assert api.to_object(tensor, ctypes.byref(out)) == 0
    same(out.value, wanted)


@pytest.mark.parametrize("used", [False, True])
def test_imported_memory_goes_back_at_once_where_no_work_uses_it(
    device: da.Device, shared: da.alloc.MemoryResource, used: bool
) -> None:
    """The queue has work that waits for an event of the test's: what it uses stays, all else need not wait for it."""
    from devarray import cl

    if device.driver != "opencl" or device.type != "cpu":
        pytest.skip("events that the host completes are OpenCL's; buffers of GPUs go by Python's way")
    queue = device.default_queue
    x, tensor, out = da.ones(100_000).evaluate(), ctypes.c_void_p(), ctypes.py_object()
    assert exchange_api().from_object(x, ctypes.byref(tensor)) == 0
    del x
    assert exchange_api().to_object(tensor, ctypes.byref(out)) == 0
    imported, drop = out.value, ctypes.pythonapi.Py_DecRef
    drop.restype, drop.argtypes = None, [ctypes.py_object]
    drop(imported)  # the function's reference, which ctypes does not own
    del out
    event = cl.UserEvent(queue.context)
    try:
        cl.enqueue_barrier(queue, wait_for=[event])
        with da.use(allocator=da.alloc.DeviceMemoryResource(device, shared.kind)):
            result = da.sin(imported).evaluate() if used else None
        del imported
        assert shared.active_blocks == used
    finally:
        event.set_status(cl.command_execution_status.COMPLETE)
        queue.finish()
    da.alloc.DeviceMemoryResource(device, shared.kind).allocate(64)  # and frees what was waiting
    assert shared.active_blocks == 0
    if used:
        np.testing.assert_allclose(result.copy_to_host(), np.sin(1), rtol=1e-15)


def test_the_exchange_table_allocates(device: da.Device) -> None:
    api = exchange_api()
    kind = da.empty(1, da.float32).__dlpack_device__()
    shape = (ctypes.c_int64 * 2)(3, 5)
    like = Tensor(None, *kind, 2, 2, 32, 1, shape, None, 0)
    out, errors = ctypes.c_void_p(), []
    note = ExchangeApi._ERROR(lambda _, kind, message: errors.append((kind, message)))
    assert api.allocate(ctypes.byref(like), ctypes.byref(out), None, note) == 0
    managed = Versioned.from_address(out.value)
    assert managed.tensor.shape[:2] == [3, 5]
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(out)
    like.code = 4
    assert api.allocate(ctypes.byref(like), ctypes.byref(out), None, note) == -1
    assert errors[0][0] == b"BufferError"


def test_the_exchange_tables_stream(device: da.Device) -> None:
    out = ctypes.c_void_p()
    kind = da.empty(1, da.float32).__dlpack_device__()
    assert exchange_api().current_stream(*kind, ctypes.byref(out)) == 0
    assert (out.value or 0) == (da.ones(1, da.float32).queue.handle if device.driver == "cuda" else 0)


class Table:
    """Another library's table: an object's tensor is that of the array in it, changed by `change`."""

    def __init__(self, change=lambda managed: None):
        own = exchange_api()
        taken = dict(ExchangeApi._fields_)["from_object"]

        def from_object(x, out):
            if x.array is None:
                return -1
            status = own.from_object(x.array, out)
            change(Versioned.from_address(out[0]))
            return status

        self.kept = taken(from_object)
        self.api = ExchangeApi(1, 3, None, own.allocate, self.kept, own.to_object, None, own.current_stream)
        self.capsule = _new_capsule(ctypes.addressof(self.api), NAME, None)


NAME = b"dlpack_exchange_api"
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def foreign(table, array, capsule=None):
    class Foreign:
        __dlpack_c_exchange_api__ = table.capsule if capsule is None else capsule
        asked, kept = 0, table

        def __init__(self):
            self.array = array

        def __dlpack_device__(self):
            return array.__dlpack_device__()

        def __dlpack__(self, **keywords):
            type(self).asked += 1
            return array.__dlpack__(**keywords)

    return Foreign()


def in_place(x: da.Array) -> bool:
    """Whether libraries get the array's own memory without Python's policy."""
    kind = x.__dlpack_device__()[0]
    return kind == CUDA or (kind == CPU and _core.memory_traits(x)[1])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex128"])
def test_arrays_of_libraries_with_a_table(device: da.Device, dtype: str) -> None:
    x = da.asarray(values(dtype, (4, 6)))[1:, ::2]
    y = foreign(Table(), x)
    ours = da.from_dlpack(y)
    same(ours, host(x))
    if not in_place(x):
        return
    assert (ours.strides, ours.device, y.asked) == (x.strides, x.device, 0)
    x[0, 0] = x[2, 2]
    assert np.array_equal(host(ours), host(x), equal_nan=True), "the memory is shared"
    del x, y
    assert ours.size == 9


def test_a_table_is_not_asked_for_more_than_memory(device: da.Device) -> None:
    x = da.arange(5)
    for keywords in ({"copy": True}, {"device": device}):
        y = foreign(Table(), x)
        same(da.from_dlpack(y, **keywords), np.arange(5))
        assert y.asked == 1
    assert da.from_dlpack(foreign(Table(), da.empty((0, 3)))).shape == (0, 3)


@pytest.mark.parametrize("name", ["is_conj", "is_neg"])
def test_elements_that_memory_does_not_hold_are_refused(device: da.Device, name: str) -> None:
    y = foreign(Table(), da.arange(5))
    for says in (False, True):
        setattr(y, name, lambda says=says: says)
        for keywords in ({}, {"copy": True}, {"device": device}):
            if says:
                with pytest.raises(BufferError, match=name):
                    da.from_dlpack(y, **keywords)
            else:
                same(da.from_dlpack(y, **keywords), np.arange(5))


@pytest.mark.parametrize("follows", [True, False])
def test_a_table_is_not_asked_for_what_gradients_follow(device: da.Device, follows: bool) -> None:
    y, usual = foreign(Table(), da.arange(5)), foreign(Table(), da.arange(5))
    y.requires_grad = follows
    for x in (y, usual):
        same(da.from_dlpack(x), np.arange(5))
    assert y.asked == (1 if follows else usual.asked)


def test_what_a_table_refuses_is_asked_for_again(device: da.Device) -> None:
    x = da.arange(5)
    y = foreign(Table(), x)
    y.array = None
    same(da.from_dlpack(y), np.arange(5))
    assert y.asked == 1
    newer = Table()
    newer.api.major = 2
    y = foreign(newer, x)
    same(da.from_dlpack(y), np.arange(5))
    assert y.asked == 1
    for capsule in (None, 5, _new_capsule(1, b"another", None)):
        y = foreign(Table(), x, capsule or "none")
        same(da.from_dlpack(y), np.arange(5))
        assert y.asked == 1


def test_tensors_of_a_table_that_are_read_only_or_no_arrays(device: da.Device) -> None:
    if not in_place(da.empty(1)):
        pytest.skip("memory of another device")

    def read_only(managed):
        managed.flags |= 1

    with pytest.raises(ValueError, match="read-only"):
        da.from_dlpack(foreign(Table(read_only), da.arange(5)))[0] = 1

    def far(managed):
        managed.tensor.byte_offset = 2**63

    with pytest.raises(ValueError, match="byte_offset"):
        da.from_dlpack(foreign(Table(far), da.arange(5)))

    def bits(managed):
        managed.tensor.bits = 24

    assert da.from_dlpack(foreign(Table(bits), da.arange(5))).dtype == np.int64  # by __dlpack__


# --- CUDA --------------------------------------------------------------------------------------------------------


def test_the_cuda_interface_is_of_cuda_arrays(device: da.Device) -> None:
    x = da.arange(6, dtype=da.int32)
    if device.driver != "cuda":
        assert not hasattr(x, "__cuda_array_interface__")
        return
    seen = x[::2].__cuda_array_interface__
    assert (seen["shape"], seen["typestr"], seen["strides"], seen["version"]) == ((3,), "<i4", (8,), 3)
    assert seen["data"] == (address_of(x), False)
    x.queue.finish()
    assert x.__cuda_array_interface__["stream"] is None  # nothing is under way
    other = da.queue()
    assert da.ones(3, queue=other).__cuda_array_interface__["stream"] == other.handle


def test_streams_of_cuda(cuda: da.Device) -> None:
    x, other = da.ones(5), da.queue()
    for stream in (None, 1, 2, -1, x.queue.handle, other.handle):
        assert opened(x.__dlpack__(stream=stream))[1].tensor.data == address_of(x)
    for wrong in (0, -2, "1"):
        with pytest.raises(ValueError, match="stream"):
            x.__dlpack__(stream=wrong)


def test_kinds_of_cuda_memory(cuda: da.Device, memory_kind: str) -> None:
    x = da.arange(6)
    number = {"device": CUDA, "managed": CUDA_MANAGED, "pinned": CUDA_HOST}[memory_kind]
    assert x.__dlpack_device__() == (number, cuda.index if number == CUDA else 0)
    if memory_kind != "device":
        view = np.from_dlpack(x)
        x += 1
        da.synchronize()
        same(view, np.arange(1, 7))
    _, managed = opened(x.__dlpack__(dl_device=(CUDA, cuda.index), copy=False))
    assert managed.tensor.device_type == CUDA


@pytest.mark.parametrize("dtype", ["bool", "int64", "float16", "float32", "complex64"])
def test_cupy_both_ways(cuda: da.Device, dtype: str) -> None:
    cupy = pytest.importorskip("cupy")
    wanted = values(dtype, (5, 6))
    x = da.asarray(wanted)
    theirs = cupy.from_dlpack(x.T[1:])
    same(cupy.asnumpy(theirs), wanted.T[1:])
    theirs[0] = theirs[1]
    cupy.cuda.Stream.null.synchronize()
    assert np.array_equal(host(x).T[1], wanted.T[2], equal_nan=True)
    ours = da.from_dlpack(cupy.asarray(wanted)[::2, ::-1])
    same(ours, wanted[::2, ::-1])
    same(cupy.asnumpy(cupy.asarray(da.asarray(wanted))), wanted)  # by the CUDA array interface
    same(da.asarray(cupy.asarray(wanted)[::-1]), wanted[::-1])


def test_cupys_stream_is_ordered(cuda: da.Device) -> None:
    cupy = pytest.importorskip("cupy")
    n = 1 << 22
    for stream in (cupy.cuda.Stream(), cupy.cuda.Stream(non_blocking=True)):
        with stream:
            for round_ in range(5):
                x = da.full(n, round_, da.float32)
                for _ in range(10):
                    x = da.sqrt(x * x)
                theirs = cupy.from_dlpack(x)
                total = theirs.sum()
                ours = da.from_dlpack(theirs * 2) + 1
                assert float(total) == round_ * float(n)
                assert float(ours[-1]) == 2.0 * round_ + 1
                stream.synchronize()


@pytest.mark.parametrize("dtype", ["bool", "int64", "float16", "float32", "complex64"])
def test_torch_on_the_host(cpu: da.Device, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    wanted = values(dtype, (5, 6))
    x = da.asarray(wanted)
    theirs = torch.from_dlpack(x.T[1:])
    same(theirs.numpy(), wanted.T[1:])
    theirs[0] = theirs[1]
    assert np.array_equal(host(x).T[1], wanted.T[2], equal_nan=True)
    same(da.from_dlpack(torch.from_numpy(wanted).T), wanted.T)


def test_what_torch_has_not_computed_is_refused(cpu: da.Device) -> None:
    torch = pytest.importorskip("torch")
    conjugate = torch.tensor([1j, 2 + 3j]).conj()
    for lazy in (conjugate, conjugate.imag, torch.ones(3, requires_grad=True)):
        with pytest.raises(BufferError):
            da.from_dlpack(lazy)
        computed = lazy.detach().resolve_conj().resolve_neg()
        same(da.from_dlpack(computed), computed.numpy())


@pytest.mark.parametrize("dtype", ["bool", "int64", "float16", "float32", "complex64"])
def test_torch_on_cuda(cuda: da.Device, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    wanted = values(dtype, (5, 6))
    x = da.asarray(wanted)
    theirs = torch.from_dlpack(x.T[1:])
    same(theirs.cpu().numpy(), wanted.T[1:])
    theirs[0] = theirs[1]
    torch.cuda.synchronize()
    assert np.array_equal(host(x).T[1], wanted.T[2], equal_nan=True)
    there = torch.from_numpy(wanted).to("cuda")
    same(da.from_dlpack(there.T), wanted.T)
    same(da.asarray(there), wanted)  # by the CUDA array interface
    same(torch.as_tensor(da.asarray(wanted), device="cuda").cpu().numpy(), wanted)
