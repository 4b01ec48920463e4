"""SymPy and mpmath beside device arrays and values."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da

mpmath = pytest.importorskip("mpmath")


def test_values_are_numbers_of_mpmath() -> None:
    x = da.asarray([0.5, 2.0])
    assert mpmath.mpf(x[0]) == 0.5 and mpmath.sin(x[1]) == mpmath.sin(2.0)
    assert mpmath.mpmathify(da.asarray([1 + 2j])[0]) == mpmath.mpc(1, 2)
    with pytest.raises(da.errors.Error):
        mpmath.mpmathify(x)


def test_values_are_numbers_of_sympy() -> None:
    sympy = pytest.importorskip("sympy")
    t, x = sympy.symbols("t"), da.asarray([1.0, 2.0])
    for of in (
        lambda v: sympy.sympify(v),
        sympy.sin,
        sympy.Float,
        lambda v: t.subs(t, v),
        lambda v: t * v,
    ):
        assert of(x[1]) == of(np.float64(2.0))
    assert sympy.sympify(x) == sympy.sympify(np.array([1.0, 2.0]))


def test_symbols_beside_arrays() -> None:
    sympy = pytest.importorskip("sympy")
    t, host = sympy.symbols("t"), np.array([1.0, 2.0])
    x = da.asarray(host)
    with da.use(fallback="allow"):
        for of in (lambda v: t * v, lambda v: v * t, lambda v: t + v, lambda v: v - t, lambda v: t**v, lambda v: v**t):
            assert of(x).tolist() == of(host).tolist()
    with da.use(fallback="raise"), pytest.raises(TypeError):
        t * x
