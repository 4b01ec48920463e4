"""ReductionKernel: NumPy's results along any axes, types of the user's, no elements."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import moderate, same, skip_without

import devarray as da
from devarray import errors

AXES = [None, 0, 1, -1, (0, 2), (2, 0, 1)]


@pytest.fixture(scope="module")
def total():
    return da.ReductionKernel("T x, T y", "T z", "x * y", "a + b", "z = a", "0", "total")


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", AXES)
def test_axes(device, total, axis, keepdims):
    a, b = moderate("int64", (7, 130, 5), 1), moderate("int64", (5,), 2)
    for view in (lambda v: v, lambda v: v[::-1, ::3], lambda v: v.T[:, :, ::2].T):
        x = view(da.asarray(a))
        same(total(x, da.asarray(b), axis=axis, keepdims=keepdims), (view(a) * b).sum(axis=axis, keepdims=keepdims))


def test_long_ones(device, total):
    a = np.arange(1_000_003)
    same(total(da.asarray(a), 3), np.int64(3 * a.sum()))
    same(total(da.asarray(a).reshape(-1, 1), 3, axis=0), np.int64([3 * a.sum()]))


def test_map_and_finish(device):
    skip_without("float64")
    norm = da.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    a = moderate("float64", (20, 30), 1)
    np.testing.assert_allclose(norm(da.asarray(a), axis=0).copy_to_host(), np.sqrt((a * a).sum(0)), rtol=1e-14)


def test_a_type_of_the_users(device):
    preamble = """
    typedef struct { float value; int64_t place; } found;
    __device__ found make(float v, int64_t j) { found f; f.value = v; f.place = j; return f; }
    __device__ found better(found a, found b) {
      return a.value > b.value || (a.value == b.value && a.place < b.place) ? a : b;
    }
    """
    argmax = da.ReductionKernel(
        "float32 x", "int64 k, float32 v", "make(x, _J)", "better(a, b)", "k = a.place; v = a.value",
        None, "argmax", "found", preamble=preamble,
    )  # fmt: skip
    a = moderate("float32", (300, 40), 1)
    for axis in (0, 1, None):
        k, v = argmax(da.asarray(a), axis=axis)
        same(k, np.asarray(a.argmax(axis=axis)))
        same(v, np.asarray(a.max(axis=axis)))


def test_arrays_for_results(device, total):
    a = moderate("int32", (6, 8), 1)
    out = da.zeros((2, 6), dtype="int32")
    total(da.asarray(a), 2, out[1], axis=1)
    same(out, np.stack([np.zeros(6, "int32"), (2 * a).sum(1, dtype="int32")]))
    total(da.asarray(a), 1, out=out[0], axis=1)
    same(out[0], a.sum(1, dtype="int32"))
    with pytest.raises(errors.ShapeError, match="Out shape is mismatched"):
        total(da.asarray(a), 1, out=out, axis=1)


def test_no_elements(device, total):
    same(total(da.zeros((3, 0)), 1.0, axis=1), np.zeros(3))
    assert total(da.zeros((0, 3)), 1.0, axis=1).shape == (0,)
    greatest = da.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", name="greatest")
    with pytest.raises(ValueError, match="zero-size array to reduction operation greatest which has no identity"):
        greatest(da.zeros((3, 0)), axis=1)
    same(greatest(da.asarray([[3.0, 9.0], [4.0, 1.0]]), axis=1), np.array([9.0, 4.0]))


def test_raw_arguments(device):
    gathered = da.ReductionKernel("int32 k, raw T table", "T y", "table[k]", "a + b", "y = a", "0", "gathered")
    table, k = moderate("int64", 50, 1), np.arange(99, dtype="int32") % 50
    same(gathered(da.asarray(k), da.asarray(table)[::-1]), np.int64(table[::-1][k].sum()))


def test_pending_inputs(device, total):
    x = da.arange(1000)
    same(total(x + 1, x * 2), np.int64(((np.arange(1000) + 1) * np.arange(1000) * 2).sum()))


def test_errors(device):
    x = da.ones(5)
    with pytest.raises(errors.CompileError, match=r"line 1 of bad \(map_expr\): `x \+ nothing`"):
        da.ReductionKernel("T x", "T y", "x + nothing", "a + b", "y = a", "0", "bad")(x)
    with pytest.raises(errors.CompileError, match=r"line 1 of bad \(reduce_expr\)"):
        da.ReductionKernel("T x", "T y", "x", "a + c", "y = a", "0", "bad")(x)
    with pytest.raises(TypeError, match="Wrong number of arguments"):
        da.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "bad")(x, x, x)


def test_a_result_over_elements_that_are_still_read(device):
    total = da.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    a = da.ones((3000, 3), dtype="float32")
    total(a, a.reshape(-1)[2999::-1], axis=1)
    same(a.reshape(-1)[:3000], np.full(3000, 3, "float32"))
    same(a.reshape(-1)[3000:], np.ones(6000, "float32"))


def test_bools_are_combined_as_truths(device):
    some = da.ReductionKernel("T x", "bool y", "x", "a + b", "y = a", "0", "some")
    same(some(da.asarray([[0, 128, 128], [0, 0, 0]]), axis=1), np.array([True, False]))
    same(some(da.ones(256, dtype="bool")), np.True_)
