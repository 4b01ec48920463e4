"""Transforms of real arrays to the half of their spectrum that says all, and back; Hermitian ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from devarray._array.out import write_out
from devarray.array import Array
from devarray.fft.kinds import Norm, Transform
from devarray.fft.transforms import one_axis, several_axes

__all__ = ["hfft", "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftn"]


def rfft(a: Array, n: int | None = None, axis: int = -1, norm: Norm | None = None, out: Array | None = None) -> Array:
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


def irfft(a: Array, n: int | None = None, axis: int = -1, norm: Norm | None = None, out: Array | None = None) -> Array:
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


def rfft2(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
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
    return several_axes("rfft2", a, Transform.FROM_REAL, s, axes, norm, out=out)


def irfft2(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] = (-2, -1),
    norm: Norm | None = None,
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
    return several_axes("irfft2", a, Transform.TO_REAL, s, axes, norm, out=out)


def rfftn(
    a: Array,
    s: Sequence[int] | None = None,
    axes: Sequence[int] | None = None,
    norm: Norm | None = None,
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
    norm: Norm | None = None,
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


def hfft(a: Array, n: int | None = None, axis: int = -1, norm: Norm | None = None, out: Array | None = None) -> Array:
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


def ihfft(a: Array, n: int | None = None, axis: int = -1, norm: Norm | None = None, out: Array | None = None) -> Array:
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


def _opposite(norm: Any) -> Any:
    """The scaling that a transform of the other direction would have."""
    return {None: "forward", "backward": "forward", "forward": "backward"}.get(norm, norm)
