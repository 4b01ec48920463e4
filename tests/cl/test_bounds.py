"""Offsets, sizes and pitches at the edges of 64 bits reach nothing outside of buffers, images and host memory."""

from __future__ import annotations

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from devarray import errors

cl = pytest.importorskip("devarray.cl")
mf = cl.mem_flags
LAST = 2**64 - 1
REFUSED = (cl.LogicError, errors.ValueError)

edges = st.one_of(
    st.integers(0, 70),
    st.builds(lambda p, by: p + by, st.sampled_from([2**31, 2**32, 2**62, 2**63, 2**64 - 70]), st.integers(-2, 66)),
)


@pytest.fixture
def q(ctx):
    return cl.CommandQueue(ctx)


@pytest.fixture
def buf(ctx):
    return cl.Buffer(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, hostbuf=np.arange(64, dtype=np.uint8))


def test_sub_regions_lie_inside(ctx, engine, buf):
    step = engine.cl_device.mem_base_addr_align // 8
    large = cl.Buffer(ctx, mf.READ_WRITE, 4 * step)
    for origin, size in [(2**64 - step, 2 * step), (step, LAST), (step, 4 * step), (5 * step, 1), (2**63, 2**63)]:
        with pytest.raises(cl.LogicError, match="INVALID_VALUE"):
            large.get_sub_region(origin, size)
    assert large.get_sub_region(step, 3 * step).size == 3 * step


@given(offset=edges, size=edges)
def test_copies_and_fills_lie_inside(q, ctx, buf, offset, size):
    other = cl.Buffer(ctx, mf.READ_WRITE, 64)
    inside = offset + size <= 64
    calls = [
        lambda: cl.enqueue_copy(q, other, buf, byte_count=size, src_offset=offset),
        lambda: cl.enqueue_copy(q, other, buf, byte_count=size, dst_offset=offset),
        lambda: cl.enqueue_fill_buffer(q, other, np.uint8(7), offset, size),
        lambda: cl.enqueue_map_buffer(q, buf, cl.map_flags.READ, offset, (size,), np.uint8),
    ]
    if size < 2**20:
        host = np.zeros(size, np.uint8)
        calls += [
            lambda: cl.enqueue_copy(q, host, buf, device_offset=offset),
            lambda: cl.enqueue_copy(q, buf, host, device_offset=offset),
        ]
    for call in calls:
        if not inside:
            with pytest.raises((*REFUSED, OverflowError, ValueError, MemoryError)):
                call()
        elif size:
            call()
    q.finish()


RECTANGLES = {
    "origin": {"buffer_origin": (2**64 - 8, 0), "host_origin": (0, 0), "region": (16, 1)},
    "rows": {"buffer_origin": (0, 2**61), "host_origin": (0, 0), "region": (8, 2), "buffer_pitches": (8,)},
    "pitch": {"buffer_origin": (0, 0), "host_origin": (0, 0), "region": (8, 3), "buffer_pitches": (2**63,)},
    "region": {"buffer_origin": (0, 0), "host_origin": (0, 0), "region": (8, 2**61)},
    "slices": {"buffer_origin": (0, 0, 2**60), "host_origin": (0, 0, 0), "region": (8, 2, 2)},
    "host origin": {"buffer_origin": (0, 0), "host_origin": (2**64 - 8, 0), "region": (16, 1)},
    "host pitch": {"buffer_origin": (0, 0), "host_origin": (0, 0), "region": (8, 3), "host_pitches": (2**63,)},
}  # fmt: skip


@pytest.mark.parametrize("case", RECTANGLES)
def test_rectangles_lie_inside(q, buf, case):
    host = np.zeros(64, np.uint8)
    for call in (
        lambda: cl.enqueue_copy(q, host, buf, **RECTANGLES[case]),
        lambda: cl.enqueue_copy(q, buf, host, **RECTANGLES[case]),
    ):
        with pytest.raises(REFUSED, match=r"64 bits|INVALID_VALUE|host memory"):
            call()
    q.finish()
    cl.enqueue_copy(q, host, buf)
    np.testing.assert_array_equal(host, np.arange(64, dtype=np.uint8))


def test_rectangles_between_buffers_lie_inside(q, ctx, buf):
    other = cl.Buffer(ctx, mf.READ_WRITE, 64)
    for rect in (
        {"src_origin": (2**64 - 8, 0), "dst_origin": (0, 0), "region": (16, 1)},
        {"src_origin": (0, 0), "dst_origin": (0, 2**61), "region": (8, 2), "dst_pitches": (8,)},
        {"src_origin": (0, 0), "dst_origin": (0, 0), "region": (8, 3), "src_pitches": (2**63,)},
        {"src_origin": (0, 0), "dst_origin": (0, 0), "region": (8, 9)},
    ):
        with pytest.raises(REFUSED, match=r"64 bits|INVALID_VALUE"):
            cl.enqueue_copy(q, other, buf, **rect)
    q.finish()


def test_images_lie_inside(q, ctx, engine, buf):
    if not engine.cl_device.image_support:
        pytest.skip("no images")
    form = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
    image = cl.Image(ctx, mf.READ_WRITE, form, (4, 4))
    host = np.zeros((4, 4, 4), np.uint8)
    for origin, region in [
        ((2**64 - 2, 0), (4, 4)),
        ((0, 2**63), (4, 2**63)),
        ((0, 0), (2**62, 1)),
        ((0, 0), (2**61, 2**3)),
    ]:
        for call in (
            lambda: cl.enqueue_copy(q, host, image, origin=origin, region=region),  # noqa: B023
            lambda: cl.enqueue_copy(q, image, host, origin=origin, region=region),  # noqa: B023
            lambda: cl.enqueue_copy(q, buf, image, offset=0, origin=origin, region=region),  # noqa: B023
            lambda: cl.enqueue_copy(q, image, buf, offset=0, origin=origin, region=region),  # noqa: B023
        ):
            with pytest.raises(REFUSED):
                call()
    with pytest.raises(REFUSED):
        cl.enqueue_copy(q, buf, image, offset=2**64 - 16, origin=(0, 0), region=(4, 2))
    with pytest.raises(REFUSED):
        cl.enqueue_copy(q, image, buf, offset=2**64 - 16, origin=(0, 0), region=(4, 2))
    for shape, pitches in [((2**62, 4), None), ((2**31, 2**31), None), ((4, 2**60), (2**6,)), ((4, 4), (2**62,))]:
        with pytest.raises((*REFUSED, cl.RuntimeError)):
            cl.Image(ctx, mf.READ_ONLY | mf.COPY_HOST_PTR, form, shape, pitches, hostbuf=host)
    q.finish()


def test_shared_memory_lies_inside(q, ctx, engine):
    if "svm_coarse" not in engine.memory_kinds:
        pytest.skip("no shared virtual memory")
    memory = cl.SVMAllocation(ctx, 64, 0, cl.svm_mem_flags.READ_WRITE)
    for size in (65, 2**63, LAST):
        with pytest.raises(errors.ValueError, match="has only 64"):
            memory.as_buffer(ctx, size=size)
        with pytest.raises(errors.ValueError, match="has only 64"):
            memory.map_rw(q, size=size)
        with pytest.raises(errors.ValueError):
            cl.enqueue_svm_memfill(q, memory, np.uint8(1), size)
    for shape in (2**62, (2**32, 2**32), (2**61, 8)):
        with pytest.raises(errors.ShapeError, match="too large"):
            cl.svm_empty(ctx, cl.svm_mem_flags.READ_WRITE, shape, np.int64)
    with pytest.raises(errors.ValueError, match="outside"):
        cl.enqueue_svm_memfill(q, memory, np.uint8(1), 8, offset=LAST - 3)
    q.finish()
