"""The same calls of numpy.* on device arrays and on NumPy's, compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from oracle import host, same, silent

import devarray as da

Body = Callable[..., Any]


def both(body: Body, *arrays: np.ndarray) -> tuple[Any, Any]:
    """The same calls of numpy.* on device arrays and on NumPy's."""
    ours = body(*(da.asarray(a) for a in arrays))
    with silent():
        wanted = body(*(a.copy() for a in arrays))
    return ours, wanted


def check(body: Body, *arrays: np.ndarray, ulp: float = 8) -> None:
    compare(*both(body, *arrays), ulp)


def compare(ours: Any, wanted: Any, ulp: float) -> None:
    if isinstance(wanted, tuple | list):
        assert len(ours) == len(wanted)
        for mine, theirs in zip(ours, wanted, strict=True):
            compare(mine, theirs, ulp)
    elif isinstance(wanted, bool | int | str | np.dtype | type):
        assert ours == wanted
    else:
        assert isinstance(ours, da.Array)
        # Sums are ordered differently: the bound is relative to the largest element.
        size = float(np.nanmax(np.abs(np.where(np.isfinite(wanted), wanted, 0)), initial=1)) if ulp else 1
        if ulp and wanted.dtype.kind in "fc":
            assert ours.shape == wanted.shape
            assert ours.dtype == wanted.dtype
            np.testing.assert_allclose(
                host(ours), wanted, rtol=0, atol=ulp * 16 * np.finfo(wanted.dtype).eps * size, equal_nan=True
            )
        else:
            same(ours, wanted)
