"""The op table against NumPy's own type resolution, and against the standard's list of functions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from devarray.ops.dtypes import DTYPES, KIND, SIZE
from devarray.ops.table import (
    COMMUTATIVE,
    COMPARISON,
    EXACT,
    FLOAT_FIRST,
    OPS,
    SHIFT,
    VECTORS,
    WHERE,
    Op,
    table_for_core,
)

STANDARD = [
    "abs",
    "acos",
    "acosh",
    "add",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_invert",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "ceil",
    "clip",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "divide",
    "equal",
    "exp",
    "expm1",
    "floor",
    "floor_divide",
    "greater",
    "greater_equal",
    "hypot",
    "imag",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "real",
    "reciprocal",
    "remainder",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "square",
    "sqrt",
    "subtract",
    "tan",
    "tanh",
    "trunc",
    "where",
]
UFUNCS = [op for op in OPS.values() if op.ufunc]


def ufunc(op: Op) -> np.ufunc:
    return np._core.umath.clip if op.ufunc == "clip" else getattr(np, op.ufunc)


def promoted(op: Op, dtypes: tuple[str, ...]) -> str:
    """The dtype that the table is asked for, as the core finds it."""
    if op.flags & FLOAT_FIRST:
        floats = {1: "float16", 2: "float32", 4: "float64", 8: "float64"}
        dtypes = tuple(dtype if KIND[dtype] in "fc" else floats[SIZE[dtype]] for dtype in dtypes)
    return np.result_type(*map(np.dtype, dtypes)).name


@pytest.mark.parametrize("op", UFUNCS, ids=lambda op: op.name)
def test_result_dtypes_are_numpys_for_every_combination(op: Op) -> None:
    for dtypes in product(DTYPES, repeat=op.nin):
        try:
            wanted = ufunc(op).resolve_dtypes((*map(np.dtype, dtypes), None))[-1].name
        except TypeError:
            wanted = None
        assert op.result_dtype(promoted(op, dtypes)) == wanted, dtypes


@pytest.mark.parametrize("op", UFUNCS, ids=lambda op: op.name)
def test_rows_have_the_ufuncs_number_of_inputs(op: Op) -> None:
    assert (ufunc(op).nin, ufunc(op).nout) == (op.nin, 1)


def test_rows_without_a_ufunc_keep_or_split_their_dtype() -> None:
    for name in ("round", "astype", "copy", "where"):
        assert [OPS[name].result_dtype(dtype) for dtype in DTYPES] == list(DTYPES)
    for name in ("real", "imag", "abs"):
        assert OPS[name].result_dtype("complex64") == "float32"
        assert OPS[name].result_dtype("complex128") == "float64"
        assert OPS[name].result_dtype("int8") == "int8"


def test_the_table_has_every_element_wise_function_of_the_standard() -> None:
    assert set(STANDARD) <= set(OPS)


def test_summaries_are_one_sentence() -> None:
    for op in OPS.values():
        assert op.summary.endswith(".") and "\n" not in op.summary and len(op.summary) < 80, op.name


def test_flags() -> None:
    assert [op.name for op in OPS.values() if op.flags & WHERE] == ["where"]
    assert [op.name for op in OPS.values() if op.flags & SHIFT] == ["bitwise_left_shift", "bitwise_right_shift"]
    comparisons = {op.name for op in OPS.values() if op.flags & COMPARISON}
    assert comparisons == {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
    assert all(op.nin == 2 for op in OPS.values() if op.flags & (COMMUTATIVE | FLOAT_FIRST))


def test_core_table_numbers_dtypes_in_the_cores_order() -> None:
    rows = {name: (nin, compute, result, flags) for name, nin, compute, result, flags, _ in table_for_core()}
    assert list(rows) == list(OPS)
    nin, compute, result, flags = rows["subtract"]
    assert (nin, flags) == (2, VECTORS | EXACT)
    assert compute == [-1, *range(1, 14)] == result
    exact = {name for name, row in rows.items() if row[3] & EXACT}
    assert len(exact) == 21 and exact >= {"multiply", "divide", "where", "less", "maximum"}
    assert exact.isdisjoint({"exp", "pow", "atan2", "hypot", "fmod", "astype"})
    assert rows["divide"][1] == [11] * 9 + [9, 10, 11, 12, 13]
    assert rows["less"][2] == [0] * 14
    assert rows["abs"][2][12:] == [10, 11]
    for _, compute, result, _ in rows.values():
        assert len(compute) == len(result) == 14
        assert [value < 0 for value in compute] == [value < 0 for value in result]
