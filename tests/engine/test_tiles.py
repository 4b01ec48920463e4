"""Kernels by tiles of local memory: operands that lie along another axis than the result does."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "memory_kind", "launched")

SHAPES = [
    (),
    (0, 70),
    (64, 64),
    (33, 130),
    (130, 33),
    (3, 1000),
    (1000, 3),
    (5, 40, 33),
    (40, 5, 33),
    (3, 20, 4, 50),
    (20, 16, 16),
]
DTYPES = ["bool", "int8", "uint16", "float16", "float32", "int64", "complex64", "complex128"]


@pytest.fixture
def launched(device: da.Device) -> Iterator[None]:
    """Small work is launched, too."""
    before = da.config.host_elements
    da.config.host_elements = 0
    yield
    da.config.host_elements = before


def of(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 100, shape).astype(dtype)


def modes(array: da.Array) -> list[str]:
    return [kernel.mode for kernel in da.explain(array).kernels]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_copies_in_every_order_of_axes(dtype: str, shape: tuple[int, ...]) -> None:
    h = of(dtype, shape)
    x = da.asarray(h)
    for order in itertools.permutations(range(len(shape))):
        copied = x.transpose(order).copy()
        same(copied, h.transpose(order))
        assert not h.size or copied.strides == h.transpose(order).copy().strides
        same(x.transpose(order).copy("F"), h.transpose(order))


BESIDE: dict[str, Callable[[Any, Any, Any], Any]] = {
    "its own transpose": lambda xp, x, y: x + x.T,
    "backwards": lambda xp, x, y: x - x[::-1].T + x.T[::-1, ::-1],
    "two of them": lambda xp, x, y: x.T * y + y.T,
    "a row and a column": lambda xp, x, y: x.T + x[0] * y + y[:, :1],
    "a scalar of an array": lambda xp, x, y: x.T * y[3, 4] + y,
    "a part": lambda xp, x, y: x.T[5:100, 7:] + y[5:100, 7:],
    "every other": lambda xp, x, y: x[::2].T + y[:, ::2],
    "shifted": lambda xp, x, y: xp.roll(x.T, 3, axis=1) + xp.roll(y, -5, axis=0),
    "numbered": lambda xp, x, y: x.T + y + xp.arange(130.0),
    "widened": lambda xp, x, y: x.T.astype("float64") + y.astype("int32").T,
    "truths": lambda xp, x, y: xp.where((x > 50).T, x, y.T),
    "of pending values": lambda xp, x, y: (x * 2).T + y + 1,
    "thrice": lambda xp, x, y: x + x.T + x.T[::-1],
    "a stack": lambda xp, x, y: xp.stack([x.T + y, x - y.T], axis=-1),
    "three dims": lambda xp, x, y: x[:, :, None].transpose(1, 0, 2) + xp.stack([y, x]).transpose(1, 2, 0),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16"])
@pytest.mark.parametrize("beside", BESIDE)
def test_operands_of_another_order(beside: str, dtype: str) -> None:
    x, y = of(dtype, (130, 130)), of(dtype, (130, 130))[::-1].copy()
    same(BESIDE[beside](da, da.asarray(x), da.asarray(y)), BESIDE[beside](np, x, y))


def swap_halves(xp: Any, x: Any) -> Any:
    x[:60, 60:120] = x[60:120, :60].T
    return x


STORED: dict[str, Callable[[Any, Any], Any]] = {
    "its own transpose": lambda xp, x: x.__setitem__(..., x.T),
    "added in place": lambda xp, x: x.__iadd__(x.T),
    "in place, twice": lambda xp, x: x.__iadd__(x.T).__imul__(x.T + 1),
    "beside itself": swap_halves,
    "overlapping": lambda xp, x: x[:100, 10:110].__setitem__(..., x[5:105, :100].T),
    "through a transposed view": lambda xp, x: x.T[3:].__setitem__(..., x[3:] * 2),
    "every other": lambda xp, x: x[::2, 1::2].__setitem__(..., x[1::2, ::2].T + 1),
    "out": lambda xp, x: xp.add(x, x.T, out=x),
}


@pytest.mark.parametrize("stored", STORED)
def test_stores(stored: str) -> None:
    h = of("float32", (130, 130))
    x = da.asarray(h.copy())
    STORED[stored](np, h)
    STORED[stored](da, x)
    same(x, h)


def test_which_kernels_go_by_tiles(gpu_strategy: None, deferred: None) -> None:
    x, square = da.asarray(of("float32", (300, 200))), da.asarray(of("float32", (300, 300)))
    points, pairs = da.asarray(of("float32", (3, 500))), da.asarray(of("float32", (300, 300, 2)))
    assert modes(square + square.T) == ["tiles"]
    assert modes(points.T + da.asarray(of("float32", (500, 3)))) == ["tiles"]
    assert modes(x.T + 1) == ["linear"]  # the result lies as its operand
    assert modes(x[:, :150] + 1) == ["rows"]
    assert modes(square + square[:, :1]) == ["rows"]  # a column, the same for all of a row
    assert modes(square[:4, :4] + square[:4, :4].T) == ["flat"]  # a group of work-items would find little to do
    assert modes(pairs[..., 0] + square) == ["rows"]  # no axis along which neighbours are nearer


def test_a_transposing_copy_is_one_launch(gpu_strategy: None) -> None:
    x = da.zeros((300, 200), dtype="float32")
    x.T.copy()
    before = da.stats()["launches"]
    x.T.copy().evaluate()
    (x[:200] + x[:200].T).evaluate()
    assert da.stats()["launches"] == before + 2


def test_more_operands_than_local_memory_has_room_for() -> None:
    h = [of("complex128", (70, 70)) + i for i in range(6)]
    x = [da.asarray(a) for a in h]
    same(sum((a.T for a in x[1:]), x[0]), sum((a.T for a in h[1:]), h[0]))


def test_a_large_array() -> None:
    h = of("float32", (1500, 1700))
    x = da.asarray(h)
    same(x.T.copy(), h.T)
    same(x[:1500, :1500] * 2 + x[:1500, :1500].T, h[:1500, :1500] * 2 + h[:1500, :1500].T)


REDUCED: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda xp, x: (x * x.T).sum(),
    "columns": lambda xp, x: (x - x.T * 2).sum(0),
    "rows": lambda xp, x: (x - x.T * 2).max(1),
    "places": lambda xp, x: (x * 2 - x.T).argmax(1),
    "symmetric": lambda xp, x: (x == x.T).all(),
    "softmax": lambda xp, x: (lambda z: z / z.max(1, keepdims=True))(x + x.T),
    "two": lambda xp, x: (lambda d: d.max() + d.min())(abs(x - x.T)),
    "deviation": lambda xp, x: xp.rint((x - x.T).std(1)),
    "before and after": lambda xp, x: (x - x.max(1, keepdims=True)) * x.T,
}


@pytest.mark.parametrize("reduced", REDUCED)
def test_reductions_of_operands_of_another_order(reduced: str) -> None:
    h = of("float32", (600, 600))
    same(REDUCED[reduced](da, da.asarray(h)), REDUCED[reduced](np, h))


def test_what_reductions_would_read_across_is_computed_first(gpu_strategy: None, deferred: None) -> None:
    """By tiles, not in the reduction's kernel."""
    x = da.asarray(of("float32", (600, 600)))

    def launches(of: Callable[[], da.Array]) -> int:
        of().evaluate()
        before = da.stats()["launches"]
        of().evaluate()
        return da.stats()["launches"] - before

    assert launches(lambda: (x * x.T).sum()) == 2
    assert launches(lambda: (x * x.T).sum(0)) == 2
    assert launches(lambda: (x.T * 2 + 1).sum(1)) == 1
    assert launches(lambda: (x[:200, :200] * x[:200, :200].T).sum(1)) == 1  # small
