"""Transforms on CPU devices, by DUCC and by NumPy's functions: the same numbers from both."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import host, moderate

import devarray as da
from devarray.fft import host as host_transforms

pytestmark = pytest.mark.usefixtures("device")


@pytest.fixture(params=["ducc0", "numpy"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if da.device().strategy != "cpu":
        pytest.skip("other strategies transform on the device")
    if request.param == "numpy":
        monkeypatch.setattr(host_transforms, "_ducc", lambda: None)
    else:
        pytest.importorskip("ducc0")
    return request.param


def agrees(name: str, x: np.ndarray, **kwargs: Any) -> None:
    ours = host(getattr(da.fft, name)(da.asarray(x), **kwargs))
    wanted = getattr(np.fft, name)(x, **kwargs)
    assert (ours.dtype, ours.shape) == (wanted.dtype, wanted.shape)
    epsilon = float(np.finfo(ours.dtype).eps)
    np.testing.assert_allclose(ours, wanted, rtol=0, atol=64 * epsilon * max(float(np.max(np.abs(wanted))), 1.0))


@pytest.mark.parametrize("norm", ["backward", "ortho", "forward"])
@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_cut_and_padded_axes(library: str, name: str, norm: str) -> None:
    x = moderate("float32" if name == "rfftn" else "complex64", (6, 9, 10))
    for sizes, axes in [
        ((4, 12), (0, 2)),
        ((16, 3, 7), (2, 0, 1)),
        ((5,), (1,)),
        (None, (2, 1)),
        ((1, 1, 2), (0, 1, 2)),
    ]:
        agrees(name, x, s=sizes, axes=axes, norm=norm)


@pytest.mark.parametrize("shape", [(300, 301), (70000,), (3, 20000), (20000, 3), (40, 50, 60)])
def test_sizes_that_take_several_threads(library: str, shape: tuple[int, ...]) -> None:
    agrees("fftn", moderate("complex64", shape))
    agrees("rfftn", moderate("float32", shape))
    agrees("irfftn", moderate("complex64", shape), s=shape, axes=tuple(range(len(shape))))


@pytest.mark.parametrize("view", [np.s_[::-1], np.s_[::2], np.s_[:, ::-3]], ids=str)
def test_views_are_read_where_they_lie(library: str, view: Any) -> None:
    x = moderate("complex64", (40, 60))
    ours = host(da.fft.fft2(da.asarray(x)[view]))
    np.testing.assert_allclose(ours, np.fft.fft2(x[view]), rtol=1e-4, atol=1e-3)


def test_an_empty_axis_is_padded(library: str) -> None:
    with pytest.raises(ValueError):
        da.fft.fft(da.ones(0))
    agrees("fft", np.ones(0, np.complex64), n=3)
