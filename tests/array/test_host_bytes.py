"""What hands an array's memory or bytes to host code: ctypes, the buffer protocol, bytes()."""

from __future__ import annotations

import ctypes
import hashlib
import io
import zlib
from typing import Any

import numpy as np
import pytest
from oracle import skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
H = np.arange(6.0, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def seen(device: da.Device) -> Any:
    """An array in memory that the host sees."""
    kinds = [kind for kind in ("svm_fine", "managed", "pinned") if kind in device.memory_kinds]
    if not kinds:
        pytest.skip("the host sees no memory of this device")
    return da.to_device(H, allocator=da.alloc.DeviceMemoryResource(device, kinds[0]))


def test_ctypes_gives_the_memory_itself(seen: da.Array) -> None:
    x = seen + 0
    x *= 2  # pending: what C code gets is finished
    pointer = x.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
    assert [pointer[i] for i in range(6)] == (H * 2).ravel().tolist()
    pointer[4] = 7
    assert (x + 1).tolist() == [[1, 3, 5], [7, 8, 11]]


def test_addresses_are_of_cuda(device: da.Device) -> None:
    if device.driver == "cuda":
        pytest.skip("addresses stand for memory here")
    for queue in (None, da.queue()):
        with pytest.raises(da.DeviceError, match="an address stands for memory on CUDA devices only"):
            da.Array(H.ctypes.data, (3,), "f4", queue=queue, owner=H)


def test_ctypes_has_shape_and_strides_as_numpys(seen: da.Array) -> None:
    mine, numpys = seen.T.ctypes, H.T.ctypes
    assert list(mine.shape) == list(numpys.shape)
    assert list(mine.strides) == list(numpys.strides)


def test_ctypes_where_the_host_sees_nothing(device: da.Device) -> None:
    hidden = [kind for kind in ("buffer", "device") if kind in device.memory_kinds]
    skip_without(bool(hidden), "the host sees all memory of this device")
    x = da.zeros(3, allocator=da.alloc.DeviceMemoryResource(device, hidden[0]))
    with pytest.raises(da.errors.DeviceError, match=r"ctypes: the host does not see.*copy_to_host"):
        _ = x.ctypes
    assert not hasattr(x, "ctypes")


def test_readers_of_bytes_get_a_copy_where_the_fallback_allows_it() -> None:
    x = da.to_device(H).T + 0
    wanted = H.T.tobytes()
    with da.use(fallback="allow"):
        file = io.BytesIO()
        assert file.write(x) == x.nbytes
        assert file.getvalue() == wanted
        assert hashlib.sha256(x).digest() == hashlib.sha256(wanted).digest()
        assert zlib.decompress(zlib.compress(x)) == wanted
        host = np.frombuffer(x, np.float32)
        assert host.tolist() == np.frombuffer(wanted, np.float32).tolist()
        x += 1
        assert host.tolist() == np.frombuffer(wanted, np.float32).tolist()


@pytest.mark.parametrize("fallback", ["raise", "warn"])
def test_readers_of_bytes_are_refused_elsewhere(fallback: str) -> None:
    x = da.to_device(H)
    with da.use(fallback=fallback), pytest.raises(BufferError, match=r"x\.tobytes\(\) or x\.copy_to_host\(\)"):
        hashlib.sha256(x)


@pytest.mark.parametrize("fallback", ["raise", "allow"])
@pytest.mark.parametrize("ask", [memoryview, bytearray])
def test_nobody_gets_a_view_by_the_buffer_protocol(fallback: str, ask: Any) -> None:
    with da.use(fallback=fallback), pytest.raises(BufferError, match="as_host_view"):
        ask(da.to_device(H))


def test_numpy_asks_for_values_as_before() -> None:
    x = da.to_device(H)
    with da.use(fallback="raise"), pytest.raises(TypeError, match="copy_to_host"):
        np.asarray(x)
    with da.use(fallback="allow"):
        host = np.asarray(x)
        assert (host == H).all()
        assert host.flags.writeable
        x += 1
        assert (host == H).all()  # a copy, as before


def test_writers_are_refused() -> None:
    x = da.zeros(4, da.uint8)
    with da.use(fallback="allow"), pytest.raises(TypeError):
        io.BytesIO(b"1234").readinto(x)
    assert x.tolist() == [0] * 4
