"""Transforms of complex arrays, over one, two or any axes."""

from __future__ import annotations

from collections.abc import Sequence

from devarray.array import Array
from devarray.fft.kinds import Norm, Transform
from devarray.fft.transforms import one_axis, several_axes

__all__ = ["fft", "fft2", "fftn", "ifft", "ifft2", "ifftn"]


def fft(a: Array, n: int | None = None, axis: int = -1, norm: Norm | None = None, out: Array | None = None) -> Array:
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


def ifft(a: Array, n: int | None = None, axis: int = -1, norm: Norm | None = None, out: Array | None = None) -> Array:
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


def fft2(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
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
    return several_axes("fft2", a, Transform.FORWARD, s, axes, norm, out=out)


def ifft2(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
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
    return several_axes("ifft2", a, Transform.INVERSE, s, axes, norm, out=out)


def fftn(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
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
    norm: Norm | None = None,
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
