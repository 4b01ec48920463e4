"""Two GPUs: arrays, streams and pools on each, copies across, and what must not be mixed."""

import numpy as np
import pytest

import devarray as da
import devarray.cuda as cuda
from devarray import alloc, errors


@pytest.fixture
def pair():
    found = [d for d in da.devices() if d.driver == "cuda"]
    if len(found) < 2:
        pytest.skip("fewer than two CUDA devices")
    return found[:2]


pytestmark = pytest.mark.gpu


@pytest.fixture
def arrays(pair):
    """The same host values on both."""
    values = np.random.default_rng(0).random((300, 70), dtype=np.float32)
    return values, [da.asarray(values, device=device) for device in pair]


def test_results_live_where_their_operands_live(pair, arrays):
    values, xs = arrays
    for device, x in zip(pair, xs, strict=True):
        y = da.sqrt(x) * 2 + x.T.T
        assert x.device is device and y.device is device and da.sum(y, axis=0).device is device
        np.testing.assert_allclose(y.copy_to_host(), np.sqrt(values) * 2 + values, rtol=1e-6)
        np.testing.assert_allclose(da.sum(y).item(), (np.sqrt(values) * 2 + values).sum(), rtol=1e-5)


def test_devices_are_not_mixed(pair, arrays):
    _, (a, b) = arrays
    for mix in (lambda: a + b, lambda: da.where(a > 0, a, b), lambda: da.concat([a, b]), lambda: a.T @ b):
        with pytest.raises(errors.DeviceError) as caught:
            mix()
        assert str(pair[0].index) in str(caught.value) and str(pair[1].index) in str(caught.value)
    with pytest.raises(errors.DeviceError):
        a += b
    with pytest.raises(errors.DeviceError):
        da.empty(3, device=pair[0], queue=pair[1].default_queue)


def test_to_device_across(pair, arrays):
    values, (a, _) = arrays
    pending = a * 3 + 1
    there = pending.to_device(pair[1])
    assert there.device is pair[1] and a.to_device(pair[0]) is a
    np.testing.assert_allclose(there.copy_to_host(), values * 3 + 1, rtol=1e-6)
    back = (there + there).to_device(pair[0])
    np.testing.assert_allclose((back + a).copy_to_host(), (values * 3 + 1) * 2 + values, rtol=1e-6)
    view = a[::3, 5:].to_device(pair[1])
    np.testing.assert_array_equal(view.copy_to_host(), values[::3, 5:])
    target = da.zeros(values.shape, dtype=np.float32, device=pair[1])
    target.copy_to_device(a)
    np.testing.assert_array_equal(target.copy_to_host(), values)


def test_no_copy_across_takes_the_way_by_the_host(pair, arrays):
    """The values lie in the peer's memory by one copy of the driver's, whatever the layout."""
    values, (a, _) = arrays
    before = da.stats()
    there = [x.to_device(pair[1]) for x in (a, a[::3, 5:], a.T, (a * 2)[..., ::-1])]
    after = da.stats()
    for name in ("transfers_to_host", "transfers_to_device", "bytes_to_host"):
        assert after[name] == before[name]
    for got, wanted in zip(there, (values, values[::3, 5:], values.T, (values * 2)[..., ::-1]), strict=True):
        np.testing.assert_array_equal(got.copy_to_host(), wanted)


def test_a_transposed_array_is_no_work_of_its_own_device(pair, arrays):
    values, (a, _) = arrays
    launches = da.stats()["launches"]
    there = a.T.to_device(pair[1])
    assert da.stats()["launches"] == launches and there.strides == values.T.strides
    np.testing.assert_array_equal(there.copy_to_host(), values.T)


def test_memory_that_grows_in_place_is_reached_from_the_other(pair):
    values = np.random.default_rng(1).random((700, 900), dtype=np.float32)
    pools = [alloc.PoolMemoryResource(alloc.CudaVirtualMemoryResource(device)) for device in pair]
    a = da.asarray(values, device=pair[0], allocator=pools[0])
    there = da.zeros(values.shape, dtype=np.float32, device=pair[1], allocator=pools[1])
    there.copy_to_device(a * 2)
    back = there[::2].to_device(pair[0])
    np.testing.assert_array_equal(there.copy_to_host(), values * 2)
    np.testing.assert_array_equal(back.copy_to_host(), values[::2] * 2)


@pytest.mark.parametrize("kind", ["device", "managed", "pinned"])
def test_kinds_and_pools_of_each(pair, kind):
    pools = [alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device, kind)) for device in pair]
    values = np.arange(10_000, dtype=np.float32)
    xs = [da.asarray(values, device=d, allocator=pool) for d, pool in zip(pair, pools, strict=True)]
    for round_ in range(20):
        moved = (xs[round_ % 2] + 1).to_device(pair[1 - round_ % 2])
        np.testing.assert_array_equal(moved.copy_to_host(), values + 1)
    assert all(pool.active_bytes >= values.nbytes for pool in pools)


def test_copies_over_several_streams(pair):
    values = [np.random.default_rng(i).random(1 << 18, dtype=np.float32) for i in range(6)]
    queues = [device.create_queue() for device in pair for _ in range(3)]
    arrays = [da.asarray(v, queue=q) for v, q in zip(values, queues, strict=True)]
    moved = [(x * 2).to_device(pair[1] if x.device is pair[0] else pair[0]) for x in arrays]
    for m, v in zip(moved, values, strict=True):
        np.testing.assert_array_equal((m + 1).copy_to_host(), v * 2 + 1)


def test_raw_peer_copies_both_ways(pair):
    contexts = []
    values = np.arange(4096, dtype=np.float32)
    memories = []
    for number in range(2):
        contexts.append(cuda.Device(number).make_context())  # in the primary ones arrays have their own peer access
        memories.append(cuda.to_device(values + len(memories)))
        cuda.Context.pop()
    first, second = cuda.Device(0), cuda.Device(1)
    assert first.can_access_peer(second) == second.can_access_peer(first)
    contexts[0].push()
    if first.can_access_peer(second):
        contexts[0].enable_peer_access(contexts[1])
    stream = cuda.Stream()
    cuda.memcpy_peer_async(memories[0], memories[1], 8192, contexts[0], contexts[1], stream)
    stream.synchronize()
    result = cuda.from_device_like(memories[0], values)
    np.testing.assert_array_equal(result[:2048], values[:2048] + 1)
    np.testing.assert_array_equal(result[2048:], values[2048:])
    if first.can_access_peer(second):
        contexts[0].disable_peer_access(contexts[1])
    copy = cuda.Memcpy3DPeer()
    copy.set_src_device(memories[1])
    copy.set_dst_device(memories[0])
    copy.set_src_context(contexts[1])
    copy.set_dst_context(contexts[0])
    copy.width_in_bytes = copy.src_pitch = copy.dst_pitch = 64
    copy.height = copy.src_height = copy.dst_height = 64
    copy.depth = 4
    copy()
    np.testing.assert_array_equal(cuda.from_device_like(memories[0], values), values + 1)
    cuda.Context.pop()
    del memories, copy, stream
    for context in contexts:
        context.detach()


def test_threads_on_each(pair):
    from concurrent.futures import ThreadPoolExecutor

    def work(number):
        device = pair[number % 2]
        with da.use(device=device):
            x = da.arange(50_000, dtype=np.float64)
            for _ in range(10):
                x = da.sqrt(x * x + 1)
            return x.device is device, float(da.sum(x).item())

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(32)))
    expected = np.sqrt(np.arange(50_000, dtype=np.float64) ** 2 + 10).sum()
    assert all(right for right, _ in results)
    np.testing.assert_allclose([value for _, value in results], expected, rtol=1e-12)
