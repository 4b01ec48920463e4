"""Products of vectors and matrices of short rows, which CPU devices compute by loops of the core."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import host, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

# On both sides of a vector's lanes, of the vectors that the loops hold, and of the rows that they take at once.
ROWS = (1, 9, 1100, 2051, 9001)
COLUMNS = (1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 24, 31, 32, 33)


def agrees(ours: da.Array, left: np.ndarray, right: np.ndarray) -> None:
    """Within the bound of any order of adding up (Higham, chapter 3)."""
    wide = np.float128 if left.dtype == np.float64 else np.float64
    wanted = left.astype(wide) @ right.astype(wide)
    got = host(ours)
    assert (got.shape, got.dtype) == (wanted.shape, left.dtype)
    terms = left.shape[-1] + 2
    bound = terms * np.finfo(left.dtype).eps * (np.abs(left).astype(wide) @ np.abs(right).astype(wide))
    assert (np.abs(got - wanted) <= bound).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("view", ["dense", "part", "reversed", "stepped"])
def test_every_side_and_form(rows: int, view: str, dtype: str) -> None:
    skip_without(dtype)
    rng = np.random.default_rng(rows)
    for columns in COLUMNS:
        whole = rng.standard_normal((2 * rows, columns + 2)).astype(dtype)
        cut = {
            "dense": np.s_[:rows, :],
            "part": np.s_[:rows, 1:-1],
            "reversed": np.s_[rows - 1 :: -1],
            "stepped": np.s_[::2, :-1],
        }[view]
        x, ours = whole[cut], da.asarray(whole)[cut]
        short = rng.standard_normal(x.shape[1]).astype(dtype)
        long = rng.standard_normal(x.shape[0]).astype(dtype)
        w, e = da.asarray(short), da.asarray(long)
        agrees(ours @ w, x, short)
        agrees(ours @ w[:, None], x, short[:, None])
        agrees(w @ ours.T, short, x.T)
        agrees(ours.T @ e, x.T, long)
        agrees(e @ ours, long, x)
        agrees(e[None] @ ours, long[None], x)


def test_rows_do_not_see_what_lies_behind_them() -> None:
    x = np.ones((4000, 5), np.float32)
    x[7], x[9, 3], x[20, 0] = np.inf, np.nan, -np.inf
    np.testing.assert_array_equal(host(da.asarray(x) @ da.ones(5, dtype="float32")), x.sum(1))
    with np.errstate(invalid="ignore"):
        wanted = x.T.astype("float64").sum(1)
    np.testing.assert_array_equal(host(da.asarray(x).T @ da.ones(4000, dtype="float32")), wanted.astype("float32"))


def test_fields_of_records_that_lie_between_elements() -> None:
    records = np.zeros(30, np.dtype([("a", "<f8"), ("b", "<i4")], align=False))
    records["a"] = np.arange(30)
    column = da.asarray(records)["a"]
    assert float(column @ da.ones(30, dtype="float64")) == 435
    assert float((column[:, None].T @ da.ones(30, dtype="float64"))[0]) == 435
