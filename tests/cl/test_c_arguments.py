"""Arguments of generated kernels out of C texts, and names of dtypes in C, with PyOpenCL as the oracle."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import devarray as da
from devarray import cl
from devarray.cl import array as cl_array
from devarray.cl import cltypes, elementwise, tools

DECLARATIONS = [
    "float *x, int n",
    "__global const float2 *y, unsigned int m,double z[3] , unsigned long int k",
    "cfloat_t *x, const cdouble_t c, signed char v, short unsigned int w, long signed int u, uintptr_t p",
    "float * restrict x, volatile int *flags",
]


@pytest.fixture
def queue(ctx):
    return cl.CommandQueue(ctx)


def described(arguments):
    """Without the names of vectors' components, which PyOpenCL and NumPy's titles order differently."""
    return [(type(a).__name__, known(a.dtype), a.name, getattr(a, "with_offset", None)) for a in arguments]


def known(dtype):
    return dtype if dtype is None or dtype.names is None else ([f for f, *_ in dtype.fields.values()], dtype.itemsize)


@pytest.mark.parametrize("with_offset", [False, True])
@pytest.mark.parametrize("text", DECLARATIONS)
def test_lists_of_arguments_are_pyopencls(text, with_offset):
    theirs = pytest.importorskip("pyopencl.tools")
    for given in (text, text.split(",")):
        ours, other = (module.parse_arg_list(given, with_offset=with_offset) for module in (tools, theirs))
        assert described(ours) == described(other)
        for name in ("get_arg_list_scalar_arg_dtypes", "get_arg_list_arg_types"):
            results = [getattr(module, name)(a) for module, a in ((tools, ours), (theirs, other))]
            mine, wanted = ([getattr(x, "name", x) for x in r] for r in results)
            assert mine == wanted


def test_arguments_among_texts_stay():
    number = tools.ScalarArg(np.int32, "n")
    assert tools.parse_arg_list([number, "float *x"]) == [number, tools.VectorArg(np.float32, "x")]
    other = tools.OtherArg("__local float *scratch", "scratch")
    assert (other.declarator(), other.name, isinstance(other, tools.Argument)) == (other.decl, "scratch", True)
    with pytest.raises(da.DTypeError, match="not OtherArg"):
        tools.parse_arg_list([other])
    for function in (tools.get_arg_list_scalar_arg_dtypes, tools.get_arg_list_arg_types):
        with pytest.raises(da.DTypeError, match="a VectorArg or a ScalarArg"):
            function([other])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("__local float *x", "global memory"),
        ("__constant float *x", "global memory"),
        ("nonesuch *x", "'nonesuch'"),
        ("x", "a type and a name"),
        ("", "a type and a name"),
    ],
)
def test_texts_that_are_no_arguments(text, message):
    with pytest.raises(ValueError, match=message):
        tools.parse_c_arg(text)


def test_offsets_are_added_in_a_kernel(queue):
    arguments = tools.parse_arg_list("int *x, float *y, int n", with_offset=True)
    header = ", ".join(argument.declarator() for argument in arguments)
    body = f"{tools.get_arg_offset_adjuster_code(arguments)} x[get_global_id(0)] = n + (int)y[0];"
    kernel = cl.Program(queue.context, f"kernel void f({header}) {{ {body} }}").build().f
    kernel.set_scalar_arg_dtypes(tools.get_arg_list_scalar_arg_dtypes(arguments))
    x, y = cl_array.zeros(queue, 8, np.int32), cl_array.arange(queue, 4, dtype=np.float32)
    kernel(queue, (4,), None, x.base_data, x.offset + 12, y.base_data, y.offset + 8, 5)
    assert x.get().tolist() == [0, 0, 0, 7, 7, 7, 7, 0]


def test_registered_names_are_understood_in_kernels(queue):
    assert tools.get_or_register_dtype(["c_args_real", "c_args_number"], np.float32) == np.float32
    assert tools.dtype_to_ctype(np.float32) == "float" and tools.get_or_register_dtype("c_args_real") == np.float32
    assert tools.parse_c_arg("c_args_number *x") == tools.VectorArg(np.float32, "x")
    x = cl_array.arange(queue, 5, dtype=np.float32)
    elementwise.ElementwiseKernel(queue.context, "c_args_real x[], c_args_number a", "x[i] *= a")(x, 3)
    np.testing.assert_array_equal(x.get(), np.arange(5, dtype=np.float32) * 3)


def test_a_dtype_is_registered_once():
    layout, text = tools.match_dtype_to_c_struct(None, "c_args_pair", np.dtype([("a", np.int8), ("b", np.float64)]))
    with pytest.warns(DeprecationWarning, match="get_or_register_dtype"):
        tools.register_dtype(layout, ["c_args_pair", "c_args_pair_t"])
    assert tools.get_or_register_dtype(["c_args_pair_t", "c_args_pair"]) == layout
    assert tools.dtype_to_c_struct(None, layout) == text
    with warnings.catch_warnings(action="ignore"):
        with pytest.raises(RuntimeError, match="as 'c_args_pair', and alias_ok"):
            tools.register_dtype(layout, c_names="c_args_other")
        tools.register_dtype(layout, c_names="c_args_other", alias_ok=True)
        assert tools.get_or_register_dtype("c_args_other") == layout and tools.dtype_to_ctype(layout) == "c_args_pair"
        for error in (ValueError, RuntimeError):
            with pytest.raises(error, match="already, not int32"):
                tools.register_dtype(np.int32, "c_args_pair", alias_ok=True)
    for error in (tools.TypeNameNotKnown, KeyError, RuntimeError, ValueError):
        with pytest.raises(error, match=r"^no dtype is registered under the name .c_args_none.$"):
            tools.get_or_register_dtype(["c_args_pair", "c_args_none"])
    with pytest.raises(ValueError, match="stand for no one dtype"):
        tools.get_or_register_dtype(["int", "float"])


def test_texts_of_structures():
    theirs = pytest.importorskip("pyopencl.tools")
    assert tools.dtype_to_c_struct(None, np.dtype("f4")) == tools.dtype_to_c_struct(None, cltypes.float4) == ""
    loose = np.dtype([("a", np.int8), ("b", np.float64)])
    assert theirs.dtype_to_c_struct(None, np.dtype("f4")) == ""
    tools.get_or_register_dtype("c_args_loose", loose)
    with pytest.raises(ValueError, match="match_dtype_to_c_struct"):
        tools.dtype_to_c_struct(None, loose)


def test_vectors_of_one_value():
    theirs = pytest.importorskip("pyopencl.cltypes")
    for name in ("float4", "int2", "uchar16"):
        for maker in ("zeros_", "ones_"):
            ours, other = getattr(cltypes, maker + name)(), getattr(theirs, maker + name)()
            assert ours.dtype.itemsize == other.dtype.itemsize and ours.tolist() == other.tolist()
        assert getattr(cltypes, f"filled_{name}")(val=7).tolist() == getattr(theirs, f"filled_{name}")(7).tolist()


def test_vector_types_under_their_old_place():
    with pytest.warns(DeprecationWarning, match="cltypes.float4"):
        assert cl_array.vec.float4 == cltypes.float4
    with pytest.raises(AttributeError, match="nonesuch"):
        _ = cl_array.vec.nonesuch


def test_an_array_where_no_buffer_can_start(engine, queue):
    base = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 4096)
    x = cl_array.Array(queue, 1000, np.float32, data=base)
    x[...] = np.arange(1000, dtype=np.float32)
    assert x.data.int_ptr == base.int_ptr
    step = engine.cl_device.mem_base_addr_align // 32
    assert isinstance(x[step:].data, cl.Buffer)
    if step == 1:
        pytest.skip("buffer objects start at every element")
    with pytest.raises(cl_array.ArrayHasOffsetError, match="starts at byte 4") as caught:
        _ = x[1:].data
    assert isinstance(caught.value, ValueError)
    assert (x[1:].base_data.int_ptr, x[1:].offset) == (base.int_ptr, 4)
    np.testing.assert_array_equal(x[1:].copy().get(), np.arange(1, 1000, dtype=np.float32))
