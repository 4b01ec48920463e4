"""Indexing by integer arrays and masks, in get and set, against NumPy."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import DTYPES, same, skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

A = np.arange(2 * 3 * 4 * 5, dtype=np.int32).reshape(2, 3, 4, 5)
I1 = np.array([0, 1, 1])
I2 = np.array([[2, 0, 1], [1, 1, 0]])
MASK = A % 3 == 0
ALL = slice(None)
KEYS = [
    I1, (I1,), (ALL, I1), (ALL, I2, I1), (I1, ALL, I2), (0, ALL, I1), (ALL, 0, I1), (I1, None, I1), (None, I1, I1),
    (..., I1), (I1, ..., I2), (I1, I1, I1, ..., I1), MASK, (ALL, MASK[0]), (MASK[:, :, 0, 0],), (MASK[0, 0], 1)[:1],
    (0, 0, MASK[0, 0]), (ALL, MASK[0, :, 0, 0], ALL, I1[:1]), True, False, (True, I1), (I1, True), (ALL, True, I1),
    (ALL, True), [0, 1], [[0, 1], [1, 0]], [], (ALL.__class__(None, None, -1), I2[:, ::-1], slice(1, None)),
    np.bool_(True), (np.array(1),), (np.array(1), np.array(2)), (ALL, np.array(1), ALL, np.array(2)), ([True, False],),
    (I1, [[0], [2]]), (0, I1, None, 1), (I1, None, ..., None), (-I1, -I1), (I1.astype(np.uint8), I1.astype(np.int16)),
]  # fmt: skip


def on_device(key: Any) -> Any:
    """The key with its NumPy arrays as device arrays."""
    if isinstance(key, tuple):
        return tuple(on_device(part) for part in key)
    return da.asarray(key) if isinstance(key, np.ndarray) else key


def fits(key: Any) -> bool:
    try:
        A[key]
    except IndexError:
        return False
    return True


@pytest.mark.parametrize("key", KEYS, ids=str)
@pytest.mark.parametrize("place", ["host", "device"])
def test_keys(key: Any, place: str) -> None:
    ours = on_device(key) if place == "device" else key
    x = da.asarray(A)
    if not fits(key):
        with pytest.raises(IndexError):
            x[ours]
        with pytest.raises(IndexError):
            x[ours] = 0
        return
    wanted = A[key]
    same(x[ours], wanted)
    for value in (7, np.arange(wanted.size, dtype=np.int32).reshape(wanted.shape), [1.5]):
        y, b = da.asarray(A), A.copy()
        try:
            b[key] = value
        except ValueError:
            with pytest.raises(ValueError):
                y[ours] = value
            continue
        if np.size(value) > 1 and len(np.unique(A[key])) < A[key].size:
            continue  # several values for one element: which one stays is not said
        y[ours] = value
        same(y, b, str(value))


@st.composite
def indexed(draw: st.DrawFn) -> tuple[np.ndarray, Any]:
    """An array and a key with index arrays, masks, slices and ints that fits its shape."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=5))
    a = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    broadcast = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    key: list[Any] = []
    for size in shape[: draw(st.integers(1, len(shape)))]:
        kind = draw(st.sampled_from(["slice", "int", "array", "array", "mask", "none"]))
        if kind == "none":
            key.append(None)
        if kind in ("slice", "none"):
            key.append(draw(st.slices(size)))
        elif kind == "int":
            key.append(draw(st.integers(-size, size - 1)))
        elif kind == "array":
            key.append(
                draw(
                    hnp.arrays(
                        draw(st.sampled_from(["i4", "i8", "i1"])), broadcast, elements=st.integers(-size, size - 1)
                    )
                )
            )
        else:
            key.append(draw(hnp.arrays(bool, (size,))))
    return a, tuple(key)


@given(indexed(), st.booleans())
def test_random_keys(drawn: tuple[np.ndarray, Any], deviceside: bool) -> None:
    a, key = drawn
    ours = on_device(key) if deviceside else key
    x = da.asarray(a)
    try:
        wanted = a[key]
    except IndexError:  # masks whose counts do not broadcast
        with pytest.raises(IndexError):
            x[ours]
        return
    same(x[ours], np.asarray(wanted))
    x[ours] = 99
    a[key] = 99
    same(x, a)


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_keeps_its_bits(dtype: str) -> None:
    skip_without(dtype)
    a, where = values(dtype, (6, 10)), np.array([5, 0, -1, 2])
    mask = np.arange(60).reshape(6, 10) % 7 < 3
    x = da.asarray(a)
    same(x[da.asarray(where)], a[where])
    same(x[::-1, 1::2][da.asarray(mask[:, :5])], a[::-1, 1::2][mask[:, :5]])
    y, b = da.zeros((6, 10), dtype), np.zeros((6, 10), dtype)
    y[da.asarray(mask)] = x[da.asarray(mask)]
    b[mask] = a[mask]
    same(y, b)
    y[da.asarray(where[:2]), 1:] = x[:2, 1:]
    b[where[:2], 1:] = a[:2, 1:]
    same(y, b)


def test_a_mask_with_one_value_is_chosen_without_a_wait() -> None:
    x = da.arange(12, dtype="int32").reshape(3, 4)
    mask = x % 2 == 0
    rows = da.asarray(np.array([True, False, True]))
    da.synchronize()
    new = da.asarray(np.arange(4, dtype=np.int32))
    da.config.forbid_waits = True
    try:
        x[mask] = 5
        x[rows] = new
    finally:
        da.config.forbid_waits = False
    a = np.arange(12, dtype=np.int32).reshape(3, 4)
    a[a % 2 == 0] = 5
    a[[True, False, True]] = np.arange(4)
    same(x, a)


def test_in_place_operations_through_index_arrays() -> None:
    a, where = np.arange(10.0, dtype=np.float32), np.array([7, 2, 4])
    x = da.asarray(a)
    x[da.asarray(where)] += 10
    a[where] += 10
    same(x, a)
    x[x > 5] *= 2
    a[a > 5] *= 2
    same(x, a)


def test_a_value_or_index_that_shares_memory_is_read_before_the_write() -> None:
    a = np.random.default_rng(0).permutation(1000)
    x = da.asarray(a)
    x[da.asarray(np.arange(999, -1, -1))] = x
    same(x, a[::-1].copy())
    y, b = da.asarray(a), a.copy()
    y[y] = y + 1
    b[b] = b + 1
    same(y, b)


def test_a_pending_reader_sees_the_values_from_before_the_write() -> None:
    x = da.arange(8, dtype="int32")
    later = x * 2
    x[da.asarray(np.array([1, 3]))] = 0
    same(later, np.arange(8, dtype=np.int32) * 2)


@pytest.mark.parametrize("bad", [12, -13])
def test_a_device_index_out_of_bounds_raises_at_the_next_wait_and_writes_nothing_there(
    bad: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(da.config, "host_elements", 0)
    x = da.arange(12, dtype="int32")
    where = da.asarray(np.array([3, bad]))
    with pytest.raises(IndexError, match="12"):
        x[where].copy_to_host()
    with pytest.raises(IndexError, match="12"):
        x[where] = 100
        da.synchronize()
    a = np.arange(12, dtype=np.int32)
    a[3] = 100
    same(x, a)


@pytest.mark.parametrize(
    ("key", "error", "message"),
    [
        ([0, 5], IndexError, r"5 .*axis 0 .*3"),
        ((0, [-5]), IndexError, r"-5 .*axis 1 .*4"),
        (np.ones((2, 2), bool), IndexError, "along axis 0; size of axis is 3 but .* axis is 2"),
        (([0], [0], [0]), IndexError, "array is 2-dimensional, but 3"),
        (([0, 1], [0, 1, 2]), IndexError, r"together with shapes \(2,\) \(3,\)"),
        (np.array([0.5]), IndexError, "float64"),
        ("name", IndexError, "name"),
        (1.0, IndexError, "1.0"),
        ((..., [0], ...), IndexError, "single ellipsis"),
    ],
)
def test_bad_keys(key: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        da.zeros((3, 4))[key]
    assert isinstance(caught.value, da.Error)


def test_bad_values() -> None:
    x, mask = da.zeros((3, 4)), da.asarray(np.ones((3, 4), bool))
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(2, 4\)"):
        x[[0, 1]] = np.zeros((2, 3))
    with pytest.raises(ValueError, match="12"):
        x[mask] = np.zeros(5)
    with pytest.raises(TypeError, match="complex"):
        x[[0]] = 1j


@pytest.mark.parametrize(
    ("shape", "mask"),
    [
        ((0, 1), (0, 0)),
        ((2, 1), (0, 0)),
        ((0, 3), (0, 2)),
        ((3, 2), (0,)),
        ((3, 2), (0, 1)),
        ((3, 2), (3, 0)),
        ((3, 0), (3, 2)),
    ],
)
def test_masks_of_size_zero(shape: tuple[int, ...], mask: tuple[int, ...]) -> None:
    x, key = da.ones(shape), np.zeros(mask, bool)
    try:
        wanted = np.ones(shape)[key]
    except IndexError:
        for where in (key, da.asarray(key)):
            with pytest.raises(IndexError, match="boolean index did not match"):
                x[where]
        return
    for where in (key, da.asarray(key)):
        same(x[where], wanted)
        x[where] = 5
        same(x, np.ones(shape))


def test_empty_selections() -> None:
    x = da.zeros((0, 3), "float32")
    none = da.asarray(np.empty(0, np.int64))
    assert x[none].shape == (0, 3)
    assert x[da.zeros((0, 3), bool)].shape == (0,)
    assert da.zeros((3, 4))[da.zeros((3, 4), bool)].shape == (0,)
    with pytest.raises(IndexError):
        x[da.asarray(np.array([0]))]
    y = da.ones(4)
    y[da.zeros(4, bool)] = np.empty(0)
    same(y, np.ones(4))


@pytest.mark.parametrize(
    "key",
    [range(1, 3), range(0), (range(3), [2, 0, 1]), (slice(None), range(3, 0, -2)), collections.deque([2, 0])],
    ids=str,
)
def test_any_sequence_is_an_index_array(key: Any) -> None:
    h = np.arange(12.0).reshape(3, 4)
    x = da.asarray(h)
    same(x[key], h[key])
    x[key] = -1
    h[key] = -1
    same(x, h)
    with pytest.raises(IndexError):
        x["12"]


def test_host_values_of_another_byte_order_are_stored() -> None:
    x = da.arange(4)
    x[da.asarray([0, 2])] = np.array([7, 8], ">i8")
    x[da.asarray([False, True, False, False])] = np.array([9], ">f4")
    assert x.tolist() == [7, 9, 8, 3]
    assert da.insert(x, [0], np.array([5], ">i8")).tolist() == [5, 7, 9, 8, 3]


ROW = np.array([0, 1, 0, 1, 1])
WITH_AN_ELLIPSIS = [
    np.s_[:, ROW, ..., 0],
    np.s_[:, ROW, ..., ROW],
    np.s_[:, 0, ..., ROW],
    np.s_[:, ROW[:, None], ..., ROW],
    np.s_[..., :, ROW, ROW],
    np.s_[:, ..., ROW, 0],
    np.s_[ROW, ROW, ..., 0],
    np.s_[None, :, ROW, ..., 1],
    np.s_[:, ROW, ...],
    np.s_[:, [True, False, True], ..., 1],
]


@pytest.mark.parametrize("key", WITH_AN_ELLIPSIS)
@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("times", [1, 20])
def test_an_ellipsis_of_no_axes_stands_between_index_arrays_as_an_axis_does(
    key: Any, pending: bool, times: int
) -> None:
    shape = (2 * times, 3, 4)
    host = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    ours = da.asarray(host)
    ours, host = (ours + 1, host + 1) if pending else (ours, host)
    found, wanted = ours[key], host[key]
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(found.copy_to_host(), wanted)
    values = 2 - 3 * wanted  # equal where places are equal: of several values for one place, any may stay
    ours[key] = da.asarray(values)
    host[key] = values
    np.testing.assert_array_equal(ours.copy_to_host(), host)


@pytest.mark.parametrize("shape", [(1, 1), (1, 3), (3, 1), (1, 0)])
@pytest.mark.parametrize("mask", [[True, True, False, True], [False, False, False, False]])
@pytest.mark.parametrize("kind", ["device", "host", "list", "tuple"])
def test_a_mask_of_all_elements_takes_no_further_axes(kind: str, mask: list[bool], shape: tuple[int, ...]) -> None:
    key: Any = {"device": da.asarray(mask), "host": np.array(mask), "list": mask, "tuple": (da.asarray(mask),)}[kind]
    with pytest.raises(TypeError):
        np.zeros(4)[np.array(mask)] = np.ones(shape)
    x = da.zeros(4)
    with pytest.raises(TypeError, match="at most one axis"):
        x[key] = da.ones(shape)
    with pytest.raises(TypeError, match="at most one axis"):
        x[key] = np.ones(shape)
    np.testing.assert_array_equal(x.copy_to_host(), np.zeros(4))


@pytest.mark.parametrize("on_host", [False, True])
def test_arrays_behind_integers(device: da.Device, on_host: bool) -> None:
    """`x[i, array]` is `x[i][array]`: where the host may read the elements, few of them need no kernel."""
    values = np.arange(120).reshape(4, 5, 6)
    mask, row, places = np.arange(6) % 4 == 1, np.arange(30).reshape(5, 6) % 7 < 2, np.array([4, -6, 0])
    x, expected = da.asarray(values), values.copy()
    keys = [
        (1, 2, mask),
        (np.int64(3), row),
        (-1, -2, places),
        (2, places % 5),
        (0, places % 5, ..., 1),
        (1, places % 5, mask[:3]),
    ]
    keys += [(0, 1, mask[:5]), (9, 0, mask), (0, 1, 2, mask[:3]), (0, slice(None), mask)]
    keys += [(0, ..., places), (1, None, places % 5), (True, places % 4)]
    for key in keys:
        ours = tuple(k if on_host or not isinstance(k, np.ndarray) else da.asarray(k) for k in key)
        both(lambda a, k: a[k], x, expected, ours, key)
        both(lambda a, k: a.__setitem__(k, 7), x, expected, ours, key)
        same(x, expected)
    x.evaluate()
    counts = []
    for work in (lambda m: x[1, 2].__setitem__(m, 5), lambda m: x.__setitem__((1, 2, m), 6)):
        before = da.stats()
        work(mask if on_host else da.asarray(mask))
        x.evaluate()
        counts.append({k: da.stats()[k] - before[k] for k in ("launches", "host_runs", "transfers_to_host", "waits")})
    assert counts[0] == counts[1]


def both(work: Any, x: Any, values: np.ndarray, ours: Any, key: Any) -> None:
    try:
        wanted = work(values, key)
    except IndexError as error:
        with pytest.raises(IndexError) as caught:
            work(x, ours)
        assert str(caught.value) == str(error)
        return
    got = work(x, ours)
    if wanted is not None:
        same(got, wanted)
