"""NumPy arrays beside device arrays: moved to the device, counted, or refused; and what goes the other way."""

from __future__ import annotations

import array
import asyncio
import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

H = np.arange(6, dtype=np.int16).reshape(2, 3)
X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {  # (namespace, array, host array)
    "x + h": lambda xp, x, h: x + h,
    "h * x": lambda xp, x, h: h * x,
    "h == x": lambda xp, x, h: h == x,
    "x < h": lambda xp, x, h: x < h,
    "h ** x": lambda xp, x, h: h ** abs(x),
    "x @ h": lambda xp, x, h: x @ h.T,
    "h @ x": lambda xp, x, h: h.T @ x,
    "where": lambda xp, x, h: xp.where(h > 2, h, x),
    "numpy.where": lambda xp, x, h: np.where(h > 2, h, x),
    "numpy.hypot": lambda xp, x, h: np.hypot(h, x),
    "numpy.add with out": lambda xp, x, h: np.add(h, h, out=xp.zeros((2, 3))),
    "numpy.add of a mask": lambda xp, x, h: np.add(x, 1, out=xp.zeros((2, 3)), where=h > 2),
    "numpy.maximum.outer": lambda xp, x, h: np.maximum.outer(h, x),
    "concatenate": lambda xp, x, h: xp.concatenate([h, x]),
    "numpy.concatenate": lambda xp, x, h: np.concatenate([x, h]),
    "numpy.stack": lambda xp, x, h: np.stack([h, x]),
    "numpy.dot": lambda xp, x, h: np.dot(h.T, x),
    "numpy.clip": lambda xp, x, h: np.clip(x, h - 3, h),
    "stack": lambda xp, x, h: xp.stack([x, h]),
    "a row": lambda xp, x, h: h[0] - x,
    "no elements": lambda xp, x, h: h[:, :0] + x[:, :0],
}


@pytest.mark.parametrize("name", CALLS)
def test_a_numpy_array_moves_to_the_device_of_the_others(name: str) -> None:
    x = da.asarray(X)
    ours = CALLS[name](da, x, H)
    assert isinstance(ours, da.Array)
    wanted = CALLS[name](np, X, H)
    assert ours.dtype == wanted.dtype
    np.testing.assert_allclose(ours.copy_to_host(), wanted, rtol=1e-6)


@pytest.mark.parametrize("name", CALLS)
def test_or_is_refused(name: str) -> None:
    x = da.asarray(X)
    with da.use(host_operands="raise"), pytest.raises(da.DTypeError, match="asarray"):
        CALLS[name](da, x, H)


def test_in_place() -> None:
    x = y = da.asarray(X)
    y += H
    assert y is x
    same(x, X + H)


def test_they_go_to_the_queue_of_the_array() -> None:
    queue = da.queue()
    x = da.ones(3, queue=queue)
    for result in (np.ones(3) + x, np.maximum(np.zeros(3), x), da.where(np.array([True, False, True]), np.ones(3), x)):
        assert result.queue is queue


def test_they_are_counted() -> None:
    x = da.asarray(X)
    da.reset_stats()
    x + H
    np.add(H, x)
    x + 1
    x + np.float32(2)
    counted = da.stats()
    assert (counted["moved_operands"], counted["bytes_of_moved_operands"]) == (2, 2 * H.nbytes)
    da.reset_stats()
    assert da.stats()["moved_operands"] == da.stats()["bytes_of_moved_operands"] == 0


def test_without_a_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    x = da.asarray(X)
    monkeypatch.setattr(da.config, "forbid_waits", True)
    result = H * x
    monkeypatch.setattr(da.config, "forbid_waits", False)
    same(result, H * X)


def test_a_masked_array_keeps_its_mask() -> None:
    with pytest.raises(TypeError):
        da.ones(2) + np.ma.masked_array([1.0, 2.0], [True, False])


def test_text_is_no_operand() -> None:
    with pytest.raises(TypeError, match="<U1"):
        da.ones(1) + np.array(["a"])


# --- the way to the host ------------------------------------------------------------------------------------------


def test_a_numpy_array_takes_no_device_values_in_place() -> None:
    h, x = np.ones(3), da.ones(3)
    with da.use(fallback="warn"), pytest.raises(da.DTypeError, match="out="):
        h += x
    assert h.tolist() == [1, 1, 1]


def test_but_where_that_is_allowed() -> None:
    h, x = np.ones(3), da.asarray([1.0, 2.0, 3.0])
    with da.use(fallback="allow"):
        g = h
        g += x
        assert g is h
        assert h.tolist() == [2, 3, 4]
        np.multiply(h, x, out=h, where=x > 1)
        assert h.tolist() == [2, 6, 12]
        with pytest.raises(TypeError, match="same_kind"):
            np.add(np.ones(3), x, out=np.ones(3, int))


@pytest.mark.parametrize("fallback", ["raise", "warn", "allow"])
def test_arrays_without_axes_go_to_the_host_as_numbers_do(fallback: str) -> None:
    a = np.array([1.5, 4.0])
    with da.use(fallback=fallback):
        x = da.asarray(a)
        assert np.float32(x[0]) == np.float32(1.5)
        assert np.int64(x[1]) == 4
        assert np.array([x[0], x[1]]).tolist() == [1.5, 4.0]
        assert math.sqrt(x[1]) == 2
        assert np.asarray(x.sum(), dtype=np.float32).dtype == np.float32
        with pytest.raises(ValueError, match="copy=False"):
            np.asarray(x[0], copy=False)


def test_arrays_with_axes_do_not() -> None:
    with da.use(fallback="warn"), pytest.raises(TypeError, match="copy_to_host"):
        np.asarray(da.ones(1))


# --- switches -----------------------------------------------------------------------------------------------------


def test_the_switches_are_scoped_by_thread() -> None:
    before, seen = (da.config.fallback, da.config.host_operands), []
    with da.use(fallback="raise", host_operands="raise"):
        with da.use(fallback="allow"):
            assert (da.config.fallback, da.config.host_operands) == ("allow", "raise")
            other = threading.Thread(target=lambda: seen.append((da.config.fallback, da.config.host_operands)))
            other.start()
            other.join()
        assert da.config.fallback == "raise"
    assert seen == [before]
    assert (da.config.fallback, da.config.host_operands) == before


def test_wrong_words_are_refused() -> None:
    before = da.config.host_operands
    with pytest.raises(ValueError, match="move, raise"):
        da.config.host_operands = "copy"
    with pytest.raises(ValueError, match="move, raise"), da.use(host_operands="copy"):
        pass
    assert da.config.host_operands == before


def test_the_switch_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(da.config, "host_operands", "raise")
    with pytest.raises(TypeError, match="asarray"):
        np.ones(3) + da.ones(3)


BUFFERS = {"array": array.array("i", [1, 2]), "bytearray": bytearray(b"ab"), "memoryview": memoryview(b"ab")}
OF_BUFFERS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda xp, b: xp.add(b, 1),
    "arctan2": lambda xp, b: xp.arctan2(b, 1),
    "where": lambda xp, b: xp.where([True, False], b, 1),
    "x + b": lambda xp, b: xp.ones(2, "f4") + b,
    "x == b": lambda xp, b: xp.asarray([1, 97]) == b,
}


@pytest.mark.parametrize("buffer", BUFFERS)
@pytest.mark.parametrize("call", OF_BUFFERS)
def test_buffers_have_a_dtype_of_their_own(call: str, buffer: str) -> None:
    """Numbers beside them are weak, as beside NumPy's arrays."""
    same(OF_BUFFERS[call](da, BUFFERS[buffer]), OF_BUFFERS[call](np, BUFFERS[buffer]))


def test_lists_of_truths_are_rounded_to_float16() -> None:
    same(da.round([True, False]), np.round([True, False]))


def test_a_block_of_one_task_is_no_other_tasks(device):
    async def task(mode: str, first: asyncio.Event, second: asyncio.Event) -> str:
        with da.use(fallback=mode):
            first.set()
            await second.wait()  # the other task is within its own block
            return da.config.fallback

    async def both() -> list[str]:
        a, b = asyncio.Event(), asyncio.Event()
        return await asyncio.gather(task("raise", a, b), task("allow", b, a))

    before = da.config.fallback
    assert asyncio.run(both()) == ["raise", "allow"]
    assert da.config.fallback == before
