"""Elements that were read keep their values where the launch that reads them writes to the memory they are of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "kernels")


def both(program: Any) -> None:
    host = np.arange(49).reshape(7, 7) * 1_000_003
    ours = da.asarray(host.copy())
    program(da, ours)
    program(np, host)
    np.testing.assert_array_equal(ours.copy_to_host(), host)


def test_an_element_of_another_row_is_stored_at_index_arrays() -> None:
    def program(xp: Any, x: Any) -> None:
        row, one = x[2], x[4, 2]
        row[xp.asarray([5, 1, 0, 4])] = one

    both(program)


def test_an_element_is_put_along_an_axis() -> None:
    def program(xp: Any, x: Any) -> None:
        rows, one = x[:2], x[5, 3]
        xp.put_along_axis(rows, xp.asarray([[1, 3], [0, 6]]), one, 1)

    both(program)


def test_elements_are_stored_through_masks_and_at() -> None:
    def program(xp: Any, x: Any) -> None:
        row, one, other = x[0], x[3, 3], x[6, 1]
        row[row % 2 == 0] = one
        xp.add.at(x[1], xp.asarray([0, 0, 2]), other)
        xp.place(x[2], x[2] % 3 == 0, other)

    both(program)


@pytest.mark.parametrize("name", ["max", "min", "sum", "prod", "any", "all", "argmax"])
def test_pending_views_without_elements_are_reduced(name: str) -> None:
    def reduced(xp: Any) -> Any:
        x = xp.asarray(np.ones((1, 1)))
        empty = xp.broadcast_to(x + x, (1, 1, 0))
        with np.errstate(all="ignore"):
            return getattr(xp, name)(empty)

    try:
        wanted = reduced(np)
    except ValueError:
        with pytest.raises(ValueError, match=r"zero-size array|empty sequence"):
            reduced(da)
        return
    assert reduced(da).item() == wanted


def test_an_element_reshaped_and_broadcast_to_nothing_is_reduced() -> None:
    one = da.asarray(np.ones(3))[-1].reshape(-1)
    assert not da.any(da.broadcast_to(one, (2, 0)))
    assert da.sum(da.broadcast_to(one * 2, (0, 1))) == 0
