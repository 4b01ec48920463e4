"""Kernels of every mode, access kind and vector width give NumPy's arrays."""

from __future__ import annotations

import re

import numpy as np
import pytest
from launching import run
from runtimes import Runtime

from devarray.codegen.kernels.elementwise import render
from devarray.codegen.kernels.operands import operands, unravel
from devarray.codegen.kernels.spec import ElementwiseSpec
from devarray.codegen.language.dialect import Dialect, dialect_for
from devarray.ops.dtypes import DTYPES, INTEGERS

SUM = (("add", "float32", "float32", (0, 1)),)


def gpu(runtime: Runtime) -> Dialect:
    """The same runtime, written for as if it were a GPU."""
    return dialect_for("opencl", {**runtime.dialect.caps, "strategy": "gpu"})


def spec(mode: str, ndim: int, leaves: tuple, outputs: tuple, nodes: tuple = SUM, **other: object) -> ElementwiseSpec:
    fields: dict = {"wide": False, "vec": 1, "rows": 4, "alias": False, "scalars": ()} | other
    return ElementwiseSpec(mode=mode, ndim=ndim, leaves=leaves, nodes=nodes, outputs=outputs, **fields)


def layout(array: np.ndarray, base: np.ndarray) -> list[int]:
    """Byte offset and byte strides of a view."""
    offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return [offset, *array.strides]


@pytest.mark.parametrize(("vec", "apart"), [(1, False), (2, False), (4, False), (16, False), (2, True), (8, True)])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bool", "complex64", "complex128"])
@pytest.mark.heavy
def test_linear_kernels_cover_every_element_at_any_vector_width(
    runtime: Runtime, dtype: str, vec: int, apart: bool
) -> None:
    nodes = (("add", dtype, dtype, (0, 1)),)
    kernel = spec("linear", 1, ((dtype, "linear"),) * 2, ((2, dtype, "linear"),), nodes, vec=vec, apart=apart)
    program = runtime.build(render(kernel, gpu(runtime)))
    for n in (1, 7, 64, 1000):
        a = (np.arange(n) % 5).astype(dtype)
        b = (np.arange(n) % 3).astype(dtype)
        out = np.zeros(n, dtype)
        runtime.launch(program, [a, b, out], [n, 0, 0, 0], (-(-n // vec),))
        np.testing.assert_array_equal(out, a + b)


@pytest.mark.parametrize(("vec", "apart"), [(1, False), (4, False), (4, True)])
def test_interior_nodes_can_be_outputs_of_other_dtypes(runtime: Runtime, vec: int, apart: bool) -> None:
    x = np.linspace(-3, 3, 101).astype(np.float32)
    nodes = (("multiply", "float32", "float32", (0, 0)), ("greater", "float32", "bool", (1, 0)))
    outputs = ((1, "float64", "linear"), (2, "bool", "linear"), (1, "int8", "linear"))
    kernel = spec("linear", 1, (("float32", "linear"),), outputs, nodes, vec=vec, apart=apart)
    square, greater, small = np.zeros(101), np.zeros(101, bool), np.zeros(101, np.int8)
    runtime.launch(runtime.build(render(kernel, gpu(runtime))), [x, square, greater, small], [101, 0, 0, 0, 0], (101,))
    np.testing.assert_array_equal(square, (x * x).astype(np.float64))
    np.testing.assert_array_equal(greater, x * x > x)
    np.testing.assert_array_equal(small, (x * x).astype(np.int8))


def test_byte_offsets_and_uniform_operands(runtime: Runtime) -> None:
    base = np.arange(20, dtype=np.float32)
    out = np.zeros(20, np.float32)
    kernel = spec("linear", 1, (("float32", "linear"), ("float32", "uniform")), ((2, "float32", "linear"),))
    runtime.launch(runtime.build(render(kernel, runtime.dialect)), [base, base, out], [8, 12, 40, 16], (8,))
    np.testing.assert_array_equal(out[4:12], base[3:11] + base[10])
    assert not out[:4].any() and not out[12:].any()


def test_donated_memory_is_read_before_it_is_written(runtime: Runtime) -> None:
    base = np.arange(100, dtype=np.float32)
    kernel = spec("linear", 1, (("float32", "linear"),) * 2, ((2, "float32", "linear"),), alias=True)
    source = render(kernel, runtime.dialect)
    assert "RESTRICT m" not in source
    expected = base + base
    run(runtime, source, "k", [base, base, base], [100, 0, 0, 0], (1,), 100)  # one buffer
    np.testing.assert_array_equal(base, expected)


@pytest.mark.parametrize("device", ["cpu", "gpu"])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("mode", ["rows", "flat"])
@pytest.mark.parametrize("shape", [(7,), (3, 70), (2, 3, 4, 5)])
def test_strided_kernels(runtime: Runtime, mode: str, shape: tuple[int, ...], wide: bool, device: str) -> None:
    ndim = len(shape)
    rng = np.random.default_rng(0)
    base = rng.integers(-9, 9, tuple(2 * n for n in shape)).astype(np.float32)
    unit = base[tuple(slice(1, n + 1) for n in shape)]
    reversed_ = base[tuple(slice(None, None, -2) for _ in shape)]
    row = np.broadcast_to(base[(*(slice(n) for n in shape[:-1]), slice(1))], shape)
    target = np.zeros(tuple(3 * n for n in shape), np.float32)
    written = target[tuple(slice(2, None, 3) for _ in shape)]
    accesses = ("unit", "strided", "row")
    nodes = (("add", "float32", "float32", (0, 1)), ("multiply", "float32", "float32", (3, 2)))
    kernel = spec(
        mode, ndim, tuple(("float32", access) for access in accesses), ((4, "float32", "strided"),), nodes, wide=wide
    )
    slots = [*shape]
    for view, memory in ((unit, base), (reversed_, base), (row, base), (written, target)):
        slots += layout(view, memory)
    dialect = runtime.dialect if device == "cpu" else gpu(runtime)
    outer = int(np.prod(shape[:-1]))
    size = (int(np.prod(shape)),)
    if mode == "rows":  # a GPU kernel loops over rows that the launch does not cover
        size = (shape[-1], outer if device == "cpu" else max(1, outer // 2))
    before = target.copy()
    runtime.launch(runtime.build(render(kernel, dialect)), [base, base, base, target], slots, size)
    expected = (unit + reversed_) * row
    np.testing.assert_array_equal(written, expected)
    written[...] = 0
    np.testing.assert_array_equal(target, before)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (67,), (3, 70)])
@pytest.mark.parametrize("steps", [-1, 2, 3, 4])
def test_neighbours_that_many_steps_away(runtime: Runtime, steps: int, shape: tuple[int, ...], dtype: str) -> None:
    columns = 4 * shape[-1]
    base = (np.arange(np.prod(shape[:-1], dtype=int) * columns) % 7 % (2 if dtype == "bool" else 7)).astype(dtype)
    base = base.reshape(*shape[:-1], columns)
    read, target = base[..., ::steps][..., : shape[-1]], np.zeros_like(base)
    written = target[..., 1 % columns :: steps][..., : shape[-1]] if steps > 0 else target[..., shape[-1] - 1 :: -1]
    access = (dtype, f"steps:{steps}:strided")
    nodes = (("where", dtype, dtype, (0, 0, 0)),) if dtype == "bool" else (("add", dtype, dtype, (0, 0)),)
    kernel = spec("rows", len(shape), (access,), ((1, *access),), nodes, wide=True)
    slots = [*shape, *layout(read, base), *layout(written, target)]
    slots[2 * len(shape)] = slots[-1] = 1 << 40  # no kernel looks for the distance here
    runtime.launch(
        runtime.build(render(kernel, runtime.dialect)), [base, target], slots, (shape[-1], int(np.prod(shape[:-1])))
    )
    expected = np.zeros_like(base)
    view = expected[..., 1 % columns :: steps][..., : shape[-1]] if steps > 0 else expected[..., shape[-1] - 1 :: -1]
    view[...] = read if dtype == "bool" else read + read
    np.testing.assert_array_equal(target, expected)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float16", "complex64", "int8"])
@pytest.mark.parametrize("shape", [(37, 8), (2, 3, 4, 16)])
def test_short_rows_by_vectors(runtime: Runtime, shape: tuple[int, ...], dtype: str, wide: bool) -> None:
    table = (np.arange(np.prod(shape) * 2) % 7).astype(dtype).reshape(*shape[:-1], -1)
    base = table[..., : shape[-1]]
    columns = np.broadcast_to(np.arange(shape[-1]).astype(dtype), shape)
    rows = np.broadcast_to((np.arange(np.prod(shape[:-1])) % 5).astype(dtype).reshape(*shape[:-1], 1), shape)
    out = np.zeros(shape, dtype)
    nodes = (("multiply", dtype, dtype, (0, 1)), ("add", dtype, dtype, (3, 2)))
    leaves = ((dtype, "unit"), (dtype, "unit"), (dtype, "row"))
    kernel = spec("flat", len(shape), leaves, ((4, dtype, "unit"),), nodes, wide=wide, vec=2 if dtype[0] == "c" else 4)
    memory = [table, np.array(columns[(0,) * (len(shape) - 1)]), np.array(rows[..., :1]), out]
    slots = [*shape, *layout(base, table), 0, *columns.strides, 0, *memory[2].strides, *layout(out, out)]
    slots[-len(shape) - 2] = 0  # along a row it is one element
    runtime.launch(runtime.build(render(kernel, gpu(runtime))), memory, slots, (out.size // kernel.vec,))
    np.testing.assert_array_equal(out, base * columns + rows)


@pytest.mark.parametrize("device", ["cpu", "gpu"])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("mode", ["rows", "flat"])
@pytest.mark.parametrize("shape", [(7,), (9, 70), (2, 3, 4, 5)])
def test_elements_are_numbered_in_c_order(
    runtime: Runtime, mode: str, shape: tuple[int, ...], wide: bool, device: str
) -> None:
    base = np.random.default_rng(0).integers(0, 9, tuple(2 * n for n in shape))
    read = base[tuple(slice(None, None, -2) for _ in shape)]
    target = np.zeros(tuple(2 * n for n in shape), np.int64)
    written = target[tuple(slice(1, None, 2) for _ in shape)]
    nodes = (("iota", "int64", "int64", (1, 2)), ("add", "int64", "int64", (0, 3)))
    leaf, output = ("int64", "strided"), (4, "int64", "strided")
    kernel = spec(mode, len(shape), (leaf,), (output,), nodes, scalars=("int64", "int64"), wide=wide)
    slots = [*shape, *layout(read, base), *layout(written, target), 5, -3]
    outer, n = int(np.prod(shape[:-1])), int(np.prod(shape))
    size = (shape[-1], outer if device == "cpu" else max(1, outer // 2)) if mode == "rows" else (n,)
    dialect = runtime.dialect if device == "cpu" else gpu(runtime)
    runtime.launch(runtime.build(render(kernel, dialect)), [base, target], slots, size)
    np.testing.assert_array_equal(written, read + np.arange(5, 5 - 3 * n, -3).reshape(shape))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_scalar_slot_holds_any_value_of_its_dtype(runtime: Runtime, dtype: str) -> None:
    values = {
        "bool": True, "float16": 0.1, "float32": -1.1, "float64": 1e-310, "complex64": 1.5 - 2.25j,
        "complex128": -1e300 + 1e-300j,
    }  # fmt: skip
    value = np.array(np.iinfo(dtype).min if dtype in INTEGERS else values[dtype], dtype)
    if dtype in INTEGERS and dtype.startswith("u"):
        value = np.array(np.iinfo(dtype).max, dtype)
    slots = scalar_slots(value)
    nodes = (("where", dtype, dtype, (0, 1, 1)),)
    kernel = spec("linear", 1, (("bool", "linear"),), ((2, dtype, "linear"),), nodes, scalars=(dtype,))
    out = np.zeros(5, dtype)
    runtime.launch(runtime.build(render(kernel, runtime.dialect)), [np.ones(5, bool), out], [5, 0, 0, *slots], (5,))
    np.testing.assert_array_equal(out, np.full(5, value))


def scalar_slots(value: np.ndarray) -> list[int]:
    """A scalar as the engine lays it out."""
    if value.dtype.kind in "bi":
        return [int(value) & (1 << 64) - 1]
    if value.dtype == np.float16:
        value = value.astype(np.float32)
    raw = value.tobytes()
    return np.frombuffer(raw + bytes(-len(raw) % 8), np.uint64).tolist()


def test_half_chains_round_after_every_operation(runtime: Runtime) -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.normal(size=5000).astype(np.float16) for _ in range(2))
    f = "float16"
    nodes = (
        ("multiply", f, f, (0, 1)), ("add", f, f, (2, 0)), ("sqrt", f, f, (3,)), ("divide", f, f, (4, 1)),
        ("subtract", f, f, (5, 2)),
    )  # fmt: skip
    with np.errstate(invalid="ignore"):
        expected = np.sqrt(a * b + a) / b - a * b
    np.testing.assert_array_equal(runtime.apply(nodes, [a, b])[-1], expected)


@pytest.mark.parametrize("order", [("int64", "uint64"), ("uint64", "int64"), ("int8", "uint64")])
def test_signed_integers_compare_with_uint64_by_value(runtime: Runtime, order: tuple[str, str]) -> None:
    values = [-(2**63), -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1]
    columns = [[v for v in values if np.iinfo(dtype).min <= v <= np.iinfo(dtype).max] for dtype in order]
    a = np.repeat(np.array(columns[0], order[0]), len(columns[1]))
    b = np.tile(np.array(columns[1], order[1]), len(columns[0]))
    ops = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
    for op, out in zip(ops, runtime.apply([(op, "float64", "bool", (0, 1)) for op in ops], [a, b]), strict=True):
        np.testing.assert_array_equal(out, getattr(np, op)(a, b), op)


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "complex128"])
def test_iota_counts_from_its_first_input_by_its_second(runtime: Runtime, dtype: str) -> None:
    start, step = np.full(300, 3, dtype), np.full(300, -2, dtype)
    (out,) = runtime.apply([("iota", dtype, dtype, (0, 1))], [start, step])
    np.testing.assert_array_equal(out, np.arange(3, -597, -2).astype(dtype))


def test_a_body_has_one_line_for_each_node() -> None:
    nodes = (("multiply", "float32", "float32", (0, 0)), ("sqrt", "float32", "float32", (2,)), *SUM)
    kernel = spec("linear", 1, (("float32", "linear"),) * 2, ((4, "float32", "linear"),), nodes)
    lines = [("t0", "a0 * a0"), ("t1", "sqrt_f32(t0)"), ("t2", "a0 + a1")]
    for partial_groups in (True, False):  # without them a CPU's whole groups have a body of their own, without a test
        source = render(kernel, dialect_for("opencl", {"strategy": "cpu", "partial_groups": partial_groups}))
        assert re.findall(r"const f32 (t\d) = (.*);", source) == lines * (1 if partial_groups else 2)
        assert source.count("if (") == (0 if partial_groups else 2)
    source = render(kernel, dialect_for("opencl", {"strategy": "gpu"}))
    assert re.findall(r"const f32 (t\d) = (.*);", source) == lines


def test_cpu_indices_are_signed_and_64_bits_wide() -> None:
    kernel = spec("linear", 1, (("float32", "linear"),) * 2, ((2, "float32", "linear"),))
    assert "const i64 i = GLOBAL_ID(0);" in render(kernel, dialect_for("opencl", {"strategy": "cpu"}))
    backwards = "(s.v[0] >> 32 ? GROUPS(0) - 1 - GROUP_ID(0) : GROUP_ID(0))"  # the 33rd bit of the size
    wanted = f"const u32 i = ({backwards} * LOCAL_SIZE(0) + LOCAL_ID(0));"
    assert wanted in render(kernel, dialect_for("opencl", {"strategy": "gpu"}))


def test_slots_follow_the_contract() -> None:
    made, after = operands((("float32", "unit"), ("int8", "uniform")), (("bool", "strided"),), ndim=2, first_slot=2)
    assert [(operand.slot, operand.written) for operand in made] == [(2, False), (5, False), (6, True)]
    assert after == 9


def test_unravel_divides_once_for_each_dim_but_one() -> None:
    gpu, cpu = dialect_for("cuda", {}), dialect_for("opencl", {"strategy": "cpu"})
    assert unravel(gpu, "i", ["9", "5"], ["y", "x"], "u32") == ["const u32 y = i / 5;", "const u32 x = i - y * 5;"]
    assert unravel(cpu, "i", ["9", "5"], ["y", "x"], "i64")[0] == "const i64 y = index_quotient_i64(i, 5);"
    assert unravel(cpu, "i", ["9"], ["x"], "i64") == ["const i64 x = i;"]


def test_an_exponent_that_all_share_has_a_text_of_its_own_on_cpus_alone() -> None:
    leaves, outputs = (("float64", "linear"),), ((2, "float64", "linear"),)
    nodes = (("pow", "float64", "float64", (0, 1)),)
    kernel = spec("linear", 1, leaves, outputs, nodes, scalars=("float64",))
    assert "pow_by_f64(a0, c0_)" in render(kernel, dialect_for("opencl", {"strategy": "cpu"}))
    assert "pow_f64(a0, c0_)" in render(kernel, dialect_for("opencl", {"strategy": "cpu", "fp64": False}))
    assert "pow_f64(a0, c0_)" in render(kernel, dialect_for("cuda", {}))
    turned = spec("linear", 1, leaves, outputs, (("pow", "float64", "float64", (1, 0)),), scalars=("float64",))
    assert "pow_f64(c0_, a0)" in render(turned, dialect_for("opencl", {"strategy": "cpu"}))


def test_unknown_modes_and_misplaced_vectors_are_refused() -> None:
    dialect = dialect_for("cuda", {})
    with pytest.raises(ValueError, match="unknown mode 'blocks'"):
        render(spec("blocks", 1, (), ()), dialect)
    with pytest.raises(ValueError, match="not vec = 4"):
        render(spec("rows", 1, (("float32", "unit"),) * 2, ((2, "float32", "unit"),), vec=4), dialect)
