"""Arrays of many axes: as NumPy's up to the limit, and beyond it an error that names it."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


def _nested(n: int) -> Any:
    made: Any = 1
    for _ in range(n):
        made = [made]
    return made


def _saved(xp: Any, host: np.ndarray) -> Any:
    file = io.BytesIO()
    np.save(file, host)
    file.seek(0)
    return xp.load(file)


MADE: dict[str, Callable[[Any, int], Any]] = {
    "zeros": lambda xp, n: xp.zeros((1,) * n),
    "Fortran's order": lambda xp, n: xp.ones((1,) * n, order="F"),
    "full_like": lambda xp, n: xp.full_like(xp.zeros(1), 3, shape=(1,) * n),
    "reshape": lambda xp, n: xp.arange(1).reshape(*(1,) * n),
    "reshape in Fortran's order": lambda xp, n: xp.arange(1).reshape((1,) * n, order="F"),
    "new axes": lambda xp, n: xp.arange(1)[(None,) * (n - 1)],
    "expand_dims": lambda xp, n: xp.expand_dims(xp.arange(1), tuple(range(n - 1))),
    "broadcast_to": lambda xp, n: xp.broadcast_to(xp.arange(1), (1,) * n),
    "host memory": lambda xp, n: xp.asarray(np.ones((1,) * n)),
    "a list": lambda xp, n: xp.asarray(_nested(n)),
    "ndmin": lambda xp, n: xp.array([1], ndmin=n),
    "outer": lambda xp, n: xp.multiply.outer(xp.ones((1,) * 16), xp.ones((1,) * (n - 16))),
    "tensordot": lambda xp, n: xp.tensordot(xp.ones((1,) * 16), xp.ones((1,) * (n - 16)), 0),
    "beside host memory": lambda xp, n: xp.ones(1) + np.ones((1,) * n),
    "tile": lambda xp, n: xp.tile(xp.ones(1), (1,) * n),
    "indices": lambda xp, n: xp.indices((1,) * (n - 1)),
    "index arrays": lambda xp, n: xp.ones((1,) * 16)[xp.zeros((1,) * (n - 15), int)],
    "ix_": lambda xp, n: xp.ix_(*[[0]] * n)[0],
    "a file": lambda xp, n: _saved(xp, np.ones((1,) * n)),
    "another library's": lambda xp, n: xp.from_dlpack(np.ones((1,) * n)),
}

USED: dict[str, Callable[[Any], Any]] = {
    "sum": lambda x: x.sum(axis=3, keepdims=True),
    "transpose": lambda x: x.transpose(),
    "arithmetic": lambda x: (x + 1) * x.T,
    "index": lambda x: x[..., 0],
    "mask": lambda x: x[x > 0],
    "cumsum": lambda x: x.cumsum(axis=5),
    "nonzero": lambda x: x.nonzero()[7],
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
}


@pytest.mark.parametrize("n", [63, 64])
@pytest.mark.parametrize("name", MADE)
def test_up_to_the_limit_arrays_are_numpys(name: str, n: int) -> None:
    same(MADE[name](da, n), np.asarray(MADE[name](np, n)))


@pytest.mark.parametrize("name", USED)
def test_arrays_of_the_most_axes_are_used(name: str) -> None:
    host = np.ones((1,) * 64)
    same(USED[name](da.asarray(host)), USED[name](host))


@pytest.mark.parametrize("n", [65, 66, 129, 200])
@pytest.mark.parametrize("name", MADE)
def test_beyond_the_limit_the_error_names_it(name: str, n: int) -> None:
    with pytest.raises((ValueError, IndexError, BufferError), match=r"(at most|maximum).*64|[01] to 64|64 deep"):
        MADE[name](da, n)
