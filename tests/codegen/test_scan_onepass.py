"""Scans in one pass over memory give NumPy's values, whatever the tiles, and the same bits each time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view
from runtimes import Runtime
from samples import same_bits

from devarray.codegen.kernels.launches import View
from devarray.codegen.kernels.scan import plan_scan, plan_scan_of
from devarray.codegen.kernels.scan_tiles import TILES, Tiles
from devarray.codegen.language.dialect import CUDA, Dialect, OpenCL

# Warps need an NVIDIA GPU; all else runs here. Tiles of 64 work-items with 16 bytes of accumulators each, 3 in a block.
SMALL = Tiles(warps=False, group=64, bytes=16, block=3)
NUMPY = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}
PAIRS = [
    ("int8", "int64"),
    ("int32", "int32"),
    ("uint64", "uint64"),
    ("float16", "float16"),
    ("float32", "float32"),
    ("float32", "float64"),
    ("float64", "float64"),
    ("complex64", "complex64"),
    ("complex128", "complex128"),
]


def numbers(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Small whole numbers, whose sums are exact."""
    whole = np.random.default_rng(0).integers(-2, 3, shape)
    return (whole + 1j * whole[..., ::-1]).astype(dtype) if np.dtype(dtype).kind == "c" else whole.astype(dtype)


def scanned(
    runtime: Runtime, array: np.ndarray, out: np.ndarray, axis: int = 0, op: str = "sum", **more: object
) -> np.ndarray:
    options: dict = {"tiles": SMALL} | more
    plan = plan_scan(view("in", array), view("out", out), axis, op, runtime.dialect, **options)
    assert len(plan.launches) == 1
    execute(runtime, plan, {"in": array, "out": out})
    return out


@pytest.mark.parametrize("block", [3, 64])
@pytest.mark.heavy
def test_on_every_runtime(runtime: Runtime, block: int) -> None:
    """A block of as many tiles as a group has work-items: one warp waits for tiles and for the block before."""
    array = np.ones(64 * 4 * (2 * block + 50), "f4")
    got = scanned(runtime, array, np.zeros_like(array), tiles=replace(SMALL, block=block))
    np.testing.assert_array_equal(got, np.cumsum(array))


@pytest.mark.parametrize(("dtype", "target"), PAIRS)
def test_lengths_about_those_of_tiles_and_blocks(quick_runtime: Runtime, dtype: str, target: str) -> None:
    acc = "float32" if target == "float16" else target
    tile = 64 * 16 // np.dtype(acc).itemsize
    for n in (1, tile - 1, tile, tile + 1, 2 * tile, 3 * tile - 1, 3 * tile, 3 * tile + 1, 6 * tile, 40 * tile + 5):
        array = numbers(dtype, (n,))
        got = scanned(quick_runtime, array, np.zeros(n, target))
        np.testing.assert_array_equal(got, np.cumsum(array, dtype=target), err_msg=str(n))


@pytest.mark.parametrize("block", [1, 2, 32, 33, 64])
def test_every_size_of_a_block(quick_runtime: Runtime, block: int) -> None:
    array = numbers("int32", (50_000,))
    tiles = Tiles(warps=False, group=64, bytes=16, block=block)
    got = scanned(quick_runtime, array, np.zeros(array.shape, "i4"), tiles=tiles)
    np.testing.assert_array_equal(got, np.cumsum(array, dtype="i4"))


@pytest.mark.slow
def test_the_tiles_of_a_gpu(quick_runtime: Runtime) -> None:
    array = numbers("float32", (TILES.group * TILES.items * (2 * TILES.block + 1) + 77,))
    tiles = replace(TILES, warps=False)
    np.testing.assert_array_equal(scanned(quick_runtime, array, np.zeros_like(array), tiles=tiles), np.cumsum(array))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float16", "float32", "int64", "complex64", "complex128"])
@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.heavy
def test_items_of_which_vectors_are_no_divisor(quick_runtime: Runtime, dtype: str, step: int) -> None:
    """24 elements are one and a half vectors of bytes."""
    tiles = replace(TILES, warps=False, group=64, block=2)
    array = numbers(dtype, (64 * 24 * 5 * step + 3,))[::step]
    if np.dtype(dtype).kind == "c":
        got, want = scanned(quick_runtime, array, np.zeros_like(array), tiles=tiles), np.cumsum(array)
    else:
        got, want = (
            scanned(quick_runtime, array, np.zeros_like(array), 0, "max", tiles=tiles),
            np.maximum.accumulate(array),
        )
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("op", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64"])
def test_every_operation(quick_runtime: Runtime, dtype: str, op: str) -> None:
    rng = np.random.default_rng(1)
    array = rng.integers(1, 4, (2, 3000)).astype(dtype)
    if op == "prod":
        array = rng.choice([1, 1, -1], (2, 3000)).astype(dtype)
    array[:, 40:] = array[:, 40:] * (dtype != "float16")  # a half's sums stay exact
    target = {"int8": "int64", "bool": "int64"}.get(dtype, dtype) if op in ("sum", "prod") else dtype
    got = scanned(quick_runtime, array, np.zeros(array.shape, target), 1, op)
    np.testing.assert_array_equal(got, NUMPY[op].accumulate(array, axis=1, dtype=target))


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_every_axis_of_strided_views(quick_runtime: Runtime, axis: int) -> None:
    whole = numbers("float32", (6, 1400, 26))
    array = whole[::-1, ::2, 1::3]
    out = np.zeros((array.shape[2], array.shape[0], array.shape[1])).transpose(1, 2, 0)
    np.testing.assert_array_equal(scanned(quick_runtime, array, out, axis), np.cumsum(array, axis=axis, dtype="f8"))


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "complex64"])
@pytest.mark.parametrize("where", ["source", "target", "rows", "turned", "every other", "repeated"])
def test_what_no_vector_fits(quick_runtime: Runtime, dtype: str, where: str) -> None:
    whole, out = numbers(dtype, (4, 2401)), np.zeros((4, 2402), dtype)
    array, result = whole[:, :2400], out[:, :2400]
    if where == "source":
        array = whole[:, 1:]
    elif where == "target":
        result = out[:, 1:2401]
    elif where == "rows":  # some of them are aligned
        array, result = whole, np.zeros((4, 2401), dtype)
    elif where == "turned":
        array = whole[:, ::-1][:, :2400]
    elif where == "every other":
        array, result = whole[:, ::2], out[:, ::2]
    else:
        array = np.broadcast_to(np.ascontiguousarray(whole[:, :1]), (4, 2400))
    op = "max" if dtype == "int8" else "sum"
    n = min(array.shape[1], result.shape[1])
    array, result = array[:, :n], result[:, :n]
    if dtype == "float16":
        array = array[:, : n // 4]
        result = result[:, : n // 4]
    want = NUMPY[op].accumulate(array, axis=1, dtype=dtype)
    np.testing.assert_array_equal(scanned(quick_runtime, array, result, 1, op), want)
    assert np.count_nonzero(out) == (np.count_nonzero(want) if result.base is out else 0)


def test_exclusive_in_place(quick_runtime: Runtime) -> None:
    array = numbers("uint32", (3, 5000))
    want = np.cumsum(array, axis=1, dtype="u4") - array
    plan = plan_scan(view("in", array), view("in", array), 1, "sum", quick_runtime.dialect, exclusive=True, tiles=SMALL)
    execute(quick_runtime, plan, {"in": array})
    np.testing.assert_array_equal(array, want)


@pytest.mark.parametrize("op", ["sum", "max", "min"])
def test_what_is_not_finite(quick_runtime: Runtime, op: str) -> None:
    array = np.arange(5000.0).reshape(1, -1) % 7
    array = np.concatenate([array] * 4)
    array[0, 700], array[1, 4000], array[2, 1500], array[2, 3000] = np.nan, np.inf, np.inf, -np.inf
    array[3, :300] = -0.0
    with np.errstate(invalid="ignore"):
        want = NUMPY[op].accumulate(array, axis=1)
    got = scanned(quick_runtime, array, np.zeros(array.shape), 1, op)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got[3]), np.signbit(want[3]))


def test_values_that_are_computed(quick_runtime: Runtime) -> None:
    x, y = np.random.default_rng(2).integers(-9, 9, (2, 3, 4000)).astype("f4")
    scale = np.full((3, 1), 2, "f4")
    spread = View("scale", "float32", x.shape, (4, 0))
    out = np.zeros(x.shape, "f8")
    nodes = (
        ("multiply", "float32", "float32", (0, 1)),
        ("multiply", "float32", "float32", (4, 2)),
        ("add", "float32", "float32", (5, 3)),
    )
    arrays = {"x": x, "y": y[:, ::-1], "scale": scale, "out": out}
    views = (view("x", x), view("y", arrays["y"]), spread)
    half = int(np.float32(0.5).view("u4"))
    plan = plan_scan_of(
        views, view("out", out), 1, "sum", quick_runtime.dialect, ("float32",), nodes, (half,), tiles=SMALL
    )
    execute(quick_runtime, plan, arrays)
    np.testing.assert_array_equal(out, np.cumsum(x * y[:, ::-1] * 2 + np.float32(0.5), axis=1, dtype="f8"))


def test_rounding_does_not_depend_on_who_is_first(quick_runtime: Runtime) -> None:
    array = np.random.default_rng(3).normal(size=200_000).astype("f4")
    first = scanned(quick_runtime, array, np.zeros_like(array))
    assert np.abs(first - np.cumsum(array, dtype="f8")).max() < 0.001
    for _ in range(20):
        assert same_bits(first, scanned(quick_runtime, array, np.zeros_like(array))).all()


@needs_nvrtc
@pytest.mark.parametrize(("dtype", "target"), [*PAIRS, ("bool", "bool")])
def test_compiles_for_cuda(dtype: str, target: str) -> None:
    shape = (3, 1 << 20)
    op = "sum" if target != "bool" else "max"
    plan = plan_scan(View.contiguous("in", dtype, shape), View.contiguous("out", target, shape), 1, op, GPU)
    assert len(plan.launches) == 1
    assert compiles_for_cuda(plan.launches[0].source)


@needs_nvrtc
def test_pauses_compile_for_cuda() -> None:
    views = [View.contiguous(role, "float32", (1 << 20,)) for role in ("in", "out")]
    plan = plan_scan(*views, 0, "sum", GPU, tiles=Tiles(warps=True, group=128, block=64, pause=100))
    assert "PAUSE(100)" in plan.launches[0].source
    assert compiles_for_cuda(plan.launches[0].source)


@pytest.mark.parametrize(
    ("dialect", "shape", "launches"),
    [
        (GPU, (1 << 24,), 1),
        (GPU, (3, 1 << 20), 1),
        (OpenCL({"strategy": "gpu", "vendor": "NVIDIA Corporation", "compute_units": 132}), (1 << 24,), 1),
        (OpenCL({"strategy": "gpu", "vendor": "Intel", "compute_units": 132}), (1 << 24,), 3),
        (CUDA({"strategy": "gpu", "compute_units": 132}), (8192, 8192), 1),
        (GPU, (1000,), 1),
    ],
)
def test_where_it_is_chosen(dialect: Dialect, shape: tuple[int, ...], launches: int) -> None:
    views = (View.contiguous(role, "float32", shape) for role in ("in", "out"))
    plan = plan_scan(*views, len(shape) - 1, "sum", dialect)
    assert len(plan.launches) == launches
    many_rows = shape[-1] < 1 << 20
    assert set(plan.temporaries) == (set() if many_rows else {"state"} if launches == 1 else {"partials"})
    assert plan.cleared == frozenset({"state"} & set(plan.temporaries))
