"""`pad` and `apply_along_axis` against NumPy's."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from oracle import close, host, moderate, same, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

WIDTHS: dict[str, Any] = {
    "one": 1,
    "a pair": (2, 0),
    "a pair for each": ((1, 3), (0, 2), (2, 1)),
    "one for each": ((1,), (2,), (0,)),
    "by name": {-1: (3, 1), 0: 2},
    "nothing": 0,
    "several turns": ((7, 12), (0, 0), (11, 3)),
}


def near(ours: da.Array, wanted: np.ndarray, ulp: float) -> None:
    """Equal; floats within so many units in the last place of the largest one."""
    if ulp and wanted.dtype.kind == "f":
        assert (ours.dtype, ours.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(
            host(ours), wanted, rtol=0, atol=ulp * np.finfo(wanted.dtype).eps * abs(wanted).max()
        )
    else:
        same(ours, wanted)


MODES = ["constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "minimum", "mean", "median"]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("mode", MODES)
def test_modes(mode: str, width: str) -> None:
    skip_without("float64")
    for dtype in ("int16", "float32"):
        x = moderate(dtype, (3, 4, 2), 1)
        wanted = np.pad(x, WIDTHS[width], mode)
        near(da.pad(da.asarray(x), WIDTHS[width], mode), wanted, 8 if mode in ("mean", "median") else 0)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float16", "float64", "complex64"])
@pytest.mark.heavy
def test_dtypes(dtype: str) -> None:
    skip_without(dtype, "float64")
    x = moderate(dtype, (3, 4), 1)
    for mode in ("constant", "edge", "reflect", "wrap"):
        same(da.pad(da.asarray(x), 2, mode), np.pad(x, 2, mode))
    if dtype != "bool":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            close(da.pad(da.asarray(x), 2, "linear_ramp"), np.pad(x, 2, "linear_ramp"), 0)


PARAMETERS: dict[str, dict[str, Any]] = {
    "one value": {"constant_values": 7},
    "a value that is cast": {"constant_values": 7.9},
    "values before and behind": {"constant_values": (1, 2)},
    "values for each axis": {"constant_values": ((1, 2), (3, 4))},
    "ends of ramps": {"mode": "linear_ramp", "end_values": ((-4, 5), (100, 0))},
    "odd reflection": {"mode": "reflect", "reflect_type": "odd"},
    "odd symmetry": {"mode": "symmetric", "reflect_type": "odd"},
    "statistics of some": {"mode": "maximum", "stat_length": ((1, 2), (2, 3))},
    "statistics of one": {"mode": "mean", "stat_length": 2},
    "statistics of more than there are": {"mode": "minimum", "stat_length": 20},
}


@pytest.mark.parametrize("case", PARAMETERS)
def test_parameters(case: str) -> None:
    skip_without("float64")
    for dtype in ("int32", "float32"):
        x = moderate(dtype, (4, 5), 2)
        for width in (2, ((3, 1), (2, 4)), ((9, 13), (17, 5))):
            ulp = 64 if "odd" in case or case.startswith(("ends", "statistics")) else 0
            near(da.pad(da.asarray(x), width, **PARAMETERS[case]), np.pad(x, width, **PARAMETERS[case]), ulp)


def test_views_points_empty_arrays_and_single_elements() -> None:
    x = moderate("float32", (4, 6), 3)
    same(da.pad(da.asarray(x)[::-1, ::2], 2, "wrap"), np.pad(x[::-1, ::2], 2, "wrap"))
    same(da.pad(da.asarray(3), 2), np.pad(3, 2))
    same(da.pad(da.ones((0, 2)), 1), np.pad(np.ones((0, 2)), 1))
    for mode in MODES:
        same(da.pad(da.asarray(x[:1, :1]), 3, mode), np.pad(x[:1, :1], 3, mode))
    same(da.pad(da.asarray(x), 2, "empty")[2:-2, 2:-2], x)
    infinite = np.array([np.inf, 1, -np.inf, 2], np.float32)
    same(
        da.pad(da.asarray(infinite), 2, "reflect", reflect_type="odd"),
        np.pad(infinite, 2, "reflect", reflect_type="odd"),
    )


def test_a_padded_array_is_no_view() -> None:
    x = da.ones(3)
    y = da.pad(x, 0, "edge")
    y[0] = 5
    assert float(x[0]) == 1


def test_refusals() -> None:
    x = da.ones((2, 3))
    with pytest.raises(ValueError, match="it is one of constant"):
        da.pad(x, 1, "mirror")
    with pytest.raises(ValueError, match="negative values"):
        da.pad(x, -1)
    with pytest.raises(ValueError, match="no pair of values for each of 2 axes"):
        da.pad(x, (1, 2, 3))
    with pytest.raises(ValueError, match="even or odd"):
        da.pad(x, 1, "reflect", reflect_type="strange")
    with pytest.raises(ValueError, match="extend empty axis 0"):
        da.pad(x[:0], 1, "edge")
    with pytest.raises(ValueError, match="no mode takes alpha"):
        np.pad(x, 1, alpha=1)


def test_nothing_waits() -> None:
    x = da.ones((8, 8), da.float32)
    da.config.forbid_waits = True
    try:
        results = [da.pad(x, 3, mode) for mode in MODES if mode != "median"]
    finally:
        da.config.forbid_waits = False
    assert [y.shape for y in results] == [(14, 14)] * 9


# --- apply_along_axis ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize(
    "function",
    [
        lambda xp: lambda row: row.sum(),
        lambda xp: lambda row: row[::-1] * 2,
        lambda xp: lambda row: xp.stack([row[:2], row[1:]]),
        lambda xp: lambda row: 1.5,
        lambda xp: lambda row, power, plus: row**power + plus,
    ],
)
def test_apply_along_axis(function: Any, axis: int) -> None:
    skip_without("float64")
    x = moderate("int32", (3, 3, 3), 4)
    more = (
        {"args": (2,), "kwargs": {"plus": 1}} if function(da).__code__.co_argcount == 3 else {"args": (), "kwargs": {}}
    )
    wanted = np.apply_along_axis(function(np), axis, x, *more["args"], **more["kwargs"])
    ours = da.asarray(x)
    same(da.apply_along_axis(function(da), axis, ours, *more["args"], **more["kwargs"]), wanted)
    same(np.apply_along_axis(function(da), axis, ours, *more["args"], **more["kwargs"]), wanted)


def test_apply_along_axis_wants_slices() -> None:
    with pytest.raises(ValueError, match="has no slices along axis 1"):
        da.apply_along_axis(da.sum, 1, da.ones((0, 3)))


def test_sides_of_a_large_frame() -> None:
    """Written by themselves: what lies within them is not written twice."""
    host = np.arange(5700 * 6001, dtype=np.uint8).reshape(5700, 6001)
    widths, values = ((2, 1), (0, 3)), 9
    before = da.stats()["bytes_moved"]
    padded = da.pad(da.asarray(host), widths, constant_values=values)
    assert da.stats()["bytes_moved"] - before < 2.1 * host.nbytes
    np.testing.assert_array_equal(padded.copy_to_host(), np.pad(host, widths, constant_values=values))


@pytest.mark.parametrize("dims", [(3, 4), (40, 30)])
@pytest.mark.parametrize("mode", MODES)
def test_what_lies_by_columns_is_padded_so(mode: str, dims: tuple[int, int]) -> None:
    x = np.asfortranarray(np.arange(dims[0] * dims[1], dtype=np.float32).reshape(dims))
    for key in (np.s_[:], np.s_[:, 1:], np.s_[::2], np.s_[:1]):
        wanted = np.pad(x[key], ((1, 2), (0, 3)), mode)  # type: ignore[call-overload]
        ours = da.pad(da.asarray(x, order="K")[key], ((1, 2), (0, 3)), mode)
        near(ours, wanted, 4)
        assert (ours.flags.c_contiguous, ours.strides) == (wanted.flags.c_contiguous, wanted.strides)
        assert ours.base is None
