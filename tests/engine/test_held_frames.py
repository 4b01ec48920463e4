"""What `pad` writes around a step of a stencil: a chain of steps writes it only where somebody can read it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import same
from test_rows import waiting
from test_stencil_chains import launches, takes_few_arguments

import devarray as da

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "waiting")

__all__ = ["waiting"]

SHAPES = [(70, 140), (1500, 2900)]  # filled as a whole, and by its sides
RNG = np.random.default_rng(11)
HOSTS = {shape: RNG.integers(-9, 9, shape).astype("float32") for shape in SHAPES}

shapes = pytest.mark.parametrize("shape", SHAPES, ids=["filled", "sides"])


def step(xp: Any, u: Any, value: float = 0, widths: Any = 1) -> Any:
    inner = u[1:-1, 1:-1]
    return xp.pad(
        (inner + u[:-2, 1:-1] - u[2:, 1:-1] + u[1:-1, :-2] - u[1:-1, 2:]) * 0.5, widths, constant_values=value
    )


def begin(shape: tuple[int, int]) -> tuple[Any, np.ndarray]:
    return da.asarray(HOSTS[shape]).evaluate(), HOSTS[shape]


@shapes
def test_frames_between_steps_are_not_written(device: da.Device, shape: tuple[int, int]) -> None:
    if takes_few_arguments(device):
        pytest.skip("chains are short")
    ours, theirs = begin(shape)

    def work() -> Any:
        u = ours
        for _ in range(20):
            u = step(da, u)
        return u.copy_to_host()

    for _ in range(3):
        work()
    sides = 1 if shape == SHAPES[0] else 2
    counts = [launches(work) for _ in range(4)]  # a pool that has to wait for memory launches what is held
    assert min(counts) <= 4 + 4 * sides + 2, "of each five steps the last one's frame"
    for _ in range(20):
        theirs = step(np, theirs)
    same(work(), theirs)


@shapes
def test_steps_that_are_kept_have_their_frames(device: da.Device, shape: tuple[int, int]) -> None:
    u, host = begin(shape)
    kept = []
    for k in range(11):
        u, host = step(da, u, k), step(np, host, k)
        if k in (0, 2, 3, 7):
            kept.append((u, host))
    same(u, host)
    for ours, theirs in kept:
        same(ours, theirs)


@shapes
@pytest.mark.parametrize("every", [1, 2, 3])
def test_frames_are_read_between_steps(device: da.Device, shape: tuple[int, int], every: int) -> None:
    u, host = begin(shape)
    for k in range(9):
        u, host = step(da, u, k), step(np, host, k)
        if k % every == 0:
            same(u[0] + u[-1], host[0] + host[-1])
            same(u[:, :2] * 2, host[:, :2] * 2)


@shapes
def test_frames_are_written_between_steps(device: da.Device, shape: tuple[int, int]) -> None:
    u, host = begin(shape)
    for k in range(9):
        u, host = step(da, u, k), step(np, host, k)
        if k % 2:
            for x in (u, host):
                x[0] = k
                x[1:, -1] += 1
                x[3, 3:9] *= 2
    same(u, host)


@shapes
def test_steps_that_have_nothing_to_do_with_a_chain(device: da.Device, shape: tuple[int, int]) -> None:
    """Padding other arrays in the middle of it: a copy of a leaf, an expression, and what nobody ever reads."""
    u, host = begin(shape)
    other = da.asarray(HOSTS[shape][::-1].copy()).evaluate()
    others = []
    for k in range(9):
        u, host = step(da, u), step(np, host)
        others.append(np.pad(other, ((k % 3, 1), (2, k % 2)), constant_values=k))
        np.pad(other * 2, 1)
        others.append(np.pad(other + k, 1, constant_values=-k))
    same(u, host)
    theirs = HOSTS[shape][::-1]
    for k in range(9):
        same(others[2 * k], np.pad(theirs, ((k % 3, 1), (2, k % 2)), constant_values=k))
        same(others[2 * k + 1], np.pad(theirs + k, 1, constant_values=-k))


@shapes
def test_two_fields(device: da.Device, shape: tuple[int, int]) -> None:
    def both(xp: Any, u: Any, v: Any, k: int) -> tuple[Any, Any]:
        return step(xp, u, k) + v * 0.5, step(xp, v, -k)

    u, host_u = begin(shape)
    v, host_v = u * 2 + 1, host_u * 2 + 1
    for k in range(8):
        u, v = both(da, u, v, k)
        host_u, host_v = both(np, host_u, host_v, k)
    same(u, host_u)
    same(v, host_v)


@shapes
@pytest.mark.parametrize("widths", [((1, 1), (2, 3)), ((0, 2), (1, 1)), ((3, 0), (0, 0))])
def test_frames_of_other_widths(device: da.Device, shape: tuple[int, int], widths: Any) -> None:
    u, host = begin(shape)
    for k in range(7):
        u, host = step(da, u, k, widths), step(np, host, k, widths)
    same(u, host)


@shapes
def test_the_last_frame_is_there_for_who_looks_at_memory(device: da.Device, shape: tuple[int, int]) -> None:
    u, host = begin(shape)
    for k in range(4):
        u, host = step(da, u, k), step(np, host, k)
    if device.driver != "cuda":
        view = u.as_host_view() if hasattr(u, "as_host_view") and u.allocator.kind != "buffer" else u.copy_to_host()
        np.testing.assert_array_equal(np.asarray(view), host)
    rows, columns = u.sum(axis=0), u[:1].max()
    same(rows.copy_to_host().shape, host.sum(axis=0).shape)
    assert columns.item() == host[:1].max()
    same(u[::-1], host[::-1])
