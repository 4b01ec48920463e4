"""NumPy as the oracle: inputs, layouts, and comparisons that say what differs."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray.ops.dtypes import DTYPES as _DTYPES

# In the order of the op table: bool, integers, floats, complex.
DTYPES = tuple(_DTYPES)
INTEGERS = DTYPES[1:9]
FLOATS = DTYPES[9:12]
COMPLEX = DTYPES[12:]


def skip_without(*dtypes: Any) -> None:
    """Skip the test where the device does not compute in one of the dtypes."""
    if not da.device().caps["fp64"] and {np.dtype(t).name for t in dtypes} & {"float64", "complex128"}:
        pytest.skip("the device has no float64")


def values(dtype: Any, shape: int | Sequence[int] = 60, seed: int = 0) -> np.ndarray:
    """Small numbers of both signs and of every magnitude, with limits, zeros and, in floats, infinities and NaN."""
    dtype = np.dtype(dtype)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    n = int(np.prod(shape))
    rng = np.random.default_rng([seed, n])
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        x = rng.integers(info.min, info.max, n, dtype, endpoint=True)
        x[::2] = rng.integers(max(info.min, -9), 10, x[::2].size)
        special: list[Any] = [info.min, info.max, 0, 1, info.max - 1, info.min + 1]
    elif dtype.kind == "f":
        info = np.finfo(dtype)
        x = (np.exp2(rng.uniform(info.minexp, info.maxexp, n)) * rng.choice([-1.0, 1.0], n)).astype(dtype)
        x[::2] = rng.uniform(-4, 4, x[::2].size)
        special = [np.nan, np.inf, -np.inf, 0.0, -0.0, info.smallest_subnormal, info.max, 1.0, -1.0, 0.5]
    else:
        real = values(f"f{dtype.itemsize // 2}", n, seed)
        x = np.empty(n, dtype)
        x.real, x.imag = real, rng.permutation(real)
        return x.reshape(shape)
    where = rng.permutation(n)[: len(special)]
    x[where] = np.array(special[: len(where)], dtype)
    return x.reshape(shape)


def moderate(dtype: Any, shape: int | Sequence[int] = 60, seed: int = 0) -> np.ndarray:
    """Numbers from -4 to 4 (0 to 8 without sign), where no function overflows."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng([seed, 7])
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        return (rng.integers(-4, 5, shape) + (4 if dtype.kind == "u" else 0)).astype(dtype)
    x = rng.uniform(-4, 4, shape)
    return (x + 1j * rng.uniform(-4, 4, shape) if dtype.kind == "c" else x).astype(dtype)


@contextmanager
def silent() -> Iterator[None]:
    """NumPy without its warnings: overflow and division by zero are among the inputs."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def host(x: Any) -> np.ndarray:
    """A result of either library as a NumPy array; a Python or NumPy scalar as a 0-d one."""
    return x.copy_to_host() if isinstance(x, da.Array | da.OpaqueArray) else np.asarray(x)


def launches(work: Callable[[], object]) -> int:
    """Kernels that the device is given while `work` runs."""
    da.synchronize()
    before = da.stats()["launches"]
    work()
    return da.stats()["launches"] - before


def on_both(body: Callable[..., Any], *arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same test body under devarray and NumPy: ``body(xp, *arrays)``; each gets arrays of its own."""
    ours = body(da, *(da.asarray(a) for a in arrays))
    with silent():
        wanted = body(np, *(a.copy() for a in arrays))
    return host(ours), np.asarray(wanted)


def same(ours: Any, wanted: Any, message: str = "") -> None:
    """Equal in dtype, shape and every bit; all NaN are one."""
    ours, wanted = host(ours), np.asarray(wanted)
    assert ours.dtype == wanted.dtype, f"{message} dtype {ours.dtype}, wanted {wanted.dtype}"
    assert ours.shape == wanted.shape, f"{message} shape {ours.shape}, wanted {wanted.shape}"
    equal = _same_bits(ours, wanted)
    if not equal.all():
        at = tuple(int(i[0]) for i in np.nonzero(~equal)) if ours.ndim else ()
        raise AssertionError(
            f"{message} {np.count_nonzero(~equal)} of {equal.size} elements differ, first at {at}: "
            f"{ours[at]!r}, wanted {wanted[at]!r}"
        )


def _same_bits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if a.dtype.kind == "c":
        return _same_bits(a.real, b.real) & _same_bits(a.imag, b.imag)
    if a.dtype.kind != "f":
        return a == b
    return ((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))


def close(ours: Any, wanted: Any, ulp: float, message: str = "") -> None:
    """Equal in dtype and shape, and within so many units in the last place of the magnitude; NaN and infinity alike."""
    ours, wanted = host(ours), np.asarray(wanted)
    if wanted.dtype.kind not in "fc" or ulp == 0:
        same(ours, wanted, message)
        return
    assert ours.dtype == wanted.dtype, f"{message} dtype {ours.dtype}, wanted {wanted.dtype}"
    assert ours.shape == wanted.shape, f"{message} shape {ours.shape}, wanted {wanted.shape}"
    info = np.finfo(wanted.dtype)
    with silent():
        size = np.abs(wanted).astype(np.longdouble)
        bound = ulp * np.maximum(size * float(info.eps), float(info.smallest_subnormal))
        good = np.abs(ours.astype(np.clongdouble) - wanted.astype(np.clongdouble)) <= bound
        good |= (ours == wanted) | (np.isnan(ours) & np.isnan(wanted))
        good |= ~np.isfinite(size) & ~np.isfinite(np.abs(ours)) & ~np.isnan(ours)  # an overflow, in whichever part
    if not good.all():
        at = tuple(int(i[0]) for i in np.nonzero(~good)) if ours.ndim else ()
        raise AssertionError(
            f"{message} {np.count_nonzero(~good)} of {good.size} elements are more than {ulp} ULP away, first at {at}: "
            f"{ours[at]!r}, wanted {wanted[at]!r}"
        )
