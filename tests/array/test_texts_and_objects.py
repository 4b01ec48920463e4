"""Texts and objects, which no device holds: NumPy's arrays on the host, and NumPy's functions of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

WORDS = ["pear", "fig", "plum", "fig"]

CALLS: dict[str, Callable[[Any], Any]] = {
    "array of texts": lambda xp: xp.array(WORDS),
    "array of bytes": lambda xp: xp.array([b"ab", b"c"], ndmin=2),
    "array of objects": lambda xp: xp.array([None, "a", 1.5], dtype=object),
    "array as texts": lambda xp: xp.array([1, 20], dtype="U3"),
    "empty": lambda xp: xp.empty((2, 3), dtype=object),
    "zeros of texts": lambda xp: xp.zeros(2, dtype="U5"),
    "zeros of objects": lambda xp: xp.zeros((2, 2), object, "F"),
    "ones": lambda xp: xp.ones(2, dtype="S2"),
    "full": lambda xp: xp.full((2, 2), "."),
    "full of zeros": lambda xp: xp.full(2, 0, "U2"),
    "full of objects": lambda xp: xp.full(2, None, object),
    "unique": lambda xp: xp.unique(WORDS),
    "isin": lambda xp: xp.isin(["fig", "kiwi"], WORDS),
    "sort": lambda xp: xp.sort(xp.array(WORDS)),
    "searchsorted": lambda xp: xp.searchsorted(["a", "c"], "b"),
    "concatenate": lambda xp: xp.concatenate([xp.array(WORDS), ["kiwi"]]),
    "where": lambda xp: xp.where([True, False], "yes", "no"),
    "argsort": lambda xp: xp.argsort(WORDS, kind="stable"),
}


@pytest.mark.parametrize("name", CALLS)
def test_texts_and_objects_are_numpys(name: str) -> None:
    with warnings.catch_warnings(), da.use(fallback="raise"):
        warnings.simplefilter("error")
        got = CALLS[name](da)
    wanted = CALLS[name](np)
    assert isinstance(got, np.ndarray | np.generic)
    np.testing.assert_array_equal(got, wanted, strict=True)


def test_a_condition_of_the_device_comes_to_the_texts_as_the_setting_says() -> None:
    mask = da.asarray([True, False])
    with da.use(fallback="allow"):
        assert da.where(mask, "yes", "no").tolist() == ["yes", "no"]
    with da.use(fallback="warn"), pytest.warns(da.errors.HiddenTransferWarning, match="where of texts") as seen:
        assert da.where(mask, np.array(["a", "b"]), "no").tolist() == ["a", "no"]
    assert seen[0].filename == __file__
    with da.use(fallback="raise"), pytest.raises(da.errors.Error, match="where of texts"):
        da.where(mask, "yes", "no")


def test_masks_of_texts_choose_on_the_device() -> None:
    words, numbers = da.array(WORDS), da.asarray([3, 1, 4, 2])
    assert numbers[words == "fig"].copy_to_host().tolist() == [1, 2]


@pytest.mark.parametrize("given", [["a", "b"], np.array(["a"]), [None]])
def test_what_asks_for_a_place_is_refused(given: object) -> None:
    with pytest.raises(da.DTypeError):
        da.array(given, device=da.ones(1).device)
    with pytest.raises(da.DTypeError):
        da.asarray(given)
