"""Dialects: what each writes, and that kernels carry no more prelude than they use."""

from __future__ import annotations

import re

import numpy as np
import pytest
from runtimes import Runtime, linear_spec, op_node

from devarray.codegen.kernels.elementwise import render
from devarray.codegen.language.dialect import CTYPE, CUDA, OpenCL, dialect_for
from devarray.codegen.prelude import base as prelude
from devarray.ops.dtypes import DTYPES, INTEGERS, KIND
from devarray.ops.table import OPS


def test_dialects_by_driver() -> None:
    assert isinstance(dialect_for("opencl", {"strategy": "cpu"}), OpenCL)
    assert isinstance(dialect_for("cuda", {}), CUDA)
    with pytest.raises(ValueError, match="no dialect for driver 'metal'; there are cuda, opencl"):
        dialect_for("metal", {})


def test_cuda_options_keep_ieee_arithmetic_and_leave_the_architecture_to_the_driver_layer() -> None:
    options = dialect_for("cuda", {}).build_options().split()
    assert {"--fmad=false", "-ftz=false", "-prec-div=true", "-prec-sqrt=true"} <= set(options)
    assert not any("arch" in option for option in options)


def test_opencl_forbids_contraction_and_fast_math() -> None:
    dialect = dialect_for("opencl", {"strategy": "gpu"})
    assert dialect.header.startswith("#pragma OPENCL FP_CONTRACT OFF")
    assert dialect.build_options().split() == ["-cl-fp32-correctly-rounded-divide-sqrt", "-w"]


def test_loops_that_copy_stay_loops_on_cpus() -> None:
    """Their compilers' memcpy is slow where the target lies a little further on in its page."""
    nodes = [op_node(OPS["copy"], "float64", (0,))]
    for strategy in ("cpu", "gpu"):
        source = render(linear_spec(nodes, ["float64"]), dialect_for("opencl", {"strategy": strategy, "fp64": True}))
        assert ("no_builtin" in source) == (strategy == "cpu")


def test_double_is_named_only_where_the_device_has_it() -> None:
    without = dialect_for("opencl", {"strategy": "gpu", "fp64": False})
    nodes = [op_node(OPS[name], "complex64", (0, 0)[: OPS[name].nin]) for name in ("pow", "exp", "asin", "tanh")]
    source = render(linear_spec(nodes, ["complex64"]), without)
    assert not re.search(r"\b(double|f64|c128)\b", re.sub(r"#define.*", "", source))
    assert "f64" in dialect_for("opencl", {"strategy": "gpu", "fp64": True}).header


def test_a_program_holds_just_the_functions_it_uses() -> None:
    dialect = dialect_for("opencl", {"strategy": "cpu"})
    functions = re.findall(r"^FN \w+ (\w+)\(", dialect.program("x = remainder_f64(a, b);"), re.M)
    assert set(functions) == {"remainder_f64", "fmod_f64", "copysign_f64"}
    assert functions[-1] == "remainder_f64"
    assert "FN " not in dialect.program("x = a + b;").replace("#define FN ", "")


def test_prelude_texts_are_made_for_their_type() -> None:
    assert prelude.instantiate("FN T f_T(const T x) { return (T)((U)x + 1.5_T); }", "i8") == (
        "FN i8 f_i8(const i8 x) { return (i8)((u32)x + 1.5f); }"
    )
    assert prelude.instantiate("T z = exp_R(0x1p-3_R) + to_u8_T(2.5e-3_T);", "c128") == (
        "c128 z = exp_f64(0x1p-3) + to_u8_c128(2.5e-3);"
    )


@pytest.mark.parametrize("dtype", DTYPES)
def test_literals_are_exact(runtime: Runtime, dtype: str) -> None:
    dialect = runtime.dialect
    if KIND[dtype] == "b":
        values: list = [False, True]
    elif dtype in INTEGERS:
        values = [np.iinfo(dtype).min, -1 if KIND[dtype] == "i" else 1, 0, np.iinfo(dtype).max]
    else:
        values = [0.0, -0.0, 0.1, -1.5, float(np.finfo(dtype).max), float(np.finfo(dtype).smallest_subnormal)]
        values += [np.inf, -np.inf, np.nan]
        if KIND[dtype] == "c":
            values += [complex(-0.0, 0.1), complex(np.inf, -1)]
    values = [value if KIND[dtype] == "c" else np.dtype(dtype).type(value).item() for value in values]
    element = dialect.pointer(dtype, const=False)
    lines = [f"  {element} p = ({element})m0;"]
    for i, value in enumerate(values):
        lines.append(f"  {dialect.store(dtype, 'p', str(i), dialect.literal(value, dtype))}")
    out = np.zeros(len(values), dtype)
    runtime.launch(runtime.build(dialect.program(dialect.kernel("k", "w", 1, "\n".join(lines)))), [out], [0], (1,))
    np.testing.assert_array_equal(out, np.array(values, dtype))
    if KIND[dtype] == "f":
        np.testing.assert_array_equal(np.signbit(out[:-1]), np.signbit(np.array(values, dtype)[:-1]))


def test_a_complex_literal_needs_a_complex_dtype() -> None:
    with pytest.raises(TypeError, match="a complex literal has no value of dtype float32"):
        dialect_for("cuda", {}).literal(1j, "float32")


def test_kernels_have_the_engines_signature() -> None:
    text = dialect_for("opencl", {"strategy": "gpu"}).kernel("k", "rw", 3, "  ;")
    assert "struct Slots { i64 v[3]; };" in text
    assert "KERNEL void k(GLOBAL const char* RESTRICT m0, GLOBAL char* RESTRICT m1, const struct Slots s)" in text
    fixed = dialect_for("cuda", {}).kernel("scan", "rw", 0, "  ;", restrict=False, group=256)
    assert "struct Slots { i64 v[1]; };" in fixed
    assert "KERNEL GROUP_SIZE(256) void scan(GLOBAL const char* m0, GLOBAL char* m1, const struct Slots s)" in fixed


def test_vector_accesses_are_at_most_sixteen_bytes() -> None:
    dialect = dialect_for("cuda", {})
    assert [(chunk.first, chunk.lanes) for chunk in dialect.chunks("float64", 4)] == [(0, 2), (2, 2)]
    assert dialect.chunk_type("complex64", dialect.chunks("complex64", 2)[0]) == "f32x4"
    assert dialect.chunk_type("float16", dialect.chunks("float16", 4)[0]) == "u16x4"
    assert dialect.chunk_type("bool", dialect.chunks("bool", 16)[0]) == "u8x16"


def test_every_dtype_has_its_own_type_name() -> None:
    assert len(set(CTYPE.values())) == len(DTYPES)


def test_generated_text_alone_is_compiled_without_what_it_never_uses() -> None:
    """A text of a user's may have textures, or launch kernels."""
    cuda, opencl = dialect_for("cuda", {}), dialect_for("opencl", {})
    assert cuda.generated_options.split() == [*cuda.options.split(), "--minimal"]
    assert "--minimal" not in cuda.options
    assert opencl.generated_options == opencl.options
