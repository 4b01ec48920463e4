"""Joins of pending values, on GPUs: operations are done on the parts, and views read the part that they lie in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same, skip_without
from test_joined_parts import counted, on_device
from test_rows import waiting

import devarray as da
from devarray import alloc

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "gpu_strategy")

__all__ = ["waiting"]

RNG = np.random.default_rng(11)
U, V = RNG.normal(size=(700, 3)), RNG.normal(size=(700, 3))
DTYPES = ["bool", "int8", "uint8", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128"]


def cross(a: Any, b: Any) -> Any:
    return np.stack(
        [
            a[:, 1] * b[:, 2] - a[:, 2] * b[:, 1],
            a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2],
            a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0],
        ],
        1,
    )


def rotated(q: Any, v: Any) -> Any:
    w, u = q[:, :1], q[:, 1:]
    t = 2 * cross(u, v)
    return v + w * t + cross(u, t)


def normals(a: Any, b: Any, c: Any) -> Any:
    n = cross(b - a, c - a)
    return n / np.sqrt((n * n).sum(1))[:, None]


def rotary(x: Any, angle: Any) -> Any:
    half = x.shape[-1] // 2
    y = x * 2
    return y * np.cos(angle) + np.concatenate([-y[:, half:], y[:, :half]], -1) * np.sin(angle)


def hsv(x: Any) -> Any:
    r, g, b = x[..., 0], x[..., 1], x[..., 2]
    most, least = np.maximum(np.maximum(r, g), b), np.minimum(np.minimum(r, g), b)
    return np.stack([most - least, (most - least) / (most + 1), most], -1) * 0.5 + x


@pytest.mark.parametrize(
    ("program", "shapes", "launches"),
    [
        (rotated, [(700, 4), (700, 3)], 1),
        (normals, [(700, 3)] * 3, 1),
        (rotary, [(60, 64), (60, 64)], 1),
        (hsv, [(40, 30, 3)], 1),
    ],
)
def test_programs(program: Callable[..., Any], shapes: list[tuple[int, ...]], launches: int) -> None:
    skip_without("float64")
    hosts = [np.random.default_rng(k).normal(size=shape) for k, shape in enumerate(shapes)]
    wanted = program(*hosts)
    for _ in range(3):
        arrays = on_device(*hosts)
        result, taken = counted(lambda arrays=arrays: program(*arrays))
        np.testing.assert_allclose(result.copy_to_host(), wanted, rtol=1e-13, atol=1e-14)
        assert result.strides == wanted.strides
        assert taken == launches


OPERATIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "scalar": lambda j, u, v: j * 3,
    "another join": lambda j, u, v: j + np.stack([u[:, 2] - 1, u[:, 0] * 2, v[:, 1] + u[:, 0]], 1),
    "the same join": lambda j, u, v: j * j - j,
    "array": lambda j, u, v: v - j,
    "transposed": lambda j, u, v: v.T.copy().T + j,
    "reversed": lambda j, u, v: v[::-1, ::-1] + j,
    "column": lambda j, u, v: j * v[:, :1],
    "row": lambda j, u, v: j * v[0],
    "matrix of a row": lambda j, u, v: j * v[:1] + u[5:6],
    "pending": lambda j, u, v: j * (v - u),
    "pending column": lambda j, u, v: j * (v[:, 1] + 1)[:, None],
    "pending row": lambda j, u, v: (v[3] * 2) - j,
    "sum of all": lambda j, u, v: j * v.sum(),
    "mean of rows": lambda j, u, v: j - v.mean(1)[:, None],
    "where": lambda j, u, v: np.where(j > 0, u, -j),
    "three": lambda j, u, v: np.clip(j, -0.5, v + 3),
    "more axes": lambda j, u, v: j[:5] + np.ones((4, 1, 3), v.dtype),
    "function": lambda j, u, v: np.sqrt(np.abs(j)) // 1,
    "cast": lambda j, u, v: j.astype("float32") * np.float32(2),
    "to integers": lambda j, u, v: (j * 10).astype("int16") + 1,
    "compared": lambda j, u, v: (j > v) & (j != 0),
    "transposed itself": lambda j, u, v: j.T * 2 + v.T,
    "flat": lambda j, u, v: j.reshape(-1) + 1,
    "a row": lambda j, u, v: j[7] * 2,
    "an element": lambda j, u, v: j[7, 1] * v,
    "steps": lambda j, u, v: j[::-2, 1:] + 1,
    "two columns": lambda j, u, v: j[:, ::2] - v[:, 1:],
    "one column": lambda j, u, v: j[:, 1] * v[:, 0],
    "one column kept": lambda j, u, v: j[::-1, 2:] * v,
    "column of an operation": lambda j, u, v: (j * 2 + v)[:, 0] - u[:, 1],
    "sum of columns": lambda j, u, v: (j * j).sum(1) + v[:, 0],
    "sum kept": lambda j, u, v: j / (np.abs(j).sum(-1, keepdims=True) + 1),
    "product": lambda j, u, v: j.prod(1),
    "extremes": lambda j, u, v: j.max(1) - j.min(1, keepdims=True).T,
    "mean of columns": lambda j, u, v: j.mean(1) * 2,
    "mean of reductions": lambda j, u, v: np.stack([j.max(1), j.min(1) + 1], 1) * 2,
    "positions": lambda j, u, v: j.argmax(1),
    "along the others": lambda j, u, v: j.max(0),
    "joined again": lambda j, u, v: np.stack([j * 2, v, j - v], 1),
    "joined behind": lambda j, u, v: np.concatenate([j, v * 2], 1) + 1,
    "joined below": lambda j, u, v: np.concatenate([v + 1, j]) * 2,
    "repeated": lambda j, u, v: np.repeat(j, 2, 0) + 1,
    "rolled": lambda j, u, v: np.roll(j, 1, 0) - j,
    "taken": lambda j, u, v: j[np.asarray([5, 1, 1])] + 1,
    "masked": lambda j, u, v: j[v[:, 0] > 0],
    "sorted": lambda j, u, v: np.sort(j, 1),
    "running": lambda j, u, v: np.cumsum(np.abs(j) // 1, 0),
}


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(name: str, held: bool) -> None:
    skip_without("float64")
    u, v = on_device(U, V)

    def join(u: Any, v: Any) -> Any:
        return np.stack([u[:, 0] + v[:, 1], v[:, 0] * 2, u[:, 2]], 1)

    host_join = join(U, V)
    wanted = OPERATIONS[name](host_join, U, V)
    j = join(u, v)
    result = OPERATIONS[name](j, u, v)
    if held:
        close(result, wanted)
        close(j, host_join)
    else:
        del j
        close(result, wanted)
    close(u, U)


def close(ours: Any, wanted: Any) -> None:
    """To the last bits: sums of three may be of another order."""
    ours = ours.copy_to_host() if isinstance(ours, da.Array) else ours
    assert ours.dtype == wanted.dtype
    assert ours.shape == wanted.shape
    np.testing.assert_allclose(ours, wanted, rtol=4e-15, atol=0)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (7,), (5, 4), (2, 3, 4), (1, 1), (0, 3)])
def test_axes_and_dtypes(dtype: str, shape: tuple[int, ...]) -> None:
    skip_without(dtype)
    host = (RNG.normal(size=shape) * 5).astype(dtype)
    x = da.asarray(host)

    def joins(x: Any, axis: int, stacked: bool) -> list[Any]:
        join = np.stack if stacked else np.concatenate
        j = join([x * x, x, x * x * x], axis)
        others = [x] if stacked else []
        two = np.take(np.ones((9, 9, 9, 9), x.dtype)[tuple(slice(n) for n in j.shape)], 0, axis)
        return [
            j + j,
            j * np.asarray(2, x.dtype),
            j.sum(axis),
            j.max(axis),
            j[..., -1],
            *(j * o for o in others),
            two + 0,
        ]

    with np.errstate(all="ignore"):
        for stacked in (True, False):
            for axis in range(len(shape) + stacked):
                if host.size == 0 and not stacked:
                    continue
                try:
                    wanted = joins(host, axis, stacked)
                except ValueError:  # NumPy takes no maximum of nothing, and shapes that do not broadcast
                    continue
                for ours, theirs in zip(joins(x, axis, stacked), wanted, strict=True):
                    if np.dtype(dtype).kind in "fc":
                        np.testing.assert_allclose(host_of(ours), theirs, rtol=2e-3 if dtype == "float16" else 1e-5)
                        assert ours.dtype == theirs.dtype
                    else:
                        same(ours, theirs)


def host_of(x: Any) -> Any:
    return x.copy_to_host() if isinstance(x, da.Array) else x


def test_writes_are_seen_where_they_belong() -> None:
    """What was read before a write stays, in parts, in joins and in views of them."""
    skip_without("float64")

    def program(xp: Any, u: Any, v: Any) -> list[Any]:
        first = u[:, 0] + v[:, 0]
        j = np.stack([first, v[:, 1] * 2, u[:, 2] + 0], 1)
        before, column = j * 2, j[:, 1] + 0
        seen = j[:, 0]
        j[3] = -1
        after = j + v
        seen[5:9] *= 4
        u[:, 2] = 7
        first += 100
        j[:, 2] += seen
        v[::2] = 0
        middle = j[:, 1]
        j -= 1
        return [before, column, after, seen + 0, j, first, u, v, middle * 2, j[:, 0] * j[:, 2]]

    u, v = on_device(U, V)
    for ours, wanted in zip(program(da, u, v), program(np, U.copy(), V.copy()), strict=True):
        same(ours, wanted)


def test_an_operand_that_is_written_before_the_join_is_computed() -> None:
    skip_without("float64")
    u, v = on_device(U, V)
    j = np.stack([u[:, 0] * 2, v[:, 1]], 1)
    k = j + v[:, :2]
    u[:] = 0
    v += 1
    same(k, np.stack([U[:, 0] * 2, V[:, 1]], 1) + V[:, :2])
    same(j, np.stack([U[:, 0] * 2, V[:, 1]], 1))


def test_a_column_that_nobody_reads_is_not_computed() -> None:
    skip_without("float64")
    u, v = on_device(U, V)
    result, moved = counted(lambda: np.stack([u[:, 0] + 1, np.exp(v[:, 1])], 1)[:, 0] * 2, "bytes_moved")
    same(result, (U[:, 0] + 1) * 2)
    assert moved == 2 * 8 * 700


def test_no_memory_for_the_parts_leaves_them_to_be_computed() -> None:
    """The join is asked for once more when there is memory."""
    skip_without("float64")
    device = da.device()
    inner = alloc.default_allocator(device)
    left = 1000

    def allocate(nbytes: int) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise MemoryError("none left")
        return inner.allocate(nbytes)

    u, v = (da.asarray(x, allocator=allocate) for x in (U, V))
    for allowed in range(4):
        shared = np.exp(u[:, 0]) + v[:, 0]
        j = np.stack([shared + 1, shared * v[:, 1], v[:, 2] - shared], 1) * 2
        left = allowed
        try:
            j.evaluate()
        except MemoryError:
            assert allowed < 3
        left = 1000
        host = np.exp(U[:, 0]) + V[:, 0]
        wanted = np.stack([host + 1, host * V[:, 1], V[:, 2] - host], 1) * 2
        np.testing.assert_allclose(j.copy_to_host(), wanted, rtol=1e-14)
        np.testing.assert_allclose(shared.copy_to_host(), host, rtol=1e-14)


@pytest.mark.usefixtures("waiting")
def test_what_is_evaluated_with_the_parts_may_read_the_join() -> None:
    """A value below a part shares a launch with a reduction that waits, below which is the join."""
    skip_without("float64")

    def program(xp: Any, a: Any) -> list[Any]:
        base = xp.exp(xp.sin(a) * xp.cos(a)) ** 1.5
        j = xp.concatenate([base[1:] * base[:-1], a[1:] * 2])
        across = j[: a.shape[0]] * 3
        total = across.sum()
        if isinstance(j, da.Array):
            j.evaluate()
        return [j, across, total]

    host = np.random.default_rng(3).random((300, 40))
    for ours, wanted in zip(program(da, da.asarray(host)), program(np, host), strict=True):
        np.testing.assert_allclose(host_of(ours), wanted, rtol=1e-13)


def test_many_operations_on_many_parts() -> None:
    """Where a kernel has no room for all, the join is stored between."""
    skip_without("float64")
    u = on_device(U)[0]

    def program(u: Any) -> Any:
        j = np.stack([u[:, k % 3] * (k + 1) for k in range(8)], 1)
        for k in range(60):
            j = j * 0.5 + j[:, ::-1] * 0.25 + k if k % 20 == 19 else j * 0.75 + k
        return j

    np.testing.assert_allclose(program(u).copy_to_host(), program(U), rtol=1e-14)


def test_parts_that_have_been_computed() -> None:
    skip_without("float64")
    u, v = on_device(U, V)
    first, second = u + 1, np.roll(v, 1, 0)
    first.evaluate()
    second.evaluate()
    same(np.concatenate([first, u * 2, second]) + 1, np.concatenate([U + 1, U * 2, np.roll(V, 1, 0)]) + 1)
    same(np.stack([first, second]) + 1, np.stack([U + 1, np.roll(V, 1, 0)]) + 1)


def test_parts_that_lie_by_columns_or_overlap() -> None:
    skip_without("float64")

    def program(xp: Any, u: Any, v: Any) -> list[Any]:
        windows = xp.lib.stride_tricks.sliding_window_view(u[:, 0], 5)
        return [
            xp.concatenate([(u + 1).T, v.T * 2]) * 2,
            xp.concatenate([(u + 1).T, xp.zeros((3, 7))], -1) + 1,
            xp.stack([(u * 2).T, v.T], -1)[..., 0] - 1,
            xp.concatenate([windows * 2, windows[::-1]], 1) + 1,
            xp.stack([windows + 1, windows[:, ::-1] * windows], 0).sum(0) * windows,
        ]

    for ours, wanted in zip(program(da, *on_device(U, V)), program(np, U, V), strict=True):
        same(ours, wanted)


def test_explain_evaluates_a_join() -> None:
    u, v = on_device(U.astype("float32"), V.astype("float32"))
    j = np.stack([u[:, 0] + 1, v[:, 1] * 2], 1) * 2
    reshaped = j.reshape(2, -1) + 1
    assert "1 kernel" in str(da.explain(reshaped))
    same(j, np.stack([U.astype("float32")[:, 0] + 1, V.astype("float32")[:, 1] * 2], 1) * 2)
