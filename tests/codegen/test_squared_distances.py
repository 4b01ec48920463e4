"""Kernels that add up squared distances from a mean in one pass: NumPy's variances, however far from zero."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from reductions import Problem, on_gpus, spec_for
from runtimes import Runtime

from devarray.codegen.kernels.reduction import ReductionSpec, render

GEOMETRIES = [
    {"layout": "row", "outs": 1, "lanes": 16, "unroll": 4},
    {"layout": "row", "outs": 1, "lanes": 256, "unroll": 8, "pack": 4, "split": True},
    {"layout": "row", "outs": 16, "lanes": 1, "unroll": 1},
    {"layout": "row", "outs": 4, "lanes": 8, "unroll": 8, "pack": 2, "split": True},
    {"layout": "column", "outs": 8, "lanes": 8, "unroll": 4},
    {"layout": "column", "outs": 32, "lanes": 4, "unroll": 1, "split": True},
    {"layout": "column", "outs": 4, "lanes": 8, "tile": 4, "unroll": 8, "split": True},
    {"layout": "column", "outs": 4, "lanes": 1, "tile": 2, "unroll": 4},
    {"layout": "column", "outs": 1, "lanes": 16, "tile": 3, "unroll": 8},
]


def name_of(geometry: dict) -> str:
    return "-".join(str(value) for value in geometry.values())


def squares(runtime: Runtime, array: np.ndarray, parts: int = 3, nkept: int = 1, **geometry: object) -> np.ndarray:
    """Of the distances from the mean over all axes but the first `nkept`."""
    spec = spec_for("deviation", array.dtype.name, nkept, array.ndim - nkept, "strided", **geometry)
    return Problem(spec, [array]).run(on_gpus(runtime), parts if geometry.get("split") else 1)[0]


def exact(array: np.ndarray, nkept: int = 1) -> np.ndarray:
    wide = array.astype(np.longdouble)
    axes = tuple(range(nkept, array.ndim))
    return np.square(wide - wide.mean(axis=axes, keepdims=True)).sum(axis=axes)


def laid(rows: np.ndarray, geometry: dict) -> np.ndarray:
    """The same rows, in memory as the geometry is for."""
    return rows if geometry["layout"] == "row" else np.ascontiguousarray(rows.T).T


def check(got: np.ndarray, want: np.ndarray, ulps: int = 16) -> None:
    np.testing.assert_allclose(got.astype(np.longdouble), want, rtol=ulps * float(np.finfo(got.dtype).eps))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=name_of)
@pytest.mark.heavy
def test_every_geometry(runtime: Runtime, geometry: dict, dtype: str) -> None:
    rows = np.random.default_rng(1).standard_normal((37, 3003)).astype(dtype)
    check(squares(runtime, laid(rows, geometry), **geometry), exact(rows))


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 31, 128, 129, 1000])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=name_of)
def test_any_number_of_elements(quick_runtime: Runtime, geometry: dict, count: int) -> None:
    rows = np.random.default_rng(count).standard_normal((37, count)).astype("f4")
    check(squares(quick_runtime, laid(rows, geometry), **geometry), exact(rows))


FAR: dict[str, np.ndarray] = {}
_rng = np.random.default_rng(5)
_noise = _rng.standard_normal((16, 6007))
FAR["mean of a million"] = 1e6 + _noise
FAR["the first one far off"] = np.where(np.arange(6007) == 0, 1e7, _noise)
FAR["the last one far off"] = np.where(np.arange(6007) == 6006, 1e7, _noise)
FAR["every hundredth far off"] = np.where(np.arange(6007) % 100 == 0, 1e5, _noise)
FAR["two levels"] = np.where(np.arange(6007) < 2500, -1e6, 1e6) + _noise
FAR["a ramp"] = np.linspace(1e3, 1e5, 6007) + _noise
FAR["one value"] = np.full((16, 6007), 1234.56)
FAR["two neighbours"] = np.where(_noise > 0, np.float32(1e6), np.nextafter(np.float32(1e6), np.float32(2e6)))
FAR["tiny"] = _noise * 1e-15
FAR["large"] = _noise * 1e15


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("geometry", [GEOMETRIES[at] for at in (1, 3, 6, 8)], ids=name_of)
@pytest.mark.parametrize("name", FAR)
@pytest.mark.heavy
def test_means_far_from_deviations(quick_runtime: Runtime, name: str, geometry: dict, dtype: str) -> None:
    rows = FAR[name].astype(dtype)
    check(squares(quick_runtime, laid(rows, geometry), **geometry), exact(rows), 32)


def test_small_deviations_of_large_doubles(quick_runtime: Runtime) -> None:
    rows = 1e6 + _noise * 1e-3
    for geometry in (GEOMETRIES[1], GEOMETRIES[6]):
        check(squares(quick_runtime, laid(rows, geometry), **geometry), exact(rows), 32)


@pytest.mark.parametrize("geometry", [GEOMETRIES[at] for at in (1, 3, 6, 8)], ids=name_of)
@pytest.mark.heavy
def test_not_finite(quick_runtime: Runtime, geometry: dict) -> None:
    """NaN where an element is not finite, and infinity where squares are too large for the dtype."""
    rows = np.random.default_rng(6).standard_normal((16, 3003)).astype("f4")
    for row, (place, value) in enumerate((p, v) for p in (0, 1501, 3002) for v in (np.nan, np.inf, -np.inf)):
        rows[row, place] = value
    rows[9, 7] = 1e30
    rows[10] *= np.float32(1e37)
    rows[11] = np.where(np.arange(3003) % 2, np.float32(3e38), np.float32(-3e38))
    got = squares(quick_runtime, laid(rows, geometry), **geometry)
    np.testing.assert_array_equal(got[:12], [np.nan] * 9 + [np.inf] * 3)
    check(got[12:], exact(rows[12:]))


@pytest.mark.parametrize("flat", [False, True])
@pytest.mark.parametrize("geometry", [GEOMETRIES[at] for at in (0, 1, 2, 3, 4, 5, 6, 8)], ids=name_of)
def test_kept_and_reduced_dims_in_any_number(quick_runtime: Runtime, geometry: dict, flat: bool) -> None:
    whole = 100 + np.random.default_rng(3).standard_normal((6, 5, 41, 10, 37))
    rows = geometry["layout"] == "row"
    seen = whole[:, ::-1, :, ::3].transpose(0, 1, 3, 2, 4) if rows else whole[:, ::-1, :, ::3].transpose(0, 1, 4, 2, 3)
    check(squares(quick_runtime, seen, nkept=3, flat=flat, **geometry), exact(seen, 3))


def test_nothing_to_reduce(quick_runtime: Runtime) -> None:
    np.testing.assert_array_equal(squares(quick_runtime, np.zeros((5, 0), "f4")), np.zeros(5, "f4"))


def test_of_an_expression(quick_runtime: Runtime) -> None:
    """Of many operations, too, whose text the accumulators share."""
    rows = np.random.default_rng(2).standard_normal((16, 5000))
    for heavy in (1, 14):
        nodes = [("exp", "float64", "float64", (0,))]
        nodes += [("sin", "float64", "float64", (at + 1,)) for at in range(heavy)]
        for geometry in (GEOMETRIES[0], GEOMETRIES[1], GEOMETRIES[6]):
            plain = spec_for("deviation", "float64", 1, 1, "strided", **geometry)
            spec = replace(plain, nodes=tuple(nodes), value=len(nodes))
            seen = laid(rows, geometry)
            got, _ = Problem(spec, [seen]).run(on_gpus(quick_runtime), 3 if geometry.get("split") else 1)
            want = np.exp(rows)
            for _ in range(heavy):
                want = np.sin(want)
            np.testing.assert_allclose(got, exact(want).astype("f8"), rtol=1e-12)


def packed(spec: ReductionSpec) -> ReductionSpec:
    return replace(spec, leaves=tuple((dtype, "packed:unit") for dtype, _ in spec.leaves))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_neighbours_are_loaded_together(quick_runtime: Runtime, dtype: str) -> None:
    count = 16 // np.dtype(dtype).itemsize
    array = np.random.default_rng(4).standard_normal((48, 176 * count)).astype(dtype)
    for geometry in (
        {"layout": "row", "outs": 4, "lanes": 4, "unroll": 8, "pack": count},
        {"layout": "column", "outs": 4, "lanes": 4, "unroll": 8, "tile": count},
    ):
        seen = laid(array, geometry)
        one_by_one = spec_for("deviation", dtype, 1, 1, **geometry)
        got, _ = Problem(packed(one_by_one), [seen]).run(on_gpus(quick_runtime))
        assert got.tobytes() == Problem(one_by_one, [seen]).run(on_gpus(quick_runtime))[0].tobytes()
        check(got, exact(array))


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("geometry", GEOMETRIES, ids=name_of)
def test_cudas_compiler_takes_it(geometry: dict, dtype: str) -> None:
    assert compiles_for_cuda(render(spec_for("deviation", dtype, 1, 1, **{"wide": False, **geometry}), GPU))
