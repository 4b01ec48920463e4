"""Random order: permutations by sorting random words, and choices."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray._primitives.gather import along_axis, gather
from devarray._primitives.host_arrays import hosted
from devarray._primitives.opaque import OpaqueArray
from devarray._primitives.opaque_dtypes import PLAIN
from devarray._routines.sorting.searching import searchsorted
from devarray._routines.sorting.sorting import argsort
from devarray._routines.statistics.cumulative import cumulative_sum
from devarray._runtime.arguments import number_of
from devarray._runtime.devices import resolve_place
from devarray.array import Array, normalize_axis
from devarray.errors import ShapeError, ValueError
from devarray.random.bits import Philox
from devarray.random.draws import drawing, outer_shape, without_axes, words_at

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["Ordering"]

_NEAR_ONE = math.sqrt(np.finfo(np.float64).eps)
"""How far from 1 the sum of given chances may lie, as in NumPy."""

_FEW, _FEW_OF = 4096, 50
"""What is chosen without replacement is drawn on the host, one after the other, up to so many parts, of more than so
many times as many: to put all in order costs more, on every device. The numbers are NumPy's."""

_HERE = (None, None)
_INTEGERS, _ARRAYS = (int, np.integer), (Array, OpaqueArray)

_LONG = 1 << 14
"""Fewer words are put in order by argsort."""


class Ordering:
    """What a Generator does with the order of things. Sorting waits on CPU devices, as :func:`devarray.sort` does."""

    _bits: Philox

    def permutation(self, x: ArrayLike, axis: int = 0, **where: Any) -> Array:
        """The integers below a number, or the slices of an array along an axis, in random order.

        Parameters
        ----------
        x : int or array_like
            The number, or the array.
        axis : int
            The axis whose slices are permuted. 0 by default.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them, for what is not an Array.

        Returns
        -------
        Array
            A new array; int64 for a number.

        Raises
        ------
        AxisError
            For an axis that the array does not have.
        ShapeError
            For an array without axes.

        Examples
        --------
        >>> import devarray as da
        >>> sorted(da.random.default_rng(1).permutation(5).tolist())
        [0, 1, 2, 3, 4]
        """
        if isinstance(x, Array) and _core.is_value(x):
            x = number_of(x)
        if isinstance(x, _INTEGERS):
            return self._order((max(operator.index(x), 0),), 0, _place_in(where))
        if not isinstance(x, Array):
            if _is_of_host(x):
                return _picked(x, self.permutation(np.shape(x)[axis], **where), axis)
            x = asarray(x, **where)
        (axis,) = _axis("permutation", x, axis)
        return _gathered(x, self._order((x.shape[axis],), 0, _place_of(x)), axis)

    def shuffle(self, x: Array, axis: int = 0) -> None:
        """Put the slices of an array along an axis into random order, in place.

        Parameters
        ----------
        x : Array, list or NumPy array
            The array. A list or a NumPy array is put in order on the host, which waits.
        axis : int
            The axis whose slices are permuted. 0 by default.

        Raises
        ------
        TypeError
            Where `x` is none of these.
        AxisError
            For an axis that the array does not have.
        ShapeError
            For an array without axes.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.arange(5)
        >>> da.random.default_rng(1).shuffle(x)
        >>> sorted(x.tolist())
        [0, 1, 2, 3, 4]
        """
        if isinstance(x, _ARRAYS):
            x[...] = self.permutation(x, axis)
        elif isinstance(x, list):
            x[:] = [x[i] for i in self.permutation(len(x)).tolist()]
        elif isinstance(x, np.ndarray) and x.ndim:
            x[...] = _picked(x, self.permutation(x.shape[normalize_axis(axis, x.ndim)]), axis)
        else:
            raise TypeError(f"shuffle: a device array is wanted, not {type(x).__name__}; permutation copies")

    def permuted(self, x: ArrayLike, axis: int | None = None, out: Array | None = None, **where: Any) -> Array:
        """The elements of an array in random order; along an axis, each row by itself.

        Parameters
        ----------
        x : array_like
            The array.
        axis : int, optional
            The axis along which each row is permuted. By default all elements are.
        out : Array, optional
            Where the result goes.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them, for what is not an Array.

        Returns
        -------
        Array
            A new array, or `out`.

        Raises
        ------
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.random.default_rng(1).permuted(da.asarray([[1, 2, 3], [4, 5, 6]]), axis=1)
        >>> da.sort(x).tolist()
        [[1, 2, 3], [4, 5, 6]]
        """
        x = x if isinstance(x, Array) else asarray(x, **where)
        if axis is None:
            made = self.permutation(x.reshape(-1)).reshape(x.shape)
        else:
            (axis,) = _axis("permuted", x, axis)
            made = _along(x, self._order(x.shape, axis, _place_of(x)), axis)
        if out is None:
            return made
        out[...] = made
        return out

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
        **where: Any,
    ) -> Array:
        """Random slices of an array along an axis, or random integers below a number.

        Parameters
        ----------
        a : int or array_like
            The number, or the array. Texts stay on the host: their choice is a NumPy array, which waits.
        size : int or tuple of int, optional
            What takes the place of the axis; one slice by default.
        replace : bool
            Whether a slice may be drawn more than once, the default.
        p : array_like, optional
            The chance of each slice; equal by default. With replacement, the result is what NumPy chooses.
        axis : int
            The axis to choose along. 0 by default.
        shuffle : bool
            NumPy's, not used: the order is always random.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them, for what is not an Array.

        Returns
        -------
        Array
            A new array; int64 for a number.

        Raises
        ------
        ValueError
            Where there is nothing to choose, too little to choose without replacement, or `p` is no distribution (of a
            device array only the shape is checked).
        ShapeError
            Where there is not one chance for each slice.
        AxisError
            For an axis that the array does not have.

        Examples
        --------
        >>> import devarray as da
        >>> rng = da.random.default_rng(1)
        >>> sorted(rng.choice(4, size=4, replace=False).tolist())
        [0, 1, 2, 3]
        >>> rng.choice(da.asarray([10, 20, 30]), size=2, p=[0, 1, 0]).tolist()
        [20, 20]
        """
        a = number_of(a)
        whole = isinstance(a, _INTEGERS)
        if not whole and _is_of_host(a):
            return _picked(a, self.choice(np.shape(a)[axis], size, replace, p, shuffle=shuffle, **where), axis)
        if whole:
            x, n, place = None, operator.index(a), _place_in(where)
        else:
            x = a if isinstance(a, Array) else asarray(a, **where)
            (axis,) = _axis("choice", x, axis)
            n, place = x.shape[axis], _place_of(x)
        shape = outer_shape("choice", size)
        wanted = math.prod(shape)
        if n < 0 or (n == 0 and wanted > 0):
            raise ValueError(
                f"choice: a must be greater than 0 unless no samples are taken: a must be a positive integer, not {n}"
                if x is None
                else f"choice: a cannot be empty unless no samples are taken: it has {n} parts"
            )
        if not replace and wanted > n:
            raise ValueError(
                "choice: Cannot take a larger sample than population when 'replace=False' (replace is False): "
                f"{wanted} of {n} parts are wanted"
            )
        chances = None if p is None else _chances(p, n, place, None if replace else wanted)
        chosen = self._chosen(n or 1, size, shape, replace or not n, chances, place)
        made = chosen if x is None else _gathered(x, chosen, axis)
        return without_axes(made, size is not None) if isinstance(made, Array) and not made.ndim else made

    def _chosen(
        self, n: int, size: Any, shape: tuple[int, ...], replace: bool, chances: Any, place: tuple[Any, Any]
    ) -> Array:
        if replace and chances is None:
            where = {} if place == _HERE else {"queue": place[0], "allocator": place[1]}
            return self.integers(0, n, size, **where)  # type: ignore[attr-defined]
        if chances is None and math.prod(shape) <= _FEW and math.prod(shape) * _FEW_OF < n:
            few = self._bits.on_host(lambda numpys: numpys.choice(n, shape, replace=False))
            return asarray(few, queue=place[0], allocator=place[1])
        (draw,) = drawing("choice", self._bits, shape, None, {"queue": place[0], "allocator": place[1]})
        if replace:
            below = (
                cumulative_sum(chances)
                if isinstance(chances, Array)
                else asarray(
                    np.cumsum(chances) / np.cumsum(chances)[-1], dtype=draw.dtype, queue=place[0], allocator=place[1]
                )
            )
            if isinstance(chances, Array):
                below = below / below[-1]
            return searchsorted(below, draw.uniform(), side="right")
        if chances is None:
            order = self._order((n,), 0, place)
        else:
            # Waiting times of rates p: the first to come are drawn one after the other without replacement.
            draw.shape = (n,)
            rates = (
                chances
                if isinstance(chances, Array)
                else asarray(chances, dtype=draw.dtype, queue=place[0], allocator=place[1])
            )
            order = argsort(draw.exponential() / rates)
        return order[: math.prod(shape)].reshape(shape)

    def _order(self, shape: tuple[int, ...], axis: int, place: tuple[Any, Any]) -> Array:
        words = words_at(place, self._bits, shape)
        if len(shape) > 1 or not _LONG <= words.size < 1 << 32 or words.device.strategy == "gpu":
            return argsort(words, axis=axis)
        from devarray._primitives.launch import run, view_of
        from devarray._runtime.compiler import dialect
        from devarray.codegen.kernels.random_order import plan_order

        order = _core.empty(shape, np.int64, *place)
        run(
            plan_order(view_of("words", words), view_of("order", order), dialect(words.device)),
            {"words": words, "order": order},
        )
        return order


def _place_in(where: dict[str, Any]) -> tuple[Any, Any]:
    return resolve_place(where.get("device"), where.get("allocator"), where.get("queue")) if where else _HERE


def _place_of(x: Any) -> tuple[Any, Any]:
    of = x if isinstance(x, Array) else x.bytes
    return of.queue, of.allocator


def _gathered(x: Any, places: Array, axis: int) -> Any:
    """The slices at places, of dates and records, too."""
    return gather(x, places, axis) if isinstance(x, Array) else x.take(places, axis)


def _along(x: Any, order: Array, axis: int) -> Any:
    if isinstance(x, Array):
        return along_axis(x, order, axis)
    rest = np.indices(x.shape, sparse=True)
    return x[tuple(order if i == axis else asarray(part, queue=order.queue) for i, part in enumerate(rest))]


def _is_of_host(x: object) -> bool:
    """Whether these are texts, or what else no device holds."""
    if isinstance(x, np.ndarray):
        return x.ndim > 0 and x.dtype not in PLAIN
    return isinstance(x, list | tuple) and any(isinstance(part, str | bytes) for part in x)


def _picked(x: object, places: Array, axis: int) -> Any:
    """What lies at places, of things that stay on the host. Waits for the places."""
    return hosted(np.take(np.asarray(x), places.copy_to_host(), axis))


_A_NUMBER = {
    "choice": "a must be 1-dimensional or an integer",
    "permutation": "x must be an integer or at least 1-dimensional",
}
"""NumPy's words for what has no axis, by method."""


def _axis(name: str, x: Array, axis: int) -> tuple[int]:
    if x.ndim == 0:
        raise ShapeError(
            f"{name}: {_A_NUMBER.get(name, 'axis 0 is out of bounds for array of dimension 0')}: a 0-dimensional array "
            "has no axis"
        )
    return (normalize_axis(axis, x.ndim),)


def _chances(p: ArrayLike, n: int, place: tuple[Any, Any], distinct: int | None) -> Any:
    if isinstance(p, Array):
        if p.shape != (n,):
            raise ShapeError(f"choice: 'a' and 'p' must have same size: p has shape {p.shape}, a {n} parts")
        return p
    host = np.asarray(p, np.float64)
    if host.shape != (n,):
        raise ShapeError(f"choice: 'a' and 'p' must have same size: p has shape {host.shape}, a {n} parts")
    if not np.all(host >= 0) or abs(host.sum() - 1) > _NEAR_ONE:
        raise ValueError(
            f"choice: probabilities {'do not sum to 1' if np.all(host >= 0) else 'are not non-negative'}: chances add "
            f"up to 1; those given add up to {host.sum()}"
        )
    if distinct is not None and np.count_nonzero(host) < distinct:
        raise ValueError(
            f"choice: Fewer non-zero entries in p than size: {np.count_nonzero(host)} chances are above 0, for "
            f"{distinct} different parts"
        )
    return host
