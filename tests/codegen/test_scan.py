"""Scans and compaction give NumPy's values in the serial and in the group form."""

from __future__ import annotations

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view
from runtimes import Runtime

from devarray.codegen.kernels.launches import View
from devarray.codegen.kernels.scan import plan_count, plan_nonzero, plan_place, plan_scan, plan_select
from devarray.codegen.language.dialect import OpenCL

NUMPY = {"sum": np.add, "prod": np.multiply, "min": np.minimum, "max": np.maximum}


def dialects(runtime: Runtime) -> dict[str, OpenCL]:
    """The runtime's own, and one that plans as for a GPU."""
    return {"cpu": runtime.dialect, "gpu": OpenCL(runtime.dialect.caps | {"strategy": "gpu", "compute_units": 3})}


both_forms = pytest.mark.parametrize("device", ["cpu", "gpu"])


def scanned(
    runtime: Runtime, device: str, array: np.ndarray, axis: int, op: str, out: np.ndarray, **more: bool
) -> np.ndarray:
    plan = plan_scan(view("in", array), view("out", out), axis, op, dialects(runtime)[device], **more)
    execute(runtime, plan, {"in": array, "out": out})
    return out


@both_forms
@pytest.mark.parametrize("shape", [(1,), (7,), (2049,), (100_003,)])
@pytest.mark.heavy
def test_cumulative_sum_of_any_length(runtime: Runtime, device: str, shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(0).integers(-9, 10, shape).astype("i4")
    got = scanned(runtime, device, array, 0, "sum", np.zeros(shape, "i8"))
    np.testing.assert_array_equal(got, np.cumsum(array, dtype="i8"))


@both_forms
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_every_axis_of_strided_views(runtime: Runtime, device: str, axis: int) -> None:
    whole = np.random.default_rng(0).integers(-9, 10, (6, 1400, 26)).astype("f4")
    array = whole[::-1, ::2, 1::3]
    out = np.zeros((array.shape[2], array.shape[0], array.shape[1]), "f8").transpose(1, 2, 0)
    got = scanned(runtime, device, array, axis, "sum", out)
    np.testing.assert_array_equal(got, np.cumsum(array, axis=axis, dtype="f8"))


@both_forms
@pytest.mark.parametrize("op", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "float32", "float64", "complex64"])
def test_every_operation(runtime: Runtime, device: str, dtype: str, op: str) -> None:
    if dtype == "complex64" and op in ("min", "max"):
        pytest.skip("complex numbers have no order in the Array API")
    rng = np.random.default_rng(1)
    array = (
        rng.integers(1, 4, (2, 3000)).astype(dtype) if op != "prod" else rng.choice([1, 1, -1], (2, 3000)).astype(dtype)
    )
    target = {"int8": "int64"}.get(dtype, dtype) if op in ("sum", "prod") else dtype
    array[:, 40:] = array[:, 40:] * (dtype != "float16")  # a half's sums stay exact
    got = scanned(runtime, device, array, 1, op, np.zeros(array.shape, target))
    np.testing.assert_array_equal(got, NUMPY[op].accumulate(array, axis=1, dtype=target))


@both_forms
@pytest.mark.heavy
def test_exclusive_and_nan(runtime: Runtime, device: str) -> None:
    array = np.arange(5000.0)
    array[700] = np.nan
    got = scanned(runtime, device, array, 0, "max", np.zeros(5000), exclusive=True)
    np.testing.assert_array_equal(got, np.concatenate([[-np.inf], np.maximum.accumulate(array)[:-1]]))


@both_forms
@pytest.mark.parametrize("shape", [(20_011,), (61, 83), (5, 7, 300)])
@pytest.mark.parametrize("share", [0, 0.3, 1])
@pytest.mark.heavy
def test_compaction(runtime: Runtime, device: str, shape: tuple[int, ...], share: float) -> None:
    rng = np.random.default_rng(2)
    mask = (rng.random(shape) < share)[..., ::-1]
    values = rng.random((*shape[:-1], 2 * shape[-1])).astype("c8")[..., ::2]
    dialect = dialects(runtime)[device]
    count = plan_count(view("mask", mask), dialect)
    partials = execute(runtime, count, {"mask": mask})
    n = int(partials["partials"].view("i8")[-1])
    assert n == np.count_nonzero(mask)
    if n == 0:
        return
    indices = np.zeros((mask.ndim, n), "i8")
    execute(
        runtime,
        plan_nonzero(view("mask", mask), view("out", indices), dialect),
        {"mask": mask, "out": indices},
        partials,
    )
    np.testing.assert_array_equal(indices, np.array(np.nonzero(mask)))
    chosen = np.zeros(n, "c8")
    plan = plan_select(view("mask", mask), view("values", values), view("out", chosen), dialect)
    execute(runtime, plan, {"mask": mask, "values": values, "out": chosen}, partials)
    np.testing.assert_array_equal(chosen, values[mask])
    target = values.copy()
    plan = plan_place(view("mask", mask), view("target", target), view("values", chosen[::-1]), dialect)
    execute(runtime, plan, {"mask": mask, "target": target, "values": chosen[::-1]}, partials)
    want = values.copy()
    want[mask] = chosen[::-1]
    np.testing.assert_array_equal(target, want)


@both_forms
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(1,), (9000,), (3, 30_000), (70, 5, 41)])
@pytest.mark.heavy
def test_compaction_writes_its_own_places_only(
    runtime: Runtime, device: str, dtype: str, shape: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(4)
    mask = rng.integers(0, 2, shape).astype(dtype)
    mask.flat[-1] = 0
    mask.flat[: mask.size // 2] *= rng.integers(0, 50, mask.size // 2) == 0  # few, then many
    if mask.dtype.kind in "fc":
        mask.flat[0], mask.flat[-1] = np.nan, -0.0
    dialect = dialects(runtime)[device]
    partials = execute(runtime, plan_count(view("mask", mask), dialect), {"mask": mask})
    n = int(partials["partials"].view("i8")[-1])
    assert n == np.count_nonzero(mask)
    guarded = np.full((len(shape), n + 3), -7)
    indices = guarded[:, :n]
    plan = plan_nonzero(view("mask", mask), view("out", indices), dialect)
    execute(runtime, plan, {"mask": mask, "out": indices}, partials)
    np.testing.assert_array_equal(indices, np.array(np.nonzero(mask)).reshape(indices.shape))
    values, chosen = rng.integers(0, 99, shape).astype("i2"), np.full(n + 3, -7, "i2")
    plan = plan_select(view("mask", mask), view("values", values), view("out", chosen[:n]), dialect)
    execute(runtime, plan, {"mask": mask, "values": values, "out": chosen}, partials)
    np.testing.assert_array_equal(chosen[:n], values[mask != 0])
    assert (guarded[:, n:] == -7).all() and (chosen[n:] == -7).all()
    target, one = values.copy(), np.array([5], "i2")
    several = View("values", "int16", (n,), (0,))
    plan = plan_place(view("mask", mask), view("target", target), several, dialect)
    execute(runtime, plan, {"mask": mask, "target": target, "values": one}, partials)
    np.testing.assert_array_equal(target, np.where(mask != 0, one, values))


def test_nothing_to_scan(runtime: Runtime) -> None:
    empty = View.contiguous("in", "float32", (3, 0))
    assert plan_scan(empty, empty, 1, "sum", runtime.dialect).launches == ()


@needs_nvrtc
@pytest.mark.parametrize("shape", [(100_000,), (5000, 4), (300, 300)])
@pytest.mark.heavy
def test_compiles_for_cuda(shape: tuple[int, ...]) -> None:
    plan = plan_scan(View.contiguous("in", "float16", shape), View.contiguous("out", "float16", shape), 0, "sum", GPU)
    mask = View.contiguous("mask", "bool", shape)
    values, listed = View.contiguous("values", "complex128", shape), View.contiguous("out", "complex128", (9,))
    plans = [plan, plan_count(mask, GPU), plan_select(mask, values, listed, GPU), plan_place(mask, values, listed, GPU)]
    plans.append(plan_nonzero(mask, View.contiguous("out", "int64", (len(shape), 9)), GPU))
    assert all(compiles_for_cuda(launch.source) for plan in plans for launch in plan.launches)


def test_wrong_requests_are_refused() -> None:
    a, b = View.contiguous("in", "float32", (3, 4)), View.contiguous("out", "float32", (4, 3))
    with pytest.raises(ValueError, match=r"shape \(3, 4\), not \(4, 3\)"):
        plan_scan(a, b, 0, "sum", GPU)
    with pytest.raises(ValueError, match="unknown scan 'mean'"):
        plan_scan(a, a, 0, "mean", GPU)
