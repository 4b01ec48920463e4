"""Sizes, strides and offsets at the edges of 64 bits: what Python's integers say, or an error that says so."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import assume, given
from oracle import DTYPES, same, skip_without

import devarray as da
from devarray import errors
from devarray.lib.stride_tricks import as_strided

pytestmark = pytest.mark.usefixtures("device")

MOST = 2**63 - 1
BEYOND_MEMORY = 2**47
"""Bytes that no machine has."""

_POWERS = [2**31, 2**32, 2**40, 2**53, 2**59, 2**60, 2**61, 2**62, 2**63, 2**64]
edges = st.one_of(
    st.integers(0, 4),
    st.builds(lambda power, by: power + by, st.sampled_from(_POWERS), st.integers(-2, 2)),
)
signed = st.one_of(edges, edges.map(lambda n: -n))
dtypes = st.sampled_from(["bool", "int8", "uint16", "float32", "int64", "complex64"])


def has_bytes(shape: tuple[int, ...], itemsize: int) -> bool:
    """Whether 64 bits count an array's bytes; as in NumPy sizes beside a 0 count as well."""
    return math.prod(n for n in shape if n) * itemsize <= MOST and all(n <= MOST for n in shape)


def thousands(dtype: Any) -> da.Array:
    """One element, seen a great many times."""
    return da.broadcast_to(da.ones((), dtype), (2**40,))


# --- sizes ------------------------------------------------------------------------------------------------------------


@given(
    shape=st.lists(edges, max_size=4).map(tuple), dtype=dtypes, how=st.sampled_from(["empty", "zeros", "ones", "full"])
)
def test_fresh_arrays_of_any_shape(shape: tuple[int, ...], dtype: str, how: str) -> None:
    itemsize = np.dtype(dtype).itemsize
    size = math.prod(shape)
    assume(size * itemsize < 2**20 or size * itemsize >= BEYOND_MEMORY)
    make = {"full": lambda: da.full(shape, 1, dtype)}.get(how, lambda: getattr(da, how)(shape, dtype))
    if not has_bytes(shape, itemsize):
        with pytest.raises(da.ShapeError, match=r"too large|64 bits"):
            make()
    elif size * itemsize >= BEYOND_MEMORY:
        with pytest.raises(da.OutOfMemoryError):
            make().evaluate()
    else:
        x = make()
        assert (x.shape, x.size, x.nbytes) == (shape, size, size * itemsize)


@given(shape=st.lists(edges, max_size=4).map(tuple), dtype=dtypes)
def test_broadcasting_to_any_shape(shape: tuple[int, ...], dtype: str) -> None:
    x, itemsize = da.ones((), dtype), np.dtype(dtype).itemsize
    if not has_bytes(shape, itemsize):
        with pytest.raises(da.ShapeError, match=r"too large|64 bits"):
            da.broadcast_to(x, shape)
        return
    wide = da.broadcast_to(x, shape)
    size = math.prod(shape)
    assert (wide.shape, wide.size, wide.nbytes) == (shape, size, size * itemsize)
    if size:
        same(wide[(0,) * len(shape)], np.ones((), dtype))
        same(wide[tuple(n - 1 for n in shape)], np.ones((), dtype))
    if size * itemsize >= BEYOND_MEMORY:
        with pytest.raises(da.OutOfMemoryError):
            wide.copy().evaluate()
    if not has_bytes(shape, 8):
        with pytest.raises(da.ShapeError, match="too large"):
            wide.astype("int64")


@given(shape=st.lists(edges, max_size=3).map(tuple), n=st.sampled_from([0, 1, 12]))
def test_reshaping_to_any_shape(shape: tuple[int, ...], n: int) -> None:
    try:
        wanted = np.arange(n).reshape(shape)
    except ValueError:
        with pytest.raises(da.ShapeError):
            da.arange(n).reshape(shape)
        return
    same(da.arange(n).reshape(shape), wanted)


@pytest.mark.parametrize(
    "work",
    [
        lambda a, b: a + b,
        lambda a, b: da.where(a[:1], a, b),
        lambda a, b: a**b,
        lambda a, b: da.clip(a, b, 3),
    ],
)
def test_results_too_large_to_count(work: Callable[..., da.Array]) -> None:
    a = da.broadcast_to(da.ones((), "float32"), (2**40, 1))
    b = da.broadcast_to(da.ones((), "float32"), (1, 2**40))
    with pytest.raises(da.ShapeError, match="too large"):
        work(a, b)
    same(da.asarray([1, 2]) + 1, np.array([2, 3]))  # and nothing is left of it


@pytest.mark.parametrize(
    "work",
    [
        lambda: da.ones(2**61)[:3],
        lambda: da.zeros(2**61).evaluate(),
        lambda: da.zeros(2**62).nbytes,
        lambda: da.full((2**33, 2**33), 1),
        lambda: da.empty((2**31, 2**31), order="F"),
        lambda: da.empty((0, 2**62, 4)),
        lambda: da.empty_like(da.ones(3), shape=2**62),
        lambda: da.zeros_like(da.ones(3), shape=(2**62, 4)),
        lambda: da.device_array((2**62, 4)),
        lambda: da.arange(2**61),
        lambda: da.arange(2**63),
        lambda: da.linspace(0, 1, 2**62),
        lambda: da.linspace(0, 1, 2**64),
        lambda: da.logspace(0, 1, 2**62),
        lambda: da.geomspace(1, 2, 2**62),
        lambda: da.eye(2**31),
        lambda: da.identity(2**40),
        lambda: da.tri(2**62),
        lambda: da.vander(da.ones(3), 2**61),
        lambda: da.broadcast_to(da.ones(1), (2**61,)).copy(),
        lambda: da.broadcast_shapes((2**62, 1), (1, 4)),
        lambda: da.random.default_rng(1).random(2**61),
        lambda: da.random.default_rng(1).normal(size=2**61),
        lambda: da.random.default_rng(1).integers(0, 5, 2**62),
        lambda: da.random.default_rng(1).random(2**70),
        lambda: da.tile(da.ones(3), 2**62),
        lambda: da.tile(da.ones(3), (2**40, 2**30)),
        lambda: da.repeat(da.ones(3), 2**62),
        lambda: da.repeat(da.ones(3), 2**70),
        lambda: da.pad(da.ones(3), 2**62),
        lambda: da.kron(thousands("float32"), thousands("float32")),
        lambda: da.outer(thousands("float32"), thousands("float32")),
        lambda: da.meshgrid(thousands("float32"), thousands("float32")),
        lambda: da.concat([da.broadcast_to(da.ones((), "int8"), (2**62,))] * 2),
        lambda: da.stack([da.broadcast_to(da.ones((), "int8"), (2**62,))] * 2),
        lambda: da.count_nonzero(da.broadcast_to(da.ones((), "int8"), (3, 2**61)), axis=0),
        lambda: da.cumulative_sum(da.broadcast_to(da.ones((), "int8"), (2**62,))),
        lambda: da.argsort(da.broadcast_to(da.ones((), "int8"), (2**62,))),
        lambda: da.asarray(np.ones(3)).reshape(2**64),
        lambda: da.OpaqueArray(2**61, [("a", "f8")]),
        lambda: da.pinned_array(2**62),
        lambda: da.mapped_array((2**33, 2**33), "int32"),
    ],
)
def test_what_is_too_large_says_so(work: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"too large|64 bits|more than 2\*\*63|[Mm]aximum allowed size") as caught:
        work()
    assert isinstance(caught.value, da.Error)


@pytest.mark.parametrize(
    "work",
    [
        lambda: da.empty(2**50, "uint8"),
        lambda: da.ones(2**50)[:3],
        lambda: da.arange(2**50),
        lambda: da.broadcast_to(da.ones(1), (2**59,)).copy().evaluate(),
        lambda: da.broadcast_to(da.ones((), "int8"), (3, 2**61)).max(axis=0),
        lambda: da.broadcast_to(da.ones((), "float32"), (2**58,))[::-2].copy().evaluate(),
        lambda: da.broadcast_to(da.ones((), "int8"), (2**31, 2**31)).T.copy().evaluate(),
        lambda: da.matmul(*(da.broadcast_to(da.ones((), "float32"), s) for s in ((2**30, 2), (2, 2**30)))).evaluate(),
        lambda: da.fft.fft(da.broadcast_to(da.ones((), "complex64"), (2**58,))).evaluate(),
        lambda: da.sort(da.broadcast_to(da.ones((), "int8"), (2**62,))).evaluate(),
        lambda: da.broadcast_to(da.ones((), "int8"), (2**62,)).copy_to_host(),
    ],
)
def test_what_is_too_large_for_memory_says_so(work: Callable[[], Any]) -> None:
    with pytest.raises(da.OutOfMemoryError):
        work()
    same(da.asarray([1, 2]) + 1, np.array([2, 3]))


def test_states_that_no_array_has() -> None:
    """Pickles made by hand."""
    make, (values,) = da.arange(3).__reduce__()
    same(make(values), np.arange(3))
    for state in (None, "text", object(), [1, "a"], np.array([None]), np.zeros(2, "M8[s]")):
        with pytest.raises(da.Error, match="dtype"):
            make(state)


def test_a_part_of_something_large_is_read() -> None:
    large = da.broadcast_to(da.asarray([[1.0], [2.0]]), (2, 2**58))
    assert large.nbytes == 2 * 2**58 * 8
    same(large[:, :: 2**57] + 1, np.array([[2.0, 2.0], [3.0, 3.0]]))
    same(large[1, -2:].sum(), np.float64(4))


# --- views ------------------------------------------------------------------------------------------------------------


def lies_in(shape: Any, strides: Any, offset: int, itemsize: int, memory: int) -> bool:
    """By Python's integers."""
    if not has_bytes(shape, itemsize) or any(not -(2**63) <= n <= MOST for n in (*strides, offset)):
        return False
    reach = [(n - 1) * step for n, step in zip(shape, strides, strict=True) if n]
    low = offset + sum(r for r in reach if r < 0)
    high = offset + sum(r for r in reach if r > 0) + itemsize
    if 0 in shape:
        return low >= -(2**63) and high <= MOST
    aligned = all(n % itemsize == 0 for n in (offset, *(s for n, s in zip(shape, strides, strict=True) if n > 1)))
    return low >= 0 and high <= memory and aligned


@st.composite
def layouts(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    ndim = draw(st.integers(0, 3))
    steps = st.one_of(st.sampled_from([-16, -8, -4, 0, 1, 4, 8, 16]), signed)
    shape = tuple(draw(st.lists(edges, min_size=ndim, max_size=ndim)))
    return shape, tuple(draw(st.lists(steps, min_size=ndim, max_size=ndim))), draw(steps)


@given(layout=layouts())
def test_views_of_any_strides(layout: tuple[tuple[int, ...], tuple[int, ...], int]) -> None:
    shape, strides, offset = layout
    memory = np.arange(6.0)
    x = da.asarray(memory)
    if not lies_in(shape, strides, offset, 8, memory.nbytes):
        with pytest.raises(ValueError) as caught:
            as_strided(x, shape, strides, offset=offset)
        assert isinstance(caught.value, da.Error)
        return
    view = as_strided(x, shape, strides, offset=offset)
    assert (view.shape, view.strides, view.size) == (shape, strides, math.prod(shape))
    if view.size == 0:
        return
    corners = [(0, n - 1) for n in shape]
    for choice in range(2 ** len(shape)):
        index = tuple(corner[choice >> i & 1] for i, corner in enumerate(corners))
        at = offset + sum(i * step for i, step in zip(index, strides, strict=True))
        assert view[index].item() == memory[at // 8]


@given(start=st.one_of(st.none(), signed), stop=st.one_of(st.none(), signed), step=st.one_of(st.none(), signed))
def test_slices_with_any_bounds(start: int | None, stop: int | None, step: int | None) -> None:
    assume(step != 0)
    h = np.arange(20).reshape(4, 5)
    key = slice(start, stop, step)
    same(da.asarray(h)[key], h[key])
    same(da.asarray(h)[..., key][key], h[..., key][key])
    same(da.asarray(h)[key].T + 1, h[key].T + 1)


@given(index=signed)
def test_indices_of_any_size(index: int) -> None:
    h = np.arange(5)
    if -5 <= index < 5:
        assert da.asarray(h)[index].item() == h[index]
        return
    with pytest.raises(errors.IndexError, match="out of bounds"):
        da.asarray(h)[index]


def test_writes_reach_nothing_else() -> None:
    x = da.ones(3)
    with pytest.raises(da.ShapeError, match="too large"):
        as_strided(x, (2**61,), (4,))[2**30] = 1
    for stride in (-(2**63), 2**62, -(2**62), MOST):
        with pytest.raises(da.ShapeError, match=r"outside the memory|further than 64 bits"):
            as_strided(x, (3,), (stride,))
    for offset in (-(2**63), MOST, 2**63 - 8, 2**63):
        with pytest.raises(ValueError, match=r"outside the memory|64 bits"):
            as_strided(x, (3,), (8,), offset=offset)


def test_raw_memory_reaches_nothing_else() -> None:
    x = da.arange(10, dtype="float64")
    memory = x.base_data
    for offset in (2**63 - 8, -8, -(2**63), 2**63, memory.nbytes - 72):
        with pytest.raises(ValueError, match=r"does not fit|64 bits"):
            da.Array(memory, (10,), "f8", None, offset)
    for shape, strides in [((2**61,), (8,)), ((2,), (-(2**63),)), ((2**62, 4), None), ((3, 3), (2**62, 2**62))]:
        with pytest.raises(da.ShapeError, match=r"does not fit|too large|64 bits"):
            da.Array(memory, shape, "f8", strides)
    same(da.Array(memory, (5,), "f8", (16,), x.offset), np.arange(0.0, 10, 2))


def test_axes_of_one_element_take_any_stride() -> None:
    x = da.arange(3.0)
    far = as_strided(x, (1, 3, 1), (-(2**63), 8, MOST))
    same(far, np.arange(3.0).reshape(1, 3, 1))
    same(far.T * 2 + far, np.arange(3.0).reshape(1, 3, 1).T * 2 + np.arange(3.0).reshape(1, 3, 1))
    same(far[::-1, ::-1].sum(axis=(0, 2)), np.array([2.0, 1.0, 0.0]))
    far[...] = 5
    same(x, np.full(3, 5.0))
    same(far.reshape(3), np.full(3, 5.0))
    theirs = np.empty((1, 3, 1))
    far.copy_to_host(theirs[:, ::-1])
    same(theirs, np.full((1, 3, 1), 5.0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_lie_where_devices_read_them(dtype: str) -> None:
    skip_without(dtype)
    item = np.dtype(dtype)
    unit = item.itemsize // (2 if item.kind == "c" else 1)
    memory = da.zeros(8 * item.itemsize, "uint8")
    whole = memory.view(dtype)
    assert whole.shape == (8,)
    same(memory[unit : unit + item.itemsize].view(dtype), np.zeros(1, dtype))
    same(as_strided(whole, (3,), (2 * item.itemsize + unit,)), np.zeros(3, dtype))
    if unit == 1:
        return
    off = unit // 2
    for work in (
        lambda: memory[off : off + item.itemsize].view(dtype),
        lambda: as_strided(whole, (3,), (item.itemsize + off,)),
        lambda: as_strided(whole, (3,), offset=off),
        lambda: da.Array(memory.base_data, 2, dtype, None, memory.offset + off),
    ):
        with pytest.raises(errors.ValueError, match=f"multiples of {unit} bytes"):
            work()
    assert as_strided(whole, (1,), (off,)).strides == (off,), "nobody steps along an axis of one element"


def test_dimensions_are_limited() -> None:
    most = da._core.limits()["dims"]
    x = da.ones(3)
    assert x[(None,) * (most - 1)].ndim == most
    with pytest.raises(errors.IndexError, match=f"at most {most} dimensions"):
        x[(None,) * most]
    for work in (lambda: da.zeros((1,) * (most + 1)), lambda: x.reshape((1,) * most + (3,))):
        with pytest.raises(da.ShapeError, match=f"at most {most} dimensions"):
            work()


# --- integers that C++ is given ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "work",
    [
        lambda x: x.transpose(2**70),
        lambda x: da.permute_dims(x, (2**63,)),
        lambda x: x.sum(axis=2**70),
        lambda x: da.expand_dims(x, axis=2**70),
        lambda x: da.moveaxis(x, 2**70, 0),
        lambda x: da.cumulative_sum(x, axis=2**70),
        lambda x: x.swapaxes(0, -(2**63)),
        lambda x: x.item(2**70),
        lambda x: x[2**70],
        lambda x: da.diagonal(da.ones((2, 2)), axis1=2**70),
        lambda x: da.broadcast_to(x, (2**70, 3)),
        lambda x: as_strided(x, (2**70,), (8,)),
        lambda x: as_strided(x, (2,), (2**70,)),
        lambda x: as_strided(x, (2,), (8,), offset=2**70),
        lambda x: as_strided(x, (2,), (8,), offset="a"),
    ],
)
def test_integers_beyond_64_bits_are_named(work: Callable[[da.Array], Any]) -> None:
    with pytest.raises(da.Error) as caught:
        work(da.ones(3))
    assert "incompatible" not in str(caught.value) and "cannot fit" not in str(caught.value)


@given(shift=signed)
def test_rolls_by_any_number(shift: int) -> None:
    h = np.arange(7)
    same(da.roll(da.asarray(h), shift), np.roll(h, shift % 7))


@given(k=signed)
def test_diagonals_anywhere(k: int) -> None:
    h = np.arange(6.0).reshape(2, 3)
    near = max(-9, min(9, k))
    same(da.eye(2, 3, k=k), np.eye(2, 3, k=near))
    same(da.diagonal(da.asarray(h), offset=k), np.diagonal(h, near))
