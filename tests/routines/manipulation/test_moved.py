"""Elements moved into new arrays, by every form of argument that is read in a quick way, and those beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray.errors import AxisError, ShapeError, ValueError

HOST = np.arange(24, dtype=np.float32).reshape(4, 6) + 0.5


def _layouts() -> dict[str, Any]:
    x = da.asarray(HOST)
    return {
        "dense": (x, HOST),
        "transposed": (x.T, HOST.T),
        "stepped": (x[::2, ::-1], HOST[::2, ::-1]),
        "pending": (x * 2, HOST * 2),
        "rolled": (da.roll(x, 1, 0), np.roll(HOST, 1, 0)),
        "repeated": (da.broadcast_to(x[0], (3, 6)), np.broadcast_to(HOST[0], (3, 6))),
    }


@pytest.fixture(params=["dense", "transposed", "stepped", "pending", "rolled", "repeated"])
def layout(request: pytest.FixtureRequest) -> Any:
    return _layouts()[request.param]


def _same(ours: Any, expected: np.ndarray) -> None:
    assert ours.dtype == expected.dtype and ours.shape == expected.shape
    np.testing.assert_array_equal(ours.copy_to_host(), expected)


@pytest.mark.parametrize(
    "shift, axis",
    [
        (1, 0),
        (-7, 1),
        (10**20, 0),
        (2**62, 1),
        (2, None),
        ((1, 2), (0, 1)),
        ([1, -1], [-1, 0]),
        (3, (0, 1)),
        ((1, 2, 3), 0),
        ((1, 2), (0, 0)),
        (np.int64(2), np.int32(1)),
        (True, 0),
        ((), ()),
        (1, ()),
        (0, 0),
    ],
)
def test_roll(layout: Any, shift: Any, axis: Any) -> None:
    x, host = layout
    _same(da.roll(x, shift, axis), np.roll(host, shift, axis))


def test_roll_refuses() -> None:
    x = da.asarray(HOST)
    with pytest.raises(AxisError):
        da.roll(x, 1, 2)
    with pytest.raises(ValueError, match="2 shifts and 3 axes"):
        da.roll(x, (1, 2), (0, 1, 0))


@pytest.mark.parametrize(
    "width",
    [1, 0, (1, 2), [0, 3], ((1, 2), (3, 0)), [[1, 2], [0, 0]], ((2, 1),), (2,), np.array([1, 2]), {0: (1, 2)}, {-1: 2}],
)
def test_pad(layout: Any, width: Any) -> None:
    x, host = layout
    theirs = width
    if isinstance(width, dict):
        pairs = {axis % 2: pair if isinstance(pair, tuple) else (pair, pair) for axis, pair in width.items()}
        theirs = [pairs.get(axis, (0, 0)) for axis in range(2)]
    _same(da.pad(x, width), np.pad(host, theirs))


@pytest.mark.parametrize("value", [1, -1, 2.5, 127, 200, np.float32(3.0), True, ((1, 2), (3, 4)), float("nan"), 1e300])
def test_pad_with_values(value: Any) -> None:
    with np.errstate(over="ignore"):
        _same(da.pad(da.asarray(HOST), 1, constant_values=value), np.pad(HOST, 1, constant_values=value))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "float16", "float32", "complex64"])
@pytest.mark.parametrize("value", [0, 1, 7, 2.75])
def test_pad_casts_its_value(dtype: str, value: Any) -> None:
    host = np.array([1, 0, 1]).astype(dtype)
    _same(da.pad(da.asarray(host), 1, constant_values=value), np.pad(host, 1, constant_values=value))


def test_pad_refuses() -> None:
    x = da.asarray(HOST)
    with pytest.raises(ValueError, match="negative"):
        da.pad(x, -1)
    with pytest.raises(ValueError, match="negative"):
        da.pad(x, ((1, -1), (0, 0)))
    with pytest.raises(ValueError, match="unsupported keyword"):
        da.pad(x, 1, end_values=3)
    with pytest.raises(ValueError, match="unsupported keyword"):
        da.pad(x, 1, reflect_type="odd")
    with pytest.raises(ValueError, match="no mode takes"):
        da.pad(x, 1, colour=3)
    with pytest.raises(OverflowError):
        da.pad(da.asarray(np.zeros(2, np.int8)), 1, constant_values=300)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concatenate_and_stack(layout: Any, axis: int) -> None:
    x, host = layout
    other = np.ascontiguousarray(host[::-1]).astype(np.int16)
    for arrays, hosts in (
        ([x, x], [host, host]),
        ((x, da.asarray(other), x + 1), (host, other, host + 1)),
        ([x], [host]),
    ):
        _same(da.concatenate(arrays, axis), np.concatenate(hosts, axis))
        _same(da.stack(arrays, axis), np.stack(hosts, axis))
    _same(da.concatenate([x, x], None), np.concatenate([host, host], None))


def test_parts_without_elements_are_joined() -> None:
    x, none = da.asarray(HOST), da.zeros((4, 0), np.float32)
    _same(da.concatenate([none, x, none], 1), HOST)
    assert da.concatenate([none, none], 1).shape == (4, 0)
    assert da.stack([none, none], 1).shape == (4, 2, 0)


def test_joined_values_without_axes() -> None:
    x = da.asarray(HOST)
    _same(da.stack([x[0, 0], x.sum()]), np.stack([HOST[0, 0], HOST.sum()]))


def test_a_joined_array_is_its_own() -> None:
    x = da.asarray(HOST)
    joined, framed = da.concatenate([x]), da.pad(x, 0)
    joined[...] = 0
    framed[...] = 1
    _same(x, HOST)


def test_later_writes_leave_what_was_joined() -> None:
    x = da.asarray(HOST)
    y = x + 1
    joined, framed, tiled = da.concatenate([y, y]), da.pad(y, 1), da.tile(y, 2)
    x[...] = 0
    y += 1
    _same(joined, np.concatenate([HOST + 1, HOST + 1]))
    _same(framed, np.pad(HOST + 1, 1))
    _same(tiled, np.tile(HOST + 1, 2))


def test_join_refuses() -> None:
    x = da.asarray(HOST)
    with pytest.raises(ShapeError, match="differ outside axis 0"):
        da.concatenate([x, x[:, 1:]])
    with pytest.raises(ShapeError, match="must have the same shape"):
        da.stack([x, x[1:]])
    with pytest.raises(AxisError):
        da.concatenate([x, x], 2)
    with pytest.raises(AxisError):
        da.stack([x, x], 3)
    with pytest.raises(ShapeError, match="at least one"):
        da.concatenate([])


@pytest.mark.parametrize("reps", [2, 1, 0, (2, 3), [1, 2], (2, 1, 2), (2,), (), np.int64(2), (2, 0)])
def test_tile(layout: Any, reps: Any) -> None:
    x, host = layout
    _same(da.tile(x, reps), np.tile(host, reps))


@pytest.mark.parametrize("count", [1, 3, 0, np.int64(2), [2]])
@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_repeat(layout: Any, count: Any, axis: int | None) -> None:
    x, host = layout
    _same(da.repeat(x, count, axis), np.repeat(host, count, axis))


@pytest.mark.parametrize(
    "count", [2.9, np.float32(2.0), [2.0, 1.9], (0.0, 3), "2", True, [True, False], [2.5]], ids=str
)
def test_counts_of_repeat_lose_their_fractions(count: Any) -> None:
    host = np.arange(2, dtype=np.int32)
    _same(da.repeat(da.asarray(host), count), np.repeat(host, count))
    _same(da.asarray(host).repeat(count), host.repeat(count))


@pytest.mark.parametrize("xp", [np, da])
def test_fractional_counts_in_an_array_are_refused(xp: Any) -> None:
    x = xp.arange(2, dtype=np.int32)
    for counts in (np.ones(2), np.ones(1)):
        with pytest.raises(TypeError):
            xp.repeat(x, counts)
    with pytest.raises(TypeError):
        xp.repeat(x, None)


def test_repeat_refuses() -> None:
    x = da.asarray(HOST)
    with pytest.raises(ValueError, match="negative"):
        da.repeat(x, -1, 0)
    with pytest.raises(AxisError):
        da.repeat(x, 2, 2)


@pytest.mark.parametrize("given", [(5,), (0,), (1,), (2, 9), (9, 2), (2, 9, 3), (9, 2, -3), (3, 3), (2**40, 2**40 + 3)])
def test_arange_of_ints(given: tuple[int, ...]) -> None:
    _same(da.arange(*given), np.arange(*given))


def test_zeros_like_what_lies_otherwise(layout: Any) -> None:
    x, host = layout
    _same(da.zeros_like(x), np.zeros_like(host))
    _same(da.full_like(x, 3, dtype=np.int16), np.full_like(host, 3, dtype=np.int16))


def test_counts_of_repeat_are_a_row() -> None:
    for counts in ([[1, 2], [1, 2]], da.asarray([[1, 2], [1, 2]])):
        with pytest.raises(ShapeError, match=r"not of shape \(2, 2\)"):
            da.repeat(da.arange(4), counts)


@pytest.mark.parametrize("name", ["concat", "stack", "block"])
@pytest.mark.parametrize(
    "dtypes", [("uint16", "int16", "float16"), ("int8", "uint8", "float16"), ("int8", "uint8", "bool")]
)
def test_joined_dtypes_promote_together(name: str, dtypes: tuple[str, ...]) -> None:
    """Two of them after the other would be wider."""
    host = [np.ones(2, dtype) for dtype in dtypes]
    wanted = getattr(np, name)(host)
    made = [da.asarray(a) for a in host]
    for arrays in (made, [a + 0 for a in made]):
        found = getattr(da, name)([a.astype(dtype) for a, dtype in zip(arrays, dtypes, strict=True)])
        assert (found.dtype, found.tolist()) == (wanted.dtype, wanted.tolist())


NUMBERS = (2, 2.5, 1j, True, 300)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "complex64"])
@pytest.mark.parametrize("number", NUMBERS)
def test_pythons_numbers_are_weak_beside_what_is_joined_or_chosen(dtype: str, number: Any) -> None:
    host = np.arange(3).astype(dtype)
    ours = da.asarray(host)
    _same(da.concatenate((ours, number), axis=None), np.concatenate((host, number), axis=None))
    _same(da.concat((number, ours, 1), axis=None), np.concat((number, host, 1), axis=None))
    _same(da.choose([0, 1, 0], [ours, number]), np.choose([0, 1, 0], [host, number]))
    _same(da.asarray([0, 1, 0]).choose([number, ours]), np.asarray([0, 1, 0]).choose([number, host]))


def test_numbers_alone_and_numbers_in_lists_are_not_weak() -> None:
    _same(da.concatenate((1, 2.5), axis=None), np.concatenate((1, 2.5), axis=None))
    ours, host = da.zeros(1, dtype="int8"), np.zeros(1, "int8")
    _same(da.concatenate((ours, [3])), np.concatenate((host, [3])))
    _same(da.choose([0, 1], (ours, [3])), np.choose([0, 1], (host, [3])))
    _same(da.choose([0, 1], (1, 2.5)), np.choose([0, 1], (1, 2.5)))
