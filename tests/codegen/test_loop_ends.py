"""Loops that may end early: which are tested, how often, and how values are compared."""

from __future__ import annotations

import numpy as np
import pytest
from runtimes import Runtime

from devarray.codegen.kernels.elementwise import render
from devarray.codegen.kernels.loop_ends import run_length, same_bits
from devarray.codegen.kernels.spec import ElementwiseSpec, Node
from devarray.codegen.language.dialect import Dialect, dialect_for

X, C, D = 0, 1, 2  # value ids of a leaf and of two scalars
FIRST = 3


def spec_of(nodes: list[Node], kept: list[int]) -> ElementwiseSpec:
    dtypes = ["float32"] * FIRST + [node[2] for node in nodes]
    outputs = tuple((value, dtypes[value], "linear") for value in kept)
    leaves = (("float32", "linear"),)
    return ElementwiseSpec("linear", 1, False, 1, 4, False, leaves, ("float32",) * 2, tuple(nodes), outputs)


def masked(steps: int, moving: bool = False, filler: int = 0) -> ElementwiseSpec:
    """x = where(x < C, x * x + D, x), and the count of it; `moving` moves a further value in every step."""
    nodes: list[Node] = []

    def add(op: str, *args: int, result: str = "float32") -> int:
        nodes.append((op, "float32", result, args))
        return FIRST + len(nodes) - 1

    value, count, clock = X, add("multiply", X, D), add("multiply", X, C)
    for _ in range(steps):
        mask = add("less", value, C, result="bool")
        new = add("multiply", value, value)
        for _ in range(filler):
            new = add("multiply", new, D)
        value = add("where", mask, add("add", new, D), value)
        count = add("add", count, mask)
        if moving:
            clock = add("multiply", clock, D)
    return spec_of(nodes, [value, count, clock] if moving else [value, count])


def numpy_of(x: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray]:
    c, d = np.float32(0.75), np.float32(0.1)
    count = x * d
    for _ in range(steps):
        mask = x < c
        x, count = np.where(mask, x * x + d, x), count + mask
    return x, count


def gpu(driver: str = "opencl") -> Dialect:
    return dialect_for(driver, {"strategy": "gpu", "fp64": True})


@pytest.mark.parametrize("steps", [10, 11, 12, 13, 14, 17, 40, 49, 61])
def test_any_number_of_steps(runtime: Runtime, steps: int) -> None:
    source = render(masked(steps), dialect_for("opencl", {**runtime.dialect.caps, "strategy": "gpu"}))
    assert source.count("break;") == 1
    x = np.array([*np.linspace(-1.5, 1.5, 30), np.nan, np.inf, -np.inf, -0.0], np.float32)
    results = [np.zeros(x.size, np.float32) for _ in range(2)]
    bits = [int(np.float32(scalar).view(np.uint32)) for scalar in (0.75, 0.1)]
    runtime.launch(runtime.build(source), [x, *results], [x.size, 0, 0, 0, *bits], (x.size,))
    for result, wanted in zip(results, numpy_of(x, steps), strict=True):
        np.testing.assert_array_equal(result, wanted)


@pytest.mark.parametrize("driver", ["opencl", "cuda"])
def test_what_moves_in_every_step_is_not_tested(driver: str) -> None:
    assert "break;" in render(masked(30), gpu(driver))
    assert "break;" not in render(masked(30, moving=True), gpu(driver))
    assert "break;" not in render(masked(9), gpu(driver))


def test_cpus_have_no_such_loop(runtime: Runtime) -> None:
    assert "for (i32 ts" not in render(masked(30), runtime.dialect)


def test_the_text_does_not_grow_with_the_steps() -> None:
    """Nor is a long step unrolled."""
    assert len(render(masked(300), gpu())) < len(render(masked(10), gpu())) + 600
    assert "#pragma unroll 7" not in render(masked(29, filler=60), gpu())


def test_runs_leave_few_steps_over() -> None:
    assert [run_length(count) for count in (49, 50, 48, 30, 35, 64)] == [7, 5, 8, 6, 7, 8]
    for count in range(10, 400):
        assert 5 <= run_length(count) <= 8 and count % run_length(count) <= 4


def test_values_are_compared_by_their_bits() -> None:
    assert same_bits("float16", "a", "b") == same_bits("float32", "a", "b") == "AS_U32(a) == AS_U32(b)"
    assert same_bits("float64", "a", "b") == "AS_U64(a) == AS_U64(b)"
    assert same_bits("complex64", "a", "b") == "AS_U32(a.re) == AS_U32(b.re) && AS_U32(a.im) == AS_U32(b.im)"
    assert same_bits("complex128", "a", "b") == "AS_U64(a.re) == AS_U64(b.re) && AS_U64(a.im) == AS_U64(b.im)"
    assert same_bits("uint64", "a", "b") == same_bits("bool", "a", "b") == "a == b"


class Steps:
    """Steps of random operations, each carried value kept by a mask in its own way, and NumPy's values of them."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        x = self.rng.uniform(-2, 2, 64).astype(np.float32)
        x[:4] = np.nan, np.inf, -0.0, 0.0
        self.values: list[np.ndarray] = [x, np.float32(0.75), np.float32(-0.5)]  # type: ignore[list-item]
        self.nodes: list[Node] = []

    def add(self, op: str, *args: int) -> int:
        value = getattr(np, op)(*(self.values[i] for i in args))
        self.nodes.append((op, "float32", str(value.dtype), args))
        self.values.append(value)
        return len(self.values) - 1

    def run(self) -> list[int]:
        """Records the steps; the value ids of what the last one carries."""
        rng = self.rng
        carried = [self.add("multiply", X, D)] + [self.add("add", X, C) for _ in range(rng.integers(3))]
        ways = rng.choice(["where", "other", "sum", "bound", "product"], size=len(carried))
        ways[0] = "where"
        ops = rng.choice(["add", "subtract", "multiply", "minimum"], size=(len(carried), 2))
        picks = rng.integers(len(carried), size=(len(carried), 2))
        for _ in range(int(rng.integers(12, 60))):
            mask = self.add("less", carried[picks[0, 0]], C)
            made = []
            for own, way, (first, second), (a, b) in zip(carried, ways, ops, picks, strict=True):
                new = self.add(second, self.add(first, carried[a], X), self.add("multiply", carried[b], D))
                made.append(self.kept(way, mask, new, own))
            carried = made
        return carried

    def kept(self, way: str, mask: int, new: int, own: int) -> int:
        if way == "where":
            return self.add("where", mask, new, own)
        if way == "other":
            return self.add("where", mask, own, new)
        if way == "bound":
            return self.add("maximum", own, new)
        return self.add("add", own, mask if way == "sum" else self.add("multiply", new, mask))


@pytest.mark.parametrize("seed", range(40))
def test_random_steps(runtime: Runtime, seed: int) -> None:
    steps = Steps(seed)
    with np.errstate(all="ignore"):
        kept = steps.run()
    source = render(spec_of(steps.nodes, kept), dialect_for("opencl", {**runtime.dialect.caps, "strategy": "gpu"}))
    assert source.count("break;") == 1
    results = [np.zeros(64, np.float32) for _ in kept]
    bits = [int(np.float32(scalar).view(np.uint32)) for scalar in steps.values[1:FIRST]]
    memory = [steps.values[X], *results]
    runtime.launch(runtime.build(source), memory, [64, *(0 for _ in memory), *bits], (64,))
    for result, value in zip(results, kept, strict=True):
        wanted = np.broadcast_to(steps.values[value], 64).astype(np.float32)
        same = (result.view(np.uint32) == wanted.view(np.uint32)) | (np.isnan(result) & np.isnan(wanted))
        assert same.all()
