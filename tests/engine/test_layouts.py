"""Element-wise work over every layout: strides, steps, broadcasts, empty and 0-d, and random expressions of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import moderate, on_both, same, silent

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

INNER = [5, 40]
"""Below and above the length from which a row is a launch dimension of its own."""


def layouts(inner: int) -> dict[str, tuple[tuple[int, ...], Any]]:
    """Shape in memory, and the view of it that has shape (3, 4, inner) or broadcasts to it."""
    n = inner
    return {
        "dense": ((3, 4, n), lambda xp, x: x),
        "transposed": ((n, 4, 3), lambda xp, x: x.T),
        "swapped": ((4, 3, n), lambda xp, x: xp.swapaxes(x, 0, 1)),
        "reversed": ((3, 4, n), lambda xp, x: x[::-1, :, ::-1]),
        "stepped": ((6, 4, 2 * n), lambda xp, x: x[::2, :, ::2]),
        "stepped back": ((6, 4, 3 * n), lambda xp, x: x[::-2, ::-1, ::-3]),
        "a part": ((4, 6, n + 3), lambda xp, x: x[1:, 1:5, 2:-1]),
        "a row": ((n,), lambda xp, x: x),
        "a reversed row": ((n,), lambda xp, x: x[::-1]),
        "a column": ((3, 1, 1), lambda xp, x: x),
        "a plane": ((4, n), lambda xp, x: x),
        "0-d": ((), lambda xp, x: x),
        "one element": ((1, 1, 1, 1), lambda xp, x: x[0]),
        "broadcast": ((4, 1), lambda xp, x: xp.broadcast_to(x, (3, 4, n))),
        "with a new axis": ((3, n), lambda xp, x: x[:, None]),
    }


_NAMES = list(layouts(5))
_PAIRS = [(a, _NAMES[(i + step) % len(_NAMES)]) for i, a in enumerate(_NAMES) for step in (1, 4)]


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize(("first", "second"), _PAIRS)
def test_operands_of_any_two_layouts(first: str, second: str, inner: int) -> None:
    made = [layouts(inner)[name] for name in (first, second)]

    def body(xp: Any, x: Any, y: Any) -> Any:
        return made[0][1](xp, x) * 2 - made[1][1](xp, y)

    same(*on_both(body, *(moderate("int32", shape, i) for i, (shape, _) in enumerate(made))))


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("name", _NAMES[:7])
def test_assignment_through_any_view(name: str, inner: int) -> None:
    shape, view = layouts(inner)[name]

    def body(xp: Any, x: Any, y: Any) -> Any:
        view(xp, x)[...] = y.T
        view(xp, x)[1] += 3
        return x

    same(*on_both(body, moderate("int16", shape, 1), moderate("int16", (inner, 4, 3), 2)))


@pytest.mark.parametrize("dtype", ["int8", "float16", "float64", "complex128", "bool"])
def test_views_of_other_itemsizes(dtype: str) -> None:
    if dtype in ("float64", "complex128") and not da.device().caps["fp64"]:
        pytest.skip("the device has no float64")

    def body(xp: Any, x: Any) -> Any:
        return xp.equal(x[::-1, 1::2], x.T[2][:, None])

    same(*on_both(body, moderate(dtype, (4, 6), 1)))


@pytest.mark.parametrize("shape", [(0,), (2, 0, 3), (0, 0), (5, 0)])
def test_empty_arrays(shape: tuple[int, ...]) -> None:
    def body(xp: Any, x: Any) -> Any:
        y = xp.sqrt(x * 2) + x[::-1]
        y[...] = 3
        y += 1
        return y

    same(*on_both(body, np.empty(shape, np.float32)))


def test_empty_and_single_broadcast_to_empty() -> None:
    same(da.ones((1, 3), da.int32) + da.ones((0, 1), da.int32), np.ones((0, 3), np.int32))


def test_zero_dimensional_arrays_stay_arrays() -> None:
    x = da.asarray(np.float32(2))
    y = da.sqrt(x + 2)
    assert isinstance(y, da.Array) and y.shape == () and y.dtype == np.float32
    assert float(y) == 2.0


@pytest.mark.parametrize("ndim", [5, 8])
def test_many_dimensions(ndim: int) -> None:
    def body(xp: Any, x: Any, y: Any) -> Any:
        return (x.T + y)[::-1, ..., 1] * x[..., 0]

    shape = (2,) * ndim
    same(*on_both(body, moderate("int32", shape, 1), moderate("int32", (2, 1) * (ndim // 2) + (2,) * (ndim % 2), 2)))


# --- random expressions ----------------------------------------------------------------------------------------------

_BINARY = ["add", "subtract", "multiply", "divide", "maximum"]
_UNARY = ["negative", "sqrt", "abs", "square"]


@st.composite
def expressions(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], list[tuple]]:
    """Broadcastable shapes, and steps: an operation on two earlier values, or a view of one."""
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4)).input_shapes
    steps = []
    for i in range(draw(st.integers(1, 6))):
        known = st.integers(0, 1 + i)
        sort = draw(st.sampled_from("bbbuv"))
        if sort == "b":
            steps.append(("binary", draw(st.sampled_from(_BINARY)), draw(known), draw(known)))
        elif sort == "u":
            steps.append(("unary", draw(st.sampled_from(_UNARY)), draw(known)))
        else:
            steps.append(("view", draw(st.sampled_from(["flip", "T", "none"])), draw(known)))
    return list(shapes), steps


def _evaluate(xp: Any, values: list[Any], steps: list[tuple]) -> list[Any]:
    values = list(values)
    for sort, name, *at in steps:
        picked = [values[i] for i in at]
        if sort == "view":
            x = picked[0]
            square = x.ndim == 2 and x.shape[0] == x.shape[1]
            values.append(xp.flip(x) if name == "flip" else x.T if name == "T" and square else x)
        else:
            try:
                values.append(getattr(xp, name)(*picked))
            except ValueError:  # shapes that do not broadcast, under both libraries alike
                values.append(picked[0])
    return values


@settings(max_examples=max(settings().max_examples // 2, 1))
@given(expressions(), st.sampled_from(["float32", "float64"]))
def test_random_expressions_give_numpys_bits(expression: tuple, dtype: str) -> None:
    """Every intermediate value too: living interior nodes are outputs of the same kernels."""
    if dtype == "float64" and not da.device().caps["fp64"]:
        dtype = "float32"
    shapes, steps = expression
    arrays = [moderate(dtype, shape, i) for i, shape in enumerate(shapes)]
    with silent():
        wanted = _evaluate(np, arrays, steps)
    ours = _evaluate(da, [da.asarray(a) for a in arrays], steps)
    for i in reversed(range(len(wanted))):
        same(ours[i], np.asarray(wanted[i]), f"value {i} of {steps}:")


CHAINS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "read beside another order": lambda xp, c, f: (v := c + c, f * v)[::-1],
    "summed": lambda xp, c, f: (v := f + f, xp.sum(v, keepdims=True))[::-1],
    "summed along an axis": lambda xp, c, f: (v := f + f, v.sum(axis=1))[::-1],
    "of both orders": lambda xp, c, f: (f * c,),
    "turned, beside a row": lambda xp, c, f: (f + c[:1],),
}


@pytest.mark.parametrize("chain", CHAINS)
def test_a_result_lies_as_its_own_operands(chain: str) -> None:
    """Whatever it is computed with: a view of it by its order in memory is one, in NumPy and here."""

    def made(xp: Any) -> list[Any]:
        c = xp.asarray(np.arange(6.0).reshape(2, 3))
        last, *others = CHAINS[chain](xp, c, (c + 1).reshape(3, 2).T)
        assert last.strides is not None  # evaluates all in one kernel
        for x in (last, *others):
            x.reshape(-1)[:1] = 99
        return [last, *others]

    for ours, numpys in zip(made(da), map(np.asarray, made(np)), strict=True):
        assert ours.strides == numpys.strides
        same(ours, numpys)
