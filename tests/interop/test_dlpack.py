"""DLPack 1.3: memory shared with NumPy, the capsules, and what is asked for."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from capsules import (
    CODES,
    CPU,
    CUDA_HOST,
    CUDA_MANAGED,
    OldProducer,
    Producer,
    consume,
    opened,
)
from oracle import DTYPES, host, same, values

import devarray as da


def address_of(x: da.Array) -> int:
    memory, offset = x.base_data, x.offset
    return memory.handle + offset


# --- to NumPy and back -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_sees_the_memory_itself(cpu: da.Device, dtype: str) -> None:
    wanted = values(dtype, (4, 5))
    x = da.asarray(wanted)
    view = np.from_dlpack(x)
    same(view, wanted)
    x[1:3] = x[0]
    da.synchronize()
    same(view, host(x))
    view[3] = view[2]
    same(x, view)


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpys_memory_is_used_in_place(cpu: da.Device, dtype: str) -> None:
    theirs = values(dtype, (4, 5))
    wanted = theirs.copy()
    x = da.from_dlpack(theirs)
    same(x, wanted)
    x[0] = x[2]
    da.synchronize()
    wanted[0] = wanted[2]
    same(theirs, wanted)
    theirs[1] = theirs[3]
    same(x, theirs)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "transposed": lambda x: x.T,
    "steps": lambda x: x[1::2, ::3],
    "backwards": lambda x: x[::-1, ::-2],
    "part": lambda x: x[2:5, 3:4],
    "repeated": lambda x: x[:1, :][[0], None, :] if isinstance(x, np.ndarray) else x[:1, None, :],
    "point": lambda x: x[2, 3],
    "none": lambda x: x[3:3],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_both_ways(cpu: da.Device, layout: str) -> None:
    theirs = values("float32", (6, 7))
    take = LAYOUTS[layout]
    wanted = take(theirs)
    same(np.from_dlpack(take(da.asarray(theirs))), wanted)
    same(da.from_dlpack(np.asarray(wanted)), wanted)
    assert da.from_dlpack(np.asarray(wanted)).strides == np.asarray(wanted).strides or wanted.size == 0


def test_parts_of_complex_numbers(cpu: da.Device) -> None:
    z = values("complex64", 9)
    same(np.from_dlpack(da.asarray(z).imag), z.imag)
    x = da.from_dlpack(z.imag)
    same(x, z.imag)


def test_work_on_imported_memory_is_not_deferred(cpu: da.Device, deferred: None) -> None:
    theirs = np.arange(8.0)
    x = da.from_dlpack(theirs)
    y = x * x
    assert not y.pending
    x += 1
    assert not x.pending
    da.synchronize()
    same(theirs, np.arange(1.0, 9.0))
    same(y, np.arange(8.0) ** 2)


def test_every_kind_of_memory_reaches_numpy(device: da.Device, memory_kind: str) -> None:
    wanted = values("float64" if device.caps["fp64"] else "float32", (3, 4))
    x = da.asarray(wanted)
    capsule = x[1:].__dlpack__(dl_device=(CPU, 0), max_version=(1, 3))
    _, managed = opened(capsule)
    assert managed.tensor.device_type == CPU
    del capsule
    assert np.array_equal(np.from_dlpack(Producer(x, dl_device=(CPU, 0)), device="cpu"), wanted, equal_nan=True) or (
        x.__dlpack_device__()[0] not in (CPU, CUDA_HOST, CUDA_MANAGED)
    )


# --- the capsules ------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("shared")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("version", [None, (0, 8), (1, 0), (1, 3), (2, 0)])
def test_what_a_capsule_holds(device: da.Device, dtype: str, version: tuple[int, int] | None) -> None:
    if dtype in ("float64", "complex128") and not device.caps["fp64"]:
        pytest.skip("the device has no float64")
    x = da.asarray(values(dtype, (6, 4)))[4::-2, 1:]
    name, managed = opened(x.__dlpack__(max_version=version))
    tensor = managed.tensor
    modern = version is not None and version[0] >= 1
    assert name == ("dltensor_versioned" if modern else "dltensor")
    if modern:
        assert (managed.major, managed.minor) == (1, 3)
    assert (tensor.device_type, tensor.device_id) == x.__dlpack_device__()
    assert (tensor.code, tensor.bits, tensor.lanes) == (CODES[x.dtype.kind], x.itemsize * 8, 1)
    assert tensor.ndim == 2
    assert tensor.shape[:2] == [3, 3]
    assert tensor.strides[:2] == [-8, 1]


def test_without_elements_the_address_is_null_and_strides_are_not(device: da.Device) -> None:
    _, managed = opened(da.empty((3, 0), da.float32).__dlpack__(max_version=(1, 3)))
    assert managed.tensor.data is None
    assert managed.tensor.shape[:2] == [3, 0]
    assert bool(managed.tensor.strides)


def test_flags_of_copies_and_of_read_only_memory(cpu: da.Device) -> None:
    x = da.arange(5)
    assert opened(x.__dlpack__(max_version=(1, 0)))[1].flags == 0
    assert opened(x.__dlpack__(max_version=(1, 0), copy=True))[1].flags == 2
    theirs = np.arange(5)
    theirs.flags.writeable = False
    y = da.from_dlpack(theirs)
    with pytest.raises(ValueError, match="read-only"):
        y[0] = 1
    assert opened(y.__dlpack__(max_version=(1, 0)))[1].flags == 1
    assert not np.from_dlpack(y).flags.writeable
    with pytest.raises(BufferError, match=r"max_version=\(1, 0\)"):
        y.__dlpack__()


def test_a_capsule_that_nobody_consumes_lets_go(shared: da.alloc.MemoryResource) -> None:
    for version in (None, (1, 0)):
        x = da.ones(1000, da.float32)
        capsule = x.__dlpack__(max_version=version)
        del x
        assert shared.active_blocks == 1
        del capsule
        assert shared.active_blocks == 0


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_the_deleter_lets_go_from_any_thread(shared: da.alloc.MemoryResource, version: tuple[int, int] | None) -> None:
    release = consume(da.ones(1000, da.float32).__dlpack__(max_version=version))
    assert shared.active_blocks == 1
    thread = threading.Thread(target=release)
    thread.start()
    thread.join()
    assert shared.active_blocks == 0


def test_a_capsule_is_consumed_once(cpu: da.Device) -> None:
    class Same:
        def __init__(self) -> None:
            self.capsule = np.arange(3).__dlpack__()

        def __dlpack_device__(self) -> tuple[int, int]:
            return CPU, 0

        def __dlpack__(self, **kwargs: Any) -> Any:
            return self.capsule

    producer = Same()
    same(da.from_dlpack(producer), np.arange(3))
    with pytest.raises(da.errors.ValueError, match="consumed"):
        da.from_dlpack(producer)


def test_the_owner_lives_as_long_as_the_last_array(cpu: da.Device) -> None:
    theirs = np.arange(1000.0)
    alive = weakref.ref(theirs)
    x = da.from_dlpack(theirs)
    part = x[::2]
    del theirs, x
    gc.collect()
    assert alive() is not None
    same(part + 1, np.arange(0, 1000.0, 2) + 1)
    da.synchronize()
    del part
    gc.collect()
    assert alive() is None


def test_imported_memory_outlives_the_work_on_it(cpu: da.Device) -> None:
    results = []
    for seed in range(20):
        theirs = np.full(100_000, float(seed))
        results.append(da.from_dlpack(theirs) * 2)
        theirs = None
    gc.collect()
    assert [float(r[-1]) for r in results] == [2.0 * seed for seed in range(20)]


def test_at_the_interpreters_end_nothing_is_called(cpu: da.Device) -> None:
    program = (
        "import devarray as da, numpy as np\n"
        "x = da.arange(10.0); y = np.from_dlpack(x); h = np.ones(5); z = da.from_dlpack(h)\n"
        "capsule = (x + 1).__dlpack__(); import builtins; builtins.kept = [capsule, y, z]\n"
        "print(float(y[3] + z[0]))\n"
    )
    result = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout.strip(), result.stderr) == (0, "4.0", "")


# --- what is asked for -------------------------------------------------------------------------------------------


def test_copy_on_export(cpu: da.Device) -> None:
    x = da.arange(6)
    view, fresh = np.from_dlpack(x, copy=False), np.from_dlpack(x, copy=True)
    x += 1
    da.synchronize()
    same(view, np.arange(1, 7))
    same(fresh, np.arange(6))


def test_copy_on_import(cpu: da.Device) -> None:
    theirs = np.arange(6)
    view, fresh = da.from_dlpack(theirs, copy=False), da.from_dlpack(theirs, copy=True)
    theirs += 1
    same(view, np.arange(1, 7))
    same(fresh, np.arange(6))


def test_no_copy_where_one_is_needed_is_an_error(device: da.Device, memory_kind: str) -> None:
    x = da.arange(6, dtype=da.int32)
    if x.__dlpack_device__() == (CPU, 0) and memory_kind == "svm_fine":
        pytest.skip("the host reads this memory in place")
    if memory_kind in ("managed", "pinned"):
        pytest.skip("the host reads this memory in place")
    with pytest.raises(BufferError, match=f"{memory_kind} memory.*copy=False"):
        x.__dlpack__(dl_device=(CPU, 0), copy=False)


def test_memory_between_elements_needs_a_copy(cpu: da.Device) -> None:
    records = np.zeros(5, dtype=[("a", "f4"), ("b", "c8")])
    records["b"] = range(5)
    with pytest.raises(BufferError):
        records["b"].__dlpack__()  # NumPy refuses as well
    odd = da.device_array((5,), np.complex64, strides=(12,))
    odd[...] = da.asarray(np.arange(5, dtype=np.complex64))
    with pytest.raises(BufferError, match="no whole elements"):
        odd.__dlpack__(copy=False)
    same(np.from_dlpack(odd), np.arange(5, dtype=np.complex64))
    with pytest.raises(ValueError, match="multiples of 4 bytes"):
        da.device_array((5,), np.float32, strides=(5,))


def test_misaligned_host_memory_is_copied(cpu: da.Device) -> None:
    raw = np.zeros(41, np.uint8)
    theirs = raw[1:].view(np.float64)
    theirs[:] = range(5)
    same(da.from_dlpack(theirs), np.arange(5.0))
    with pytest.raises(BufferError, match="copy=False"):
        da.from_dlpack(theirs, copy=False)


def test_the_wish_for_a_device(device: da.Device) -> None:
    theirs = values("float32", 7)
    for there in da.devices():
        x = da.from_dlpack(theirs, device=there)
        assert x.device is there
        same(x, theirs)
        y = da.from_dlpack(Producer(da.asarray(theirs)), device=there)
        assert y.device is there
        same(y, theirs)
        if there is not device:
            with pytest.raises(ValueError, match="copy=False"):
                da.from_dlpack(da.asarray(theirs), device=there, copy=False)


def test_of_an_own_array(device: da.Device) -> None:
    x = da.arange(5)
    assert da.from_dlpack(x, copy=True).copy_to_host().tolist() == [0, 1, 2, 3, 4]
    view = da.from_dlpack(x)
    x += 1
    same(view, np.arange(1, 6))


def test_own_arrays_through_capsules(device: da.Device, memory_kind: str) -> None:
    theirs = values("float32", (4, 5))
    x = da.asarray(theirs)
    y = da.from_dlpack(Producer(x))
    same(y, theirs)
    same(y.T[1:] + 1, theirs.T[1:] + 1)
    if x.__dlpack_device__()[0] != CPU or memory_kind == "svm_fine":
        y[0] = 7
        same(x, host(y))


def test_producers_before_version_one(cpu: da.Device) -> None:
    theirs = np.arange(4)
    x = da.from_dlpack(OldProducer(theirs))
    x += 1
    da.synchronize()
    same(theirs, np.arange(1, 5))


def test_what_the_producer_is_asked(cpu: da.Device) -> None:
    producer = Producer(np.arange(4))
    da.from_dlpack(producer)
    assert producer.asked == {"max_version": (1, 3)}
    da.from_dlpack(producer, copy=False)
    assert producer.asked == {"max_version": (1, 3), "copy": False}


def test_streams_where_there_are_none(device: da.Device) -> None:
    if device.driver == "cuda":
        pytest.skip("CUDA has streams")
    with pytest.raises(ValueError, match="no streams"):
        da.ones(3).__dlpack__(stream=1)


def test_objects_without_the_protocol(device: da.Device) -> None:
    with pytest.raises(AttributeError):
        da.from_dlpack([1, 2, 3])


def test_dtypes_that_are_not_ours(cpu: da.Device) -> None:
    capsule = np.arange(4).__dlpack__(max_version=(1, 0))
    opened(capsule)[1].tensor.code = 4  # bfloat16

    class Odd(Producer):
        def __dlpack__(self, **kwargs: Any) -> Any:
            return capsule

    with pytest.raises(BufferError, match=r"\(4, 64, 1\)"):
        da.from_dlpack(Odd(np.arange(4)))


def test_a_later_major_version_is_refused_and_released(cpu: da.Device) -> None:
    theirs = np.arange(4)
    alive = weakref.ref(theirs)
    capsule = theirs.__dlpack__(max_version=(1, 0))
    opened(capsule)[1].major = 2

    class Later(Producer):
        def __dlpack__(self, **kwargs: Any) -> Any:
            return capsule

    with pytest.raises(BufferError, match=r"\(2, "):
        da.from_dlpack(Later(theirs))
    del theirs
    gc.collect()
    assert alive() is None


def test_legacy_strides_may_be_null(cpu: da.Device) -> None:
    theirs = np.arange(6).reshape(2, 3)
    capsule = theirs.__dlpack__()
    opened(capsule)[1].tensor.strides = ctypes.POINTER(ctypes.c_int64)()

    class Compact(Producer):
        def __dlpack__(self, **kwargs: Any) -> Any:
            return capsule

    same(da.from_dlpack(Compact(theirs)), theirs)


def test_byte_offset_is_honoured(cpu: da.Device) -> None:
    theirs = np.arange(6)
    capsule = theirs.__dlpack__()
    tensor = opened(capsule)[1].tensor
    tensor.byte_offset, tensor.shape[0] = 16, 4

    class Offset(Producer):
        def __dlpack__(self, **kwargs: Any) -> Any:
            return capsule

    same(da.from_dlpack(Offset(theirs)), theirs[2:])


def test_an_export_evaluates_pending_readers(cpu: da.Device, deferred: None) -> None:
    x = da.arange(6)
    y = x * 2
    view = np.from_dlpack(x)
    assert not y.pending
    view[:] = 0
    same(y, np.arange(6) * 2)
