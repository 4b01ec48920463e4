"""The core's sort of rows by digits, beside NumPy's stable sort, bit for bit."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import devarray as da
from devarray import _core

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]
LENGTHS = [0, 1, 2, 257, 70_000, 140_000]  # the last two for two threads and for four
Rows = np.ndarray[Any, Any]


def check(rows: Rows, descending: bool) -> None:
    if descending:
        order = rows.shape[1] - 1 - np.argsort(rows[:, ::-1], -1, kind="stable")[:, ::-1]
    else:
        order = np.argsort(rows, -1, kind="stable")
    found, places = np.empty_like(rows), np.empty(rows.shape, np.int64)
    given = rows.copy()
    _core.sort_rows(rows, found, descending)
    _core.argsort_rows(rows, places, descending)
    np.testing.assert_array_equal(places, order)
    assert found.tobytes() == np.take_along_axis(rows, order, -1).tobytes()
    assert rows.tobytes() == given.tobytes()


def integers(dtype: str, shape: tuple[int, int], bits: int, rng: np.random.Generator) -> Rows:
    """Those of a range of so many bits, somewhere in the dtype's."""
    size = 8 * np.dtype(dtype).itemsize
    words = rng.integers(0, (1 << bits) - 1, shape, np.uint64, endpoint=True)
    words += rng.integers(0, (1 << size) - (1 << bits), dtype=np.uint64, endpoint=True)
    return (words if dtype[0] == "u" else words - np.uint64(1 << size - 1)).astype(dtype)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_of_any_range(dtype: str, length: int, descending: bool) -> None:
    rng = np.random.default_rng(length)
    size = 8 * np.dtype(dtype).itemsize
    for bits in {1, 7, size // 2 + 3, size - 1, size}:
        check(integers(dtype, (2, length), bits, rng), descending)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_of_all_kinds(dtype: str, length: int, descending: bool) -> None:
    """Zeros of both signs are equal, and so are NaN, whose bits stay in the order in which they came."""
    rng = np.random.default_rng(length)
    check(np.frombuffer(rng.bytes(2 * length * np.dtype(dtype).itemsize), dtype).reshape(2, length), descending)
    few = rng.choice(np.asarray([-np.inf, -1.5, -0.0, 0.0, 1e-7, 3, np.inf, np.nan, -np.nan], dtype), (2, length))
    check(few, descending)
    check(few[:, :-1].copy() if length else few, descending)
    check(rng.standard_normal((1, length)).astype(dtype), descending)


@pytest.mark.parametrize("length", LENGTHS)
def test_bools(length: int) -> None:
    check(np.random.default_rng(0).random((3, length)) < 0.3, False)
    check(np.random.default_rng(0).random((3, length)) < 0.3, True)


@pytest.mark.parametrize("dtype", ["int32", "float64", "uint8"])
@pytest.mark.parametrize("step", [1, -1])
def test_rows_in_order(dtype: str, step: int) -> None:
    check(np.sort(np.arange(100_000) % 251).astype(dtype)[None, ::step].copy(), False)
    check(np.full((2, 70_000), 7, dtype), True)
    check(np.asarray([[0.0, -0.0] * 40_000]).astype(dtype), False)


@given(st.data())
def test_rows_of_numpys(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from([*INTEGERS, *FLOATS, "bool"]))
    shape = data.draw(st.tuples(st.integers(0, 4), st.integers(0, 700)))
    raw = np.random.default_rng(data.draw(st.integers(0, 9999))).bytes(shape[0] * shape[1] * np.dtype(dtype).itemsize)
    rows = np.frombuffer(raw, dtype if dtype != "bool" else "uint8").reshape(shape)
    check(rows % 2 == 1 if dtype == "bool" else rows, data.draw(st.booleans()))


def test_several_callers_at_once() -> None:
    rows = [np.random.default_rng(i).standard_normal((1, 200_000)) for i in range(6)]
    found = [np.empty_like(x) for x in rows]
    threads = [threading.Thread(target=_core.sort_rows, args=(x, y, False)) for x, y in zip(rows, found, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for x, y in zip(rows, found, strict=True):
        np.testing.assert_array_equal(y, np.sort(x))


def test_rows_that_others_write_to_meanwhile() -> None:
    """In whatever order they come, nothing beside the result is written."""
    rng, size, done = np.random.default_rng(4), 300_000, threading.Event()
    states = rng.integers(0, 9, size), rng.integers(0, 1 << 60, size)
    rows = states[0][None].copy()
    memory = np.full(size + 20_000, 77)

    def write() -> None:
        while not done.is_set():
            for state in states:
                rows[0] = state

    other = threading.Thread(target=write)
    other.start()
    try:
        for _ in range(20):
            _core.sort_rows(rows, memory[10_000:-10_000].reshape(1, -1), False)
            _core.argsort_rows(rows, memory[10_000:-10_000].reshape(1, -1), False)
    finally:
        done.set()
        other.join()
    assert (memory[:10_000] == 77).all() and (memory[-10_000:] == 77).all()


def test_what_is_refused() -> None:
    rows = np.zeros((2, 8))
    apart = np.zeros((2, 8))
    for rows_given, out in (
        (rows, rows), (rows, rows[:, :4].copy()), (rows[0], apart[0]), (rows[:, ::2], apart[:, ::2]),
        (rows, apart.astype("float32")), (rows.astype(complex), apart.astype(complex)),
        (rows.astype(">f8"), apart.astype(">f8")),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="two dense arrays"):
            _core.sort_rows(rows_given, out, False)
    apart.flags.writeable = False
    with pytest.raises(ValueError, match="not writeable"):
        _core.sort_rows(rows, apart, False)
    with pytest.raises(ValueError, match="two dense arrays"):
        _core.argsort_rows(rows, np.zeros((2, 8), np.int32), False)


@pytest.mark.parametrize("descending", [False, True])
def test_arrays_of_the_device(device: da.Device, descending: bool) -> None:
    """Along both axes, in place, and of views that lie otherwise."""
    host = np.random.default_rng(3).integers(-9, 9, (2, 40_000)).astype(np.float32)
    host[host == 3] = -0.0
    with da.use(device=device):
        x = da.asarray(host)
        sign = -1 if descending else 1
        np.testing.assert_array_equal(da.sort(x, descending=descending).copy_to_host(), sign * np.sort(sign * host))
        order = da.argsort(x[:, ::-1], descending=descending).copy_to_host()
        np.testing.assert_array_equal(order, np.argsort(sign * host[:, ::-1], kind="stable"))
        columns = da.asarray(host.T.copy())
        np.testing.assert_array_equal(da.sort(columns, axis=0).copy_to_host(), np.sort(host).T)
        columns[:, 1].sort()
        np.testing.assert_array_equal(columns[:, 1].copy_to_host(), np.sort(host[1]))
