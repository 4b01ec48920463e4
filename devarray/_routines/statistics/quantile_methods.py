"""Where a quantile lies among sorted elements: NumPy's thirteen methods.

Nine are those of Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996); the others round the place of the
method "linear".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray.errors import ValueError

__all__ = ["DISCRETE", "METHODS", "places", "some"]

_PLOTTING = {  # alpha and beta of the place n * q + alpha + q * (1 - alpha - beta), counted from 1
    "interpolated_inverted_cdf": (0.0, 1.0),
    "hazen": (0.5, 0.5),
    "weibull": (0.0, 0.0),
    "linear": (1.0, 1.0),
    "median_unbiased": (1 / 3, 1 / 3),
    "normal_unbiased": (3 / 8, 3 / 8),
}
_ROUNDED = {"lower": "floor", "higher": "ceil", "nearest": "rint"}
DISCRETE = frozenset(["inverted_cdf", "closest_observation", *_ROUNDED])
"""The methods that give one of the elements, in their dtype."""
METHODS = frozenset([*_PLOTTING, *DISCRETE, "averaged_inverted_cdf", "midpoint"])


def some(shares: np.ndarray) -> np.ndarray:
    """Shares to choose by; where there are none, one, whose result says of what shape and dtype no results are."""
    return shares if shares.size else np.full(1, 0.5)


def places(name: str, method: str, n: Any, q: Any, xp: Any) -> tuple[Any, Any]:
    """The place, from 0, of the element at or below a quantile of `n` ones, and the share of the way to the next.

    Parameters
    ----------
    n, q : float or array
        Number of elements, and shares; one of them may be an array.
    xp : module
        Its functions: NumPy, or devarray's element-wise ones.
    """
    if method in _ROUNDED:
        place = getattr(xp, _ROUNDED[method])((n - 1) * q)
        weight = place - place
    elif method in ("inverted_cdf", "closest_observation"):
        place = n * q - (1.0 if method == "inverted_cdf" else 1.5)
        low = xp.floor(place)
        kept = place == low
        if method == "closest_observation":  # ties to the even place, counted from 1
            kept = xp.logical_and(kept, xp.remainder(low, 2.0) == 1)
        place = xp.where(kept, low, low + 1)
        weight = place - place
    else:
        if method == "averaged_inverted_cdf":
            place = n * q - 1.0
        elif method in ("linear", "midpoint"):
            place = (n - 1) * q
        elif method in _PLOTTING:
            alpha, beta = _PLOTTING[method]
            place = n * q + (alpha + q * (1 - alpha - beta)) - 1
        else:
            raise ValueError(f"{name}: {method!r} is none of the methods {', '.join(sorted(METHODS))}")
        low = xp.floor(place)
        weight = place - low
        if method == "averaged_inverted_cdf":
            weight = xp.where(weight == 0, 0.5, 1.0)
        elif method == "midpoint":
            weight = xp.where(weight == 0, 0.0, 0.5)
        weight = xp.where(xp.logical_or(place < 0, place >= n - 1), 0.0, weight)
        place = low
    return xp.maximum(xp.minimum(place, n - 1), 0.0), weight
