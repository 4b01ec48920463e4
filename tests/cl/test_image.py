"""Images, samplers and pipes under PyOpenCL's names."""

from __future__ import annotations

import numpy as np
import pytest

from devarray import cl, errors

mf = cl.mem_flags


@pytest.fixture
def q(ctx, engine):
    if not engine.cl_device.image_support:
        pytest.skip(f"{engine} has no images")
    return cl.CommandQueue(ctx)


RGBA8 = (cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)


def test_format_counts_and_compares():
    fmt = cl.ImageFormat(*RGBA8)
    assert (fmt.channel_count, fmt.dtype_size, fmt.itemsize) == (4, 1, 4)
    assert fmt == cl.ImageFormat(*RGBA8) and hash(fmt) == hash(cl.ImageFormat(*RGBA8))
    assert fmt != cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT)
    assert repr(fmt) == "ImageFormat(RGBA, UNSIGNED_INT8)"
    assert cl.ImageFormat(cl.channel_order.RGB, cl.channel_type.UNORM_INT_101010).itemsize == 4
    with pytest.raises(errors.ValueError, match="channel_order has the number 0"):
        _ = cl.ImageFormat().channel_count


def test_supported_formats(ctx, q):
    formats = cl.get_supported_image_formats(ctx, mf.READ_WRITE, cl.mem_object_type.IMAGE2D)
    assert cl.ImageFormat(*RGBA8) in formats


@pytest.mark.parametrize("shape", [(7,), (7, 5), (7, 5, 3)])
def test_image_to_host_and_back(ctx, q, shape):
    values = np.random.default_rng(0).integers(0, 255, (*shape[::-1], 4), np.uint8)
    image = cl.Image(ctx, mf.READ_WRITE | mf.COPY_HOST_PTR, cl.ImageFormat(*RGBA8), shape=shape, hostbuf=values)
    assert image.shape == shape and image.width == 7 and image.element_size == 4
    assert image.format == cl.ImageFormat(*RGBA8)
    result = np.zeros_like(values)
    cl.enqueue_copy(q, result, image, origin=(0,) * len(shape), region=shape)
    np.testing.assert_array_equal(result, values)
    patch = np.full((2, 4), 9, np.uint8)
    cl.enqueue_copy(q, image, patch, origin=(3,), region=(2,))
    cl.enqueue_copy(q, result, image, origin=(0,), region=shape)
    expected = values.copy()
    expected.reshape(-1, 7, 4)[0, 3:5] = 9
    np.testing.assert_array_equal(result, expected)
    with pytest.raises(errors.ValueError, match="would touch host byte"):
        cl.enqueue_copy(q, patch, image, origin=(0,), region=(3,))


def test_image_with_buffers_images_fill_and_map(ctx, q):
    image = cl.Image(ctx, mf.READ_WRITE, cl.ImageFormat(*RGBA8), shape=(8, 4))
    other = cl.Image(ctx, mf.READ_WRITE, cl.ImageFormat(*RGBA8), shape=(8, 4))
    cl.enqueue_fill_image(q, image, np.array([1, 2, 3, 4], np.uint32), (0, 0), (8, 4))
    cl.enqueue_fill_image(q, other, np.zeros(4, np.uint32), (0, 0), (8, 4))
    cl.enqueue_copy(q, other, image, src_origin=(0, 0), dest_origin=(2, 1), region=(3, 2))
    buf = cl.Buffer(ctx, mf.READ_WRITE, 8 * 4 * 4)
    cl.enqueue_copy(q, buf, other, offset=0, origin=(0, 0), region=(8, 4))
    result = np.empty((4, 8, 4), np.uint8)
    cl.enqueue_copy(q, result, buf)
    expected = np.zeros_like(result)
    expected[1:3, 2:5] = [1, 2, 3, 4]
    np.testing.assert_array_equal(result, expected)
    cl.enqueue_copy(q, image, buf, offset=0, origin=(0, 0), region=(8, 4))
    mapped, event, row_pitch, _ = cl.enqueue_map_image(q, image, cl.map_flags.READ, (0, 0), (8, 1), (8, 4), np.uint8)
    event.wait()
    assert row_pitch >= 32
    np.testing.assert_array_equal(mapped, expected[0])
    mapped.base.release(q)


def test_image_from_array_in_a_kernel_with_a_sampler(ctx, q):
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    image = cl.image_from_array(ctx, values, 1)
    assert image.shape == (4, 3)
    prg = cl.Program(
        ctx,
        """kernel void f(read_only image2d_t image, sampler_t s, global float* out) {
          int x = get_global_id(0), y = get_global_id(1);
          out[y * 4 + x] = read_imagef(image, s, (int2)(x + 1, y)).x; }""",
    ).build()
    sampler = cl.Sampler(ctx, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)
    assert sampler.normalized_coords is False and sampler.filter_mode == cl.filter_mode.NEAREST
    out = cl.Buffer(ctx, mf.READ_WRITE, values.nbytes)
    prg.f(q, (4, 3), None, image, sampler, out)
    result = np.empty_like(values)
    cl.enqueue_copy(q, result, out)
    np.testing.assert_array_equal(result, values[:, [1, 2, 3, 3]])


def test_sampler_from_properties(ctx, q):
    sp = cl.sampler_properties
    sampler = cl.Sampler(
        ctx, [sp.NORMALIZED_COORDS, 1, sp.ADDRESSING_MODE, cl.addressing_mode.REPEAT, sp.FILTER_MODE, 0x1141]
    )
    assert sampler.normalized_coords is True and sampler.addressing_mode == cl.addressing_mode.REPEAT


def test_bad_images(ctx, q):
    with pytest.raises(errors.ValueError, match="needs a shape"):
        cl.Image(ctx, mf.READ_WRITE, cl.ImageFormat(*RGBA8))
    with pytest.raises(errors.ValueError, match="needs 64 bytes; hostbuf has 60"):
        cl.Image(ctx, mf.COPY_HOST_PTR, cl.ImageFormat(*RGBA8), shape=(4, 4), hostbuf=np.zeros(60, np.uint8))
    with pytest.raises(TypeError, match="float64"):
        cl.image_from_array(ctx, np.zeros((2, 2)))
    with pytest.raises(errors.ValueError, match="one to three dimensions"):
        cl.Image(ctx, mf.READ_WRITE, cl.ImageFormat(*RGBA8), shape=(1, 1, 1, 1))


def test_pipe(ctx, q, engine):
    if engine.cl_device._get_cl_version() < (2, 0) or not engine.cl_device.max_pipe_args:
        pytest.skip(f"{engine} has no pipes")
    pipe = cl.Pipe(ctx, mf.READ_WRITE, 4, 16)
    assert pipe.packet_size == 4 and pipe.max_packets == 16 and pipe.type == cl.mem_object_type.PIPE
