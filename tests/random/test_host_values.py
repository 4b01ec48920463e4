"""Random order of NumPy's arrays on the host, and bounds that are objects."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import host

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


def test_integers_of_bounds_that_are_objects() -> None:
    high = np.array([2**64, 7], dtype=object)
    got = host(da.random.default_rng(4).integers(0, high, dtype=np.uint64, size=(1000, 2)))
    assert got[:, 0].max() > 2**63
    assert set(got[:, 1].tolist()) == set(range(7))
    with pytest.raises(da.DTypeError, match="integers are wanted"):
        da.random.default_rng(4).integers(0, np.array([1.5], dtype=object))


@pytest.mark.parametrize(
    "x", [np.array(["a", "b", "c"]), np.arange(12).reshape(4, 3), np.array([None, 1, "x"], object)]
)
def test_shuffle_of_arrays_of_the_host(x: np.ndarray) -> None:
    kept, shuffled = x.copy(), x.copy()
    assert da.random.default_rng(2).shuffle(shuffled) is None
    order = host(da.random.default_rng(2).permutation(len(x)))
    np.testing.assert_array_equal(shuffled, kept[order], strict=True)
    if x.ndim == 2:
        da.random.default_rng(2).shuffle(shuffled, axis=1)
        assert sorted(shuffled[0].tolist()) == sorted(kept[order][0].tolist())
    shuffled.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        da.random.default_rng(2).shuffle(shuffled)
