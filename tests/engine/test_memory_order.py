"""How results lie in memory: NumPy's K order of what they are computed from, reductions and fills among it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import moderate, same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "the middle axis outermost": lambda h: np.ascontiguousarray(h.transpose(1, 0, 2)).transpose(1, 0, 2),
    "the first axis innermost": lambda h: np.ascontiguousarray(h.transpose(1, 2, 0)).transpose(2, 0, 1),
    "backwards": lambda h: np.asfortranarray(h)[:, ::-1, ::-1],
    "every other": lambda h: np.asfortranarray(np.repeat(h, 2, axis=0))[::2],
}

MADE: dict[str, Callable[[Any, Any], Any]] = {
    "the array": lambda xp, x: x,
    "pending": lambda xp, x: x * 2 + 1,
    "a view of it": lambda xp, x: (x + 1).transpose(2, 0, 1),
    "beside a row": lambda xp, x: x + xp.arange(5.0),
    "beside a column": lambda xp, x: x * xp.arange(4.0)[:, None],
    "beside C order": lambda xp, x: x + xp.arange(60.0).reshape(3, 4, 5),
    "beside a fill": lambda xp, x: xp.full((3, 4, 5), 2.0) - x,
    "beside a fill that is repeated": lambda xp, x: xp.ones((4, 1)) - x,
    "made like it": lambda xp, x: xp.ones_like(x) + x,
    "compared": lambda xp, x: x > 0,
}

REDUCED: dict[str, Callable[[Any, Any, int], Any]] = {
    "sum": lambda xp, x, axis: x.sum(axis),
    "sum, kept": lambda xp, x, axis: x.sum(axis, keepdims=True),
    "mean": lambda xp, x, axis: x.mean(axis),
    "any": lambda xp, x, axis: (x > 0.5).any(axis),
    "count_nonzero": lambda xp, x, axis: xp.count_nonzero(x, axis=axis),
    "argmax": lambda xp, x, axis: x.argmax(axis),
}


def order_of(x: Any) -> list[int]:
    """The axes of more than one element, outermost first."""
    axes = [i for i in range(x.ndim) if x.shape[i] > 1]
    return sorted(axes, key=lambda i: (-abs(x.strides[i]), i))


def as_numpy(ours: Any, theirs: Any) -> None:
    same(ours, theirs)
    assert order_of(ours) == order_of(theirs)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("made", MADE)
def test_results_lie_as_their_operands(layout: str, made: str) -> None:
    host = LAYOUTS[layout](np.rint(4 * moderate("float64", (3, 4, 5), 1)))
    as_numpy(MADE[made](da, da.asarray(host)), MADE[made](np, host))


@pytest.mark.parametrize("layout", ["F", "the middle axis outermost", "the first axis innermost"])
@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("reduced", REDUCED)
def test_reductions_keep_the_order_of_axes(layout: str, made: str, reduced: str) -> None:
    if made == "compared" and reduced == "mean":
        pytest.skip("of numbers")
    host = LAYOUTS[layout](np.rint(4 * moderate("float64", (3, 4, 5), 1)))
    device = da.asarray(host)
    for axis in (0, 1, 2):
        ours, theirs = (
            REDUCED[reduced](da, MADE[made](da, device), axis),
            REDUCED[reduced](np, MADE[made](np, host), axis),
        )
        assert order_of(ours) == order_of(theirs), axis
        np.testing.assert_allclose(ours.copy_to_host(), theirs, rtol=1e-15)


def test_plans_of_reductions_know_the_order_of_their_results() -> None:
    # The same graph and the same shapes; what lies in another order has a plan of its own.
    rows, columns = np.arange(24.0).reshape(2, 3, 4), np.asfortranarray(np.arange(24.0).reshape(2, 3, 4))
    for _ in range(4):
        for host in (rows, columns, columns.transpose(2, 1, 0).reshape(2, 3, 4)):
            device = da.asarray(host)
            for axis in (0, 1, 2):
                as_numpy((device * 2 + 1).sum(axis), (host * 2 + 1).sum(axis))
            as_numpy((device + da.full((2, 3, 4), 1.0)).sum(1), (host + np.full((2, 3, 4), 1.0)).sum(1))


@pytest.mark.parametrize("axes", [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3)])
def test_several_axes(axes: tuple[int, int]) -> None:
    host = np.ascontiguousarray(np.arange(120.0).reshape(5, 2, 4, 3)).transpose(2, 0, 3, 1)
    as_numpy((da.asarray(host) + 1).sum(axes), (host + 1).sum(axes))
    as_numpy(da.asarray(host).max(axes, keepdims=True), host.max(axes, keepdims=True))


@pytest.mark.parametrize("n", [700, 5000])
def test_large_results(n: int) -> None:
    host = np.asfortranarray(np.rint(8 * moderate("float32", (5, n, 6), 2)))
    for axis in (0, 1, 2):
        as_numpy((da.asarray(host) * 2).sum(axis), (host * 2).sum(axis))


def test_axes_of_one_element_and_repeated_ones_do_not_end_the_order() -> None:
    """NumPy's iterator passes over axes about which no operand says anything, and looks at the next."""
    rng = np.random.default_rng(3)
    for _ in range(200):
        shape = rng.choice([1, 2, 3], rng.integers(2, 5))
        pairs = []
        for _ in range(2):
            axes = rng.permutation(shape.size)
            h = np.ones(np.where(rng.random(shape.size) < 0.7, shape, 1)[axes])
            back = [int(axis) for axis in np.argsort(axes)]
            pairs.append((h.transpose(back), da.asarray(h).transpose(back)))
        (a, b), (x, y) = zip(*pairs, strict=True)
        wanted, got = a + b, x + y
        assert [s for s, n in zip(got.strides, got.shape, strict=True) if n > 1] == [
            s for s, n in zip(wanted.strides, wanted.shape, strict=True) if n > 1
        ]


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_order_of_a_ufuncs_result(order: str) -> None:
    c = np.arange(12.0).reshape(3, 4)
    f = np.asfortranarray(c)
    step = np.asfortranarray(np.arange(24.0).reshape(6, 4))[::2]
    for a, b in [(c, f), (f, f), (f, 3.0), (f, np.ones(4)), (f, np.ones((3, 1))), (c, 1.0), (step, 2.0)]:
        x = da.asarray(np.asfortranarray(np.arange(24.0).reshape(6, 4)), order="K")[::2] if a is step else None
        x = da.asarray(a, order="K") if x is None else x
        got = da.add(x, da.asarray(b, order="K") if isinstance(b, np.ndarray) else b, order=order)
        assert got.strides == np.add(a, b, order=order).strides
