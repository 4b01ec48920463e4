"""Small arrays that are reduced as a whole and used again: one row, one launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import same
from test_rows import launches

import devarray as da

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "gpu_strategy")

Body = Callable[..., Any]


def unit(xp: Any, v: Any) -> Any:
    return v / xp.sqrt((v * v).sum())


def unit_by_norm(xp: Any, v: Any) -> Any:
    return v / xp.linalg.norm(v)


def centred(_: Any, v: Any) -> Any:
    return v - v.mean()


def softmax(xp: Any, v: Any) -> Any:
    e = xp.exp(v - v.max(keepdims=True))
    return e / e.sum()


def standardised(_: Any, v: Any) -> Any:
    return (v - v.mean(keepdims=True)) / (v.std() + 1)


def in_range(_: Any, v: Any) -> Any:
    return (v - v.min()) / (v.max() - v.min())


def length(xp: Any, v: Any) -> Any:
    return xp.sqrt((v * v).sum()) + 1


BODIES = [unit, unit_by_norm, centred, softmax, standardised, in_range, length]
SIZES = [2, 3, 8, 9, 10, 16, 17, 32, 33, 64, 100, 255, 256, 1000, 1023, 1024]


def host_of(shape: int | tuple[int, ...], dtype: str = "float32") -> np.ndarray:
    return np.random.default_rng(3).normal(size=shape).astype(dtype)


def near(ours: da.Array, wanted: Any) -> None:
    """Equal but for the order of sums."""
    wanted = np.asarray(wanted)
    assert ours.shape == wanted.shape
    assert ours.dtype == wanted.dtype
    tolerance = 64 * float(np.finfo(wanted.dtype).eps)
    np.testing.assert_allclose(ours.copy_to_host(), wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("body", BODIES)
def test_one_launch(body: Body, size: int) -> None:
    host = host_of(size)
    v = da.asarray(host).evaluate()
    result = body(da, v)
    assert launches(result.evaluate) == 1
    near(result, body(np, host))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("body", BODIES)
def test_bits_of_eager_work(body: Body, size: int) -> None:
    v = da.asarray(host_of(size)).evaluate()
    ours = body(da, v).copy_to_host()
    da.config.deferred = False  # the fixture turns it on again
    eager = body(da, v).copy_to_host()
    if body is softmax or body is standardised or body is in_range:  # the compiler joins products with sums
        np.testing.assert_allclose(ours, eager, rtol=1e-6, atol=1e-6)
    else:
        np.testing.assert_array_equal(ours, eager)


@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("size", [5, 16, 100])
def test_dtypes(device: da.Device, size: int, dtype: str) -> None:
    if dtype in ("float64", "complex128") and not device.caps["fp64"]:
        pytest.skip("no float64")
    host = host_of(size, dtype) if dtype[0] == "f" else (host_of(size) + 1j * host_of(size)[::-1]).astype(dtype)
    for body in (centred, unit_by_norm):
        v = da.asarray(host).evaluate()
        result = body(da, v)
        assert launches(result.evaluate) == 1
        near(result, body(np, host))


def test_integers_and_truths() -> None:
    host = np.random.default_rng(1).integers(-50, 50, 77)
    for dtype in ("int8", "uint16", "int32", "int64"):
        h = host.astype(dtype)
        v = da.asarray(h).evaluate()
        same(v - v.max(), h - h.max())
        same((v * 2) ^ v.sum(), (h * 2) ^ h.sum())
        same(v > v.mean(), h > h.mean())
        same(v == da.count_nonzero(v > 3), h == np.count_nonzero(h > 3))
    truths = da.asarray(host > 0).evaluate()
    same(truths ^ truths.all(), (host > 0) ^ (host > 0).all())


def test_nan_and_infinities() -> None:
    for odd in (np.nan, np.inf, -np.inf):
        host = host_of(50)
        host[7] = odd
        v = da.asarray(host).evaluate()
        with np.errstate(invalid="ignore"):
            for body in (centred, softmax, in_range):
                near(body(da, v), body(np, host))


def test_none_or_one_element() -> None:
    for shape in ((), (1,), (1, 1)):
        host = host_of(shape) if shape else np.float32(2.5)
        near(centred(da, da.asarray(host)), centred(np, host))
        near(unit_by_norm(da, da.asarray(host)), np.asarray(host) / abs(host))
    nothing = da.asarray(host_of(0))
    same(nothing / (nothing.sum() + 1), host_of(0))


@pytest.mark.parametrize("part", [np.s_[::-1], np.s_[::3], np.s_[5:40], np.s_[41:1:-2]])
def test_parts(part: slice) -> None:
    host = host_of(64)
    v = da.asarray(host).evaluate()[part]
    for body in BODIES:
        result = body(da, v)
        assert launches(result.evaluate) == 1
        near(result, body(np, host[part]))
    pending = (da.asarray(host) * 2)[part]
    near(unit(da, pending), unit(np, (host * 2)[part]))


@pytest.mark.parametrize("shape", [(4, 5), (2, 3, 4), (1, 16), (16, 1), (32, 32)])
def test_several_axes(shape: tuple[int, ...]) -> None:
    host = host_of(shape)
    x = da.asarray(host).evaluate()
    for body in (unit, unit_by_norm, centred, softmax, standardised):
        result = body(da, x)
        assert launches(result.evaluate) == 1
        near(result, body(np, host))
        near(body(da, x.T), body(np, host.T))
        near(body(da, x + x[:1]), body(np, host + host[:1]))


def test_what_arrays_hold_is_stored_beside_it() -> None:
    host = host_of(48)
    v = da.asarray(host).evaluate()
    size = da.linalg.norm(v)
    twice = size * 2
    scaled = v / size
    result = scaled - scaled.mean()
    assert launches(result.evaluate) == 1
    assert launches(lambda: (size.evaluate(), twice.evaluate(), scaled.evaluate())) <= 1
    near(size, np.linalg.norm(host))
    near(twice, np.linalg.norm(host) * 2)
    near(scaled, host / np.linalg.norm(host))
    near(result, host / np.linalg.norm(host) - (host / np.linalg.norm(host)).mean())


def test_a_write_comes_after_what_waits() -> None:
    host = host_of(48)
    v = da.asarray(host.copy()).evaluate()
    mean, result = v.mean(), v - v.max()
    v[:] = 0
    v += 1
    near(mean, host.mean())
    near(result, host - host.max())
    same(v, np.ones(48, "float32"))


def test_memory_that_others_read_is_not_written_to() -> None:
    """Temporaries let go of before what reads them."""
    host = host_of(64)
    for _ in range(3):
        v = da.asarray(host) * 2
        w = v / da.sqrt((v * v).sum())
        total = v.sum()
        del v
        u = w - w.mean()
        del w
        near(u, (host * 2 / np.linalg.norm(host * 2)) - (host * 2 / np.linalg.norm(host * 2)).mean())
        near(total, (host * 2).sum())


def test_what_was_computed_from_it_is_reduced() -> None:
    host = host_of(20)
    u = unit(da, da.asarray(host)).evaluate()
    large = u > u.max() / 2
    assert int(large.evaluate().sum()) == np.count_nonzero(host > host.max() / 2)
    near(u.max() * 2, unit(np, host).max() * 2)


def test_extremes_together() -> None:
    host = host_of(200)
    v = da.asarray(host).evaluate()
    low, high = v.min(), v.max()
    assert launches(lambda: (low.evaluate(), high.evaluate())) == 1
    same(low, host.min())
    same(high, host.max())


def test_long_chains() -> None:
    def chain(xp: Any, v: Any) -> Any:
        for _ in range(20):
            v = unit(xp, v) + v / 2
        return v

    host = host_of(64)
    v = da.asarray(host).evaluate()
    assert launches(lambda: chain(da, v).evaluate()) <= 10
    np.testing.assert_allclose(chain(da, v).copy_to_host(), chain(np, host.astype("float64")), rtol=1e-5, atol=1e-6)
    many = [(v * k).sum() for k in range(40)]
    np.testing.assert_allclose([float(s) for s in many], [host.sum() * k for k in range(40)], rtol=1e-4, atol=1e-4)


def test_other_shapes_do_not_wait_for_it() -> None:
    """What is large reads a result of a small array from memory, and keeps what its own kernels do for each other."""
    small, large = host_of(16), host_of(5000)
    v, x = da.asarray(small).evaluate(), da.asarray(large).evaluate()
    mean = v.mean()
    shifted = x - mean
    assert launches(mean.evaluate) == 0
    near(shifted, large - small.mean())
    table = da.asarray(host_of((100, 16))).evaluate()
    weights = unit(da, v)
    assert launches(lambda: (table * weights).evaluate()) == 2
    root = da.sqrt(abs(mean := v.mean()))
    mean.evaluate()
    assert launches(lambda: (x * root).evaluate()) == 1  # nothing waits below the root any more
    outer = weights[:, None] * weights[None]
    near(outer, np.outer(unit(np, small), unit(np, small)))


def test_power_iterations() -> None:
    host = host_of((200, 16))
    x, w, theirs = da.asarray(host).evaluate(), da.asarray(small := host_of(16)).evaluate(), small.astype("float64")
    for _ in range(5):
        w = unit(da, x.T @ (x @ w))
        theirs = unit(np, host.T @ (host @ theirs))
    np.testing.assert_allclose(w.copy_to_host(), theirs, rtol=1e-4, atol=1e-5)


_UNARY = ["exp", "sin", "tanh", "abs", "negative"]
_BINARY = ["add", "subtract", "multiply", "maximum", "minimum"]
_REDUCTIONS = ["sum", "max", "min", "mean"]


def grow(xp: Any, x: Any, steps: list[tuple[int, int, int, bool]]) -> list[Any]:
    """A random program: values made from earlier ones, of the vector or of one element."""
    values = [x / 8]
    for kind, first, second, keep in steps:
        a, b = values[first % len(values)], values[second % len(values)]
        if kind < 4 and a.shape == x.shape:
            made = getattr(a, _REDUCTIONS[kind])(keepdims=keep)
        elif kind < 9:
            made = getattr(xp, _UNARY[kind % 5])(xp.clip(a, -2, 2))
        elif kind == 9 and a.shape == x.shape:
            made = a[::-1]
        else:
            made = getattr(xp, _BINARY[kind % 5])(a, b)
        values.append(made)
    return values


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 13), st.integers(0, 50), st.integers(0, 50), st.booleans()), max_size=14),
    st.sampled_from([2, 4, 7, 12, 16, 32, 40, 131, 1000]),
    st.integers(0, 2**16),
)
def test_random_programs(device: da.Device, steps: list[tuple[int, int, int, bool]], size: int, held: int) -> None:
    host = host_of(size)
    values, wanted = grow(da, da.asarray(host), steps), grow(np, host.astype("float64"), steps)
    some = {k: values[k] for k in range(len(values) - 1) if held >> k & 1}
    result = values[-1]
    del values
    np.testing.assert_allclose(result.copy_to_host(), wanted[-1], rtol=1e-3, atol=1e-2)
    for k, value in some.items():
        np.testing.assert_allclose(value.copy_to_host(), wanted[k], rtol=1e-3, atol=1e-2)
