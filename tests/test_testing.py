"""The assertions of `devarray.testing` for users' tests, and NumPy's names of the host."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray._namespace import NUMPYS

pytestmark = pytest.mark.usefixtures("device")


def test_numpys_names_of_the_host() -> None:
    for name in sorted(NUMPYS):
        assert getattr(da, name) is getattr(np, name), name
        assert name not in da.__all__ and name in dir(da)
    assert da.ndarray is da.Array and isinstance(da.ones(1), da.ndarray)
    x = da.arange(5)
    same(x[da.s_[1::2]], np.arange(5)[1::2])
    with da.errstate(divide="ignore"):
        same(1 / da.zeros(2), np.array([np.inf, np.inf]))
    assert np.issubdtype(x.dtype, da.integer)


def test_assertions() -> None:
    x = da.asarray([1.0, 2.0])
    da.testing.assert_allclose(x, [1, 2 + 1e-9])
    da.testing.assert_array_equal([1, 2], x)
    da.testing.assert_array_almost_equal(x, [1.0000001, 2])
    da.testing.assert_array_less(x, x + 1)
    da.testing.assert_equal([x, (x, 1)], [x, (x, 1)])
    for wrong in (
        lambda: da.testing.assert_allclose(x, [1, 2.1]),
        lambda: da.testing.assert_array_equal(x, x + 1),
        lambda: da.testing.assert_array_equal(x, x[:1].reshape(1, 1, 1)),
        lambda: da.testing.assert_array_almost_equal(x, [1, 2.1]),
        lambda: da.testing.assert_array_less(x, x),
        lambda: da.testing.assert_equal([x], [x + 1]),
    ):
        with pytest.raises(AssertionError):
            wrong()
