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
def x(gpu_strategy: None) -> da.Array:
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


def test_a_local_of_half_of_a_launchs_cost_is_not_written(x: da.Array) -> None:
    for size, passes in ((N // 2, 1.0), (N // 3, 1.0)):
        held = x[:size] * 2 + 1
        result = held - x[:size]
        assert moved(result.evaluate) == pytest.approx(passes, abs=0.01)
        assert held.pending == (size == N // 2)
        same(held, HOST[:size] * 2 + 1)


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
        lambda x, y: np.sin(np.exp(np.sin(np.exp(-x)))),  # slow
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
        for _ in range(7):
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


def test_a_former_value_of_a_loop_is_not_written(x: da.Array) -> None:
    """Its name still stands for the last step's value when the graph grows too large and is cut."""
    board = x
    expected = HOST
    evens = (x * 0 + 2).evaluate()
    before = da.stats()
    for _ in range(STEPS):
        total = board + evens + board * 0.5
        board = np.where(total > 1, total - board, board)
    board.evaluate()
    after = da.stats()
    for _ in range(STEPS):
        host_total = expected + 2 + expected * 0.5
        expected = np.where(host_total > 1, host_total - expected, expected)
    launches = after["launches"] - before["launches"]
    written = (after["bytes_moved"] - before["bytes_moved"]) / HOST.nbytes - 2 * launches
    assert written <= launches + 1, "each launch reads two arrays and writes one"
    same(board, expected)
    same(total, host_total)


def test_views_of_a_local_are_computed_in_its_readers(x: da.Array) -> None:
    """As the channels of a picture, which a local holds: its values are never in memory."""
    three = x[: N // 3 * 3].reshape(-1, 3)
    whole = three * 0.5 + 1
    result = whole[:, 0] * 0.25 + whole[:, 1] * 0.5 + whole[:, 2] * 0.25
    assert moved(result.evaluate) < 1.4, "a third of what is read is written"
    assert whole.pending
    host = HOST[: N // 3 * 3].reshape(-1, 3) * 0.5 + 1
    same(result, host[:, 0] * 0.25 + host[:, 1] * 0.5 + host[:, 2] * 0.25)
    same(whole, host)


def test_a_value_that_another_pending_value_wants_is_stored_for_its_views(x: da.Array) -> None:
    whole = np.sqrt(x * x + 1)
    other = whole * 3
    result = whole[1:] - whole[:-1]
    result.evaluate()
    host = np.sqrt(HOST * HOST + 1)
    same(result, host[1:] - host[:-1])
    same(other, host * 3)
    same(whole, host)


def test_rows_leave_their_locals_pending(x: da.Array) -> None:
    """Softmax as a function writes it: neither the shifted values nor their exponentials are written."""
    rows = x[: 1024 * 1024].reshape(1024, 1024)
    scores = rows * 0.125
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    result = weights / weights.sum(-1, keepdims=True)
    before = da.stats()
    result.evaluate()
    after = da.stats()
    assert after["launches"] - before["launches"] == 1
    assert (after["bytes_moved"] - before["bytes_moved"]) / rows.nbytes < 2.1
    assert scores.pending and weights.pending
    host = HOST[: 1024 * 1024].reshape(1024, 1024) * 0.125
    host_weights = np.exp(host - host.max(-1, keepdims=True))
    np.testing.assert_allclose(weights.copy_to_host(), host_weights, rtol=1e-14)
    np.testing.assert_allclose(result.copy_to_host(), host_weights / host_weights.sum(-1, keepdims=True), rtol=1e-12)
    same(scores, host)


@pytest.mark.usefixtures("gpu_strategy")
def test_values_that_a_program_keeps_are_stored_in_the_end() -> None:
    u = da.zeros(1 << 27, np.float32).evaluate()  # 512 MB
    kept = []
    for k in range(12):
        held = u + k
        (held * 2).sum().evaluate()
        kept.append(held)
    assert sum(held.pending for held in kept) * u.nbytes <= 5 << 30, "4 GB and one"
    assert not all(held.pending for held in kept)


@pytest.mark.parametrize(
    "make",
    [
        lambda xp, x: x * x,
        lambda xp, x: xp.where(x > 0, x * 2 - 1, 0.25),
        lambda xp, x: xp.abs(x).astype("complex128") * 1j,
        lambda xp, x: (x * 100).astype("int64") // 3,
    ],
)
@pytest.mark.parametrize("work", [lambda xp, x: xp.cumsum(x), lambda xp, x: xp.cumulative_sum(x, include_initial=True)])
def test_a_running_sum_takes_operations_in(x: da.Array, make: Any, work: Any) -> None:
    held = make(da, x)
    sums: list[da.Array] = []
    assert moved(lambda: sums.append(work(da, held).evaluate())) < 0.01  # what kernels of scans read is not counted
    assert held.pending
    wanted = work(np, make(np, HOST))
    assert sums[0].dtype == wanted.dtype
    np.testing.assert_allclose(sums[0].copy_to_host(), wanted, rtol=1e-9, atol=1e-7)
    same(held, make(np, HOST))


def test_a_running_sum_along_an_axis_takes_operations_in(gpu_strategy: None) -> None:
    host = HOST[: 1_100_000 // 1100 * 1100].reshape(1100, -1)
    x, row = da.asarray(host).evaluate(), da.asarray(host[0]).evaluate()
    for axis in (0, 1):
        ours, theirs = np.cumsum(x * 0.5 - row, axis=axis), np.cumsum(host * 0.5 - host[0], axis=axis)
        np.testing.assert_allclose(ours.copy_to_host(), theirs, rtol=1e-9, atol=1e-7)
        held = x - 1
        total = np.cumsum(held, axis)
        x += 1  # behind what reads it
        np.testing.assert_allclose(total.copy_to_host(), np.cumsum(host - 1, axis), rtol=1e-9, atol=1e-7)
        same(held, host - 1)
        x -= 1
        host = (host + 1) - 1
