"""Large values that an array still holds: GPUs leave those pending that cost no more to compute again than to read."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

N = 1_100_000  # more bytes than a launch is worth
STEPS = 260  # of five operations each, more than may be pending
HOST = np.random.default_rng(3).normal(size=N)

pytestmark = pytest.mark.usefixtures("deferred", "kernels")


@pytest.fixture
def x(device: da.Device) -> da.Array:
    if device.strategy != "gpu":
        pytest.skip("of the strategy of GPUs")
    return da.asarray(HOST).evaluate()


def moved(work: Any) -> float:
    """Passes over an array of N elements."""
    before = da.stats()["bytes_moved"]
    work()
    return (da.stats()["bytes_moved"] - before) / HOST.nbytes


def test_a_local_that_is_never_read_again_is_not_written(x: da.Array) -> None:
    held = x * 2 + 1
    result = held - x
    assert moved(result.evaluate) == 2
    assert held.pending
    same(result, HOST * 2 + 1 - HOST)
    same(held, HOST * 2 + 1)


def test_what_a_reduction_reads_is_not_written(x: da.Array) -> None:
    held = x * 2
    assert moved(lambda: held.max()) < 1.1
    assert held.pending
    assert held.max().item() == (HOST * 2).max()


def test_it_is_stored_when_it_has_been_computed_often(x: da.Array) -> None:
    held = x * 2
    results = [(held + k).evaluate() for k in range(6)]
    assert not held.pending
    for k, result in enumerate(results):
        same(result, HOST * 2 + k)


@pytest.mark.parametrize(
    "make",
    [
        lambda x, y: x * y,  # reads twice what it writes
        lambda x, y: np.sin(np.exp(np.sin(x))),  # slow
    ],
    ids=["more reads", "slow"],
)
def test_what_costs_more_to_compute_again_is_stored(x: da.Array, make: Any) -> None:
    y = da.asarray(HOST[::-1].copy()).evaluate()
    held = make(x, y)
    result = (held + 1).evaluate()
    assert not held.pending
    same(result, (held.copy_to_host() + 1))


def test_memory_that_it_reads_is_not_given_away(x: da.Array) -> None:
    source = x + 0
    source.evaluate()
    held = source * 2
    del source
    result = (held + 1).evaluate()
    assert held.pending
    same(result, HOST * 2 + 1)
    same(held, HOST * 2)


def test_a_write_to_what_it_reads_stores_it_beside_its_reader(x: da.Array) -> None:
    b = x + 1
    c = b * 2
    before = da.stats()["launches"]
    x[...] = 0
    assert da.stats()["launches"] - before == 2, "the readers together, then the write"
    same(b, HOST + 1)
    same(c, (HOST + 1) * 2)


def test_a_padded_value_is_written_once(x: da.Array) -> None:
    square = x[: 1024 * 1024].reshape(1024, 1024).copy().evaluate()
    before = da.stats()["bytes_moved"]
    held = square[1:-1, 1:-1] * 2 + square[:-2, 1:-1]
    padded = da.pad(held, ((2, 0), (0, 0)), constant_values=7)
    assert da.stats()["bytes_moved"] - before < 3.1 * square.nbytes, "two views read, one array and its sides written"
    host = HOST[: 1024 * 1024].reshape(1024, 1024)
    same(padded, np.pad(host[1:-1, 1:-1] * 2 + host[:-2, 1:-1], ((2, 0), (0, 0)), constant_values=7))
    assert held.pending


def test_a_write_into_what_the_value_reads_stores_the_value(x: da.Array) -> None:
    own = x.copy().evaluate()
    held = own[::-1] * 2
    own[...] = held
    same(own, HOST[::-1] * 2)
    same(held, HOST[::-1] * 2)


def test_what_reads_results_of_the_same_kernel_is_not_written(x: da.Array) -> None:
    """Two fields that change together, and a value of both that a local holds: each step is one kernel."""
    u, v = x, (x + 1).evaluate()
    expected_u, expected_v = HOST, HOST + 1
    product = u * v
    for step in range(5):
        u, v = u + product * 0.1, v - product * 0.1
        product = u * v
        assert moved(u.evaluate) == 4, step
        assert not v.pending and product.pending
        expected = expected_u * expected_v
        expected_u, expected_v = expected_u + expected * 0.1, expected_v - expected * 0.1
    same(product, expected_u * expected_v)
    same(u, expected_u)
    same(v, expected_v)


def test_many_steps_with_a_value_left_pending_are_not_cut(x: da.Array) -> None:
    u, v = x, (x + 1).evaluate()
    product = u * v
    before = da.stats()
    for _ in range(STEPS):
        u, v = u + product * 1e-3, v - product * 1e-3
        product = u * v
        u.evaluate()
    after = da.stats()
    assert after["cuts"] == before["cuts"]
    assert after["launches"] - before["launches"] == STEPS


def test_a_value_of_too_many_results_is_written(x: da.Array) -> None:
    def slow(values: Any, k: int) -> Any:
        for _ in range(5):
            values = values * 0.5 + k
        return values

    parts = [slow(x, k) for k in range(3)]
    held = parts[0] * parts[1] * parts[2]
    result = held + 1
    assert moved(result.evaluate) == 6, "x is read; the three parts, their product and the result are written"
    assert not held.pending
    expected = slow(HOST, 0) * slow(HOST, 1) * slow(HOST, 2)
    same(held, expected)
    same(result, expected + 1)
