"""Continuous distributions: nearly all by inverting the distribution function, in one fused kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.out import write_out
from devarray._runtime.arguments import expect
from devarray.array import OP, Array
from devarray.errors import DTypeError, OverflowError, ShapeError, ValueError
from devarray.random.bits import Philox
from devarray.random.draws import Draw, any_number, drawing, not_negative, positive

__all__ = ["Continuous"]


def _op(name: str, *operands: Any) -> Array:
    return _core.apply(OP[name], *operands)


class Continuous:
    """The continuous distributions of a Generator."""

    _bits: Philox

    def _draw(self, name: str, size: Any, dtype: Any, where: dict[str, Any], *parameters: Any) -> tuple[Any, ...]:
        return drawing(name, self._bits, size, dtype, where, *parameters)

    def _into(self, name: str, out: Array | None, size: Any, dtype: Any, where: dict[str, Any]) -> tuple[Draw, bool]:
        """The Draw of a function that has `out`, which gives size, dtype and place where there is one."""
        if out is not None:
            expect(name, "out", out, Array)
            if size is not None and (tuple(size) if np.ndim(size) else (size,)) != out.shape:
                raise ShapeError(f"{name}: size {size!r} is not the shape of out, {out.shape}")
            if dtype is not None and np.dtype(dtype) != out.dtype:
                raise DTypeError(f"{name}: dtype {np.dtype(dtype)} is not that of out, {out.dtype}")
            size, dtype, where = out.shape, out.dtype, {"queue": out.queue, "allocator": out.allocator}
        return self._draw(name, size, dtype, where)[0], out is not None

    def random(self, size: Any = None, dtype: Any = None, out: Array | None = None, **where: Any) -> Array:
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
        draw, _ = self._into("random", out, size, dtype, where)
        return write_out("random", draw.uniform(), out)

    def standard_normal(self, size: Any = None, dtype: Any = None, out: Array | None = None, **where: Any) -> Array:
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
        draw, _ = self._into("standard_normal", out, size, dtype, where)
        return write_out("standard_normal", draw.normal(), out)

    def standard_exponential(
        self, size: Any = None, dtype: Any = None, method: str = "inv", out: Array | None = None, **where: Any
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
        draw, _ = self._into("standard_exponential", out, size, dtype, where)
        return write_out("standard_exponential", draw.exponential(), out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        if not isinstance(low, Array) and not isinstance(high, Array):
            width = np.subtract(high, low, dtype=np.float64)
            if not np.all(np.isfinite(width)):
                raise OverflowError(f"uniform: the range from {low!r} to {high!r} is not finite")
            if np.any(width < 0):
                raise ValueError(f"uniform: low={low!r} is above high={high!r}")
        draw, low, high = self._draw(
            "uniform", size, dtype, where, ("low", low, any_number), ("high", high, any_number)
        )
        return draw.result(draw.uniform() * (high - low) + low)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        draw, loc, scale = self._located("normal", loc, scale, size, dtype, where)
        return draw.result(draw.normal() * scale + loc)

    def lognormal(self, mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        draw, mean, sigma = self._draw("lognormal", size, dtype, where, *parameters)
        return draw.result(_op("exp", draw.normal() * sigma + mean))

    def exponential(self, scale: Any = 1.0, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        draw, scale = self._draw("exponential", size, dtype, where, ("scale", scale, not_negative))
        return draw.result(draw.exponential() * scale)

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        draw, loc, scale = self._located("laplace", loc, scale, size, dtype, where)
        t, upper = draw.tail()
        x = _op("log", t * 2.0)
        return draw.result(_op("where", upper, -x, x) * scale + loc)

    def logistic(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        draw, loc, scale = self._located("logistic", loc, scale, size, dtype, where)
        t, upper = draw.tail()
        x = _op("log", t) - _op("log1p", -t)
        return draw.result(_op("where", upper, -x, x) * scale + loc)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        draw, loc, scale = self._located("gumbel", loc, scale, size, dtype, where)
        return draw.result(_op("log", draw.exponential()) * -scale + loc)

    def standard_cauchy(self, size: Any = None, dtype: Any = None, **where: Any) -> Array:
        """Numbers of the Cauchy distribution of mode 0 and scale 1.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; without axes by default.
        dtype : dtype, optional
            float64 or float32; float64 by default, where the device has it.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them. By default those of the first
            parameter that is an Array, else the current ones.

        Returns
        -------
        Array
            A new array of the given shape and dtype.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.default_rng(1).standard_cauchy(4).shape
        (4,)
        """
        (draw,) = self._draw("standard_cauchy", size, dtype, where)
        t, upper = draw.tail()
        x = _op("reciprocal", _op("tan", t * math.pi))
        return _op("where", upper, x, -x)

    def rayleigh(self, scale: Any = 1.0, size: Any = None, dtype: Any = None, **where: Any) -> Array:
        """Numbers of the Rayleigh distribution.

        Parameters
        ----------
        scale : array_like
            The mode, not negative. 1 by default.
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
        >>> bool(da.all(da.random.default_rng(1).rayleigh(size=9) > 0))
        True
        """
        draw, scale = self._draw("rayleigh", size, dtype, where, ("scale", scale, not_negative))
        return draw.result(_op("sqrt", draw.exponential() * 2.0) * scale)

    def weibull(self, a: Any, size: Any = None, dtype: Any = None, **where: Any) -> Array:
        """Numbers of the Weibull distribution of scale 1.

        Parameters
        ----------
        a : array_like
            The shape, not negative.
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
        >>> bool(da.all(da.random.default_rng(1).weibull(2, size=9) > 0))
        True
        """
        draw, a = self._draw("weibull", size, dtype, where, ("a", a, not_negative))
        x = draw.exponential()
        if not isinstance(a, Array):
            return draw.result(x ** (1 / a) if a else x * 0)
        return draw.result(_op("where", a == 0, 0.0, _op("pow", x, 1.0 / a)))

    def pareto(self, a: Any, size: Any = None, dtype: Any = None, **where: Any) -> Array:
        """Numbers of the Pareto II (Lomax) distribution of scale 1.

        Parameters
        ----------
        a : array_like
            The shape, positive.
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
        >>> bool(da.all(da.random.default_rng(1).pareto(3, size=9) > 0))
        True
        """
        draw, a = self._draw("pareto", size, dtype, where, ("a", a, positive))
        return draw.result(_op("expm1", draw.exponential() / a))

    def power(self, a: Any, size: Any = None, dtype: Any = None, **where: Any) -> Array:
        """Numbers from 0 to 1 of density ``a * x**(a - 1)``.

        Parameters
        ----------
        a : array_like
            The exponent, positive.
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
        >>> x = da.random.default_rng(1).power(5, size=9)
        >>> bool(da.all((x >= 0) & (x <= 1)))
        True
        """
        draw, a = self._draw("power", size, dtype, where, ("a", a, positive))
        t, upper = draw.tail()
        log = _op("where", upper, _op("log1p", -t), _op("log", t))
        return draw.result(_op("exp", log / a))

    def triangular(self, left: Any, mode: Any, right: Any, size: Any = None, dtype: Any = None, **where: Any) -> Array:
        """Numbers of the triangular distribution: those that NumPy draws.

        Parameters
        ----------
        left, mode, right : array_like
            The lower end, the peak and the upper end: ``left <= mode <= right`` and ``left < right``.
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
            Where the host knows that the ends are in another order.
        ShapeError
            Where the parameters do not broadcast to `size`.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.random.default_rng(1).triangular(-3, 0, 8, size=9)
        >>> bool(da.all((x >= -3) & (x <= 8)))
        True
        """
        given = (left, mode, right)
        if not any(isinstance(value, Array) for value in given) and np.any(
            np.greater(left, mode) | np.greater(mode, right) | np.equal(left, right)
        ):
            raise ValueError(
                f"triangular: left <= mode <= right and left < right are wanted, got {left}, {mode}, {right}"
            )
        parameters = [(name, value, any_number) for name, value in zip(("left", "mode", "right"), given, strict=True)]
        draw, left, mode, right = self._draw("triangular", size, dtype, where, *parameters)
        u, base = draw.uniform(), right - left
        rising = _op("sqrt", u * ((mode - left) * base)) + left
        falling = -_op("sqrt", (1.0 - u) * ((right - mode) * base)) + right
        return draw.result(_op("where", u <= (mode - left) / base, rising, falling))

    # --- from the gamma distribution ---------------------------------------------------------------------------------

    def standard_gamma(
        self, shape: Any, size: Any = None, dtype: Any = None, out: Array | None = None, **where: Any
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
        if out is not None:
            self._into("standard_gamma", out, size, dtype, where)
            size, dtype, where = out.shape, out.dtype, {"queue": out.queue, "allocator": out.allocator}
        draw, shape = self._draw("standard_gamma", size, dtype, where, ("shape", shape, not_negative))
        return write_out("standard_gamma", draw.result(_gamma(draw, shape)), out)

    def gamma(self, shape: Any, scale: Any = 1.0, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        draw, shape, scale = self._draw("gamma", size, dtype, where, *parameters)
        return draw.result(_gamma(draw, shape) * scale)

    def beta(self, a: Any, b: Any, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        draw, a, b = self._draw("beta", size, dtype, where, ("a", a, positive), ("b", b, positive))
        x, y = _log_gamma(draw, a), _log_gamma(draw, b)
        return draw.result(1.0 / (_op("exp", y - x) + 1.0))

    def chisquare(self, df: Any, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        draw, df = self._draw("chisquare", size, dtype, where, ("df", df, positive))
        return draw.result(_gamma(draw, df / 2) * 2.0)

    def f(self, dfnum: Any, dfden: Any, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        draw, dfnum, dfden = self._draw("f", size, dtype, where, *parameters)
        return draw.result(_gamma(draw, dfnum / 2) / _gamma(draw, dfden / 2) * (dfden / dfnum))

    def standard_t(self, df: Any, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        draw, df = self._draw("standard_t", size, dtype, where, ("df", df, positive))
        half = df / 2
        return draw.result(draw.normal() / _op("sqrt", _gamma(draw, half) / half))

    def noncentral_chisquare(self, df: Any, nonc: Any, size: Any = None, dtype: Any = None, **where: Any) -> Array:
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
        draw, df, nonc = self._draw("noncentral_chisquare", size, dtype, where, *parameters)
        return draw.result(_noncentral(draw, df, nonc))

    def noncentral_f(
        self, dfnum: Any, dfden: Any, nonc: Any, size: Any = None, dtype: Any = None, **where: Any
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
        draw, dfnum, dfden, nonc = self._draw("noncentral_f", size, dtype, where, *parameters)
        return draw.result(_noncentral(draw, dfnum, nonc) / _gamma(draw, dfden / 2) * (dfden / dfnum * 0.5))

    # --- others ------------------------------------------------------------------------------------------------------

    def wald(self, mean: Any, scale: Any, size: Any = None, dtype: Any = None, **where: Any) -> Array:
        """Numbers of the inverse Gaussian distribution (Michael, Schucany and Haas, 1976).

        Parameters
        ----------
        mean : array_like
            The mean, positive.
        scale : array_like
            The scale, positive.
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
        >>> round(da.random.default_rng(1).wald(3, 2, size=200_000).mean().item(), 1)
        3.0
        """
        parameters = (("mean", mean, positive), ("scale", scale, positive))
        draw, mean, scale = self._draw("wald", size, dtype, where, *parameters)
        half = _op("square", draw.normal()) * (mean / scale * 0.5)
        ratio = 1.0 / (half + 1.0 + _op("sqrt", half * (half + 2.0)))  # of the lesser root to the mean
        return draw.result(_op("where", draw.uniform() * (ratio + 1.0) <= 1.0, ratio, 1.0 / ratio) * mean)

    def vonmises(self, mu: Any, kappa: Any, size: Any = None, dtype: Any = None, **where: Any) -> Array:
        """Angles of the von Mises distribution; computed in float64, which the device must have.

        Parameters
        ----------
        mu : array_like
            The mode, in radians.
        kappa : array_like
            The concentration, not negative.
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
            A new array of the given shape and dtype: radians from -pi to pi.

        Raises
        ------
        ValueError
            Where a parameter that the host knows is out of its range.
        ShapeError
            Where the parameters do not broadcast to `size`.

        Examples
        --------
        >>> import devarray as da
        >>> bool(da.all(abs(da.random.default_rng(1).vonmises(3, 4, size=9)) <= 3.15))
        True
        """
        parameters = (("mu", mu, any_number), ("kappa", kappa, not_negative))
        draw, mu, kappa = self._draw("vonmises", size, dtype, where, *parameters)
        angle = _op("draw_vonmises", _float64(draw).uniform(), kappa) + mu
        return draw.result(angle - _op("round", angle * (0.5 / math.pi)) * (2 * math.pi))

    def _located(
        self, name: str, loc: Any, scale: Any, size: Any, dtype: Any, where: dict[str, Any]
    ) -> tuple[Any, ...]:
        return self._draw(name, size, dtype, where, ("loc", loc, any_number), ("scale", scale, not_negative))


def _float64(draw: Draw) -> Draw:
    return Draw(draw.bits, draw.shape, np.dtype(np.float64), draw.place)


def _gamma(draw: Draw, shape: Any) -> Array:
    return _op("draw_gamma", _float64(draw).uniform(), shape)


def _noncentral(draw: Draw, df: Any, nonc: Any) -> Array:
    counts = _op("draw_poisson", _float64(draw).uniform(), nonc / 2)
    return _gamma(draw, counts + df / 2) * 2.0


def _log_gamma(draw: Draw, shape: Any) -> Array:
    """Logarithms of gamma numbers, which for small shapes are far below the least float: that of shape + 1, boosted."""
    boost = _float64(draw).exponential()
    return _op("log", _gamma(draw, shape + 1.0)) - boost / shape
