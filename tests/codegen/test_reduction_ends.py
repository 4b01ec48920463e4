"""How reductions end on NVIDIA's GPUs: lanes join by shuffles, and one work-item counts its group. Values are tested by
the suites that run there; here the text, and that CUDA's compiler takes it."""

from __future__ import annotations

import re

import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from runtimes import nvrtc_compile

from devarray.codegen.kernels.reduction import ReductionSpec, accumulator_dtype, render
from devarray.codegen.language.dialect import Dialect, dialect_for

OPENCL = dialect_for("opencl", {"strategy": "gpu", "vendor": "NVIDIA Corporation", "type": "gpu"})
OTHERS = dialect_for("opencl", {"strategy": "gpu", "vendor": "Advanced Micro Devices", "type": "gpu"})


def whole(
    op: str = "sum", dtype: str = "float32", lanes: int = 256, outs: int = 1, split: bool = True
) -> ReductionSpec:
    acc = accumulator_dtype(op, dtype)
    return ReductionSpec(
        layout="row", nkept=1, nreduced=1, flat=False, wide=False, split=split, vectors=False, outs=outs, lanes=lanes,
        tile=1, unroll=4, pack=1, leaves=((dtype, "unit"),), scalars=(), nodes=(), outputs=(), op=op, acc_dtype=acc,
        value=0, post_scalars=(), post=(), result=(0, "int64" if op.startswith("arg") else acc),
    )  # fmt: skip


def shuffles(text: str) -> int:
    return len(re.findall(r"= across_\w+\(", text))


@pytest.mark.parametrize("dialect", [GPU, OPENCL], ids=["cuda", "opencl"])
@pytest.mark.parametrize(("lanes", "outs", "steps"), [(256, 1, 5), (32, 8, 5), (8, 32, 3), (2, 128, 1)])
def test_lanes_of_a_warp_join_by_shuffles(dialect: Dialect, lanes: int, outs: int, steps: int) -> None:
    text = render(whole(lanes=lanes, outs=outs, split=False), dialect)
    assert shuffles(text) == steps
    assert ("shared[" in text) == (lanes > 32)  # what other warps have
    assert shuffles(render(whole(lanes=lanes, outs=outs), dialect)) == 2 * steps  # once more for the groups' parts


def test_what_has_no_shuffles() -> None:
    """Positions, other makers' devices, groups that are no whole warps."""
    assert shuffles(render(whole("argmax"), GPU)) == 0
    assert shuffles(render(whole(), OTHERS)) == 0
    assert shuffles(render(whole(lanes=16), GPU)) == 0


@pytest.mark.parametrize("dialect", [GPU, OPENCL, OTHERS], ids=["cuda", "opencl", "others"])
def test_one_work_item_counts_its_group(dialect: Dialect) -> None:
    """It alone writes the group's part, and needs no barrier to count it; where several do, there is one."""
    alone = r"if \(lid == 0\) \{\s*const i64 part = .*?GROUP_FENCE;\s*is_last = arrive\(counter\)"
    several = r"GROUP_FENCE;\s*BARRIER;\s*if \(lid == 0\) \{\s*is_last = arrive\(counter\)"
    assert re.search(alone, render(whole(), dialect), re.DOTALL)
    assert not re.search(several, render(whole(), dialect))
    assert re.search(several, render(whole(lanes=64, outs=4), dialect))


@needs_nvrtc
@pytest.mark.parametrize("op", ["sum", "max", "all"])
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128"]
)
@pytest.mark.heavy
def test_cuda_takes_them(op: str, dtype: str) -> None:
    if op == "max" and dtype.startswith("complex"):
        pytest.skip("no order")
    assert compiles_for_cuda(render(whole(op, dtype), GPU))
    assert compiles_for_cuda(render(whole(op, dtype, lanes=8, outs=32), GPU))


@needs_nvrtc
@pytest.mark.parametrize("op", ["sum", "max"])
def test_the_loads_of_other_groups_parts_have_one_text(op: str) -> None:
    ptx = nvrtc_compile(render(whole(op), GPU), GPU.build_options(), "sm_90")
    assert len(re.findall(r"ld\.volatile\.global\.[bf]32", ptx)) == 4, "those that are under way at once"
