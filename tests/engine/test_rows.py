"""Rows that are reduced and used again: on GPUs the reductions wait, and one kernel does what is computed from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import same

import devarray as da
from devarray import _core

Body = Callable[..., Any]

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "waiting")


@pytest.fixture
def waiting(device: da.Device) -> Iterator[None]:
    """Reductions of rows wait, however small the array is."""
    if device.strategy != "gpu":
        pytest.skip("of the strategy of GPUs")
    before = _core.get_config()["row_bytes"]
    _core.set_config("row_bytes", 0)
    yield
    _core.set_config("row_bytes", before)


def layer_norm(xp: Any, x: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred / xp.sqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def log_sum_exp(xp: Any, x: Any) -> Any:
    m = x.max(axis=-1)
    return m + xp.log(xp.exp(x - m[..., None]).sum(axis=-1))


def standardised(xp: Any, x: Any) -> Any:
    return (x - x.mean(-1)[..., None]) / x.std(-1, keepdims=True)


def spread(xp: Any, x: Any) -> Any:
    return x.var(-1) + x.max(-1) - x.min(-1)


def share(xp: Any, x: Any) -> Any:
    return xp.where(x > x.mean(-1, keepdims=True), x, -x).sum(-1, keepdims=True) / xp.count_nonzero(
        x > 0, -1, keepdims=True
    )


BODIES = [layer_norm, softmax, log_sum_exp, standardised, spread, share]


def host_of(shape: tuple[int, ...], dtype: str = "float32", seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def rows_of(device: da.Device) -> int:
    """So many rows that each is one group's."""
    return 4 * device.caps["compute_units"] * 256 // 32


def launches(work: Callable[[], Any]) -> int:
    before = da.stats()["launches"]
    work()
    return da.stats()["launches"] - before


def near(ours: Any, body: Body, host: np.ndarray) -> None:
    """As good as NumPy's result of the same dtype, judged by one of twice the precision."""
    exact = body(np, host.astype("longdouble" if host.dtype == "float64" else "float64"))
    ours = ours.copy_to_host()
    assert ours.dtype == body(np, host).dtype
    bound = 64 * np.finfo(host.dtype).eps * max(1.0, float(abs(exact).max()))
    assert float(abs(ours - exact).max()) <= bound


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("columns", [32, 100, 257, 1024, 5000])
@pytest.mark.parametrize("body", BODIES)
def test_results(device: da.Device, body: Body, columns: int, dtype: str) -> None:
    if dtype == "float64" and not device.caps["fp64"]:
        pytest.skip("no float64")
    host = host_of((rows_of(device) * 32 // min(max(columns, 32), 256) + 3, columns), dtype)
    near(body(da, da.asarray(host)), body, host)


@pytest.mark.parametrize(("body", "count"), [(layer_norm, 1), (softmax, 1), (standardised, 1), (log_sum_exp, 1)])
def test_one_launch(device: da.Device, body: Body, count: int) -> None:
    x = da.asarray(host_of((rows_of(device), 64))).evaluate()
    assert launches(lambda: body(da, x).evaluate()) == count


def test_further_axes_and_operands(device: da.Device) -> None:
    host, gain = host_of((5, rows_of(device), 8, 9)), host_of((8, 9), seed=1)

    def body(xp: Any, x: Any) -> Any:
        weight = gain.astype(x.dtype) if xp is np else da.asarray(gain)
        m = x.mean((-2, -1), keepdims=True)
        return (x - m) * weight / ((x - m) ** 2).sum(axis=(2, 3), keepdims=True)

    near(body(da, da.asarray(host)), body, host)


def test_what_arrays_hold_is_stored_beside_it(device: da.Device) -> None:
    host = host_of((rows_of(device), 64))
    x = da.asarray(host).evaluate()
    mean = x.mean(1, keepdims=True)
    centred = x - mean
    result = centred * 2
    assert launches(result.evaluate) == 1
    assert not mean.pending
    assert launches(centred.evaluate) == 0
    same(centred, host - mean.copy_to_host())
    same(result, 2 * (host - mean.copy_to_host()))


def test_what_only_pending_values_want_stays_pending(device: da.Device) -> None:
    host = host_of((rows_of(device), 64))
    x = da.asarray(host).evaluate()
    centred = x - x.max(1, keepdims=True)
    one, other = centred * 2, centred * 3
    del centred
    one.evaluate()
    assert other.pending
    same(other, (host - host.max(1, keepdims=True)) * 3)
    same(one, (host - host.max(1, keepdims=True)) * 2)


def test_a_write_comes_after_what_waits(device: da.Device) -> None:
    host = host_of((rows_of(device), 64))
    x = da.asarray(host.copy()).evaluate()
    total, top = x.sum(1, keepdims=True), x.max(1)
    result = x - x.max(1, keepdims=True)
    x[:] = 0
    x += 1
    same(result, host - host.max(1, keepdims=True))
    same(top, host.max(1))
    np.testing.assert_allclose(total.copy_to_host(), host.sum(1, keepdims=True), rtol=1e-4, atol=1e-4)
    same(x, np.ones_like(host))


def test_the_result_is_an_array_of_its_own(device: da.Device) -> None:
    host = host_of((rows_of(device), 64))
    x = da.asarray(host).evaluate()
    top = x.max(1)
    assert top.base is None
    assert top.flags.owndata
    assert top.flags.writeable
    view = top[::2]
    top += 1
    same(view, (host.max(1) + 1)[::2])
    top = x.max(1)
    top *= 2
    same(top, host.max(1) * 2)
    same(x.max(1)[:, None][::-1] - x, host.max(1)[:, None][::-1] - host)
    same(da.broadcast_to(x.max(1, keepdims=True)[:1], (len(host), 1)) - x, host.max(1)[0] - host)


def test_views_and_outputs(device: da.Device) -> None:
    host = host_of((rows_of(device), 64))
    x = da.asarray(host).evaluate()
    centred = x - x.max(1, keepdims=True)
    same(centred[::2, 1:], (host - host.max(1, keepdims=True))[::2, 1:])
    out = da.empty_like(x)
    da.subtract(x, x.max(1, keepdims=True), out=out)
    same(out, host - host.max(1, keepdims=True))
    out[1:] = (x - x.min(1, keepdims=True))[1:]
    same(out[1:], (host - host.min(1, keepdims=True))[1:])
    x -= x.max(1, keepdims=True)
    same(x, host - host.max(1, keepdims=True))


def test_not_by_rows(device: da.Device) -> None:
    host = host_of((64, rows_of(device)))
    x = da.asarray(host).evaluate().T
    same(x - x.max(1, keepdims=True), (host - host.max(0)).T)
    y = da.asarray(host.T.copy())[:, ::-1]
    same(y - y.max(1, keepdims=True), host.T[:, ::-1] - host.T.max(1, keepdims=True))


def test_integers_and_truths(device: da.Device) -> None:
    host = np.random.default_rng(2).integers(-9, 9, (rows_of(device), 70)).astype("int16")
    x = da.asarray(host)
    same(x * 2 - x.sum(1, keepdims=True), host * 2 - host.sum(1, keepdims=True))
    same(x.any(1, keepdims=True) ^ (x > 0), host.any(1, keepdims=True) ^ (host > 0))
    same(x % 7 == (x % 7).max(1, keepdims=True), host % 7 == (host % 7).max(1, keepdims=True))
    same(x - x.prod(1, dtype="int64", keepdims=True), host - host.prod(1, dtype="int64", keepdims=True))


def test_nans(device: da.Device) -> None:
    host = host_of((rows_of(device), 64))
    host[3, 5] = np.nan
    host[4, 6] = np.inf
    x = da.asarray(host)
    with np.errstate(invalid="ignore"):
        same(x - x.max(1, keepdims=True), host - host.max(1, keepdims=True))


def test_explain_launches_the_reductions(device: da.Device) -> None:
    host = host_of((rows_of(device), 64))
    x = da.asarray(host).evaluate()
    y = x - x.max(1, keepdims=True)
    assert len(da.explain(y).kernels) == 1
    assert y.pending
    same(y, host - host.max(1, keepdims=True))


@pytest.mark.parametrize("columns", [700, 1000])
def test_long_rows_of_doubles_are_held(device: da.Device, columns: int, sources: list[str]) -> None:
    if not device.caps["fp64"]:
        pytest.skip("no float64")
    host = host_of((rows_of(device), columns), "float64")
    near(layer_norm(da, da.asarray(host)), layer_norm, host)
    assert any("f64 a0_[" in text for text in sources)


_UNARY = ["exp", "negative", "abs", "square", "tanh"]  # without a jump, where float32 may be on the other side
_BINARY = ["add", "subtract", "multiply", "maximum", "minimum"]
_REDUCTIONS = ["sum", "max", "min", "mean"]


def grow(xp: Any, x: Any, steps: list[tuple[int, int, int, bool]]) -> list[Any]:
    """A random program: values made from earlier ones, of the whole space or of rows."""
    values = [x / 8]
    for kind, first, second, keep in steps:
        a, b = values[first % len(values)], values[second % len(values)]
        if kind < 4 and a.shape == x.shape:
            made = getattr(a, _REDUCTIONS[kind])(-1, keepdims=keep)
            if not keep and second % 3 == 0:  # more of what has lost the axis
                made = getattr(xp, _UNARY[second % 5])(xp.clip(made, -2, 2))
            made = made if keep else made[:, None]
        elif kind < 9:
            made = getattr(xp, _UNARY[kind % 5])(xp.clip(a, -2, 2))
        else:
            made = getattr(xp, _BINARY[kind % 5])(a, b)
        values.append(made)
    return values


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 13), st.integers(0, 50), st.integers(0, 50), st.booleans()), max_size=9),
    st.sampled_from([4, 7, 12, 32, 40, 64, 131]),
    st.integers(0, 2**16),
)
def test_random_programs(device: da.Device, steps: list[tuple[int, int, int, bool]], columns: int, held: int) -> None:
    host = host_of((rows_of(device), columns), seed=columns)
    values = grow(da, da.asarray(host), steps)
    wanted = grow(np, host.astype("float64"), steps)
    last = len(values) - 1
    kept = [k for k in range(last) if held >> k & 1]
    some = {k: values[k] for k in kept}
    result = values[last]
    del values
    np.testing.assert_allclose(result.copy_to_host(), wanted[last], rtol=1e-3, atol=1e-2)
    for k in kept:
        np.testing.assert_allclose(some[k].copy_to_host(), wanted[k], rtol=1e-3, atol=1e-2)
