"""Arrays of structures under PyOpenCL's names: the same programs with both libraries, and with a derived class."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import numpy as np
import pytest

import devarray as da

if not da.devices() or da.device().driver != "opencl":
    pytest.skip("PyOpenCL's names are for OpenCL devices", allow_module_level=True)

# PyOpenCL's cache tells by a warning what a compiler says, and some forms of arguments are old to it.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
POINT = np.dtype([("n", "i4"), ("x", "f4")])


def derived_from(cl_array):
    """A class that marks arrays, as arraycontext's TaggableCLArray does."""

    class Marked(cl_array.Array):
        def __init__(
            self, cq, shape, dtype, order="C", allocator=None, data=None, offset=0, strides=None, events=None,
            _flags=None, _fast=False, _size=None, _context=None, _queue=None, mark="none",
        ):  # fmt: skip
            super().__init__(
                cq=cq, shape=shape, dtype=dtype, order=order, allocator=allocator, data=data, offset=offset,
                strides=strides, events=events, _flags=_flags, _fast=_fast, _size=_size, _context=_context,
                _queue=_queue,
            )  # fmt: skip
            self.mark = mark

        @property
        def label(self):
            return f"{self.mark}:{self.ndim}"

        @classmethod
        def of(cls, x, mark):
            return cls(
                None, x.shape, x.dtype, allocator=x.allocator, data=x.base_data, offset=x.offset, strides=x.strides,
                events=x.events, _context=x.context, _queue=x.queue, _size=x.size, _fast=True, mark=mark,
            )  # fmt: skip

        def copy(self, queue=cl_array._copy_queue):
            return self.of(super().copy(queue=queue), self.mark)

    return Marked


@pytest.fixture(params=["devarray.cl", "pyopencl"])
def lib(request, monkeypatch):
    monkeypatch.setenv("PYOPENCL_CACHE_FAILURE_FATAL", "")
    cl = pytest.importorskip(request.param)
    if request.param == "pyopencl":
        pytest.importorskip("mako")  # its templates' engine, without which it has no reductions
    modules = {name: importlib.import_module(f"{request.param}.{name}") for name in ("array", "tools", "elementwise")}
    modules |= {name: importlib.import_module(f"{request.param}.{name}") for name in ("reduction", "scan")}
    if request.param == "pyopencl":
        try:
            context = cl.Context(cl.get_platforms()[0].get_devices()[:1])
        except (cl.LogicError, IndexError):
            pytest.skip("PyOpenCL sees no device")
    else:
        context = da.queue().context
    layout, text = modules["tools"].match_dtype_to_c_struct(context.devices[0], "point_t", POINT)
    dtype = modules["tools"].get_or_register_dtype("point_t", layout)
    return SimpleNamespace(
        cl=cl, queue=cl.CommandQueue(context), context=context, dtype=dtype, text=text,
        Marked=derived_from(modules["array"]), **modules,
    )  # fmt: skip


def points(*shape):
    host = np.zeros(shape, POINT)
    host["n"] = np.arange(host.size).reshape(shape)
    host["x"] = host["n"] / 2
    return host


def test_they_are_arrays(lib):
    x = lib.array.to_device(lib.queue, points(3))
    assert isinstance(x, lib.array.Array)
    assert not isinstance(x, lib.Marked)
    assert not isinstance(points(3), lib.array.Array)
    assert type(x).__name__ == "Array"
    assert (x.shape, x.ndim, x.size, x.nbytes, x.strides) == ((3,), 1, 3, 24, (8,))
    assert x.dtype == POINT
    assert x.context == lib.context
    assert x.data.size >= 24
    with pytest.raises(TypeError):
        hash(x)


@pytest.mark.parametrize("make", ["empty", "zeros", "empty_like", "zeros_like", "Array"])
@pytest.mark.parametrize("order", "CF")
def test_functions_that_make_them(lib, make, order):
    if make.endswith("_like"):
        x = getattr(lib.array, make)(lib.array.Array(lib.queue, (2, 3), lib.dtype, order=order))
    else:
        x = getattr(lib.array, make)(lib.queue, (2, 3), lib.dtype, order=order)
    assert isinstance(x, lib.array.Array)
    assert x.strides == ((24, 8) if order == "C" else (8, 16))
    if "zeros" in make:
        np.testing.assert_array_equal(x.get(), np.zeros((2, 3), POINT))


def test_columns_stay_columns(lib):
    host = np.asfortranarray(points(3, 4))
    x = lib.array.to_device(lib.queue, host)
    assert x.strides == host.strides
    assert x.get().flags.f_contiguous
    np.testing.assert_array_equal(x.get(), host)


def test_memory_stays_while_the_array_lives(lib):
    x = lib.array.Array(lib.queue, 1000, lib.dtype)
    x.set(points(1000))
    others = [lib.array.zeros(lib.queue, 1000, lib.dtype) for _ in range(5)]
    np.testing.assert_array_equal(x.get(), points(1000))
    assert not others[0].get()["n"].any()


VIEWS = {
    "a row": lambda x: x[1],
    "an element": lambda x: x[1, 2],
    "rows": lambda x: x[1:3],
    "the last": lambda x: x[-1],
    "transposed": lambda x: x.T,
    "reshaped": lambda x: x.reshape(12),
    "flat": lambda x: x.ravel(),
    "squeezed": lambda x: x[:1].squeeze(),
    "as integers": lambda x: x.view(np.int32),
    "and back": lambda x: x.view(np.int32).view(POINT),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_numpys(lib, name):
    host = points(4, 3)
    found, wanted = VIEWS[name](lib.array.to_device(lib.queue, host)), VIEWS[name](host)
    assert isinstance(found, lib.array.Array)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.get(), wanted)


def test_moves(lib):
    host = points(6)
    x = lib.array.to_device(lib.queue, host)
    places = np.array([4, 0, 4], np.int32)
    found = lib.array.take(x, lib.array.to_device(lib.queue, places))
    assert isinstance(found, lib.array.Array)
    np.testing.assert_array_equal(found.get(), host[places])
    np.testing.assert_array_equal(lib.array.concatenate([x, x[:2]]).get(), np.concatenate([host, host[:2]]))
    np.testing.assert_array_equal(lib.array.stack([x, x]).get(), np.stack([host, host]))
    y = x.copy()
    y[1:3] = x[4:]
    y[0] = host[5]
    np.testing.assert_array_equal(y.get()["n"], [5, 4, 5, 3, 4, 5])
    np.testing.assert_array_equal(x.get(), host)


def test_transfers(lib):
    host = points(5)
    x = lib.array.empty(lib.queue, 5, lib.dtype)
    x.set(host, lib.queue)
    target = np.empty_like(host)
    assert x.get(lib.queue, target) is target
    np.testing.assert_array_equal(target, host)
    found, event = x.get_async()
    event.wait()
    np.testing.assert_array_equal(found, host)
    np.testing.assert_array_equal(x.map_to_host(), host)
    x.fill(np.array((7, 2.5), POINT))
    assert x.get().tolist() == [(7, 2.5)] * 5
    x.finish()
    x.add_event(lib.cl.enqueue_marker(lib.queue))
    x._zero_fill()
    assert x.get().tolist() == [(0, 0)] * 5


def test_a_frozen_array_has_no_queue(lib):
    for x in (lib.array.to_device(lib.queue, points(4)), lib.array.to_device(lib.queue, np.arange(4.0))):
        frozen = x.with_queue(None)
        assert frozen.queue is None
        assert frozen.context == lib.context
        assert frozen.with_queue(lib.queue).queue == lib.queue
        np.testing.assert_array_equal(frozen.with_queue(lib.queue).get(), x.get())
        assert lib.Marked.of(frozen, "cold").queue is None
        assert x.queue is not None


def test_the_memory_of_one_array_under_another(lib):
    x = lib.array.to_device(lib.queue, points(6))
    assert x[2:].base_data == x.base_data
    assert x[2:].offset == 16
    y = lib.array.Array(lib.queue, 3, lib.dtype, data=x.base_data, offset=16)
    assert y.base_data is y.base_data
    del x
    others = [lib.array.zeros(lib.queue, 6, lib.dtype) for _ in range(5)]
    np.testing.assert_array_equal(y.get(), points(6)[2:5])
    assert len(others) == 5


def test_arithmetic_is_refused(lib):
    x = lib.array.to_device(lib.queue, points(3))
    for wrong in (lambda: x + x, lambda: -x, lambda: lib.array.sum(x), lambda: x.astype(np.float32)):
        with pytest.raises((TypeError, RuntimeError, lib.cl.Error)):
            wrong()


@pytest.mark.parametrize("host", [points(4), np.arange(4.0)], ids=["structures", "numbers"])
def test_a_derived_class(lib, host):
    x = lib.Marked.of(lib.array.to_device(lib.queue, host), "first")
    assert isinstance(x, lib.Marked)
    assert isinstance(x, lib.array.Array)
    assert type(x).__name__ == "Marked"
    assert x.label == "first:1"
    copied = x.copy()
    assert isinstance(copied, lib.Marked)
    assert copied.mark == "first"
    np.testing.assert_array_equal(copied.get(), host)
    assert isinstance(x[1:], lib.Marked)
    assert isinstance(lib.array.empty_like(x), lib.Marked)
    fresh = lib.Marked(lib.queue, (2, 3), host.dtype, mark="new")
    fresh._zero_fill()
    assert fresh.label == "new:2"
    assert fresh.get().tolist() == np.zeros((2, 3), host.dtype).tolist()
    assert isinstance(x.with_queue(None), lib.Marked)


def test_a_derived_class_seen_as_numbers_and_as_structures(lib):
    x = lib.Marked.of(lib.array.to_device(lib.queue, points(4)), "first")
    numbers = x.view(np.int32)
    assert isinstance(numbers, lib.Marked)
    assert numbers.shape == (8,)
    assert isinstance(numbers.view(POINT), lib.Marked)


def test_in_kernels(lib):
    host = points(50)
    x = lib.array.to_device(lib.queue, host)
    arguments = [lib.tools.VectorArg(lib.dtype, "p"), lib.tools.ScalarArg(np.int32, "k")]
    scale = lib.elementwise.ElementwiseKernel(lib.context, arguments, "p[i].n *= k", preamble=lib.text)
    scale(x, 3)
    np.testing.assert_array_equal(x.get()["n"], 3 * host["n"])
    preamble = lib.text + "point_t both(point_t a, point_t b) { a.n += b.n; a.x = fmax(a.x, b.x); return a; }"
    preamble += "\npoint_t none() { point_t p; p.n = 0; p.x = 0; return p; }"
    total = lib.reduction.ReductionKernel(
        lib.context, lib.dtype, "none()", "both(a, b)", "p[i]", "point_t *p", preamble=preamble
    )
    found = total(lib.Marked.of(x, "any"))
    assert isinstance(found, lib.array.Array)
    assert found.get().tolist() == (3 * host["n"].sum(), 24.5)
    scan = lib.scan.GenericScanKernel(
        lib.context, lib.dtype, "point_t *p, point_t *out", "p[i]", "both(a, b)", "none()", "out[i] = item",
        preamble=preamble,
    )  # fmt: skip
    out = lib.array.empty_like(x)
    scan(x, out)
    np.testing.assert_array_equal(out.get()["n"], np.cumsum(3 * host["n"]))
    text = lib.text + "kernel void up(global point_t *p) { p[get_global_id(0)].x += 1; }"
    program = lib.cl.Program(lib.context, text).build()
    program.up(lib.queue, x.shape, None, x.data)
    np.testing.assert_array_equal(x.get()["x"], host["x"] + 1)


def test_kernels_place_results_near_frozen_arrays(queue, ctx):
    cl_array, reduction = (importlib.import_module(f"devarray.cl.{name}") for name in ("array", "reduction"))
    x = cl_array.to_device(queue, np.arange(2000.0)).with_queue(None)
    total = reduction.ReductionKernel(ctx, np.float64, "0", "a + b", "x[i]", "double *x")(x)
    assert total.get() == 1999000
    assert total.context == ctx
    doubled = da.ElementwiseKernel("T x", "T y", "y = 2 * x", "doubled")(x)
    assert doubled.device == x.device
    assert doubled.copy_to_host()[-1] == 3998


def test_fields_are_arrays_of_the_same_class():
    cl_array = importlib.import_module("devarray.cl.array")
    marked = derived_from(cl_array)
    x = cl_array.to_device(da.queue(), points(4))
    assert isinstance(x["n"], cl_array.Array)
    assert isinstance(marked.of(x, "first")["n"], marked)
    x["n"] += 1
    np.testing.assert_array_equal(x.get()["n"], [1, 2, 3, 4])
    with pytest.raises(da.DTypeError, match="sum takes device arrays of numbers"):
        cl_array.sum(x)
    with pytest.raises(da.DTypeError, match="operand type for neg"):
        -da.to_device(points(2))


def test_an_array_in_the_shared_memory_of_another():
    cl = importlib.import_module("devarray.cl")
    cl_array, tools = (importlib.import_module(f"devarray.cl.{name}") for name in ("array", "tools"))
    queue = cl.CommandQueue(da.queue().context)
    if not queue.device.svm_capabilities:
        pytest.skip("no shared virtual memory")
    pool = tools.SVMPool(tools.SVMAllocator(queue.context, flags=cl.svm_mem_flags.READ_WRITE, queue=queue))
    for host in (np.arange(6.0), points(6)):
        x = cl_array.to_device(queue, host, allocator=pool)
        part = x[2:5]
        y = cl_array.Array(None, 3, host.dtype, data=part.base_data, offset=part.offset, _queue=part.queue)
        del x, part
        others = [cl_array.to_device(queue, np.zeros_like(host), allocator=pool) for _ in range(5)]
        np.testing.assert_array_equal(y.get(), host[2:5])
        assert len(others) == 5


def test_a_structure_by_value(lib):
    box = np.array((3, 0.5), POINT)
    x = lib.array.to_device(lib.queue, np.arange(100, dtype=np.int32))
    out = lib.array.empty_like(x)
    arguments = [lib.tools.ScalarArg(lib.dtype, "box"), lib.tools.VectorArg(np.int32, "x", with_offset=True)]
    lib.elementwise.ElementwiseKernel(lib.context, arguments, "x[i] = x[i] * box.n + 2 * box.x", preamble=lib.text)(
        box, x
    )
    np.testing.assert_array_equal(x.get(), np.arange(100) * 3 + 1)
    preamble = lib.text + "int grown(point_t p, int y) { return y + p.n; }"
    total = lib.reduction.ReductionKernel(
        lib.context, np.int32, "0", "a + b", "grown(box, x[i])", "point_t box, int *x", preamble=preamble
    )
    assert total(box, x).get() == (x.get() + 3).sum()
    scan = lib.scan.GenericScanKernel(
        lib.context, np.int32, [*arguments, lib.tools.VectorArg(np.int32, "out")], "grown(box, x[i])", "a + b", "0",
        "out[i] = item - box.n", preamble=preamble,
    )  # fmt: skip
    for value in (box, box[()]):
        scan(value, x, out)
        np.testing.assert_array_equal(out.get(), np.cumsum(x.get() + 3) - 3)


def test_another_value_than_the_structure_is_named():
    elementwise = importlib.import_module("devarray.cl.elementwise")
    cl_array, cltypes = (importlib.import_module(f"devarray.cl.{name}") for name in ("array", "cltypes"))
    x = cl_array.zeros(da.queue(), 4, np.float32)
    kernel = elementwise.ElementwiseKernel(da.queue().context, "float *x, float2 v", "x[i] = v.y")
    kernel(x, cltypes.make_float2(1, 2))
    assert x.get().tolist() == [2.0] * 4
    with pytest.raises(da.DTypeError, match="v is a structure of"):
        kernel(x, 3)


def test_integers_of_another_sign_are_read_as_c_does(lib):
    x = lib.array.to_device(lib.queue, np.array([-1, 2, 3], np.int8))
    flags = lib.array.zeros(lib.queue, 3, np.int8)
    arguments = [lib.tools.VectorArg(np.uint8, name, with_offset=True) for name in ("x", "flags")]
    lib.elementwise.ElementwiseKernel(lib.context, arguments, "flags[i] = x[i] > 100")(x, flags)
    assert flags.get().tolist() == [1, 0, 0]
    largest = lib.reduction.ReductionKernel(lib.context, np.uint32, "0", "max(a, b)", "(uint)x[i]", [arguments[0]])
    assert largest(x).get() == 255


def test_kernels_take_arrays_with_an_allocator(lib):
    pool = lib.tools.MemoryPool(lib.tools.ImmediateAllocator(lib.queue))
    for allocator in (lib.tools.DeferredAllocator(lib.context), pool):
        x = lib.array.to_device(lib.queue, np.arange(3000.0), allocator=allocator)
        total = lib.reduction.ReductionKernel(lib.context, np.float64, "0", "a + b", "x[i]", "double *x")
        assert total(x).get() == 4498500
        scan = lib.scan.GenericScanKernel(lib.context, np.float64, "double *x", "x[i]", "a + b", "0", "x[i] = item")
        scan(x)
        np.testing.assert_array_equal(x.get(), np.cumsum(np.arange(3000.0)))
