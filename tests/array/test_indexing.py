"""Basic indexing, scalars out of arrays, iteration, printing and copying of Array objects."""

from __future__ import annotations

import operator
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import DTYPES, on_both, same, skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

A = np.arange(2 * 3 * 4, dtype=np.int32).reshape(2, 3, 4)
KEYS = [
    0, -1, (1, 2), (1, 2, 3), slice(None), slice(1, None), (slice(None), -2), (..., 1), (0, ..., slice(None, None, -1)),
    None, (None, 0, None), (slice(5, 1), 0), (slice(None), slice(None, None, -2), slice(3, 0, -1)), (), ...,
    (..., None), (slice(-100, 100), slice(1, 1)), np.int8(1), (np.int64(-1), slice(np.int32(0), np.uint8(2))),
]  # fmt: skip


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_views_by_basic_keys(key: Any) -> None:
    x = da.asarray(A)
    view = x[key]
    same(view, A[key])
    if view.size > 1:
        assert view.strides == A[key].strides
    y, b = da.asarray(A), A.copy()
    y[key] = 5
    b[key] = 5
    same(y, b)


@given(st.data())
def test_random_keys(data: st.DataObject) -> None:
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
    key = data.draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    a = np.arange(np.prod(shape), dtype=np.int16).reshape(shape)
    view, wanted = da.asarray(a)[key], a[key]
    assert view.shape == np.shape(wanted)
    same(view, np.asarray(wanted))


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (2, r"2.*axis 0.*2"),
        (-3, r"-3.*axis 0"),
        ((0, 0, 4), r"4.*axis 2"),
        ((0, 0, 0, 0), "array is 3-dimensional, but 4 were indexed"),
        ((..., ...), "single ellipsis"),
    ],
)
def test_keys_outside_raise_at_once(key: Any, message: str) -> None:
    x = da.asarray(A)
    with pytest.raises(IndexError, match=message):
        x[key]
    with pytest.raises(IndexError):
        x[key] = 0
    same(x, A)


def test_other_keys_are_refused() -> None:
    for key in (1.5, "a", slice(None, None, 0)):
        with pytest.raises((IndexError, TypeError, ValueError)):
            da.asarray(A)[key]


VALUES = [7, 2.5, True, np.int8(3), np.float32(1.5), [1, 2, 3, 4], np.arange(4), [[1], [2], [3]]]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_host_values_are_assigned(value: Any) -> None:
    def body(xp: Any, x: Any) -> Any:
        x[0] = value
        x[:, 1, ::-1] = value if np.ndim(value) < 2 else 0
        return x

    same(*on_both(body, A))


def test_values_are_cast_by_assignment() -> None:
    def body(xp: Any, x: Any, y: Any) -> Any:
        x[...] = y * 1.5
        return x

    same(*on_both(body, np.zeros(5, np.int8), np.arange(5, dtype=np.float32)))
    x = da.zeros(3, da.int8)
    with pytest.raises(OverflowError, match=r"300.*int8"):
        x[0] = 300
    with pytest.raises(TypeError, match="complex"):
        x[0] = 1j
    with pytest.raises(ValueError, match="NaN"):
        x[0] = float("nan")
    same(x, np.zeros(3, np.int8))


def test_a_value_that_does_not_broadcast_changes_nothing() -> None:
    x = da.asarray(A)
    with pytest.raises(da.ShapeError, match=r"from shape \(3,\) into shape \(2,3,4\)"):
        x[...] = da.ones(3, da.int32)
    with pytest.raises(da.ShapeError, match=r"shape \(2, 3, 4\) doesn.t match the broadcast shape \(5, 2, 3, 4\)"):
        x += da.ones((5, 2, 3, 4), da.int32)
    same(x, A)


def test_in_place_operators_keep_the_dtype() -> None:
    x = da.ones(3, da.float32)
    x += np.float32(2)
    x *= da.ones(3, da.int8)
    assert x.dtype == np.float32
    y = da.ones(3, da.int32)
    with pytest.raises(da.DTypeError, match=r"float64.*int32"):
        y /= 2
    with pytest.raises(da.DTypeError, match=r"float64.*int32"):
        y += 1.5
    with pytest.raises(da.DTypeError, match=r"int64.*uint32"):
        z = da.ones(3, da.uint32)
        z += da.ones(3, da.int32)
    same(y, np.ones(3, np.int32))


IN_PLACE = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift"]


@pytest.mark.parametrize("name", ["i" + name for name in IN_PLACE])
def test_every_in_place_operator(name: str) -> None:
    dtype = np.float32 if name == "itruediv" else np.int32

    def body(xp: Any, x: Any, y: Any) -> Any:
        before = x
        x = getattr(operator, name)(x, y)
        assert x is before
        x[1:] = getattr(operator, name)(x[1:], 2)
        return x

    same(*on_both(body, np.arange(1, 9, dtype=dtype), np.array([1, 2, 3, 1, 2, 3, 1, 2], dtype)))


# --- scalars ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_item_is_pythons_scalar(dtype: str) -> None:
    skip_without(dtype)
    a = values(dtype, (2, 3), 5)
    x = da.asarray(a)
    for key in ((0, 0), (1, 2), (-1, -2)):
        ours, wanted = x[key].item(), a[key].item()
        assert type(ours) is type(wanted)
        assert ours == wanted or (ours != ours and wanted != wanted)
    assert str(x.item(4)) == str(a.item(4))
    assert str(x.item(1, 0)) == str(a.item(1, 0))
    assert str(x[:, ::-1].item(5)) == str(a[:, ::-1].item(5))
    assert str(x.tolist()) == str(a.tolist())


def test_conversions() -> None:
    x = da.asarray([[3]])
    assert bool(x) is True and bool(da.asarray(0.0)) is False
    assert int(da.asarray(-7, dtype=da.int8)) == -7 and int(da.asarray(2.9, dtype=da.float32)) == 2
    assert float(da.asarray(3)) == 3.0 and complex(da.asarray(1j, dtype=da.complex64)) == 1j
    assert list(range(5))[da.asarray(2)] == 2
    assert f"{da.asarray(2.5, dtype=da.float32):.2f}" == "2.50"


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda x: bool(x), ValueError, r"more than one element is ambiguous.*any\(\).*\(2, 3, 4\)"),
        (lambda x: x.item(), ValueError, r"\(2, 3, 4\)"),
        (lambda x: x.item(99), IndexError, "99"),
        (lambda x: int(x), (TypeError, ValueError), r"\(2, 3, 4\)"),
        (lambda x: [][x], TypeError, "int32"),
        (lambda x: len(x[0, 0, 0]), TypeError, "0-dimensional"),
        (lambda x: list(x[0, 0, 0]), TypeError, "iteration over a 0-d array"),
        (lambda x: hash(x), TypeError, "unhashable"),
        (lambda x: np.asarray(x), da.DTypeError, "copy_to_host"),
        (lambda x: float(da.asarray(1j, dtype=da.complex64)), TypeError, "complex"),
        (lambda x: x.__delitem__(0), (ValueError, TypeError), "cannot delete array elements"),
    ],
)
def test_refused_conversions(call: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        call(da.asarray(A))


# --- the object ------------------------------------------------------------------------------------------------------


def test_attributes() -> None:
    x = da.asarray(A)
    assert (x.shape, x.ndim, x.size, x.itemsize, x.nbytes, len(x)) == (A.shape, 3, 24, 4, 96, 2)
    assert x.strides == A.strides and x.dtype == A.dtype
    assert x.flags.c_contiguous and not x.flags.f_contiguous and x.flags.forc and x.flags.writeable
    same(x.T, A.T)
    same(x.mT, A.mT)


def test_iteration_and_membership() -> None:
    x = da.asarray(A)
    for row, wanted in zip(x, A, strict=True):
        same(row, wanted)
    assert 23 in x and 24 not in x


def test_repr_and_str() -> None:
    skip_without("float64")
    assert repr(da.asarray([[1.5, -2.0]])).startswith("Array([[ 1.5, -2. ]], dtype=float64, device=")
    assert str(da.asarray([1, 2])) == "[1 2]"
    assert "shape=(0, 3)" in repr(da.empty((0, 3)))
    assert "..." in repr(da.zeros(5000))


def test_pickle() -> None:
    x = da.asarray(A)[::-1, :, ::2]
    same(pickle.loads(pickle.dumps(x)), A[::-1, :, ::2])
    same(pickle.loads(pickle.dumps(x + 1)), A[::-1, :, ::2] + 1)


def test_real_and_imaginary_parts_are_views() -> None:
    a = np.array([1 + 2j, 3 - 4j], np.complex64)
    x = da.asarray(a)
    x.real = 9
    x.imag[1] = 5
    same(x, np.array([9 + 2j, 9 + 5j], np.complex64))
    same(da.asarray(A).imag, A.imag)
    with pytest.raises(da.DTypeError, match="int32"):
        da.asarray(A).imag = 0


def test_view_as_another_dtype() -> None:
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    x = da.asarray(a)
    for dtype in (np.int32, np.uint8, np.complex64, np.int16):
        same(x.view(dtype), a.view(dtype))
    x.view(np.int32)[...] = 0
    same(x, np.zeros((3, 4), np.float32))
    with pytest.raises(da.ShapeError, match="contiguous"):
        x[:, ::2].view(np.uint8)
    with pytest.raises(da.ShapeError, match="8 bytes"):
        x[:, :3].view(np.complex64)
