"""Values without axes that the host knows: elements that were read, results on them, products of vectors, sums."""

from __future__ import annotations

import operator
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import moderate

import devarray as da
from devarray import errors

pytestmark = pytest.mark.usefixtures("on_host")

DTYPES = ["bool", "int8", "int64", "uint8", "uint64", "float16", "float32", "float64", "complex64", "complex128"]


def recorded(make: Callable[[], Any]) -> int:
    da.synchronize()
    before = da.stats()["recorded"]
    make()
    return da.stats()["recorded"] - before


def both(dtype: str = "float64", shape: tuple[int, ...] = (6, 8)) -> tuple[np.ndarray, da.Array]:
    host = moderate(dtype, int(np.prod(shape))).reshape(shape).copy()
    return host, da.asarray(host)


def same(found: Any, wanted: Any) -> None:
    assert found.dtype == np.asarray(wanted).dtype
    assert found.shape == ()
    np.testing.assert_array_equal(found.copy_to_host(), wanted)


# --- no graph --------------------------------------------------------------------------------------------------------


def test_programs_that_go_through_elements_record_nothing() -> None:
    host, x = both()

    def update(a: Any) -> None:
        for i in range(1, 6):
            a[i, 2] += a[i - 1, 2]
            a[i, 2] /= 9.0
            a[i, 3] = max(a[i, 3], a[i - 1, 3] * 2)
            if a[i, 4] > 0.5:
                a[i, 4] = 1

    update(host)
    assert recorded(lambda: update(x)) == 0
    np.testing.assert_array_equal(x.copy_to_host(), host)


def test_bits_of_elements_record_nothing() -> None:
    host = np.arange(250, dtype=np.uint8)
    x = da.asarray(host)

    def checksum(a: Any) -> int:
        crc = 0xFFFF
        for byte in a:
            current = 0xFF & byte
            for _ in range(8):
                crc = (crc >> 1) ^ 0x8408 if (crc & 1) ^ (current & 1) else crc >> 1
                current >>= 1
        return crc

    wanted = checksum(host)
    found = []
    assert recorded(lambda: found.append(checksum(x))) == 0
    assert found == [wanted]


def test_product_of_vectors_and_sum_record_nothing() -> None:
    host, x = both()

    def reduce(a: Any) -> Any:
        return a[1, :5] @ a[:5, 2] - np.dot(a[2], a[3]) + a[4].sum() * 2 - a[5].max()

    found = []
    assert recorded(lambda: found.append(reduce(x))) == 0
    np.testing.assert_allclose(float(found[0]), reduce(host), rtol=1e-12)


# --- as NumPy's scalars ----------------------------------------------------------------------------------------------

OPERATIONS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "and_", "or_", "xor", "lt", "le", "eq", "ne", "gt"]


def outcome(compute: Callable[[], Any]) -> Any:
    """What NumPy gives; None where it refuses."""
    try:
        return compute()
    except TypeError:
        return None


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("first", DTYPES)
@pytest.mark.filterwarnings("ignore")
def test_operations_on_elements_give_numpy_s_values(name: str, first: str) -> None:
    if name in ("floordiv", "mod") and first.startswith("complex"):
        pytest.skip("NumPy has none")
    apply = getattr(operator, name)
    a, x = both(first, (4,))
    with np.errstate(all="ignore"):
        for second in DTYPES:
            b, y = both(second, (4,))
            for i in range(4):
                wanted = outcome(lambda i=i, b=b: apply(a[i], b[3 - i]))
                if wanted is None or ("c" in (a.dtype.kind, b.dtype.kind) and name in ("lt", "le", "gt")):
                    continue
                found = apply(x[i], y[3 - i])
                assert found.dtype == wanted.dtype, (first, second)
                np.testing.assert_allclose(found.copy_to_host(), wanted, rtol=1e-3 if wanted.dtype == "f2" else 1e-6)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64"])
def test_python_integers_beside_elements_keep_their_rules(dtype: str) -> None:
    host, x = both(dtype, (4,))
    same(x[1] + 1, host[1] + 1)
    same(x[1] < 1000, True)
    same(x[1] >= 2**70, False)
    with pytest.raises(errors.OverflowError, match="out of bounds"):
        x[1] + 2**70


def test_integers_that_leave_their_dtype_wrap_and_divide_as_numpy_s() -> None:
    x = da.asarray(np.array([127, -128, 0], dtype=np.int8))
    with np.errstate(all="ignore"):
        same(x[0] + 1, np.int8(127) + np.int8(1))
        same(x[0] // x[2], np.int8(127) // np.int8(0))
        same(x[1] // -1, np.int8(-128) // np.int8(-1))
        same(-x[1], -np.int8(-128))


def test_comparisons_of_int64_with_uint64_go_by_value() -> None:
    x, y = da.asarray(np.array([-1, 2**62])), da.asarray(np.array([2**64 - 1, 2**62 + 1], dtype=np.uint64))
    same(x[0] < y[0], True)
    same(x[0] == y[0], False)
    same(x[1] < y[1], True)


@pytest.mark.parametrize("source", DTYPES)
@pytest.mark.parametrize("target", DTYPES)
def test_elements_are_stored_as_numpy_casts_them(source: str, target: str) -> None:
    if np.dtype(source).kind == "c" and np.dtype(target).kind != "c":
        pytest.skip("NumPy refuses it")
    a, x = both(source, (4,))
    b, y = both(target, (4,))
    for i in range(4):
        if np.dtype(source).kind == "f" and np.dtype(target).kind == "u":
            continue  # undefined below 0
        b[i] = a[3 - i].astype(target)
        y[i] = x[3 - i]
    np.testing.assert_array_equal(y.copy_to_host(), b)


def test_bits_of_a_single_precision_nan_stay() -> None:
    bits = np.array([0x7FA00001, 0x7FC12345, 0xFFC00000], dtype=np.uint32)
    x, y = da.asarray(bits.view(np.float32)), da.zeros(3, dtype="float32")
    for i in range(3):
        y[i] = x[i]
    np.testing.assert_array_equal(y.copy_to_host().view(np.uint32), bits)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int32", "uint8"])
def test_products_of_vectors_have_numpy_s_bits(dtype: str) -> None:
    host, x = both(dtype, (2, 300))
    for n in (1, 2, 3, 7, 16, 31, 64, 99):
        for step in (1, 2, -1, 3):
            wanted = host[0, ::step][:n] @ host[1, :n]
            same(x[0, ::step][:n] @ x[1, :n], wanted)
            same(np.dot(x[0, ::step][:n], x[1, :n]), wanted)


def test_dot_of_vectors_is_a_call_of_c() -> None:
    host, x = both()
    row, column = x[1, :5], x[:5, 2]
    da.dot(row, column)
    frames = []
    sys.setprofile(lambda frame, event, _: frames.append(frame.f_code.co_name) if event == "call" else None)
    try:
        found = da.dot(row, column)
    finally:
        sys.setprofile(None)
    assert frames == []
    same(found, host[1, :5].dot(host[:5, 2]))
    same(da.dot([1.0, 2.0], da.asarray([3.0, 4.0])), 11.0)


# --- as arrays -------------------------------------------------------------------------------------------------------


def test_what_takes_arrays_takes_known_values() -> None:
    host, x = both()
    value = x[1, 2] * 2
    wanted = host[1, 2] * 2
    assert value.strides == ()
    assert not da.shares_memory(value, x[1, 2] * 2)
    assert hash(value) == hash(float(wanted))
    np.testing.assert_array_equal(da.stack([value, x[0, 0]]).copy_to_host(), [wanted, host[0, 0]])
    np.testing.assert_array_equal(value.reshape(1, 1).copy_to_host(), [[wanted]])
    np.testing.assert_array_equal(value[None].copy_to_host(), [wanted])
    np.testing.assert_array_equal(np.from_dlpack(value[...].copy().reshape(1).copy_to_host()), [wanted])
    same(pickle.loads(pickle.dumps(value)), wanted)
    same(value.astype("int32"), np.int32(wanted))
    same(value.sum(), wanted)
    same(da.exp(value) * 0, 0.0)
    same(value.real, wanted)


def test_copies_of_known_values_are_arrays_that_are_written() -> None:
    host, x = both()
    value = x[1, 2] + 1
    copy = da.asarray(value)
    copy[...] = 5.0
    copy += 1
    same(value, host[1, 2] + 1)
    assert float(copy) == 6.0
    with pytest.raises(errors.ValueError, match="read-only"):
        value[...] = 1.0


@pytest.mark.parametrize("size", [3, 5000, 100_000])
def test_known_values_beside_arrays(size: int) -> None:
    host, x = both()
    row = np.linspace(1, 2, size)
    y = da.asarray(row)
    found = y * x[1, 2] + (x[2, 2] - y) * 0.5
    np.testing.assert_array_equal(found.copy_to_host(), row * host[1, 2] + (host[2, 2] - row) * 0.5)
    y[0] = x[3, 3]
    assert float(y[0]) == host[3, 3]


def test_a_known_value_compiles_no_kernel_of_its_own(kernels: None) -> None:
    _, x = both()
    y = da.asarray(np.linspace(1, 2, 100_003))
    (y * x[1, 2] - 7.0).evaluate()  # by the element's memory
    da.config.host_elements = 1000
    da.synchronize()
    value = x[1, 2] * 1.0
    before = da.stats()
    (y * value - 7.0).evaluate()
    after = da.stats()
    assert after["launches"] > before["launches"]
    assert after["kernels"] == before["kernels"]


def test_stored_elements_reach_what_was_recorded_before_and_after() -> None:
    host, x = both()
    before = x + 1
    row = x[1]
    x[1, 2] = 50.0
    after = row * 2
    assert float(before[1, 2]) == host[1, 2] + 1
    assert float(after[2]) == 100.0
    x[1, 2] = x[1, 2] / 2
    assert float(after[2]) == 100.0
    assert float(row[2]) == 25.0


def test_a_known_value_is_a_wait_where_these_are_forbidden() -> None:
    _, x = both()
    value = x[1, 2]
    da.config.forbid_waits = True
    try:
        with pytest.raises(da.Error, match="forbid_waits"):
            float(value)
    finally:
        da.config.forbid_waits = False


@pytest.mark.parametrize("key", [(6, 0), (0, 8), (-7, 0), 9])
def test_elements_outside_raise(key: Any) -> None:
    _, x = both()
    with pytest.raises(errors.IndexError, match="out of bounds"):
        x[key]
    with pytest.raises(errors.IndexError, match="out of bounds"):
        x[key] = 1.0


@pytest.mark.parametrize("value", [300, -1, 2.5, float("nan"), 1j])
def test_numbers_that_do_not_fit_are_stored_or_refused_as_before(value: Any) -> None:
    x = da.zeros(3, dtype="uint8")
    host = np.zeros(3, dtype=np.uint8)
    try:
        host[1] = value
    except (OverflowError, ValueError, TypeError):
        with pytest.raises((errors.OverflowError, errors.ValueError, errors.DTypeError)):
            x[1] = value
    else:
        x[1] = value
    np.testing.assert_array_equal(x.copy_to_host(), host)
