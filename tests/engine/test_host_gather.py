"""Elements that the host gathers in place of a kernel, where nothing is under way for their memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from oracle import skip_without

import devarray as da


@pytest.fixture(autouse=True)
def on_host(device: da.Device) -> Iterator[None]:
    """Small work runs on the host, whatever the process does by default."""
    if device.strategy != "cpu" or not da.zeros(1).allocator.kind.endswith(("svm_fine", "buffer")):
        pytest.skip("only where the memory is the host's")
    before = da.config.host_elements
    da.config.host_elements = 1 << 20
    da.synchronize()
    # Memory that no earlier test's queue may still use, which the host would not write to.
    with da.use(allocator=da.alloc.PoolMemoryResource(da.zeros(1).allocator.upstream)):
        yield
    da.config.host_elements = before


INDICES = {
    "line": np.array([3, 0, -1, 3]),
    "table": np.array([[1, 2, -9], [0, 0, 8]]),
    "walked across": np.arange(6).reshape(2, 3).T,
    "backwards": np.arange(8)[::-2],
}


def launches(x: da.Array, index: da.Array) -> tuple[np.ndarray, int]:
    da.synchronize()
    before = da.stats()["launches"]
    made = x[index]
    return made.copy_to_host(), da.stats()["launches"] - before


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("width", ["int8", "int32", "int64", "uint32"])
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex128"])
def test_a_few_elements_are_gathered_without_a_launch(name: str, width: str, dtype: str) -> None:
    skip_without(dtype)
    index = INDICES[name].astype(width) if width[0] == "i" else np.abs(INDICES[name]).clip(0, 8).astype(width)
    for x in (np.arange(9), np.arange(18)[::-2], np.arange(54).reshape(9, 3, 2)):
        x = x.astype(dtype)
        got, count = launches(da.asarray(x), da.asarray(index))
        np.testing.assert_array_equal(got, x[index], strict=True)
        assert count == 0


@pytest.mark.usefixtures("kernels")
def test_rows_that_do_not_lie_side_by_side_are_gathered_by_a_kernel() -> None:
    x, index = np.arange(24.0, dtype="float32").reshape(4, 6), np.array([2, 0, -1])
    got, count = launches(da.asarray(x)[:, ::2], da.asarray(index))
    np.testing.assert_array_equal(got, x[:, ::2][index])
    assert count == 1


def test_what_is_gathered_is_a_copy_of_values_that_were_pending() -> None:
    x = np.arange(9, dtype="float32")
    mine = da.asarray(x) * 2
    index = da.asarray(INDICES["line"])
    got = mine[index + 0]
    mine += 1
    index += 1
    np.testing.assert_array_equal(got.copy_to_host(), (x * 2)[INDICES["line"]])


@pytest.mark.parametrize("wrong", [9, -10, 2**40])
def test_an_index_out_of_bounds_raises_as_kernels_do(wrong: int) -> None:
    x = da.asarray(np.arange(9, dtype="float32"))
    with pytest.raises(IndexError, match="size 9"):
        x[da.asarray(np.array([0, wrong]))].copy_to_host()


KEYS = {
    "list": [3, 0, -1, 3],
    "rows and columns": ([1, 2, -4], [0, 3, 3]),
    "columns": (slice(None), [2, 0]),
    "columns behind an ellipsis": (..., [2, 0]),
    "outer": (np.array([[1], [3]]), np.array([0, 2])),
    "int and list": (2, [0, 3]),
    "apart": ([0, 1], slice(1, 3), [2, 0]),
    "none": (None, [1, 0], slice(None, None, 2)),
    "array of the host": np.array([[0, 1], [3, 2]], dtype="uint8"),
}


@pytest.mark.parametrize("place", ["host", "device"])
@pytest.mark.parametrize("name", KEYS)
def test_keys_that_pick_few_elements_launch_nothing(name: str, place: str) -> None:
    key: Any = KEYS[name]
    moved = tuple(
        da.asarray(np.asarray(item)) if place == "device" and isinstance(item, list | np.ndarray) else item
        for item in (key if isinstance(key, tuple) else (key,))
    )
    for dtype in ("float32", "int16", "complex64"):
        host = np.arange(64).reshape(4, 4, 4).astype(dtype)
        for turned in (host, host.T, host[:, ::-1]):
            x, mine = turned.copy("K"), da.asarray(turned.copy("K"))
            da.synchronize()
            before = da.stats()["launches"]
            picked = mine[moved]
            mine[moved] = picked * 2
            mine[moved] = mine[moved] + 1
            mine[moved] += picked
            count = da.stats()["launches"] - before
            wanted = x[key]
            x[key] = wanted * 2
            x[key] = x[key] + np.ones((), dtype)
            x[key] += wanted
            np.testing.assert_array_equal(picked.copy_to_host(), wanted, strict=True)
            np.testing.assert_array_equal(mine.copy_to_host(), x, strict=True)
            assert count == 0


def test_what_such_a_key_stores_reaches_nobody_else() -> None:
    host = np.arange(9.0, dtype="float32")
    x = da.asarray(host)
    pending, element, view = x * 2, x[1], x[::2]
    x[[1, 2]] = 0.5
    np.testing.assert_array_equal(pending.copy_to_host(), host * 2)
    assert element.item() == 1
    host[[1, 2]] = 0.5
    np.testing.assert_array_equal(view.copy_to_host(), host[::2])
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x[[1, 2]] = 1.0
    np.testing.assert_array_equal(x.copy_to_host(), host)


@pytest.mark.parametrize("key", [[0, 9], (slice(None), [0]), [0.5], ([0, 1], [0, 1])])
def test_wrong_keys_raise_and_store_nothing(key: Any) -> None:
    host = np.arange(9.0, dtype="float32")
    x = da.asarray(host)
    with pytest.raises(IndexError):
        x[key].copy_to_host()
    with pytest.raises(IndexError):
        x[key] = 1.0
        x.copy_to_host()
    np.testing.assert_array_equal(x.copy_to_host(), host)


def test_numbers_that_the_dtype_does_not_hold_are_refused_as_ever() -> None:
    x = da.asarray(np.zeros(3, "int8"))
    with pytest.raises(OverflowError):
        x[[0, 1]] = 300
    y = da.asarray(np.zeros(3, "float32"))
    y[[0, 2]] = 1e300
    np.testing.assert_array_equal(y.copy_to_host(), np.array([np.inf, 0, np.inf], "float32"))


OUTSIDE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "x[i]": lambda xp, x, i: x[i],
    "x[i, i]": lambda xp, x, i: x[i, i],
    "x[:, i]": lambda xp, x, i: x[:, i],
    "x[i] = 1": lambda xp, x, i: x.__setitem__(i, 1),
    "x[i, 0] = 1": lambda xp, x, i: x.__setitem__((i, 0), 1),
    "x[i] = rows": lambda xp, x, i: x.__setitem__(i, xp.ones((2, 4))),
    "x[:, 0][i] = 1": lambda xp, x, i: x[:, 0].__setitem__(i, 1),
    "a pending index": lambda xp, x, i: x[i * 3],
    "take": lambda xp, x, i: xp.take(x, i * 9),
    "take along": lambda xp, x, i: xp.take_along_axis(x, i[:, None] * xp.ones((1, 4), i.dtype), 0),
    "put": lambda xp, x, i: xp.put(x, i * 9, 1),
    "put along": lambda xp, x, i: xp.put_along_axis(x, i[:, None] * xp.ones((1, 4), i.dtype), 1.0, 0),
    "choose": lambda xp, x, i: xp.choose(i, [i, i]),
    "ravel": lambda xp, x, i: xp.ravel_multi_index((i, i), (3, 3)),
    "unravel": lambda xp, x, i: xp.unravel_index(i * 9, (3, 3)),
}


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("bad", [-7, 5])
@pytest.mark.parametrize("name", OUTSIDE)
def test_indices_outside_that_the_host_sees_are_an_error_of_the_call(name: str, bad: int, dtype: str) -> None:
    if bad < 0 and dtype == "uint64":
        bad = 2**63
    host, numbers = np.arange(12.0).reshape(3, 4), np.array([0, bad], dtype)
    x, i = da.asarray(host), da.asarray(numbers)
    x.evaluate(), i.evaluate(), da.synchronize()
    with pytest.raises((IndexError, ValueError, TypeError)) as theirs:
        OUTSIDE[name](np, host.copy(), numbers)
    with pytest.raises((IndexError, ValueError, TypeError)) as ours:
        OUTSIDE[name](da, x, i)
    if dtype != "uint64":  # NumPy does not take these as indices
        assert isinstance(ours.value, theirs.type)
    da.synchronize()
    np.testing.assert_array_equal(x.copy_to_host(), host)
