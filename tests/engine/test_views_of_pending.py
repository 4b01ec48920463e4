"""Views of pending values: aliases once there is memory, and kernels that compute only what is read."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels")

RNG = np.random.default_rng(11)
A = RNG.standard_normal((60, 80)).astype(np.float32)
B = RNG.standard_normal((60, 80)).astype(np.float32)
K = np.float32(0.25)

Function = Callable[..., Any]


def launches(work: Function, *hosts: np.ndarray) -> tuple[int, Any]:
    """How many kernels a function's result takes, and the result. What the function held is gone by then."""
    arrays = [da.asarray(x).evaluate() for x in hosts]
    before = da.stats()["launches"]
    result = work(da, *arrays)
    result.evaluate()
    return da.stats()["launches"] - before, result


def in_one(work: Function, *hosts: np.ndarray, kernels: int = 1) -> None:
    count, result = launches(work, *hosts)
    same(result, work(np, *hosts))
    assert count == kernels


def shifted_temporaries(xp: Any, a: Any) -> Any:
    return (a * 2)[1:] - (a * 2)[:-1]


def shifted_views(xp: Any, a: Any) -> Any:
    y = a * 2
    return y[1:] - y[:-1]


def channels(xp: Any, a: Any) -> Any:
    linear = xp.sqrt(xp.abs(a))
    return linear[:, ::4] * K + linear[:, 1::4] + linear[:, 2::4] * K


def heat_step(xp: Any, a: Any) -> Any:
    u = a * 2
    return u[1:-1, 1:-1] + K * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])


def transposed(xp: Any, a: Any) -> Any:
    return (a * 2).T + 1


def of_a_view(xp: Any, a: Any) -> Any:
    return (a + 1)[::-1, 3:40][2:, ::-3].T[:, 1:] * 2


def new_axes(xp: Any, a: Any) -> Any:
    return (a * 2)[:, None, :] - 1


def between(xp: Any, a: Any) -> Any:
    """Views within the expression that is viewed."""
    y = (a * 2)[1:] + a[1:]
    return (y[:, 2:] * 3)[::2] + 1


@pytest.mark.parametrize(
    "work", [shifted_temporaries, shifted_views, channels, heat_step, transposed, of_a_view, new_axes, between]
)
def test_one_kernel(work: Function) -> None:
    in_one(work, A)


def test_a_reduction_reads_the_expression() -> None:
    in_one(lambda xp, a: (a * 2)[3:, ::2].max(axis=0), A)
    in_one(lambda xp, a: ((a * 2)[3:] - (a * 2)[:-3]).min(), A)


def test_a_row_is_computed_apart_and_the_rest_never() -> None:
    rows = np.zeros((3, 1), np.float32)
    count, result = launches(lambda xp, a, b: (a * 2)[5] + b, A, rows)
    same(result, A[5] * 2 + rows)
    assert count == (1 if da.default_device().strategy == "gpu" else 2)  # what is small is computed inside
    before = da.stats()["bytes_moved"]
    launches(lambda xp, a, b: (a * 2)[5] + b, A, rows)
    assert da.stats()["bytes_moved"] - before < A.nbytes


def test_what_costs_more_twice_is_evaluated_once() -> None:
    def work(xp: Any, a: Any, b: Any) -> Any:
        u = xp.sqrt(xp.abs(a * b)) / (xp.abs(b) + 1)
        return u[1:-1, 1:-1] + K * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])

    in_one(work, A, B, kernels=2)


def test_a_value_that_is_held_is_computed_once() -> None:
    a = da.asarray(A).evaluate()
    before = da.stats()["launches"]
    y = a * 2 + 1
    views = [(y[k:] * k).evaluate() for k in range(6)]
    same(y, A * 2 + 1)
    assert da.stats()["launches"] - before == 7
    for k, view in enumerate(views):
        same(view, (A * 2 + 1)[k:] * k)


def test_a_view_that_is_held_evaluates_the_value() -> None:
    v = (da.asarray(A) * 2)[1:, ::2]
    assert v.pending
    same(v + 1, A[1:, ::2] * 2 + 1)
    assert not v.pending
    assert v.strides == (A * 2)[1:, ::2].strides


LARGE = RNG.standard_normal((2200, 1000)).astype(np.float32)  # 8.8 MB: reductions of its rows wait


def test_a_value_that_others_read_is_not_stored_for_its_views(gpu_strategy: None) -> None:
    a = da.asarray(LARGE).evaluate()
    before = da.stats()["bytes_moved"]

    def work(x: Any) -> Any:
        y = x * 2
        return y[1:] - y[:-1], y + K

    differences, moved = work(a)
    differences.evaluate()
    moved.evaluate()
    row = LARGE.shape[1] * LARGE.itemsize
    assert da.stats()["bytes_moved"] - before == 5 * LARGE.nbytes - 3 * row  # twice read by views, once as a whole
    for result, wanted in zip((differences, moved), work(LARGE), strict=True):
        same(result, wanted)


def relaxed(xp: Any, d: Any, steps: int) -> Any:
    """Steps of Floyd and Warshall's shortest paths."""
    for k in range(steps):
        d = xp.minimum(d, d[:, k, None] + d[None, k, :])
    return d


@pytest.mark.parametrize(
    "work",
    [lambda xp, a: (lambda y: y - y[0])(a * 2), lambda xp, a: (lambda y: y / y[:, -1:])(xp.abs(a) + 1)],
    ids=["row", "column"],
)
def test_a_row_beside_the_whole_is_computed_with_it(gpu_strategy: None, work: Function) -> None:
    in_one(work, np.tile(LARGE, (2, 1)))


def test_values_that_were_replaced_are_not_stored(gpu_strategy: None) -> None:
    host = np.random.default_rng(5).random((1100, 1100)).astype(np.float32)
    a = da.asarray(host).evaluate()
    before = da.stats()["bytes_moved"]
    result = relaxed(da, a, 8).evaluate()
    assert da.stats()["bytes_moved"] - before < 4.2 * host.nbytes  # two passes, where one for each step is 16
    same(result, relaxed(np, host, 8))


def test_what_reduces_its_rows_is_computed_with_them(gpu_strategy: None) -> None:
    """Columns of normalised rows: sums, roots and quotients are the kernel of the rows."""
    q = da.asarray(LARGE.reshape(-1, 4)).evaluate()
    before = da.stats()

    def work(xp: Any, q: Any) -> Any:
        q = q / xp.sqrt((q * q).sum(1))[:, None]
        return q[:, 1] * q[:, 2], q[:, :1] + q

    first, second = work(da, q)
    first.evaluate()
    second.evaluate()
    after = da.stats()
    assert after["launches"] - before["launches"] == 3
    assert after["bytes_moved"] - before["bytes_moved"] <= 5.5 * LARGE.nbytes
    for result, wanted in zip((first, second), work(np, LARGE.reshape(-1, 4)), strict=True):
        same(result, wanted)


def test_a_step_of_bodies_stores_no_differences() -> None:
    p = da.asarray(RNG.standard_normal((300, 3)).astype(np.float32)).evaluate()
    before = da.stats()["bytes_moved"]
    d = p[None] - p[:, None]
    w = 1 / ((d * d).sum(-1) + 1)
    total = (w[:, :, None] * d).sum(1).evaluate()
    moved = da.stats()["bytes_moved"] - before
    h = p.copy_to_host()
    apart = h[None] - h[:, None]
    weights = 1 / ((apart * apart).sum(-1) + 1)
    np.testing.assert_allclose(total.copy_to_host(), (weights[:, :, None] * apart).sum(1), rtol=1e-3, atol=1e-4)
    assert moved < 5 * weights.nbytes  # d has three times the bytes
    assert d.pending


def test_parts_of_all_pairs_are_never_written() -> None:
    x = RNG.standard_normal(400).astype(np.float32)
    a = da.asarray(x).evaluate()
    before = da.stats()["bytes_moved"]
    d = a[:, None] - a[None]
    result = (d[:, 1:] * d[:, :-1]).evaluate()
    wanted = x[:, None] - x[None]
    same(result, wanted[:, 1:] * wanted[:, :-1])
    assert d.pending
    assert da.stats()["bytes_moved"] - before < 2 * wanted.nbytes


# --- aliases -------------------------------------------------------------------------------------------------------


def both(work: Function) -> None:
    """The arrays that a program leaves, as NumPy's."""
    ours, wanted = work(da, da.asarray(A.copy())), work(np, A.copy())
    for number, (x, h) in enumerate(zip(ours, wanted, strict=True)):
        same(x, h, f"array {number}")


def write_to_view(xp: Any, a: Any) -> Any:
    y = a + 1
    v = y[1:]
    before = v * 2
    v[0] = 5
    return y, v, before, v * 2


def write_to_base(xp: Any, a: Any) -> Any:
    y = a + 1
    v, w = y[1:], y.T[::2]
    before = v * 2
    y[:, 3] = 7
    return y, v, w, before


def in_place_on_base(xp: Any, a: Any) -> Any:
    y = a + 1
    v = y[:, ::-1]
    before = v * 3
    y += 1
    y *= v
    return y, v, before


def in_place_on_view(xp: Any, a: Any) -> Any:
    y = a + 1
    v = y[1:]
    v += y[:-1]
    return y, v


def views_of_one(xp: Any, a: Any) -> Any:
    v = (a + 1)[2:]
    w = v[:, ::2]
    v[0, 0] = -1
    w[1] += 2
    return v, w


def write_behind_readers(xp: Any, a: Any) -> Any:
    y = a * 2
    v = y[1:] - y[:-1]
    w = y[::-1]
    a[0] = 9
    y[1] = w[5]
    return v, w, y, a


def copy_into_itself(xp: Any, a: Any) -> Any:
    y = a + 0
    y[1:] = y[:-1]
    y[:, ::2] = (y * 2)[:, 1::2]
    a[1:] = (a * 2)[:-1]
    return y, a


def reshaped_writes(xp: Any, a: Any) -> Any:
    y = a + 1
    v, w = y.reshape(60, 8, 10), y.reshape(-1)
    v[:, 0] = 3
    w[5::7] = -2
    return y, v, w


def a_view_outlives(xp: Any, a: Any) -> Any:
    y = a + 1
    v = y[3:]
    z = v + 1
    del y
    v[0] = 2
    return v, z


def through_lines(xp: Any, a: Any) -> Any:
    y = (a[:3] + 1).T
    lines = [y[k : k + 2] for k in range(5)]
    for k, line in enumerate(lines):
        line *= k
    return (y, *lines)


@pytest.mark.parametrize(
    "work",
    [
        write_to_view, write_to_base, in_place_on_base, in_place_on_view, views_of_one, write_behind_readers,
        copy_into_itself, reshaped_writes, a_view_outlives, through_lines,
    ],
)  # fmt: skip
def test_writes_are_seen(work: Function) -> None:
    both(work)


@pytest.mark.usefixtures("both_modes")
def test_writes_are_seen_in_both_modes() -> None:
    both(write_to_base)
    both(in_place_on_base)


def test_what_is_asked_of_a_view() -> None:
    y = da.asarray(A) + 1
    h = A + 1
    v, w = y[1:, ::2], y.T
    assert v.base is y
    assert v.strides == h[1:, ::2].strides
    assert w.flags.f_contiguous and not w.flags.owndata
    assert da.shares_memory((y + 1)[1:], v) is False
    x = y * 2
    assert da.shares_memory(x, x[3:])
    same(da.from_dlpack((y + 0)[2:]), h[2:])
    fixed = da.broadcast_to(y + 1, (2, 60, 80))
    assert not fixed.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        fixed[0, 0] = 1


def test_read_only_stays_with_the_view_that_it_was_set_for() -> None:
    y = da.asarray(A) + 1
    v = y[1:]
    y.flags.writeable = False
    v[0] = 4
    h = A + 1
    h[1] = 4
    same(y, h)
    with pytest.raises(ValueError, match="read-only"):
        y[0] = 1


def test_views_without_elements_and_of_one() -> None:
    for key in (np.s_[:0], np.s_[3:4, 5:6], np.s_[59:, ::100], np.s_[None, 2, 3:4], np.s_[..., None]):
        y = da.asarray(A) * 2
        same(y[key] + 1, (A * 2)[key] + 1)
        same(y[key], (A * 2)[key])


def test_dtypes_orders_and_repeated_operands() -> None:
    a, row, column = np.asfortranarray(A), B[0], B[:, :1].astype(np.float64)
    for text in ("(a * 2)[1:, ::-2]", "(a + row)[3:].T", "(row * column)[:, 5]", "((a > row)[::2] | (a < 0)[1::2])"):
        ours = eval(text, {"a": da.asarray(a), "row": da.asarray(row), "column": da.asarray(column)})
        wanted = eval(text, {"a": a, "row": row, "column": column})
        same(ours + 1, wanted + 1)
        assert (ours * 2).strides == (wanted * 2).strides
        same(ours, wanted)
        assert ours.strides == wanted.strides


@pytest.mark.parametrize(
    "text", ["(a * 2).T * 3", "(a + b.T).T * 3", "(a[:1] + a[:, :1]).T * 3", "(b.T + 1)[::2].T * 3"]
)
def test_results_lie_as_views_do(text: str) -> None:
    names = {"a": A[:, :60], "b": B[:, :60]}
    wanted = eval(text, {name: x.copy() for name, x in names.items()})
    ours = eval(text, {name: da.asarray(x.copy()) for name, x in names.items()})
    same(ours, wanted)
    assert ours.strides == wanted.strides


def test_what_is_joined_lies_as_views_do() -> None:
    y, h = da.asarray(A) * 2, A * 2
    for joined in (np.concatenate, np.vstack):
        assert joined([y.T, (y + 1).T]).strides == joined([h.T, (h + 1).T]).strides
        same(joined([y[1:], (y + 1)[:2]]), joined([h[1:], (h + 1)[:2]]))


def test_numbered_and_shifted_elements() -> None:
    same((da.arange(50) * 2)[5::3] + 1, (np.arange(50) * 2)[5::3] + 1)
    rolled = np.roll(A, 3, axis=1)
    same((da.roll(da.asarray(A), 3, axis=1) * 2)[:, 2:] + 1, (rolled * 2)[:, 2:] + 1)


def test_long_chains() -> None:
    def chain(xp: Any, a: Any) -> Any:
        for _ in range(1000):
            a = (a * np.float32(1.001))[1:-1]
        return a

    line = RNG.standard_normal(5000).astype(np.float32)
    count, result = launches(chain, line)
    same(result, chain(np, line))
    assert count < 100

    def sums(xp: Any, a: Any) -> Any:
        for _ in range(30):
            a = a[1:] + a[:-1]
        return a

    count, result = launches(sums, line)
    same(result, sums(np, line))
    assert count < 31


def test_explain_says_what_runs() -> None:
    a = da.asarray(A).evaluate()
    y = shifted_views(da, a)
    assert y.explain().launches == 1
    assert y.pending
    count, _ = launches(shifted_views, A)
    assert count == 1


def test_threads_take_views_of_one_value() -> None:
    y = da.asarray(A) * 2 + 1
    found: list[Any] = [None] * 8
    gate = threading.Barrier(8)

    def work(k: int) -> None:
        gate.wait()
        found[k] = [(y[k:] - y[: 60 - k]).evaluate() for _ in range(20)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    h = A * 2 + 1
    for k, results in enumerate(found):
        for result in results:
            same(result, h[k:] - h[: 60 - k])
