"""Continuous distributions of a shape of their own, by inverting the distribution function in one kernel."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray.array import Array
from devarray.errors import ValueError
from devarray.random.bits import Philox
from devarray.random.draws import any_number, drawing, in_float64, not_negative, op, positive

if TYPE_CHECKING:
    from devarray._typing import ArrayLike, DTypeLike, ShapeLike

__all__ = ["Shaped"]


def _sides_at_fault(left: object, mode: object, right: object) -> str:
    """NumPy's words for the bounds of a triangle that is none."""
    if np.any(np.greater(left, mode)):  # type: ignore[call-overload]
        return "left > mode"
    return "mode > right" if np.any(np.greater(mode, right)) else "left == right"  # type: ignore[call-overload]


class Shaped:
    """The distributions of a Generator that have a shape of their own."""

    _bits: Philox

    def standard_cauchy(self, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: object) -> Array:
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
        (draw,) = drawing("standard_cauchy", self._bits, size, dtype, where)
        t, upper = draw.tail()
        x = op("reciprocal", op("tan", t * math.pi))
        return draw.result(op("where", upper, x, -x))

    def rayleigh(
        self, scale: ArrayLike = 1.0, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: object
    ) -> Array:
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
        draw, scale = drawing("rayleigh", self._bits, size, dtype, where, ("scale", scale, not_negative))
        return draw.result(op("sqrt", draw.exponential() * 2.0) * scale)

    def weibull(self, a: Any, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: object) -> Array:
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
        draw, a = drawing("weibull", self._bits, size, dtype, where, ("a", a, not_negative))
        x = draw.exponential()
        if not isinstance(a, Array):
            return draw.result(x ** (1 / a) if a else x * 0)
        return draw.result(op("where", a == 0, 0.0, op("pow", x, 1.0 / a)))

    def pareto(
        self, a: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: object
    ) -> Array:
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
        draw, a = drawing("pareto", self._bits, size, dtype, where, ("a", a, positive))
        return draw.result(op("expm1", draw.exponential() / a))

    def power(
        self, a: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: object
    ) -> Array:
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
        draw, a = drawing("power", self._bits, size, dtype, where, ("a", a, positive))
        t, upper = draw.tail()
        log = op("where", upper, op("log1p", -t), op("log", t))
        return draw.result(op("exp", log / a))

    def triangular(
        self,
        left: Any,
        mode: Any,
        right: Any,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        **where: Any,
    ) -> Array:
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
                f"triangular: {_sides_at_fault(left, mode, right)}: left <= mode <= right and left < right are wanted, "
                f"got {left}, {mode}, {right}"
            )
        parameters = [(name, value, any_number) for name, value in zip(("left", "mode", "right"), given, strict=True)]
        draw, left, mode, right = drawing("triangular", self._bits, size, dtype, where, *parameters)
        u, base = draw.uniform(), right - left
        rising = op("sqrt", u * ((mode - left) * base)) + left
        falling = -op("sqrt", (1.0 - u) * ((right - mode) * base)) + right
        return draw.result(op("where", u <= (mode - left) / base, rising, falling))

    def wald(
        self, mean: Any, scale: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: Any
    ) -> Array:
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
        draw, mean, scale = drawing("wald", self._bits, size, dtype, where, *parameters)
        half = op("square", draw.normal()) * (mean / scale * 0.5)
        ratio = 1.0 / (half + 1.0 + op("sqrt", half * (half + 2.0)))  # of the lesser root to the mean
        return draw.result(op("where", draw.uniform() * (ratio + 1.0) <= 1.0, ratio, 1.0 / ratio) * mean)

    def vonmises(
        self, mu: object, kappa: object, size: ShapeLike | None = None, dtype: DTypeLike | None = None, **where: object
    ) -> Array:
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
        draw, mu, kappa = drawing("vonmises", self._bits, size, dtype, where, *parameters)
        angle = op("draw_vonmises", in_float64(draw).uniform(), kappa) + mu
        return draw.result(angle - op("round", angle * (0.5 / math.pi)) * (2 * math.pi))
