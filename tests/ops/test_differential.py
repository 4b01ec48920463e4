"""Every element-wise function and operator against NumPy: values, result dtypes, and which dtypes are refused."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import COMPLEX, DTYPES, FLOATS, INTEGERS, close, host, moderate, same, silent, skip_without, values

import devarray as da
from devarray.ops.table import OPS, SPECIAL, STEP

pytestmark = pytest.mark.usefixtures("device")

NAMES = [
    name
    for name, op in OPS.items()
    if name not in ("np_floor_divide", "iota", "copy", "astype") and not op.flags & (STEP | SPECIAL)
]
_ORACLE: dict[str, Callable[..., Any]] = {"where": np.where, "round": np.round, "real": np.real, "imag": np.imag}
EXACT = {
    "add", "subtract", "divide", "multiply", "sqrt", "square", "reciprocal", "floor_divide", "remainder", "fmod",
}  # fmt: skip
DOMAIN = {
    "acos": (-1, 1), "asin": (-1, 1), "atanh": (-0.99, 0.99), "acosh": (1, 50), "log": (0, 50), "log2": (0, 50),
    "log10": (0, 50), "log1p": (-0.9, 50),
}  # fmt: skip
ULP = 6


def oracle(name: str) -> Callable[..., Any]:
    return _ORACLE.get(name) or getattr(np, OPS[name].ufunc or name)


def defined(name: str, dtype: str) -> bool:
    return OPS[name].result_dtype(dtype) is not None


def sample(index: int) -> list[str]:
    """A few dtypes, others for each operation, so that all meet all sorts of operations."""
    picked = [INTEGERS[index % 4], INTEGERS[4 + (index + 1) % 4], FLOATS[index % 3], COMPLEX[index // 2 % 2]]
    return [*picked, "bool"] if index % 3 == 0 else picked


CASES = [(name, dtype) for i, name in enumerate(NAMES) for dtype in sample(i) if defined(name, dtype)]
CASES = [case for case in CASES if case != ("round", "bool")]  # NumPy's function of that name is not a ufunc


def inputs(name: str, dtype: str) -> list[np.ndarray]:
    """Values of every size where the result is exact, elsewhere those that the function is defined for."""
    op, kind = OPS[name], np.dtype(dtype).kind
    exact = op.exact or op.result == "?" or name in EXACT or kind in "biu"
    rounded = kind == "c" and name in {"multiply", "divide", "sqrt", "square", "reciprocal"}
    arrays = [(values if exact and not rounded else moderate)(dtype, 60, seed) for seed in range(op.nin)]
    if name == "where":
        arrays[0] = values("bool", 60, 9)
    if name == "clip":
        arrays[1:] = [np.minimum(*arrays[1:]), np.maximum(*arrays[1:])] if dtype not in COMPLEX else arrays[1:]
    if name in ("pow", "float_power"):
        base, exponent = (moderate(dtype, 60, seed) for seed in range(2))
        if kind == "f" or (name == "float_power" and kind != "c"):
            base = np.abs(base)  # negative ones have no real power
        elif kind == "i":
            exponent = np.abs(exponent)  # negative ones have no integer power
        arrays = [base, exponent]
    if name in DOMAIN and kind == "f":
        arrays = [np.random.default_rng(5).uniform(*DOMAIN[name], 60).astype(dtype)]
    if name == "floor_divide" and kind == "f":
        # Infinite operands have the standard's quotients; numpy.floor_divide on device arrays has NumPy's.
        arrays = [np.where(np.isinf(a), 3, a).astype(dtype) for a in arrays]
    if name == "sign" and dtype in COMPLEX:
        arrays = [moderate(dtype)]
    return arrays


def tolerance(name: str, dtype: str) -> float:
    kind = np.dtype(dtype).kind
    if kind == "c":
        exact = name in ("add", "subtract") or (OPS[name].exact and name not in ("abs", "sign"))
        return 0 if exact else 64 if name in ("pow", "float_power") else ULP
    return 0 if OPS[name].exact or name in EXACT else ULP


@pytest.mark.parametrize(("name", "dtype"), CASES, ids=[f"{n}-{t}" for n, t in CASES])
def test_function_has_numpys_values(name: str, dtype: str) -> None:
    arrays = inputs(name, dtype)
    skip_without(dtype, OPS[name].result_dtype(dtype))
    with silent():
        wanted = oracle(name)(*arrays)
    close(getattr(da, name)(*(da.asarray(a) for a in arrays)), wanted, tolerance(name, dtype))


OPERATORS = [
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor", "lshift", "rshift", "lt", "le",
    "eq", "ne", "gt", "ge", "neg", "pos", "abs", "invert",
]  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_operator_has_numpys_values_and_dtypes(name: str) -> None:
    function = getattr(operator, name)
    for dtype in ("int32", "uint8", "float32"):
        x, y = moderate(dtype, 30, 1), moderate(dtype, 30, 2)
        y[y == 0] = 1
        operands = [x, y]
        if name in ("neg", "pos", "abs", "invert"):
            operands = [x]
        elif name == "pow":
            operands = [np.abs(x), np.abs(y)]
        try:
            wanted = function(*operands)
        except TypeError:
            with pytest.raises(da.DTypeError):
                function(*(da.asarray(a) for a in operands))
            continue
        close(function(*(da.asarray(a) for a in operands)), wanted, ULP if name == "pow" else 0)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_shifts_by_any_count(device: da.Device, dtype: str) -> None:
    """By arrays and by scalars: past the width nothing is left, or the sign."""
    limits = np.iinfo(dtype)
    values = np.array([limits.min, limits.min + 1, limits.min // 3, 0, 1, 5, limits.max - 1, limits.max], dtype)
    around = [n + d for n in (8, 16, 32, 64, 127) for d in (-1, 0, 1)]
    least = [-1, -32, limits.min] if limits.min else []
    counts = np.array([n for n in (0, 1, 2, *around, limits.max, *least) if n <= limits.max], dtype)
    x, n = da.asarray(values), da.asarray(counts)
    for shift in (operator.lshift, operator.rshift):
        wanted = shift(values[:, None], counts)
        close(shift(x[:, None], n), wanted, 0)
        for place, count in enumerate(counts):
            close(shift(x, count), wanted[:, place], 0)


def _outcome(call: Callable[[], Any]) -> str:
    try:
        with silent():
            return call().dtype.name
    except TypeError:
        return "TypeError"


@pytest.mark.parametrize("name", [n for n in NAMES if OPS[n].nin == 1])
def test_result_dtype_of_one_operand(name: str) -> None:
    """Of empty arrays, which compile nothing. NumPy computes gcd and lcm of bools as int8; devarray refuses them."""
    if not da.device().caps["fp64"]:
        pytest.skip("the device has no float64")
    wrong = {}
    for dtype in DTYPES:
        if name == "round" and dtype == "bool":
            continue  # NumPy's function of that name is not a ufunc
        x = np.empty(0, dtype)
        wanted, ours = _outcome(lambda x=x: oracle(name)(x)), _outcome(lambda x=x: getattr(da, name)(da.asarray(x)))
        if wanted != ours:
            wrong[dtype] = f"{ours}, wanted {wanted}"
    assert not wrong


@pytest.mark.parametrize("name", [n for n in NAMES if OPS[n].nin == 2])
def test_result_dtype_of_each_pair(name: str) -> None:
    if not da.device().caps["fp64"]:
        pytest.skip("the device has no float64")
    wrong = {}
    for first in DTYPES:
        for second in DTYPES:
            if name in ("gcd", "lcm") and first == second == "bool":
                continue  # not among the standard's; refused
            x, y = np.empty(0, first), np.empty(0, second)
            wanted = _outcome(lambda x=x, y=y: oracle(name)(x, y))
            ours = _outcome(lambda x=x, y=y: getattr(da, name)(da.asarray(x), da.asarray(y)))
            if wanted != ours:
                wrong[first, second] = f"{ours}, wanted {wanted}"
    assert not wrong


SCALARS = [
    True, 2, -1, 1.5, 1j, np.int8(3), np.uint64(5), np.float16(0.5), np.float32(1.5), np.float64(2), np.complex64(1j),
]  # fmt: skip


@pytest.mark.parametrize("name", ["add", "divide", "less", "pow", "bitwise_and", "hypot", "maximum"])
def test_result_dtype_with_scalars(name: str) -> None:
    """Python scalars take the array's dtype (NEP 50), NumPy's have their own; what does not fit is an error."""
    if not da.device().caps["fp64"]:
        pytest.skip("the device has no float64")

    def outcome(call: Callable[[], Any]) -> str:
        try:
            return _outcome(call)
        except OverflowError:
            return "OverflowError"

    wrong = {}
    for dtype in DTYPES:
        x = np.empty(0, dtype)
        for scalar in SCALARS:
            for swap in (False, True):
                if name == "pow" and isinstance(scalar, int) and scalar < 0:
                    continue
                pair = (scalar, x) if swap else (x, scalar)
                ours_pair = tuple(da.asarray(v) if v is x else v for v in pair)
                wanted = outcome(lambda pair=pair: oracle(name)(*pair))
                ours = outcome(lambda pair=ours_pair: getattr(da, name)(*pair))
                if wanted != ours:
                    wrong[dtype, repr(scalar), swap] = f"{ours}, wanted {wanted}"
    assert not wrong


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float32", "float64", "complex64"])
def test_scalars_on_either_side(dtype: str) -> None:
    skip_without(dtype)
    x = values(dtype, 40, 3)
    for scalar in (3, np.int8(3), 2.5, np.float32(2.5)):
        with silent():
            left, right = scalar - x, x - scalar
        d = da.asarray(x)
        if left.dtype == np.float64:
            skip_without("float64")
        same(scalar - d, left, f"{scalar!r} - x")
        same(d - scalar, right, f"x - {scalar!r}")


@pytest.mark.parametrize("dtype", INTEGERS)
def test_out_of_range_integers_are_refused(dtype: str) -> None:
    """In arithmetic by OverflowError; in comparisons they are compared by value."""
    info = np.iinfo(dtype)
    x = values(dtype, 30)
    d = da.asarray(x)
    for number in (info.max + 1, info.min - 1, 2**70, -(2**70)):
        with pytest.raises(OverflowError, match=dtype):
            d + number
        for compare in (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge):
            same(compare(d, number), compare(x, number), f"{compare.__name__} {number}")
            same(compare(number, d), compare(number, x), f"{compare.__name__} {number} reflected")


def test_signed_and_unsigned_64_bits_compare_by_value() -> None:
    signed, unsigned = np.array([-1, 0, 2**62, -(2**63)]), np.array([2**64 - 1, 0, 2**62, 2**63], np.uint64)
    for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
        same(getattr(da, name)(da.asarray(signed), da.asarray(unsigned)), getattr(np, name)(signed, unsigned), name)
        same(getattr(da, name)(da.asarray(unsigned), da.asarray(signed)), getattr(np, name)(unsigned, signed), name)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_division_by_zero_and_by_minus_one(dtype: str) -> None:
    """On a CPU device the instruction would end the process."""
    info = np.iinfo(dtype)
    x = np.array([info.min, info.min, info.min, info.max, 0, 7, 7], dtype)
    y = np.array([0, 1, info.max if info.min == 0 else -1, 0, 0, 0, 2], dtype)
    for name in ("floor_divide", "remainder", "fmod"):
        with silent():
            wanted = getattr(np, name)(x, y)
        same(getattr(da, name)(da.asarray(x), da.asarray(y)), wanted, name)
    with silent():
        same(da.asarray(x) // 0, x // np.array(0, dtype), "by the scalar 0")


_CASTS = [(a, DTYPES[(i + 1 + 4 * k + k * k) % 14]) for i, a in enumerate(DTYPES) for k in range(4)]


@pytest.mark.parametrize(("source", "target"), sorted(set(_CASTS)))
def test_casts_give_numpys_bits(source: str, target: str) -> None:
    """Out of range too, except where NumPy's own answer depends on its vector width: those below are in range."""
    skip_without(source, target)
    x = values(source, 80, 4)
    if np.dtype(source).kind in "fc" and np.dtype(target).kind == "u":
        with silent():
            x = np.where(np.isfinite(x.real), np.abs(x.real) % 200, 1).astype(source)
    with silent():
        wanted = x.astype(target)
        same(da.asarray(x).astype(target), wanted)


@pytest.mark.parametrize("target", ["int32", "int64"])
@pytest.mark.parametrize("source", ["float32", "float64"])
def test_floats_out_of_range_cast_as_numpy_casts_them(source: str, target: str) -> None:
    skip_without(source)
    x = np.array([np.nan, np.inf, -np.inf, 1e30, -1e30, 2.0**31, -(2.0**31), 2.0**63, -(2.0**63), 0.9, -0.9], source)
    with silent():
        wanted = x.astype(target)
    same(da.asarray(x).astype(target), wanted)


def test_numpys_own_ufuncs_run_on_the_device() -> None:
    x = moderate("float32", 20)
    d = da.asarray(x)
    result = np.add(np.multiply(d, 2), np.float32(1))
    assert isinstance(result, da.Array)
    same(result, x * 2 + np.float32(1))
    same(np.floor_divide(da.asarray(np.array([np.inf, 7.5], np.float32)), 2), np.array([np.nan, 3], np.float32))
    same(np.sum(d > 0), np.sum(x > 0))
    out = da.zeros(20, da.float32)
    assert np.sqrt(da.abs(d), out=out) is out
    same(out, np.sqrt(np.abs(x)))


def test_a_numpy_array_as_operand_moves_or_is_refused() -> None:
    d, h = da.ones(3), np.ones(3)
    for call in (lambda: d + h, lambda: h + d, lambda: np.add(d, h), lambda: da.add(d, h)):
        same(call(), h + h)
        with da.use(host_operands="raise"), pytest.raises(TypeError, match="asarray"):
            call()
    assert (host(d) == 1).all()
