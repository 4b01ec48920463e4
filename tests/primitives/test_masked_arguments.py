"""NumPy's masked arrays as arguments of devarray's functions keep their masks, on the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da


def masked() -> Any:
    return np.ma.array([1.0, 2, 3, 4], mask=[0, 1, 0, 0])


def square() -> Any:
    return np.ma.array(np.eye(2) + 1, mask=np.eye(2) > 0)


CALLS: dict[str, Callable[[Any], Any]] = {
    "trapezoid": lambda np: np.trapezoid(masked()),
    "polyval": lambda np: np.polyval([1, 2], masked()),
    "piecewise": lambda np: np.piecewise(masked(), [masked() > 1], [lambda x: x * 2, 0]),
    "zeros_like": lambda np: np.zeros_like(masked()),
    "ones_like": lambda np: np.ones_like(masked(), dtype="i4"),
    "full_like": lambda np: np.full_like(masked(), 3),
    "matrix_power": lambda np: np.linalg.matrix_power(square(), 2),
    "multi_dot": lambda np: np.linalg.multi_dot([square(), square(), square()]),
    "inv": lambda np: np.linalg.inv(square()),
    "fft": lambda np: np.fft.fft(masked()),
    "rfft": lambda np: np.fft.rfft(masked(), 3),
    "trim_zeros": lambda np: np.trim_zeros(masked()),
    "diag": lambda np: np.diag(square()),
    "diagflat": lambda np: np.diagflat(masked()),
    "asanyarray": lambda np: np.asanyarray(masked()),
    "array": lambda np: np.array(masked(), subok=True),
    "asarray": lambda np: np.asarray(masked()),
    "asarray_chkfinite": lambda np: np.asarray_chkfinite(masked()),
    "tensordot": lambda np: np.tensordot(masked(), masked(), 1),
    "polyadd": lambda np: np.polyadd(masked(), [1]),
    "vectorize": lambda np: np.vectorize(lambda x: x + 1)(masked()),
    "reduce": lambda np: np.add.reduce(masked()),
    "outer": lambda np: np.multiply.outer(np.arange(2.0), masked()),
    "where": lambda np: np.where(masked() > 2, np.arange(4.0), 0),
}


def on_host(x: Any) -> Any:
    return x.copy_to_host() if isinstance(x, da.Array) else x


@pytest.mark.parametrize("name", CALLS)
def test_masks_are_kept(name: str) -> None:
    with da.use(fallback="allow"):
        made, wanted = on_host(CALLS[name](da)), CALLS[name](np)
    assert isinstance(made, np.ma.MaskedArray) == isinstance(wanted, np.ma.MaskedArray)
    assert np.ma.getmaskarray(made).tolist() == np.ma.getmaskarray(wanted).tolist()
    np.testing.assert_allclose(np.ma.filled(made, 0), np.ma.filled(wanted, 0))


def test_indices_of_a_mask() -> None:
    (made,), (wanted,) = da.ix_(masked() > 1), np.ix_(masked() > 1)
    assert made.tolist() == wanted.tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda np, x: np.add(x, masked(), out=x),
        lambda np, x: np.multiply(x, 2, out=x, where=masked() > 2),
        lambda np, x: np.sqrt(masked(), out=x),
        lambda np, x: np.add(x, masked(), out=(x,)),
    ],
)
def test_results_are_written_into_arrays_of_the_device(call: Callable[[Any, Any], Any]) -> None:
    host = np.arange(4.0)
    x = da.asarray(host)
    with da.use(fallback="allow"):
        made = call(da, x)
    call(np, host)
    assert made is x and x.copy_to_host().tolist() == host.tolist()


@pytest.mark.parametrize("name", ["add", "maximum", "hypot", "greater", "logical_and", "power"])
def test_functions_of_an_array_and_a_masked_one(name: str) -> None:
    host = np.arange(4.0)
    wanted = getattr(np, name)(host, masked())
    with da.use(fallback="allow"):
        made = on_host(getattr(da, name)(da.asarray(host), masked()))
    assert isinstance(made, np.ma.MaskedArray)
    assert made.filled(9).tolist() == wanted.filled(9).tolist()


def test_an_array_stays_one_where_a_masked_one_is_added_in_place() -> None:
    host = np.arange(4.0)
    x = same = da.asarray(host)
    with da.use(fallback="allow"):
        x += masked()
        x *= masked()
    host += masked()
    host *= masked()
    assert x is same
    assert x.copy_to_host().tolist() == host.tolist()
