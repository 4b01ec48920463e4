"""What goes wrong ends in an error or in nothing, never in a crash: each fault in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from devarray import cl

HEAD = """
import gc, sys, threading
import numpy as np
import devarray as da
from devarray import alloc, cl, errors
platform = next(p for p in cl.get_platforms() if p.name == {platform!r})
device = platform.get_devices()[0]
ctx = cl.Context([device]); q = cl.CommandQueue(ctx); mf = cl.mem_flags
"""


@pytest.fixture
def script(engine):
    def run(code):
        command = [sys.executable, "-P", "-X", "faulthandler", "-c"]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(p or "." for p in sys.path)}
        head = HEAD.format(platform=engine.cl_device.platform.name)
        result = subprocess.run(
            [*command, head + code], capture_output=True, text=True, env=env, timeout=120, check=False
        )
        assert result.returncode == 0, f"exit status {result.returncode}\n{result.stdout}\n{result.stderr[-3000:]}"
        return result

    return run


def test_use_after_release(script):
    script("""
def refused(use, what):
    try: use()
    except ValueError as error: assert "released" in str(error) or "went back" in str(error), error
    except cl.LogicError as error: assert error.code_name == "INVALID_MEM_OBJECT", error
    else: raise AssertionError(what)
buf = cl.Buffer(ctx, mf.READ_WRITE, 64); kernel = cl.Program(ctx, "kernel void f(global int* a) {}").build().f
buf.release()
refused(lambda: kernel(q, (1,), None, buf), "kernel argument")
refused(lambda: cl.enqueue_copy(q, np.zeros(4), buf), "copy")
refused(lambda: da.Array(buf, 4, np.float32).copy_to_host(), "array")
pool = alloc.MemoryPool(alloc.ImmediateAllocator(q)); pooled = pool.allocate(64); pooled.release()
refused(lambda: kernel(q, (1,), None, pooled), "pooled")
mapped, _ = cl.enqueue_map_buffer(q, cl.Buffer(ctx, mf.READ_WRITE, 64), cl.map_flags.READ, 0, 16, np.int32)
mapped.base.release()
refused(lambda: mapped.base.release(), "map")
if device.svm_capabilities:
    svm = cl.SVMAllocation(ctx, 64, queue=q); svm.release()
    refused(lambda: kernel(q, (1,), None, svm), "svm")
""")


def test_objects_of_another_context(script):
    script("""
other = cl.Context([device]); their_queue = cl.CommandQueue(other)
buf = cl.Buffer(ctx, mf.READ_WRITE, 64); kernel = cl.Program(ctx, "kernel void f(global int* a) { *a = 1; }").build().f
for use in (lambda: cl.enqueue_copy(their_queue, np.zeros(4), buf),
            lambda: kernel(their_queue, (1,), None, buf),
            lambda: cl.enqueue_fill_buffer(their_queue, buf, np.int32(0), 0, 64),
            lambda: cl.enqueue_marker(q, wait_for=[cl.UserEvent(other)]),
            lambda: (kernel.set_arg(0, cl.Buffer(other, mf.READ_WRITE, 64)), kernel(q, (1,), None, buf).wait(), 1 / 0)):
    try: use()
    except (cl.Error, ZeroDivisionError): pass
    else: raise AssertionError("objects of two contexts were mixed")
x = da.Array(buf, 16, np.float32)
y = da.Array(cl.Buffer(other, mf.READ_WRITE, 64), 16, np.float32)
try: (x + y).copy_to_host()
except errors.DeviceError: pass
else: raise AssertionError("arrays of two contexts were added")
""")


def test_failed_builds(script):
    script("""
for source, options in (("kernel void f( {", ""), ("kernel void f() { undeclared(); }", ""),
                        ("kernel void f() {}", "-no-such-option"), ("", "-cl-std=CL9.9"), ("#error stop", "")):
    for _ in range(3):
        try: cl.Program(ctx, source).build(options)
        except cl.Error as error: assert error.code_name != "UNKNOWN"
        else: assert source == ""
program = cl.Program(ctx, "kernel void f(global int* a) { *a = 1; }")
try: program.f
except (cl.Error, AttributeError): pass
try: cl.Program(ctx, [device], [b"garbage"]).build()
except cl.Error: pass
else: raise AssertionError("garbage was built")
""")


def test_launches_that_do_not_fit(script):
    script("""
source = "kernel void f(local int* s, global int* a) { s[get_local_id(0)] = 1; a[0] = s[0]; }"
kernel = cl.Program(ctx, source).build().f
a = cl.Buffer(ctx, mf.READ_WRITE, 64)
limit = device.max_work_group_size
for sizes, local in (((limit * 4,), limit * 4), ((0,), 16)):
    try: kernel(q, sizes, (local,) if sizes[0] else None, cl.LocalMemory(16), a); q.finish()
    except cl.Error: pass
try: kernel(q, (16,), (16,), cl.LocalMemory(device.local_mem_size * 1024), a); q.finish()
except cl.Error as error: assert "bytes" in str(error) and error.is_out_of_memory(), error
else: raise AssertionError("more local memory than there is")
try:
    huge = cl.Buffer(ctx, mf.READ_WRITE, 1 << 60)  # NVIDIA's driver finds out at the first use
    cl.enqueue_fill_buffer(q, huge, np.uint8(1), 0, 16).wait()
except cl.Error as error: assert error.code and error.routine.startswith("cl") and error.what() == str(error)
else: raise AssertionError("2**60 bytes")
huge = None
kernel(q, (16,), (16,), cl.LocalMemory(64), a).wait()
""")


def test_exceptions_in_callbacks(script):
    result = script("""
reported = []
sys.unraisablehook = lambda unraisable: reported.append(unraisable.exc_type)
done = threading.Event()
gates = [cl.UserEvent(ctx) for _ in range(50)]
def fail(status): raise KeyError(status)
for gate in gates:
    gate.set_callback(cl.command_execution_status.COMPLETE, fail)
    gate.set_callback(cl.command_execution_status.COMPLETE, lambda status: done.set())
    gate.set_status(0)
assert done.wait(20)
for _ in range(200):
    if len(reported) == 50: break
    done.clear(); done.wait(0.05)
assert reported == [KeyError] * 50, len(reported)
left = cl.UserEvent(ctx)  # its callback never runs, and the process ends all the same
left.set_callback(cl.command_execution_status.COMPLETE, lambda status: print("late"))
""")
    assert "late" not in result.stdout


def test_a_failed_event_fails_what_waits_for_it(script):
    script("""
gate = cl.UserEvent(ctx)
marker = cl.enqueue_marker(cl.CommandQueue(ctx), wait_for=[gate])
gate.set_status(-5)
try: marker.wait()
except cl.Error as error: assert error.code < 0
else: raise AssertionError("the wait went through")
""")


def test_a_hundred_thousand_objects_at_exit(script):
    result = script("""
kept = [cl.Buffer(ctx, mf.READ_WRITE, 256) for _ in range(40_000)]
buf = kept[0]
kept += [cl.MemoryObject.from_int_ptr(buf.int_ptr) for _ in range(20_000)]
kept += [cl.UserEvent(ctx) for _ in range(20_000)]
kernel = cl.Program(ctx, "kernel void f(global int* a) { *a = 1; }").build().f
kept += [cl.Kernel.from_int_ptr(kernel.int_ptr) for _ in range(19_000)]
if device.svm_capabilities: kept += [cl.SVMAllocation(ctx, 64) for _ in range(1_000)]
else: kept += [cl.enqueue_marker(q) for _ in range(1_000)]
x = da.Array(buf, 64, np.float32); kept += [x + i for i in range(50)]
print(len(kept))
""")
    assert int(result.stdout) >= 100_000


def test_images_out_of_bounds(script, engine):
    if not engine.cl_device.image_support:
        pytest.skip(f"{engine} has no images")
    script("""
image = cl.Image(ctx, mf.READ_WRITE, cl.ImageFormat(cl.channel_order.R, cl.channel_type.FLOAT), shape=(4, 4))
for use in (lambda: cl.enqueue_copy(q, np.zeros((4, 4), np.float32), image, origin=(2, 0), region=(4, 4)),
            lambda: cl.enqueue_fill_image(q, image, np.zeros(4, np.float32), (0, 0), (5, 4)),
            lambda: cl.enqueue_map_image(q, image, cl.map_flags.READ, (0, 0), (9, 9), (9, 9), np.float32)):
    try: use()
    except (cl.Error, ValueError): pass
    else: raise AssertionError("outside of the image")
""")


def test_rectangles_out_of_bounds(script):
    script("""
buf = cl.Buffer(ctx, mf.READ_WRITE, 64); host = np.zeros(64, np.uint8)
rect = dict(buffer_origin=(0, 0), host_origin=(0, 0), region=(8, 20), buffer_pitches=(8,), host_pitches=(8,))
for use in (lambda: cl.enqueue_copy(q, host, buf, **rect), lambda: cl.enqueue_copy(q, buf, host, **rect),
            lambda: cl.enqueue_copy(q, host, buf, src_offset=40), lambda: cl.enqueue_copy(q, buf, buf, byte_count=65)):
    try: use(); q.finish()
    except (cl.Error, ValueError): pass
    else: raise AssertionError("outside of the buffer")
""")


def test_constants_of_errors():
    error = cl.LogicError("text")
    assert (
        isinstance(error, cl.Error) and issubclass(cl.MemoryError, MemoryError) and cl.RuntimeError is not RuntimeError
    )
