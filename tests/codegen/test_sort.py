"""Radix sort gives NumPy's order, NaNs included, and keeps equals in order, in every form."""

from __future__ import annotations

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view
from runtimes import Runtime
from samples import same_bits

from devarray.codegen.kernels.launches import View
from devarray.codegen.kernels.sort import PLAIN, WARPS, Form, plan_argsort, plan_sort
from devarray.ops.dtypes import DTYPES

# Warps need an NVIDIA GPU; whatever else the plans have runs here, in tiles of few elements.
FORMS = {
    "counts": Form(warps=False, lookback=False, group=256, items=(4, 4, 4), row_items=2),
    "lookback": Form(warps=False, lookback=True, group=256, items=(4, 4, 4), row_items=2),
    "rows": PLAIN,
}
every_form = pytest.mark.parametrize("form", FORMS)


def numbers(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(0)
    kind = np.dtype(dtype).kind
    if kind in "biu":
        info = np.iinfo(dtype) if kind != "b" else None
        low, high = (0, 2) if info is None else (info.min, info.max)
        array = rng.integers(low, high, shape, dtype=dtype if kind != "b" else "i8").astype(dtype)
        array.flat[: array.size // 3] = array.flat[-1]  # equals
        return array

    def real() -> np.ndarray:
        array = rng.choice([-np.inf, -3.5, -1, -0.0, 0.0, 1e-7, 2, np.inf, np.nan], shape)
        return np.where(rng.random(shape) < 0.5, array, rng.standard_normal(shape))

    if kind != "c":
        return real().astype(dtype)
    array = np.zeros(shape, dtype)
    array.real, array.imag = real(), real()
    return array


def check(
    runtime: Runtime, form: str, array: np.ndarray, axis: int = -1, descending: bool = False, bits: int = 0
) -> None:
    """Sorted values and indices are NumPy's; where `descending`, those of the array and of the order turned round."""
    out, places = np.zeros(array.shape, array.dtype), np.zeros(array.shape, np.int64)
    for plan_of, result in ((plan_sort, out), (plan_argsort, places)):
        plan = plan_of(
            view("in", array),
            view("out", result),
            axis % array.ndim,
            runtime.dialect,
            descending=descending,
            form=FORMS[form],
            bits=bits,
        )
        execute(runtime, plan, {"in": array, "out": result})
    if descending:
        order = np.flip(np.argsort(np.flip(array, axis), axis, stable=True), axis)
        order = array.shape[axis] - 1 - order
    else:
        order = np.argsort(array, axis, stable=True)
    np.testing.assert_array_equal(places, order)
    wanted = np.take_along_axis(array, order, axis)
    assert same_bits(out, wanted).all(), f"{out[~same_bits(out, wanted)]}, not {wanted[~same_bits(out, wanted)]}"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.heavy
def test_rows_sorted_by_counting(runtime: Runtime, dtype: str) -> None:
    check(runtime, "rows", numbers(dtype, (30, 50)))


# PoCL takes up to a second to compile a kernel of many barriers, and a sort has several: one case a form.


@pytest.mark.parametrize(("form", "n"), [("rows", 300), ("counts", 2500), ("lookback", 2500)])
@pytest.mark.heavy
def test_every_form_on_every_runtime(runtime: Runtime, form: str, n: int) -> None:
    check(runtime, form, numbers("uint8", (n,)))


@pytest.mark.parametrize("dtype", ["int8", "float16", "uint32", "float64", "complex64"])
@pytest.mark.heavy
def test_rows_in_one_group(quick_runtime: Runtime, dtype: str) -> None:
    check(quick_runtime, "rows", numbers(dtype, (3, 300)))


@pytest.mark.parametrize("dtype", ["bool", "float16", "int64"])
@pytest.mark.parametrize("form", ["counts", "lookback"])
@pytest.mark.heavy
def test_rows_of_many_tiles(quick_runtime: Runtime, form: str, dtype: str) -> None:
    check(quick_runtime, form, numbers(dtype, (3, 2500)))


@pytest.mark.parametrize("form", ["rows", "lookback"])
@pytest.mark.heavy
def test_every_axis_of_strided_views(quick_runtime: Runtime, form: str) -> None:
    array = numbers("float16", (70, 1400, 9))[::-1, ::2, 1::3]
    for axis in range(3):
        check(quick_runtime, form, array, axis)


@pytest.mark.parametrize(("dtype", "bits"), [("uint32", 9), ("int64", 17), ("int64", 40), ("uint64", 1)])
@every_form
@pytest.mark.heavy
def test_integers_that_differ_in_their_lowest_bits(quick_runtime: Runtime, form: str, dtype: str, bits: int) -> None:
    for n in (40, 300, 2500):
        array = np.random.default_rng(n).integers(0, 1 << bits, (2, n)).astype(dtype) - np.array(1 << bits, dtype)
        check(quick_runtime, form, array, bits=bits)


@every_form
@pytest.mark.heavy
def test_any_length(quick_runtime: Runtime, form: str) -> None:
    for n in (1, 65, 256, 257, 1024, 1025, 60_000):  # a thread's share, a group, a tile, and one more each
        check(quick_runtime, form, np.random.default_rng(1).integers(-500, 500, n).astype("i2"))


@pytest.mark.parametrize("form", ["counts", "lookback"])
@pytest.mark.heavy
def test_many_rows(quick_runtime: Runtime, form: str) -> None:
    for n in (7, 200, 1300):
        check(quick_runtime, form, np.random.default_rng(1).integers(0, 500, (130, n)).astype("u2"))


@pytest.mark.parametrize(("form", "n"), [("rows", 40), ("rows", 300), ("counts", 2500)])
@pytest.mark.parametrize("dtype", ["uint8", "float16"])
@pytest.mark.heavy
def test_descending_keeps_equals_in_order(quick_runtime: Runtime, form: str, dtype: str, n: int) -> None:
    array = numbers(dtype, (n,))
    if array.dtype.kind == "f":
        array = np.round(np.nan_to_num(array, posinf=5, neginf=-5))
    check(quick_runtime, form, array, descending=True)


def test_complex_numbers(quick_runtime: Runtime) -> None:
    array = numbers("complex64", (2500,))
    check(quick_runtime, "lookback", array)
    check(quick_runtime, "rows", np.round(np.nan_to_num(array[:40], posinf=5, neginf=-5)), descending=True)


@needs_nvrtc
@pytest.mark.parametrize("n", [30, 900, pytest.param(9000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex64"])
def test_compiles_for_cuda(dtype: str, n: int) -> None:
    source = View.contiguous("in", dtype, (4, n))
    plans = [plan_sort(source, View.contiguous("out", dtype, (4, n)), 1, GPU)]
    plans.append(plan_argsort(source, View.contiguous("out", "int64", (4, n)), 1, GPU, descending=True))
    assert all(compiles_for_cuda(source) for source in {launch.source for plan in plans for launch in plan.launches})


def test_a_sweep_moves_keys_once_a_digit() -> None:
    """A GPU with warps needs a launch a digit and two before, and no counts."""
    source, out = (View.contiguous(role, "float32", (1 << 20,)) for role in ("in", "out"))
    plan = plan_sort(source, out, 0, GPU)
    assert len(plan.launches) == 4 + 2
    assert set(plan.temporaries) == {"keys0", "keys1", "state"}
    assert plan.launches[2].memory == ("in", "state", "keys1")
    assert plan.launches[-1].memory == ("keys1", "state", "out")
    tiles = -(-(1 << 20) // (WARPS.group * WARPS.items[1]))
    assert plan.launches[-1].groups == (tiles,)


def test_wrong_requests_are_refused() -> None:
    a, b = View.contiguous("in", "float32", (3, 4)), View.contiguous("out", "float32", (4, 3))
    with pytest.raises(ValueError, match=r"shape \(3, 4\), not \(4, 3\)"):
        plan_sort(a, b, 0, GPU)
    with pytest.raises(ValueError, match="in place"):
        plan_sort(a, a, 0, GPU)
    with pytest.raises(ValueError, match="indices are int64, not float32"):
        plan_argsort(a, a, 0, GPU)
    assert plan_sort(View.contiguous("in", "int8", (0,)), View.contiguous("out", "int8", (0,)), 0, GPU).launches == ()


@pytest.mark.parametrize(("rows", "n"), [(1, 1_000_000), (3, 100_003), (1, 20_000)])
def test_temporaries_with_warps_have_room(rows: int, n: int) -> None:
    """Tiles tell those behind them how many keys of each digit they have: a word for each, in each pass. No other plan
    that is asked for beside has its say in that."""
    plan = plan_sort(View.contiguous("in", "float32", (rows, n)), View.contiguous("out", "float32", (rows, n)), 1, GPU)
    tiles, passes, digits = rows * -(-n // (WARPS.group * WARPS.items[0])), 4, 256
    assert plan.temporaries["state"] > 4 * tiles * passes * digits
    assert plan.temporaries["keys0"] == plan.temporaries["keys1"] == 4 * rows * n
    assert plan.cleared == {"state"}


def test_counts_that_are_scanned_between_sweeps_share_no_state() -> None:
    """What is cleared is so once in a plan: scans of counts, one for each digit, would find it used."""
    n = 1 << 30  # too long for tiles that look back
    plan = plan_sort(View.contiguous("in", "uint16", (n,)), View.contiguous("out", "uint16", (n,)), 0, GPU)
    assert "counts" in plan.temporaries
    assert "state" not in plan.temporaries
    assert not plan.cleared
