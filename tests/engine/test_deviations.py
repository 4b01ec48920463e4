"""Variances and standard deviations: NumPy's, on GPUs by one pass over what does not stay on the chip."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray import _core

SHAPES = [(0, 3), (3, 0), (), (1,), (2, 9), (5000,), (300, 70), (40, 50, 12)]
DTYPES = ["bool", "uint16", "float16", "float32", "float64", "complex64"]
FEW = "ignore:(Degrees of freedom|Mean of empty|invalid value)"


@pytest.fixture
def one_pass(device: da.Device) -> None:
    if device.strategy != "gpu" or not _core.deferred():
        pytest.skip("GPUs' strategy is asked for")


def host_of(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    made = np.random.default_rng(len(shape)).standard_normal((*shape, 2)) * 9 + 20
    return (made[..., 0] + 1j * made[..., 1] if dtype.startswith("c") else made[..., 0]).astype(dtype)


def check(got: Any, host: np.ndarray, name: str, **how: Any) -> None:
    """Against NumPy's two passes, in a wider dtype."""
    wide = np.clongdouble if host.dtype.kind == "c" else np.longdouble
    with np.errstate(all="ignore"):
        want = np.asarray(getattr(host.astype(wide), name)(**how))
        small = getattr(host, name)(**how)
    assert got.dtype == small.dtype and got.shape == want.shape
    ulps = 4 * host.itemsize * 64 if host.dtype == np.float16 else 64  # whose distances are rounded
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(got.copy_to_host(), want.astype(got.dtype), rtol=ulps * np.finfo(got.dtype).eps)


def axes_of(ndim: int) -> list[Any]:
    return [None, *range(-1, ndim), *([(0, 1)] if ndim > 1 else []), *([(0, 2), (1, 2)] if ndim > 2 else [])][
        : None if ndim else 1
    ]


@pytest.mark.filterwarnings(FEW)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.heavy
def test_dtypes_shapes_and_axes(device: da.Device, dtype: str, shape: tuple[int, ...]) -> None:
    host = host_of(dtype, shape)
    x = da.asarray(host)
    for axis in axes_of(host.ndim):
        for name, ddof, keep in (("var", 0, False), ("std", 1, True)):
            how = {"axis": axis, "ddof": ddof, "keepdims": keep}
            check(getattr(x, name)(**how), host, name, **how)


VIEWS: dict[str, Any] = {
    "every second": lambda x: x[::2, 1::3],
    "backwards": lambda x: x[::-1, ::-1],
    "turned": lambda x: x.T,
    "spread": lambda x: (da if isinstance(x, da.Array) else np).broadcast_to(x[3:4], x.shape),
    "inside": lambda x: x[1:-1, 1:-1],
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.heavy
def test_views_and_what_is_computed_of_them(device: da.Device, name: str, dtype: str) -> None:
    host = host_of(dtype, (301, 402))
    x, seen = da.asarray(host), VIEWS[name](host)
    for axis in (None, 0, 1):
        pairs = [(VIEWS[name](x), seen), (VIEWS[name](x) * 2 - 5, seen * 2 - 5), (VIEWS[name](x * 3), seen * 3)]
        for made, want in pairs:
            if name == "spread" and axis == 0:  # all equal
                np.testing.assert_allclose(made.std(axis=0).copy_to_host(), 0, atol=1e-4)
            else:
                check(made.std(axis=axis), want, "std", axis=axis)


@pytest.mark.usefixtures("one_pass")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("axis", [None, 0, (0, 1)])
def test_small_deviations_from_large_means(device: da.Device, dtype: str, axis: Any) -> None:
    """Wherever the mean lies: NumPy's is rounded to the dtype, and its variances are off by the square of that."""
    noise = np.random.default_rng(2).standard_normal((600, 700))
    for host in (1e6 + noise * (1 if dtype == "float32" else 1e-3), np.where(noise > 2.5, 1e7, noise)):
        host = host.astype(dtype)
        exact = host.astype(np.longdouble).var(axis=axis)
        ours = da.asarray(host).var(axis=axis).copy_to_host()
        np.testing.assert_allclose(ours, exact.astype(dtype), rtol=32 * np.finfo(dtype).eps)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_not_finite(device: da.Device, axis: int | None) -> None:
    for value in (np.nan, np.inf, -np.inf):
        host = host_of("float32", (300, 400))
        host[17, 33] = value
        got = da.asarray(host).std(axis=axis).copy_to_host()
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(np.isnan(got), np.isnan(host.std(axis=axis)))
    large = np.where(np.arange(120_000).reshape(300, 400) % 7, np.float32(-1e30), np.float32(1e30))
    assert np.all(np.isposinf(da.asarray(large).std(axis).copy_to_host()))


def test_options(device: da.Device) -> None:
    host = host_of("float32", (300, 400))
    x, mask = da.asarray(host), host > 20
    check(x.var(0, correction=1), host, "var", axis=0, ddof=1)
    check(x.std(1, where=da.asarray(mask)), host, "std", axis=1, where=mask)
    np.testing.assert_allclose(x.std(0, dtype="f8").copy_to_host(), host.std(0, dtype="f8"), rtol=1e-13)
    out = da.zeros(400, dtype="f8")
    assert x.var(0, out=out) is out
    np.testing.assert_allclose(out.copy_to_host(), host.astype("f8").var(0), rtol=1e-5)
    with pytest.raises(da.errors.DTypeError, match="imaginary"):
        da.asarray(host.astype("c8")).var(dtype="f4")


def launches(work: Any) -> int:
    before = da.stats()["launches"]
    for made in work():
        made.evaluate()
    return da.stats()["launches"] - before


@pytest.mark.usefixtures("one_pass")
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("axis", [None, 0, (0, 1), 1])
def test_one_launch(device: da.Device, axis: Any, dtype: str) -> None:
    host = host_of(dtype, (60, 50, 40))
    x = da.asarray(host)
    assert launches(lambda: [x.std(axis=axis)]) == 1
    assert launches(lambda: [(x * 2 + 1).var(axis=axis)]) == 1
    assert launches(lambda: [(x * 2 + 1)[::2].T.var(axis=axis)]) == 1
    y = x * 3
    assert launches(lambda: [y.std(axis=axis), y]) == 1  # which stores what is held


@pytest.mark.usefixtures("one_pass")
def test_a_mean_and_a_deviation_are_one_launch(device: da.Device) -> None:
    before = _core.get_config()["row_bytes"]
    _core.set_config("row_bytes", 100_000)
    try:
        host = host_of("float64", (500, 600))
        x = da.asarray(host)
        mean, deviation, variance, total = x.mean(), x.std(), x.var(ddof=1), (x * x).sum()
        assert launches(lambda: [mean, deviation, variance, total]) == 1
        alone = da.asarray(host).mean()
    finally:
        _core.set_config("row_bytes", before)
    assert mean.item() == alone.item()
    check(deviation, host, "std")
    check(variance, host, "var", ddof=1)
    np.testing.assert_allclose(total.item(), (host * host).sum(), rtol=1e-13)


@pytest.mark.usefixtures("one_pass")
def test_the_same_bits_each_time(device: da.Device) -> None:
    x = da.asarray(host_of("float32", (4000, 500)))
    for axis in (None, 0, 1):
        first = x.std(axis).copy_to_host().tobytes()
        assert all(x.std(axis).copy_to_host().tobytes() == first for _ in range(5))
