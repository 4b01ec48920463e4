"""Edges of bins, and NumPy's rules for their number."""

from __future__ import annotations

from math import ceil, log2, pi, prod, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray._primitives.host import announce, host_views
from devarray._primitives.join import stack
from devarray._routines.statistics.quantiles import percentile
from devarray._runtime.arguments import number_of
from devarray.array import Array
from devarray.errors import DTypeError, ValueError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike

__all__ = ["histogram_bin_edges"]


def histogram_bin_edges(
    a: Array, bins: object = 10, range: tuple[float, float] | None = None, weights: Array | None = None
) -> Array:
    """The edges of :func:`histogram`'s intervals. Waits unless `range` and a number of bins are given.

    Parameters
    ----------
    a : array_like
        The elements, of a real dtype; flattened.
    bins : int, str or array_like
        Number of intervals (10 by default); or their edges; or the rule that chooses the number: ``"auto"`` (the finer
        of ``"fd"`` and ``"sturges"``), ``"fd"`` (Freedman and Diaconis), ``"doane"``, ``"rice"``, ``"scott"``,
        ``"sqrt"``, ``"sturges"``, ``"stone"`` (by NumPy, on the host).
    range : (float, float), optional
        The outermost edges; by default the least and the greatest element.
    weights : array_like, optional
        Not used by a number of intervals; rules take none.

    Returns
    -------
    Array
        One-dimensional, one more than intervals.

    Raises
    ------
    ValueError
        For edges that are not increasing, an unknown rule, a range that is not finite, or less than one interval.
    DTypeError
        For complex numbers, and weights with a rule.

    Examples
    --------
    >>> import devarray as da
    >>> da.histogram_bin_edges(da.asarray([0.0, 1.0, 4.0]), bins=2).copy_to_host()
    array([0., 2., 4.])
    """
    edges = edges_of("histogram_bin_edges", a.reshape(-1), bins, range, weights)
    return asarray(edges, queue=a.queue, allocator=a.allocator)


def unusable_range(low: Any, high: Any, supplied: bool) -> str:
    """NumPy's words for limits that make no interval."""
    if np.isfinite(low) and np.isfinite(high):
        return f"max must be larger than min in range parameter: it goes from {low} to {high}"
    return f"{'supplied' if supplied else 'autodetected'} range of [{low}, {high}] is not finite"


def edges_of(name: str, flat: Array, bins: Any, limits: Any, weights: ArrayLike | None) -> np.ndarray:
    """The edges, those of a caller's as they are: one or none has no interval, and that is no error in NumPy."""
    bins = number_of(bins)
    if not isinstance(bins, int | np.integer | str):
        edges = np.asarray(on_host(bins))
        if not edges.ndim:
            raise DTypeError(f"{name}: `bins` must be an integer, a string, or an array, not {bins!r}")
        if edges.ndim != 1 or (edges[1:] < edges[:-1]).any():
            raise ValueError(
                f"{name}: `bins` must {'be 1d' if edges.ndim != 1 else 'increase monotonically'}, when an array, not "
                f"{bins!r:.200}"
            )
        return edges
    if flat.dtype.kind == "c":
        raise DTypeError(f"{name}: complex numbers have no order; take the histogram of their parts")
    low, high = limits if limits is not None else limits_of(flat)
    if not (np.isfinite(low) and np.isfinite(high)) or low > high:
        raise ValueError(f"{name}: {unusable_range(low, high, limits is not None)}")
    if isinstance(bins, str):
        if bins not in _RULES and bins != "stone":
            raise ValueError(f"{name}: {bins!r} is not a valid estimator for `bins`; {', '.join(_RULES)} and stone are")
        if weights is not None:
            raise DTypeError(f"{name}: Automated estimation of the number of bins is not supported for weighted data")
        if bins == "stone":
            return _by_stones_rule(name, flat, limits)
        bins = _number_of_bins(flat, bins, low, high, limits is not None)
    if bins < 1:
        raise ValueError(f"{name}: `bins` must be positive, when an integer, not {bins}")
    require_room(flat, int(bins) + 1)
    if limits is None and flat.size and flat.dtype.kind == "f":
        low, high = flat.dtype.type(low), flat.dtype.type(high)  # NumPy rounds between elements as their dtype does
    return np.histogram_bin_edges(np.empty(0, flat.dtype), int(bins), (low, high))


def on_host(bins: object) -> Any:
    return bins.copy_to_host() if isinstance(bins, Array) else bins


def limits_of(flat: Array) -> tuple[Any, Any]:
    if flat.size == 0:
        return 0.0, 1.0
    return tuple(stack([flat.min(), flat.max()]).tolist())


def _by_stones_rule(name: str, flat: Array, limits: Any) -> np.ndarray:
    """The edges by a rule that tries a hundred histograms: NumPy's, on the host."""
    views = host_views([flat])
    if views is None:
        announce(f"{name} by the rule stone", flat)
    return np.histogram_bin_edges(flat.copy_to_host() if views is None else views[0], "stone", limits)


def _number_of_bins(flat: Array, rule: str, low: float, high: float, cut: bool) -> int:
    """What a rule makes of the elements between two limits. Waits."""
    if low == high:
        low, high = low - 0.5, high + 0.5
    if cut:
        flat = flat[(flat >= low) & (flat <= high)]
    if flat.size == 0:
        return 1
    width = _RULES[rule](flat, flat.size, float(flat.max()) - float(flat.min()))
    if width and flat.dtype.kind in "biu":
        width = max(width, 1)
    return ceil((high - low) / width) if width else 1


def _doane(x: Array, n: int, extent: float) -> float:
    spread = float(x.std())
    if n <= 2 or spread == 0:
        return 0.0
    skewness = abs(float((((x - x.mean()) / spread) ** 3).mean()))
    return extent / (1 + log2(n) + log2(1 + skewness / sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))))


def _freedman_diaconis(x: Array, n: int, extent: float) -> float:
    low, high = percentile(x, [25, 75]).tolist()
    return 2 * (high - low) / n ** (1 / 3)


def _auto(x: Array, n: int, extent: float) -> float:
    return min(max(_freedman_diaconis(x, n, extent), extent / sqrt(n) / 2), extent / (log2(n) + 1))


_RULES: dict[str, Any] = {
    "auto": _auto,
    "doane": _doane,
    "fd": _freedman_diaconis,
    "rice": lambda x, n, extent: extent / (2 * n ** (1 / 3)),
    "scott": lambda x, n, extent: (24 * sqrt(pi) / n) ** (1 / 3) * float(x.std()),
    "sqrt": lambda x, n, extent: extent / sqrt(n),
    "sturges": lambda x, n, extent: extent / (log2(n) + 1),
}


def require_room(x: Array, *shape: int) -> None:
    """Refuse bins or edges for which x's device has no memory, before the host makes them or a kernel is launched."""
    _core.require_room(8 * prod(int(size) for size in shape), x.queue, x.allocator)
