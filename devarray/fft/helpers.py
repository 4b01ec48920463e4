"""The frequencies of a transform, and its elements in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._routines.creation import ranges
from devarray._routines.manipulation.rearranging import roll
from devarray._routines.manipulation.shapes import is_number
from devarray._routines.math import elementwise
from devarray._runtime.devices import Device
from devarray.array import Array, normalize_axis
from devarray.errors import DTypeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def fftfreq(n: int, d: float = 1.0, device: Device | str | None = None, *, dtype: DTypeLike | None = None) -> Array:
    """Frequencies of the elements of a transform of length `n`: ``[0, 1, ..., -2, -1] / (d * n)``.

    Parameters
    ----------
    n : int
        Length of the transform, at least 1.
    d : float
        Distance of the samples; the frequencies are in the reciprocal of its unit. 1 by default.
    device : Device or str, optional
        Where the result is made; by default the current device.
    dtype : dtype, optional
        A real floating-point one; float64 by default, float32 on devices without it.

    Returns
    -------
    Array
        A new one-dimensional array.

    Raises
    ------
    ValueError
        For an `n` below 1.
    DTypeError
        For another `dtype`.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.fftfreq(5).copy_to_host()
    array([ 0. ,  0.2,  0.4, -0.4, -0.2])
    """
    dtype = _frequency_dtype("fftfreq", n, dtype)
    k = ranges.arange(n, device=device)
    counts = elementwise.where(k < (n + 1) // 2, k, k - n)
    return _scaled(counts, n, d, dtype)


def rfftfreq(n: int, d: float = 1.0, device: Device | str | None = None, *, dtype: DTypeLike | None = None) -> Array:
    """Frequencies of the elements of :func:`rfft`: ``[0, 1, ..., n // 2] / (d * n)``.

    Parameters
    ----------
    n : int
        Length of the transform, at least 1.
    d : float
        Distance of the samples; the frequencies are in the reciprocal of its unit. 1 by default.
    device : Device or str, optional
        Where the result is made; by default the current device.
    dtype : dtype, optional
        A real floating-point one; float64 by default, float32 on devices without it.

    Returns
    -------
    Array
        A new one-dimensional array.

    Raises
    ------
    ValueError
        For an `n` below 1.
    DTypeError
        For another `dtype`.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.rfftfreq(5).copy_to_host()
    array([0. , 0.2, 0.4])
    """
    dtype = _frequency_dtype("rfftfreq", n, dtype)
    return _scaled(ranges.arange(n // 2 + 1, dtype=np.int64, device=device), n, d, dtype)


def _frequency_dtype(name: str, n: int, dtype: DTypeLike | None) -> np.dtype | None:
    if isinstance(n, float | np.floating):
        raise ValueError(f"{name}: n should be an integer, not {n}")
    if n < 1:
        raise ValueError(f"{name}: n is at least 1, not {n}")
    if dtype is not None and np.dtype(dtype).kind != "f":
        raise DTypeError(f"{name}: dtype is a real floating-point one, not {np.dtype(dtype)}")
    return None if dtype is None else np.dtype(dtype)


def _scaled(counts: Array, n: int, d: float, dtype: np.dtype | None) -> Array:
    if dtype is None:
        dtype = np.dtype(np.float64 if counts.device.fp64 else np.float32)
    return counts.astype(dtype) * (1.0 / (n * d))


def fftshift(x: Array, axes: int | Sequence[int] | None = None) -> Array:
    """A transform with the element of frequency zero moved to the middle of the axes.

    Parameters
    ----------
    x : Array
        The array.
    axes : int or sequence of int, optional
        The axes; all by default.

    Returns
    -------
    Array
        A new array.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.fftshift(da.asarray([0, 1, 2, -2, -1])).copy_to_host()
    array([-2, -1,  0,  1,  2])
    """
    return _shift(x, axes, 1)


def ifftshift(x: Array, axes: int | Sequence[int] | None = None) -> Array:
    """Inverse of :func:`fftshift`.

    Parameters
    ----------
    x : array_like
        The array.
    axes : int or sequence of int, optional
        The axes; all by default.

    Returns
    -------
    Array
        A new array.

    Raises
    ------
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.ifftshift(da.asarray([-2, -1, 0, 1, 2])).copy_to_host()
    array([ 0,  1,  2, -2, -1])
    """
    return _shift(x, axes, -1)


def _shift(x: Array, axes: int | Sequence[int] | None, direction: int) -> Array:
    given: Any = range(x.ndim) if axes is None else [axes] if is_number(axes) else axes
    chosen = tuple(normalize_axis(axis, x.ndim) for axis in given)  # an axis that is named twice is shifted twice
    shift = tuple(x.shape[axis] // 2 if direction > 0 else -(x.shape[axis] // 2) for axis in chosen)
    return roll(x, shift, axis=chosen) if chosen else x.copy()
