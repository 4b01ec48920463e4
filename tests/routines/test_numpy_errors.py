"""What NumPy refuses by an error of one class is refused by an error of that class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

REFUSED: dict[str, Callable[[Any], Any]] = {
    "bincount of two dimensions": lambda xp: xp.bincount(xp.array([[1, 2]])),
    "bincount of floats": lambda xp: xp.bincount(xp.array([1.0, 2.0])),
    "isin by another algorithm": lambda xp: xp.isin(xp.array([1]), [2], kind="quicksort"),
    "take_along_axis by floats": lambda xp: xp.take_along_axis(xp.eye(2), xp.ones((2, 1)), 1),
    "take_along_axis by a mask": lambda xp: xp.take_along_axis(xp.eye(2), xp.ones((2, 1), dtype=bool), 1),
    "put_along_axis by floats": lambda xp: xp.put_along_axis(xp.eye(2), xp.ones((2, 1)), 1, 1),
    "take by floats": lambda xp: xp.take(xp.eye(2), xp.array([0.5])),
    "unravel_index of too many": lambda xp: xp.unravel_index([1], (2**40, 2**40)),
    "joins that would cast": lambda xp: xp.concatenate([xp.arange(3), xp.ones(3)], casting="no"),
    "stacks that would cast": lambda xp: xp.stack([xp.arange(3), xp.ones(3)], casting="equiv"),
    "joins by no rule": lambda xp: xp.concatenate([xp.arange(3), xp.ones(3)], casting="x"),
    "pad by no mode": lambda xp: xp.pad(xp.arange(3), 1, "const"),
    "unravel_index of an empty list": lambda xp: xp.unravel_index([], (10, 3)),
    "unravel_index of several in no axes": lambda xp: xp.unravel_index([0], ()),
    "ravel_multi_index of empty lists": lambda xp: xp.ravel_multi_index(([], []), (10, 3)),
    "ravel_multi_index into nothing": lambda xp: xp.ravel_multi_index(xp.zeros((2, 1), dtype=int), (2, 0), mode="clip"),
    "histogram of parts of a bin": lambda xp: xp.histogram(xp.arange(9.0), 2.4),
    "histogram_bin_edges of parts of a bin": lambda xp: xp.histogram_bin_edges(xp.arange(9.0), 2.4),
    "digitize by complex edges": lambda xp: xp.digitize(xp.arange(3.0), xp.asarray([1j, 2])),
    "cov of too few weights": lambda xp: xp.cov(xp.eye(3), fweights=xp.asarray([1, 2])),
    "cov of weights in two axes": lambda xp: xp.cov(xp.eye(3), aweights=xp.eye(3)),
    "choose of nothing": lambda xp: xp.choose(xp.asarray([0]), []),
    "lexsort along no axis": lambda xp: xp.lexsort((xp.asarray(1),), axis=10),
    "kinds that are none": lambda xp: xp.isdtype(np.int64, 1),
    "correlate by no mode": lambda xp: xp.correlate(xp.ones(3), xp.ones(2), None),
    "nan_to_num by complex numbers": lambda xp: xp.nan_to_num(xp.asarray([0, xp.nan]), nan=1 + 2j),
    "nan_to_num of infinity by them": lambda xp: xp.nan_to_num(xp.asarray([0, xp.inf]), posinf=xp.asarray(1 + 2j)),
    "nan_to_num by a list of them": lambda xp: xp.nan_to_num(xp.asarray([0, xp.nan]), neginf=[1, 2j]),
    "nan_to_num of complex numbers by them": lambda xp: xp.nan_to_num(xp.asarray([0, 1j]), nan=1 + 2j),
    "nan_to_num by None": lambda xp: xp.nan_to_num(xp.asarray([0, xp.nan]), nan=None),
    "sum from an array": lambda xp: xp.sum(xp.ones((2, 3)), initial=xp.ones(2)),
    "max from an array of one": lambda xp: xp.max(xp.ones((2, 3)), initial=xp.ones((1,))),
    "min of nothing from an array": lambda xp: xp.min(xp.ones((2, 0)), initial=xp.ones(2)),
    "nansum from an array": lambda xp: xp.nansum(xp.ones((2, 3)), axis=0, initial=xp.ones(3)),
    "interp with ends in a list": lambda xp: xp.interp(xp.asarray([-1.0]), [0, 2], [0, 1], left=[5.0]),
    "interp with ends in an array": lambda xp: xp.interp(xp.asarray([-1.0]), [0, 2], [0, 1j], right=xp.ones(1)),
    "interp with a complex end": lambda xp: xp.interp(xp.asarray([-1.0]), [0, 2], [0, 1], right=2j),
    "interp with an end in words": lambda xp: xp.interp(xp.asarray([-1.0]), [0, 2], [0, 1], left="5"),
    "frexp into an array": lambda xp: xp.frexp(xp.ones(2), out=xp.ones(2)),
    "divmod into a list": lambda xp: xp.divmod(xp.ones(2), 2, out=[xp.ones(2), xp.ones(2)]),
    "modf into a tuple by position": lambda xp: xp.modf(xp.ones(2), (xp.ones(2), xp.ones(2))),
    "frexp into two places": lambda xp: xp.frexp(xp.ones(2), xp.ones(2), out=(xp.ones(2), None)),
    "abs into no place": lambda xp: xp.abs(xp.ones(2), out=()),
    "add into no place": lambda xp: xp.add(xp.ones(2), 1, out=()),
    "divmod into no place": lambda xp: xp.divmod(xp.ones(2), 1, out=()),
    "add into two numbers": lambda xp: xp.add(xp.ones(2), 1, out=(1, 2)),
    "add into a number": lambda xp: xp.add(xp.ones(2), 1, out=(1,)),
    "nanquantile by weights below zero": lambda xp: xp.nanquantile(
        xp.asarray([xp.nan, 1.0]), 0.5, weights=xp.asarray([-1.0, 1.0]), method="inverted_cdf"
    ),
    "trapezoid along no axis of x": lambda xp: xp.trapezoid(xp.ones((2, 2, 3)), xp.ones((2, 3)), axis=2),
    "split that is not even": lambda xp: xp.split(xp.arange(9), 2.5),
    "split into less than one": lambda xp: xp.split(xp.arange(9), 0.5),
    "array_split into less than one": lambda xp: xp.array_split(xp.arange(9), 0.5),
    "array_split into NaN": lambda xp: xp.array_split(xp.arange(9), xp.nan),
    "rfft2 over no axes": lambda xp: xp.fft.rfft2(xp.ones((2, 2)), axes=()),
    "rfftn of a number": lambda xp: xp.fft.rfftn(xp.asarray(3.0)),
    "irfftn of a number": lambda xp: xp.fft.irfftn(xp.asarray(3.0)),
    "ldexp by uint64": lambda xp: xp.ldexp(xp.ones(2), xp.asarray([1, 2], dtype=xp.uint64)),
    "pad by the least of nothing": lambda xp: xp.pad(xp.arange(3), 0, "minimum", stat_length=0),
    "pad by the greatest of nothing": lambda xp: xp.pad(xp.arange(3), (1, 0), "maximum", stat_length=(1, 0)),
    "pad by fewer than none": lambda xp: xp.pad(xp.arange(3), 0, "mean", stat_length=-1),
    "histogramdd of a part of a bin": lambda xp: xp.histogramdd(xp.ones((4, 2)), bins=0.1),
    "histogramdd of parts of bins": lambda xp: xp.histogramdd(xp.ones((4, 2)), bins=2.5),
    "histogramdd of a part along an axis": lambda xp: xp.histogramdd(xp.ones((4, 2)), bins=[0.1, 2]),
    "histogram2d of a part of a bin": lambda xp: xp.histogram2d(xp.ones(4), xp.ones(4), bins=0.1),
    "cov of too few and no whole weights": lambda xp: xp.cov(xp.eye(3), fweights=xp.asarray([1.5, 2])),
    "cov of no whole weights in two axes": lambda xp: xp.cov(xp.eye(3), fweights=xp.asarray([[1.5, 2, 3]])),
    "transpose by an axis that is none": lambda xp: xp.arange(3).transpose(np.int64(1)),
    "zeros of a polynomial of NaN": lambda xp: xp.poly1d([np.nan, np.nan, 1]).roots,
}


@pytest.mark.parametrize("name", REFUSED)
def test_as_numpy_refuses(device: object, name: str) -> None:
    with pytest.raises((TypeError, ValueError, IndexError, RuntimeError)) as theirs:
        REFUSED[name](np)
    with pytest.raises(theirs.type):
        REFUSED[name](da)


def test_errors_of_polynomials_are_the_librarys() -> None:
    with pytest.raises(da.linalg.LinAlgError):
        print(da.poly1d([np.nan, np.nan, 1]).r)
    assert da.poly1d([1, -3, 2]).r.tolist() == np.poly1d([1, -3, 2]).r.tolist()


def test_what_numpy_takes_is_taken(device: object) -> None:
    assert da.bincount([], minlength=2).tolist() == [0, 0]
    assert da.isin(da.array([1, 2]), [2], kind="table").tolist() == [False, True]
    assert da.concatenate([da.arange(2), da.ones(1)], casting="safe").tolist() == [0.0, 1.0, 1.0]


def test_integers_out_of_range_are_refused_under_a_mask() -> None:
    x = da.zeros(3, dtype="uint64")
    with pytest.raises(OverflowError):
        da.copyto(x, -1, where=da.asarray([True, True, False]))
    da.copyto(x, 2**64 - 1, where=da.asarray([True, False, True]))
    assert x.tolist() == [2**64 - 1, 0, 2**64 - 1]
