"""The behaviour of numba.cuda's device arrays, on whatever device the tests run on."""

import numpy as np
import pytest

import devarray as da


@pytest.fixture(autouse=True)
def on_device(device):
    return device


def test_the_pages_transfers():
    ary = np.arange(10)
    d_ary = da.to_device(ary)
    assert isinstance(d_ary, da.Array)
    hary = d_ary.copy_to_host()
    np.testing.assert_array_equal(hary, ary)
    ary = np.empty(shape=d_ary.shape, dtype=d_ary.dtype)
    assert d_ary.copy_to_host(ary) is ary
    np.testing.assert_array_equal(ary, np.arange(10))
    stream = da.queue()
    d_ary = da.to_device(ary, stream=stream)
    hary = d_ary.copy_to_host(stream=stream)
    stream.finish()
    np.testing.assert_array_equal(hary, ary)
    d_ary = da.to_device(ary, stream=0)  # numba's way to say: no stream
    d_ary.copy_to_device(ary + 1, stream=0)
    np.testing.assert_array_equal(d_ary.copy_to_host(None, 0), ary + 1)


def test_streams_wait_where_a_block_ends():
    stream = da.queue()
    with stream.auto_synchronize() as inside:
        assert inside is stream
        d = da.to_device(np.arange(100000), stream=stream)
        (d * 2).evaluate()
    assert stream.idle
    with pytest.raises(ZeroDivisionError), stream.auto_synchronize():
        raise ZeroDivisionError


def test_device_arrays():
    d = da.device_array((3, 4), np.float32, order="F")
    assert d.shape == (3, 4) and d.dtype == np.float32 and d.is_f_contiguous() and not d.is_c_contiguous()
    assert da.device_array(5, strides=None, stream=0).dtype == np.float64
    like = da.device_array_like(d, stream=0)
    assert like.shape == d.shape and like.dtype == d.dtype


def test_copy_to_device_from_host_and_device():
    d = da.device_array((2, 3), np.int32)
    d.copy_to_device(np.arange(6).reshape(2, 3))
    np.testing.assert_array_equal(d.copy_to_host(), np.arange(6).reshape(2, 3))
    other = da.device_array_like(d)
    other.copy_to_device(d * 2)
    np.testing.assert_array_equal(other.copy_to_host(), 2 * np.arange(6).reshape(2, 3))
    with pytest.raises(ValueError, match="shape"):
        d.copy_to_device(np.zeros(7))


def test_contiguity():
    d = da.to_device(np.zeros((4, 5)))
    assert d.is_c_contiguous() and not d.is_f_contiguous()
    assert d.T.is_f_contiguous() and not d[:, 1:3].is_c_contiguous()
    assert d[0].is_c_contiguous() and d[0].is_f_contiguous()


@pytest.mark.parametrize("order", ["C", "F"])
def test_ravel_and_reshape(order):
    values = np.arange(1000)
    d = da.to_device(values).reshape(20, 50, order=order)
    np.testing.assert_array_equal(d.copy_to_host(), values.reshape(20, 50, order=order))
    np.testing.assert_array_equal(d.ravel(order).copy_to_host(), values)
    np.testing.assert_array_equal(d.ravel(order=order, stream=0).copy_to_host(), values)
    with pytest.raises(ValueError):
        d.reshape(3, 7)


def test_split_into_sections():
    values = np.arange(10)
    parts = da.to_device(values).split(4)
    assert [part.copy_to_host().tolist() for part in parts] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert [len(part) for part in da.to_device(values).split(5, stream=0)] == [5, 5]


def test_pinned_and_mapped_host_memory():
    ary = da.pinned_array((3, 4), np.float32)
    ary[...] = np.arange(12).reshape(3, 4)
    d = da.to_device(ary)
    np.testing.assert_array_equal((d * 2).copy_to_host(), 2 * np.arange(12, dtype=np.float32).reshape(3, 4))
    plain = np.arange(1000.0)
    with da.pinned(plain):
        np.testing.assert_array_equal(da.to_device(plain).copy_to_host(), plain)
    for stream in (None, da.queue()):
        with da.mapped(plain, stream=stream) as on_device:
            assert stream in (None, on_device.queue)
            np.testing.assert_array_equal(on_device.copy_to_host(), plain)


def test_mapped_arrays(device):
    if not {"pinned", "svm_fine"} & set(device.memory_kinds):
        pytest.skip("the device has no memory that the host sees")
    stream = da.queue()
    assert da.mapped_array(10, np.int32, stream=stream).device_array.queue is stream
    mapped = da.mapped_array(10, np.int32)
    assert isinstance(mapped, da.MappedNDArray) and mapped.shape == (10,)
    mapped.copy_to_device(np.arange(10, dtype=np.int32))
    np.testing.assert_array_equal(mapped.copy_to_host(), np.arange(10))
    parts = mapped.split(4)
    assert [len(part) for part in parts] == [4, 4, 2]
    parts[1].device_array += 10
    parts[2].copy_to_device([7, 8])
    da.synchronize()
    assert parts[1].copy_to_host().tolist() == [14, 15, 16, 17]
    assert mapped.tolist() == [0, 1, 2, 3, 14, 15, 16, 17, 7, 8]
    with pytest.raises(ValueError, match="at least 1"):
        mapped.split(0)
    with pytest.raises(ValueError, match="one-dimensional"):
        da.mapped_array((2, 3)).split(2)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("where", [np, da], ids=["host", "device"])
def test_host_memory_like_an_array(device, where, order):
    model = where.zeros((3, 4), dtype=np.float32, order=order)
    made = [da.pinned_array_like(model)]
    if {"pinned", "svm_fine"} & set(device.memory_kinds):
        made += [da.mapped_array_like(model), da.mapped_array_like(model, da.queue())]
        assert isinstance(made[1], da.MappedNDArray) and made[1].device_array.shape == (3, 4)
    for h in made:
        assert isinstance(h, np.ndarray)
        assert (h.shape, h.dtype, h.strides) == (model.shape, model.dtype, model.strides)
        h[...] = np.arange(12).reshape(3, 4)
        np.testing.assert_array_equal(da.to_device(h).copy_to_host(), np.arange(12).reshape(3, 4))
    assert da.pinned_array_like([1, 2]).shape == (2,)
    host = np.zeros((3, 4), np.float32, order=order)
    assert da.pinned_array_like(model[::2, ::2]).strides == np.empty_like(host[::2, ::2]).strides


@pytest.mark.parametrize("where", [np, da], ids=["host", "device"])
@pytest.mark.parametrize(
    "take",
    [
        lambda x: x,
        lambda x: x.transpose(1, 0, 2),
        lambda x: x.transpose(2, 0, 1),
        lambda x: x.T[::2, :, ::-1],
        lambda x: x[:, ::2],
        lambda x: x[:0].transpose(1, 0, 2),
        lambda x: x[0, 0, 0],
    ],
)
def test_arrays_like_one_whose_axes_lie_otherwise(device, where, take):
    """The axes lie in memory in the model's order, as NumPy's like-functions and numba's have it."""
    expected = np.empty_like(take(np.zeros((3, 4, 6), np.float32)))
    model = take(where.zeros((3, 4, 6), dtype=np.float32))
    made = [da.device_array_like(model), da.pinned_array_like(model)]
    if {"pinned", "svm_fine"} & set(device.memory_kinds):
        made.append(da.mapped_array_like(model))
    for x in made:
        assert (x.shape, x.dtype) == (expected.shape, expected.dtype)
        assert x.strides == expected.strides or not expected.size


def test_records():
    """numba's DeviceRecord is an array without axes."""
    record = np.array((1, 2.5), [("n", "i4"), ("x", "f4")])
    d = da.to_device(record)
    assert isinstance(d, da.OpaqueArray) and d.copy_to_host() == record
    d.copy_to_device(np.array((3, 4.5), record.dtype))
    assert d.copy_to_host()["n"] == 3


def test_streams_of_the_cuda_array_interface(with_fake_driver):
    """None, numba's word for work that is done, and a missing stream ask for no wait; an array names its queue."""
    with_fake_driver(
        """
import devarray as da
engine = _core.cuda.devices()[0]
queue, other = engine.default_queue, engine.create_queue()
memory = _core.DeviceMemoryResource(engine).allocate(48)
waits, wait = [], _core.wait_stream
_core.wait_stream = lambda queue, stream: (waits.append(stream), wait(queue, stream))
class Theirs:
    def __init__(self, **fields):
        self.__cuda_array_interface__ = {
            "shape": (6,), "typestr": "<f8", "data": (memory.handle, False), "strides": None, "version": 3, **fields}
for fields in ({}, {"stream": None}, {"stream": 1}, {"stream": 2}, {"stream": other.handle}):
    x = da.asarray(Theirs(**fields))
    assert x.ptr == memory.handle and x.shape == (6,)
assert waits == [1, 2, other.handle]
assert x.queue is queue
assert queue.idle and x.__cuda_array_interface__["stream"] is None
assert da.empty(3, queue=other).__cuda_array_interface__["stream"] == other.handle
queue.begin_capture()
assert x.__cuda_array_interface__["stream"] == queue.handle
"""
    )


def test_managed_arrays_are_of_both(device):
    if not {"managed", "svm_fine"} & set(device.memory_kinds):
        with pytest.raises(da.DeviceError, match=r"managed_array: .* has no memory that the host sees too"):
            da.managed_array(3)
        return
    h = da.managed_array((2, 3), np.int32, order="F")
    assert isinstance(h, da.MappedNDArray) and h.flags.f_contiguous
    h[:] = [[1, 2, 3], [4, 5, 6]]
    h.device_array *= 2
    np.testing.assert_array_equal(h.copy_to_host(), [[2, 4, 6], [8, 10, 12]])
    assert da.managed_array(4).dtype == np.float64


@pytest.mark.parametrize("make", [da.mapped_array, da.managed_array])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float64", "complex64"])
def test_what_is_made_of_a_mapped_array_is_a_copy(device, make, dtype):
    """The host may write to it again at once; a mapped array of CUDA has that library's interface, too."""
    try:
        h = make((2, 3), dtype)
    except da.DeviceError:
        pytest.skip("no memory that both see")
    h[:] = 1
    made = [da.asarray(h), da.asarray(h[:, ::-2]), da.to_device(h), da.ones((2, 3), dtype) * h, da.asarray(h[:0])]
    h[:] = 0
    for x in made:
        np.testing.assert_array_equal(x.copy_to_host(), np.ones(x.shape, dtype))
    assert da.asarray(h[0, 0]).shape == ()


def test_the_interface_of_a_mapped_array(with_fake_driver):
    with_fake_driver(
        """
import devarray as da
import numpy as np
cuda = da.device("cuda")
for h in da.mapped_array(3, device=cuda), da.managed_array(3, device=cuda):
    assert da.is_cuda_array(h) and not da.is_cuda_array(h[1:])
    assert da.as_cuda_array(h).ptr == h.device_array.ptr
    assert da.asarray(h, device=cuda).ptr != h.device_array.ptr
"""
    )


def test_the_cuda_array_interface_by_numbas_names(device):
    h, d = np.arange(10), da.to_device(np.arange(10))
    assert not da.is_cuda_array(h)
    with pytest.raises(TypeError, match="as_cuda_array: ndarray has no __cuda_array_interface__"):
        da.as_cuda_array(h)
    if device.driver != "cuda":
        assert not da.is_cuda_array(d)
        with pytest.raises(da.DeviceError, match="the current device is"):
            da.from_cuda_array_interface({})
        return
    assert da.is_cuda_array(d) and da.as_cuda_array(d) is d
    face = d.__cuda_array_interface__

    class Theirs:
        __cuda_array_interface__ = face

    for theirs in (da.as_cuda_array(Theirs()), da.as_cuda_array(Theirs(), sync=False)):
        assert theirs.ptr == d.ptr
    same = da.from_cuda_array_interface(face | {"strides": h.strides}, owner=d)
    same += 1
    np.testing.assert_array_equal(d.copy_to_host(), h + 1)
    with pytest.raises(BufferError, match="mask"):
        da.from_cuda_array_interface(face | {"mask": d})
    with pytest.raises(TypeError, match="lacks typestr, data"):
        da.from_cuda_array_interface({"shape": (1,), "version": 3})
    mapped = da.mapped_array(3)
    assert mapped.__cuda_array_interface__["data"][0] == mapped.device_array.ptr
