"""Lists of dates and durations, which are arrays to every function."""

import numpy as np
import pytest

import devarray as da

DATES = [np.datetime64(text, "D") for text in ("2021-03-01", "2020-01-05", "NaT", "2022-01-01")]
DURATIONS = [np.timedelta64(5, "s"), np.timedelta64(1, "m"), np.timedelta64(2, "s")]
LISTS = {
    "dates": DATES,
    "durations": DURATIONS,
    "a tuple": tuple(DURATIONS),
    "rows": [DURATIONS, DURATIONS[::-1]],
}
OF_BOTH = [
    *("max", "min", "argmax", "argmin", "sort", "argsort", "unique", "diff"),
    *("flip", "ravel", "nonzero", "squeeze", "atleast_2d", "copy"),
]
OF_DURATIONS = ["sum", "mean", "cumsum", "ptp"]


def _host(x):
    if isinstance(x, tuple):
        return tuple(map(_host, x))
    return x.copy_to_host() if hasattr(x, "copy_to_host") else x


@pytest.mark.parametrize("name", OF_BOTH)
@pytest.mark.parametrize("kind", LISTS)
def test_functions_of_one_array(name, kind):
    np.testing.assert_equal(_host(getattr(da, name)(LISTS[kind])), getattr(np, name)(LISTS[kind]))


@pytest.mark.parametrize("name", OF_DURATIONS)
def test_functions_of_durations(name):
    np.testing.assert_equal(_host(getattr(da, name)(DURATIONS)), getattr(np, name)(DURATIONS))


CALLS = {
    "axis": lambda m: m.max([DATES, DATES[::-1]], axis=1),
    "roll": lambda m: m.roll(DATES, 1),
    "reshape": lambda m: m.reshape(DATES, (2, 2)),
    "concatenate": lambda m: m.concatenate([DATES, DATES[:1]]),
    "concatenate arrays": lambda m: m.concatenate([m.asarray(np.array(DATES)), DATES]),
    "stack": lambda m: m.stack([DURATIONS, DURATIONS]),
    "stack scalars": lambda m: m.stack(DURATIONS),
    "vstack": lambda m: m.vstack([DATES, DATES]),
    "block": lambda m: m.block([m.asarray(np.array(DATES)), m.asarray(np.array(DATES))]),
    "lexsort": lambda m: m.lexsort([DURATIONS, DURATIONS[::-1]]),
    "searchsorted": lambda m: m.searchsorted(DURATIONS[:2], [DURATIONS[1], DURATIONS[0]]),
    "take": lambda m: m.take(DATES, [1, 1]),
    "insert": lambda m: m.insert(DATES, 1, DATES[0]),
    "choose": lambda m: m.choose([0, 1, 0], [DURATIONS, DURATIONS[::-1]]),
    "elements": lambda m: m.max([m.asarray(np.array(DURATIONS))[0], m.asarray(np.array(DURATIONS))[1]]),
    "rows of elements": lambda m: m.min([list(m.asarray(np.array(DURATIONS))), DURATIONS], axis=0),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    np.testing.assert_equal(_host(CALLS[name](da)), CALLS[name](np))
