"""Every generated CUDA source compiles, without a GPU, and moves memory in 16-byte pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from runtimes import has_nvrtc, linear_spec, nvrtc_compile, op_node

from devarray.codegen.kernels.elementwise import render
from devarray.codegen.kernels.spec import ElementwiseSpec
from devarray.codegen.language.dialect import dialect_for
from devarray.ops.dtypes import DTYPES
from devarray.ops.table import OPS, WHERE

pytestmark = pytest.mark.skipif(not has_nvrtc(), reason="no NVRTC")


CUDA = dialect_for("cuda", {"strategy": "gpu"})


def compiled(spec: ElementwiseSpec, arch: str = "sm_90") -> str:
    """PTX of a spec's kernel, compiled for an architecture."""
    return nvrtc_compile(render(spec, CUDA), CUDA.build_options(), arch)


_TOGETHER = 20
"""Operations of a kernel: the compiler's time grows faster than a kernel does."""


def everything(dtype: str) -> Iterator[ElementwiseSpec]:
    """Kernels that compute every op of a dtype, each some of them."""
    ops = [op for op in OPS.values() if op.compute_dtype(dtype) and op.name != "take"]
    places = {False: (0, 1, 2), True: (3, 0, 1)}  # the last leaf is a bool
    nodes = [op_node(op, str(op.compute_dtype(dtype)), places[bool(op.flags & WHERE)][: op.nin]) for op in ops]
    nodes += [op_node(OPS["astype"], target) for target in DTYPES]
    for start in range(0, len(nodes), _TOGETHER):
        yield linear_spec(nodes[start : start + _TOGETHER], [dtype, dtype, dtype, "bool"])
    spec = linear_spec([("take", dtype, dtype, (0, 1, 2))], [dtype, "int64", "int32"])
    yield replace(spec, leaves=((dtype, "table"), ("int64", "linear"), ("int32", "table")))


# NVRTC takes seconds for all operations of a dtype. The text asks for no architecture, and of an integer only its
# size and sign: a run without the slow ones compiles each kind of dtype once, and the oldest and newest architecture.
FEW = {("bool", "sm_80"), ("int8", "sm_80"), ("uint64", "sm_100"), ("float16", "sm_80"), ("float64", "sm_100"),
       ("complex64", "sm_80")}  # fmt: skip


@pytest.mark.parametrize(
    ("dtype", "arch"),
    [
        pytest.param(dtype, arch, marks=() if (dtype, arch) in FEW else pytest.mark.slow)
        for dtype in DTYPES
        for arch in ("sm_80", "sm_90", "sm_100")
    ],
)
@pytest.mark.heavy
def test_every_op_and_cast_compiles(dtype: str, arch: str) -> None:
    for spec in everything(dtype):
        assert compiled(spec, arch)


@pytest.mark.parametrize(
    ("dtype", "vec", "vector"),
    [
        ("float32", 4, "v4"),
        ("float32", 8, "v4"),
        ("float64", 2, "v2"),
        ("float64", 4, "v2"),
        ("float16", 8, "v4"),
        ("bool", 16, "v4"),
        ("int8", 16, "v4"),
        ("complex64", 2, "v4"),
        ("complex128", 1, ""),
        ("complex128", 2, "v2"),
    ],
)
def test_vectors_move_sixteen_bytes_at_a_time(dtype: str, vec: int, vector: str) -> None:
    spec = ElementwiseSpec(
        mode="linear",
        ndim=1,
        wide=False,
        vec=vec,
        rows=4,
        alias=False,
        leaves=((dtype, "linear"),) * 2,
        scalars=(),
        nodes=(("add", dtype, dtype, (0, 1)),),
        outputs=((2, dtype, "linear"),),
    )
    ptx = compiled(spec)
    loads = re.findall(r"ld\.global\.nc\.(?:L1::no_allocate\.)?(?:L2::\w+\.)?(v[24])?", ptx)
    stores = re.findall(r"st\.global\.(v[24])?", ptx)
    wanted = (
        vec * {"float32": 4, "float64": 8, "float16": 2, "bool": 1, "int8": 1, "complex64": 8, "complex128": 16}[dtype]
    )
    if vector:
        assert loads.count(vector) == 2 * wanted // 16
        assert stores.count(vector) == wanted // 16


@pytest.mark.parametrize(("dtype", "vec"), [("float32", 4), ("float64", 2)])
def test_elements_left_over_have_one_text(dtype: str, vec: int) -> None:
    spec = replace(linear_spec([op_node(OPS["add"], dtype)], [dtype, dtype]), vec=vec)
    alone = re.findall(r"ld\.global(?:\.nc)?\.[bfu](?:32|64)", compiled(spec))
    assert len(alone) == 2, "each operand's, for less than a vector; four of a repeated text would never run"


@pytest.mark.parametrize("sets", [2, 8])
@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_sets_of_arguments_stay_where_arguments_are(sets: int, arch: str) -> None:
    """They are chosen by an index, without a copy in local memory, and loads still know that nothing is written."""
    single = ElementwiseSpec(
        mode="linear",
        ndim=1,
        wide=False,
        vec=4,
        rows=4,
        alias=False,
        leaves=(("float32", "linear"),) * 2,
        scalars=("float32",),
        nodes=(("add", "float32", "float32", (0, 1)), ("multiply", "float32", "float32", (3, 2))),
        outputs=((4, "float32", "linear"),),
    )
    ptx = compiled(replace(single, sets=sets), arch)
    assert ".local" not in ptx and not re.search(r"\b(ld|st)\.(local|generic|u|b|f)", ptx)
    assert ptx.count("ld.global.nc") == compiled(single, arch).count("ld.global.nc") > 0


def test_products_and_sums_are_not_contracted() -> None:
    nodes = [("multiply", "float32", "float32", (0, 1)), ("add", "float32", "float32", (2, 0))]
    ptx = compiled(linear_spec(nodes, ["float32"] * 2))
    assert "fma" not in ptx
    assert "ftz" not in ptx


def test_halves_are_converted_by_one_instruction_and_rounded_once() -> None:
    nodes = [op_node(OPS["astype"], "float16")]
    ptx = compiled(linear_spec(nodes, ["float64"]))
    assert "cvt.rn.f16.f64" in ptx


@pytest.mark.parametrize(("divisions", "few"), [(2, True), (4, False)])
def test_several_divisions_have_branches_for_one_element_alone(divisions: int, few: bool) -> None:
    """That which stands for what is not ordinary or left over."""
    nodes = [("divide", "float32", "float32", (2 + i, 1)) for i in range(divisions)]
    outputs = ((2 + divisions, "float32", "linear"),)
    spec = replace(linear_spec(nodes, ["float32"] * 2), vec=4, scalars=("float32",), outputs=outputs)
    for constants in ((), ((0, 0x3F800000),)):  # the first dividend is 1
        ptx = compiled(replace(spec, constants=constants))
        assert ("rcp.approx" in ptx) != few
        assert (len(re.findall(r"\b(?:div|rcp)\.rn\.f32", ptx)) > divisions) == few
