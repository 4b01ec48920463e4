"""What calls of few arguments give, which never reach the Python function: the same as every other form."""

from __future__ import annotations

import inspect
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import devarray as da

HALF, TEN = np.float16, (10,)
CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    *((name, (shape,), {}) for name in ("zeros", "ones") for shape in (3, TEN, [2, 3], (), 0, np.int64(4))),
    *((name, (TEN, None), {}) for name in ("zeros", "ones")),
    *((name, (TEN, HALF), {}) for name in ("zeros", "ones")),
    *((name, (TEN,), {"dtype": "c8"}) for name in ("zeros", "ones")),
    *((name, (TEN,), {"dtype": None}) for name in ("zeros", "ones")),
    *((name, (TEN,), {"dtype": bool, "order": "F"}) for name in ("zeros", "ones")),
    *((name, (), {"shape": TEN}) for name in ("zeros", "ones")),
    *(("full", (TEN, value), {}) for value in (True, 7, -(2**63), 2**63, 2**64 - 1, 2.5, 1j, np.float32(0.1))),
    *(("full", (TEN, value, HALF), {}) for value in (True, 7, 2.5)),
    ("full", (TEN, 2.5), {"dtype": np.int8}),
    ("full", (TEN, 3), {"dtype": None}),
    ("full", ((2, 3), [1, 2, 3]), {}),
    ("full", (TEN,), {"fill_value": 3}),
]


@pytest.mark.parametrize(("name", "args", "named"), CALLS)
def test_the_values_and_the_dtype_are_numpys(
    device: da.Device, name: str, args: tuple[Any, ...], named: dict[str, Any]
) -> None:
    expected = getattr(np, name)(*args, **named)
    result = getattr(da, name)(*args, **named)
    assert result.shape == expected.shape
    if device.fp64:
        assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.copy_to_host(), expected.astype(result.dtype))


@pytest.mark.parametrize("args", [(5,), (TEN, None), (TEN, HALF), ((2, 3), "i4"), ((),)])
def test_uninitialised_arrays_have_numpys_shape_and_dtype(device: da.Device, args: tuple[Any, ...]) -> None:
    expected, result = np.empty(*args), da.empty(*args)
    assert result.shape == expected.shape
    assert result.dtype == (expected.dtype if device.fp64 or (len(args) > 1 and args[1]) else np.float32)


@pytest.mark.parametrize("name", ["empty", "zeros", "ones", "full"])
def test_errors_are_those_of_every_form(device: da.Device, name: str) -> None:
    value = (1.5,) if name == "full" else ()
    make = getattr(da, name)
    with pytest.raises(da.ShapeError, match="-1"):
        make(-1, *value)
    with pytest.raises(da.DTypeError, match="dtype"):
        make(3, *value, "no dtype")
    with pytest.raises(TypeError):
        make(3, *value, None, "C", None)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        make(*value)


@pytest.mark.parametrize("value", [300, -1, 2**70])
def test_integers_beyond_the_dtype_are_refused_as_by_numpy(device: da.Device, value: int) -> None:
    with pytest.raises(OverflowError):
        np.full(3, value, np.uint8)
    with pytest.raises(OverflowError):
        da.full(3, value, np.uint8)


def test_structured_dtypes_are_made_by_the_same_call(device: da.Device) -> None:
    dtype = np.dtype([("a", "i4"), ("b", "f4")])
    np.testing.assert_array_equal(da.zeros(3, dtype).copy_to_host(), np.zeros(3, dtype))


def test_the_common_call_follows_the_current_place(device: da.Device) -> None:
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    with da.use(allocator=pool):
        for made in (da.empty(3), da.zeros(3), da.ones(3), da.full(3, 1.5)):
            assert made.allocator is pool


def test_signatures_are_shown() -> None:
    assert list(inspect.signature(da.full).parameters)[:3] == ["shape", "fill_value", "dtype"]


NUMBERS = [
    (5,), (2, 10, 3), (10, 2, -3), (0.0, 1.0, 0.1), (0, 1, 0.3), (1.5, 4), (5, 5), (3, 2), (0.1, 0.35, 0.25),
    (-0.0, 3.0), (2**62, 2**62 + 3), (1e300, 1.5e308, 1e307), (np.float32(0), 1, 0.25), (0, np.int64(4)),
    (np.array(1), 4.5),
]  # fmt: skip


@pytest.mark.parametrize("numbers", NUMBERS, ids=repr)
def test_ranges_have_numpys_bits(device: da.Device, numbers: tuple[Any, ...]) -> None:
    if not device.fp64:
        pytest.skip("NumPy's dtype is float64")
    expected, result = np.arange(*numbers), da.arange(*numbers)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result.copy_to_host(), expected)


@pytest.mark.parametrize("numbers", [(2**63, 2**63 + 2), (0, 2**64, 2**63)])
def test_ranges_beyond_64_bits_are_refused(device: da.Device, numbers: tuple[int, ...]) -> None:
    with pytest.raises((OverflowError, ValueError)):
        da.arange(*numbers)


@pytest.mark.parametrize(
    "fill, dtype",
    [
        *((None, "float32"), (None, "complex64"), ("1.5", "float32"), ("3", "int8"), (b"3", "int8")),
        *((Fraction(1, 2), "float32"), (Decimal("2.5"), "int8"), (Fraction(3), "complex64")),
    ],
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_full_takes_what_the_dtype_makes_a_number_of(fill: Any, dtype: str, order: Any) -> None:
    for ours, wanted in (
        (da.full((2, 3), fill, dtype, order), np.full((2, 3), fill, dtype, order)),
        (da.full_like(da.ones(3, dtype), fill), np.full_like(np.ones(3, dtype), fill)),
    ):
        assert (ours.dtype, ours.strides) == (wanted.dtype, wanted.strides)
        np.testing.assert_array_equal(ours.copy_to_host(), wanted)


@pytest.mark.parametrize("fill, dtype", [(None, "int32"), ("a", "float32"), ("1.5", "int32"), ("300", "int8")])
def test_full_refuses_what_numpy_refuses(fill: Any, dtype: str) -> None:
    with pytest.raises(Exception) as wanted:
        np.full(2, fill, dtype)
    with pytest.raises(wanted.type):
        da.full(2, fill, dtype)


def test_full_of_none_is_numpys_array_of_objects() -> None:
    made: Any = da.full((2, 2), None)
    assert isinstance(made, np.ndarray)
    assert made.dtype == object
    assert made.tolist() == [[None, None], [None, None]]


@pytest.mark.parametrize("dtype", [object, "U3", "S2"])
def test_models_on_the_device_make_texts_and_objects_on_the_host(dtype: Any) -> None:
    ours, host = da.ones((2, 3)), np.ones((2, 3))
    assert type(da.empty_like(ours, dtype)).__mro__[-2] is np.ndarray
    for name, more in (("full_like", ("a",)), ("zeros_like", ()), ("ones_like", ())):
        made, wanted = getattr(da, name)(ours, *more, dtype=dtype), getattr(np, name)(host, *more, dtype=dtype)
        assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
        assert made.tolist() == wanted.tolist()
    dates = da.full_like(ours, "2020-01-01", dtype="M8[D]")
    assert dates.tolist() == np.full_like(host, "2020-01-01", dtype="M8[D]").tolist()
