"""Reductions over any axes, dtypes, layouts and fused inputs against NumPy; float sums against exact ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import COMPLEX, DTYPES, FLOATS, close, host, moderate, on_both, same, silent, skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

EXACT = ("min", "max", "any", "all", "count_nonzero", "argmin", "argmax")
AXES = [None, 0, 1, 2, -1, (0, 2), (1, 2), (0, 1, 2), ()]
SHAPE = (5, 7, 4)


def reduced(xp: Any, name: str, x: Any, **kwargs: Any) -> Any:
    return getattr(xp, name)(x, **kwargs)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sum_and_prod_have_numpys_dtype_and_values(dtype: str) -> None:
    skip_without(dtype)
    x = moderate(dtype, (3, 5), 2)
    for name in ("sum", "prod"):
        ours, wanted = on_both(lambda xp, x, name=name: reduced(xp, name, x, axis=1), x)
        close(ours, wanted, 0 if x.dtype.kind in "biu" else 20, name)


@pytest.mark.parametrize("dtype", [t for t in DTYPES if t not in COMPLEX])
@pytest.mark.heavy
def test_exact_reductions_in_every_dtype(dtype: str) -> None:
    skip_without(dtype)
    x = values(dtype, (6, 11), 3)
    for name in EXACT:
        same(*on_both(lambda xp, x, name=name: reduced(xp, name, x, axis=0), x), name)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_numbers_are_counted_and_ordered_as_numpy_does(dtype: str) -> None:
    skip_without(dtype)
    x = np.round(moderate(dtype, (6, 11), 3))
    for name in ("any", "all", "count_nonzero", "min", "max", "argmin", "argmax"):
        same(*on_both(lambda xp, x, name=name: reduced(xp, name, x, axis=0), x), name)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES, ids=str)
def test_any_axes(axis: Any, keepdims: bool) -> None:
    x = moderate("int32", SHAPE, 1)
    same(*on_both(lambda xp, x: xp.sum(x, axis=axis, keepdims=keepdims), x))
    same(*on_both(lambda xp, x: xp.max(x * 3, axis=axis, keepdims=keepdims), x))


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1])
def test_argmin_and_argmax_over_an_axis(axis: int | None, keepdims: bool) -> None:
    x = moderate("int8", SHAPE, 1)
    for name in ("argmin", "argmax"):
        same(*on_both(lambda xp, x, name=name: reduced(xp, name, x, axis=axis, keepdims=keepdims), x))


@pytest.mark.parametrize("n", [1, 2, 31, 33, 1000, 40_000])
def test_lengths_around_the_group_sizes(n: int) -> None:
    x = (np.arange(n) * 7919 % 1000 - 300).astype(np.int32)
    same(*on_both(lambda xp, x: xp.sum(x), x))
    same(*on_both(lambda xp, x: xp.argmin(x), x))
    y = np.stack([x, x[::-1]], axis=1)
    same(*on_both(lambda xp, y: xp.sum(y, axis=0), y))
    same(*on_both(lambda xp, y: xp.max(y, axis=1), y))


@pytest.mark.parametrize("n", [5, 3000])
def test_the_first_of_ties_wins(n: int) -> None:
    x = np.zeros(n, np.float32)
    x[[1, n // 2, n - 1]] = 1
    for sign in (1, -1):
        same(*on_both(lambda xp, x, sign=sign: xp.argmax(x * sign), x))
        same(*on_both(lambda xp, x, sign=sign: xp.argmin(x * sign), x))


@pytest.mark.parametrize("at", [0, 7, 2999])
def test_nan_is_the_extreme(at: int) -> None:
    x = np.arange(3000, dtype=np.float32)
    x[at] = np.nan
    x[at // 2 + 5] = np.nan
    for name in ("min", "max", "argmin", "argmax", "sum", "any", "all"):
        same(*on_both(lambda xp, x, name=name: reduced(xp, name, x), x), name)


def test_zeros_of_both_signs_and_infinities() -> None:
    for numbers in ([-0.0, 0.0], [0.0, -0.0], [np.inf, -np.inf], [-np.inf]):
        x = np.array(numbers, np.float32)
        for name in ("argmin", "argmax", "sum"):
            same(*on_both(lambda xp, x, name=name: reduced(xp, name, x), x), f"{name} of {numbers}")


# --- nothing to reduce -----------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:(Mean of empty|Degrees of freedom <= 0 for) slice")
@pytest.mark.parametrize(("shape", "axis"), [((0,), None), ((3, 0), 1), ((3, 0), 0), ((0, 4), 0), ((2, 0, 3), (1, 2))])
def test_no_elements(shape: tuple[int, ...], axis: Any) -> None:
    for dtype in ("float32", "int16", "bool"):
        x = np.empty(shape, dtype)
        for name in ("sum", "prod", "any", "all", "count_nonzero"):
            same(*on_both(lambda xp, x, name=name: reduced(xp, name, x, axis=axis), x), name)
    x = np.empty(shape, np.float32)
    same(*on_both(lambda xp, x: xp.mean(x, axis=axis), x))
    same(*on_both(lambda xp, x: xp.var(x, axis=axis), x))


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_the_least_of_nothing_is_an_error(name: str) -> None:
    x = da.empty((3, 0), da.float32)
    for axis in (None, 1):
        with pytest.raises(ValueError, match=r"(no identity|empty sequence).*\(3, 0\)"):
            reduced(da, name, x, axis=axis)
    assert reduced(da, name, x, axis=0).shape == (0,)


def test_zero_dimensional_arrays() -> None:
    x = np.array(-3, np.int16)
    for name in ("sum", "prod", "min", "max", "any", "all", "mean", "std", "argmin"):
        same(*on_both(lambda xp, x, name=name: reduced(xp, name, x), x), name)


# --- inputs ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x.T, lambda x: x[::-1], lambda x: x[:, ::2, 1:], lambda x: x[::-2, :, ::-1].T, lambda x: x[2],
        lambda x: x[:, None], lambda x: x.T[1:, ::-1],
    ],
)  # fmt: skip
@pytest.mark.heavy
def test_views(view: Any) -> None:
    a = moderate("int32", SHAPE, 5)
    for axis in (None, 0, -1):
        same(*on_both(lambda xp, x, axis=axis: xp.sum(view(x), axis=axis), a), f"axis {axis}")
        same(*on_both(lambda xp, x, axis=axis: xp.argmax(view(x), axis=axis), a), f"axis {axis}")


def test_broadcast_views_and_broadcast_expressions() -> None:
    row, column = moderate("int32", (1, 30), 1), moderate("int32", (20, 1), 2)
    for axis in (None, 0, 1):
        same(*on_both(lambda xp, a, axis=axis: xp.sum(xp.broadcast_to(a, (20, 30)), axis=axis), row))
        same(*on_both(lambda xp, a, b, axis=axis: xp.max(a * b - a, axis=axis), row, column))


def test_fused_inputs_of_several_dtypes() -> None:
    x, y = moderate("int16", (9, 40), 1), moderate("uint8", (40,), 2)
    same(*on_both(lambda xp, x, y: xp.sum(xp.where(x > 0, x * y, -1), axis=0), x, y))
    same(*on_both(lambda xp, x, y: xp.any(x[::-1] == y, axis=1), x, y))
    same(*on_both(lambda xp, x, y: xp.count_nonzero((x + y) % 3, axis=1), x, y))


def test_a_reduction_in_a_chosen_dtype() -> None:
    x = values("int8", 300, 1)
    for dtype in ("bool", "int8", "int32", "uint16", "float32"):
        same(*on_both(lambda xp, x, dtype=dtype: xp.sum(x, dtype=dtype), np.abs(x // 4)), dtype)
    same(*on_both(lambda xp, x: xp.prod(x[:40] | 1, dtype="int32"), x))


def test_a_reduction_of_a_reduction() -> None:
    x = moderate("int32", (6, 7, 8), 1)
    same(*on_both(lambda xp, x: xp.max(xp.sum(x, axis=2) - xp.min(x, axis=2), axis=0), x))


# --- means and deviations --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mean", "var", "std"])
@pytest.mark.parametrize("dtype", ["bool", "int16", "uint64", "float16", "float32", "float64", "complex64"])
def test_means_and_deviations(name: str, dtype: str) -> None:
    skip_without(dtype, *(["float64"] if np.dtype(dtype).kind in "biu" else []))
    x = moderate(dtype, (9, 14), 4)
    for axis in (None, 1):
        ours, wanted = on_both(lambda xp, x, axis=axis: reduced(xp, name, x, axis=axis), x)
        close(ours, wanted, 8 if dtype == "float16" else 40, f"axis {axis}")


@pytest.mark.filterwarnings("ignore:(Mean of empty|Degrees of freedom <= 0 for) slice")
def test_corrections_and_keepdims() -> None:
    x = moderate("float32", (6, 5), 1)
    for kwargs in ({"ddof": 1}, {"correction": 1}, {"ddof": 2, "keepdims": True}, {"correction": 6, "axis": 0}):
        for name in ("var", "std"):
            ours, wanted = on_both(lambda xp, x, name=name, kwargs=kwargs: reduced(xp, name, x, **kwargs), x)
            close(ours, wanted, 40, f"{name} {kwargs}")


def test_variance_far_from_zero_does_not_cancel() -> None:
    x = (1e4 + np.random.default_rng(1).normal(size=4000)).astype(np.float32)
    exact = np.var(x.astype(np.float64))
    assert abs(da.var(da.asarray(x)).item() - exact) < 1e-3 * exact


# --- accuracy --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", FLOATS)
def test_sums_are_as_accurate_as_pairwise_ones(dtype: str, axis: int) -> None:
    """Within a few units in the last place of the sum of magnitudes, far below n."""
    skip_without(dtype)
    x = np.random.default_rng(1).uniform(0, 0.125 if dtype == "float16" else 1, (30_000, 3)).astype(dtype)
    x = x if axis == 0 else np.ascontiguousarray(x.T)
    ours = host(da.sum(da.asarray(x), axis=axis))
    for i in range(3):
        column = x[:, i] if axis == 0 else x[i]
        exact = math.fsum(column.astype(np.float64).tolist())
        assert abs(float(ours[i]) - exact) <= 24 * float(np.finfo(dtype).eps) * exact


def test_integer_sums_wrap_as_numpys_do() -> None:
    for dtype in ("int64", "uint64"):
        x = np.full(5, np.iinfo(dtype).max, dtype)
        same(*on_both(lambda xp, x: xp.sum(x), x))
        same(*on_both(lambda xp, x: xp.prod(x), x))


# --- any shape, by search --------------------------------------------------------------------------------------------


@settings(max_examples=max(settings().max_examples // 2, 1))
@given(st.data())
def test_random_reductions(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=4), label="shape"))
    axes = data.draw(st.lists(st.integers(0, len(shape) - 1), unique=True), label="axes")
    name = data.draw(st.sampled_from(["sum", "max", "all", "argmin"]), label="name")
    flipped = data.draw(st.sampled_from([(), (0,), (len(shape) - 1,)]), label="flipped")
    transposed = data.draw(st.booleans(), label="transposed")
    axis: Any = tuple(axes)
    if name == "argmin":
        axis = axes[0] if axes else None

    def body(xp: Any, x: Any) -> Any:
        x = xp.flip(x, axis=flipped) if flipped else x
        x = x.T if transposed else x
        return getattr(xp, name)(x * 2 - 1, axis=axis)

    same(*on_both(body, moderate("int32", shape, 3)))


def test_bad_axes_and_dtypes_name_what_was_given() -> None:
    x = da.ones((2, 3))
    with pytest.raises(da.ShapeError, match=r"axis 2 .*dimension 2"):
        da.sum(x, axis=2)
    with pytest.raises(da.ShapeError, match="twice"):
        da.sum(x, axis=(0, -2))
    with pytest.raises(TypeError, match="one axis"):
        da.argmax(x, axis=(0, 1))
    with silent(), pytest.raises(TypeError):
        da.sum(x, axis="rows")


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("part", ["real", "imag"])
@pytest.mark.parametrize("name", ["abs", "sqrt", "floor", "exp"])
def test_functions_of_a_component_of_few_complex_numbers(name: str, part: str, dtype: str) -> None:
    """Intel's compiler died of making vectors of them in a reduction by one work-item."""
    skip_without(dtype)

    z = np.abs(moderate(dtype, (4, 6), 3)) * np.array(1 + 2j, dtype)
    for axis in (None, 0, -1):
        # the component is nobody else's, so that the reduction's kernel takes it
        close(*on_both(lambda xp, x, axis=axis: getattr(xp, name)(getattr(xp, part)(x)).sum(axis=axis), z), 32)


@pytest.mark.parametrize("kind", ["sum", "prod", "mean"])
def test_imaginary_parts_are_dropped_with_numpys_warning(kind: str) -> None:
    a = np.array([[1 + 2j, 3 + 1j], [2, 1j]], "complex64")
    x = da.asarray(a)
    for dtype in ("float32", "float64", "int32"):
        with pytest.warns(np.exceptions.ComplexWarning):
            wanted = getattr(np, kind)(a, axis=0, dtype=dtype)
        with pytest.warns(np.exceptions.ComplexWarning):
            same(getattr(da, kind)(x, axis=0, dtype=dtype), wanted)


@pytest.mark.parametrize("kind", ["var", "std"])
def test_imaginary_parts_are_not_dropped(kind: str) -> None:
    with pytest.raises(da.DTypeError, match=r"complex64 in float32 would drop imaginary parts; take real\(\) first"):
        getattr(da, kind)(da.asarray(np.array([1 + 2j, 3 + 1j], "complex64")), dtype="float32")


@pytest.mark.parametrize(
    "name", ["sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "count_nonzero", "ptp"]
)
def test_axis_0_of_an_array_without_axes(name: str) -> None:
    for axis in (0, -1, np.int64(0)):
        same(*on_both(lambda xp, x, axis=axis: getattr(xp, name)(x, axis=axis), np.array(3.0)))
    with pytest.raises(da.AxisError):
        getattr(da, name)(da.asarray(3.0), axis=1)


@pytest.mark.parametrize("name", ["mean", "std", "median"])
def test_means_take_no_axis_of_an_array_without_axes(name: str) -> None:
    for xp in (np, da):
        with pytest.raises((ValueError, IndexError), match="axis 0"):
            getattr(xp, name)(xp.asarray(3.0), axis=0)


@pytest.mark.parametrize("name", ["var", "std"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_deviations_of_some_integers_in_a_dtype(name: str, dtype: str) -> None:
    skip_without(dtype)
    x, mask = np.array([1, 2, 4, 9], np.int16), np.array([True, True, False, True])
    close(getattr(da, name)(da.asarray(x), dtype=dtype, where=mask), getattr(np, name)(x, dtype=dtype, where=mask), 8)


def test_means_of_nothing_warn_as_numpys() -> None:
    """The messages are NumPy's, by which programs ignore them."""
    x = da.zeros((3, 0), da.float32)
    for call in (lambda: x.mean(), lambda: da.mean(x, axis=1), lambda: da.median(x)):
        with pytest.warns(RuntimeWarning, match="Mean of empty slice"):
            assert np.isnan(call().copy_to_host()).all()
    with pytest.warns(RuntimeWarning, match="Degrees of freedom <= 0 for slice"):
        assert np.isnan(da.std(x).item())
    with pytest.warns(RuntimeWarning, match="Degrees of freedom <= 0 for slice"):
        assert np.isnan(da.var(da.ones(1, da.float32), ddof=1).item())
    assert x.mean(axis=0).shape == (0,), "nothing to warn of"
