"""Selection, sorts and lists of lists under PyOpenCL's names, beside NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da
import devarray.cl.array as cl_array
from devarray import cl, errors
from devarray.cl.algorithm import KeyValueSorter, ListOfListsBuilder, RadixSort, copy_if, partition, remove_if, unique
from devarray.cl.bitonic_sort import BitonicSort
from devarray.cl.tools import ScalarArg, VectorArg

SIZES = [0, 1, 2, 255, 256, 257, 100_003]


@pytest.fixture
def queue(ctx: Any) -> Any:
    return cl.CommandQueue(ctx)


def numbers(n: int, seed: int = 1, dtype: str = "int32", below: int = 1000) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, below, n).astype(dtype)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", ["int32", "float64"])
def test_selection(queue: Any, n: int, dtype: str) -> None:
    h = numbers(n, dtype=dtype)
    x = cl_array.to_device(queue, h)
    limit = h.dtype.type(300)
    out, count, _ = copy_if(x, "ary[i] > limit", [("limit", limit)])
    assert out.dtype == h.dtype and count.shape == ()
    np.testing.assert_array_equal(out.get()[: int(count.get())], h[h > 300])
    out, count, _ = remove_if(x, "ary[i] > limit", [("limit", limit)])
    np.testing.assert_array_equal(out.get()[: int(count.get())], h[h <= 300])
    held, others, count, _ = partition(x, "ary[i] > limit", [("limit", limit)])
    np.testing.assert_array_equal(held.get()[: int(count.get())], h[h > 300])
    np.testing.assert_array_equal(others.get()[: n - int(count.get())], h[h <= 300])


def test_selection_by_another_array_and_a_function(queue: Any) -> None:
    h, weights = numbers(5000), numbers(5000, seed=2, dtype="float32")
    x, w = cl_array.to_device(queue, h), cl_array.to_device(queue, weights)
    preamble = "int heavy(float w) { return w > 500.0f; }"
    out, count, _ = copy_if(x, "heavy(w[i])", [("w", w)], preamble=preamble)
    np.testing.assert_array_equal(out.get()[: int(count.get())], h[weights > 500])


@pytest.mark.parametrize("n", SIZES)
def test_runs_of_equal_neighbours(queue: Any, n: int) -> None:
    h = np.sort(numbers(n))
    out, count, _ = unique(cl_array.to_device(queue, h))
    np.testing.assert_array_equal(out.get()[: int(count.get())], np.unique(h))
    out, count, _ = unique(cl_array.to_device(queue, h), "a / 10 == b / 10")
    first = np.diff(h // 10, prepend=-1) != 0
    np.testing.assert_array_equal(out.get()[: int(count.get())], h[first])


@pytest.mark.parametrize("n", SIZES)
def test_sorts_by_a_key_move_several_arrays(queue: Any, n: int) -> None:
    keys, values = numbers(n, below=2**20), numbers(n, seed=3, dtype="float64")
    sort = RadixSort(queue.context, "int *keys, double *values", "keys[i]", ["keys", "values"])
    (sorted_keys, moved), _ = sort(cl_array.to_device(queue, keys), cl_array.to_device(queue, values))
    order = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(sorted_keys.get(), keys[order])
    np.testing.assert_array_equal(moved.get(), values[order])
    (low, _), _ = sort(cl_array.to_device(queue, keys), cl_array.to_device(queue, values), key_bits=8)
    np.testing.assert_array_equal(low.get(), keys[np.argsort(keys & 255, kind="stable")])


@pytest.mark.parametrize(("key_dtype", "nkeys"), [("int32", 50), ("int8", 128), ("uint8", 256)])
def test_values_by_keys(queue: Any, key_dtype: str, nkeys: int) -> None:
    keys, values = numbers(3000, dtype=key_dtype, below=nkeys - 5), numbers(3000, seed=5, dtype="int64")
    found = KeyValueSorter(queue.context)(
        queue, cl_array.to_device(queue, keys), cl_array.to_device(queue, values), nkeys, np.int32
    )
    starts, lists = found[0].get(), found[1].get()
    assert starts.dtype == np.int32
    np.testing.assert_array_equal(starts, np.searchsorted(np.sort(keys), np.arange(nkeys + 1)))
    np.testing.assert_array_equal(lists, values[np.argsort(keys, kind="stable")])


@pytest.mark.parametrize("shape", [(0,), (16,), (37,), (8, 33)])
def test_sorts_in_place(queue: Any, shape: tuple[int, ...]) -> None:
    h = np.random.default_rng(3).random(shape)
    for axis in range(-1, len(shape)):
        x = cl_array.to_device(queue, h)
        found, _ = BitonicSort(queue.context)(x, axis=axis)
        assert found is x
        np.testing.assert_array_equal(x.get(), np.sort(h, axis=axis))
        x = cl_array.to_device(queue, h)
        places = np.broadcast_to(np.arange(shape[axis]).reshape([-1 if d == axis % len(shape) else 1
                                                                 for d in range(len(shape))]), shape)  # fmt: skip
        index = cl_array.to_device(queue, places.copy())
        BitonicSort(queue.context)(x, idx=index, axis=axis)
        np.testing.assert_array_equal(index.get(), np.argsort(h, axis=axis, kind="stable"))


DIVISORS = """
void divisors(LIST_ARG_DECL USER_ARG_DECL index_type i, int d)
{
  if (i % d == 0) { APPEND_small(d); APPEND_scaled(d * factor); }
}
void generate(LIST_ARG_DECL USER_ARG_DECL index_type i)
{
  for (int d = 1; d < 5; ++d) divisors(LIST_ARGS USER_ARGS i, d);
  if (i % 7 == 0) APPEND_sevens(table[i]);
}
"""


def test_lists_of_lists(queue: Any) -> None:
    n = 1000
    table = numbers(n + 10, dtype="float64")
    builder = ListOfListsBuilder(
        queue.context,
        [("small", np.int32), ("scaled", np.float64), ("sevens", np.float64)],
        DIVISORS,
        [ScalarArg(np.float64, "factor"), VectorArg(np.float64, "table", with_offset=True)],
        count_sharing={"scaled": "small"},
        eliminate_empty_output_lists=["sevens"],
    )
    found, _ = builder(queue, n, 0.5, cl_array.to_device(queue, table)[10:])
    lists = [[d for d in range(1, 5) if i % d == 0] for i in range(n)]
    flat = [d for one in lists for d in one]
    small, scaled, sevens = found["small"], found["scaled"], found["sevens"]
    assert small.count == scaled.count == len(flat)
    np.testing.assert_array_equal(small.lists.get(), flat)
    np.testing.assert_array_equal(scaled.lists.get(), np.array(flat) * 0.5)
    np.testing.assert_array_equal(small.starts.get(), np.cumsum([0, *map(len, lists)]))
    full = np.arange(0, n, 7)
    assert sevens.num_nonempty_lists == len(full)
    np.testing.assert_array_equal(sevens.nonempty_indices.get(), full)
    np.testing.assert_array_equal(sevens.starts.get(), np.arange(len(full) + 1))
    np.testing.assert_array_equal(sevens.lists.get(), table[10:][full])
    np.testing.assert_array_equal(sevens.compressed_indices.get(), np.searchsorted(full, np.arange(n + 1)))


def test_lists_that_are_left_out_and_no_objects(queue: Any) -> None:
    text = "void generate(LIST_ARG_DECL USER_ARG_DECL index_type i) { APPEND_a(i); APPEND_b(i); }"
    builder = ListOfListsBuilder(queue.context, [("a", np.int32), ("b", np.int64)], text, "")
    found, _ = builder(queue, 5, omit_lists=["b"])
    assert list(found) == ["a"]
    np.testing.assert_array_equal(found["a"].lists.get(), np.arange(5))
    found, _ = builder(queue, 0)
    assert found["b"].count == 0 and found["b"].lists.shape == (0,)
    np.testing.assert_array_equal(found["a"].starts.get(), [0])


def test_misuse_is_named(queue: Any) -> None:
    x = cl_array.to_device(queue, np.arange(6))
    with pytest.raises(TypeError, match="copy_if takes device arrays, not list"):
        copy_if([1, 2], "ary[i] > 1")  # type: ignore[arg-type]
    with pytest.raises(errors.ShapeError, match="one axis"):
        copy_if(x.reshape(2, 3), "ary[i] > 1")
    with pytest.raises(TypeError, match="limit is a NumPy scalar or a device array, not int"):
        copy_if(x, "ary[i] > limit", [("limit", 3)])
    with pytest.raises(errors.CompileError):
        copy_if(x, "ary[i] >")
    with pytest.raises(ValueError, match="no argument is called 'other'"):
        RadixSort(queue.context, "int *keys", "keys[i]", ["other"])
    with pytest.raises(ValueError, match="there is no list 'c'"):
        ListOfListsBuilder(queue.context, [("a", np.int32)], "", "", count_sharing={"a": "c"})
    with pytest.raises(TypeError, match="takes 0 arguments; 1 were given"):
        ListOfListsBuilder(queue.context, [("a", np.int32)], "", "")(queue, 3, x)
    with pytest.raises(da.errors.AxisError):
        BitonicSort(queue.context)(x, axis=1)
