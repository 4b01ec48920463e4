"""NumPy's convolution, correlation and window functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray._primitives.operands import as_arrays
from devarray._primitives.planned import run_planned
from devarray._primitives.sliding import BY_TRANSFORM, zeros_around
from devarray._routines.manipulation.rearranging import flip
from devarray._runtime.devices import Device, Queue
from devarray.array import Array, reduce
from devarray.errors import DTypeError, ShapeError, ValueError

__all__ = ["bartlett", "blackman", "convolve", "correlate", "hamming", "hanning", "kaiser"]


def convolve(a: object, v: object, mode: str = "full") -> Array:
    """Convolution of two rows: ``result[k] = sum(a[i] * v[k - i])``.

    Integers and bools are exact, in the promoted dtype, whatever the lengths. Floats whose shorter operand has 256
    elements or more go by Fourier transforms of blocks: the error is then relative to the largest elements around, and
    a NaN or an infinity makes NaN of its whole block.

    Parameters
    ----------
    a, v : array_like
        One-dimensional and not empty.
    mode : {"full", "same", "valid"}
        Which sums to return: all (the default), as many as the longer row has elements, from the middle, or those where
        the rows overlap entirely.

    Returns
    -------
    Array
        A new one-dimensional array of the dtype that the rows' promote to.

    Raises
    ------
    ShapeError
        For arrays of more than one dimension.
    ValueError
        For an empty row, or another `mode`.

    Examples
    --------
    >>> import devarray as da
    >>> da.convolve(da.asarray([1, 2, 3]), [0, 1, 10]).copy_to_host()
    array([ 0,  1, 12, 23, 30])
    """
    a, v, mode = _rows("convolve", a, v, mode)
    if a.size < v.size:
        a, v = v, a
    return _slid(a, flip(v), mode)


def correlate(a: object, v: object, mode: str = "valid") -> Array:
    """Correlation of two rows: ``result[k] = sum(a[k + i] * conj(v[i]))``. Computed as :func:`convolve` is.

    Parameters
    ----------
    a, v : array_like
        One-dimensional and not empty.
    mode : {"valid", "same", "full"}
        As in :func:`convolve`. "valid" by default.

    Returns
    -------
    Array
        A new one-dimensional array of the dtype that the rows' promote to.

    Raises
    ------
    ShapeError
        For arrays of more than one dimension.
    ValueError
        For an empty row, or another `mode`.

    Examples
    --------
    >>> import devarray as da
    >>> da.correlate(da.asarray([1, 2, 3]), [0, 1, 10], "same").copy_to_host()
    array([21, 32,  3])
    """
    a, v, mode = _rows("correlate", a, v, mode)
    if v.dtype.kind == "c":
        v = v.conj()
    return _slid(a, v, mode) if a.size >= v.size else flip(_slid(v, a, mode)).copy()


_MODES = ("valid", "same", "full")
"""By the numbers that NumPy has for them."""


_EMPTY = {
    (False, False): "a",
    (False, True): "v",
    (True, False): "first array argument",
    (True, True): "second array argument",
}
"""NumPy's names of the rows of convolve and correlate."""


def _rows(name: str, a: object, v: object, mode: Any) -> tuple[Array, Array, str]:
    if not isinstance(mode, str | int | np.integer):
        raise DTypeError(f"{name}: convolve/correlate mode not understood: it is text, not {type(mode).__name__}")
    number = _MODES.index(mode) if mode in _MODES else -1 if isinstance(mode, str) else int(mode)
    if not 0 <= number < len(_MODES):
        raise ValueError(f"{name}: Use one of 'valid', 'same', or 'full' for convolve/correlate mode, not {mode!r}")
    mode = _MODES[number]
    if type(a) is not Array or type(v) is not Array:
        a, v = as_arrays(a, v)
    least = 1 if name == "correlate" else 0  # NumPy's convolve takes numbers for rows of one
    if not least <= min(a.ndim, v.ndim) <= max(a.ndim, v.ndim) <= 1:
        raise ShapeError(
            f"{name}: object too deep for desired array: it takes rows, not arrays of {a.ndim} and {v.ndim} dimensions"
        )
    if a.size == 0 or v.size == 0:
        raise ValueError(f"{name}: {_EMPTY[name == 'correlate', v.size == 0 < a.size]} cannot be empty")
    dtype = _core.promote(a.dtype, v.dtype)
    if a.ndim == v.ndim == 1 and a.dtype == v.dtype:
        return a, v, mode
    return a.reshape(-1).astype(dtype, copy=False), v.reshape(-1).astype(dtype, copy=False), mode


def _slid(a: Array, v: Array, mode: str) -> Array:
    """Sums of ``a[k + i] * v[i]`` for the shorter `v` slid along `a`, with zeros around it."""
    if mode == "valid" and a.size == v.size > 1 and a.dtype.kind in "fc" and a.itemsize > 2:
        return (a * v).sum(keepdims=True)  # one sum
    before, behind = zeros_around(mode, v.size)
    count = a.size + before + behind - v.size + 1
    if a.dtype == np.float16:  # NumPy's sums have more digits, too
        return _slid(a.astype(np.float32), v.astype(np.float32), mode).astype(np.float16)
    if a.dtype.kind in "fc" and v.size >= BY_TRANSFORM and count > 1:
        return _by_transforms(a, v, before, count)
    if count < v.size:  # few long sums, of whole rows
        windows = _core.view(a, (count, v.size), (a.strides[0], a.strides[0]))
        return (
            reduce(windows & v, "any", -1, False, consume=True)
            if a.dtype.kind == "b"
            else reduce(windows * v, "sum", -1, False, a.dtype, consume=True)
        )
    from devarray.codegen.kernels.slide import plan_slide

    sums = _core.empty((count,), a.dtype, a.queue, a.allocator)
    run_planned(plan_slide, ("row", "taps", "out"), (_core.contiguous(a), v, sums), before)
    return sums


def _amid_zeros(a: Array, before: int, size: int) -> Array:
    framed = _core.full((size,), a.dtype, 0, a.queue, a.allocator)
    framed[before : before + a.size] = a
    return framed


def _by_transforms(a: Array, v: Array, before: int, count: int) -> Array:
    """By overlapping blocks, of which each gives its sums but for those that wrap around (overlap-save)."""
    from devarray import fft

    whole = count + v.size - 1
    block = 1 << (min(max(4 * v.size, 4096), whole) - 1).bit_length()
    step = block - v.size + 1
    blocks = -(-count // step)
    row = _amid_zeros(a, before, (blocks - 1) * step + block)
    windows = _core.view(row, (blocks, block), (step * row.itemsize, row.itemsize))
    if a.dtype.kind == "c":
        sums = fft.ifft(fft.fft(windows) * fft.fft(v.conj(), n=block).conj())
    else:
        sums = fft.irfft(fft.rfft(windows) * fft.rfft(v, n=block).conj(), n=block)
    return sums[:, :step].reshape(-1)[:count]


# --- windows: a few numbers, made on the host ----------------------------------------------------------------------


def bartlett(
    M: int, *, device: Device | str | None = None, allocator: object = None, queue: Queue | None = None
) -> Array:
    """The Bartlett window, a triangle that is zero at both ends.

    Parameters
    ----------
    M : int
        Number of points.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        float64 (float32 on devices without it), of shape ``(m,)``; computed on the host.

    Examples
    --------
    >>> import devarray as da
    >>> da.bartlett(5).copy_to_host()
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return asarray(np.bartlett(M), device=device, allocator=allocator, queue=queue)


def blackman(
    M: int, *, device: Device | str | None = None, allocator: object = None, queue: Queue | None = None
) -> Array:
    """The Blackman window.

    Parameters
    ----------
    M : int
        Number of points.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        float64 (float32 on devices without it), of shape ``(m,)``; computed on the host.

    Examples
    --------
    >>> import devarray as da
    >>> da.blackman(5).copy_to_host().round(3) + 0
    array([0.  , 0.34, 1.  , 0.34, 0.  ])
    """
    return asarray(np.blackman(M), device=device, allocator=allocator, queue=queue)


def hamming(
    M: int, *, device: Device | str | None = None, allocator: object = None, queue: Queue | None = None
) -> Array:
    """The Hamming window.

    Parameters
    ----------
    M : int
        Number of points.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        float64 (float32 on devices without it), of shape ``(m,)``; computed on the host.

    Examples
    --------
    >>> import devarray as da
    >>> da.hamming(5).copy_to_host().round(3)
    array([0.08, 0.54, 1.  , 0.54, 0.08])
    """
    return asarray(np.hamming(M), device=device, allocator=allocator, queue=queue)


def hanning(
    M: int, *, device: Device | str | None = None, allocator: object = None, queue: Queue | None = None
) -> Array:
    """The von Hann window.

    Parameters
    ----------
    M : int
        Number of points.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        float64 (float32 on devices without it), of shape ``(m,)``; computed on the host.

    Examples
    --------
    >>> import devarray as da
    >>> da.hanning(5).copy_to_host().round(3)
    array([0. , 0.5, 1. , 0.5, 0. ])
    """
    return asarray(np.hanning(M), device=device, allocator=allocator, queue=queue)


def kaiser(
    M: int, beta: float, *, device: Device | str | None = None, allocator: object = None, queue: Queue | None = None
) -> Array:
    """The Kaiser window.

    Parameters
    ----------
    M : int
        Number of points.
    beta : float
        The greater, the narrower the window; 0 is a rectangle.
    device, allocator, queue : optional
        Where the result is made, and the queue that orders its work, as in :func:`devarray.empty`.

    Returns
    -------
    Array
        float64 (float32 on devices without it), of shape ``(m,)``; computed on the host.

    Examples
    --------
    >>> import devarray as da
    >>> da.kaiser(5, 8.6).copy_to_host().round(3)
    array([0.001, 0.34 , 1.   , 0.34 , 0.001])
    """
    return asarray(np.kaiser(M, beta), device=device, allocator=allocator, queue=queue)
