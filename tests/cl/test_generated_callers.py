"""What code that libraries over PyOpenCL generate or derive takes from it: loopy's calls, arraycontext's class."""

from __future__ import annotations

import numpy as np
import pytest

import devarray.cl.array as cl_array
from devarray import cl, errors
from devarray.cl import tools
from devarray.cl.compyte import array as layout
from devarray.cl.compyte.dtypes import DTYPE_TO_NAME, NAME_TO_DTYPE, TYPE_REGISTRY
from devarray.cl.invoker import BUF_PACK_TYPECHARS

SOURCE = """
kernel void scaled(global const float* x, global float* z, float a, int n, float2 c)
{ int i = get_global_id(0); if (i < n) z[i] = a * x[i] + c.y; }
"""


@pytest.fixture
def queue(ctx):
    return cl.CommandQueue(ctx)


def test_arguments_are_set_by_lists_of_indices_and_values(ctx, queue):
    host = np.arange(10, dtype=np.float32)
    x, z = cl_array.to_device(queue, host), cl_array.zeros(queue, 10, np.float32)
    kernel = cl.Program(ctx, SOURCE).build().scaled
    assert {"f", "i"} <= set(BUF_PACK_TYPECHARS)
    kernel._set_arg_multi((0, x.data, 1, z.data))
    kernel._set_arg_buf_pack_multi((2, b"f", 3.0, 3, b"i", 7))
    kernel._set_arg_buf_multi((4, np.array([0, 0.5], np.float32)))
    cl.enqueue_nd_range_kernel(queue, kernel, (10,), None)
    np.testing.assert_array_equal(z.get(), np.where(np.arange(10) < 7, 3 * host + 0.5, 0))
    with pytest.raises(ValueError):
        kernel._set_arg_multi((0, x.data, 1))


@pytest.mark.parametrize("dtype", ["float32", [("low", "i4"), ("high", "f4")]])
def test_an_array_in_memory_that_its_allocator_made(ctx, queue, dtype):
    dtype, allocator = np.dtype(dtype), tools.DeferredAllocator(ctx)
    host = np.arange(24, dtype=np.int32).view(dtype)
    memory = allocator(host.nbytes)
    arguments = {"data": memory, "allocator": allocator}
    x = cl_array.Array(None, host.shape, dtype, **arguments, _fast=True, _size=24, _context=ctx, _queue=queue)
    assert x.queue is queue and x.allocator is allocator
    cl.enqueue_copy(queue, memory, host)
    np.testing.assert_array_equal(x.get(), host)
    part = cl_array.Array(queue, (2, 3), dtype, strides=(dtype.itemsize, 2 * dtype.itemsize), offset=16, data=memory)
    np.testing.assert_array_equal(part.get(), host[16 // dtype.itemsize :][:6].reshape(3, 2).T)


def test_host_copies_keep_the_order_of_columns(queue):
    host = np.asfortranarray(np.arange(24.0).reshape(2, 3, 4))
    x = cl_array.to_device(queue, host)
    for found, expected in ((x.get(), host), (x.T.get(), host.T), (x[:, 1:].get(), host[:, 1:])):
        np.testing.assert_array_equal(found, expected)
    assert x.get().strides == host.strides and x.T.get().strides == host.T.strides


@pytest.mark.parametrize("count", [20, 30_000])
def test_memory_that_is_kept_is_no_other_arrays(queue, count):
    host = np.arange(count, dtype=np.int32)
    x = cl_array.to_device(queue, host)
    kept = cl_array.Array(queue, count, np.int32, data=x.base_data, offset=x.offset)
    memory = (cl_array.to_device(queue, host) + 1).base_data
    del x
    others = [cl_array.to_device(queue, 0 * host) for _ in range(6)]
    np.testing.assert_array_equal(kept.get(), host)
    np.testing.assert_array_equal(cl_array.Array(queue, count, np.int32, data=memory).get(), host + 1)
    assert all(not other.get().any() for other in others)


class Tagged(cl_array.Array):
    """A class with a parameter of its own."""

    def __init__(self, cq, shape, dtype, order="C", allocator=None, data=None, offset=0, *, tag="none", **rest):
        super().__init__(cq, shape, dtype, order, allocator, data, offset, **rest)
        self.tag = tag

    def copy(self, queue=cl_array._copy_queue):
        return super().copy(queue=queue)


def test_a_derived_class_has_parameters_of_its_own(queue):
    x = Tagged(queue, (2, 3), np.float32, tag="mine")
    x.fill(3)
    assert x.tag == "mine"
    result = (x + 1)[0]
    assert type(result) is Tagged and result.tag == "none" and x.copy().tag == "none"
    np.testing.assert_array_equal(result.get(), np.full(3, 4, np.float32))
    again = Tagged(None, x.shape, x.dtype, data=x.base_data, offset=x.offset, tag="again", _queue=queue)
    assert again.tag == "again"
    np.testing.assert_array_equal(again.get(), x.get())
    with pytest.raises(TypeError, match="takes no argument 'tag'"):
        cl_array.Array(queue, (2,), np.float32, tag="no")


def test_one_table_of_names():
    assert TYPE_REGISTRY.dtype_to_ctype("int64") == DTYPE_TO_NAME[np.dtype("int64")] == "long"
    assert TYPE_REGISTRY.name_to_dtype["float4"] == NAME_TO_DTYPE["float4"] == cl.cltypes.float4
    pair = np.dtype([("registered", "f4"), ("pair", "f4")])
    TYPE_REGISTRY.get_or_register_dtype("registered_pair", pair)
    assert tools.dtype_to_ctype(pair) == TYPE_REGISTRY.dtype_to_name[pair] == "registered_pair"
    assert "registered_pair" in set(NAME_TO_DTYPE) and len(NAME_TO_DTYPE) > 20
    with pytest.raises(errors.ValueError):
        TYPE_REGISTRY.dtype_to_ctype(np.dtype("M8[s]"))
    with pytest.raises(KeyError):
        NAME_TO_DTYPE["nonesuch"]


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (1, 4, 2), (3, 1), (2, 0, 3)])
def test_strides_are_numpys(shape):
    rows, columns = np.zeros(shape, "f4"), np.zeros(shape, "f4", order="F")
    if 0 not in shape:
        assert layout.c_contiguous_strides(4, shape) == rows.strides
        assert layout.f_contiguous_strides(4, shape) == columns.strides
    for x in (rows, columns, rows[..., ::2] if shape else rows):
        flags = layout.ArrayFlags(x)
        assert (flags.c_contiguous, flags.f_contiguous) == (x.flags.c_contiguous, x.flags.f_contiguous)
        assert flags.forc == x.flags.forc
    assert layout.equal_strides(rows.strides, rows.strides, shape)


def test_memory_goes_back_in_threads_without_pythons_lock(queue):
    """The engine lets the last array over it go where it has released the lock: this ended the process on PoCL."""
    host = np.arange(30_000, dtype=np.int32)
    for _ in range(20):
        x = cl_array.to_device(queue, host)
        kept = cl_array.Array(queue, host.shape, np.int32, data=x.data)
        memory = (cl_array.to_device(queue, host) + 1).data
        del x
        others = [cl_array.to_device(queue, 0 * host) for _ in range(6)]
        np.testing.assert_array_equal(kept.get(), host)
        np.testing.assert_array_equal(cl_array.Array(queue, host.shape, np.int32, data=memory).get(), host + 1)
        assert all(not other.get().any() for other in others)
