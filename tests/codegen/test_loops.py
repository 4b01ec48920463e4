"""Steps that an expression repeats are found, whatever stands before, behind and beside them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from runtimes import Runtime

from devarray.codegen.kernels.elementwise import render
from devarray.codegen.kernels.loops import find_loop
from devarray.codegen.kernels.spec import ElementwiseSpec, Node
from devarray.codegen.language.dialect import Dialect, dialect_for

X, C, D = 0, 1, 2  # value ids of a leaf and of two scalars
FIRST = 3


def gpu(runtime: Runtime) -> Dialect:
    return dialect_for("opencl", {**runtime.dialect.caps, "strategy": "gpu"})


def node(op: str, *args: int) -> Node:
    return (op, "float32", "float32", args)


class Program:
    """Nodes, and NumPy's values of them."""

    def __init__(self) -> None:
        self.x = np.linspace(-1, 1, 37).astype(np.float32)
        self.values: list = [self.x, np.float32(0.75), np.float32(0.1)]
        self.nodes: list[Node] = []

    def add(self, op: str, *args: int) -> int:
        self.nodes.append(node(op, *args))
        self.values.append(getattr(np, op)(*(self.values[i] for i in args)))
        return len(self.values) - 1

    def step(self, value: int) -> int:
        """Four nodes."""
        scaled = self.add("multiply", value, C)
        square = self.add("multiply", value, value)
        return self.add("add", scaled, self.add("multiply", square, D))

    def spec(self, kept: list[int]) -> ElementwiseSpec:
        outputs = tuple((value, "float32", "linear") for value in kept)
        return ElementwiseSpec(
            "linear", 1, False, 1, 4, False, (("float32", "linear"),), ("float32",) * 2, tuple(self.nodes), outputs
        )


def checked(runtime: Runtime, program: Program, kept: list[int], vec: int = 1) -> str:
    """The kernel's text; its results are NumPy's."""
    spec = program.spec(kept)
    source = render(
        ElementwiseSpec(**{field: getattr(spec, field) for field in spec.__slots__} | {"vec": vec}), gpu(runtime)
    )
    results = [np.zeros(37, np.float32) for _ in kept]
    bits = [int(np.float32(scalar).view(np.uint32)) for scalar in program.values[1:FIRST]]
    slots = [37, 0, *(0 for _ in kept), *bits]
    runtime.launch(runtime.build(source), [program.x, *results], slots, (-(-37 // vec),))
    for result, value in zip(results, kept, strict=True):
        np.testing.assert_array_equal(result, np.broadcast_to(program.values[value], 37))
    return source


def steps_in(source: str) -> list[int]:
    return [int(count) for count in re.findall(r"for \(i32 ts = 0; ts < (\d+);", source)]


@pytest.mark.parametrize("vec", [1, 4])
def test_steps_from_the_first_node_on_become_a_loop(runtime: Runtime, vec: int) -> None:
    program = Program()
    value = X
    for _ in range(20):
        value = program.step(value)
    source = checked(runtime, program, [value], vec)
    assert steps_in(source) == [20]
    assert source.count(" * ") < 12


def test_what_stands_before_and_behind_keeps_its_place(runtime: Runtime) -> None:
    program = Program()
    start = program.add("add", program.add("multiply", X, D), C)
    value = start
    for _ in range(15):
        value = program.step(value)
    total = program.add("add", value, start)
    source = checked(runtime, program, [total, start, value])
    assert steps_in(source) == [15]


def test_several_values_are_carried_and_one_by_two_names(runtime: Runtime) -> None:
    program = Program()
    a, b = X, program.add("multiply", X, C)
    for _ in range(24):
        a, b = b, program.add("add", program.add("multiply", a, C), program.add("multiply", b, D))
    # Of what two steps before gave, the product is carried: the loop begins behind it.
    assert steps_in(checked(runtime, program, [a, b])) == [23]
    program = Program()
    a, b = X, program.add("multiply", X, C)
    for _ in range(24):
        a, b = program.add("add", b, D), program.add("multiply", program.add("add", a, b), C)
    assert steps_in(checked(runtime, program, [a, b])) == [24]


def test_a_value_that_is_kept_of_an_earlier_step_ends_the_loop(runtime: Runtime) -> None:
    program = Program()
    value, seen = X, []
    for _ in range(30):
        value = program.step(value)
        seen.append(value)
    assert steps_in(checked(runtime, program, [seen[19], value])) == [20]
    assert steps_in(checked(runtime, program, [seen[0], value])) == []
    assert steps_in(checked(runtime, program, [seen[-2], value])) == [29]


def test_inner_values_of_the_last_step_can_be_kept(runtime: Runtime) -> None:
    program = Program()
    value = X
    for _ in range(20):
        value = program.step(value)
    inner = FIRST + len(program.nodes) - 3
    assert steps_in(checked(runtime, program, [inner, value])) == [20]


def test_steps_that_differ_are_no_loop() -> None:
    program = Program()
    value = X
    for number in range(20):
        value = program.add("add" if number % 3 else "subtract", program.step(value), X)
    dtypes = ["float32"] * len(program.values)
    loop = find_loop(program.nodes, FIRST, [value], dtypes)
    assert loop is None or loop.period == 15  # three of them are a step


def test_a_first_value_of_another_dtype_stays_before_the_loop(runtime: Runtime) -> None:
    program = Program()
    value = X
    for _ in range(20):
        value = program.step(value)
    dtypes = ["float16", *["float32"] * (len(program.values) - 1)]
    loop = find_loop(program.nodes, FIRST, [value], dtypes)
    assert loop is not None and loop.start > 0 and loop.count == 19


def test_few_nodes_are_no_loop() -> None:
    program = Program()
    value = X
    for _ in range(6):
        value = program.step(value)
    assert find_loop(program.nodes, FIRST, [value], ["float32"] * len(program.values)) is None


def test_a_first_step_that_begins_with_a_value_of_its_own(runtime: Runtime) -> None:
    """Nothing before the loop could stand for that value: the first step is none of the loop's."""
    program = Program()
    value, most = X, None
    for _ in range(20):
        square = program.add("multiply", value, value)
        most = program.add("maximum", square if most is None else most, square)
        value = program.add("multiply", program.add("add", value, D), C)
    assert most is not None
    assert steps_in(checked(runtime, program, [value, most])) == [19]


@pytest.mark.parametrize("seed", range(40))
def test_random_steps(runtime: Runtime, seed: int) -> None:
    """Steps of random operations on carried values, on what was there before, and within the step."""
    rng = np.random.default_rng(seed)
    program = Program()
    ops = ["add", "subtract", "multiply", "maximum", "minimum"]
    carried = [X, *(program.add(str(rng.choice(ops[:3])), X, int(rng.integers(3))) for _ in range(rng.integers(3)))]
    fixed = [X, C, D, *carried]
    plan = [(str(rng.choice(ops)), rng.random(2), rng.integers(1 << 30, size=2)) for _ in range(rng.integers(2, 9))]
    targets = rng.integers(len(plan), size=len(carried))
    for _ in range(int(rng.integers(3, 30))):
        made: list[int] = []
        for op, kinds, picks in plan:
            pools = [made if kind < 0.4 and made else carried if kind < 0.8 else fixed for kind in kinds]
            sources = [pool[int(pick) % len(pool)] for pool, pick in zip(pools, picks, strict=True)]
            made.append(program.add(op, *sources))
        scaled = [program.add("multiply", program.add("minimum", made[t], C), D) for t in targets]
        carried = [program.add("maximum", value, D) for value in scaled]
    last = len(program.values) - 1
    kept = sorted({last, *(int(i) for i in rng.integers(max(FIRST, last - 12), last + 1, size=2)), *carried})
    with np.errstate(all="ignore"):
        checked(runtime, program, kept, int(rng.choice([1, 4])))
