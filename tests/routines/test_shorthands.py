"""Arrays from brackets, text files, NumPy's names of the host, and the assertions for users' tests."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray._namespace import NUMPYS

pytestmark = pytest.mark.usefixtures("device")

BRACKETS = {
    "mgrid": lambda xp: xp.mgrid[0:3, 1:8:2],
    "mgrid of one": lambda xp: xp.mgrid[2:5],
    "mgrid of counts": lambda xp: xp.mgrid[0:1:5j, 0:3],
    "mgrid of three": lambda xp: xp.mgrid[:2, -1:1, 0:6:3],
    "ogrid": lambda xp: xp.ogrid[0:3, 0:1:4j],
    "ogrid of one": lambda xp: xp.ogrid[0:1:4j],
    "r_": lambda xp: xp.r_[1:4, 0, 4],
    "r_ of floats": lambda xp: xp.r_[0:1:3j, 5, xp.asarray([1, 2])],
    "r_ of matrices": lambda xp: xp.r_[xp.ones((2, 2)), xp.zeros((1, 2))],
    "r_ of a scalar": lambda xp: xp.r_[2.5],
    "r_ of lists": lambda xp: xp.r_[[1, 2], xp.asarray([3], dtype=xp.int8)],
    "c_": lambda xp: xp.c_[xp.asarray([1, 2]), xp.asarray([3.5, 4.5])],
    "c_ of a matrix": lambda xp: xp.c_[xp.ones((2, 3)), xp.asarray([5, 6])],
    "c_ of slices": lambda xp: xp.c_[0:3, 3:6],
}


@pytest.mark.parametrize("name", BRACKETS)
def test_brackets(name: str) -> None:
    found, wanted = BRACKETS[name](da), BRACKETS[name](np)
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for ours, theirs in zip(found, wanted, strict=True):
            same(ours, theirs)
    else:
        same(found, wanted)


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda: da.mgrid[0:], "needs a stop"),
        (lambda: da.mgrid[0:2, 3], "a grid takes slices"),
        (lambda: da.r_["0,2", [1]], "directives"),
    ],
)
def test_brackets_that_are_not_taken(work: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        work()


def test_files_of_text_and_bytes(tmp_path: Path) -> None:
    h = np.arange(6.0).reshape(2, 3) / 4
    text, raw = tmp_path / "x.txt", tmp_path / "x.bin"
    da.savetxt(text, da.asarray(h), "%.3f", delimiter=",")
    assert text.read_text() == "0.000,0.250,0.500\n0.750,1.000,1.250\n"
    same(da.loadtxt(text, delimiter=","), h)
    same(da.loadtxt(text, np.float32, delimiter=",", usecols=1), h[:, 1].astype(np.float32))
    same(da.genfromtxt(io.StringIO("1,,3\n4,5,6"), delimiter=","), np.array([[1, np.nan, 3], [4, 5, 6]]))
    h.tofile(raw)
    same(da.fromfile(raw, offset=8, count=4), h.reshape(-1)[1:5])
    same(da.fromfile(raw, da.uint8), np.fromfile(raw, np.uint8))


def test_numpys_names_of_the_host() -> None:
    for name in sorted(NUMPYS):
        assert getattr(da, name) is getattr(np, name), name
        assert name not in da.__all__ and name in dir(da)
    assert da.ndarray is da.Array and isinstance(da.ones(1), da.ndarray)
    x = da.arange(5)
    same(x[da.s_[1::2]], np.arange(5)[1::2])
    with da.errstate(divide="ignore"):
        same(1 / da.zeros(2), np.array([np.inf, np.inf]))
    assert np.issubdtype(x.dtype, da.integer)


def test_assertions() -> None:
    x = da.asarray([1.0, 2.0])
    da.testing.assert_allclose(x, [1, 2 + 1e-9])
    da.testing.assert_array_equal([1, 2], x)
    da.testing.assert_array_almost_equal(x, [1.0000001, 2])
    da.testing.assert_array_less(x, x + 1)
    da.testing.assert_equal([x, (x, 1)], [x, (x, 1)])
    for wrong in (
        lambda: da.testing.assert_allclose(x, [1, 2.1]),
        lambda: da.testing.assert_array_equal(x, x + 1),
        lambda: da.testing.assert_array_equal(x, x[:1].reshape(1, 1, 1)),
        lambda: da.testing.assert_array_almost_equal(x, [1, 2.1]),
        lambda: da.testing.assert_array_less(x, x),
        lambda: da.testing.assert_equal([x], [x + 1]),
    ):
        with pytest.raises(AssertionError):
            wrong()
