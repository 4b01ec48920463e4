"""What no memory can hold is refused before anything is launched, and the queue works after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray import _core

pytestmark = pytest.mark.usefixtures("device")

X = np.arange(6.0)


def long() -> da.Array:
    """Few bytes, and more rows than objects fit in memory."""
    return da.broadcast_to(da.asarray(1.0), (2**40,))


FROM_DATA: dict[str, Callable[[], Any]] = {
    "bincount": lambda: da.bincount(da.asarray([2**50])),
    "bincount beyond addresses": lambda: da.bincount(da.asarray([2**62])),
    "bincount of the greatest": lambda: da.bincount(da.asarray([2**63 - 1])),
    "bincount of the greatest, padded": lambda: da.bincount(da.asarray([2**63 - 1]), minlength=5),
    "bincount with weights": lambda: da.bincount(da.asarray([2, 2**50]), da.asarray([1.0, 2.0])),
    "repeat": lambda: da.repeat(da.asarray(X), da.asarray([2**40, 1, 1, 1, 1, 1])),
    "repeat, sum beyond 64 bits": lambda: da.repeat(da.asarray(X[:4]), da.asarray([2**62] * 4)),
    "histogram by a rule": lambda: da.histogram(da.asarray(np.r_[np.arange(100) * 1e-18, 1.0]), "fd"),
}
GIVEN: dict[str, Callable[[], Any]] = {
    "bincount's least length": lambda: da.bincount(da.asarray([1]), minlength=2**50),
    "histogram": lambda: da.histogram(da.asarray(X), 2**50),
    "histogram with a range": lambda: da.histogram(da.asarray(X), 2**50, (0, 1)),
    "histogram_bin_edges": lambda: da.histogram_bin_edges(da.asarray(X), 2**50),
    "histogramdd, an axis": lambda: da.histogramdd(da.asarray(X.reshape(2, 3)), 2**50),
    "histogramdd, the cells": lambda: da.histogramdd(da.asarray(X.reshape(2, 3)), 2**15, [(0, 1)] * 3),
    "histogramdd, cells beyond 64 bits": lambda: da.histogramdd(da.asarray(np.ones((2, 8))), 2**9, [(0, 1)] * 8),
    "histogram2d": lambda: da.histogram2d(da.asarray(X), da.asarray(X), [2**50, 3]),
    "tril_indices": lambda: da.tril_indices(2**40),
    "triu_indices": lambda: da.triu_indices(2**40, 5, 2**41),
    "empty": lambda: da.empty((2**50,)),
    "arange": lambda: da.arange(2**50).evaluate(),
    "linspace": lambda: da.linspace(0, 1, 2**50).evaluate(),
    "ones": lambda: da.ones((2**25, 2**25)).evaluate(),
    "eye": lambda: da.eye(2**25),
    "tile": lambda: da.tile(da.asarray(X), 2**50),
    "repeat alike": lambda: da.repeat(da.asarray(X), 2**50),
    "pad": lambda: da.pad(da.asarray(X), 2**50),
    "fft": lambda: da.fft.fft(da.asarray(X), 2**50),
    "fft of a prime length": lambda: da.fft.fft(da.asarray(X), 2**50 + 1),
    "permutation": lambda: da.random.default_rng(0).permutation(2**50),
    "random": lambda: da.random.default_rng(0).random(2**50).evaluate(),
    "pinned_array": lambda: da.pinned_array(2**50),
    "hstack of rows": lambda: da.hstack(long()),
    "vstack of rows": lambda: da.vstack(long()),
    "stack of rows": lambda: da.stack(long()),
    "concatenate of rows": lambda: da.concatenate(da.broadcast_to(da.ones((1, 0)), (2**40, 0))),
    "column_stack of rows": lambda: da.column_stack(long()),
}


@pytest.mark.parametrize("call", [*FROM_DATA.values(), *GIVEN.values()], ids=[*FROM_DATA, *GIVEN])
def test_too_large_sizes_are_refused(call: Callable[[], Any]) -> None:
    x = da.asarray(X)
    y = x * 2  # pending, or running on the queue
    with pytest.raises(da.Error):
        call()
    same(y + x, X * 3)
    same(da.sort(da.asarray(X[::-1].copy())), X)
    same(da.bincount(da.asarray([1, 3])), np.bincount([1, 3]))


@pytest.mark.parametrize("call", GIVEN.values(), ids=GIVEN)
def test_given_sizes_are_refused_before_anything_is_launched(call: Callable[[], Any]) -> None:
    da.asarray(X).evaluate()
    da.synchronize()
    before = da.stats()["launches"]
    with pytest.raises((da.OutOfMemoryError, da.ShapeError)):
        call()
    assert da.stats()["launches"] - before <= 4  # where edges begin and end: least and greatest, stacked


def test_the_error_names_what_was_asked_and_what_there_is(device: da.Device) -> None:
    most = max(device.caps["max_allocation"], device.caps["global_memory"])
    with pytest.raises(da.OutOfMemoryError, match=f"allocate {8 * 2**50} bytes of .* has {most} in all"):
        _core.require_room(2**53)
    with pytest.raises(da.ShapeError, match=f"no array has {2**70} bytes"):
        _core.require_room(2**70)
    _core.require_room(2**20)
    _core.require_room(0)


def test_bins_that_fit_are_counted() -> None:
    a = np.array([5, 2_000_000, 5, 0])
    same(da.bincount(da.asarray(a)), np.bincount(a))
    with pytest.raises(ValueError, match="'minlength' must not be negative"):
        da.bincount(da.asarray(a), minlength=-1)


@pytest.mark.parametrize("m", [None, 1, 3, 9])
@pytest.mark.parametrize("k", [-9, -4, -1, 0, 1, 2, 7])
@pytest.mark.parametrize("n", [0, 1, 4, 6])
def test_triangles_of_every_form(n: int, k: int, m: int | None) -> None:
    for name in ("tril_indices", "triu_indices"):
        for ours, wanted in zip(getattr(da, name)(n, k, m), getattr(np, name)(n, k, m), strict=True):
            same(ours, wanted)


def test_triangles_far_from_a_long_edge() -> None:
    n = 2**40
    for ours, wanted in zip(da.tril_indices(n, 2 - n), ([n - 2, n - 1, n - 1], [0, 0, 1]), strict=True):
        same(ours, np.array(wanted))
    for ours, wanted in zip(da.triu_indices(2, n - 2, n), ([0, 0, 1], [n - 2, n - 1, n - 1]), strict=True):
        same(ours, np.array(wanted))
