"""Indexing by integer arrays inside the kernel that uses the elements, with NumPy's results on all strategies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "memory_kind", "launched")

DTYPES = ["bool", "int8", "uint16", "float16", "float32", "int64", "uint64", "complex64", "complex128"]
RNG = np.random.default_rng(5)
LINE = RNG.standard_normal(1000).astype(np.float32)
AT = RNG.integers(-1000, 1000, 4000)
GRID = RNG.standard_normal((50, 60))
ROWS, COLUMNS = RNG.integers(-50, 50, (7, 9)), RNG.integers(-60, 60, (7, 9))
POINTS = RNG.standard_normal((3000, 3)).astype(np.float32)
CORNERS = RNG.integers(-3000, 3000, (20000, 3))


@pytest.fixture
def launched(device: da.Device) -> Iterator[None]:
    """Small work is launched, too."""
    before = da.config.host_elements
    da.config.host_elements = 0
    yield
    da.config.host_elements = before


def agree(program: Callable[..., Any], *arrays: np.ndarray) -> None:
    same(program(da, *(da.asarray(a) for a in arrays)), program(np, *arrays))


@pytest.mark.parametrize("indices", ["int8", "int32", "int64", "uint8", "uint64"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_of_a_line_in_what_uses_them(dtype: str, indices: str) -> None:
    table = RNG.integers(0, 100, 100).astype(dtype)
    at = RNG.integers(0, 100, 777).astype(indices)
    agree(lambda xp, t, i: t[i], table, at)
    agree(lambda xp, t, i: t[i][::-3] == t[i][0], table, at)
    agree(lambda xp, t, i: xp.where(t[i] != 0, t[i], t[i]), table, at)


PROGRAMS = {
    "all axes": lambda xp, g, r, c: g[r, c] + g[c % 50, r],
    "a view with steps": lambda xp, g, r, c: g[::-2, ::3][r % 25, c % 20] * 2,
    "axes turned": lambda xp, g, r, c: g.T[c, r] - 1,
    "indices that are computed": lambda xp, g, r, c: g[r // 2, (c * c) % 60] + c,
    "what indices repeat": lambda xp, g, r, c: g[r[:1], c[:, :1]] * 2,
    "elements of elements": lambda xp, g, r, c: g[r, c][r % 7, c % 9] + 1,
    "one axis of two": lambda xp, g, r, c: g[r] + 1,
    "the second axis": lambda xp, g, r, c: g[:, c] + 1,
    "a sum of them": lambda xp, g, r, c: xp.max(g[r, c], axis=0),
    "their place": lambda xp, g, r, c: xp.argmax(g[r, c], axis=1),
    "beside itself, turned": lambda xp, g, r, c: g[r, c] + g[r, c][::-1],
    "with new axes": lambda xp, g, r, c: g[r, c][:, None, :] * g[r, c][None, :, :],
    "rolled": lambda xp, g, r, c: xp.roll(g[r, c] * 2, 3, 0) + g[r, c],
    "of a pending value": lambda xp, g, r, c: (g * 2 + 1)[r, c] - 1,
    "cumulated": lambda xp, g, r, c: xp.cumsum(g[r, c], axis=0)[-1] > 0,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_elements_of_a_grid(program: Callable[..., Any]) -> None:
    agree(program, GRID, ROWS, COLUMNS)


def normals(xp: Any, p: Any, t: Any) -> Any:
    a, b, c = p[t[:, 0]], p[t[:, 1]], p[t[:, 2]]
    u, v = b - a, c - a
    return xp.stack(
        [
            u[:, 1] * v[:, 2] - u[:, 2] * v[:, 1],
            u[:, 2] * v[:, 0] - u[:, 0] * v[:, 2],
            u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0],
        ],
        1,
    )


def test_short_rows() -> None:
    agree(normals, POINTS, CORNERS)
    agree(lambda xp, p, t: p[t] * 2, POINTS, CORNERS)
    agree(lambda xp, p, t: p[:, ::-2][t[:, 0]][:, 1] * 2, POINTS, CORNERS)
    image, a, b = (
        RNG.standard_normal((200, 100, 3)),
        RNG.integers(-200, 200, (300, 50)),
        RNG.integers(0, 100, (300, 50)),
    )
    agree(lambda xp, x, a, b: x[a, b] * 2, image, a, b)
    agree(lambda xp, x, a, b: x[:, ::-1, ::2][a, b][..., 1] + 1, image, a, b)
    agree(lambda xp, x, a, b: (x[a, b] > 0).any(-1), image, a, b)


def writes_to_the_table(xp: Any, x: Any, i: Any) -> Any:
    y = x[i] * 1
    x[...] = 0
    return y


def adds_to_the_table(xp: Any, x: Any, i: Any) -> Any:
    y = x[i] + 0
    x += 1
    return xp.stack([y, x])


def writes_to_the_indices(xp: Any, x: Any, i: Any) -> Any:
    y = x[i]
    i[...] = 0
    return y


def writes_what_it_reads(xp: Any, x: Any, i: Any) -> Any:
    x[...] = x[i] * 2 + x
    x += x[i]
    x[1:] = x[i][:-1]
    return x


def writes_through_a_view(xp: Any, x: Any, i: Any) -> Any:
    y, part = x[i], x[2:]
    part[...] = -1
    return y


def replaces_itself(xp: Any, x: Any, i: Any) -> Any:
    for _ in range(5):
        x = x[i] + x
    return x


@pytest.mark.usefixtures("both_modes")
@pytest.mark.parametrize(
    "program",
    [
        writes_to_the_table,
        adds_to_the_table,
        writes_to_the_indices,
        writes_what_it_reads,
        writes_through_a_view,
        replaces_itself,
    ],
)
def test_writes_come_when_numpy_has_them(program: Callable[..., Any]) -> None:
    for _ in range(4):  # a launch that is repeated is kept
        agree(program, RNG.standard_normal(300), RNG.permutation(300))


@pytest.mark.usefixtures("both_modes")
@pytest.mark.parametrize("bad", [1000, -1001, 2**40, -(2**62)])
def test_an_index_outside_is_an_index_error(bad: int) -> None:
    at = AT.copy()
    at[17] = bad
    with pytest.raises(IndexError, match=r"axis 0 of size 1000|out of bounds"):
        (da.asarray(LINE)[da.asarray(at)] * 2).copy_to_host()
        da.synchronize()
    wrong = np.where(COLUMNS[0, 0] == COLUMNS, 60, COLUMNS)
    with pytest.raises(IndexError, match=r"axis 1 of size 60|out of bounds"):
        (da.asarray(GRID)[da.asarray(ROWS), da.asarray(wrong)] * 2).copy_to_host()
        da.synchronize()
    agree(lambda xp, x, i: x[i] * 2, LINE, AT)  # and all is well afterwards


@pytest.mark.usefixtures("both_modes")
def test_a_wait_for_something_else_forgets_no_index() -> None:
    x, other = da.asarray(LINE), da.asarray(AT)
    at = da.asarray(np.full(50, 1000))
    with pytest.raises(IndexError, match="out of bounds"):
        y = x[at] * 2
        for _ in range(3):
            (other + 1).copy_to_host()
            da.synchronize()
        y.copy_to_host()
        da.synchronize()
    del at
    agree(lambda xp, x, i: x[i] * 2, LINE, AT)


def test_launches(gpu_strategy: None) -> None:
    def launches(program: Callable[..., Any], *arrays: np.ndarray) -> int:
        given = [da.asarray(a) for a in arrays]
        before = da.stats()["launches"]
        program(da, *given).evaluate()
        return da.stats()["launches"] - before

    assert launches(lambda xp, x, i: x[i] * 2 + 1, LINE, AT) == 1
    assert launches(lambda xp, g, r, c: g[r, c] + g[c % 50, r] * 2, GRID, ROWS, COLUMNS) == 1

    def chained(xp: Any, x: Any, t: Any) -> Any:
        c = x[0] * 0
        for k in range(8):
            c = t[(c ^ x[k]) & 255] ^ (c >> 8)
        return c

    words, table = RNG.integers(0, 256, (8, 500)), RNG.integers(0, 2**31, 256)
    assert launches(chained, words, table) == 1
    agree(chained, words, table)
    assert launches(normals, POINTS, CORNERS) <= 4
