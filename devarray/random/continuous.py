"""Continuous distributions of a location and a scale, nearly all by inverting the distribution function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._array.out import write_out
from devarray.array import Array
from devarray.errors import OverflowError, ValueError
from devarray.random.bits import Philox
from devarray.random.draws import any_number, drawing, not_negative, op

if TYPE_CHECKING:
    from devarray._typing import ArrayLike, DTypeLike, ShapeLike

__all__ = ["Continuous"]

_PYTHONS = (int, float)


class Continuous:
    """The distributions of a Generator that have a location and a scale."""

    _bits: Philox

    def random(
        self, size: ShapeLike | None = None, dtype: DTypeLike | None = None, out: Array | None = None, **where: object
    ) -> Array:
        """Numbers distributed uniformly from 0 to 1, without 1: bit for bit those of NumPy's Generator over Philox.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; without axes by default.
        dtype : dtype, optional
            float64 (53 random bits) or float32 (24); float64 by default, where the device has it.
        out : Array, optional
            Where the numbers go; it gives shape, dtype and place.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them.

        Returns
        -------
        Array
            A new array, or `out`.

        Raises
        ------
        ShapeError
            Where `size` is not the shape of `out`.
        DTypeError
            For another dtype than float64 and float32, or that of `out`.

        Examples
        --------
        >>> import numpy as np, devarray as da
        >>> da.random.default_rng(1).random(3).copy_to_host() == np.random.Generator(np.random.Philox(1)).random(3)
        array([ True,  True,  True])
        """
        (draw,) = drawing("random", self._bits, size, dtype, where, out=out)
        return write_out("random", draw.result(draw.uniform()), out)

    def standard_normal(
        self, size: ShapeLike | None = None, dtype: DTypeLike | None = None, out: Array | None = None, **where: object
    ) -> Array:
        """Numbers of the normal distribution of mean 0 and standard deviation 1.

        By inversion, from words of 64 bits: up to 9.1 from zero.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; without axes by default.
        dtype : dtype, optional
            float64 or float32; float64 by default, where the device has it.
        out : Array, optional
            Where the numbers go; it gives shape, dtype and place.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them.

        Returns
        -------
        Array
            A new array, or `out`.

        Raises
        ------
        ShapeError
            Where `size` is not the shape of `out`.
        DTypeError
            For another dtype than float64 and float32, or that of `out`.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.default_rng(1).standard_normal((2, 3), da.float32).dtype
        dtype('float32')
        """
        (draw,) = drawing("standard_normal", self._bits, size, dtype, where, out=out)
        return write_out("standard_normal", draw.result(draw.normal()), out)

    def standard_exponential(
        self,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        method: str = "inv",
        out: Array | None = None,
        **where: object,
    ) -> Array:
        """Numbers of the exponential distribution of mean 1, by inversion.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; without axes by default.
        dtype : dtype, optional
            float64 or float32; float64 by default, where the device has it.
        method : {"inv", "zig"}
            NumPy's choice of an algorithm, not used.
        out : Array, optional
            Where the numbers go; it gives shape, dtype and place.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them.

        Returns
        -------
        Array
            A new array, or `out`.

        Raises
        ------
        ValueError
            For another `method`.
        ShapeError
            Where `size` is not the shape of `out`.
        DTypeError
            For another dtype than float64 and float32, or that of `out`.

        Examples
        --------
        >>> import devarray as da
        >>> bool(da.all(da.random.default_rng(1).standard_exponential(9) > 0))
        True
        """
        if method not in ("inv", "zig"):
            raise ValueError(f"standard_exponential: method is 'inv' or 'zig', not {method!r}")
        (draw,) = drawing("standard_exponential", self._bits, size, dtype, where, out=out)
        return write_out("standard_exponential", draw.result(draw.exponential()), out)

    def uniform(
        self, low: Any = 0.0, high: Any = 1.0, size: ShapeLike | None = None, dtype: Any = None, **where: Any
    ) -> Array:
        """Numbers distributed uniformly between two ends: those that NumPy draws.

        Parameters
        ----------
        low : array_like
            The lower end, which may be drawn. 0 by default.
        high : array_like
            The upper end. 1 by default.
        size : int or tuple of int, optional
            The parameters' common shape by default.
        dtype : dtype, optional
            float64 or float32.
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
            Where `low` is above `high`, as far as the host knows.
        OverflowError
            Where ``high - low`` is not finite.
        ShapeError
            Where the parameters do not broadcast to `size`.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.random.default_rng(1).uniform(2, 3, size=4)
        >>> bool(da.all((x >= 2) & (x < 3)))
        True
        """
        plain = type(low) in _PYTHONS and type(high) in _PYTHONS and 0 < high - low < 2.0**53  # as nearly always
        if not plain and not isinstance(low, Array) and not isinstance(high, Array):
            width = np.subtract(high, low, dtype=np.float64)
            if not np.isfinite(width).all():
                raise OverflowError(
                    f"uniform: Range exceeds valid bounds: the range from {low!r} to {high!r} is not finite"
                )
            if np.signbit(width).any():
                raise ValueError(f"uniform: low={low!r} is above high={high!r}")
        draw, low, high = drawing(
            "uniform", self._bits, size, dtype, where, ("low", low, any_number), ("high", high, any_number)
        )
        return draw.result(draw.uniform() * (high - low) + low)

    def normal(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        **where: object,
    ) -> Array:
        """Numbers of the normal distribution.

        Parameters
        ----------
        loc : array_like
            The mean. 0 by default.
        scale : array_like
            The standard deviation, not negative. 1 by default.
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
        >>> x = da.random.default_rng(1).normal(5, 0.1, size=10_000)
        >>> round(x.mean().item(), 2)
        5.0
        """
        draw, loc, scale = drawing(
            "normal", self._bits, size, dtype, where, ("loc", loc, any_number), ("scale", scale, not_negative)
        )
        return draw.result(draw.normal() * scale + loc)

    def lognormal(
        self,
        mean: object = 0.0,
        sigma: object = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        **where: object,
    ) -> Array:
        """Numbers whose logarithm is normally distributed.

        Parameters
        ----------
        mean : array_like
            The mean of the logarithm. 0 by default.
        sigma : array_like
            The standard deviation of the logarithm, not negative. 1 by default.
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
        >>> bool(da.all(da.random.default_rng(1).lognormal(size=9) > 0))
        True
        """
        parameters = (("mean", mean, any_number), ("sigma", sigma, not_negative))
        draw, mean, sigma = drawing("lognormal", self._bits, size, dtype, where, *parameters)
        return draw.result(op("exp", draw.normal() * sigma + mean))

    def exponential(
        self, scale: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: object
    ) -> Array:
        """Numbers of the exponential distribution.

        Parameters
        ----------
        scale : array_like
            The mean, not negative. 1 by default.
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
        >>> da.random.default_rng(1).exponential([1.0, 10.0], size=(5, 2)).shape
        (5, 2)
        """
        draw, scale = drawing("exponential", self._bits, size, dtype, where, ("scale", scale, not_negative))
        return draw.result(draw.exponential() * scale)

    def laplace(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        **where: object,
    ) -> Array:
        """Numbers of the Laplace (double exponential) distribution.

        Parameters
        ----------
        loc : array_like
            The mean. 0 by default.
        scale : array_like
            The exponential decay, not negative. 1 by default.
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
        >>> da.random.default_rng(1).laplace(size=4).shape
        (4,)
        """
        draw, loc, scale = drawing(
            "laplace", self._bits, size, dtype, where, ("loc", loc, any_number), ("scale", scale, not_negative)
        )
        t, upper = draw.tail()
        x = op("log", t * 2.0)
        return draw.result(op("where", upper, -x, x) * scale + loc)

    def logistic(
        self,
        loc: ArrayLike = 0.0,
        scale: ArrayLike = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        **where: object,
    ) -> Array:
        """Numbers of the logistic distribution.

        Parameters
        ----------
        loc : array_like
            The mean. 0 by default.
        scale : array_like
            The scale, not negative. 1 by default.
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
        >>> da.random.default_rng(1).logistic(size=4).shape
        (4,)
        """
        draw, loc, scale = drawing(
            "logistic", self._bits, size, dtype, where, ("loc", loc, any_number), ("scale", scale, not_negative)
        )
        t, upper = draw.tail()
        x = op("log", t) - op("log1p", -t)
        return draw.result(op("where", upper, -x, x) * scale + loc)

    def gumbel(
        self,
        loc: Any = 0.0,
        scale: Any = 1.0,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        **where: Any,
    ) -> Array:
        """Numbers of the Gumbel distribution, that of greatest values.

        Parameters
        ----------
        loc : array_like
            The mode. 0 by default.
        scale : array_like
            The scale, not negative. 1 by default.
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
        >>> da.random.default_rng(1).gumbel(size=4).shape
        (4,)
        """
        draw, loc, scale = drawing(
            "gumbel", self._bits, size, dtype, where, ("loc", loc, any_number), ("scale", scale, not_negative)
        )
        return draw.result(op("log", draw.exponential()) * -scale + loc)
