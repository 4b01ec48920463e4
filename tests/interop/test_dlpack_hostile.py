"""DLPack tensors and CUDA interfaces whose fields make no array: an error that says so, and the deleter is called."""

from __future__ import annotations

import ctypes
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from capsules import CODES, CPU, Tensor, Versioned, get_pointer, opened
from hypothesis import given
from oracle import same

import devarray as da
from devarray import errors

MOST = 2**63 - 1
Change = Callable[[Any], None]


class Given:
    """A producer of one capsule."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return CPU, 0

    def __dlpack__(self, **_: Any) -> Any:
        return self.capsule


@pytest.fixture
def cpu(device: da.Device) -> da.Device:
    if device.type != "cpu":
        pytest.skip("not a CPU device")
    return device


def numbers(*values: int) -> Any:
    return (ctypes.c_int64 * len(values))(*values)


def changed(change: Change, version: tuple[int, int] | None = (1, 0)) -> Given:
    """NumPy's capsule of six numbers, its fields changed."""
    capsule = np.arange(6.0).__dlpack__(max_version=version)
    _, managed = opened(capsule)
    change(managed.tensor)
    return Given(capsule)


def set_fields(**fields: Any) -> Change:
    def change(tensor: Any) -> None:
        for name, value in fields.items():
            setattr(tensor, name, value)

    return change


# Pointers to temporaries: kept here as long as the module.
SHAPES = {n: numbers(*n) for n in [(2**61,), (2**62, 4), (-1,), (-(2**63),), (0, 2**62, 4), (2,), (3,), (2**31, 2**32)]}
STRIDES = {n: numbers(*n) for n in [(2**62,), (-(2**63),), (2**60,), (-(2**59),), (2**58, 2**58)]}

HOSTILE: dict[str, tuple[Change, str]] = {
    "no dimensions' number": (set_fields(ndim=-1), "-1 dimensions"),
    "the least number of dimensions": (set_fields(ndim=-(2**31)), "dimensions"),
    "too many dimensions": (set_fields(ndim=65), "65 dimensions"),
    "millions of dimensions": (set_fields(ndim=2**31 - 1), "dimensions"),
    "no shape": (set_fields(shape=None), "no shape"),
    "a negative size": (set_fields(shape=SHAPES[-1,]), "negative"),
    "the least size": (set_fields(shape=SHAPES[-(2**63),]), "negative"),
    "2**64 bytes": (set_fields(shape=SHAPES[2**61,], strides=None), "too large"),
    "2**64 bytes with strides": (set_fields(shape=SHAPES[2**61,]), "too large"),
    "2**64 elements": (set_fields(ndim=2, shape=SHAPES[2**62, 4], strides=None), "too large"),
    "2**66 bytes": (set_fields(ndim=2, shape=SHAPES[2**31, 2**32], strides=None), "too large"),
    "a size of 0 beside others": (set_fields(ndim=3, shape=SHAPES[0, 2**62, 4], strides=None), "too large"),
    "strides of 2**65 bytes": (set_fields(shape=SHAPES[2,], strides=STRIDES[2**62,]), "too far"),
    "strides of -2**66 bytes": (set_fields(shape=SHAPES[2,], strides=STRIDES[-(2**63),]), "too far"),
    "strides that add up to 2**64": (set_fields(shape=SHAPES[3,], strides=STRIDES[2**60,]), r"too far|64 bits"),
    "strides before address 0": (set_fields(shape=SHAPES[2,], strides=STRIDES[-(2**59),]), "address space"),
    "a byte_offset of 2**64 - 8": (set_fields(byte_offset=2**64 - 8), "byte_offset"),
    "a byte_offset of 2**63": (set_fields(byte_offset=2**63), "byte_offset"),
    "the last address": (set_fields(data=2**64 - 16), "address space"),
    "no data": (set_fields(data=None), "no data"),
}  # fmt: skip


REVERSED = {width: numbers((2**64 - width) // width) for width in (2, 4, 8, 16)}


@pytest.mark.parametrize("dtype", ["float16", "int32", "float64", "complex128"])
def test_negative_strides_divided_as_if_they_had_no_sign(cpu: da.Device, dtype: str) -> None:
    """As CuPy 14 exports them: -8 bytes of float64 arrive as 2**61 - 1 elements."""
    wanted = np.arange(6).astype(dtype)
    capsule = wanted.__dlpack__(max_version=(1, 0))
    _, managed = opened(capsule)
    managed.tensor.strides = REVERSED[wanted.itemsize]
    managed.tensor.byte_offset = 5 * wanted.itemsize
    same(da.from_dlpack(Given(capsule)), wanted[::-1])


@pytest.mark.parametrize("version", [(1, 0), None])
@pytest.mark.parametrize("case", HOSTILE)
def test_fields_that_make_no_array(cpu: da.Device, case: str, version: tuple[int, int] | None) -> None:
    change, message = HOSTILE[case]
    for copy in (None, True, False):
        with pytest.raises(ValueError, match=message) as caught:
            da.from_dlpack(changed(change, version), copy=copy)
        assert isinstance(caught.value, da.Error)


edges = st.builds(
    lambda p, by: p + by, st.sampled_from([0, 2**31, 2**32, 2**59, 2**60, 2**61, 2**62, 2**63]), st.integers(-3, 3)
)
wild = st.one_of(edges, edges.map(lambda n: -n)).filter(lambda n: -(2**63) <= n <= MOST)


@given(
    shape=st.lists(wild, min_size=1, max_size=3), strides=st.lists(wild, min_size=3, max_size=3),
    dense=st.booleans(), offset=st.one_of(st.just(0), wild.map(abs)),
)  # fmt: skip
def test_fields_at_the_edges(cpu: da.Device, shape: list[int], strides: list[int], dense: bool, offset: int) -> None:
    """What Python's integers find inside of the 48 bytes is read; what 64 bits cannot count is refused."""
    strides = strides[: len(shape)]
    steps = [8 * math.prod(shape[i + 1 :]) for i in range(len(shape))] if dense else [8 * s for s in strides]
    reach = [(n - 1) * step for n, step in zip(shape, steps, strict=True)]
    low, high = offset + sum(r for r in reach if r < 0), offset + sum(r for r in reach if r > 0) + 8
    foreign = (low < 0 or high > 48) and low > -(2**47)  # addresses that there are: nobody knows whose
    if all(n > 0 for n in shape) and (foreign or 2**20 < math.prod(shape) * 8 <= MOST):
        return
    keep = numbers(*shape), numbers(*strides)
    change = set_fields(ndim=len(shape), shape=keep[0], strides=None if dense else keep[1], byte_offset=offset)
    try:
        x = da.from_dlpack(changed(change), copy=True)
    except ValueError as error:
        assert isinstance(error, da.Error)
        return
    if x.size:
        flat = np.arange(6.0)
        wanted = [flat[(offset + sum(map(math.prod, zip(i, steps, strict=True)))) // 8] for i in np.ndindex(*shape)]
        assert offset % 8 or x.copy_to_host().ravel().tolist() == wanted
    assert x.shape == tuple(shape)


def test_a_refused_tensor_is_given_back(cpu: da.Device) -> None:
    called = []
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(called.append)
    capsule = np.arange(6.0).__dlpack__(max_version=(1, 0))
    _, managed = opened(capsule)
    theirs = managed.deleter
    managed.deleter = ctypes.cast(deleter, ctypes.c_void_p).value
    managed.tensor.ndim = -1
    with pytest.raises(errors.ValueError, match="-1 dimensions"):
        da.from_dlpack(Given(capsule))
    assert called == [ctypes.addressof(managed)]
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(theirs)(ctypes.addressof(managed))


# --- the table of C functions -----------------------------------------------------------------------------------------


class Api(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p), ("from_object", ctypes.c_void_p), ("to_object", ctypes.c_void_p),
        ("borrow", ctypes.c_void_p), ("stream", ctypes.c_void_p),
    ]  # fmt: skip


SetError = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
OUT = ctypes.POINTER(ctypes.c_void_p)


@pytest.fixture
def api(cpu: da.Device) -> Any:
    return Api.from_address(get_pointer(da.Array.__dlpack_c_exchange_api__, b"dlpack_exchange_api"))


def prototype(**fields: Any) -> Any:
    tensor = Tensor(device_type=CPU, ndim=1, code=CODES["f"], bits=64, lanes=1, shape=SHAPES[3,])
    set_fields(**fields)(tensor)
    return tensor


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"ndim": -1}, b"-1 dimensions"), ({"ndim": 2**31 - 1}, b"dimensions"), ({"shape": None}, b"no shape"),
        ({"shape": SHAPES[2**61,]}, b"too large"), ({"shape": SHAPES[-1,]}, b"negative"), ({"bits": 7}, b"dtype"),
        ({"device_type": 99}, b"no memory"),
    ],
)  # fmt: skip
def test_the_allocator_of_the_table(api: Any, fields: dict[str, Any], message: bytes) -> None:
    said: list[bytes] = []
    allocate = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Tensor), OUT, ctypes.c_void_p, SetError)(api.allocate)
    out = ctypes.c_void_p()
    set_error = SetError(lambda _, kind, text: said.extend((kind, text)))
    assert allocate(ctypes.byref(prototype(**fields)), ctypes.byref(out), None, set_error) == -1
    assert said[0].endswith(b"Error") and message in said[1]
    assert out.value is None
    assert allocate(ctypes.byref(prototype(**fields)), ctypes.byref(out), None, SetError()) == -1, "nobody asks why"
    assert allocate(ctypes.byref(prototype()), ctypes.byref(out), None, set_error) == 0
    made = Versioned.from_address(out.value)
    assert [made.tensor.shape[i] for i in range(made.tensor.ndim)] == [3]
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(made.deleter)(out.value)


def test_the_imports_of_the_table(api: Any) -> None:
    to_object = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.py_object))(api.to_object)
    from_object = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, OUT)(api.from_object)
    out = ctypes.py_object()
    hostile = Versioned(1, 3, None, None, 0, prototype(ndim=-1, data=64))
    with pytest.raises(errors.ValueError, match="-1 dimensions"):
        to_object(ctypes.addressof(hostile), ctypes.byref(out))
    with pytest.raises(ValueError):
        to_object(None, ctypes.byref(out))
    with pytest.raises((TypeError, AttributeError)):
        from_object(3, ctypes.byref(ctypes.c_void_p()))


# --- the CUDA array interface -----------------------------------------------------------------------------------------


def test_interfaces_that_make_no_array(device: da.Device) -> None:
    if device.driver != "cuda":
        pytest.skip("not a CUDA device")
    real = da.arange(6.0).evaluate()
    plain = real.__cuda_array_interface__

    class Theirs:
        def __init__(self, **fields: Any) -> None:
            self.__cuda_array_interface__ = {**plain, **fields}

    for fields, message in [
        ({"shape": (2**61,)}, "too large"), ({"shape": (2**70,)}, "64 bits"), ({"shape": (-1,)}, "negative"),
        ({"shape": (2,), "strides": (-(2**63),)}, "64 bits|address"), ({"shape": (3,), "strides": (2**62,)}, "64 bits"),
        ({"data": (2**64, False)}, "64 bits"), ({"data": (-8, False)}, "address"), ({"data": (0, False)}, "no data"),
        ({"data": (plain["data"][0] + 4, False), "shape": (2,)}, "multiples of 8"),
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=message):
            da.asarray(Theirs(**fields))
    same(da.asarray(Theirs(shape=(3,), strides=(16,))), np.arange(0.0, 6, 2))


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_consumer_that_calls_the_deleter_and_leaves_the_capsules_name(
    device: da.Device, version: tuple[int, int] | None
) -> None:
    program = f"""
import ctypes, gc, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from capsules import opened
import devarray as da
memory = da.alloc.TrackingResourceAdaptor(da.alloc.DeviceMemoryResource(da.device()))
held = lambda: len(memory.get_outstanding_allocations())
x = da.empty(100, allocator=memory)
capsule = x.__dlpack__(max_version={version})
del x
gc.collect()
alive = held()  # none where a capsule holds a copy that the host sees
del capsule
for _ in range(50):
    x = da.empty(100, allocator=memory)
    capsule = x.__dlpack__(max_version={version})
    managed = opened(capsule)[1]
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(ctypes.addressof(managed))
    second = x.__dlpack__(max_version={version})  # may well lie where the first tensor lay
    del x, capsule, managed
    gc.collect()
    assert held() == alive, held()  # the second capsule's
    del second
    assert held() == 0, held()
print("done")
"""
    result = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("given", ["1.0", (1,), (), 1, (1.5, 2), (1, 0, 0), ("a", "b"), {}])
@pytest.mark.parametrize("name", ["max_version", "dl_device"])
def test_versions_and_devices_are_pairs_of_integers(device: da.Device, name: str, given: object) -> None:
    with pytest.raises(da.DTypeError, match=f"__dlpack__: {name} is a pair "):
        da.ones(3).__dlpack__(**{name: given})
