"""``python -m devarray run``: programs that compile some of their functions with numba."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_run import same_output

PROGRAM = """
SCALE = np.array([1.0, 2.0])

@njit
def total(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += later(x[i])
    return s * SCALE[1]

@nb.jit(nopython=True)
def later(v):
    return v + 1

@njit(cache=False)
def smoothed(u, old, steps):
    for k in range(steps):
        old[:] = u
        for i in range(1, u.size - 1):
            u[i] = 0.25 * old[i - 1] + 0.5 * old[i] + 0.25 * old[i + 1]
    return u

@njit
def turned(mask):
    for i in range(mask.size):
        mask[i] = not mask[i]

@njit
def made(n):
    return np.arange(n) * 1.5, np.where(np.ones(2) > 0, 1, 2)

def adding(c):
    @njit
    def inner(x):
        return np.sqrt(x) + c
    return inner

class Line:
    thrice = staticmethod(njit(lambda y: 3 * y))

u = np.zeros(8)
u[4] = 1
old, x = np.empty_like(u), np.arange(10.0)
print(smoothed(u, old, 3) is u, u, old, total(x), later(x[3]), later.py_func(2), later.__name__)
part, mask = x.reshape(2, 5)[:, 1:3], x > 4
smoothed(part[0], part[1], 1)
turned(mask)
print(x, mask, made(3), adding(2.0)(x), adding(np.ones(1))(x[:2]), Line.thrice(x), smoothed(u=u, old=old, steps=1))
"""


def test_compiled_functions_get_numpys_arrays(tmp_path: Path) -> None:
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "numba.py").write_text("""
import numpy

class Dispatcher:
    def __init__(self, function):
        self.py_func, self.__name__ = function, function.__name__

    def __call__(self, *args, **kwargs):
        for x in (*args, *kwargs.values()):
            assert isinstance(x, (numpy.ndarray, numpy.generic, int, float)), type(x)
        assert self.py_func.__globals__["np"] is numpy
        return self.py_func(*args, **kwargs)

def jit(function=None, **options):
    return Dispatcher(function) if function else Dispatcher

njit = jit
""")
    path = f"import sys\nsys.path.insert(0, {str(tmp_path / 'site-packages')!r})\n"
    same_output(tmp_path, f"{path}import numba as nb\nfrom numba import njit\n{PROGRAM}")


def test_numba(tmp_path: Path) -> None:
    pytest.importorskip("numba")
    program = """
@vectorize([float64(float64, float64)])
def sum_of(a, b):
    return a + b

@guvectorize([(float64[:], float64, float64[:])], "(n),()->(n)")
def moved(x, y, out):
    for i in range(x.shape[0]):
        out[i] = x[i] + y

@njit(float64(float64[:]), parallel=True)
def sum_in_parts(x):
    s = 0.0
    for i in prange(x.size):
        s += x[i]
    return s
print(sum_of(x, x), sum_of(x, 1.0), moved(x, 2.0), sum_in_parts(x))
"""
    names = "import numba as nb\nfrom numba import float64, guvectorize, njit, prange, vectorize\n"
    same_output(tmp_path, names + PROGRAM + program)
