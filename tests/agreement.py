"""Calls under NumPy and under devarray that must agree: in dtypes, shapes and values, or in the error raised."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from oracle import host, same, silent, skip_without

import devarray as da

Body = Callable[..., Any]
ULP = 64
"""Of the largest element: sums are ordered differently."""


def near(ours: Any, wanted: Any, ulp: float = ULP) -> None:
    """Alike in structure, dtype and shape; integers equal, floats within units of the largest one."""
    if isinstance(wanted, tuple | list):
        assert len(ours) == len(wanted)
        for mine, theirs in zip(ours, wanted, strict=True):
            near(mine, theirs, ulp)
        return
    wanted, ours = np.asarray(wanted), host(ours)
    if wanted.dtype.kind not in "fc":
        same(ours, wanted)
        return
    assert (ours.dtype, ours.shape) == (wanted.dtype, wanted.shape)
    finite = np.abs(wanted[np.isfinite(wanted)]).astype(np.float64)
    bound = ulp * float(np.finfo(wanted.dtype).eps) * finite.max(initial=1e-300)
    np.testing.assert_allclose(ours.astype("D"), wanted.astype("D"), rtol=0, atol=bound, equal_nan=True)


def both(body: Body, *arrays: np.ndarray) -> tuple[Any, Any]:
    """A body under devarray and under NumPy, or "error" for the family of the error that each raises."""
    results = []
    for xp, given in ((da, [da.asarray(a) for a in arrays]), (np, [a.copy() for a in arrays])):
        with silent(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                results.append(body(xp, *given))
            except (TypeError, ValueError, IndexError, np.linalg.LinAlgError) as error:
                assert xp is np or isinstance(error, da.Error)
                results.append("error")
    return results[0], results[1]


def check(body: Body, *arrays: np.ndarray, ulp: float = ULP) -> None:
    """A body of a namespace and arrays gives nearly the same under both, or an error under both."""
    ours, wanted = both(body, *arrays)
    if isinstance(wanted, str) or isinstance(ours, str):
        assert isinstance(ours, str) and isinstance(wanted, str), (ours, wanted)
    else:
        near(ours, wanted, ulp)


def _outcome(body: Body, place: Any, given: tuple[Any, ...]) -> tuple[Any, ...] | Exception:
    convert = da.asarray if place is da else np.copy
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = body(place, *map(convert, given))
    except (TypeError, ValueError) as error:
        return error
    return tuple(result) if isinstance(result, tuple | list) else (result,)


def agree(body: Body, *given: np.ndarray) -> None:
    """As `check`, with bounds relative to each element, and errors of the same class: TypeError or ValueError."""
    skip_without(np.float64)
    wanted, found = _outcome(body, np, given), _outcome(body, da, given)
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        assert isinstance(wanted, Exception) and isinstance(found, Exception), (wanted, found)
        kind = TypeError if isinstance(wanted, TypeError) else ValueError
        assert isinstance(found, kind) and isinstance(found, da.Error)
        return
    assert len(wanted) == len(found)
    for one, other in zip(wanted, found, strict=True):
        other = other.copy_to_host() if isinstance(other, da.Array) else np.asarray(other)
        assert np.asarray(one).dtype == other.dtype
        single = other.dtype.itemsize == 4 * (1 + (other.dtype.kind == "c"))
        np.testing.assert_allclose(other, one, rtol=1e-4 if single else 1e-9, atol=1e-6 if single else 1e-12)
