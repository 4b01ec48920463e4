"""What the tests of stores share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import devarray as da


def given(*shape: int, seed: int = 0) -> np.ndarray:
    """Whole numbers, as float32."""
    return np.random.default_rng(seed).integers(1, 99, shape).astype("float32")


def launches(work: Callable[[], Any]) -> int:
    """How many kernels it takes, and what then still waits; the result is kept meanwhile."""
    da.synchronize()
    before = da.stats()["launches"]
    kept = work()
    da.synchronize()
    del kept
    return int(da.stats()["launches"] - before)
