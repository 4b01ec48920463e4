"""Discrete distributions, as int64."""

from __future__ import annotations

import operator
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray.array import OP, Array
from devarray.errors import DTypeError, ValueError
from devarray.random.bits import Philox
from devarray.random.draws import any_number, chance, drawing, in_float64, in_floats, positive_number, whole_number

if TYPE_CHECKING:
    from devarray._typing import ArrayLike, DTypeLike, ShapeLike

__all__ = ["Discrete"]

_WORD = np.dtype(np.uint64)
_END = 1 << 64


def _chance_above_zero(value: Any) -> Any:
    """above 0 and at most 1"""
    return (value > 0) & (value <= 1)


class Discrete:
    """The discrete distributions of a Generator."""

    _bits: Philox

    def integers(
        self,
        low: ArrayLike | None,
        high: ArrayLike | None = None,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = np.int64,
        endpoint: bool = False,
        **where: object,
    ) -> Array:
        """Integers of a range, all equally likely.

        Parameters
        ----------
        low : array_like of int
            The least integer; without `high` the end, and the least one is 0.
        high : array_like of int, optional
            The end of the range. Device arrays are not checked: where `low` is not below `high`, any number is drawn.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype
            An integer dtype or bool. int64 by default.
        endpoint : bool
            Whether `high` belongs to the range. False by default.
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
            Where the range, as far as the host knows it, is empty or outside of the dtype.
        DTypeError
            For another dtype, or bounds that are not integers.
        ShapeError
            Where the parameters do not broadcast to `size`.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.random.default_rng(1).integers(1, 6, size=100, endpoint=True)
        >>> sorted(set(x.tolist()))
        [1, 2, 3, 4, 5, 6]
        """
        if high is None:
            low, high = 0, low
        if type(low) is not int or type(high) is not int:
            low, high = (int(end) if isinstance(end, float | np.floating) else end for end in (low, high))
        target = np.dtype(dtype)
        try:
            _check_range(low, high, target, endpoint)
        except ValueError:
            if size is None or 0 not in np.broadcast_shapes(size):
                raise
            low, high = 0, 1  # of no numbers NumPy's asks for no range
        if type(low) is int and type(high) is int:
            (draw,) = drawing("integers", self._bits, size, target, where, floats=False)
            drawn = _core.apply(OP["bounded"], draw.words(), (high - low + endpoint) % _END)
            return draw.result(drawn + low % _END)
        ends = [_unsigned(end) for end in (low, high)]
        shaped = [
            (name, end if isinstance(end, Array | np.ndarray) else 0, any_number)
            for name, end in zip(("low", "high"), ends, strict=True)
        ]
        draw, first, last = drawing("integers", self._bits, size, target, where, *shaped, floats=False)
        first, last = (
            part.astype(_WORD) if isinstance(part, Array) else end
            for part, end in zip((first, last), ends, strict=True)
        )
        if isinstance(first, Array) or isinstance(last, Array):
            count = last - first + int(endpoint) if isinstance(last, Array) else -first + (last + endpoint) % _END
        else:
            count = (last - first + endpoint) % _END
        return draw.result(_core.apply(OP["bounded"], draw.words(), count) + first)

    def binomial(
        self,
        n: ArrayLike,
        p: ArrayLike,
        size: ShapeLike | None = None,
        dtype: DTypeLike | None = np.int64,
        **where: object,
    ) -> Array:
        """Numbers of successes in independent trials; computed in float64, which the device must have.

        Parameters
        ----------
        n : array_like
            Number of trials, not negative. Above 2**53 the last digits of the result are rounded.
        p : array_like
            The chance of success, from 0 to 1.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype
            Of the result. int64 by default.
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
        >>> round(da.random.default_rng(1).binomial(100, 0.3, size=100_000).mean().item())
        30
        """
        parameters = (("n", n, whole_number), ("p", p, chance))
        draw, n, p = drawing("binomial", self._bits, size, dtype, where, *parameters, floats=False)
        return draw.result(_core.apply(OP["draw_binomial"], in_float64(draw).uniform(), n, p))

    def poisson(
        self, lam: object = 1.0, size: ShapeLike | None = None, dtype: DTypeLike | None = np.int64, **where: object
    ) -> Array:
        """Numbers of events of a Poisson process; computed in float64, which the device must have.

        Parameters
        ----------
        lam : array_like
            The expected number, not negative and at most 9.2e18. 1 by default.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype
            Of the result. int64 by default.
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
        >>> round(da.random.default_rng(1).poisson(4, size=100_000).mean().item(), 1)
        4.0
        """
        draw, lam = drawing("poisson", self._bits, size, dtype, where, ("lam", lam, _mean_of_int64), floats=False)
        return draw.result(_core.apply(OP["draw_poisson"], in_float64(draw).uniform(), lam))

    def negative_binomial(
        self, n: Any, p: Any, size: ShapeLike | None = None, dtype: DTypeLike | None = np.int64, **where: Any
    ) -> Array:
        """Numbers of failures before a number of successes: Poisson numbers of gamma means.

        Parameters
        ----------
        n : array_like
            Number of successes, positive.
        p : array_like
            The chance of success, above 0 and at most 1.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype
            Of the result. int64 by default.
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
            Where a parameter that the host knows is out of its range, or the numbers would not fit into int64.
        ShapeError
            Where the parameters do not broadcast to `size`.

        Examples
        --------
        >>> import devarray as da
        >>> round(da.random.default_rng(1).negative_binomial(3, 0.5, size=100_000).mean().item(), 1)
        3.0
        """
        parameters = (("n", n, positive_number), ("p", p, _chance_above_zero))
        draw, n, p = drawing("negative_binomial", self._bits, size, dtype, where, *parameters, floats=False)
        if (
            not isinstance(n, Array)
            and not isinstance(p, Array)
            and np.any((1 - p) / p * (n + 10 * np.sqrt(n)) > 9.2e18)
        ):
            raise ValueError(f"negative_binomial: n={n!r} is too great or p={p!r} too small for numbers of int64")
        mean = _core.apply(OP["draw_gamma"], in_float64(draw).uniform(), n) * ((1.0 - p) / p)
        return draw.result(_core.apply(OP["draw_poisson"], in_float64(draw).uniform(), mean))

    def geometric(
        self, p: Any, size: ShapeLike | None = None, dtype: DTypeLike | None = np.int64, **where: Any
    ) -> Array:
        """Numbers of trials until the first success, by inversion.

        Parameters
        ----------
        p : array_like
            The chance of success, above 0 and at most 1.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype
            Of the result. int64 by default.
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
        >>> round(da.random.default_rng(1).geometric(0.5, size=100_000).mean().item(), 1)
        2.0
        """
        draw, p = drawing("geometric", self._bits, size, dtype, where, ("p", p, _chance_above_zero), floats=False)
        rate = -np.log1p(-p) if not isinstance(p, Array) and p < 1 else np.inf if not isinstance(p, Array) else None
        if rate is None:
            rate = -_core.apply(OP["log1p"], -p)
        trials = _core.apply(OP["ceil"], in_floats(draw).exponential() / rate)
        return draw.result(_core.apply(OP["maximum"], trials, 1.0))

    def zipf(
        self, a: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike | None = np.int64, **where: object
    ) -> Array:
        """Numbers of the Zipf distribution, whose chances fall as ``k**-a``; computed in float64.

        Parameters
        ----------
        a : array_like
            The exponent, above 1.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype
            Of the result. int64 by default.
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
        >>> bool(da.all(da.random.default_rng(1).zipf(2.0, size=9) >= 1))
        True
        """
        draw, a = drawing("zipf", self._bits, size, dtype, where, ("a", a, _above_one), floats=False)
        return draw.result(_core.apply(OP["draw_zipf"], in_float64(draw).uniform(), a))

    def logseries(
        self, p: Any, size: ShapeLike | None = None, dtype: DTypeLike | None = np.int64, **where: object
    ) -> Array:
        """Numbers of the logarithmic series distribution (Kemp, 1981).

        Parameters
        ----------
        p : array_like
            The parameter, from 0 to below 1.
        size : int or tuple of int, optional
            Shape of the result. By default the shape that the parameters broadcast to; without axes for scalars.
        dtype : dtype
            Of the result. int64 by default.
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
        >>> bool(da.all(da.random.default_rng(1).logseries(0.6, size=9) >= 1))
        True
        """
        draw, p = drawing("logseries", self._bits, size, dtype, where, ("p", p, _chance_below_one), floats=False)
        floats = in_floats(draw)
        # A geometric number of a chance that is random itself.
        rate = np.log1p(-p) if not isinstance(p, Array) else _core.apply(OP["log1p"], -p)
        q = -_core.apply(OP["expm1"], floats.inside() * rate)
        tries = _core.apply(OP["floor"], -floats.exponential() / _core.apply(OP["log"], q)) + 1.0
        return draw.result(tries)


def _mean_of_int64(value: Any) -> Any:
    """from 0 to 9.2e18"""
    return (value >= 0) & (value <= 9.2e18)


def _above_one(value: Any) -> Any:
    """above 1"""
    return value > 1


def _chance_below_one(value: Any) -> Any:
    """from 0 to below 1"""
    return (value >= 0) & (value < 1)


def _unsigned(end: Any) -> Any:
    """A bound as a word: an int, or an array of words."""
    if isinstance(end, Array):
        if end.dtype.kind not in "biu":
            raise DTypeError(f"integers: a bound of dtype {end.dtype} is given; integers are wanted")
        return end.astype(_WORD)
    if type(end) is not int and np.ndim(end):
        words = np.asarray(end)
        return (words % _END if words.dtype == object else words).astype(_WORD)
    return operator.index(end) % _END


@cache
def _limits(dtype: np.dtype) -> tuple[int, int]:
    if dtype.kind not in "biu":
        raise DTypeError(f"Unsupported dtype {dtype!r} for integers; an integer or bool is wanted")
    return (0, 1) if dtype.kind == "b" else (int(np.iinfo(dtype).min), int(np.iinfo(dtype).max))


def _check_range(low: ArrayLike | None, high: ArrayLike | None, dtype: np.dtype, endpoint: bool) -> None:
    least, most = _limits(dtype)  # raises for a dtype that draws no integers
    if type(low) is type(high) is int and least <= low <= high - (not endpoint) <= most:
        return
    ends = {}
    for name, end in (("low", low), ("high", high)):
        if isinstance(end, Array):
            continue
        host = np.asarray(end)
        if host.dtype.kind not in "biu" and not (host.dtype == object and all(isinstance(x, int) for x in host.flat)):
            raise DTypeError(f"integers: {name} is {end!r}; integers are wanted")
        if host.size:
            ends[name] = host
    if "low" in ends and int(ends["low"].min()) < least:
        raise ValueError(f"integers: low is out of bounds for {dtype}: {low!r} is below {least}")
    if "high" in ends and int(ends["high"].max()) > most + (not endpoint):
        raise ValueError(f"integers: high is out of bounds for {dtype}: {high!r} is above {most}")
    if len(ends) == 2 and np.any(ends["low"].astype(object) > ends["high"].astype(object) - (not endpoint)):
        raise ValueError(
            f"integers: {'high <= 0' if low is None or (type(low) is int and low == 0) else 'low >= high'}: there is "
            f"no integer from low={low!r} to high={high!r}"
        )
