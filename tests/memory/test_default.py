"""The allocator behind arrays for which none was given."""

from __future__ import annotations

import pytest

from devarray import alloc, errors

testing = pytest.importorskip("devarray._core.testing", reason="devarray was built without DEVARRAY_TESTING")


def test_a_pool_of_the_preferred_kind_one_a_device(device):
    pool = alloc.default_allocator(device)
    assert isinstance(pool, alloc.PoolMemoryResource)
    assert (pool.kind, pool.device) == ("svm_fine", device)
    assert alloc.default_allocator(device) is pool
    assert alloc.default_allocator(testing.MockDevice(kinds=["buffer"])).kind == "buffer"
    assert alloc.as_allocator(None, device) is pool


def test_it_can_be_set_and_put_back(device):
    direct = alloc.DeviceMemoryResource(device, "managed")
    alloc.set_default_allocator(device, direct)
    assert alloc.default_allocator(device) is direct
    alloc.set_default_allocator(device, lambda nbytes: direct.allocate(nbytes))
    assert alloc.default_allocator(device).allocate(10).kind == "managed"
    alloc.set_default_allocator(device, None)
    assert isinstance(alloc.default_allocator(device), alloc.PoolMemoryResource)


def test_one_of_another_device_is_refused(device):
    with pytest.raises(errors.DeviceError):
        alloc.set_default_allocator(device, alloc.DeviceMemoryResource(testing.MockDevice()))


def test_arrays_made_after_it_have_it():
    import devarray as da

    device = da.default_device()
    before = da.empty(3)
    limited = alloc.LimitingResourceAdaptor(alloc.DeviceMemoryResource(device), 1 << 20)
    alloc.set_default_allocator(device, limited)
    try:
        for x in (da.empty(3), da.zeros(3), da.asarray([1, 2]), (da.ones(3) + 1).evaluate()):
            assert x.allocator is limited
        with pytest.raises(errors.OutOfMemoryError):
            da.empty(1 << 20)
        assert before.allocator is not limited and (before + 1).evaluate().allocator is before.allocator
    finally:
        alloc.set_default_allocator(device, None)
    assert isinstance(da.empty(3).allocator, alloc.PoolMemoryResource)
