"""Indexing by integer arrays gives NumPy's values and touches no foreign memory."""

from __future__ import annotations

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view
from runtimes import Runtime

from devarray.codegen.kernels.gather import (
    IndexArray,
    plan_gather,
    plan_put_along_axis,
    plan_scatter,
    plan_take,
    plan_take_along_axis,
)
from devarray.codegen.kernels.launches import View
from devarray.ops.dtypes import DTYPES


def flag() -> np.ndarray:
    return np.zeros(1, np.int32)


def table_of(shape: tuple[int, ...], dtype: str = "float32") -> np.ndarray:
    return np.arange(np.prod(shape)).reshape(shape).astype(dtype)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("index_dtype", ["int32", "int64", "uint8", "uint64"])
def test_take_along_every_axis(runtime: Runtime, axis: int, index_dtype: str) -> None:
    array = table_of((40, 9, 120))[::-2, :, 1::2]
    n = array.shape[axis]
    low = 0 if index_dtype.startswith("u") else -n
    indices = np.random.default_rng(0).integers(low, n, (5, 8)).astype(index_dtype)[:, ::2]
    out = np.zeros(array.shape[:axis] + indices.shape + array.shape[axis + 1 :], "f4")
    error = flag()
    plan = plan_take(view("in", array), view("index", indices), axis, view("out", out), runtime.dialect)
    execute(runtime, plan, {"in": array, "index": indices, "out": out, "flag": error})
    np.testing.assert_array_equal(out, np.take(array, indices.astype("i8"), axis=axis))
    assert error[0] == 0


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(runtime: Runtime, dtype: str) -> None:
    array = table_of((77,), dtype)
    indices = np.array([3, -1, 0, 76, -77, 3])
    out = np.zeros(6, dtype)
    plan = plan_take(view("in", array), view("index", indices), 0, view("out", out), runtime.dialect)
    execute(runtime, plan, {"in": array, "index": indices, "out": out, "flag": flag()})
    np.testing.assert_array_equal(out, array[indices])


@pytest.mark.parametrize("bad", [50, -51, 2**62, -(2**63)])
def test_an_index_out_of_bounds_raises_the_flag_and_nothing_else(runtime: Runtime, bad: int) -> None:
    array, indices = table_of((50,)) + 1, np.array([1, bad, -50])
    out, error = np.full(3, 7, "f4"), flag()
    plan = plan_take(view("in", array), view("index", indices), 0, view("out", out), runtime.dialect)
    execute(runtime, plan, {"in": array, "index": indices, "out": out, "flag": error})
    assert error[0] == 1
    np.testing.assert_array_equal(out, [array[1], 0, array[0]])
    target, error = np.zeros(50, "f4"), flag()
    seen = View("in", "float32", (3,), (0,))
    plan = plan_scatter(seen, [IndexArray(view("index", indices), 50, 4)], view("values", array[:3]), runtime.dialect)
    execute(runtime, plan, {"in": target, "index": indices, "values": array[:3], "flag": error})
    assert error[0] == 1
    assert target[1] == array[0] and target[0] == array[2] and np.count_nonzero(target) == 2


def test_a_huge_unsigned_index_is_not_taken_for_a_negative_one(runtime: Runtime) -> None:
    array, indices = table_of((50,)) + 1, np.array([2**64 - 1], np.uint64)
    out, error = np.ones(1, "f4"), flag()
    plan = plan_take(view("in", array), view("index", indices), 0, view("out", out), runtime.dialect)
    execute(runtime, plan, {"in": array, "index": indices, "out": out, "flag": error})
    assert error[0] == 1 and out[0] == 0


@pytest.mark.parametrize("axis", [0, 1])
def test_take_and_put_along_axis(runtime: Runtime, axis: int) -> None:
    array = table_of((60, 45))
    order = np.argsort(np.random.default_rng(1).random(array.shape), axis=axis)
    out = np.zeros_like(array)
    plan = plan_take_along_axis(view("in", array), view("index", order), axis, view("out", out), runtime.dialect)
    execute(runtime, plan, {"in": array, "index": order, "out": out, "flag": flag()})
    np.testing.assert_array_equal(out, np.take_along_axis(array, order, axis=axis))
    back = np.zeros_like(array)
    plan = plan_put_along_axis(view("in", back), view("index", order), axis, view("values", out), runtime.dialect)
    execute(runtime, plan, {"in": back, "index": order, "values": out, "flag": flag()})
    np.testing.assert_array_equal(back, array)


def test_several_index_arrays_around_a_slice(runtime: Runtime) -> None:
    array = table_of((11, 60, 13))
    rng = np.random.default_rng(2)
    first, last = rng.integers(-11, 11, (7, 1)), rng.integers(0, 13, (3,)).astype("i4")
    want = array[first, :, last]
    space = want.shape  # (7, 3, 60): index dims first, as NumPy has them where a slice stands between
    seen = View("in", "float32", space, (0, 0, array.strides[1]))
    indices = [
        IndexArray(View("i", "int64", space, (first.strides[0], 0, 0)), 11, array.strides[0]),
        IndexArray(View("j", "int32", space, (0, last.strides[0], 0)), 13, array.strides[2]),
    ]
    out = np.zeros(space, "f4")
    plan = plan_gather(seen, indices, view("out", out), runtime.dialect)
    execute(runtime, plan, {"in": array, "i": first, "j": last, "out": out, "flag": flag()})
    np.testing.assert_array_equal(out, want)


def rows_of(dtype: str, n: int, length: int) -> np.ndarray:
    return (np.random.default_rng(3).random((n, length)) * 200 - 100 * (not dtype.startswith("u"))).astype(dtype)


@pytest.mark.parametrize("length", [1, 3, 33, 200])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_are_copied_and_filled_as_they_are(runtime: Runtime, dtype: str, length: int) -> None:
    array, rows = rows_of(dtype, 41, length), np.array([40, -41, 3, 3, -1])
    out, error = np.zeros((5, length), dtype), flag()
    plan = plan_take(view("in", array), view("index", rows), 0, view("out", out), runtime.dialect)
    execute(runtime, plan, {"in": array, "index": rows, "out": out, "flag": error})
    np.testing.assert_array_equal(out, array[rows])
    seen = View("in", dtype, out.shape, (0, array.itemsize))
    index = IndexArray(View("index", "int64", out.shape, (8, 0)), 41, array.strides[0])
    for values in (array[7:12], np.broadcast_to(array[7:8], out.shape), np.broadcast_to(array[7:8, :1], out.shape)):
        target, rows = array.copy(), np.array([40, -41, 3, 7, -2])
        plan = plan_scatter(seen, [index], view("values", values), runtime.dialect)
        execute(runtime, plan, {"in": target, "index": rows, "values": values, "flag": error})
        want = array.copy()
        want[rows] = values
        np.testing.assert_array_equal(target, want)
    assert error[0] == 0


@pytest.mark.parametrize("dtype", ["uint8", "float64", "complex64"])
@pytest.mark.parametrize("bad", [20, -21, 2**62])
def test_rows_out_of_bounds(runtime: Runtime, dtype: str, bad: int) -> None:
    array, rows = rows_of(dtype, 20, 70), np.array([5, bad, -20])
    out, error = np.ones((3, 70), dtype), flag()
    plan = plan_take(view("in", array), view("index", rows), 0, view("out", out), runtime.dialect)
    execute(runtime, plan, {"in": array, "index": rows, "out": out, "flag": error})
    assert error[0] == 1
    np.testing.assert_array_equal(out, [array[5], np.zeros(70, dtype), array[0]])
    target, values, error = np.zeros_like(array), rows_of(dtype, 3, 70), flag()
    seen = View("in", dtype, (3, 70), (0, array.itemsize))
    index = IndexArray(View("index", "int64", (3, 70), (8, 0)), 20, array.strides[0])
    plan = plan_scatter(seen, [index], view("values", values), runtime.dialect)
    execute(runtime, plan, {"in": target, "index": rows, "values": values, "flag": error})
    want = np.zeros_like(array)
    want[5], want[0] = values[0], values[2]
    assert error[0] == 1
    np.testing.assert_array_equal(target, want)


@pytest.mark.parametrize("rows", [np.array([1]), np.array([2, 0]), np.arange(3).repeat(30)])
@pytest.mark.parametrize("length", [10_007, 100_003])
def test_long_rows_are_cut_into_pieces(runtime: Runtime, rows: np.ndarray, length: int) -> None:
    array = rows_of("int16", 3, length)
    for source in (array, array[::-1, ::-1], array[:, ::3]):
        out = np.zeros((rows.size, source.shape[1]), "int16")
        plan = plan_take(view("in", source), view("index", rows), 0, view("out", out), runtime.dialect)
        execute(runtime, plan, {"in": source, "index": rows, "out": out, "flag": flag()})
        np.testing.assert_array_equal(out, source[rows])


def test_of_several_indices_each_is_checked(runtime: Runtime) -> None:
    """One that stays along a row, and one that changes."""
    array, first, second = table_of((30, 40)) + 1, np.array([3, 99, -1]), np.array([0, -41, 39, 5])
    out, error = np.ones((3, 4), "f4"), flag()
    indices = [
        IndexArray(View("i", "int64", (3, 4), (8, 0)), 30, array.strides[0]),
        IndexArray(View("j", "int64", (3, 4), (0, 8)), 40, array.strides[1]),
    ]
    plan = plan_gather(View("in", "float32", (3, 4), (0, 0)), indices, view("out", out), runtime.dialect)
    execute(runtime, plan, {"in": array, "i": first, "j": second, "out": out, "flag": error})
    want = np.zeros((3, 4), "f4")
    want[np.ix_([0, 2], [0, 2, 3])] = array[np.ix_([3, -1], [0, 39, 5])]
    np.testing.assert_array_equal(out, want)
    assert error[0] == 2


def test_nothing_to_take() -> None:
    empty = View.contiguous("index", "int64", (0,))
    assert (
        plan_take(View.contiguous("in", "int8", (5,)), empty, 0, View.contiguous("out", "int8", (0,)), GPU).launches
        == ()
    )


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["bool", "float16", "complex128"])
def test_compiles_for_cuda(dtype: str) -> None:
    table, index = View.contiguous("in", dtype, (40, 50)), View.contiguous("index", "int32", (40, 50))
    plans = [
        plan_take_along_axis(table, index, 1, View.contiguous("out", dtype, (40, 50)), GPU),
        plan_put_along_axis(table, index, 0, View.contiguous("values", dtype, (40, 50)), GPU),
    ]
    assert all(compiles_for_cuda(launch.source) for plan in plans for launch in plan.launches)


def test_wrong_requests_are_refused() -> None:
    table, index = View.contiguous("in", "int8", (5,)), View.contiguous("index", "float32", (5,))
    with pytest.raises(ValueError, match="indices are integers, not float32"):
        plan_take(table, index, 0, View.contiguous("out", "int8", (5,)), GPU)
    with pytest.raises(ValueError, match="one dtype, not between int8 and int16"):
        plan_take(table, table, 0, View.contiguous("out", "int16", (5,)), GPU)
