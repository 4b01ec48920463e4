"""Kernel.capture_call: a call as a program of its own."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from devarray import cl
from devarray.cl import array as cl_array

SOURCE = """
// "quotes", a \\ and a %s of printf
kernel void scale(global const float *x, float a, local float *scratch, global float *z, global int *nothing) {
  const int i = get_global_id(0);
  scratch[get_local_id(0)] = FACTOR * a * x[i];
  z[i] = scratch[get_local_id(0)] + (nothing ? 1 : 0);
}
"""


def captured(text: str) -> Any:
    names: dict[str, Any] = {"__name__": "captured"}
    exec(compile(text, "captured.py", "exec"), names)
    return names["main"]


@pytest.fixture
def kernel(ctx):
    return cl.Kernel(cl.Program(ctx, SOURCE).build(options=["-DFACTOR=3"]), "scale")


def test_the_program_repeats_the_call(ctx, queue, kernel, tmp_path, monkeypatch):
    monkeypatch.setenv("PYOPENCL_CTX", "0")
    x = np.arange(32, dtype=np.float32)
    flags = cl.mem_flags
    given = cl.Buffer(ctx, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x)
    out = cl.Buffer(ctx, flags.WRITE_ONLY, x.nbytes)
    file = tmp_path / "call.py"
    kernel.capture_call(file, queue, (16,), (8,), given, np.float32(2.5), cl.LocalMemory(32), out, None,
                        global_offset=(4,))  # fmt: skip
    args = captured(file.read_text())()
    got = np.empty_like(x)
    again = cl.CommandQueue(args[0].context)
    cl.enqueue_copy(again, got, args[3])
    np.testing.assert_array_equal(got[4:20], x[4:20] * 7.5)


def test_arrays_are_arguments(queue, kernel, monkeypatch):
    monkeypatch.setenv("PYOPENCL_CTX", "0")
    x = cl_array.to_device(queue, np.arange(8, dtype=np.float32))
    text = io.StringIO()
    kernel.capture_call(text, queue, x.shape, None, x, np.float32(1), cl.LocalMemory(32), x * 0, None)
    args = captured(text.getvalue())()
    np.testing.assert_array_equal(args[3].get(), np.arange(8) * 3)


@pytest.mark.parametrize("a", [2, True, 2.5, -np.inf, np.nan, np.float32(2.5), np.int8(3)])
def test_types_that_are_set_are_captured(queue, kernel, monkeypatch, a):
    monkeypatch.setenv("PYOPENCL_CTX", "0")
    kernel.set_scalar_arg_dtypes([None, np.float32, None, None, None])
    x = cl_array.to_device(queue, np.arange(8, dtype=np.float32) + 1)
    text = io.StringIO()
    kernel.capture_call(text, queue, x.shape, None, x, a, cl.LocalMemory(32), x * 0, None)
    args = captured(text.getvalue())()
    np.testing.assert_array_equal(args[3].get(), (np.arange(8, dtype=np.float32) + 1) * np.float32(a) * 3)


def test_types_without_a_number_are_captured(queue, kernel):
    kernel.set_scalar_arg_dtypes([None, np.float32, None, None, None])
    with pytest.raises(TypeError, match="argument 0 is float"):
        kernel.capture_call(io.StringIO(), queue, (1,), None, 1.0, 1.0, None, None, None)


def test_what_cannot_be_captured_is_said(queue, kernel):
    with pytest.raises(TypeError, match="argument 1 is str"):
        kernel.capture_call(io.StringIO(), queue, (1,), None, None, "x")
    with pytest.raises(TypeError, match=r"argument 1 is float.*set_scalar_arg_dtypes"):
        kernel.capture_call(io.StringIO(), queue, (1,), None, None, 2.5)
    with pytest.raises(TypeError, match="argument 1 is int"):
        kernel.capture_call(io.StringIO(), queue, (1,), None, None, 2)
    with pytest.raises(TypeError, match="queue"):
        kernel.capture_call(io.StringIO(), "queue", (1,), None)
    with pytest.raises(TypeError, match="a path or a text file, not int"):
        kernel.capture_call(3, queue, (1,), None)
    with pytest.raises(TypeError, match="global_size"):
        kernel.capture_call(io.StringIO(), queue, "1", None)
    with pytest.raises(TypeError):
        kernel.capture_call()
