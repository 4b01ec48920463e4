"""Arrays from brackets: `mgrid`, `ogrid`, `r_` and `c_` as NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
BRACKETS = {
    "mgrid": lambda xp: xp.mgrid[0:3, 1:8:2],
    "mgrid of one": lambda xp: xp.mgrid[2:5],
    "mgrid of counts": lambda xp: xp.mgrid[0:1:5j, 0:3],
    "mgrid of three": lambda xp: xp.mgrid[:2, -1:1, 0:6:3],
    "ogrid": lambda xp: xp.ogrid[0:3, 0:1:4j],
    "ogrid of one": lambda xp: xp.ogrid[0:1:4j],
    "mgrid of float32": lambda xp: xp.mgrid[np.float32(0.1) : np.float32(0.33) : np.float32(0.1),],
    "mgrid of counts of complex64": lambda xp: xp.mgrid[0.1 : 0.3 : np.complex64(3j),],
    "mgrid of a count in float32": lambda xp: xp.mgrid[np.float32(0.1) : np.float32(0.3) : np.complex64(3j)],
    "mgrid of falling steps": lambda xp: xp.mgrid[5:0:-2, 0:3.5],
    "ogrid of float32": lambda xp: xp.ogrid[0 : np.float32(2) : 3j, 0:2],
    "r_": lambda xp: xp.r_[1:4, 0, 4],
    "r_ of floats": lambda xp: xp.r_[0:1:3j, 5, xp.asarray([1, 2])],
    "r_ of matrices": lambda xp: xp.r_[xp.ones((2, 2)), xp.zeros((1, 2))],
    "r_ of a scalar": lambda xp: xp.r_[2.5],
    "r_ of lists": lambda xp: xp.r_[[1, 2], xp.asarray([3], dtype=xp.int8)],
    "c_": lambda xp: xp.c_[xp.asarray([1, 2]), xp.asarray([3.5, 4.5])],
    "c_ of a matrix": lambda xp: xp.c_[xp.ones((2, 3)), xp.asarray([5, 6])],
    "c_ of slices": lambda xp: xp.c_[0:3, 3:6],
    "mgrid without a stop": lambda xp: xp.mgrid[3:],
    "r_ with an axis": lambda xp: xp.r_["-1", [[1, 2]], [[3, 4]]],
    "r_ with an axis and dimensions": lambda xp: xp.r_["0,2", [1, 2, 3], [4, 5, 6]],
    "r_ with the place of an axis": lambda xp: xp.r_["1,2,0", [1, 2, 3], [4, 5, 6]],
    "r_ of three dimensions": lambda xp: xp.r_["0,3,-2", [1, 2, 3], [4, 5, 6]],
    "c_ with a directive": lambda xp: xp.c_["0,2", [1, 2], [3, 4]],
    "c_ of scalars": lambda xp: xp.c_[[[1, 2, 3]], 0, 0, [[4, 5, 6]]],
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
        (lambda: da.mgrid[0:2, 3], "a grid takes slices"),
        (lambda: da.r_["r", [1]], "matrix"),
        (lambda: da.r_["a,b", [1]], "three integers"),
        (lambda: da.r_[[1], "0"], "first place"),
    ],
)
def test_brackets_that_are_not_taken(work: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        work()


@pytest.mark.parametrize("step", [np.complex64(4j), np.complex128(4j)])
def test_a_count_by_numpys_complex_numbers(step: Any) -> None:
    same(da.r_[0:3:step], np.r_[0:3:step])
    same(da.mgrid[0:3:step], np.mgrid[0:3:step])
