"""Draws from urns without replacement: NumPy's own, made on the host from the generator's stream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray._primitives.host_calls import to_host
from devarray.array import Array

if TYPE_CHECKING:
    from devarray._typing import ArrayLike
    from devarray.random.bits import Philox

__all__ = ["Urns"]


class Urns:
    """What a Generator draws on the host: numbers of one urn depend on each other."""

    _bits: Philox

    def hypergeometric(
        self, ngood: ArrayLike, nbad: ArrayLike, nsample: ArrayLike, size: Any = None, **where: object
    ) -> Array:
        """How many of a sample from an urn are good. Drawn on the host; parameters on the device come there.

        Parameters
        ----------
        ngood, nbad, nsample : int or array_like of int
            Numbers of good and of bad ones in the urn, and of those that are drawn.
        size : int or tuple of int, optional
            The shape of the result; by default the one that the parameters broadcast to.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them.

        Returns
        -------
        Array
            int64, a new array.

        Raises
        ------
        ValueError
            For negative numbers, a sample that is larger than the urn, and 10⁹ or more in it.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.default_rng(1).hypergeometric(5, 0, 3, size=2).tolist()
        [3, 3]
        """
        given = [to_host(x) for x in (ngood, nbad, nsample)]

        def draw(numpys: Any) -> Any:
            return numpys.hypergeometric(*given, size)

        drawn = self._bits.on_host(draw)
        return _placed(drawn, (ngood, nbad, nsample), where)

    def multivariate_hypergeometric(
        self, colors: ArrayLike, nsample: int, size: Any = None, method: str = "marginals", **where: object
    ) -> Array:
        """How many of each colour a sample from an urn has. Drawn on the host; colours on the device come there.

        Parameters
        ----------
        colors : array_like of int
            How many of each colour there are.
        nsample : int
            How many are drawn.
        size : int or tuple of int, optional
            The shape of the samples; one by default.
        method : {"marginals", "count"}
            NumPy's algorithm. "marginals" by default.
        **where
            `device`, `allocator` and `queue`, as :func:`devarray.empty` takes them.

        Returns
        -------
        Array
            int64, a new array with one axis more than the samples: the last one, of the colours.

        Raises
        ------
        ValueError
            For negative numbers, a sample that is larger than the urn, and another method.

        Examples
        --------
        >>> import devarray as da
        >>> da.random.default_rng(1).multivariate_hypergeometric([2, 3], 4, size=3).sum(axis=1).tolist()
        [4, 4, 4]
        """
        numbers, wanted = to_host(colors), to_host(nsample)

        def draw(numpys: Any) -> Any:
            return numpys.multivariate_hypergeometric(numbers, wanted, size, method)

        drawn = self._bits.on_host(draw)
        return _placed(drawn, (colors, nsample), where)


def _placed(drawn: object, parameters: tuple[Any, ...], where: dict[str, Any]) -> Array:
    """What was drawn, where parameters of the device lie."""
    like = next((x for x in parameters if isinstance(x, Array)), None)
    if like is not None and not where:
        where = {"queue": like.queue, "allocator": like.allocator}
    made = asarray(np.asarray(drawn), **where)
    return made if made.ndim or isinstance(drawn, np.ndarray) else _core.as_value(made)
