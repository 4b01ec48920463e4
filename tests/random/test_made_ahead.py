"""Few numbers that follow few others of their kind are made ahead: they are those of one long draw."""

import copy
import pickle
import threading

import numpy as np
import pytest

import devarray as da
from devarray.random.ahead import FEW

KINDS = {
    "random": lambda rng, n: rng.random(n),
    "standard_normal": lambda rng, n: rng.standard_normal(n),
    "standard_normal float32": lambda rng, n: rng.standard_normal(n, da.float32),
    "standard_exponential": lambda rng, n: rng.standard_exponential(n),
    "uniform": lambda rng, n: rng.uniform(-1, 3, n),
    "normal": lambda rng, n: rng.normal(2.0, 0.5, n),
    "exponential": lambda rng, n: rng.exponential(3, n),
    "integers": lambda rng, n: rng.integers(-3, 1 << 40, n),
    "poisson": lambda rng, n: rng.poisson(3.5, n),
}


@pytest.fixture(autouse=True)
def small_work_on_the_host():
    before, da.config.host_elements = da.config.host_elements, 1 << 18
    yield
    da.config.host_elements = before


@pytest.mark.parametrize("kind", KINDS)
def test_short_draws_are_pieces_of_a_long_one(kind):
    counts = [1, 16, 16, FEW, 3, FEW + 1, 7, *[FEW] * 20, 5]
    rng = da.random.default_rng(5)
    pieces = np.concatenate([KINDS[kind](rng, n).copy_to_host() for n in counts])
    whole = KINDS[kind](da.random.default_rng(5), sum(counts)).copy_to_host()
    assert pieces.dtype == whole.dtype
    assert pieces.tobytes() == whole.tobytes()


def test_short_draws_are_numpys():
    ours, numpys = da.random.default_rng(5), np.random.Generator(np.random.Philox(5))
    for shape in [3, (2, 3), (), None, (1, 1, 4), 0, 16, (0, 4)] * 30:
        wanted, given = numpys.random(shape), ours.random(shape)
        assert given.shape == np.shape(wanted)
        assert np.array_equal(given.copy_to_host(), wanted)


def test_kinds_take_turns():
    mixed, plain = da.random.default_rng(3), da.random.default_rng(3)
    for _ in range(100):
        for kind in KINDS:
            ours = KINDS[kind](mixed, 4).copy_to_host()
            plain._bits.ahead = {}
            assert ours.tobytes() == KINDS[kind](plain, 4).copy_to_host().tobytes(), kind
    assert mixed._bits.state["state"]["counter"].tolist() == plain._bits.state["state"]["counter"].tolist()


def test_another_stream_begins_anew():
    rng, numpys = da.random.default_rng(3), np.random.Generator(np.random.Philox(3))
    bits = rng.bit_generator
    first = [rng.random(4).tolist() for _ in range(3)]
    bits.restart(3)
    assert [rng.random(4).tolist() for _ in range(3)] == first
    bits.restart(4)
    assert rng.random(4).tolist() != first[0]
    bits.restart(3)
    numpys.random(12)
    bits.state = numpys.bit_generator.state
    assert [rng.random(4).tolist() for _ in range(3)] == [numpys.random(4).tolist() for _ in range(3)]
    bits.advance(5)
    numpys.bit_generator.advance(5)
    assert [rng.random(4).tolist() for _ in range(3)] == [numpys.random(4).tolist() for _ in range(3)]
    bits.advance(-7)
    numpys.bit_generator.advance(-7)
    assert [rng.random(4).tolist() for _ in range(3)] == [numpys.random(4).tolist() for _ in range(3)]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_go_on_alike(copied):
    rng = da.random.default_rng(8)
    for _ in range(3):
        rng.normal(size=5)
    other = copied(rng)
    if copied is copy.copy:  # shares the stream
        other = da.random.Generator(copy.copy(rng.bit_generator))
    assert rng.normal(size=(2, 3)).tolist() == other.normal(size=(2, 3)).tolist()
    assert rng.normal(size=5).tolist() == other.normal(size=5).tolist()


def test_what_is_drawn_is_the_callers():
    rng, numpys = da.random.default_rng(1), np.random.Generator(np.random.Philox(1))
    for _ in range(20):
        x, wanted = rng.random(8), numpys.random(8)
        assert np.array_equal(x.copy_to_host(), wanted)
        x[...] = -1.0
        number = rng.random()
        assert isinstance(float(number), float)
        assert float(number) == numpys.random()
        number += 1


def test_threads_draw_each_number_once():
    rng, drawn = da.random.default_rng(1), []

    def draw():
        for _ in range(200):
            drawn.append(rng.random(3).copy_to_host())

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = np.random.Generator(np.random.Philox(1)).random(2400)
    assert np.array_equal(np.sort(np.concatenate(drawn)), np.sort(wanted))


def test_a_second_short_draw_launches_nothing():
    if da.device().strategy != "cpu":
        pytest.skip("small work runs on the host by the strategy of CPUs alone")
    rng = da.random.default_rng(1)
    for _ in range(3):
        rng.standard_normal(4).evaluate()
    before = da.stats()["launches"]
    for _ in range(20):
        rng.standard_normal(4).evaluate()
    assert da.stats()["launches"] == before


def test_places_have_numbers_of_their_own():
    rng, numpys = da.random.default_rng(1), np.random.Generator(np.random.Philox(1))
    other = da.queue()
    for _ in range(5):
        assert np.array_equal(rng.random(4).copy_to_host(), numpys.random(4))
        x = rng.random(4, queue=other)
        assert x.queue is other
        assert np.array_equal(x.copy_to_host(), numpys.random(4))
    for _ in range(3):
        x = rng.random(4, queue=other)
        assert x.queue is other
        assert np.array_equal(x.copy_to_host(), numpys.random(4))


def test_memory_for_a_few_numbers_is_enough():
    little = da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(da.device()), 2048)
    rng, numpys = da.random.default_rng(1), np.random.Generator(np.random.Philox(1))
    for _ in range(6):
        assert np.array_equal(rng.random(4, allocator=little).copy_to_host(), numpys.random(4))
