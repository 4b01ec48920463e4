"""`x.reduced_view()`, CuPy's: the fewest axes, the elements in their order, the same memory."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da


@pytest.mark.parametrize(
    ("shape", "key", "expected"),
    [
        ((2, 3, 4), ..., (24,)),
        ((2, 3, 4), np.s_[:, :, 1:], (6, 3)),
        ((2, 3, 4), np.s_[:, 1:], (2, 8)),
        ((2, 3, 4), np.s_[::-1], (2, 12)),
        ((4, 1, 5), np.s_[:, :, ::2], (4, 3)),
        ((1, 1, 1), ..., (1,)),
        ((2, 0, 3), ..., (0,)),
        ((), ..., ()),
        ((7,), np.s_[::2], (4,)),
    ],
)
def test_neighbours_without_a_gap_are_one_axis(shape, key, expected):
    host = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    x = da.asarray(host)[key]
    view = x.reduced_view()
    assert view.shape == expected
    np.testing.assert_array_equal(view.copy_to_host().ravel(), host[key].ravel())
    if view.ndim:
        view[...] = -1
        assert (x.copy_to_host() == -1).all()


def test_transposed_axes_stay():
    x = da.asarray(np.arange(24).reshape(2, 3, 4)).T
    np.testing.assert_array_equal(x.reduced_view().copy_to_host(), np.arange(24).reshape(2, 3, 4).T)
