"""Arguments in forms that NumPy takes: fractions as indices and diagonals, shapes that are arrays, outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

DIAGONALS: list[Any] = [-10.5, -2.5, -0.5, 2.0, 2.7, np.float64(3.5), np.int32(1), -1]


@pytest.mark.parametrize("k", DIAGONALS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # NumPy 2.5 announces that these will be refused
def test_a_fraction_of_a_diagonal_is_cut_off(k: Any) -> None:
    host = np.arange(20).reshape(4, 5)
    x = da.asarray(host)
    for name in ("tril", "triu"):
        same(getattr(da, name)(x, k), getattr(np, name)(host, k))
    same(da.tri(4, 5, k), np.tri(4, 5, k))
    for name in ("tril_indices", "triu_indices"):
        for ours, theirs in zip(getattr(da, name)(4, k, 5), getattr(np, name)(4, k, 5), strict=True):
            same(ours, theirs)
    for ours, theirs in zip(da.triu_indices_from(x, k), np.triu_indices_from(host, k), strict=True):
        same(ours, theirs)


def test_a_diagonal_that_is_no_number() -> None:
    for k in (float("nan"), None, "1"):
        with pytest.raises((TypeError, ValueError)):
            da.tril(da.ones((2, 2)), k)


INDICES: list[Any] = [1.9, -1.2, np.float64(2.9), [0, 1.9], [0.0, 2.5], (1, -1.5), True, [True, False]]


@pytest.mark.parametrize("indices", INDICES)
def test_numbers_as_indices_lose_their_fractions(indices: Any) -> None:
    host = np.arange(20).reshape(4, 5)
    x = da.asarray(host)
    same(da.take(x, indices), np.take(host, indices))
    same(da.take(x, indices, axis=1), np.take(host, indices, axis=1))
    da.put(x, indices, 77)
    np.put(host, indices, 77)
    same(x, host)


@pytest.mark.parametrize("xp", [np, da])
def test_arrays_of_fractions_are_no_indices(xp: Any) -> None:
    for indices in (np.array([1.5]), xp.asarray(np.array([1.5]))):
        with pytest.raises(TypeError):
            xp.take(xp.arange(4), indices)
    for indices, error in ((float("nan"), ValueError), (float("inf"), OverflowError)):
        with pytest.raises(error):
            xp.take(xp.arange(4), indices)


@pytest.mark.parametrize("xp", [np, da])
def test_what_is_refused(xp: Any) -> None:
    x = xp.arange(6)
    for arguments in ((None, 3), (3, None)):
        with pytest.raises(TypeError):
            xp.linspace(*arguments)
    for shift in ([[1, 2], [3, 4]], [[1]], np.array([[1, 2]])):
        with pytest.raises(ValueError, match="should be scalars or 1D sequences"):
            xp.roll(x, shift, axis=0)
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        xp.ravel_multi_index((x[:1], x[:1]), (2.3, 1.0))
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        xp.unravel_index(x, (2.0, 3))


def test_shapes_that_are_arrays() -> None:
    places = da.asarray([0, 3])
    for shape in (np.array([4]), np.array([4, 2]), (np.int8(4),), np.int64(4)):
        for order in ("C", "F"):
            found = da.unravel_index(places, shape, order)
            for ours, theirs in zip(found, np.unravel_index([0, 3], shape, order), strict=True):
                same(ours, theirs)


def test_results_are_spread_over_outputs() -> None:
    for name in ("isposinf", "isneginf"):
        ours, theirs = da.zeros(4, "?"), np.zeros(4, "?")
        for value in (np.inf, -np.inf):
            getattr(da, name)(da.asarray(value), ours)
            getattr(np, name)(value, theirs)
            same(ours, theirs)
    ours, theirs = da.zeros((2, 3)), np.zeros((2, 3))
    da.einsum("ab->ab", da.ones((2, 1)), out=ours)
    np.einsum("ab->ab", np.ones((2, 1)), out=theirs)
    same(ours, theirs)


def test_a_diagonal_without_values_stays() -> None:
    x = da.ones((3, 3))
    da.fill_diagonal(x, da.zeros(0))
    same(x, np.ones((3, 3)))


OUTPUTS: dict[str, Callable[[Any, Any], Any]] = {
    "clip": lambda x, out: da.clip(x, 1, 2, out=out),
    "clip, NumPy's": lambda x, out: np.clip(x, 1, 2, out=out),
    "round": lambda x, out: da.round(x, out=out),
    "negative": lambda x, out: da.negative(x, out=out),
    "exp, NumPy's": lambda x, out: np.exp(x, out=out),
    "cumsum, NumPy's": lambda x, out: np.cumsum(x, out=out),
    "masked sum": lambda x, out: da.add(x, x, out=out, where=x > 1),
    "masked clip": lambda x, out: np.clip(x, 1, 2, out=out, where=x > 1),
    "take": lambda x, out: da.take(x, da.asarray([3, 2, 1, 0]), out=out),
    "compress": lambda x, out: da.compress([True] * 4, x, out=out),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_of_the_host_take_results_where_the_way_there_is_open(name: str) -> None:
    host = np.arange(4.0) + 0.25
    x, wanted, out = da.asarray(host), da.zeros(4), np.zeros(4)
    OUTPUTS[name](x, wanted)
    with da.use(fallback="allow"):
        assert OUTPUTS[name](x, out) is out
    np.testing.assert_array_equal(out, wanted.copy_to_host())
    with da.use(fallback="raise"), pytest.raises(TypeError):
        OUTPUTS[name](x, out)


def _put(xp: Any, x: Any, mode: Any) -> Any:
    x.put([5, 1, -9], [1.0, 2.0, 3.0], mode=mode)
    return x


MODES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "put": _put,
    "take": lambda xp, x, mode: xp.take(x, xp.asarray([5, -9]), mode=mode),
    "take, a list": lambda xp, x, mode: x.take([5, -9], mode=mode),
    "choose": lambda xp, x, mode: xp.choose(xp.asarray([0, 5, -3]), [x[:3], x[1:4]], mode=mode),
    "ravel_multi_index": lambda xp, x, mode: xp.ravel_multi_index(([5], [1]), (2, 2), mode=mode),
}


@pytest.mark.parametrize("size", [6, 6000])
@pytest.mark.parametrize("name", MODES)
def test_modes_by_numpys_numbers(name: str, size: int) -> None:
    work = MODES[name]
    for mode in (0, 1, np.int64(0), np.uint8(1), "clip", "wrap"):
        host = np.arange(float(size))
        same(work(da, da.asarray(host), mode), work(np, host, mode))
    for mode in (2, None, "raise"):
        for xp in (np, da):
            with pytest.raises((IndexError, ValueError)):
                made = work(xp, xp.arange(4.0), mode)
                da.synchronize()  # indices of the device are looked at by then
                np.asarray(made.copy_to_host() if xp is da else made)
    for mode in ("clamp", 3.5, True):
        for xp in (np, da):
            with pytest.raises((TypeError, ValueError)):
                work(xp, xp.arange(4.0), mode)
