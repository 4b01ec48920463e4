"""Numbers that become another dtype's within a kernel and come back: the bits of NumPy's, zeros' signs too."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import moderate, on_both, same, skip_without

import devarray as da


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("through", ["int8", "int32", "int64", "uint32", "float16", "float32"])
def test_there_and_back(device, dtype, through, monkeypatch):
    skip_without(dtype)
    monkeypatch.setattr(da.config, "background", False)
    monkeypatch.setattr(da.config, "host_elements", 0)  # by a kernel, which has loops for what vectors leave over
    for size in (1, 7, 200, 1003):
        x = moderate(dtype, size, size) / 3
        x = np.abs(x) if through[0] == "u" else x
        same(*on_both(lambda xp, x: x.astype(through).astype(dtype), x), f"{size}")
        same(*on_both(lambda xp, x: x.astype(through).astype(dtype) * 2, x), f"{size}")
