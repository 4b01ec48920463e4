"""Gamma distributions, and those made of gamma numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from devarray._array.out import write_out
from devarray.array import Array
from devarray.random.bits import Philox
from devarray.random.draws import Draw, drawing, in_float64, not_negative, op, positive

if TYPE_CHECKING:
    from devarray._typing import ArrayLike, DTypeLike, ShapeLike

__all__ = ["Gammas"]


class Gammas:
    """The distributions of a Generator that are made of gamma numbers."""

    _bits: Philox

    def standard_gamma(
        self,
        shape: ShapeLike | None,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        **where: object,
    ) -> Array:
        """Numbers of the gamma distribution of scale 1; computed in float64, which the device must have.

        Parameters
        ----------
        shape : array_like
            The shape, not negative.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype, optional
            float64 or float32; float64 by default, where the device has it.
        out : Array, optional
            Where the numbers go; it gives shape, dtype and place.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them. By default those of the first
            parameter that is an Array, else the current ones.

        Returns
        -------
        Array
            A new array, or `out`.

        Raises
        ------
        ValueError
            Where a parameter that the host knows is out of its range.
        ShapeError
            Where the parameters do not broadcast to `size`, or `size` is not the shape of `out`.

        Examples
        --------
        >>> import devarray as da
        >>> bool(da.all(da.random.default_rng(1).standard_gamma(2.5, size=9) > 0))
        True
        """
        parameter = ("shape", shape, not_negative)
        draw, shape = drawing("standard_gamma", self._bits, size, dtype, where, parameter, out=out)
        return write_out("standard_gamma", draw.result(_gamma(draw, shape)), out)

    def gamma(
        self,
        shape: ShapeLike | None,
        scale: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        **where: object,
    ) -> Array:
        """Numbers of the gamma distribution; computed in float64, which the device must have.

        Parameters
        ----------
        shape : array_like
            The shape, not negative.
        scale : array_like
            The scale; the mean is ``shape * scale``, not negative. 1 by default.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype, optional
            float64 or float32; float64 by default, where the device has it.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them. By default those of the first
            parameter that is an Array, else the current ones.

        Returns
        -------
        Array
            A new array of the given shape and dtype.

        Raises
        ------
        ValueError
            Where a parameter that the host knows is out of its range.
        ShapeError
            Where the parameters do not broadcast to `size`.

        Examples
        --------
        >>> import devarray as da
        >>> round(da.random.default_rng(1).gamma(2.5, 2, size=100_000).mean().item(), 1)
        5.0
        """
        parameters = (("shape", shape, not_negative), ("scale", scale, not_negative))
        draw, shape, scale = drawing("gamma", self._bits, size, dtype, where, *parameters)
        return draw.result(_gamma(draw, shape) * scale)

    def beta(
        self, a: object, b: object, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: object
    ) -> Array:
        """Numbers from 0 to 1 of the beta distribution.

        Parameters
        ----------
        a, b : array_like
            The shapes, positive; the mean is ``a / (a + b)``.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype, optional
            float64 or float32; float64 by default, where the device has it.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them. By default those of the first
            parameter that is an Array, else the current ones.

        Returns
        -------
        Array
            A new array of the given shape and dtype.

        Raises
        ------
        ValueError
            Where a parameter that the host knows is out of its range.
        ShapeError
            Where the parameters do not broadcast to `size`.

        Examples
        --------
        >>> import devarray as da
        >>> round(da.random.default_rng(1).beta(1, 3, size=100_000).mean().item(), 2)
        0.25
        """
        draw, a, b = drawing("beta", self._bits, size, dtype, where, ("a", a, positive), ("b", b, positive))
        x, y = _log_gamma(draw, a), _log_gamma(draw, b)
        return draw.result(1.0 / (op("exp", y - x) + 1.0))

    def chisquare(self, df: Any, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: Any) -> Array:
        """Numbers of the chi-square distribution.

        Parameters
        ----------
        df : array_like
            Degrees of freedom, positive.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype, optional
            float64 or float32; float64 by default, where the device has it.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them. By default those of the first
            parameter that is an Array, else the current ones.

        Returns
        -------
        Array
            A new array of the given shape and dtype.

        Raises
        ------
        ValueError
            Where a parameter that the host knows is out of its range.
        ShapeError
            Where the parameters do not broadcast to `size`.

        Examples
        --------
        >>> import devarray as da
        >>> round(da.random.default_rng(1).chisquare(4, size=100_000).mean().item(), 1)
        4.0
        """
        draw, df = drawing("chisquare", self._bits, size, dtype, where, ("df", df, positive))
        return draw.result(_gamma(draw, df / 2) * 2.0)

    def f(
        self, dfnum: Any, dfden: Any, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: Any
    ) -> Array:
        """Numbers of the F distribution.

        Parameters
        ----------
        dfnum, dfden : array_like
            Degrees of freedom of the numerator and of the denominator, positive.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype, optional
            float64 or float32; float64 by default, where the device has it.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them. By default those of the first
            parameter that is an Array, else the current ones.

        Returns
        -------
        Array
            A new array of the given shape and dtype.

        Raises
        ------
        ValueError
            Where a parameter that the host knows is out of its range.
        ShapeError
            Where the parameters do not broadcast to `size`.

        Examples
        --------
        >>> import devarray as da
        >>> bool(da.all(da.random.default_rng(1).f(3, 9, size=9) > 0))
        True
        """
        parameters = (("dfnum", dfnum, positive), ("dfden", dfden, positive))
        draw, dfnum, dfden = drawing("f", self._bits, size, dtype, where, *parameters)
        return draw.result(_gamma(draw, dfnum / 2) / _gamma(draw, dfden / 2) * (dfden / dfnum))

    def standard_t(self, df: Any, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: Any) -> Array:
        """Numbers of Student's t distribution.

        Parameters
        ----------
        df : array_like
            Degrees of freedom, positive.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype, optional
            float64 or float32; float64 by default, where the device has it.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them. By default those of the first
            parameter that is an Array, else the current ones.

        Returns
        -------
        Array
            A new array of the given shape and dtype.

        Raises
        ------
        ValueError
            Where a parameter that the host knows is out of its range.
        ShapeError
            Where the parameters do not broadcast to `size`.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.default_rng(1).standard_t(5, size=4).shape
        (4,)
        """
        draw, df = drawing("standard_t", self._bits, size, dtype, where, ("df", df, positive))
        half = df / 2
        return draw.result(draw.normal() / op("sqrt", _gamma(draw, half) / half))

    def noncentral_chisquare(
        self, df: object, nonc: object, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: object
    ) -> Array:
        """Numbers of the noncentral chi-square distribution.

        Parameters
        ----------
        df : array_like
            Degrees of freedom, positive.
        nonc : array_like
            The noncentrality, not negative.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype, optional
            float64 or float32; float64 by default, where the device has it.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them. By default those of the first
            parameter that is an Array, else the current ones.

        Returns
        -------
        Array
            A new array of the given shape and dtype.

        Raises
        ------
        ValueError
            Where a parameter that the host knows is out of its range.
        ShapeError
            Where the parameters do not broadcast to `size`.

        Examples
        --------
        >>> import devarray as da
        >>> round(da.random.default_rng(1).noncentral_chisquare(3, 2, size=100_000).mean().item(), 1)
        5.0
        """
        parameters = (("df", df, positive), ("nonc", nonc, not_negative))
        draw, df, nonc = drawing("noncentral_chisquare", self._bits, size, dtype, where, *parameters)
        return draw.result(_noncentral(draw, df, nonc))

    def noncentral_f(
        self,
        dfnum: Any,
        dfden: Any,
        nonc: Any,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        **where: Any,
    ) -> Array:
        """Numbers of the noncentral F distribution.

        Parameters
        ----------
        dfnum, dfden : array_like
            Degrees of freedom of the numerator and of the denominator, positive.
        nonc : array_like
            The noncentrality of the numerator, not negative.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype, optional
            float64 or float32; float64 by default, where the device has it.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them. By default those of the first
            parameter that is an Array, else the current ones.

        Returns
        -------
        Array
            A new array of the given shape and dtype.

        Raises
        ------
        ValueError
            Where a parameter that the host knows is out of its range.
        ShapeError
            Where the parameters do not broadcast to `size`.

        Examples
        --------
        >>> import devarray as da
        >>> bool(da.all(da.random.default_rng(1).noncentral_f(3, 9, 2, size=9) > 0))
        True
        """
        parameters = (("dfnum", dfnum, positive), ("dfden", dfden, positive), ("nonc", nonc, not_negative))
        draw, dfnum, dfden, nonc = drawing("noncentral_f", self._bits, size, dtype, where, *parameters)
        return draw.result(_noncentral(draw, dfnum, nonc) / _gamma(draw, dfden / 2) * (dfden / dfnum * 0.5))


def _gamma(draw: Draw, shape: ShapeLike | None) -> Array:
    return op("draw_gamma", in_float64(draw).uniform(), shape)


def _noncentral(draw: Draw, df: Any, nonc: Any) -> Array:
    counts = op("draw_poisson", in_float64(draw).uniform(), nonc / 2)
    return _gamma(draw, counts + df / 2) * 2.0


def _log_gamma(draw: Draw, shape: Any) -> Array:
    """Logarithms of gamma numbers, which for small shapes are far below the least float: that of shape + 1, boosted."""
    boost = in_float64(draw).exponential()
    return op("log", _gamma(draw, shape + 1.0)) - boost / shape
