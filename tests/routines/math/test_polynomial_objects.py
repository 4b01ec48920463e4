"""poly1d and numpy.polynomial: coefficients on the host, values on the device, NumPy's results."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import close, host, same

import devarray as da
from devarray.polynomial import Chebyshev, Polynomial, chebyshev
from devarray.polynomial.polynomial import polyval

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning"),
]
X = np.array([0.0, 0.5, 2.0, -3.0])

POLY1D: dict[str, Callable[[Any, Any, Any], Any]] = {
    "values": lambda xp, p, x: p(x),
    "a value": lambda xp, p, x: p(x[2]),
    "of zeros": lambda xp, p, x: xp.poly1d(x, True)(2.0),
    "array + polynomial": lambda xp, p, x: x[:3] + p,
    "array - polynomial": lambda xp, p, x: x[:3] - p,
    "array * polynomial": lambda xp, p, x: x[:3] * p,
    "array / polynomial": lambda xp, p, x: x[:3] / p,
    "zeros": lambda xp, p, x: xp.roots(p),
    "polyval": lambda xp, p, x: xp.polyval(p, x),
    "fit": lambda xp, p, x: xp.poly1d(xp.polyfit(x, p(x), 2).round(6))(x),
}
OBJECTS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sum": lambda xp, p, x: p + x,
    "sum with a number": lambda xp, p, x: p + 2,
    "difference": lambda xp, p, x: 1 - p,
    "product": lambda xp, p, x: p * x[:2],
    "product with a number": lambda xp, p, x: 2.5 * p,
    "product of polynomials": lambda xp, p, x: p * p,
    "quotient by a number": lambda xp, p, x: p / 2,
    "power": lambda xp, p, x: p**2,
    "negative": lambda xp, p, x: -p,
    "derivative": lambda xp, p, x: p.deriv(),
    "integral": lambda xp, p, x: p.integ(k=3),
    "composition": lambda xp, p, x: p(p),
    "polyval of a polynomial": lambda xp, p, x: xp.polyval([1, 2], p),
    "polyadd": lambda xp, p, x: xp.polyadd(p, x),
    "polysub": lambda xp, p, x: xp.polysub(x, p),
    "polymul": lambda xp, p, x: xp.polymul(p, x),
    "polyder": lambda xp, p, x: xp.polyder(p),
    "polyint": lambda xp, p, x: xp.polyint(p),
    "quotient": lambda xp, p, x: (p / xp.poly1d([1, 2]))[0],
    "remainder": lambda xp, p, x: xp.polydiv(p, [1, 2])[1],
}


@pytest.mark.parametrize("name", POLY1D)
def test_values_of_poly1d(name: str) -> None:
    ours, theirs = (POLY1D[name](xp, xp.poly1d([1.0, -2.0, 3.0]), xp.asarray(X)) for xp in (da, np))
    close(ours, theirs, 8)


@pytest.mark.parametrize("name", OBJECTS)
def test_polynomials_of_poly1d(name: str) -> None:
    ours, theirs = (OBJECTS[name](xp, xp.poly1d([1.0, -2.0, 3.0]), xp.asarray(X)) for xp in (da, np))
    assert type(ours) is da.poly1d
    close(ours.coeffs, theirs.coeffs, 4)
    assert str(ours) == str(theirs)


def test_values_of_poly1d_stay_on_the_device() -> None:
    p, x = da.poly1d(da.asarray([1.0, 2.0])), da.asarray(X)
    before = da.stats()["transfers_to_host"]
    y = p(x) * 2
    assert isinstance(y, da.Array)
    assert da.stats()["transfers_to_host"] == before
    same(y, (X + 2) * 2)
    assert p == da.poly1d([1.0, 2.0])


SERIES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "values": lambda xp, kind, x: kind([1.0, 2.0, 3.0])(x),
    "values in a domain": lambda xp, kind, x: kind([1.0, 2.0, 3.0], domain=[-4, 4], window=[0, 1])(x),
    "sum": lambda xp, kind, x: (kind([1.0, 2.0]) + x).coef,
    "array + series": lambda xp, kind, x: (x + kind([1.0, 2.0])).coef,
    "array * series": lambda xp, kind, x: (x * kind([1.0, 2.0])).coef,
    "of coefficients": lambda xp, kind, x: (kind(x) ** 2).coef,
    "fit": lambda xp, kind, x: kind.fit(x, x * 2 + 1, 1).convert().coef.round(9) + 0,
    "zeros": lambda xp, kind, x: kind.fromroots(x[1:3]).roots().round(9),
}


@pytest.mark.parametrize("name", SERIES)
@pytest.mark.parametrize("kind", ["Polynomial", "Chebyshev", "Legendre", "Laguerre", "Hermite", "HermiteE"])
def test_series(name: str, kind: str) -> None:
    ours, theirs = (SERIES[name](xp, getattr(xp.polynomial, kind), xp.asarray(X)) for xp in (da, np))
    close(ours, theirs, 64)


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "chebval": lambda xp, x: xp.polynomial.chebyshev.chebval(x, [1.0, 2.0, 3.0]),
    "legval of columns": lambda xp, x: xp.polynomial.legendre.legval(x, [[1.0, 2.0], [3.0, 4.0]]),
    "polyval of coefficients there": lambda xp, x: xp.polynomial.polynomial.polyval(x, x),
    "polyval of numbers": lambda xp, x: xp.polynomial.polynomial.polyval(2.0, [1, 2]),
    "hermvander": lambda xp, x: xp.polynomial.hermite.hermvander(x, 2),
    "polycompanion": lambda xp, x: xp.polynomial.polynomial.polycompanion(x[1:]),
    "trimcoef": lambda xp, x: xp.polynomial.polyutils.trimcoef(x, 1.0),
    "as_series": lambda xp, x: xp.polynomial.polyutils.as_series([x, [1, 0]])[1],
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    close(FUNCTIONS[name](da, da.asarray(X)), FUNCTIONS[name](np, X), 16)


def test_values_of_a_series_are_fused() -> None:
    x = da.asarray(X)
    before = da.stats()["transfers_to_host"]
    y = Chebyshev([1.0, 2.0])(x) + chebyshev.chebval(x, [1.0, 0.5]) + polyval(x, [3.0])
    assert isinstance(y, da.Array)
    assert da.stats()["transfers_to_host"] == before
    close(y, 1 + 2 * X + 1 + 0.5 * X + 3, 4)


def test_series_meet_numpys() -> None:
    ours = Polynomial([1.0, 2.0]) + np.polynomial.Polynomial([0.5, 1.0])
    assert isinstance(ours, Polynomial)
    same(ours.coef, np.array([1.5, 3.0]))
    assert pickle.loads(pickle.dumps(ours)) == ours


def test_what_goes_through_the_host_says_so() -> None:
    with da.use(fallback="raise"), pytest.raises(da.Error, match="chebvander"):
        chebyshev.chebvander(da.asarray(X), 2)
    with pytest.raises(AttributeError, match=r"polynomial\.chebyshev' has no attribute 'nothing'"):
        chebyshev.nothing  # noqa: B018
    assert host(chebyshev.chebdomain).tolist() == [-1.0, 1.0]
