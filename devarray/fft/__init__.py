"""Fourier transforms: the standard's extension ``fft``.

CPU devices use NumPy's pocketfft over mapped memory, CUDA devices cuFFT; other GPUs, and CUDA devices without cuFFT,
kernels of our own. float32 stays float32; integers and bool are transformed in float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from devarray._array.out import write_out
from devarray._primitives.operands import namespace as _namespace
from devarray._routines.creation import ranges
from devarray._routines.manipulation.rearranging import roll
from devarray._routines.math import elementwise
from devarray._runtime.devices import Device
from devarray.array import Array, normalize_axes
from devarray.errors import DTypeError, ValueError
from devarray.fft.kinds import Transform
from devarray.fft.transforms import one_axis, several_axes

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_Norm = Literal["backward", "ortho", "forward"]


def fft(a: Array, n: int | None = None, axis: int = -1, norm: _Norm | None = None, out: Array | None = None) -> Array:
    """Discrete Fourier transform along an axis: ``sum(x[k] * exp(-2j * pi * k * m / n))`` for each m.

    Parameters
    ----------
    a : array_like
        The array. float32 stays in its precision, float16 is taken as float32, and integers are taken as float64.
    n : int, optional
        Length of the transform: the axis is cut, or filled up with zeros. Its size by default.
    axis : int
        The axis to transform along. The last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new complex array in the precision of `a`.

    Raises
    ------
    ValueError
        For a length below 1, or another `norm`.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.fft(da.asarray([1.0, 2.0, 3.0, 4.0])).copy_to_host()
    array([10.+0.j, -2.+2.j, -2.+0.j, -2.-2.j])
    """
    return one_axis("fft", a, Transform.FORWARD, n, axis, norm, out=out)


def ifft(a: Array, n: int | None = None, axis: int = -1, norm: _Norm | None = None, out: Array | None = None) -> Array:
    """Inverse discrete Fourier transform along an axis: the inverse of :func:`fft`.

    Parameters
    ----------
    a : array_like
        The array. float32 stays in its precision, float16 is taken as float32, and integers are taken as float64.
    n : int, optional
        Length of the transform: the axis is cut, or filled up with zeros. Its size by default.
    axis : int
        The axis to transform along. The last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new complex array in the precision of `a`.

    Raises
    ------
    ValueError
        For a length below 1, or another `norm`.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.ifft(da.asarray([10.0, -2 + 2j, -2, -2 - 2j])).copy_to_host()
    array([1.+0.j, 2.+0.j, 3.+0.j, 4.+0.j])
    """
    return one_axis("ifft", a, Transform.INVERSE, n, axis, norm, out=out)


def fftn(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm | None = None,
    out: Array | None = None,
) -> Array:
    """Discrete Fourier transform along several axes.

    Parameters
    ----------
    a : array_like
        The array. float32 stays in its precision, float16 is taken as float32, and integers are taken as float64.
    s : sequence of int, optional
        Length of the transform along each of `axes`, -1 for the axis' size: axes are cut, or filled up with zeros.
        Their sizes by default.
    axes : sequence of int, optional
        The axes to transform along; all by default, or the last ``len(s)``.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new complex array in the precision of `a`.

    Raises
    ------
    ValueError
        For a length below 1, or another `norm`.
    ShapeError
        Where there is not one length for each axis.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.fftn(da.ones((2, 2))).copy_to_host()
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return several_axes("fftn", a, Transform.FORWARD, s, axes, norm, out=out)


def ifftn(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm | None = None,
    out: Array | None = None,
) -> Array:
    """Inverse discrete Fourier transform along several axes: the inverse of :func:`fftn`.

    Parameters
    ----------
    a : array_like
        The array. float32 stays in its precision, float16 is taken as float32, and integers are taken as float64.
    s : sequence of int, optional
        Length of the transform along each of `axes`, -1 for the axis' size: axes are cut, or filled up with zeros.
        Their sizes by default.
    axes : sequence of int, optional
        The axes to transform along; all by default, or the last ``len(s)``.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new complex array in the precision of `a`.

    Raises
    ------
    ValueError
        For a length below 1, or another `norm`.
    ShapeError
        Where there is not one length for each axis.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.ifftn(da.asarray([[4.0, 0.0], [0.0, 0.0]])).copy_to_host()
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    return several_axes("ifftn", a, Transform.INVERSE, s, axes, norm, out=out)


def rfft(a: Array, n: int | None = None, axis: int = -1, norm: _Norm | None = None, out: Array | None = None) -> Array:
    """Discrete Fourier transform of real data along an axis: its first half, which the other one mirrors.

    Parameters
    ----------
    a : array_like
        Real.
    n : int, optional
        Length of the transform: the axis is cut, or filled up with zeros. Its size by default.
    axis : int
        The axis to transform along. The last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new complex array with ``n // 2 + 1`` elements along the axis.

    Raises
    ------
    DTypeError
        For complex numbers.
    ValueError
        For a length below 1, or another `norm`.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.rfft(da.asarray([1.0, 2.0, 3.0, 4.0])).copy_to_host()
    array([10.+0.j, -2.+2.j, -2.+0.j])
    """
    return one_axis("rfft", a, Transform.FROM_REAL, n, axis, norm, out=out)


def irfft(a: Array, n: int | None = None, axis: int = -1, norm: _Norm | None = None, out: Array | None = None) -> Array:
    """Inverse of :func:`rfft`: real data from the first half of its transform.

    Parameters
    ----------
    a : array_like
        The first half of the transform.
    n : int, optional
        Size of the axis in the result; by default twice that of the axis less 2.
    axis : int
        The axis to transform along. The last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new real array in the precision of `a`.

    Raises
    ------
    ValueError
        For a length below 1, or another `norm`.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.irfft(da.asarray([10.0, -2 + 2j, -2])).copy_to_host()
    array([1., 2., 3., 4.])
    """
    return one_axis("irfft", a, Transform.TO_REAL, n, axis, norm, out=out)


def rfftn(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm | None = None,
    out: Array | None = None,
) -> Array:
    """Discrete Fourier transform of real data along several axes: its first half along the last one.

    Parameters
    ----------
    a : array_like
        Real.
    s : sequence of int, optional
        Length of the transform along each of `axes`, -1 for the axis' size: axes are cut, or filled up with zeros.
        Their sizes by default.
    axes : sequence of int, optional
        The axes to transform along; all by default, or the last ``len(s)``.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new complex array with ``s[-1] // 2 + 1`` elements along the last axis.

    Raises
    ------
    DTypeError
        For complex numbers.
    ValueError
        For a length below 1, or another `norm`.
    ShapeError
        Where there is not one length for each axis, or no axis.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.rfftn(da.ones((2, 4))).shape
    (2, 3)
    """
    return several_axes("rfftn", a, Transform.FROM_REAL, s, axes, norm, out=out)


def irfftn(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: _Norm | None = None,
    out: Array | None = None,
) -> Array:
    """Inverse of :func:`rfftn`: real data from the first half of its transform.

    Parameters
    ----------
    a : array_like
        The first half of the transform.
    s : sequence of int, optional
        Sizes of the result along `axes`; that of the last one is twice the axis' size less 2 by default.
    axes : sequence of int, optional
        The axes to transform along; all by default, or the last ``len(s)``.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new real array in the precision of `a`.

    Raises
    ------
    ValueError
        For a length below 1, or another `norm`.
    ShapeError
        Where there is not one length for each axis, or no axis.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.irfftn(da.fft.rfftn(da.ones((2, 4)))).copy_to_host()
    array([[1., 1., 1., 1.],
           [1., 1., 1., 1.]])
    """
    return several_axes("irfftn", a, Transform.TO_REAL, s, axes, norm, out=out)


def fft2(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: _Norm | None = None,
    out: Array | None = None,
) -> Array:
    """Discrete Fourier transform of matrices: :func:`fftn` along two axes.

    Parameters
    ----------
    a : array_like
        The array. float32 stays in its precision, float16 is taken as float32, and integers are taken as float64.
    s : sequence of int, optional
        Length of the transform along each of `axes`, -1 for the axis' size: axes are cut, or filled up with zeros.
        Their sizes by default.
    axes : sequence of int
        The axes to transform along. The last two by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new complex array in the precision of `a`.

    Raises
    ------
    ValueError
        For a length below 1, or another `norm`.
    ShapeError
        Where there is not one length for each axis.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.fft2(da.ones((2, 2))).copy_to_host()
    array([[4.+0.j, 0.+0.j],
           [0.+0.j, 0.+0.j]])
    """
    return fftn(a, s=s, axes=axes, norm=norm, out=out)


def ifft2(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: _Norm | None = None,
    out: Array | None = None,
) -> Array:
    """Inverse of :func:`fft2`.

    Parameters
    ----------
    a : array_like
        The array. float32 stays in its precision, float16 is taken as float32, and integers are taken as float64.
    s : sequence of int, optional
        Length of the transform along each of `axes`, -1 for the axis' size: axes are cut, or filled up with zeros.
        Their sizes by default.
    axes : sequence of int
        The axes to transform along. The last two by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new complex array in the precision of `a`.

    Raises
    ------
    ValueError
        For a length below 1, or another `norm`.
    ShapeError
        Where there is not one length for each axis.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.ifft2(da.asarray([[4.0, 0.0], [0.0, 0.0]])).copy_to_host()
    array([[1.+0.j, 1.+0.j],
           [1.+0.j, 1.+0.j]])
    """
    return ifftn(a, s=s, axes=axes, norm=norm, out=out)


def rfft2(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: _Norm | None = None,
    out: Array | None = None,
) -> Array:
    """Fourier transform of real matrices: :func:`rfftn` along two axes.

    Parameters
    ----------
    a : array_like
        Real.
    s : sequence of int, optional
        Length of the transform along each of `axes`, -1 for the axis' size: axes are cut, or filled up with zeros.
        Their sizes by default.
    axes : sequence of int
        The axes to transform along. The last two by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new complex array with ``s[-1] // 2 + 1`` elements along the last axis.

    Raises
    ------
    DTypeError
        For complex numbers.
    ValueError
        For a length below 1, or another `norm`.
    ShapeError
        Where there is not one length for each axis.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.rfft2(da.ones((2, 4))).shape
    (2, 3)
    """
    return rfftn(a, s=s, axes=axes, norm=norm, out=out)


def irfft2(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: _Norm | None = None,
    out: Array | None = None,
) -> Array:
    """Inverse of :func:`rfft2`: real matrices from the first half of their transform.

    Parameters
    ----------
    a : array_like
        The first half of the transform.
    s : sequence of int, optional
        Sizes of the result along `axes`; that of the last one is twice the axis' size less 2 by default.
    axes : sequence of int
        The axes to transform along. The last two by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new real array in the precision of `a`.

    Raises
    ------
    ValueError
        For a length below 1, or another `norm`.
    ShapeError
        Where there is not one length for each axis.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.irfft2(da.fft.rfft2(da.ones((2, 4)))).shape
    (2, 4)
    """
    return irfftn(a, s=s, axes=axes, norm=norm, out=out)


_OPPOSITE: dict[str, str] = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def _opposite(norm: Any) -> Any:
    """The scaling that a transform of the other direction would have."""
    return {None: "forward", "backward": "forward", "forward": "backward"}.get(norm, norm)


def hfft(a: Array, n: int | None = None, axis: int = -1, norm: _Norm | None = None, out: Array | None = None) -> Array:
    """Discrete Fourier transform of data whose second half mirrors its first one, conjugated. It is real.

    Parameters
    ----------
    a : array_like
        The first half of the data.
    n : int, optional
        Size of the axis in the result; by default twice that of the axis less 2.
    axis : int
        The axis to transform along. The last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new real array in the precision of `a`.

    Raises
    ------
    ValueError
        For a length below 1, or another `norm`.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.hfft(da.asarray([1.0, 2.0, 3.0])).copy_to_host()
    array([ 8., -2.,  0., -2.])
    """
    return one_axis("hfft", a, Transform.TO_REAL, n, axis, _opposite(norm), conjugate=True, out=out)


def ihfft(a: Array, n: int | None = None, axis: int = -1, norm: _Norm | None = None, out: Array | None = None) -> Array:
    """Inverse of :func:`hfft`: the first half of the data whose transform is real.

    Parameters
    ----------
    a : array_like
        Real.
    n : int, optional
        Length of the transform: the axis is cut, or filled up with zeros. Its size by default.
    axis : int
        The axis to transform along. The last one by default.
    norm : {"backward", "ortho", "forward"}, optional
        Which direction is scaled by 1/n: the inverse one (the default), both by the square root of it, or the forward
        one.
    out : Array, optional
        Where the result goes. It has the result's shape, and a dtype that the result casts to (same kind).

    Returns
    -------
    Array
        A new complex array with ``n // 2 + 1`` elements along the axis.

    Raises
    ------
    DTypeError
        For complex numbers.
    ValueError
        For a length below 1, or another `norm`.
    AxisError
        For an axis that the array does not have.

    Examples
    --------
    >>> import devarray as da
    >>> da.fft.ihfft(da.asarray([4.0, 0.0, 0.0, 0.0])).copy_to_host().real
    array([1., 1., 1.])
    """
    return write_out("ihfft", one_axis("ihfft", a, Transform.FROM_REAL, n, axis, _opposite(norm)).conj(), out)


def fftfreq(n: int, d: float = 1.0, device: Device | str | None = None, *, dtype: Any = None) -> Array:
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
    k = ranges.arange(n, dtype=np.int64, device=device)
    counts = elementwise.where(k < (n + 1) // 2, k, k - n)
    return _scaled(counts, n, d, dtype)


def rfftfreq(n: int, d: float = 1.0, device: Device | str | None = None, *, dtype: Any = None) -> Array:
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


def _frequency_dtype(name: str, n: int, dtype: Any) -> np.dtype | None:
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
    chosen = tuple(range(x.ndim)) if axes is None else tuple(normalize_axes(axes, x.ndim))
    shift = tuple(x.shape[axis] // 2 if direction > 0 else -(x.shape[axis] // 2) for axis in chosen)
    return roll(x, shift, axis=chosen) if chosen else x.copy()


_namespace(globals(), __all__)
