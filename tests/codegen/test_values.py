"""Every op on every dtype, against NumPy: its bits where the operation is exact, a few ULP of the true value else."""

from __future__ import annotations

import re

import numpy as np
import pytest
from runtimes import Runtime, op_node
from samples import inputs, random, same_bits, specials

from devarray.ops.dtypes import COMPLEX, DTYPES, FLOATS, KIND
from devarray.ops.table import INDEXED, OPS, SPECIAL, STEP, WHERE, Op

# Computed by functions of the runtime; test_accuracy.py measures them.
ROUNDED = {
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "expm1",
    "float_power",
    "hypot",
    "i0",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "pow",
    "sin",
    "sinh",
    "tan",
    "tanh",
}
# NumPy's complex product differs by one rounding between machines with and without fused multiply-add.
ROUNDED_COMPLEX = {*ROUNDED, "abs", "divide", "multiply", "reciprocal", "sign", "sqrt", "square", "clip"}
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def power(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """np.power, with truncated results where NumPy refuses negative integer exponents."""
    if a.dtype.kind != "i":
        return np.power(a, b)
    whole = np.power(a, np.maximum(b, 0))
    return np.where(b >= 0, whole, np.where(a == 1, 1, np.where(a == -1, np.where(b & 1, -1, 1), 0))).astype(a.dtype)


def floor_divide(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The standard's floor_divide: NumPy's but for infinities."""
    result = np.floor_divide(a, b)
    if a.dtype.kind != "f":
        return result
    return np.where(np.isinf(a) | np.isinf(b), a / b, result)


def nextafter(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """NumPy's, but equal halves give the second, as the standard has it."""
    return np.where(a == b, b, np.nextafter(a, b))


def extreme(function: np.ufunc, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """maximum and its like; NumPy's choice between zeros of different sign is not fixed, so `b` is taken."""
    return np.where((a == b) & (a.dtype.kind == "f"), b, function(a, b))


def oracle(op: Op, arguments: list[np.ndarray]) -> np.ndarray:
    a = arguments[0]
    special = {
        "where": np.where,
        "round": lambda x: np.round(x) if x.dtype != bool else x,
        "real": np.real,
        "imag": lambda x: x.imag if x.dtype.kind == "c" else np.zeros_like(x),
        "copy": np.positive if a.dtype != bool else np.copy,
        "astype": np.copy,
        "pow": power,
        "floor_divide": floor_divide,
        "nextafter": nextafter,
        "clip": lambda x, low, high: extreme(np.minimum, extreme(np.maximum, x, low), high),
    }
    special |= {
        name: lambda x, y, name=name: extreme(getattr(np, name), x, y)
        for name in ("maximum", "minimum", "fmax", "fmin")
    }
    return special[op.name](*arguments) if op.name in special else getattr(np, op.ufunc)(*arguments)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.heavy
def test_exact_ops_give_numpys_bits(runtime: Runtime, dtype: str) -> None:
    rounded = ROUNDED_COMPLEX if dtype in COMPLEX else ROUNDED if dtype in FLOATS else ROUNDED - {"pow"}
    ops = [
        op
        for op in OPS.values()
        if op.compute_dtype(dtype) and op.name not in rounded and not op.flags & (INDEXED | STEP | SPECIAL)
    ]
    wrong = {}
    for places in sorted({(op.nin, op.flags & WHERE) for op in ops}):
        group = [op for op in ops if (op.nin, op.flags & WHERE) == places]
        arguments = inputs(group[0], dtype)
        results = runtime.apply([op_node(op, str(op.compute_dtype(dtype))) for op in group], arguments)
        for op, out in zip(group, results, strict=True):
            expected = oracle(op, arguments)
            assert expected.dtype == out.dtype, op.name
            bad = np.flatnonzero(~same_bits(out, expected))
            if op.name in ("maximum", "minimum", "fmax", "fmin", "clip") and dtype == "float16":
                bad = bad[out[bad] != expected[bad]]  # NumPy takes the other zero than for float32
            if bad.size:
                i = bad[0]
                wrong[op.name] = (bad.size, [argument[i] for argument in arguments], out[i], expected[i])
    assert not wrong


EDGES = [127.5, 128, 200, 255.9, 256, 300, 32768, 65504, 65519.99, 65520, 65535, 65536, 70000, 2.0**31 - 128, 2.0**31]
EDGES += [2.0**31 + 256, 3e9, 2.0**32, 5e9, 2.0**40 + 2.0**20, 2.0**62, 2.0**63, 2.0**63 + 2.0**40, 2.0**64, 1e30]
EDGES += [2.0**-24, 2.0**-25, 2.0**-25 * (1 + 2.0**-30), 1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, 1 + 3 * 2.0**-11]


def near_halves(rng: np.random.Generator) -> np.ndarray:
    """Doubles close to halves and to the middles between them, where rounding twice shows."""
    halves = rng.integers(0, 2**16, 2000).astype(np.uint16).view(np.float16).astype(np.float64)
    return halves * (1 + rng.choice([0, 2.0**-12, 2.0**-11, 2.0**-30, 2.0**-11 + 2.0**-40], 2000))


@pytest.mark.parametrize("source", DTYPES)
def test_casts_give_numpys_bits(runtime: Runtime, source: str) -> None:
    rng = np.random.default_rng(5)
    parts = [specials(source), random(source, 2000, rng)]
    if KIND[source] == "f":
        edges = np.array([*EDGES, *(-edge for edge in EDGES)])
        parts += [edges.astype(source), rng.uniform(-1e5, 1e5, 1000).astype(source), near_halves(rng).astype(source)]
    values = np.concatenate(parts)
    results = runtime.apply([op_node(OPS["astype"], target) for target in DTYPES], [values])
    for target, out in zip(DTYPES, results, strict=True):
        # Element by element: NumPy's vectorised cast to uint32 differs from its own scalar one out of range.
        expected = np.array([value.astype(target) for value in values]) if target == "uint32" else values.astype(target)
        bad = np.flatnonzero(~same_bits(out, expected))
        assert not bad.size, (target, [(values[i], out[i], expected[i]) for i in bad[:3]])


def by_magnitude(dtype: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Integers of every number of bits."""
    return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, n, dtype, endpoint=True) >> rng.integers(
        0, np.iinfo(dtype).bits, n
    ).astype(dtype)


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if KIND[dtype] in "iu"])
def test_division_is_exact_about_whole_quotients(runtime: Runtime, dtype: str) -> None:
    rng = np.random.default_rng(7)
    b = by_magnitude(dtype, 60_000, rng)
    products = b * by_magnitude(dtype, b.size, rng) + rng.integers(0, 3, b.size).astype(dtype) - np.ones(1, dtype)
    a = np.where(rng.random(b.size) < 0.7, products, by_magnitude(dtype, b.size, rng))
    a[::5] = b[::5] // 2 + rng.integers(0, 3, a[::5].size).astype(dtype)  # half the divisor: ties of quotients
    names = ["floor_divide", "remainder", "fmod"]
    results = runtime.apply([op_node(OPS[name], dtype) for name in names], [a, b])
    for name, out in zip(names, results, strict=True):
        bad = np.flatnonzero(out != getattr(np, name)(a, b))
        assert not bad.size, (name, a[bad[:3]], b[bad[:3]], out[bad[:3]])


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_long_integers_become_floats_with_one_rounding(runtime: Runtime, dtype: str) -> None:
    rng = np.random.default_rng(8)
    info = np.iinfo(dtype)
    bits = np.arange(22, 63 if dtype == "int64" else 64)
    ties = [(1 << k) + m * (1 << max(k - down, 0)) for k in bits for down in (24, 25, 53, 54) for m in range(-5, 6)]
    near = [sign * tie + d for tie in ties for d in (-1025, -3, -1, 0, 1, 2, 1024) for sign in (1, -1)]
    values = np.array([value for value in near if info.min <= value <= info.max], dtype)
    values = np.concatenate([values, by_magnitude(dtype, 5000, rng)])
    for target, out in zip(FLOATS, runtime.apply([op_node(OPS["astype"], t) for t in FLOATS], [values]), strict=True):
        bad = np.flatnonzero(~same_bits(out, values.astype(target)))
        assert not bad.size, (target, values[bad[:3]], out[bad[:3]])


def test_index_quotients_are_exact(runtime: Runtime) -> None:
    rng = np.random.default_rng(9)
    size = 1 << rng.integers(0, 40, 40_000)
    size += rng.integers(0, size)
    size[:9] = range(1, 10)
    index = size * (rng.integers(0, 2**47, size.size) // size) + rng.choice([0, 1, 5], size.size)
    index = np.maximum(index - rng.integers(0, 2, size.size), 0)
    body = (
        "  const i64 i = GLOBAL_ID(0);\n"
        "  const i64 a = ((GLOBAL const i64*)m0)[i], b = ((GLOBAL const i64*)m1)[i];\n"
        f"  if (i < s.v[0]) ((GLOBAL i64*)m2)[i] = {runtime.dialect.index_quotient('a', 'b')};"
    )
    out = np.zeros_like(index)
    program = runtime.build(runtime.dialect.program(runtime.dialect.kernel("k", "rrw", 1, body)))
    runtime.launch(program, [index, size, out], [index.size], (index.size,))
    np.testing.assert_array_equal(out, index // size)


def test_every_op_has_c_text_for_the_kinds_it_computes_in() -> None:
    for op in OPS.values():
        if op.name == "take":  # the load of a table's element, whatever the kind
            continue
        kinds = {key for key in op.expressions if re.fullmatch("[biufc]", key)}
        needed = {KIND[compute] for dtype in DTYPES if (compute := op.compute_dtype(dtype))}
        assert needed <= kinds, op.name
