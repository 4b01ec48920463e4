"""The driver interface that the engine and the memory resources build on, over OpenCL."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from devarray import _core, errors

cl = _core.cl

SOURCE = """
struct Slots { long v[2]; };
kernel void scale(global char* m0, global char* m1, const struct Slots s) {
  long i = get_global_id(0);
  if (i < s.v[0]) ((global float*)m1)[i] = ((global const float*)m0)[i] * (float)s.v[1];
}
kernel void where(global char* m0, const struct Slots s) {
  long i = get_global_id(0), j = get_global_id(1);
  ((global int*)m0)[j * s.v[0] + i] = (int)(10 * j + i);
}
"""


@pytest.fixture(params=["buffer", "svm_coarse", "svm_fine"])
def kind(request, engine):
    if request.param not in engine.memory_kinds:
        pytest.skip(f"{engine} has no {request.param}")
    return request.param


@pytest.fixture(scope="module")
def program(engine):
    return engine.build(SOURCE)


def upload(queue, kind, values):
    memory = cl._allocate(queue.engine_device, kind, values.nbytes)
    cl._write(queue, memory, 0, values, True)
    return memory


def download(queue, memory, like):
    result = np.empty_like(like)
    cl._read(queue, memory, 0, result, True)
    return result


def test_launch_computes_what_the_kernel_says(engine, queue, kind, program):
    values = np.arange(1000, dtype=np.float32)
    source = upload(queue, kind, values)
    target = cl._allocate(engine, kind, values.nbytes)
    kernel = program.kernel("scale")
    cl._launch(queue, kernel, [4], [256], [source, target], [1000, 3])
    np.testing.assert_array_equal(download(queue, target, values), values * 3)
    cl._launch(queue, kernel, [4], [256], [source, target], [1000, 5])
    np.testing.assert_array_equal(download(queue, target, values), values * 5)


def test_launch_in_two_dimensions(engine, queue, kind, program):
    target = cl._allocate(engine, kind, 4 * 8 * 6)
    cl._launch(queue, program.kernel("where"), [2, 3], [4, 2], [target], [8, 0])
    expected = 10 * np.arange(6)[:, None] + np.arange(8)
    np.testing.assert_array_equal(download(queue, target, np.empty((6, 8), np.int32)), expected)


def test_empty_launch_does_nothing(engine, queue, kind, program):
    target = upload(queue, kind, np.full(8, 7, np.int32))
    cl._launch(queue, program.kernel("where"), [0, 3], [4, 2], [target], [8, 0])
    assert (download(queue, target, np.empty(8, np.int32)) == 7).all()


def test_program_from_its_binary(engine, queue, kind):
    binary = engine.build(SOURCE).binary
    kernel = engine.load(binary).kernel("scale")
    assert kernel.name == "scale"
    assert 1 <= kernel.max_work_group_size <= engine.caps["max_work_group_size"]
    values = np.arange(10, dtype=np.float32)
    source, target = upload(queue, kind, values), upload(queue, kind, values)
    cl._launch(queue, kernel, [1], [16], [source, target], [10, 2])
    np.testing.assert_array_equal(download(queue, target, values), values * 2)


def test_damaged_binary_is_refused(engine):
    with pytest.raises(errors.Error):
        engine.load(b"not a binary").kernel("scale")


def test_compile_error_names_the_line_and_keeps_log_and_source(engine):
    source = "kernel void f(global int* a) {\n  a[0] = missing_name;\n}\n"
    with pytest.raises(errors.CompileError) as caught:
        engine.build(source)
    assert "line 2: `a[0] = missing_name;`" in str(caught.value)
    assert "missing_name" in caught.value.log
    assert caught.value.source == source
    assert caught.value.code_name == "BUILD_PROGRAM_FAILURE"


def test_float32_division_and_root_are_correctly_rounded(engine, queue):
    source = """kernel void f(global char* a, global char* b, global char* c, global char* d) {
      #pragma OPENCL FP_CONTRACT OFF
      size_t i = get_global_id(0);
      ((global float*)c)[i] = ((global float*)a)[i] / ((global float*)b)[i];
      ((global float*)d)[i] = sqrt(((global float*)a)[i]); }"""
    rng = np.random.default_rng(1)
    a, b = (rng.uniform(0.01, 100, 4096).astype(np.float32) for _ in range(2))
    memory = [upload(queue, "buffer", x) for x in (a, b, a, a)]
    cl._launch(queue, engine.build(source).kernel("f"), [16], [256], memory, [])
    np.testing.assert_array_equal(download(queue, memory[2], a), a / b)
    np.testing.assert_array_equal(download(queue, memory[3], a), np.sqrt(a))


def test_read_and_write_with_offsets(queue, kind):
    memory = upload(queue, kind, np.zeros(16, np.uint8))
    cl._write(queue, memory, 4, np.arange(1, 5, dtype=np.uint8), False).wait()
    part = np.empty(6, np.uint8)
    cl._read(queue, memory, 3, part, True)
    assert part.tolist() == [0, 1, 2, 3, 4, 0]


def test_copy_between_all_kinds(engine, queue, kind):
    values = np.arange(256, dtype=np.int32)
    source = upload(queue, kind, values)
    for other in engine.memory_kinds:
        target = upload(queue, other, np.zeros(256, np.int32))
        cl._copy(queue, target, 40, source, 8, 400).wait()
        result = download(queue, target, values)
        np.testing.assert_array_equal(result[10:110], values[2:102])
        assert not result[:10].any() and not result[110:].any()


def test_fill_repeats_the_pattern(queue, kind):
    memory = upload(queue, kind, np.zeros(8, np.int32))
    cl._fill(queue, memory, 8, np.array([5, 6], np.int32).tobytes(), 16)
    assert download(queue, memory, np.empty(8, np.int32)).tolist() == [0, 0, 5, 6, 5, 6, 0, 0]


@pytest.mark.parametrize(
    "rect",
    [
        # region, device offset, host offset, device pitches, host pitches
        (5, 4, 3, 2, 7, 10, 60, 12, 48),  # regular
        (5, 4, 3, 2, 7, 10, 47, 12, 53),  # slice pitches that are no multiple of the row pitch
        (5, 1, 3, 2, 0, 5, 60, 5, 20),  # one row a slice
        (6, 4, 1, 1, 2, 11, 0, 6, 0),  # one slice
        (9, 1, 1, 3, 4, 0, 0, 0, 0),  # one row
        (0, 4, 3, 0, 0, 10, 60, 12, 48),  # nothing
        (3, 4, 3, 0, 0, 50, 10, 60, 12),  # slices inside rows
    ],
)
def test_rectangles(queue, kind, rect):
    check_rectangle(queue, kind, rect, 300)


@pytest.mark.parametrize(
    ("rect", "end"),
    [
        ((5, 4, 1, 0, 0, 98, 0, 5, 0), 299),  # the last row
        ((5, 2, 3, 5, 0, 20, 120, 6, 12), 270),  # the last slice
        ((5, 1, 3, 15, 0, 0, 140, 0, 5), 300),  # the last of slices of one row
    ],
)
def test_pitches_that_reach_behind_the_memory(queue, kind, rect, end):
    """What lies between the last row's end and its pitch is not asked for; NVIDIA's driver refused these."""
    check_rectangle(queue, kind, rect, end)


def check_rectangle(queue, kind, rect, size):
    region, device_offset, host_offset, device_pitch, host_pitch = rect[:3], rect[3], rect[4], rect[5:7], rect[7:]

    def places(offset, pitch):
        z, y, x = np.meshgrid(*[np.arange(n) for n in region[::-1]], indexing="ij")
        return (offset + z * pitch[1] + y * pitch[0] + x).ravel()

    device_values = np.random.default_rng(0).integers(0, 255, size, np.uint8)
    memory = upload(queue, kind, device_values)
    host = np.zeros(300, np.uint8)
    cl._read_rect(queue, host, memory, rect)
    expected = np.zeros(300, np.uint8)
    expected[places(host_offset, host_pitch)] = device_values[places(device_offset, device_pitch)]
    np.testing.assert_array_equal(host, expected)

    host = np.arange(300, dtype=np.uint16).astype(np.uint8)
    cl._write_rect(queue, memory, host, rect)
    expected = device_values.copy()
    expected[places(device_offset, device_pitch)] = host[places(host_offset, host_pitch)]
    np.testing.assert_array_equal(download(queue, memory, expected), expected)


def test_map_shows_the_bytes(queue, kind):
    memory = upload(queue, kind, np.arange(64, dtype=np.uint8))
    assert cl._mapped_bytes(queue, memory, 10, 4) == bytes([10, 11, 12, 13])


def test_idle_and_events(engine, queue, kind, program):
    assert queue.idle
    target = cl._allocate(engine, kind, 4 * 1024)
    source = cl._allocate(engine, kind, 4 * 1024)
    cl._launch(queue, program.kernel("scale"), [4], [256], [source, target], [1024, 1])
    event = queue.record()
    other = engine.create_queue()
    other.wait_event(event)
    other.finish()
    assert event.done
    queue.finish()
    while not queue.idle:
        pass
    assert queue.idle


def test_event_of_another_context_is_waited_for(engine, queue):
    for other in cl.devices():
        event = other.default_queue.record()
        queue.wait_event(event)
        queue.finish()
        assert event.done


def test_device_is_one_object_per_context(engine):
    assert engine.cl_context.engine_device() is engine
    assert engine.default_queue is engine.default_queue
    assert engine.default_queue.engine_device is engine
    assert _core.Queue.device.fget(engine.default_queue) is engine
    fresh = cl.Context([engine.cl_device])
    assert fresh.engine_device() is not engine
    assert fresh.engine_device() is fresh.engine_device()


def test_out_of_memory_says_what_was_asked(engine, kind):
    limit = max(engine.caps["max_allocation"], engine.caps["global_memory"])  # between the two the driver is asked
    with pytest.raises(errors.OutOfMemoryError, match=f"{limit + 1} bytes of {kind}") as caught:
        cl._allocate(engine, kind, limit + 1)
    assert caught.value.asked == limit + 1
    assert caught.value.total == engine.caps["global_memory"]


def test_memory_kind_that_is_not_there(engine):
    missing = {"buffer", "svm_coarse", "svm_fine"} - set(engine.memory_kinds)
    for kind in missing:
        with pytest.raises(errors.DeviceError, match=kind):
            cl._allocate(engine, kind, 16)
    with pytest.raises(errors.ValueError, match="managed"):
        cl._allocate(engine, "managed", 16)


def test_out_of_order_queue_is_refused_for_arrays(engine, ctx, program):
    queue = cl.CommandQueue(ctx, properties=1)
    memory = cl._allocate(engine, "buffer", 64)
    with pytest.raises(errors.DeviceError, match="out-of-order"):
        cl._fill(queue, memory, 0, b"a", 64)


def test_one_kernel_from_many_threads(engine, program):
    kernel = program.kernel("scale")
    failures = []

    def work(factor):
        queue = engine.create_queue()
        values = np.arange(512, dtype=np.float32)
        source, target = upload(queue, "buffer", values), upload(queue, "buffer", values)
        for _ in range(50):
            cl._launch(queue, kernel, [2], [256], [source, target], [512, factor])
            if not np.array_equal(download(queue, target, values), values * factor):
                failures.append(factor)

    threads = [threading.Thread(target=work, args=(factor,)) for factor in (2, 3, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
