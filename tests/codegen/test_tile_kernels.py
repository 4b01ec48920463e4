"""Element-wise kernels by tiles of local memory, as the code generator makes them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc, run
from runtimes import Runtime

from devarray.codegen.kernels.elementwise import render
from devarray.codegen.kernels.elementwise_body import GROUP_OF_TILE
from devarray.codegen.kernels.spec import ElementwiseSpec
from devarray.codegen.language.dialect import dialect_for


def spec(dtype: str, ndim: int, across: int, tile: tuple[int, int], wide: bool) -> ElementwiseSpec:
    """A transposed leaf minus one that lies as the result."""
    leaves, nodes = ((dtype, "tiled"), (dtype, "unit")), (("subtract", dtype, dtype, (0, 1)),)
    outputs = ((2, dtype, "unit"),)
    more = {"across": across, "tile_across": tile[0], "tile_along": tile[1]}
    return ElementwiseSpec("tiles", ndim, wide, 1, 4, False, leaves, (), nodes, outputs, **more)


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("tile", [(32, 32), (4, 256), (1024, 4), (64, 64)])
@pytest.mark.parametrize(("shape", "across"), [((70, 45), 0), ((3, 50, 40), 1), ((50, 3, 40), 0)])
def test_each_shape_of_tiles(
    runtime: Runtime, shape: tuple[int, ...], across: int, tile: tuple[int, int], wide: bool
) -> None:
    size, last = math.prod(shape), len(shape) - 1
    base = np.arange(size + 5, dtype=np.float32) ** 2
    order = [dim for dim in range(len(shape)) if dim != across] + [across]
    turned = base[5:].reshape([shape[dim] for dim in order]).transpose(np.argsort(order))
    straight, out = np.arange(size, dtype=np.float32).reshape(shape), np.zeros(shape, np.float32)
    slots = [*shape, 20, *turned.strides, 0, *straight.strides, 0, *out.strides]
    sides = {across: tile[0], last: tile[1]}
    groups = math.prod(-(-n // sides.get(dim, 1)) for dim, n in enumerate(shape))
    dialect = dialect_for("opencl", {**runtime.dialect.caps, "strategy": "gpu"})
    source = render(spec("float32", len(shape), across, tile, wide), dialect)
    run(runtime, source, "k", [base, straight, out], slots, (groups,), GROUP_OF_TILE)
    np.testing.assert_array_equal(out, turned - straight)


@needs_nvrtc
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "complex64", "complex128"])
def test_cuda_takes_them(dtype: str, wide: bool) -> None:
    assert compiles_for_cuda(render(spec(dtype, 2, 0, (32, 32), wide), GPU))
    assert compiles_for_cuda(render(spec(dtype, 3, 1, (4, 256), wide), GPU))
