"""Random numbers by Dask's chunks: the same whatever the chunks are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import devarray as da

dask = pytest.importorskip("dask")
dsk = pytest.importorskip("dask.array")


import devarray.dask as devdask  # noqa: E402

# Where a device has no kernel for linear algebra it says so, and Dask's tests are not about that.
pytestmark = pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning")


X = np.random.default_rng(1).normal(size=(12, 8))


@pytest.fixture(autouse=True)
def sequential(device: da.Device) -> Iterator[None]:
    with dask.config.set(scheduler="sync"):
        yield


DRAWS = {
    "random": ((), {}),
    "random of float32": ((), {"dtype": np.float32}),
    "normal": ((1.0, 2.0), {}),
    "standard_exponential": ((), {}),
    "uniform": ((-1.0, 3.0), {}),
    "gamma": ((2.0, 3.0), {}),
    "beta": ((2.0, 0.5), {}),
    "standard_t": ((3.0,), {}),
    "noncentral_f": ((2.0, 3.0, 0.5), {}),
    "vonmises": ((0.0, 2.0), {}),
    "wald": ((1.0, 2.0), {}),
    "triangular": ((0.0, 1.0, 3.0), {}),
    "binomial": ((30, 0.3), {}),
    "poisson": ((20.0,), {}),
    "negative_binomial": ((3, 0.4), {}),
    "zipf": ((2.5,), {}),
    "integers": ((0, 1000), {}),
    "integers of int8": ((-3, 100), {"dtype": np.int8}),
    "choice": ((17,), {}),
    "multinomial": ((9, [0.2, 0.3, 0.5]), {}),
    "dirichlet": (([1.0, 2.0],), {}),
}


@pytest.mark.parametrize(
    "chunks",
    [(2, 3), ((3, 2), (1, 6)), *(pytest.param(c, marks=pytest.mark.slow) for c in ((5, 7), (1, 7), (5, 1)))],
    ids=str,
)
@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.heavy
def test_random_numbers_are_the_same_whatever_the_chunks(name: str, chunks: Any) -> None:
    args, named = DRAWS[name]
    method = name.split()[0]
    whole, by_chunk = da.random.default_rng(5), devdask.default_rng(5)
    for _ in range(2):  # the second draw goes on behind the first
        wanted = getattr(whole, method)(*args, size=(5, 7), **named)
        got = getattr(by_chunk, method)(*args, size=(5, 7), chunks=chunks, **named).compute()
        assert got.dtype == wanted.dtype and np.array_equal(got.copy_to_host(), wanted.copy_to_host())


def test_parameters_of_random_numbers_are_arrays_too() -> None:
    loc = dsk.from_array(da.asarray(X), chunks=5)
    got = devdask.default_rng(3).normal(loc, np.arange(1.0, 9.0), chunks=(4, 3)).compute()
    wanted = da.random.default_rng(3).normal(da.asarray(X), np.arange(1.0, 9.0))
    assert np.array_equal(got.copy_to_host(), wanted.copy_to_host())


def test_three_axes_and_none() -> None:
    wanted = da.random.default_rng(3).random((3, 4, 5)).copy_to_host()
    got = devdask.default_rng(3).random((3, 4, 5), chunks=(2, 3, 2)).compute()
    assert np.array_equal(got.copy_to_host(), wanted)
    assert devdask.default_rng(3).random().compute().item() == wanted.flat[0]
    assert devdask.default_rng(3).random((0, 4), chunks=2).compute().shape == (0, 4)


def test_vectors_of_a_normal_distribution_agree_to_rounding() -> None:
    given = ([1.0, 2.0], [[2.0, 1.0], [1.0, 2.0]])
    wanted = da.random.default_rng(3).multivariate_normal(*given, size=9).copy_to_host()
    got = devdask.default_rng(3).multivariate_normal(*given, size=9, chunks=4).compute().copy_to_host()
    np.testing.assert_allclose(got, wanted, rtol=1e-12)


def test_choice_without_replacement_and_permutations() -> None:
    for chunks in (8, 3):
        chosen = devdask.default_rng(3).choice(20, size=8, replace=False, chunks=chunks)
        assert chosen.chunks[0][0] == chunks
        assert chosen.compute().tolist() == da.random.default_rng(3).choice(20, size=8, replace=False).tolist()
    rng = devdask.default_rng(3)
    rows = rng.permutation(dsk.from_array(da.asarray(X), chunks=5)).compute().copy_to_host()
    assert np.array_equal(np.sort(rows, axis=0), np.sort(X, axis=0)) and not np.array_equal(rows, X)
    assert sorted(rng.permutation(10).compute().tolist()) == list(range(10))
