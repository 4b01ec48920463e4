"""Reductions over rows that neighbours in a warp share: what CUDA's compiler makes of them. Their values are tested by
tests/engine/test_short_rows.py, on NVIDIA's GPUs by these kernels."""

from __future__ import annotations

import re

import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from runtimes import nvrtc_compile

from devarray.codegen.kernels.reduction import ReductionSpec, accumulator_dtype
from devarray.codegen.kernels.reduction_spec import REDUCTION
from devarray.codegen.kernels.row_neighbours import render
from devarray.codegen.language.dialect import dialect_for

# Elements of one access, of rows of 16.
ACCESS = {"float64": 2, "float32": 4, "float16": 8, "int32": 4, "int8": 8, "complex64": 2}


def gradient(dtype: str, access: str = "packed:unit", op: str = "sum", unroll: int = 4) -> ReductionSpec:
    """`x.T @ (exp(x @ w) - y)`, or another reduction of the same rows, which stores the factor, too."""
    tile, acc = ACCESS[dtype], accumulator_dtype(op, dtype)
    result = dtype if op in ("min", "max") or dtype == "float16" else acc
    total = accumulator_dtype("sum", dtype)
    made = dtype if dtype in ("float16", "float64", "complex64") else "float32"
    nodes = (
        ("multiply", dtype, dtype, (0, 1)),
        (REDUCTION, total, total, (3,)),
        ("exp", made, made, (4,)),
        ("subtract", made, made, (5, 2)),
        ("multiply", made, made, (0, 6)),
    )
    return ReductionSpec(
        layout="column", nkept=1, nreduced=1, flat=False, wide=False, split=True, vectors=False, outs=16 // tile,
        lanes=256 * tile // 16, tile=tile, unroll=unroll, pack=1,
        leaves=((dtype, access), (dtype, "fixed:unit"), (made, "row")), scalars=(), nodes=nodes,
        outputs=((6, made, "row"),), op=op, acc_dtype=accumulator_dtype(op, made), value=7, post_scalars=(), post=(),
        result=(0, result if op in ("min", "max") else made),
        steps=((4, "sum", total, 3, (), (), (0, total)),),
    )  # fmt: skip


@needs_nvrtc
@pytest.mark.parametrize("dtype", list(ACCESS))
@pytest.mark.heavy
def test_compiles_for_cuda(dtype: str) -> None:
    for access in ("packed:unit", "unit", "strided"):
        assert compiles_for_cuda(render(gradient(dtype, access), GPU))
    for unroll in (1, 2, 8):
        assert compiles_for_cuda(render(gradient(dtype, unroll=unroll), GPU))
    if dtype != "complex64":
        assert compiles_for_cuda(render(gradient(dtype, op="max"), GPU))


@needs_nvrtc
@pytest.mark.parametrize(("dtype", "shuffles", "exponentials"), [("float32", 12, 1), ("float16", 16, 2)])
def test_what_follows_from_a_row_is_computed_once(dtype: str, shuffles: int, exponentials: int) -> None:
    """By the neighbour that has the row's sum, not by each of them: a block's four rows, and one row behind blocks."""
    ptx = nvrtc_compile(render(gradient(dtype), GPU), GPU.build_options(), "compute_80")
    assert len(re.findall(r"ex2\.approx", ptx)) == exponentials + 1
    assert len(re.findall(r"shfl\.sync\.bfly", ptx)) == shuffles + 8
    assert len(re.findall(r"shfl\.sync\.idx", ptx)) == 4


def test_bounds_of_registers() -> None:
    """Only where few of them hold a block's rows."""
    assert "__launch_bounds__(256, 4)" in render(gradient("float32"), GPU)
    assert "KERNEL GROUP_SIZE(256)" in render(gradient("float32", unroll=8), GPU)


def test_one_fence_of_a_group() -> None:
    """On CUDA, behind a barrier; OpenCL C orders memory for each work-item."""
    text = render(gradient("float32"), GPU)
    assert len(re.findall(r"__threadfence\(\);", text)) == 2
    assert re.search(r"GROUP_FENCE;\s*BARRIER;\s*if \(lid == 0\) \{\s*is_last = arrive", text)
    opencl = render(
        gradient("float32"), dialect_for("opencl", {"strategy": "gpu", "vendor": "NVIDIA Corporation", "type": "gpu"})
    )
    assert "#define GROUP_FENCE DEVICE_FENCE" in opencl
    assert "shfl.sync.idx.b32" in opencl
