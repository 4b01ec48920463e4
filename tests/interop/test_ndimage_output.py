"""``output=`` of scipy.ndimage's functions: what their compiled code writes arrives on the device, or is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import moderate

import devarray as da

ndimage = pytest.importorskip("scipy.ndimage")

CALLS: dict[str, Any] = {
    "gaussian_filter": lambda x, out: ndimage.gaussian_filter(x, 1, output=out),
    "uniform_filter": lambda x, out: ndimage.uniform_filter(x, 3, output=out),
    "median_filter": lambda x, out: ndimage.median_filter(x, 3, output=out),
    "sobel": lambda x, out: ndimage.sobel(x, output=out),
    "convolve": lambda x, out: ndimage.convolve(x, np.ones((3, 3)), output=out),
    "minimum_filter1d": lambda x, out: ndimage.minimum_filter1d(x, 3, output=out),
    "shift": lambda x, out: ndimage.shift(x, 1.5, output=out),
    "grey_dilation": lambda x, out: ndimage.grey_dilation(x, 3, output=out),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("strided", [False, True])
def test_outputs_are_written(name: str, strided: bool) -> None:
    host = moderate("float64", (9, 8), 3)
    dtype = "float64"
    theirs, ours = np.zeros((9, 16), dtype), da.zeros((9, 16), dtype=dtype)
    part: Any = (slice(None), slice(None, None, 2)) if strided else (slice(None), slice(8))
    CALLS[name](host, theirs[part])
    pending = da.asarray(host) + 0
    with da.use(fallback="allow"):
        if ours.device.strategy == "gpu":
            with pytest.raises(TypeError, match="output="):
                CALLS[name](pending, ours[part])
            return
        CALLS[name](pending, ours[part])
    assert np.array_equal(ours.copy_to_host(), theirs)


def test_an_input_that_is_the_output() -> None:
    host = moderate("float64", (9, 8), 3)
    x = da.asarray(host)
    if x.device.strategy == "gpu":
        pytest.skip("outputs are refused there")
    with da.use(fallback="allow"):
        ndimage.gaussian_filter(x, 1, output=x)
        kept = np.asarray(x)
        x += 1
    ndimage.gaussian_filter(host, 1, output=host)
    assert np.array_equal(x.copy_to_host(), host + 1) and np.array_equal(kept, host)
