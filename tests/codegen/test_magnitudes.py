"""Which tests of divisions and roots follow from others: what is claimed of a value holds for all numbers, or NaN."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from launching import GPU

from devarray.codegen.kernels.magnitudes import ANY, Range, is_ordinary, ranges_of
from devarray.codegen.kernels.spec import Node
from devarray.codegen.kernels.statements import CHECKED, check_of, node_statements

F4 = "float32"
UNARY = ["sqrt", "abs", "negative", "reciprocal", "square"]
BINARY = ["add", "subtract", "multiply", "divide", "maximum"]
NUMPY: dict[str, Any] = {"abs": np.abs, "reciprocal": lambda x: x.dtype.type(1) / x} | {
    name: getattr(np, name) for name in (*UNARY, *BINARY) if name not in ("abs", "reciprocal")
}


def bits(value: float, dtype: str = F4) -> int:
    return int.from_bytes(struct.pack("<f" if dtype == F4 else "<d", value), "little")


def is_tested(x: np.ndarray) -> np.ndarray:
    """As the kernels find it."""
    if x.dtype == F4:
        return (x.view("u4") + np.uint32(0x19800000)) & np.uint32(0x40000000) != 0
    return ((x.view("u8") >> np.uint64(32)).astype("u4") + np.uint32(0x19100000)) & np.uint32(0x40000000) != 0


def node(name: str, *args: int) -> Node:
    return (name, F4, F4, args)


@st.composite
def programs(draw: st.DrawFn) -> tuple[list[float], list[Node]]:
    """Two leaves and two constants, then nodes."""
    constants = draw(st.lists(st.floats(2.0**-60, 2.0**90, width=32), min_size=2, max_size=2))
    constants = [draw(st.sampled_from([1.0, -1.0])) * c for c in constants]
    nodes: list[Node] = []
    for place in range(draw(st.integers(1, 12))):
        one = draw(st.booleans())
        name = draw(st.sampled_from(UNARY if one else BINARY))
        nodes.append(node(name, *(draw(st.integers(0, 3 + place)) for _ in range(1 if one else 2))))
    return constants, nodes


@settings(max_examples=400)
@given(programs(), st.sampled_from([F4, "float64"]), st.integers(0, 1000))
def test_values_are_in_their_ranges(program: tuple[list[float], list[Node]], dtype: str, seed: int) -> None:
    constants, nodes = program
    nodes = [(name, dtype, dtype, args) for name, _, _, args in nodes]
    known = {2 + i: bits(c, dtype) for i, c in enumerate(constants)}
    dtypes = [dtype] * (4 + len(nodes))
    checks = [check_of(n, known, dtypes) for n in nodes]
    tested = [i for i, check in enumerate(checks) if check]
    ranges = ranges_of(nodes, dtypes, known, tested)
    rng = np.random.default_rng(seed)
    leaves = np.frombuffer(rng.bytes(8000 * np.dtype(dtype).itemsize), dtype).reshape(2, 4000).copy()
    leaves[:, 2000:] = rng.standard_normal((2, 2000)) * 8
    values = [*leaves, *(np.full(4000, c, dtype) for c in constants)]
    good = np.ones(4000, bool)
    with np.errstate(all="ignore"):
        for number, (name, _, _, args) in enumerate(nodes):
            of = [values[i] for i in args]
            values.append(NUMPY[name](*of).astype(dtype))
            if number in tested:
                by_constant = checks[number] != CHECKED
                good &= is_tested(of[0 if by_constant else -1])
                good &= is_tested(values[-1]) if name == "divide" and not by_constant else True
    for value, claimed in zip(values, ranges, strict=True):
        seen = value[good & ~np.isnan(value)].astype("f8")
        assert (np.abs(seen) >= claimed.least).all()
        assert (np.abs(seen) <= claimed.most).all()
        assert not claimed.positive or (seen >= 0).all()


def test_what_has_no_range() -> None:
    """Leaves, other dtypes, other operations, and divisions with a branch."""
    nodes: list[Node] = [
        node("exp", 0), ("add", "float64", "float64", (0, 1)), node("sqrt", 0), node("divide", 0, 1),
        ("multiply", F4, F4, (0, 2)), node("sqrt", 0),
    ]  # fmt: skip
    dtypes = [F4, F4, "int32", *(n[2] for n in nodes)]
    ranges = ranges_of(nodes, dtypes, {}, [5])
    assert ranges[:8] == [ANY] * 8
    assert ranges[8].positive and is_ordinary(ranges[8], F4)
    assert ranges_of([], [F4, F4, "int64"], {0: bits(np.inf), 1: bits(-3.0), 2: 5}, []) == [ANY, Range(3, 3), ANY]


def count_tests(nodes: list[Node], known: dict[int, int], leaves: int = 2) -> int:
    names = [f"a{i}" for i in range(leaves)] + [f"c{i}_" for i in range(len(known))]
    lines, _ = node_statements(GPU, nodes, names, [F4] * len(names), known=known, checked=True)
    return "\n".join(lines).count("tested_f32(")


@pytest.mark.parametrize(
    ("nodes", "count"),
    [
        ([node("divide", 0, 1)], 2),  # the divisor and the quotient
        ([node("divide", 2, 1)], 1),  # 1 / y
        ([node("sqrt", 0), node("multiply", 5, 3), node("divide", 1, 6)], 2),  # not the divisor
        ([node("divide", 0, 1), node("abs", 5), node("multiply", 6, 3), node("add", 2, 7), node("divide", 2, 8)], 2),
        ([node("divide", 0, 1), node("multiply", 5, 3), node("add", 2, 6), node("divide", 2, 7)], 3),  # may be 0
        ([node("abs", 0), node("add", 2, 5), node("divide", 2, 6)], 1),  # may be infinite
        ([node("maximum", 0, 3), node("sqrt", 1), node("subtract", 5, 6), node("sqrt", 7)], 2),
        ([node("divide", 0, 4)], 1),  # by 5: the dividend
        ([node("sqrt", 0), node("divide", 5, 4)], 1),
        ([node("divide", 0, 3)], 0),  # a product by 4
    ],
)
def test_what_needs_no_test(nodes: list[Node], count: int) -> None:
    assert count_tests(nodes, {2: bits(1.0), 3: bits(0.25), 4: bits(5.0)}) == count


def test_logarithms_are_always_tested() -> None:
    """They do not hand on NaN, of which ranges tell nothing."""
    nodes = [node("sqrt", 0), node("add", 2, 1), node("log", 3)]
    lines, _ = node_statements(GPU, nodes, ["a0", "c0_"], [F4, F4], known={1: bits(1.0)}, checked=True)
    assert "log_near_f32(tested_positive_f32(" in lines[-1]
    assert "tested" not in "".join(
        node_statements(GPU, [("log", "float64", "float64", (0,))], ["a0"], ["float64"], checked=True)[0]
    )


def test_a_step_of_a_loop_keeps_its_tests() -> None:
    """Its text is that of all steps, whose values lie in other ranges."""
    nodes: list[Node] = [node("sqrt", 0)]
    for i in range(64):
        nodes += [node("add", 3 + 2 * i, 2), node("sqrt", 4 + 2 * i)]
    names = ["a0", "a1", "c0_"]
    lines, _ = node_statements(GPU, nodes, names, [F4] * 3, known={2: bits(1.0)}, checked=True, kept=[2 + len(nodes)])
    text = "\n".join(lines)
    assert "for (" in text
    loop = text[text.index("for (") :]
    assert "sqrt_near_f32(tested_f32(" in loop[: loop.index("}")]
