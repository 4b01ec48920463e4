"""NumPy's masked arrays in devarray's functions: what is hidden stays hidden, and keys may be of the device."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning")

MASKED = np.ma.array([4.0, 100.0, 1.0, 9.0], mask=[0, 1, 0, 0])
PROGRAMS = {
    "sum": lambda xp, m: xp.sum(m),
    "mean": lambda xp, m: xp.mean(m),
    "std": lambda xp, m: xp.std(m),
    "max": lambda xp, m: xp.max(m, axis=0),
    "argmax": lambda xp, m: xp.argmax(m),
    "sqrt": lambda xp, m: xp.sqrt(m),
    "abs": lambda xp, m: xp.abs(-m),
    "isnan": lambda xp, m: xp.isnan(m),
    "add": lambda xp, m: xp.add(m, 1),
    "multiply": lambda xp, m: xp.multiply(m, m),
    "clip": lambda xp, m: xp.clip(m, 2, 5),
    "round": lambda xp, m: xp.round(m / 3, 2),
    "sort": lambda xp, m: xp.sort(m),
    "unique": lambda xp, m: xp.unique(m),
    "reshape": lambda xp, m: xp.reshape(m, (2, 2)),
    "cumsum": lambda xp, m: xp.cumsum(m),
    "sum of a list": lambda xp, m: xp.sum([m[2:], m[:2]]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_functions_hide_what_numpys_hide(device: object, name: str) -> None:
    theirs, ours = PROGRAMS[name](np, MASKED.copy()), PROGRAMS[name](da, MASKED.copy())
    assert isinstance(ours, np.ma.MaskedArray) == isinstance(theirs, np.ma.MaskedArray)
    np.testing.assert_array_equal(np.ma.getmaskarray(ours), np.ma.getmaskarray(theirs))
    np.testing.assert_array_equal(np.ma.filled(ours, -1), np.ma.filled(theirs, -1))


def test_keys_and_values_of_the_device(device: object) -> None:
    m = da.ma.array([1.0, 2.0, 3.0, 4.0], mask=[0, 1, 0, 0])
    assert m[da.array([0, 1, 3])].tolist() == [1.0, None, 4.0]
    assert m[da.array([3.0, 0.0, 1.0, 0.0]) > 0].tolist() == [1.0, 3.0]
    m[da.array([3])] = da.array([7.0])
    m[:1] = da.array([5.0])
    assert m.tolist() == [5.0, None, 3.0, 7.0]
    m[da.arange(4) == 2] = np.ma.masked
    assert m.tolist() == [5.0, None, None, 7.0]


def test_operands_of_the_device(device: object) -> None:
    m, x = da.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]), da.array([10.0, 20.0, 30.0])
    assert (m + x).tolist() == (x + m).tolist() == [11.0, None, 33.0]
    assert (x - m).tolist() == [9.0, None, 27.0]
    assert (m / x).tolist() == [0.1, None, 0.1]
    assert (m < x).tolist() == [True, None, True]
    m *= x
    assert m.tolist() == [10.0, None, 90.0]


def test_they_are_masked_arrays_of_numpy(device: object) -> None:
    m = da.ma.array([1, 2], mask=[0, 1])
    assert isinstance(m, np.ma.MaskedArray)
    assert repr(m) == repr(np.ma.array([1, 2], mask=[0, 1]))
    assert pickle.loads(pickle.dumps(m)).tolist() == [1, None]
    assert m[1] is np.ma.masked and da.ma.masked is np.ma.masked


def test_what_moves_is_said(device: object) -> None:
    m = da.ma.array([1, 2, 3], mask=[0, 1, 0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert m[da.array([2])].tolist() == [3]
        assert m[1:].tolist() == [None, 3]
    assert [w.category for w in caught] in ([da.HiddenTransferWarning], [])  # it is said once for a device


def test_agreement_and_gradients_keep_masks(device: object) -> None:
    m = np.ma.array([1.0, 2, 3, 5], mask=[0, 1, 0, 0])
    for name in ("isclose", "allclose"):
        ours, theirs = getattr(da, name)(m, m), getattr(np, name)(m, m)
        assert np.ma.allequal(ours, theirs) and np.ma.getmaskarray(ours).tolist() == np.ma.getmaskarray(theirs).tolist()
    assert da.gradient(m).tolist() == np.gradient(m).tolist()
