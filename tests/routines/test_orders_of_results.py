"""Results lie in memory as NumPy's do: by columns where what they are made of lies by columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "C": lambda x: x,
    "F": lambda x: x.T.copy().T,
    "first axes swapped": lambda x: x.transpose(1, 0, 2).copy().transpose(1, 0, 2),
    "last axes swapped": lambda x: x.transpose(0, 2, 1).copy().transpose(0, 2, 1),
    "every second": lambda x: x.T.copy().T[::2],
    "backwards in F": lambda x: x.T.copy().T[:, ::-1],
}
CALLS: dict[str, Callable[[Any, Any], list[Any]]] = {
    "sort": lambda xp, x: [xp.sort(x, axis) for axis in range(x.ndim)],
    "argsort": lambda xp, x: [xp.argsort(x, axis, "stable") for axis in range(x.ndim)],
    "partition": lambda xp, x: [xp.partition(x, 0, axis) for axis in range(x.ndim)],
    "cumsum": lambda xp, x: [xp.cumsum(x, axis) for axis in range(x.ndim)],
    "cumprod": lambda xp, x: [xp.cumprod(x, axis, np.float32) for axis in range(x.ndim)],
    "nancumsum": lambda xp, x: [xp.nancumsum(x, axis) for axis in range(x.ndim)],
    "cumulative_sum": lambda xp, x: [xp.cumulative_sum(x, axis=axis, include_initial=True) for axis in range(x.ndim)],
    "accumulate": lambda xp, x: [f.accumulate(x, axis) for f in (np.add, np.maximum) for axis in range(x.ndim)],
    "gradient": lambda xp, x: list(xp.gradient(x, axis=(0, 2))),
    "append": lambda xp, x: [xp.append(x, x, 1), xp.append(x, x)],
    "delete": lambda xp, x: [xp.delete(x, 0, 0), xp.delete(x, slice(1, 3), 2)],
    "insert": lambda xp, x: [xp.insert(x, 1, 9.0, 1), xp.insert(x, [0, 1], 9.0, 2)],
    "piecewise": lambda xp, x: [xp.piecewise(x, [x < 0.5, x >= 0.5], [lambda v: v * 2, 3])],
    "percentile": lambda xp, x: [xp.percentile(x, 30, 0), xp.percentile(x, [30, 50], 1)],
    "column_stack": lambda xp, x: [xp.column_stack([x, x]), xp.dstack([x, x])],
    "block": lambda xp, x: [xp.block([[x, x], [x, x]]), xp.block([x]), xp.block([[[x]], [[x]]]), xp.block(x)],
    "block of two orders": lambda xp, x: [xp.block([[x, xp.ones(x.shape)]]), xp.block([[xp.ones(x.shape)], [x]])],
    "fft": lambda xp, x: [xp.fft.fft(x, axis=axis) for axis in range(x.ndim)],
    "rfftn": lambda xp, x: [xp.fft.rfftn(x), xp.fft.irfftn(x, (4, 4), (0, 2)), xp.fft.hfft(x)],
}


def steps(x: Any) -> tuple[int, ...]:
    """Strides of the axes that have more than one element; those of the others mean nothing."""
    return tuple(step for step, size in zip(x.strides, x.shape, strict=True) if size > 1) if x.size else ()


@pytest.mark.parametrize("shape", [(4, 3, 6), (40, 30, 60)])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", CALLS)
def test_orders_of_results(name: str, layout: str, shape: tuple[int, ...]) -> None:
    values = np.random.default_rng(5).random(shape)
    host, ours = LAYOUTS[layout](values), LAYOUTS[layout](da.asarray(values))
    for found, wanted in zip(CALLS[name](da, ours), CALLS[name](np, host), strict=True):
        assert isinstance(found, da.Array)
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
        np.testing.assert_allclose(found.copy_to_host(), wanted, rtol=1e-5, atol=1e-8)
        assert steps(found) == steps(wanted)


def test_results_turned_back_can_be_written() -> None:
    x = da.asfortranarray(da.asarray(np.random.default_rng(0).random((3, 4))))
    for made in (da.sort(x, 0), da.cumsum(x, 1), da.fft.fft(x)):
        assert made.flags.writeable
        assert made.base is None
        made[...] = 0
        assert not made.any()


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "irfft2"])
@pytest.mark.parametrize("lengths", [{"s": (2, 3)}, {"s": (None, 3), "axes": (0, 1)}, {"s": (4, None), "axes": (0, 2)}])
def test_lengths_that_numpy_will_refuse(name: str, lengths: dict[str, Any]) -> None:
    values = np.random.default_rng(1).random((3, 4, 5))
    made, told = [], []
    for xp, x in ((np, values), (da, da.asarray(values))):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made.append(getattr(xp.fft, name)(x, **lengths))
        told.append([warning.category for warning in caught])
    assert told[0] == told[1]
    assert {warning.filename for warning in caught} <= {__file__}
    np.testing.assert_allclose(made[1].copy_to_host(), made[0], rtol=1e-12, atol=1e-12)
