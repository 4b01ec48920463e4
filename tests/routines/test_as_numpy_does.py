"""Corners in which NumPy programs rely on what NumPy does: ties, NaN, arrays without axes, complex order."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
COMPLEX = np.asarray([1 + 1j, 1 + 2j, 2 - 1j, 2 - 1j, 3, complex("nan")])
SOUGHT = np.asarray([[1 + 2j, 0, 2 - 1j], [2, 5, complex("nan")]])
EDGES: list[list[float]] = [[1.5, 2.5, 4, 6], [1.5, 2.5, 2.5, 6], [2, 2], [np.nan, np.nan], [1, 3, np.nan], []]


@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_of_complex_numbers(side: str) -> None:
    same(da.searchsorted(da.asarray(COMPLEX), SOUGHT, side=side), np.searchsorted(COMPLEX, SOUGHT, side=side))
    assert int(da.searchsorted(da.asarray(COMPLEX), 2 - 1j, side)) == np.searchsorted(COMPLEX, 2 - 1j, side)


@pytest.mark.parametrize("edges", EDGES)
@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("falling", [False, True])
def test_digitize(edges: list[float], right: bool, falling: bool) -> None:
    bins = np.asarray(edges)[:: -1 if falling else 1]
    x = np.asarray([1, 1.5, 2, 2.5, 3, 4, 6, 7, np.nan, np.inf])
    same(da.digitize(da.asarray(x), bins, right), np.digitize(x, bins, right))


def _half_nan(xp: Any) -> Any:
    return xp.asarray([[xp.nan, xp.nan], [1.0, 2.0]])


def _points(xp: Any) -> Any:
    return xp.asarray([[0.0, 1, 3], [0.0, 2, 4]])


FORMS: dict[str, Callable[[Any], Any]] = {
    "argsort without axes": lambda xp: xp.argsort(xp.asarray(3)),
    "cumulative_sum without axes": lambda xp: xp.cumulative_sum(xp.asarray(3)),
    "take without axes": lambda xp: xp.take(xp.asarray(3.0), [0, 0], axis=0),
    "byteswap without axes": lambda xp: xp.asarray(3.0).byteswap(),
    "round of bools": lambda xp: xp.asarray([True, False]).round(),
    "full of an array": lambda xp: xp.full(2, xp.asarray(1, dtype=xp.int8)),
    "meshgrid of matrices": lambda xp: xp.meshgrid(xp.ones((2, 2)), xp.arange(3))[1],
    "einsum of a view": lambda xp: xp.einsum("ij->ji", xp.ones((2, 3), dtype=xp.float32), dtype=xp.float64),
    "einsum of a sum": lambda xp: xp.einsum("ij->j", xp.ones((2, 3), dtype=xp.float32), dtype=xp.float64),
    "cross of a mask": lambda xp: xp.cross(xp.asarray([True, False, True]), xp.asarray([1, 2, 3])),
    "partition of nothing": lambda xp: xp.partition(xp.ones((3, 0)), 5, axis=1),
    "argpartition of nothing": lambda xp: xp.argpartition(xp.ones((2, 0, 3), dtype=xp.float32), 1),
    "einsum into an integer": lambda xp: xp.einsum(
        "i,i", *[xp.ones(3, dtype=xp.int8)] * 2, out=xp.zeros((), dtype=xp.int8), dtype="f8", casting="unsafe"
    ),
    "pad by a width in an array": lambda xp: xp.pad(xp.ones(3), xp.asarray([1, 2])),
    "equality with an object": lambda xp: xp.arange(3) == object(),
    "inequality with a dict": lambda xp: xp.arange(3) != {},
    "equality with a class": lambda xp: xp.arange(3) == int,  # noqa: E721
    "nan_to_num of integers": lambda xp: xp.nan_to_num(xp.arange(2), nan=[1j, 2, 3]),
    "nan_to_num by a list": lambda xp: xp.nan_to_num(xp.asarray([xp.nan, 1]), nan=[3, 4]),
    "interp with an end of the device": lambda xp: xp.interp(xp.asarray([-1.0]), [0, 2], [0, 1], left=xp.asarray(5)),
    "frexp into one of two": lambda xp: xp.frexp(xp.asarray([1.0, 3.0]), None, xp.zeros(2, dtype=xp.int32))[1],
    "divmod into the first alone": lambda xp: xp.divmod(xp.asarray([7, 3]), 2, xp.zeros(2, dtype=xp.int64))[0],
    "weighted nanquantile of NaN alone": lambda xp: xp.nanquantile(
        _half_nan(xp), [0.25, 0.5], axis=1, weights=xp.asarray([[1.0, 2], [1, 2]]), method="inverted_cdf"
    ),
    "weighted nanpercentile that keeps axes": lambda xp: xp.nanpercentile(
        _half_nan(xp), 50, axis=1, weights=xp.asarray([[1, 2], [1, 2]]), method="inverted_cdf", keepdims=True
    ),
    "trapezoid over points of fewer axes": lambda xp: xp.trapezoid(xp.ones((2, 2, 3)), _points(xp)),
    "trapezoid over points of more axes": lambda xp: xp.trapezoid(xp.ones(3), _points(xp)),
    "trapezoid along an axis from the end": lambda xp: xp.trapezoid(xp.ones((2, 2, 3)), _points(xp), axis=-2),
    "compress by objects": lambda xp: xp.compress([1, None], xp.asarray([[1, 2], [3, 4]]), axis=0),
    "compress by numbers": lambda xp: xp.compress(np.asarray([0.5, 0]), xp.asarray([[1, 2], [3, 4]]), axis=1),
    "compress by a long condition": lambda xp: xp.compress(np.arange(5000) % 3, xp.arange(6000)),
    "compress by false behind the end": lambda xp: xp.compress([0, 1, 0], xp.arange(2)),
    "transpose by a scalar": lambda xp: xp.arange(3).transpose(np.int64(0)),
    "transpose by an array without axes": lambda xp: xp.arange(3).transpose(np.asarray(0)),
    "transpose by an array": lambda xp: xp.ones((2, 3)).transpose(np.asarray([1, 0])),
    "mgrid of nothing": lambda xp: xp.mgrid[()],
    "ogrid of nothing": lambda xp: xp.ogrid[()],
    "split into a float": lambda xp: xp.split(xp.arange(9), 3.0)[1],
    "split into what divides": lambda xp: xp.split(xp.arange(9), 4.5)[0],
    "hsplit into an array": lambda xp: xp.hsplit(xp.ones((2, 4)), np.asarray(2.0))[1],
    "array_split into a fraction": lambda xp: xp.array_split(xp.arange(9), np.float32(2.5))[0],
    "sparse indices of no dtype": lambda xp: xp.indices((2,), None, True)[0],
    "indices of no dtype": lambda xp: xp.indices((2,), None),
}


@pytest.mark.filterwarnings("ignore:All-NaN slice")
@pytest.mark.parametrize("name", FORMS)
def test_forms(name: str) -> None:
    same(FORMS[name](da), np.asarray(FORMS[name](np)))


@pytest.mark.parametrize("shape", [(2, 0), (0, 2), (2, 0, 3)])
def test_arrays_without_elements_lie_in_every_order(shape: tuple[int, ...]) -> None:
    for theirs, ours in ((np.ones(shape), da.ones(shape)), (np.ones(shape)[::-1].T, da.ones(shape)[::-1].T)):
        assert ours.flags.c_contiguous == theirs.flags.c_contiguous
        assert ours.flags.f_contiguous == theirs.flags.f_contiguous


def test_an_object_that_compares_itself_is_asked() -> None:
    class Anything:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    assert (da.arange(3) == Anything()) is True


def test_bytes() -> None:
    host = np.arange(6, dtype=np.int16).reshape(2, 3)
    assert bytes(da.asarray(host).T) == bytes(host.T) and bytes(da.asarray(3)) == bytes(3)


@pytest.mark.parametrize("work", [lambda x: x.sum(axis=4), lambda x: x.swapaxes(0, 5), lambda x: da.sort(x[0, 0])])
def test_axis_errors_are_numpys(work: Callable[[Any], Any]) -> None:
    with pytest.raises(np.exceptions.AxisError, match="axis") as caught:
        work(da.ones((2, 2)))
    assert isinstance(caught.value, da.AxisError)


def test_complex_numbers_lose_their_imaginary_part_with_numpys_warning() -> None:
    with pytest.warns(np.exceptions.ComplexWarning):
        same(da.asarray([1 + 2j]).astype(da.float64), np.asarray([1.0]))


@pytest.mark.parametrize("out", [np.empty((2, 2), np.float32), np.empty((2, 2), order="F"), np.empty(4)])
def test_dot_wants_numpys_out(out: np.ndarray) -> None:
    a = np.ones((2, 3))
    with pytest.raises(ValueError):
        np.dot(a, a.T, out)
    with pytest.raises(ValueError, match="dot"):
        da.dot(da.asarray(a), da.asarray(a.T), da.asarray(out))


@pytest.mark.parametrize(
    ("mode", "given"),
    [
        ("edge", {"constant_values": 1}),
        ("constant", {"stat_length": 2}),
        ("wrap", {"reflect_type": "odd"}),
        ("edge", {"reflect_type": "even"}),
        ("reflect", {"stat_length": None}),
        ("empty", {"constant_values": 0}),
        ("mean", {"end_values": (1, 2)}),
    ],
)
def test_pad_names_what_a_mode_does_not_take(mode: str, given: dict[str, Any]) -> None:
    for x, xp in ((np.ones(3), np), (da.ones(3), da)):
        with pytest.raises(ValueError, match="unsupported keyword arguments for mode"):
            xp.pad(x, 1, mode, **given)


def test_pads_width_is_of_integers() -> None:
    with pytest.raises(da.DTypeError, match="integral"):
        da.pad(da.ones(3), da.asarray([1.0, 2.0]))


REDUCED_TO_NOTHING: dict[str, Callable[[Any, Any], Any]] = {
    "mean": lambda xp, x: xp.mean(x, axis=0),
    "median": lambda xp, x: xp.median(x),
    "nanmean": lambda xp, x: xp.nanmean(x, (0, 1)),
    "nanmedian": lambda xp, x: xp.nanmedian(x, axis=0),
    "nanpercentile": lambda xp, x: xp.nanpercentile(x, 30, axis=0),
    "nanstd": lambda xp, x: xp.nanstd(x, axis=0),
    "nanvar": lambda xp, x: xp.nanvar(x),
    "nanvar of few": lambda xp, x: xp.nanvar(xp.ones((2, 3)), axis=1, ddof=3),
    "var of few": lambda xp, x: xp.var(xp.ones((2, 3)), axis=1, ddof=3),
    "mean of no rows": lambda xp, x: xp.mean(x, axis=1),
    "median of no rows": lambda xp, x: xp.median(x, axis=1),
    "nanmean of no rows": lambda xp, x: xp.nanmean(x, axis=1),
    "nanvar of no rows": lambda xp, x: xp.nanvar(x, axis=1),
}


@pytest.mark.parametrize("name", REDUCED_TO_NOTHING)
def test_nothing_to_reduce_is_told_at_the_programs_line(name: str) -> None:
    told: list[set[str]] = []
    for xp, x in ((np, np.zeros((0, 3))), (da, da.zeros((0, 3)))):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            REDUCED_TO_NOTHING[name](xp, x)
        told.append({str(w.message) for w in caught if "encountered" not in str(w.message)})
    assert told[1] == told[0]
    assert {w.filename for w in caught} <= {__file__}


MEDIANS = [
    [4, np.nan, np.nan, np.inf],
    [-np.inf, 3],
    [np.inf, np.inf, 1, np.inf],
    [-np.inf, np.inf],
    [0.1, 0.7, 0.2, 3],
]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("row", MEDIANS)
@pytest.mark.parametrize("times", [1, 200])
def test_the_median_of_two_is_their_mean(row: list[float], times: int, dtype: str) -> None:
    skip_without(dtype)
    host = np.repeat(np.asarray(row, dtype), times)
    with np.errstate(all="ignore"):
        for name in ("median", "nanmedian"):
            for rows in (host, np.stack([host, host[::-1]])):
                same(getattr(da, name)(da.asarray(rows), -1), getattr(np, name)(rows, -1))


@pytest.mark.parametrize("ends", [{}, {"left": 1j, "right": 3}, {"period": 3.5}])
@pytest.mark.parametrize("values", [[1, 2 + 1j, complex(np.inf, 0.5), np.inf, 4], [1, 2, 3, 4, 5j]])
def test_interpolated_by_parts(values: list[complex], ends: dict[str, Any]) -> None:
    skip_without("complex128")
    x, xp = [0, 1, 1.5, 2, 2.5, 4, 5], [1, 2, 2.5, 3, 4]
    with np.errstate(all="ignore"):
        wanted = np.interp(x, xp, values, **ends)
    found = da.interp(da.asarray(x), da.asarray(xp), da.asarray(values), **ends).copy_to_host()
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


def test_quantiles_spread_into_out() -> None:
    x = np.arange(6.0).reshape(2, 3)
    out = da.zeros((4, 3))
    assert da.percentile(da.asarray(x), 30, axis=0, out=out) is out
    same(out, np.percentile(x, 30, axis=0, out=np.zeros((4, 3))))


def test_indices_of_more_rows_than_there_are() -> None:
    host, places = np.ones((3, 4, 1)), np.arange(10).reshape(1, 2, 5) % 4
    ours = da.asarray(host)
    da.put_along_axis(ours, da.asarray(places), 20.0, axis=1)
    np.put_along_axis(host, places, 20.0, axis=1)
    same(ours, host)


def test_trimmed_lists_are_lists() -> None:
    assert da.trim_zeros([0, 0, 1, 2, 0]) == [1, 2]
    assert da.trim_zeros((0, 1, 0), "b") == (0, 1)


def test_trimmed_arrays_without_axes_are_views() -> None:
    for xp in (np, da):
        x = xp.asarray(3.0)
        view = xp.trim_zeros(x)
        view[...] = 5
        assert x.item() == 5


def test_views_of_a_class_below_numpys_are_on_the_host() -> None:
    class Named(np.ndarray):
        pass

    x = da.arange(4.0)
    with da.use(fallback="allow"):
        found = x.view(Named)
        assert type(found) is Named and found.tolist() == [0, 1, 2, 3]
        assert x.view(np.uint64, Named).tolist() == np.arange(4.0).view(np.uint64).tolist()
    with da.use(fallback="raise"), pytest.raises(da.DTypeError, match="copy_to_host"):
        x.view(Named)
