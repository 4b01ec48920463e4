"""Axes that an array does not have, and what is none: errors of the classes that NumPy's functions raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

OUT_OF_BOUNDS = [3, -4, 7, np.int64(9)]
NO_AXES = [1.5, "x"]
SEVERAL = [(0, 3), (1, 1), (0, -3), (0, 1.0)]
NO_TUPLES = [[0], np.array([0, 1]), True]

REDUCTIONS = [
    "sum",
    "prod",
    "max",
    "min",
    "mean",
    "std",
    "var",
    "any",
    "all",
    "nansum",
    "nanprod",
    "nanmax",
    "nanmin",
    "nanmean",
    "nanstd",
    "nanvar",
    "median",
    "nanmedian",
    "ptp",
    "count_nonzero",
    "flip",
    "fft.fftshift",
    "fft.fftn",
    "linalg.vector_norm",
]
OF_ONE = [
    "argmax",
    "argmin",
    "cumsum",
    "cumprod",
    "sort",
    "argsort",
    "diff",
    "nancumsum",
    "nancumprod",
    "nanargmax",
    "unwrap",
    "fft.fft",
    "fft.irfft",
    "fft.hfft",
    "trapezoid",
    "unique",
    "packbits",
    "cumulative_sum",
    "add.accumulate",
]
MORE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "expand_dims": lambda xp, x, axis: xp.expand_dims(x, axis if axis not in (3, -4) else 4),
    "squeeze": lambda xp, x, axis: x.squeeze(axis),
    "roll": lambda xp, x, axis: xp.roll(x, 1, axis),
    "partition": lambda xp, x, axis: xp.partition(x, 1, axis),
    "x.sort": lambda xp, x, axis: x.copy().sort(axis),
    "x.partition": lambda xp, x, axis: x.copy().partition(1, axis),
    "delete": lambda xp, x, axis: xp.delete(x, 0, axis),
    "insert": lambda xp, x, axis: xp.insert(x, 0, 1.0, axis),
    "append": lambda xp, x, axis: xp.append(x, x, axis),
    "take": lambda xp, x, axis: xp.take(x, 0, axis),
    "compress": lambda xp, x, axis: xp.compress([True], x, axis),
    "repeat": lambda xp, x, axis: xp.repeat(x, 2, axis),
    "take_along_axis": lambda xp, x, axis: xp.take_along_axis(x, xp.zeros(x.shape, int), axis),
    "apply_along_axis": lambda xp, x, axis: xp.apply_along_axis(lambda row: row.sum(), axis, x),
    "concatenate": lambda xp, x, axis: xp.concatenate((x, x), axis),
    "stack": lambda xp, x, axis: xp.stack((x, x), axis if axis not in (3, -4) else 4),
    "array_split": lambda xp, x, axis: xp.array_split(x, 1, axis),
    "percentile": lambda xp, x, axis: xp.percentile(x, 50, axis),
    "moveaxis": lambda xp, x, axis: xp.moveaxis(x, axis, 0),
    "moveaxis to": lambda xp, x, axis: xp.moveaxis(x, 0, axis),
    "rollaxis": lambda xp, x, axis: xp.rollaxis(x, axis),
    "swapaxes": lambda xp, x, axis: xp.swapaxes(x, axis, 0),
    "x.swapaxes": lambda xp, x, axis: x.swapaxes(0, axis),
    "transpose": lambda xp, x, axis: xp.transpose(x, (0, 1, axis)),
    "x.transpose": lambda xp, x, axis: x.transpose(0, 1, axis),
    "permute_dims": lambda xp, x, axis: xp.permute_dims(x, (axis, 0, 1)),
    "diagonal": lambda xp, x, axis: xp.diagonal(x, 0, 0, axis),
    "trace": lambda xp, x, axis: xp.trace(x, 0, 0, axis),
    "tensordot": lambda xp, x, axis: xp.tensordot(x, x, axes=((axis,), (axis,))),
    "cross": lambda xp, x, axis: xp.cross(x, x, axis=axis),
    "vecdot": lambda xp, x, axis: xp.vecdot(x, x, axis=axis),
    "add.reduceat": lambda xp, x, axis: xp.add.reduceat(x, [0, 1], axis),
    "linspace": lambda xp, x, axis: xp.linspace(x, x + 1, 3, axis=axis if axis not in (3, -4) else 4),
    "lexsort": lambda xp, x, axis: xp.lexsort((x, x), axis),
    "sliding_window_view": lambda xp, x, axis: xp.lib.stride_tricks.sliding_window_view(x, 2, axis),
    "average": lambda xp, x, axis: xp.average(x, axis),
    "average, weights": lambda xp, x, axis: xp.average(x, axis, weights=x),
    "gradient": lambda xp, x, axis: xp.gradient(x, axis=axis),
}


def _by_name(name: str) -> Callable[[Any, Any, Any], Any]:
    if name in MORE:
        return MORE[name]

    def call(xp: Any, x: Any, axis: Any) -> Any:
        found = xp
        for part in name.split("."):
            found = getattr(found, part)
        return found(x > 1 if name == "packbits" else x, axis=axis)

    return call


def _outcome(call: Callable[[Any, Any, Any], Any], xp: Any, axis: Any) -> Any:
    """The class of the error, or the shape of the result."""
    x = np.arange(24.0).reshape(2, 3, 4)
    try:
        result = call(xp, xp.asarray(x), axis)
    except (TypeError, ValueError, IndexError) as error:
        return type(error)
    results = result if isinstance(result, list | tuple) else [result]
    return [r.shape for r in results]


def _same(name: str, axis: Any) -> None:
    wanted, got = _outcome(_by_name(name), np, axis), _outcome(_by_name(name), da, axis)
    if isinstance(wanted, type):
        assert isinstance(got, type) and issubclass(got, wanted), f"axis={axis!r}: {wanted} with NumPy, not {got}"
    else:
        assert got == wanted, f"axis={axis!r}"


@pytest.mark.parametrize("name", [*REDUCTIONS, *OF_ONE, *MORE])
def test_wrong_axes_raise_what_they_raise_in_numpy(name: str) -> None:
    for axis in OUT_OF_BOUNDS + NO_AXES:
        if name == "linalg.vector_norm" and axis == 1.5:  # NumPy cuts it off
            continue
        if (name, axis) != ("fft.fftn", "x"):  # a ValueError about int("x")
            _same(name, axis)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_several_axes_are_taken_as_in_numpy(name: str) -> None:
    for axis in SEVERAL:
        if name != "fft.fftn":
            _same(name, axis)


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "std", "var", "any", "all", "nansum", "squeeze"])
def test_reductions_take_tuples_and_no_other_sequences(name: str) -> None:
    for axis in NO_TUPLES:
        _same(name, axis)


@pytest.mark.parametrize(
    "name", ["argmax", "argmin", "cumsum", "cumprod", "sort", "take", "array_split", "x.sort", "trapezoid"]
)
def test_functions_along_one_axis_take_no_tuple(name: str) -> None:
    for axis in [(0,), (0, 1), (), [0]]:
        _same(name, axis)


def test_the_error_of_a_wrong_axis_is_numpys() -> None:
    x = da.ones((2, 3))
    with pytest.raises(np.exceptions.AxisError, match="axis 5 is out of bounds for array of dimension 2"):
        x.transpose(0, 5)
    with pytest.raises(ValueError, match="given twice"):
        x.transpose(1, 1)
