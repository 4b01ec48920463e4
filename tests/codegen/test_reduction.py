"""Reduction kernels give NumPy's values in every layout and geometry."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from reductions import Problem, on_gpus, spec_for
from runtimes import Runtime

from devarray.codegen.kernels.launches import scalar_slots
from devarray.codegen.kernels.reduction import (
    REDUCTIONS,
    identity,
    render,
)
from devarray.ops.dtypes import DTYPES, KIND


def values(dtype: str, shape: tuple[int, ...], op: str, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < (0.99 if op in ("all", "prod") else 0.01)
    if kind in "iu":
        return rng.integers(0 if kind == "u" else -100, 101, shape).astype(dtype)
    if op == "prod":
        near = 1 + 0.01 * rng.standard_normal(shape)
        return (near + (0.01j * rng.standard_normal(shape) if kind == "c" else 0)).astype(dtype)
    real = rng.integers(-5, 50, shape) * 0.25
    return (real + 1j * rng.integers(-50, 50, shape) * 0.25 if kind == "c" else real).astype(dtype)


def oracle(op: str, array: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    if op.startswith("arg"):
        flat = array.reshape((*array.shape[: axes[0]], -1))
        return np.asarray(getattr(np, op)(flat, axis=-1))
    if op in ("sum", "prod") and array.dtype == np.float16:
        return np.asarray(getattr(np, op)(array.astype("f8"), axis=axes)).astype("f2")
    return np.asarray(getattr(np, op)(array, axis=axes))


def check(op: str, got: np.ndarray, array: np.ndarray, axes: tuple[int, ...]) -> None:
    want = oracle(op, array, axes)
    if op in ("sum", "prod") and array.dtype.kind in "fc":
        eps = np.finfo(array.dtype).eps
        np.testing.assert_allclose(got, want, rtol=64 * eps, atol=eps)
    else:
        np.testing.assert_array_equal(got, want)


GEOMETRIES = [
    {"layout": "row", "outs": 1, "lanes": 16, "unroll": 4},
    {"layout": "row", "outs": 4, "lanes": 64, "unroll": 2},
    {"layout": "row", "outs": 16, "lanes": 1, "unroll": 1},
    {"layout": "row", "outs": 1, "lanes": 1, "unroll": 32},
    {"layout": "row", "outs": 1, "lanes": 16, "unroll": 4, "split": True},
    {"layout": "row", "outs": 2, "lanes": 1, "unroll": 8, "split": True},
    {"layout": "row", "outs": 4, "lanes": 4, "unroll": 8, "pack": 4},
    {"layout": "row", "outs": 4, "lanes": 1, "unroll": 4, "pack": 2, "split": True},
    {"layout": "column", "outs": 16, "lanes": 1, "tile": 2, "unroll": 1},
    {"layout": "column", "outs": 1, "lanes": 1, "tile": 7, "unroll": 3},
    {"layout": "column", "outs": 16, "lanes": 1, "tile": 20, "unroll": 7},
    {"layout": "column", "outs": 1, "lanes": 1, "tile": 7, "unroll": 1, "split": True},
    {"layout": "column", "outs": 16, "lanes": 1, "tile": 32, "unroll": 8},
    {"layout": "column", "outs": 1, "lanes": 1, "tile": 20, "unroll": 16, "split": True},
    {"layout": "column", "outs": 8, "lanes": 8, "unroll": 4},
    {"layout": "column", "outs": 32, "lanes": 4, "unroll": 2, "split": True},
    {"layout": "column", "outs": 2, "lanes": 8, "tile": 4, "unroll": 8},
    {"layout": "column", "outs": 1, "lanes": 16, "tile": 3, "unroll": 4, "split": True},
    {"layout": "row", "outs": 8, "lanes": 16, "unroll": 4, "vectors": True},
    {"layout": "row", "outs": 16, "lanes": 1, "unroll": 8, "vectors": True},
]


def name_of(geometry: dict) -> str:
    return "-".join(str(value) for value in geometry.values())


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=name_of)
@pytest.mark.parametrize("op", ["sum", "max", "argmax"])
@pytest.mark.heavy
def test_every_geometry(runtime: Runtime, geometry: dict, op: str) -> None:
    if geometry.get("vectors") and op == "argmax":
        pytest.skip("vectors hold values, no places: no plan asks for it")
    rows = geometry["layout"] == "row"
    array = values("float32", (37, 1003) if rows else (1003, 37), op)
    seen = array if rows else array.T
    got, _ = Problem(spec_for(op, "float32", 1, 1, **geometry), [seen]).run(runtime, 5 if geometry.get("split") else 1)
    check(op, got, seen, (1,))


@pytest.mark.parametrize(
    "geometry",
    [
        {"layout": "row", "outs": 1, "lanes": 16, "unroll": 8},
        {"layout": "row", "outs": 1, "lanes": 16, "unroll": 4, "split": True},
        {"layout": "column", "outs": 16, "lanes": 1, "tile": 32, "unroll": 8},
        {"layout": "column", "outs": 1, "lanes": 1, "tile": 40, "unroll": 8, "split": True},
    ],
    ids=name_of,
)
@pytest.mark.parametrize("op", ["sum", "prod", "min", "argmin", "argmax", "count_nonzero"])
def test_long_reductions_in_pieces_side_by_side(runtime: Runtime, geometry: dict, op: str) -> None:
    """Accumulators walk pieces of memory of their own, and of many equal elements the first counts."""
    rng, rows = np.random.default_rng(8), geometry["layout"] == "row"
    array = rng.integers(0, 9, (2, 150_001) if rows else (9_003, 37)).astype("f4")
    if op == "prod":  # exact, and each factor counts
        array = np.where(array < 8, np.float32(1), np.float32(-1))
    seen = array if rows else array.T
    got, _ = Problem(spec_for(op, "float32", 1, 1, **geometry), [seen]).run(runtime, 2 if geometry.get("split") else 1)
    np.testing.assert_array_equal(got, getattr(np, op)(seen, axis=1))


CASES = [(op, "float32") for op in REDUCTIONS]
CASES += [("sum", dtype) for dtype in DTYPES if dtype != "float32"]
CASES += [(op, dtype) for op in ("max", "argmin") for dtype in DTYPES if KIND[dtype] in "biu" or dtype == "float16"]
CASES += [("prod", "complex128"), ("prod", "int8"), ("any", "complex64"), ("count_nonzero", "bool"), ("all", "bool")]


@pytest.mark.parametrize(("op", "dtype"), CASES)
@pytest.mark.heavy
def test_every_operation_and_dtype(runtime: Runtime, op: str, dtype: str) -> None:
    array = values(dtype, (3, 517), op)
    got, _ = Problem(spec_for(op, dtype, 1, 1, split=True), [array]).run(runtime, 3)
    check(op, got, array, (1,))


@pytest.mark.parametrize("geometry", [GEOMETRIES[at] for at in (0, 4, 6, 7, 8, 10, 11, 13, 16)], ids=name_of)
@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("op", ["sum", "argmax"])
@pytest.mark.heavy
def test_kept_and_reduced_dims_in_any_number(runtime: Runtime, geometry: dict, flat: bool, op: str) -> None:
    whole = values("float64", (6, 5, 41, 10, 37), op)
    rows = geometry["layout"] == "row"
    seen = whole[:, ::-1, :, ::3].transpose(0, 1, 3, 2, 4) if rows else whole[:, ::-1, :, ::3].transpose(0, 1, 4, 2, 3)
    nkept = 3
    access = "unit"
    problem = Problem(spec_for(op, "float64", nkept, 2, access, flat=flat, **geometry), [seen])
    got, _ = problem.run(runtime, 3 if geometry.get("split") else 1)
    check(op, got, np.ascontiguousarray(seen), (3, 4))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "complex64", "int8", "bool"])
@pytest.mark.parametrize("op", ["sum", "argmax"])
@pytest.mark.parametrize("layout", ["row", "column"])
@pytest.mark.heavy
def test_neighbours_are_loaded_together(runtime: Runtime, layout: str, op: str, dtype: str) -> None:
    """Aligned loads give the bits of single ones: the order of the elements is the same."""
    gpu, array, count = on_gpus(runtime), values(dtype, (48, 176), op), min(4, 16 // np.dtype(dtype).itemsize)
    seen = array if layout == "row" else np.ascontiguousarray(array.T).T
    geometry = {"layout": layout, "outs": 4, "lanes": 4, "unroll": 8, "pack" if layout == "row" else "tile": count}
    together = spec_for(op, dtype, 1, 1, "packed:unit", **geometry)
    assert f"x{count * (2 if dtype == 'complex64' else 1)} v0" in render(together, gpu.dialect)
    got, _ = Problem(together, [seen]).run(gpu)
    one_by_one, _ = Problem(spec_for(op, dtype, 1, 1, **geometry), [seen]).run(gpu)
    assert got.tobytes() == one_by_one.tobytes()
    check(op, got, seen, (1,))


@pytest.mark.parametrize("tile", [3, 4])
@pytest.mark.parametrize("op", ["sum", "argmax"])
@pytest.mark.heavy
def test_a_work_item_of_a_gpu_has_neighbouring_outputs(runtime: Runtime, op: str, tile: int) -> None:
    seen = values("float64", (1003, 37), op).T
    geometry = {"layout": "column", "outs": 4, "lanes": 8, "unroll": 4, "tile": tile, "split": True}
    got, _ = Problem(spec_for(op, "float64", 1, 1, **geometry), [seen]).run(on_gpus(runtime), 3)
    check(op, got, seen, (1,))


@pytest.mark.parametrize("layout", ["row", "column"])
@pytest.mark.parametrize("step", [2, -1, -3])
def test_strided_operands(runtime: Runtime, layout: str, step: int) -> None:
    array = values("int32", (301, 402), "sum")[::step, ::step]
    got, _ = Problem(spec_for("sum", "int32", 1, 1, "strided", layout=layout, outs=4, lanes=4), [array]).run(runtime)
    check("sum", got, array, (1,))


@pytest.mark.parametrize("layout", ["row", "column"])
@pytest.mark.parametrize("steps", [-1, 2, 3, 4])
def test_operands_whose_neighbours_are_steps_away(runtime: Runtime, layout: str, steps: int) -> None:
    array = values("int32", (301, 402), "sum")
    array = array[:, ::steps] if layout == "row" else array[:, ::steps].T
    spec = spec_for("sum", "int32", 1, 1, f"steps:{steps}:strided", layout=layout, outs=4, lanes=4)
    got, _ = Problem(spec, [array]).run(runtime)
    check("sum", got, array, (1,))


@pytest.mark.parametrize("op", ["min", "max", "argmin", "argmax"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_is_the_extreme_and_the_first_of_equals_counts(runtime: Runtime, op: str, dtype: str) -> None:
    array = values(dtype, (6, 300), op)
    array[0, 250] = array[0, 100] = np.nan
    array[1] = np.nan
    array[2] = np.inf
    array[3] = -np.inf
    array[4] = 1
    got, _ = Problem(spec_for(op, dtype, 1, 1, split=True), [array]).run(runtime, 4)
    check(op, got, array, (1,))


@pytest.mark.parametrize("op", [op for op in REDUCTIONS if op not in ("min", "max", "argmin", "argmax")])
@pytest.mark.parametrize("layout", ["row", "column"])
def test_nothing_to_reduce_gives_the_identity(runtime: Runtime, op: str, layout: str) -> None:
    spec = spec_for(op, "float32", 1, 1, layout=layout)
    got, _ = Problem(spec, [np.zeros((5, 0), "f4")]).run(runtime)
    np.testing.assert_array_equal(got, np.full(5, identity(op, spec.acc_dtype)))


@pytest.mark.parametrize("layout", ["row", "column"])
def test_absorbs_an_expression_writes_interior_nodes_and_finishes(runtime: Runtime, layout: str) -> None:
    rng = np.random.default_rng(3)
    data, weight = rng.random((40, 90)).astype("f4"), rng.random(90).astype("f4")
    scale = np.float32(1.5)
    leaves = [data, np.broadcast_to(weight, data.shape), np.broadcast_to(np.float32(2), data.shape)]
    accesses = ("unit", "unit", "uniform")
    if layout == "column":
        leaves = [leaf.T for leaf in leaves]
    spec = replace(
        spec_for("sum", "float32", 1, 1, layout=layout, outs=4, lanes=16, split=True),
        leaves=tuple(("float32", access) for access in accesses),
        scalars=("float32",),
        nodes=(
            ("multiply", "float32", "float32", (0, 1)),
            ("add", "float32", "float32", (4, 3)),
            ("multiply", "float32", "float32", (5, 2)),
        ),
        outputs=((4, "float32", "strided"), (6, "float64", "strided")),
        value=6,
        post_scalars=("float64",),
        post=(("divide", "float64", "float64", (0, 1)), ("sqrt", "float64", "float64", (2,))),
        result=(3, "float32"),
    )
    scalars = [*scalar_slots(float(scale), "float32"), *scalar_slots(data.shape[1], "float64")]
    got, (product, twice) = Problem(spec, leaves, scalars).run(runtime, 3)
    want_product = leaves[0] * leaves[1]
    want_twice = (want_product + scale) * np.float32(2)
    np.testing.assert_array_equal(product, want_product)
    np.testing.assert_array_equal(twice, want_twice.astype("f8"))
    np.testing.assert_allclose(got, np.sqrt(want_twice.sum(axis=1, dtype="f8") / data.shape[1]), rtol=1e-6)


@pytest.mark.parametrize("geometry", [GEOMETRIES[0], GEOMETRIES[3], GEOMETRIES[4], GEOMETRIES[6]], ids=name_of)
def test_float32_sums_are_as_good_as_pairwise(runtime: Runtime, geometry: dict) -> None:
    array = np.random.default_rng(5).random((1, 3_000_000), np.float32) + np.float32(0.1)
    got, _ = Problem(spec_for("sum", "float32", 1, 1, **geometry), [array]).run(
        runtime, 8 if geometry.get("split") else 1
    )
    exact = array.sum(dtype="f8")
    assert abs(got[0] - exact) <= max(abs(float(array.sum()) - exact), np.spacing(np.float32(exact)))


def test_sums_that_are_not_finite(runtime: Runtime) -> None:
    array = np.ones((4, 5000), "f4")
    array[0, 100] = np.inf
    array[1, 100], array[1, 3000] = np.inf, -np.inf
    array[2, 7] = np.nan
    got, _ = Problem(spec_for("sum", "float32", 1, 1), [array]).run(runtime)
    np.testing.assert_array_equal(got, [np.inf, np.nan, np.nan, 5000])


@pytest.mark.slow
@needs_nvrtc
@pytest.mark.parametrize("geometry", [g for g in GEOMETRIES if not g.get("vectors")], ids=name_of)
@pytest.mark.parametrize("wide", [False, True])
def test_compiles_for_cuda(geometry: dict, wide: bool) -> None:
    for op, dtype in (("sum", "complex64"), ("argmax", "float16"), ("max", "int8"), ("prod", "float64")):
        assert compiles_for_cuda(render(spec_for(op, dtype, 2, 2, wide=wide, **geometry), GPU))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"op": "median"}, "unknown reduction 'median'"),
        ({"layout": "diagonal"}, "unknown layout 'diagonal'"),
        ({"layout": "column", "nkept": 0}, "needs a kept dim"),
        ({"tile": 2}, "tile = 2 needs layout 'column'"),
        ({"pack": 3}, "pack = 3 needs layout 'row'"),
        ({"pack": 2, "layout": "column"}, "pack = 2 needs layout 'row'"),
        ({"lanes": 3}, "lanes of a reduction must be a power of two, not 3"),
    ],
)
def test_a_wrong_spec_is_refused(change: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(spec_for("sum", "float32", 1, 1), **change)
