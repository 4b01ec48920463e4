"""Functions in a class's body: methods where NumPy's are, plain functions where NumPy's are in C."""

from __future__ import annotations

import inspect
import pickle
import warnings

import numpy as np
import pytest

import devarray as da

PLACES = ("", "linalg", "fft", "random", "char", "strings", "ma", "emath")


def _binds(function: object) -> bool:
    get = getattr(type(function), "__get__", None)
    return get is not None and get(function, 0, int) is not function


def _pairs(place: str) -> list[tuple[str, object, object]]:
    theirs, ours = (getattr(np, place), getattr(da, place)) if place else (np, da)
    found = []
    for name in dir(theirs):
        if not name.startswith("_") and hasattr(ours, name):
            mine, of_numpy = getattr(ours, name), getattr(theirs, name)
            if callable(mine) and callable(of_numpy) and not inspect.isclass(mine) and not inspect.isclass(of_numpy):
                found.append((name, mine, of_numpy))
    return found


@pytest.mark.parametrize("place", PLACES)
def test_what_is_no_method_in_numpy_is_none_here(place: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # char.chararray, since NumPy 2.5
        pairs = _pairs(place)
    assert len(pairs) > 5
    assert [name for name, ours, theirs in pairs if _binds(ours) and not _binds(theirs)] == []


def test_in_a_class() -> None:
    class Maker:
        zeros, empty, array, asarray, arange, rand = da.zeros, da.empty, da.array, da.asarray, da.arange, da.random.rand
        activation, product, parts, mean = da.tanh, da.matmul, da.divmod, da.mean

    maker = Maker()
    assert maker.zeros(3).tolist() == [0.0, 0.0, 0.0]
    assert maker.empty((2, 1)).shape == (2, 1)
    assert maker.array([1, 2]).tolist() == maker.asarray([1, 2]).tolist() == [1, 2]
    assert maker.arange(1, 7, 2).tolist() == [1, 3, 5]
    assert maker.rand(2, 3).shape == (2, 3)
    assert maker.activation(da.zeros(1)).tolist() == [0.0]
    assert maker.product(da.ones((1, 2)), da.ones((2, 1))).tolist() == [[2.0]]
    assert [part.tolist() for part in maker.parts(da.array([7]), 2)] == [[3], [1]]
    assert inspect.ismethod(maker.mean)  # as numpy.mean is, which is written in Python


@pytest.mark.parametrize("name", ["arange", "array", "zeros", "fromiter", "promote_types", "frombuffer", "matmul"])
def test_they_stay_functions_to_the_library(name: str) -> None:
    function = getattr(da, name)
    assert pickle.loads(pickle.dumps(function)) is function
    assert function.__name__ == name and function.__module__.startswith("devarray")
    assert function.__doc__ and inspect.isroutine(function)
    assert set(inspect.signature(function).parameters) >= {"arange": {"start", "stop", "step", "dtype", "like"}}.get(
        name, set()
    )


@pytest.mark.parametrize("name", ["divmod", "frexp", "ldexp", "matmul", "matvec", "modf", "vecdot", "vecmat"])
def test_all_ufuncs_have_a_ufuncs_attributes(name: str) -> None:
    ours, theirs = getattr(da, name), getattr(np, name)
    assert (ours.nin, ours.nout, ours.signature, ours.identity) == (
        theirs.nin, theirs.nout, theirs.signature, theirs.identity
    )  # fmt: skip
    assert set(ours.types) <= set(theirs.types)
