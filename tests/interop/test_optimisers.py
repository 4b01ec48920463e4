"""SciPy's optimisers over functions that compute on the device: what these return comes to the host."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import devarray as da

optimize = pytest.importorskip("scipy.optimize")

A, B = [[3.0, 1.0], [1.0, 2.0]], [1.0, 2.0]
SOLUTION = [0.0, 1.0]


@pytest.fixture(autouse=True)
def fallback() -> Iterator[None]:
    with da.use(fallback="allow"):
        yield


def gradient(x: Any) -> Any:
    return da.asarray(A) @ da.asarray(x) - da.asarray(B)


def value(x: Any) -> Any:
    return da.sum(da.asarray(x) * (gradient(x) - da.asarray(B))) / 2


def curvature(x: Any) -> Any:
    return da.asarray(A)


METHODS = ["BFGS", "CG", "L-BFGS-B", "SLSQP", "TNC", "Newton-CG", "trust-ncg", "trust-constr"]


@pytest.mark.parametrize("method", METHODS)
def test_minimize_takes_gradients_of_the_device(method: str) -> None:
    hess = curvature if method in ("Newton-CG", "trust-ncg", "trust-constr") else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = optimize.minimize(value, np.zeros(2), jac=gradient, hess=hess, method=method)
    np.testing.assert_allclose(found.x, SOLUTION, atol=1e-4)


CALLS: list[Callable[[], Any]] = [
    lambda: optimize.fmin_l_bfgs_b(value, np.zeros(2), fprime=gradient)[0],
    lambda: optimize.fmin_tnc(value, np.zeros(2), fprime=gradient, messages=0)[0],
    lambda: optimize.minimize(lambda x: (value(x), gradient(x)), np.zeros(2), jac=True).x,
    lambda: optimize.least_squares(gradient, np.zeros(2), jac=curvature).x,
    lambda: optimize.leastsq(gradient, np.zeros(2), Dfun=curvature)[0],
    lambda: optimize.root(gradient, np.zeros(2), jac=curvature).x,
    lambda: (
        optimize.minimize(
            value,
            np.zeros(2),
            jac=gradient,
            constraints={"type": "eq", "fun": lambda x: da.sum(da.asarray(x)) - 1, "jac": lambda x: da.ones(2)},
        ).x
    ),
]


@pytest.mark.parametrize("call", CALLS)
def test_other_optimisers_take_what_the_device_gives(call: Callable[[], Any]) -> None:
    np.testing.assert_allclose(call(), SOLUTION, atol=1e-4)


def test_nothing_goes_to_the_host_where_that_is_forbidden() -> None:
    with da.use(fallback="raise"), pytest.raises(TypeError):
        optimize.minimize(value, np.zeros(2), jac=gradient, method="L-BFGS-B")
