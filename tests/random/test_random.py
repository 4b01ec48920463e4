"""`devarray.random`: NumPy's stream bit for bit, parameters and dtypes, and orders."""

from __future__ import annotations

import math
import pickle
import threading
from typing import Any

import mpmath
import numpy as np
import pytest
from oracle import host, same, skip_without

import devarray as da
from devarray import _core
from devarray.array import OP

pytestmark = pytest.mark.usefixtures("device")

SEEDS: list[Any] = [0, 12345, 2**100 + 7, [1, 2, 3], np.random.SeedSequence(5, spawn_key=(3,))]
SHAPES: list[Any] = [None, 0, 7, (3, 5), (2, 0, 3), (4, 1, 6), (2, 3, 4, 5)]


def pair(seed: Any = 1) -> tuple[da.random.Generator, np.random.Generator]:
    """A Generator of each library, of one seed."""
    return da.random.default_rng(seed), np.random.Generator(np.random.Philox(seed))


# --- the stream ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS, ids=str)
def test_words_are_numpys(seed: Any) -> None:
    same(da.random.Philox(seed).random_raw((5, 9)), np.random.Philox(seed).random_raw(45).reshape(5, 9))


@pytest.mark.parametrize("size", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_random_is_numpys(size: Any, dtype: str) -> None:
    skip_without(dtype)
    ours, numpys = pair()
    for _ in range(2):  # the second draw begins where the first has ended
        same(ours.random(size, dtype), np.asarray(numpys.random(size, dtype), dtype))


def test_draws_of_both_widths_continue_as_numpys_do() -> None:
    skip_without("float64")
    ours, numpys = pair()
    for size, dtype in [
        (3, "f4"),
        (2, "f8"),
        (1, "f4"),
        (1, "f4"),
        (5, "f8"),
        (0, "f4"),
        (4, "f4"),
        (7, "f4"),
        (1, "f8"),
    ]:
        same(ours.random(size, dtype), numpys.random(size, dtype), f"{size} of {dtype}")
    assert ours.bytes(13) == numpys.bytes(13)
    same(ours.random(3, "f4"), numpys.random(3, "f4"))


@pytest.mark.parametrize("first", [1, 4, 6, 97])
def test_the_split_of_the_work_does_not_matter(first: int) -> None:
    whole, parts = da.random.default_rng(3), da.random.default_rng(3)
    together = host(whole.standard_normal(100))
    same(np.concatenate([host(parts.standard_normal(n)) for n in (first, 100 - first)]), together)


def test_numbers_follow_c_order_whatever_the_layout() -> None:
    ours, numpys = pair()
    for shape in [(40, 50), (50, 3), (3, 50), (4, 5, 6)]:
        x = np.arange(math.prod(shape), dtype=np.uint64).reshape(shape)
        for view in (lambda v: v.swapaxes(0, -1), lambda v: v[::-1, ::2], lambda v: np.broadcast_to(v[:, :1], v.shape)):
            wanted = view(x)
            other = da.asarray(x)
            sliced = da.broadcast_to(other[:, :1], shape) if wanted.strides[-1] == 0 else view(other)
            drawn = ours.bit_generator.random_raw(wanted.shape) ^ sliced
            same(
                drawn, numpys.bit_generator.random_raw(wanted.size).reshape(wanted.shape) ^ wanted, f"{wanted.strides}"
            )


def test_a_draw_is_one_kernel_with_what_follows(deferred: None, kernels: None) -> None:
    rng, x = da.random.default_rng(1), da.ones((30, 40)).evaluate()
    da.reset_stats()
    y = rng.normal(size=(30, 40)) * 2 + x
    assert y.pending
    y.evaluate()
    assert da.stats()["launches"] == 1
    x[...] = rng.random((30, 40))
    x.evaluate()
    assert da.stats()["launches"] == 2


def test_state_goes_to_numpy_and_back() -> None:
    skip_without("float64")
    ours, numpys = pair()
    for size, dtype in [(3, "f4"), (2, "f8"), (6, "f4")]:
        ours.random(size, dtype)
        numpys.bit_generator.state = ours.bit_generator.state
        fresh = da.random.Generator(da.random.Philox())
        fresh.bit_generator.state = numpys.bit_generator.state
        for copy in (ours, fresh, pickle.loads(pickle.dumps(fresh))):
            state = copy.bit_generator.state
            twin = np.random.Generator(np.random.Philox())
            twin.bit_generator.state = state
            same(copy.random(5, "f4"), twin.random(5, "f4"))
            same(copy.random(5), twin.random(5))
            copy.bit_generator.state = state


def test_key_counter_advance_and_spawn_are_numpys() -> None:
    ours = da.random.Philox(key=2**70 + 5, counter=9)
    numpys = np.random.Philox(key=2**70 + 5, counter=9)
    same(ours.random_raw(6), numpys.random_raw(6))
    same(ours.advance(10).random_raw(6), numpys.advance(10).random_raw(6))
    first, second = pair()
    for a, b in zip(first.spawn(3), second.spawn(3), strict=True):
        same(a.bit_generator.random_raw(5), b.bit_generator.random_raw(5))
    with pytest.raises(TypeError, match="seed"):
        ours.spawn(1)


def test_threads_share_a_generator_without_overlap() -> None:
    rng = da.random.Philox(1)
    drawn: list[list[np.ndarray]] = [[] for _ in range(4)]

    def work(mine: list[np.ndarray]) -> None:
        for n in range(1, 20):
            mine.append(host(rng.random_raw(n)))

    threads = [threading.Thread(target=work, args=(mine,)) for mine in drawn]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    words = np.concatenate([part for mine in drawn for part in mine])
    same(np.sort(words), np.sort(np.random.Philox(1).random_raw(words.size)))


def test_the_modules_own_generator_is_seeded_and_restored() -> None:
    skip_without("float64")
    da.random.seed(5)
    numpys = np.random.Generator(np.random.Philox(5))
    same(da.random.rand(2, 3), numpys.random((2, 3)))
    state = da.random.get_state()
    x = host(da.random.randn(4))
    da.random.set_state(state)
    same(da.random.randn(4), x)
    assert da.random.randint(3, 5, size=(2, 2)).dtype == np.int64


def test_device_queue_and_allocator_say_where() -> None:
    queue = da.queue()
    rng = da.random.default_rng(1)
    assert rng.random(3, queue=queue).queue is queue
    assert rng.normal(da.zeros(3, queue=queue)).queue is queue
    assert rng.permutation(3, device=da.device()).device is da.device()
    with pytest.raises(TypeError, match="where_to"):
        rng.normal(where_to=1)


# --- the steps -----------------------------------------------------------------------------------------------------


def test_bounded_words_are_lemires() -> None:
    words = np.random.default_rng(0).integers(0, 2**64, 500, np.uint64)
    for count in (1, 2, 3, 1000, 2**32, 2**63 + 1, 2**64 - 1):
        ours = host(_core.apply(OP["bounded"], da.asarray(words), count))
        taken = [int(word) * count % 2**64 >= 2**64 % count for word in words]
        wanted = np.array([int(word) * count >> 64 for word in words], np.uint64)
        same(ours[taken], wanted[taken], str(count))
        assert all(int(value) < count for value in ours)
        if count == 2**63 + 1:  # half are rejected: those come from a sequence of their own
            assert 150 < sum(taken) < 350
            assert np.abs(ours[~np.array(taken)].astype(float).mean() / count - 0.5) < 0.08


@pytest.mark.parametrize(("dtype", "ulp"), [("float64", 8), ("float32", 16)])
def test_normal_tails_are_those_of_the_law(dtype: str, ulp: int) -> None:
    skip_without(dtype)
    t = np.concatenate([np.exp2(-np.linspace(1, 65, 90)), np.linspace(0.01, 0.5, 50)]).astype(dtype)
    ours = host(_core.apply(OP["normal_tail"], da.asarray(t)))
    with mpmath.workdps(60):
        wanted = [float(mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(float(x)))) for x in t]
    near = np.finfo(dtype).eps * ulp * np.maximum(np.abs(wanted), 0.1)
    assert (np.abs(ours - np.array(wanted)) <= near).all()


def test_tails_reach_below_1e_12() -> None:
    skip_without("float64")
    rng = da.random.default_rng(1)
    # The words that lie at the ends of the scale, as draws never meet them in a test's time.
    words = da.asarray(np.array([0, 1, 2, 3, 2**64 - 1, 2**64 - 2], np.uint64))
    draws = []
    for name in ("normal", "exponential", "laplace", "logistic", "gumbel", "standard_cauchy", "pareto", "weibull"):
        rng.bit_generator.words = lambda *_: words  # type: ignore[method-assign]
        x = host(getattr(rng, name)(*((2.0,) if name in ("pareto", "weibull") else ()), size=6))
        assert np.isfinite(x).all(), name
        draws.append(x)
    normal, exponential, laplace, logistic, gumbel = draws[:5]
    assert normal[0] < -9 and normal[1] > 9 and normal[0] == -normal[1]
    assert exponential[1] > 44 and 0 < exponential[0] < 1e-19
    assert laplace[0] < -43 and laplace[1] > 43
    assert logistic[0] < -44 and logistic[1] > 44
    assert gumbel[0] > 44 and gumbel[1] < -3.7


# --- parameters ----------------------------------------------------------------------------------------------------


def test_parameters_broadcast() -> None:
    skip_without("float64")
    loc, scale = np.array([[0.0], [100.0]]), np.array([1.0, 2.0, 3.0])
    plain = host(da.random.default_rng(2).standard_normal((2, 3)))
    for a in (loc, da.asarray(loc)):
        for b in (scale, scale.tolist(), da.asarray(scale)):
            np.testing.assert_allclose(host(da.random.default_rng(2).normal(a, b)), plain * scale + loc, rtol=1e-15)
    assert da.random.default_rng(2).normal(loc, size=(4, 2, 1)).shape == (4, 2, 1)
    assert da.random.default_rng(2).poisson(scale).shape == (3,)
    with pytest.raises(da.ShapeError, match="scale"):
        da.random.default_rng(2).normal(0, scale, size=2)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("normal", (0, -1)),
        ("normal", (0, [1.0, -1.0])),
        ("uniform", (0, -1)),
        ("uniform", ([0, 3], 2)),
        ("poisson", (1e30,)),
        ("zipf", (1.0,)),
        ("logseries", (1.0,)),
        ("vonmises", (0, -1)),
        ("wald", (1, 0)),
        ("exponential", (-1,)),
        ("pareto", (0,)),
        ("beta", (0, 1)),
        ("binomial", (5, 1.1)),
        ("binomial", (-1, 0.5)),
        ("poisson", (-0.1,)),
        ("geometric", (0,)),
        ("triangular", (0, 2, 1)),
        ("integers", (3, 3)),
        ("integers", (0, 300, None, np.uint8)),
        ("integers", (-1, 5, None, np.uint8)),
        ("choice", (0, 1)),
        ("choice", (3, 4, False)),
        ("choice", (3, 2, True, [0.5, 0.2, 0.2])),
        ("choice", (3, 2, False, [1.0, 0.0, 0.0])),
        ("random", (-1,)),
    ],
    ids=str,
)
def test_values_out_of_range_are_told(name: str, parameters: Any) -> None:
    with pytest.raises(ValueError, match=name):
        getattr(da.random.default_rng(1), name)(*parameters)


def test_infinite_ranges_are_told() -> None:
    with pytest.raises(OverflowError, match="uniform"):
        da.random.default_rng(1).uniform(0, np.inf)


def test_dtypes_that_are_not_drawn_are_told() -> None:
    rng = da.random.default_rng(1)
    for wrong in (lambda: rng.random(3, np.int32), lambda: rng.integers(3, dtype="f4"), lambda: rng.normal("a")):
        with pytest.raises(da.DTypeError):
            wrong()


def test_out_takes_the_numbers() -> None:
    skip_without("float64")
    for name in ("random", "standard_normal", "standard_exponential"):
        out = da.zeros((3, 4), da.float32)
        assert getattr(da.random.default_rng(1), name)(out=out) is out
        same(out, host(getattr(da.random.default_rng(1), name)((3, 4), np.float32)))
    with pytest.raises(da.ShapeError, match="out"):
        da.random.default_rng(1).random(5, out=out)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint32", "int64", "uint64"])
def test_integers_fill_their_range(dtype: str) -> None:
    rng = da.random.default_rng(1)
    least, most = (0, 1) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    x = host(rng.integers(least, most, 3000, dtype, endpoint=True))
    assert x.dtype == dtype
    assert float(x.min()) < least + (most - least) * 0.01 + 1
    assert float(x.max()) > most - (most - least) * 0.01 - 1
    assert abs(x.astype(float).mean() - (least + most) / 2) < 0.03 * (most - least)


def test_integers_of_array_bounds() -> None:
    rng = da.random.default_rng(1)
    low, high = np.array([-5, 0, 2**62]), np.array([-3, 10, 2**62 + 1])
    for a in (low, da.asarray(low)):
        for b in (high, da.asarray(high)):
            x = host(rng.integers(a, b, size=(300, 3)))
            assert ((x >= low) & (x < high)).all()
            assert len(set(x[:, 1].tolist())) == 10
    assert set(host(rng.integers(da.asarray([2, 3]), 4, (99, 2)))[:, 1].tolist()) == {3}
    assert set(host(rng.integers(2, da.asarray([3, 4]), (99, 2), endpoint=True))[:, 1].tolist()) == {2, 3, 4}


# --- order ---------------------------------------------------------------------------------------------------------


def test_permutations_hold_everything_once() -> None:
    rng = da.random.default_rng(1)
    same(np.sort(host(rng.permutation(1000))), np.arange(1000))
    x = np.arange(60).reshape(4, 15)
    for axis in (0, 1, -1):
        moved = host(rng.permutation(da.asarray(x), axis))
        same(np.sort(moved, axis), x)
        y = da.asarray(x)
        rng.shuffle(y, axis)
        same(np.sort(host(y), axis), x)
        assert (np.diff(host(y), axis=1 - axis % 2) == np.diff(x, axis=1 - axis % 2)).all()  # whole parts move
        same(np.sort(host(rng.permuted(da.asarray(x), axis)), axis), x)
    same(np.sort(host(rng.permuted(x)), axis=None), np.arange(60))
    rows = host(rng.permuted(da.asarray(np.tile(np.arange(50), (9, 1))), 1))
    assert len({tuple(row) for row in rows.tolist()}) == 9


@pytest.mark.parametrize("n", [1, 3000, 2**14, 60_001])
def test_an_order_is_that_of_the_streams_words(n: int) -> None:
    """On every device, in whatever way it sorts."""
    rng, words = da.random.default_rng(6), np.random.Philox(6).random_raw(2 * n)
    same(rng.permutation(n), np.argsort(words[:n], kind="stable"))
    x = np.arange(n) * 1.5
    same(rng.permutation(da.asarray(x)), x[np.argsort(words[n:], kind="stable")])


DATES = np.array([["2020-01-01", "2021-02-03", "NaT"], ["1999-01-01", "2024-05-06", "2000-12-31"]], "datetime64[D]")
RECORDS = np.array([[(1, 2.5), (3, 4.5)], [(5, 6.5), (7, 8.5)], [(9, 1.5), (2, 0.5)]], [("n", "i4"), ("x", "f8")])


@pytest.mark.parametrize("x", [DATES, DATES - DATES[0, 0], RECORDS], ids=["dates", "deltas", "records"])
@pytest.mark.parametrize("axis", [0, 1])
def test_dates_and_records_are_put_in_order_as_their_places(x: np.ndarray, axis: int) -> None:
    """One seed puts them in the order in which it puts the numbers of their places."""
    places = np.arange(x.size).reshape(x.shape)
    n = x.shape[axis]

    def drawn(what: np.ndarray) -> list[np.ndarray]:
        rng = da.random.default_rng(3)
        shuffled = da.asarray(what, copy=True)
        rng.shuffle(shuffled, axis)
        given = da.asarray(what)
        made = [rng.permutation(given, axis), rng.permuted(given, axis), rng.permuted(given)]
        made += [rng.choice(given, 5, axis=axis), rng.choice(given, n, replace=False, axis=axis)]
        made.append(rng.choice(given, 4, p=np.arange(n) / np.arange(n).sum(), axis=axis))
        out = da.asarray(what, copy=True)
        assert rng.permuted(given, out=out) is out
        return [part.copy_to_host() for part in (shuffled, *made, out)]

    for ours, numbers in zip(drawn(x), drawn(places), strict=True):
        assert ours.dtype == x.dtype
        np.testing.assert_array_equal(ours, x.reshape(-1)[numbers])


def test_records_drawn_by_numpys_generators_come_to_the_device() -> None:
    given = da.asarray(RECORDS)
    ours, numpys = da.random.Generator(np.random.PCG64(5)), np.random.default_rng(5)
    for name, arguments in [("permutation", ()), ("choice", (4,)), ("permuted", ())]:
        made = getattr(ours, name)(given, *arguments)
        np.testing.assert_array_equal(made.copy_to_host(), getattr(numpys, name)(RECORDS, *arguments))


def test_all_orders_are_as_likely() -> None:
    rng = da.random.default_rng(4)
    orders = host(rng.permuted(da.asarray(np.tile(np.arange(4), (24_000, 1))), 1))
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert counts.size == 24
    assert ((counts - 1000) ** 2 / 1000).sum() < 49.7  # chi-square of 23 degrees: one of a thousand lies above


def test_choices_with_chances_are_numpys() -> None:
    skip_without("float64")
    p = np.array([0.1, 0.0, 0.4, 0.3, 0.2])
    ours, numpys = pair()
    same(ours.choice(5, (4, 50), p=p), numpys.choice(5, (4, 50), p=p))
    same(ours.choice(da.asarray([3, 1, 4, 1, 5]), 50, p=da.asarray(p)), numpys.choice([3, 1, 4, 1, 5], 50, p=p))
    table = np.arange(15).reshape(3, 5)
    same(ours.choice(table, 8, p=p, axis=1), numpys.choice(table, 8, p=p, axis=1))


def test_choices_without_replacement_differ() -> None:
    rng = da.random.default_rng(1)
    assert len(set(rng.choice(100, (10, 10), replace=False).copy_to_host().ravel().tolist())) == 100
    first = [int(rng.choice(3, 2, False, [0.5, 0.3, 0.2]).copy_to_host()[0]) for _ in range(600)]
    assert np.abs(np.bincount(first) / 600 - [0.5, 0.3, 0.2]).max() < 0.07
    assert rng.choice(5).shape == ()


@pytest.mark.parametrize("shape", [(), (0,), (1,), (30,), (5, 8), (4096,)])
def test_few_of_many_without_replacement_are_numpys(shape: tuple[int, ...]) -> None:
    ours, numpys = pair()
    same(ours.random(3), numpys.random(3))
    for n in (51 * max(1, int(np.prod(shape))), 10**6, 2**40):
        got = ours.choice(n, shape, replace=False)
        assert got.dtype == np.int64
        same(got, np.asarray(numpys.choice(n, shape, replace=False)))
    same(ours.random(5), numpys.random(5))
    same(ours.random(3, np.float32), numpys.random(3, np.float32))
    same(ours.choice(10**5, 7, replace=False), numpys.choice(10**5, 7, replace=False))
    table = np.arange(3000.0).reshape(3, 1000)
    same(ours.choice(table, 4, False, axis=1), numpys.choice(table, 4, False, axis=1))


# --- vectors -------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning")
@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky", "device"])
def test_multivariate_normal_has_its_mean_and_covariance(method: str) -> None:
    skip_without("float64")
    mean, cov = np.array([1.0, -2.0, 3.0]), np.array([[2.0, 0.6, 0.0], [0.6, 1.0, 0.3], [0.0, 0.3, 0.5]])
    rng = da.random.default_rng(1)
    if method == "device":
        x = host(rng.multivariate_normal(mean, da.asarray(cov), (100, 400)))
    else:
        x = host(rng.multivariate_normal(mean, cov, (100, 400), method=method))
        flat = rng.multivariate_normal([0, 0], np.ones((2, 2)), 50) if method != "cholesky" else None
        if flat is not None:  # of rank 1
            np.testing.assert_allclose(host(flat)[:, 0], host(flat)[:, 1], atol=1e-7)
    assert x.shape == (100, 400, 3)
    np.testing.assert_allclose(x.reshape(-1, 3).mean(0), mean, atol=0.03)
    np.testing.assert_allclose(np.cov(x.reshape(-1, 3).T), cov, atol=0.05)


def test_dirichlet_and_multinomial_add_up() -> None:
    skip_without("float64")
    rng = da.random.default_rng(1)
    x = host(rng.dirichlet([1.0, 2.0, 5.0], 20_000))
    np.testing.assert_allclose(x.sum(1), 1, rtol=1e-12)
    np.testing.assert_allclose(x.mean(0), np.array([1, 2, 5]) / 8, atol=0.01)
    counts = host(rng.multinomial(30, [0.2, 0.5, 0.3], (100, 50)))
    assert counts.shape == (100, 50, 3)
    assert (counts.sum(-1) == 30).all()
    np.testing.assert_allclose(counts.reshape(-1, 3).mean(0), [6, 15, 9], atol=0.2)
    assert rng.multinomial(da.asarray([3, 4]), [1.0]).tolist() == [[3], [4]]


def test_urns_are_drawn_by_numpys_stream() -> None:
    ours, theirs = da.random.default_rng(5), np.random.Generator(np.random.Philox(5))
    good = np.array([3, 8, 20])
    same(ours.hypergeometric(da.asarray(good), 10, 6, (4, 3)), theirs.hypergeometric(good, 10, 6, (4, 3)))
    same(ours.hypergeometric(5, 7, 4), theirs.hypergeometric(5, 7, 4))
    for method in ("marginals", "count"):
        wanted = theirs.multivariate_hypergeometric([4, 5, 6], 7, size=(2, 3), method=method)
        same(ours.multivariate_hypergeometric([4, 5, 6], 7, size=(2, 3), method=method), wanted)
    same(ours.multivariate_hypergeometric(da.asarray(good), 4), theirs.multivariate_hypergeometric(good, 4))
    same(ours.random(4), theirs.random(4))  # the stream goes on behind them
    assert da.random.hypergeometric(5, 0, 3).item() == 3
    with pytest.raises(ValueError, match="nsample"):
        ours.hypergeometric(1, 2, 9)


def test_trials_with_chances_of_their_own() -> None:
    pvals = np.array([[0.2, 0.8, 0.0], [0.5, 0.25, 0.25]])
    found = da.random.default_rng(3).multinomial([[10], [1000]], pvals)
    assert found.shape == np.random.default_rng(3).multinomial([[10], [1000]], pvals).shape
    host = found.copy_to_host()
    assert (host.sum(-1) == [[10, 10], [1000, 1000]]).all()
    assert (host[:, 0, 2] == 0).all()
    assert np.abs(host[1] / 1000 - pvals).max() < 0.08
    assert da.random.default_rng(3).multinomial(20, da.asarray(pvals), size=(4, 2)).shape == (4, 2, 3)


def test_seeds_of_the_device_are_those_of_the_host() -> None:
    seed = [3, 1, 4]
    for make in (da.random.default_rng, da.random.RandomState):
        wanted = make(seed).uniform(size=4).tolist()
        assert make(da.asarray(seed)).uniform(size=4).tolist() == wanted
    assert da.random.default_rng(da.asarray(7)).random().item() == da.random.default_rng(7).random().item()


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("a", [0, [], 3])
def test_choice_of_no_numbers(a: Any, replace: bool) -> None:
    for size in (0, (2, 0)):
        found = da.random.default_rng(1).choice(a, size, replace=replace)
        assert found.shape == np.random.default_rng(1).choice(a, size, replace=replace).shape
    with pytest.raises(ValueError):
        da.random.default_rng(1).choice(-1, 0)


def test_what_generator_makes_is_a_generator() -> None:
    made = da.random.Generator(np.random.PCG64(5))
    assert isinstance(made, da.random.Generator)
    assert da.random.default_rng(made) is made
    assert not isinstance(np.random.default_rng(5), da.random.Generator)
