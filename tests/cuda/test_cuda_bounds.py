"""Sizes, offsets and pitches of raw CUDA calls reach nothing outside of allocations and host memory."""

HEAD = """
context = cuda.Device(0).make_context()
a = cuda.mem_alloc(64)
host = np.zeros(64, np.uint8)
REFUSED = (cuda.LogicError, errors.ValueError)
"""


def test_copies_and_fills_lie_inside(with_fake_driver):
    with_fake_driver(
        HEAD
        + """
b = cuda.mem_alloc(64)
large = np.zeros(65, np.uint8)
for use in (
    lambda: cuda.memcpy_htod(a, large), lambda: cuda.memcpy_dtoh(large, a), lambda: cuda.memcpy_dtod(a, b, 65),
    lambda: cuda.memcpy_dtod(a, b, 2**64 - 1), lambda: cuda.memcpy_htod_async(a, large),
    lambda: cuda.memcpy_dtoh_async(large, a), lambda: cuda.memcpy_dtod_async(a, b, 65),
    lambda: cuda.memcpy_peer(a, b, 65), lambda: cuda.memset_d8(a, 0, 65), lambda: cuda.memset_d32(a, 0, 17),
    lambda: cuda.memset_d32(a, 0, 2**62), lambda: cuda.memset_d16_async(a, 0, 2**63),
    lambda: cuda.memset_d2d8(a, 32, 0, 32, 3), lambda: cuda.memset_d2d8(a, 2**62, 0, 1, 5),
    lambda: cuda.memset_d2d32(a, 64, 0, 2**62, 1),
):
    with pytest.raises(REFUSED):
        use()
cuda.memset_d2d8(a, 40, 3, 24, 2)
cuda.memcpy_dtoh(host, a)
assert host.tolist() == [3] * 24 + host[24:40].tolist() + [3] * 24
"""
    )


def test_structured_copies_lie_inside(with_fake_driver):
    with_fake_driver(
        HEAD
        + """
def copy(cls, **fields):
    c = cls()
    c.set_src_host(host)
    c.set_dst_device(a)
    c.width_in_bytes, c.height = 8, 8
    c.src_pitch = c.dst_pitch = 8
    for name, value in fields.items():
        setattr(c, name, value)
    return c
copy(cuda.Memcpy2D)()
for fields in (
    {"height": 9}, {"width_in_bytes": 9}, {"src_y": 1}, {"src_x_in_bytes": 1}, {"src_pitch": 9}, {"dst_pitch": 9},
    {"dst_y": 1}, {"src_pitch": 2**61}, {"src_y": 2**61}, {"src_x_in_bytes": 2**64 - 4},
    {"width_in_bytes": 2**64 - 1}, {"height": 2**61 + 1},
):
    with pytest.raises(errors.ValueError, match=r"would touch|64 bits"):
        copy(cuda.Memcpy2D, **fields)()
box = dict(depth=2, height=4, src_height=4, dst_height=4)
copy(cuda.Memcpy3D, **box)()
for fields in ({"depth": 3}, {"src_height": 5}, {"dst_z": 1}, {"src_height": 2**61}, {"depth": 2**59}):
    with pytest.raises(errors.ValueError, match=r"would touch|64 bits"):
        copy(cuda.Memcpy3D, **{**box, **fields})()
"""
    )


def test_sizes_of_memory(with_fake_driver):
    with_fake_driver(
        HEAD
        + """
for use in (
    lambda: a.as_buffer(65), lambda: a.as_buffer(1, 64), lambda: a.as_buffer(8, 2**64 - 4),
    lambda: _core.cuda.as_buffer(int(a), 2**63),
    lambda: cuda.mem_alloc_pitch(2**33, 2**33, 4), lambda: cuda.AlignedHostAllocation(2**64 - 8, 4096),
):
    with pytest.raises(errors.ValueError, match=r"as_buffer|64 bits"):
        use()
assert len(a.as_buffer(32, 32)) == 32
for make in (cuda.pagelocked_empty, cuda.managed_empty, cuda.aligned_empty):
    for shape in (2**62, (2**32, 2**32), (2**61, 8)):
        with pytest.raises(errors.ShapeError, match="too large"):
            make(shape, np.int64)
"""
    )


def test_arrays_at_addresses(with_fake_driver):
    with_fake_driver(
        HEAD
        + """
import devarray as da
engine = _core.cuda.devices()[0]
queue = engine.default_queue
memory = _core.DeviceMemoryResource(engine).allocate(48)
address = memory.handle
BIG = 2**63
class Theirs:
    def __init__(self, **fields):
        self.__cuda_array_interface__ = {
            "shape": (6,), "typestr": "<f8", "data": (address, False), "strides": None, "version": 3, **fields}
for fields, message in [
    ({"shape": (2**61,)}, "too large"), ({"shape": (2**70,)}, "64 bits"), ({"shape": (-1,)}, "negative"),
    ({"shape": (2,), "strides": (2**70,)}, "64 bits"), ({"shape": (2,), "strides": (-BIG,)}, "address|64 bits"),
    ({"shape": (3,), "strides": (2**62,)}, "64 bits"), ({"data": (2**64, False)}, "64 bits"),
    ({"data": (-8, False)}, "address"), ({"data": (0, False)}, "no data"),
    ({"shape": (2, 2), "strides": (8,)}, "strides"),
    ({"data": (address + 4, False), "shape": (2,)}, "multiples of 8"), ({"strides": (12,)}, "multiples of 8"),
    ({"shape": (2,), "data": (BIG, False)}, "64 bits"),
]:
    with pytest.raises(ValueError, match=message) as caught:
        da.asarray(Theirs(**fields), queue=queue)
    assert isinstance(caught.value, errors.Error), fields
x = da.asarray(Theirs(shape=(3,), strides=(16,)))
assert (x.shape, x.strides, x.ptr) == ((3,), (16,), address)
for layout in [
    ((2**61,), "f8"), ((4,), "f8", (2**62,)), ((4,), "f8", None, 2**63), ((4,), "f8", (-8,), -BIG),
    ((1,), "f8", None, 4),
]:
    with pytest.raises(ValueError) as caught:
        da.Array(address, *layout, queue=queue, owner=memory)
    assert isinstance(caught.value, errors.Error), layout
y = da.Array(address, (3,), "f8", (-16,), 32, queue=queue, owner=memory)
assert y.strides == (-16,) and y.ptr == address + 32
"""
    )
