"""Adaptors: what each adds to its upstream."""

from __future__ import annotations

import pytest

from devarray import alloc, errors
from devarray.errors import OutOfMemoryError


def counts(s):
    return s.current_bytes, s.current_count, s.peak_bytes, s.peak_count, s.total_bytes, s.total_count


def test_a_limit_counts_what_is_in_use(pool):
    limit = alloc.LimitingResourceAdaptor(pool, 3000)
    first, second = limit.allocate(1000), limit.allocate(2000)
    assert (limit.allocated_bytes, limit.allocation_limit) == (3000, 3000)
    with pytest.raises(OutOfMemoryError, match="1 B asked for where 3000 B are in use and the limit is 3000 B") as e:
        limit.allocate(1)
    assert (e.value.asked, e.value.active, e.value.free, e.value.total) == (1, 3000, 0, 3000)
    del first
    assert limit.allocated_bytes == 2000
    assert limit.allocate(1000).nbytes == 1000
    del second
    assert limit.allocated_bytes == 0


def test_a_refused_upstream_leaves_the_limit_as_it_was(direct, device):
    limit = alloc.LimitingResourceAdaptor(direct, 1 << 40)
    device.fail_after(0)
    with pytest.raises(OutOfMemoryError):
        limit.allocate(1000)
    assert limit.allocated_bytes == 0


def test_a_pool_over_a_limit_frees_what_it_holds_to_stay_below(direct):
    limit = alloc.LimitingResourceAdaptor(direct, 4096)
    pool = alloc.PoolMemoryResource(limit, leading_bits_in_bin_id=4)
    block = pool.allocate(3000)
    del block
    kept = pool.allocate(2000)
    with pytest.raises(OutOfMemoryError) as caught:
        pool.allocate(3000)
    assert (caught.value.active, caught.value.total) == (kept.nbytes, 4096)


def test_a_negative_limit_is_refused(direct):
    with pytest.raises(errors.ValueError, match="allocation_limit is -1"):
        alloc.LimitingResourceAdaptor(direct, -1)


def test_statistics_by_scope(pool):
    stats = alloc.StatisticsResourceAdaptor(pool)
    kept = stats.allocate(100)
    assert counts(stats.push_counters()) == (100, 1, 100, 1, 100, 1)
    first, second = stats.allocate(10), stats.allocate(20)
    del first
    assert counts(stats.allocation_counts) == (20, 1, 30, 2, 30, 2)
    del kept
    assert counts(stats.pop_counters()) == (-80, 0, 30, 2, 30, 2)
    assert counts(stats.allocation_counts) == (20, 1, 130, 3, 130, 3)
    with pytest.raises(errors.ValueError, match="no scope is open"):
        stats.pop_counters()
    assert repr(stats.allocation_counts).startswith("Statistics(current_bytes=20, current_count=1,")
    del second


def test_statistics_do_not_count_what_failed_or_is_empty(direct, device):
    stats = alloc.StatisticsResourceAdaptor(direct)
    device.fail_after(0)
    with pytest.raises(OutOfMemoryError):
        stats.allocate(1)
    empty = stats.allocate(0)
    assert empty.resource is stats
    assert counts(stats.allocation_counts) == (0, 0, 0, 0, 0, 0)


def test_the_outermost_adaptor_owns_the_block(pool):
    inner = alloc.StatisticsResourceAdaptor(pool)
    outer = alloc.LimitingResourceAdaptor(inner, 1 << 20)
    block = outer.allocate(100)
    assert block.resource is outer
    assert outer.upstream is inner
    assert inner.upstream is pool
    assert (pool.active_blocks, inner.allocation_counts.current_count, outer.allocated_bytes) == (1, 1, 100)
    del block
    assert (pool.active_blocks, inner.allocation_counts.current_count, outer.allocated_bytes) == (0, 0, 0)
    outer.allocate(100)
    assert (pool.misses, inner.allocation_counts.total_count) == (1, 2)
