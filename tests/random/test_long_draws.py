"""Long draws, whose words CPUs make in memory, are NumPy's numbers wherever in the stream they begin."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da
from devarray.random.in_memory import LONG, most_words

LENGTHS = [LONG - 1, LONG, LONG + 3]
KINDS = {
    "random": lambda rng, n: rng.random(n),
    "random, float32": lambda rng, n: rng.random(n, dtype="float32"),
    "random of rows": lambda rng, n: rng.random((3, n // 2)),
    "random of rows, float32": lambda rng, n: rng.random((n // 2, 3), dtype="float32"),
    "uniform": lambda rng, n: rng.uniform(-1, 3, n),
    "words": lambda rng, n: rng.bit_generator.random_raw(n),
    "bytes": lambda rng, n: np.frombuffer(rng.bytes(8 * n + 3), np.uint8),
}


def host(x):
    return x.copy_to_host() if isinstance(x, da.Array) else x


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_long_draws_are_numpys(kind, n):
    draw = KINDS[kind]
    for before in range(4):
        ours, numpys = da.random.default_rng(5), np.random.Generator(np.random.Philox(5))
        for rng in (ours, numpys):
            rng.random(before)
        for _ in range(2):
            np.testing.assert_array_equal(host(draw(ours, n)), draw(numpys, n))
        assert ours.random(3).tolist() == numpys.random(3).tolist()


@pytest.mark.parametrize("before", [1, 3])
def test_a_kept_half_word_comes_first(before):
    ours, numpys = da.random.default_rng(6), np.random.Generator(np.random.Philox(6))
    for n in (before, LONG + 1, LONG):
        want = numpys.random(n, dtype=np.float32)
        np.testing.assert_array_equal(ours.random(n, dtype=np.float32).copy_to_host(), want)


def test_numbers_of_a_long_draw_are_their_own():
    rng = da.random.default_rng(7)
    x = rng.random(LONG)
    y, kept = x * 1, x[5].item()
    x[...] = 0
    assert y[5].item() == kept and rng.random(LONG)[0].item() != 0


@pytest.mark.usefixtures("deferred")
def test_longer_draws_are_expressions(device):
    rng = da.random.default_rng(8)
    assert rng.random(most_words(device) + 1).pending


@pytest.mark.usefixtures("deferred")
def test_draws_without_memory_for_their_words_are_expressions(device):
    """Half of what float64 takes is there: enough for the result, not for the words."""
    few = da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(device), 6 * LONG)
    ours = da.random.default_rng(9).random(LONG, dtype=np.float64, allocator=few).astype(np.float32)
    np.testing.assert_array_equal(
        ours.copy_to_host(), np.random.Generator(np.random.Philox(9)).random(LONG).astype(np.float32)
    )
