"""Philox.jumped and what follows from a counter with upper words: the words of NumPy's."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

JUMPS: list[Any] = [(), (1,), (3,), (0,), (-1,), (2**65,), (2**127 + 5,)]


@pytest.mark.parametrize("taken", [0, 1, 3, 4, 7, 32])
@pytest.mark.parametrize("jumps", JUMPS, ids=str)
@pytest.mark.parametrize("seed", [1, 2**70], ids=str)
def test_words_behind_jumps_are_numpys(seed: int, jumps: tuple, taken: int) -> None:
    ours, theirs = da.random.Philox(seed), np.random.Philox(seed)
    ours.random_raw(taken), theirs.random_raw(taken)
    same(ours.jumped(*jumps).random_raw((3, 3)), theirs.jumped(*jumps).random_raw(9).reshape(3, 3))
    same(ours.random_raw(5), theirs.random_raw(5))  # which stays where it is


def test_jumps_add_up() -> None:
    ours, theirs = da.random.Philox(5).jumped(2).jumped(), np.random.Philox(5).jumped(2).jumped()
    for delta in (12345, -12345, 2**128, -(2**130)):
        ours.advance(delta), theirs.advance(delta)
        same(ours.random_raw(5), theirs.random_raw(5))


@pytest.mark.parametrize("size", [5, (40, 1000)], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_generator_over_jumped_words_gives_numpys_numbers(dtype: Any, size: Any) -> None:
    ours = da.random.Generator(da.random.Philox(7).jumped(3))
    theirs = np.random.Generator(np.random.Philox(7).jumped(3))
    for _ in range(3):
        same(ours.random(size, dtype=dtype), theirs.random(size, dtype=dtype))
    same(ours.random(3), theirs.random(3))


def test_numbers_made_ahead_end_with_a_jump() -> None:
    ours, theirs = da.random.Philox(7), np.random.Philox(7)
    rng, numpys = da.random.Generator(ours), np.random.Generator(theirs)
    for _ in range(40):
        same(rng.random(3), numpys.random(3))
    ours.advance(2**128), theirs.advance(2**128)
    for _ in range(40):
        same(rng.random(3), numpys.random(3))


def test_states_are_numpys() -> None:
    ours, theirs = da.random.Philox(3).jumped(2**70), np.random.Philox(3).jumped(2**70)
    ours.random_raw(2), theirs.random_raw(2)
    np.testing.assert_equal(ours.state, theirs.state)
    again = da.random.Philox(1)
    again.state = theirs.state
    copied = pickle.loads(pickle.dumps(ours))
    expected = theirs.random_raw(9)
    for bits in (ours, again, copied):
        same(bits.random_raw(9), expected)
    counter = [5, 0, 3, 9]
    same(da.random.Philox(3, counter=counter).random_raw(6), np.random.Philox(3, counter=counter).random_raw(6))


def test_what_cannot_be_counted_is_refused() -> None:
    bits = da.random.Philox(1)
    with pytest.raises(ValueError, match="2\\*\\*62"):
        bits.advance(2**62)
    with pytest.raises(ValueError, match="2\\*\\*62"):
        da.random.Philox(1, counter=[0, 1, 0, 0])
    with pytest.raises(TypeError):
        bits.jumped(1.5)
