"""Views, in-place updates and pending readers: whatever the order of operations, the results are NumPy's.

The stateful test keeps a set of arrays and views under both libraries, applies random operations to them, and
compares everything at random points and at the end.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from oracle import host, on_both, same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
DTYPE = np.int64
"""Exact under every operation, so that only the order of operations matters."""


# --- the cases that have names ---------------------------------------------------------------------------------------


def shifted_add(xp: Any, a: Any) -> Any:
    a[1:] += a[:-1]
    return a


def shifted_add_back(xp: Any, a: Any) -> Any:
    a[:-1] += a[1:]
    return a


def reversed_onto_itself(xp: Any, a: Any) -> Any:
    a[::-1] = a
    return a


def reversed_sum(xp: Any, a: Any) -> Any:
    a += a[::-1]
    return a


def strided_onto_strided(xp: Any, a: Any) -> Any:
    a[::2] = a[: (len(a) + 1) // 2] * 3
    return a


def expression_of_itself(xp: Any, a: Any) -> Any:
    a[2:] = a[1:-1] * 2 - a[:-2]
    return a


def swap_by_a_copy(xp: Any, a: Any) -> Any:
    low, high = a[:3], a[3:6]
    kept = low + 0
    low[...] = high
    high[...] = kept
    return a


def pending_value_before_a_write(xp: Any, a: Any) -> Any:
    """Rule 4: what was recorded reads the values of its time."""
    b = a * 2
    a += 1
    c = a * 10
    a[1] = -5
    return xp.stack([b, c, a])


def pending_value_of_a_view(xp: Any, a: Any) -> Any:
    view = a[::2]
    b = view + 100
    a[...] = 0
    return b


def pending_chain_before_a_write(xp: Any, a: Any) -> Any:
    b = a + 1
    c = b * b
    d = c - a
    a *= 0
    return xp.stack([b, c, d, a])


def write_through_a_view_of_a_pending_array(xp: Any, a: Any) -> Any:
    b = a + 1
    view = b[1:4]
    view *= 10
    c = b + view[0]
    view[...] = 7
    return xp.stack([b, c])


def in_place_on_a_pending_array(xp: Any, a: Any) -> Any:
    b = a + 1
    alias = b
    c = b * 2
    b += 5
    alias *= 3
    return xp.stack([b, c, alias])


def in_place_with_a_dead_owner(xp: Any, a: Any) -> Any:
    b = (a + 1)[::2]
    b += b
    return b


def the_same_array_on_both_sides(xp: Any, a: Any) -> Any:
    a += a
    a *= a
    a -= a[...]
    a[...] = a
    return a


def scalar_element_from_itself(xp: Any, a: Any) -> Any:
    a[...] = a[2]
    a += a[1:2]
    return a


def interior_that_lives(xp: Any, a: Any) -> Any:
    b = a + 1
    c = b * 2
    d = c - 3
    del c
    return xp.stack([d, b, b + d])


CASES = [
    value for value in list(globals().values())
    if callable(value) and getattr(value, "__module__", "") == __name__ and value.__annotations__.get("a") == "Any"
]  # fmt: skip


@pytest.mark.parametrize("n", [7, 1000])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_named_case(case: Any, n: int) -> None:
    same(*on_both(case, np.arange(3, 3 + n, dtype=DTYPE)))


@pytest.mark.parametrize("case", CASES[:6], ids=lambda case: case.__name__)
def test_named_case_in_every_memory_kind(case: Any, memory_kind: str) -> None:
    x = da.asarray(np.arange(20, dtype=DTYPE))
    assert x.allocator.kind == memory_kind
    same(*on_both(case, np.arange(20, dtype=DTYPE)))


@pytest.mark.parametrize(
    "update",
    [
        lambda a: a.__setitem__((slice(1, None), slice(1, None)), a[:-1, :-1]),
        lambda a: a.__setitem__(slice(None), a.T),
        lambda a: a.__iadd__(a.T),
        lambda a: a[::-1].__iadd__(a.T[:, ::-1]),
        lambda a: a[:, 1:].__isub__(a[:, :-1]),
        lambda a: a.__setitem__((slice(None), slice(None, None, -1)), a),
        lambda a: a.__setitem__(slice(None), a[3]),
        lambda a: a[2].__iadd__(a[:, 2]),
    ],
)
def test_two_dimensional_overlaps(update: Any) -> None:
    def body(xp: Any, a: Any) -> Any:
        update(a)
        return a

    same(*on_both(body, np.arange(49, dtype=DTYPE).reshape(7, 7)))


def test_the_writes_of_one_array_do_not_reach_its_copies() -> None:
    x = da.asarray(np.arange(6, dtype=DTYPE))
    copies = [x.copy(), copy.copy(x), copy.deepcopy(x), x.astype(x.dtype), x + 0, da.asarray(x, copy=True), x.flatten()]
    x[...] = -1
    for c in copies:
        same(c, np.arange(6, dtype=DTYPE))


def test_views_share_memory_with_their_array() -> None:
    x = da.asarray(np.arange(24, dtype=DTYPE).reshape(4, 6))
    a = np.arange(24, dtype=DTYPE).reshape(4, 6)
    for make in (
        lambda x: x.reshape(2, 12),
        lambda x: x.T,
        lambda x: x[::-1, 1:],
        lambda x: x.ravel(),
        lambda x: x[1, 2:3],
        lambda x: x.reshape(2, 2, 6).transpose(1, 2, 0),
        lambda x: x[None, ..., None, 3],
    ):
        for library in (x, a):
            view = make(library)
            view += 3
            view[...] = view * 2
        same(x, a)


def test_a_dead_input_is_not_given_away_while_a_view_of_it_lives() -> None:
    x = da.asarray(np.arange(1000, dtype=DTYPE))
    view = x[10:20]
    y = x * 2
    del x
    same(y, np.arange(1000, dtype=DTYPE) * 2)
    same(view, np.arange(10, 20, dtype=DTYPE))


def test_dead_inputs_are_given_to_results(deferred: None, kernels: None) -> None:
    x = da.asarray(np.arange(1000, dtype=DTYPE))
    before = da.stats()["donations"]
    y = x * 2
    del x
    same(y, np.arange(1000, dtype=DTYPE) * 2)
    assert da.stats()["donations"] == before + 1


# --- random programs -------------------------------------------------------------------------------------------------

SLICES = st.builds(
    slice, st.none() | st.integers(-5, 5), st.none() | st.integers(-5, 5), st.sampled_from([None, 1, 2, -1, -2])
)
NUMBERS = st.integers(-3, 3)
KEPT = 8


class Programs(RuleBasedStateMachine):
    """Pairs of a device array and NumPy's, some of them views of each other on both sides alike."""

    @initialize(sides=st.sampled_from([(6,), (5, 5), (3, 3, 2)]))
    def start(self, sides: tuple[int, ...]) -> None:
        a = np.arange(np.prod(sides), dtype=DTYPE).reshape(sides)
        self.pairs: list[tuple[da.Array, np.ndarray]] = [(da.asarray(a), a)]
        self.mode = da.config.deferred

    def pick(self, n: int) -> tuple[da.Array, np.ndarray]:
        return self.pairs[n % len(self.pairs)]

    def keep(self, ours: da.Array, wanted: Any) -> None:
        assert da._core.is_value(ours) == isinstance(wanted, np.generic)
        self.pairs.append((ours, wanted))
        if len(self.pairs) > KEPT:
            del self.pairs[1]

    def compatible(self, target: np.ndarray, n: int) -> tuple[da.Array, np.ndarray] | None:
        """A pair that broadcasts to the target's shape."""
        for i in range(len(self.pairs)):
            pair = self.pick(n + i)
            try:
                np.broadcast_to(pair[1], target.shape)
            except ValueError:
                continue
            return pair
        return None

    @rule(n=NUMBERS, keys=st.lists(SLICES, min_size=1, max_size=2))
    def view(self, n: int, keys: list[slice]) -> None:
        ours, wanted = self.pick(n)
        key = (*keys[: wanted.ndim], ...)  # of a 0-d array a view too
        self.keep(ours[key], wanted[key])

    @rule(n=NUMBERS, how=st.sampled_from(["T", "flip", "ravel", "newaxis"]))
    def other_view(self, n: int, how: str) -> None:
        ours, wanted = self.pick(n)
        if how == "T":
            self.keep(ours.T, wanted.T)
        elif how == "flip" and wanted.ndim:
            self.keep(da.flip(ours), np.flip(wanted))
        elif how == "ravel" and wanted.flags.c_contiguous:
            self.keep(ours.reshape(-1), wanted.reshape(-1))
        elif wanted.ndim < 4:
            self.keep(ours[None], wanted[None])

    @rule(n=NUMBERS, m=NUMBERS, sign=st.booleans())
    def combine(self, n: int, m: int, sign: bool) -> None:
        ours, wanted = self.pick(n)
        other = self.compatible(wanted, m)
        if other is not None:
            self.keep(ours - other[0] if sign else ours + other[0], wanted - other[1] if sign else wanted + other[1])

    @rule(n=NUMBERS, scalar=st.integers(-2, 2))
    def scale(self, n: int, scalar: int) -> None:
        ours, wanted = self.pick(n)
        self.keep(ours * scalar, wanted * scalar)

    @rule(n=NUMBERS, m=NUMBERS)
    def update(self, n: int, m: int) -> None:
        ours, wanted = self.pick(n)
        other = self.compatible(wanted, m)
        if other is not None:
            place = n % len(self.pairs)
            ours += other[0]
            wanted += other[1]
            self.pairs[place] = ours, wanted  # scalars are bound anew

    @rule(n=NUMBERS, places=st.lists(NUMBERS, min_size=3, max_size=3))
    def element(self, n: int, places: list[int]) -> None:
        ours, wanted = self.pick(n)
        key = tuple(place % size for place, size in zip(places, wanted.shape, strict=False) if size)
        if len(key) == wanted.ndim:
            self.keep(ours[key], wanted[key])

    @rule(n=NUMBERS, keys=st.lists(SLICES, min_size=1, max_size=2), m=NUMBERS)
    def update_a_part(self, n: int, keys: list[slice], m: int) -> None:
        ours, wanted = self.pick(n)
        if isinstance(wanted, np.generic):
            return
        key = tuple(keys[: wanted.ndim])
        other = self.compatible(wanted[key], m)
        if other is not None:
            ours[key] -= other[0]
            wanted[key] -= other[1]

    @rule(n=NUMBERS, keys=st.lists(SLICES, min_size=1, max_size=2), m=NUMBERS)
    def assign(self, n: int, keys: list[slice], m: int) -> None:
        ours, wanted = self.pick(n)
        if isinstance(wanted, np.generic):
            return
        key = tuple(keys[: wanted.ndim])
        other = self.compatible(wanted[key], m)
        if other is not None:
            ours[key] = other[0]
            wanted[key] = other[1]

    @rule(n=NUMBERS, scalar=st.integers(-9, 9))
    def assign_a_scalar(self, n: int, scalar: int) -> None:
        ours, wanted = self.pick(n)
        if isinstance(wanted, np.generic):
            with pytest.raises(ValueError, match="read-only value"):
                ours[...] = scalar
        else:
            ours[...] = scalar
            wanted[...] = scalar

    @rule(n=NUMBERS)
    def reduce(self, n: int) -> None:
        ours, wanted = self.pick(n)
        if wanted.ndim:
            self.keep(da.sum(ours, axis=0), np.sum(wanted, axis=0))

    @precondition(lambda self: len(self.pairs) > 1)
    @rule(n=NUMBERS)
    def forget(self, n: int) -> None:
        del self.pairs[n % (len(self.pairs) - 1) + 1]

    @rule(n=NUMBERS)
    def evaluate(self, n: int) -> None:
        self.pick(n)[0].evaluate()

    @rule(deferred=st.booleans())
    def change_mode(self, deferred: bool) -> None:
        da.config.deferred = deferred

    @rule(n=NUMBERS)
    def read(self, n: int) -> None:
        ours, wanted = self.pick(n)
        same(ours, wanted)

    def teardown(self) -> None:
        for i, (ours, wanted) in enumerate(getattr(self, "pairs", [])):
            same(host(ours), wanted, f"array {i}:")
        da.config.deferred = getattr(self, "mode", da.config.deferred)


@pytest.mark.usefixtures("device")
class TestPrograms(Programs.TestCase):
    settings = settings(max_examples=max(settings().max_examples // 2, 1), stateful_step_count=14)


# --- several queues --------------------------------------------------------------------------------------------------


def keep_busy(queue: da.Queue) -> da.Array:
    """Work for tens of milliseconds, enqueued."""
    x = da.full(1_000_000, 0.5, "float32", queue=queue).evaluate()
    for _ in range(6):
        x = da.sin(da.cos(da.sin(x) + 1) + 1).evaluate()
    return x


def test_memory_that_another_queue_read_waits_for_its_own_queue_before_it_is_used_again() -> None:
    """Read on its own queue, on another one, and on its own again, which is the last to be done with it."""
    own, other = da.queue(), da.queue()
    for n in (1000, 3000, 5000):
        x = da.arange(n, dtype=DTYPE, queue=own).evaluate()
        (da.zeros(n, DTYPE, queue=other) + x).evaluate()
        da.synchronize(own)
        da.synchronize(other)
        busy = keep_busy(own)
        late = (x + 1).evaluate()  # behind the busy work
        del x
        fresh = da.full(n, -7, DTYPE, queue=other).evaluate()  # may take x's memory, not before `late` has read it
        da.synchronize(other)
        np.testing.assert_array_equal(host(late), np.arange(1, n + 1))
        np.testing.assert_array_equal(host(fresh), np.full(n, -7))
        assert np.isfinite(host(busy)).all()


@pytest.mark.usefixtures("deferred")
def test_what_is_computed_again_finds_its_memory_as_it_was() -> None:
    """A value that is not stored, since it costs little to compute again, needs what it is computed from."""
    flags = np.arange(1000) % 3 > 0
    x = da.asarray(flags).evaluate()
    doubled = x * 2
    del x  # from here on only pending operations read it
    small = (doubled < 1).evaluate()
    np.testing.assert_array_equal(host(small), flags * 2 < 1)
    np.testing.assert_array_equal(host(doubled), flags * 2)


def test_operations_between_queues_agree_with_numpy() -> None:
    rng = np.random.default_rng(5)
    queues = [da.queue() for _ in range(3)]
    pairs = [(da.full(64, v, DTYPE, queue=queues[v % 3]).evaluate(), np.full(64, v)) for v in range(6)]
    for i in range(3000):
        (a, x), (b, y) = (pairs[rng.integers(len(pairs))] for _ in range(2))
        pairs.append(((a - 3 * b).evaluate(), x - 3 * y))
        if len(pairs) > 12:
            del pairs[rng.integers(len(pairs))]
        if i % 10 == 0:
            pairs.append((da.full(64, i, DTYPE, queue=queues[i // 10 % 3]).evaluate(), np.full(64, i)))
        if i % 25 == 0:
            for ours, wanted in pairs:
                np.testing.assert_array_equal(host(ours), wanted)
