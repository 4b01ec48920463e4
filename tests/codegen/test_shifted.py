"""Kernels that read operands at shifted indices compile for every GPU generation, in each mode."""

from __future__ import annotations

import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc

from devarray.codegen.kernels.elementwise import render
from devarray.codegen.kernels.spec import ElementwiseSpec


def spec(mode: str, wide: bool, access: str) -> ElementwiseSpec:
    leaves = (("float32", access), ("float32", "unit"), ("complex128", "strided"))
    nodes = (("add", "float32", "float32", (0, 1)), ("astype", "complex128", "complex128", (3,)))
    outputs = ((4, "complex128", "unit"),)
    return ElementwiseSpec(mode, 2, wide, 1, 4, False, leaves, (), nodes, outputs)


@needs_nvrtc
@pytest.mark.parametrize("mode", ["rows", "flat"])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("access", ["shifted:10:unit", "shifted:01:unit", "shifted:11:strided", "shifted:10:row"])
def test_shifted_operands(mode: str, wide: bool, access: str) -> None:
    assert compiles_for_cuda(render(spec(mode, wide, access), GPU))


def test_only_shifted_dims_are_worked_out() -> None:
    source = render(spec("rows", False, "shifted:01:unit"), GPU)
    assert "w0_1" in source
    assert "w0_0" not in source
    # Slots: two sizes, then of the leaf its offset, two strides, two shifts.
    assert "s.v[6]" in source.split("w0_1_ =")[1].split(";")[0]


@needs_nvrtc
@pytest.mark.parametrize("mode", ["rows", "flat"])
def test_operands_that_share_strides_and_shifts(mode: str) -> None:
    leaves = (("float32", "shifted:11:unit"), ("float32", "shifted:01:unit"), ("float32", "unit"))
    nodes = (("add", "float32", "float32", (0, 1)), ("add", "float32", "float32", (3, 2)))
    alike = (0, 0, 0, 0, 0, 0, 1, 0)  # the strides of three leaves and the output, then both leaves' shifts by dim
    made = ElementwiseSpec(mode, 2, False, 1, 4, False, leaves, (), nodes, ((4, "float32", "unit"),), alike)
    source = render(made, GPU)
    assert source.count("const i32 d0 =") == 1
    assert source.count("const u32 w0_1 =") == 1
    assert "w1_1" not in source
    assert compiles_for_cuda(source)
