"""Arrays of ml_dtypes.bfloat16: two bytes in memory, computed in float32; what is float32 then is rounded again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

BF16: Any = np.dtype(ml_dtypes.bfloat16)
_rng = np.random.default_rng(3)
H = _rng.normal(size=(3, 4)).astype(BF16)
G = _rng.normal(size=(3, 4)).astype(BF16)

HALF, NAN = ml_dtypes.bfloat16(0.5), ml_dtypes.bfloat16("nan")

Call = Callable[[Any, Any, Any], Any]

SAME_AS_NUMPY: dict[str, Call] = {
    "add": lambda xp, x, y: x + y,
    "subtract from a number": lambda xp, x, y: 2 - x,
    "divide": lambda xp, x, y: x / y,
    "multiply by an int": lambda xp, x, y: x * 3,
    "negative": lambda xp, x, y: -x,
    "power": lambda xp, x, y: x**2,
    "remainder": lambda xp, x, y: x % y,
    "divmod": lambda xp, x, y: divmod(x, 2)[0],
    "greater": lambda xp, x, y: x > y,
    "equal": lambda xp, x, y: x == y,
    "exp": lambda xp, x, y: xp.exp(x),
    "sqrt": lambda xp, x, y: xp.sqrt(abs(x)),
    "tanh": lambda xp, x, y: xp.tanh(x),
    "maximum": lambda xp, x, y: xp.maximum(x, 0),
    "multiply": lambda xp, x, y: xp.multiply(x, y),
    "isnan": lambda xp, x, y: xp.isnan(x),
    "where": lambda xp, x, y: xp.where(x > 0, x, y),
    "round": lambda xp, x, y: xp.round(x * 100),
    "max": lambda xp, x, y: x.max(axis=1),
    "argmax": lambda xp, x, y: xp.argmax(x, axis=0),
    "sort": lambda xp, x, y: xp.sort(x, axis=1),
    "take": lambda xp, x, y: xp.take(x, xp.asarray([2, 0]), axis=1),
    "concatenate": lambda xp, x, y: xp.concatenate([x, y]),
    "stack": lambda xp, x, y: xp.stack([x, y]),
    "transpose": lambda xp, x, y: x.T,
    "mask": lambda xp, x, y: x[x > 0],
    "real": lambda xp, x, y: xp.real(x),
    "beside float32": lambda xp, x, y: x + xp.asarray([0.1, 0.2, 0.3, 0.4], dtype=np.float32),
    "float32 beside it": lambda xp, x, y: xp.asarray([0.1, 0.2, 0.3, 0.4], dtype=np.float32) * x,
    "beside int8": lambda xp, x, y: x + xp.asarray([1, 2, 3, 4], dtype=np.int8),
    "int8 beside it": lambda xp, x, y: xp.asarray([1, 2, 3, 4], dtype=np.int8) * x,
    "beside bools": lambda xp, x, y: x * xp.asarray([True, False, True, True]),
    "beside a scalar": lambda xp, x, y: x + HALF,
    "a scalar beside it": lambda xp, x, y: HALF - x,
    "a scalar beside float32": lambda xp, x, y: xp.asarray([0.1, 0.2], dtype=np.float32) * HALF,
    "a scalar beside int32": lambda xp, x, y: xp.asarray([1, 2], dtype=np.int32) + HALF,
    "less than a scalar": lambda xp, x, y: x < HALF,
    "power by a scalar": lambda xp, x, y: abs(x) ** HALF,
    "maximum of a scalar": lambda xp, x, y: xp.maximum(x, HALF),
    "where with a scalar": lambda xp, x, y: xp.where(x > 0, x, HALF),
    "equal to a number": lambda xp, x, y: xp.concatenate([x.ravel(), xp.full(9, HALF)]) == 0.5,
    "unequal to a list": lambda xp, x, y: xp.ones(3, dtype=BF16) != [1, 2, 1],
    "equal to a scalar of float32": lambda xp, x, y: xp.full(2, HALF) == np.float32(0.5),
    "equal where bytes are not": lambda xp, x, y: -xp.zeros(2, dtype=BF16) == xp.zeros(2, dtype=BF16),
    "NaN is no NaN": lambda xp, x, y: xp.full(2, NAN) == xp.full(2, NAN),
    "to float64": lambda xp, x, y: x.astype(np.float64),
    "to int32": lambda xp, x, y: (x * 100).astype(np.int32),
    "from float32": lambda xp, x, y: xp.asarray([0.1, 1e38, 3.4e38, -0.0], dtype=np.float32).astype(BF16),
    "made of a list": lambda xp, x, y: xp.asarray([1, 2.7], dtype=BF16),
    "ones": lambda xp, x, y: xp.ones(3, dtype=BF16),
    "full": lambda xp, x, y: xp.full(3, 2.5, dtype=BF16) + 1,
    "zeros_like": lambda xp, x, y: xp.zeros_like(x),
    "NumPy's ufunc": lambda xp, x, y: np.add(x, y),
}


def _of_host(x: Any) -> np.ndarray:
    return np.asarray(x.copy_to_host() if hasattr(x, "copy_to_host") else x)


@pytest.mark.parametrize("name", SAME_AS_NUMPY)
def test_gives_what_numpy_gives(name: str) -> None:
    call = SAME_AS_NUMPY[name]
    wanted, found = call(np, H, G), call(da, da.to_device(H), da.to_device(G))
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert np.array_equal(_of_host(found).astype(np.float64), np.asarray(wanted).astype(np.float64), equal_nan=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, x: x.sum(),
        lambda xp, x: xp.sum(x, axis=0),
        lambda xp, x: x.mean(axis=1),
        lambda xp, x: xp.cumsum(x, axis=1),
        lambda xp, x: x.std(axis=0),
        lambda xp, x: x @ x.T,
        lambda xp, x: xp.matmul(x.T, x),
        lambda xp, x: xp.clip(x, -0.3, 0.3),
        lambda xp, x: x + 0.1,
    ],
    ids=["sum", "sum of an axis", "mean", "cumsum", "std", "@", "matmul", "clip", "a float"],
)  # fmt: skip
def test_is_rounded_once(call: Any) -> None:
    """Sums and products are of the values in float32; NumPy's round each step."""
    wanted = call(np, H.astype(np.float32))
    found = call(da, da.to_device(H))
    assert found.dtype == BF16
    near = np.asarray(wanted).astype(BF16).astype(np.float32)
    assert np.all(np.abs(_of_host(found).astype(np.float32) - near) <= np.abs(near) * 2.0**-8)


def test_a_dtype_that_is_asked_for_stays() -> None:
    x = da.to_device(H)
    assert x.sum(dtype=np.float32).dtype == np.float32
    assert da.sum(x, dtype=np.float32).dtype == np.float32
    assert da.sum(x, axis=0).dtype == BF16


def test_two_bytes_an_element_and_written_in_place() -> None:
    x, h = da.to_device(H), H.copy()
    assert x.nbytes == 2 * H.size
    view = x[1:]
    for a in (x, h):
        a += 1
        a[0] = 5
        a[1, :2] = a[2, 1:3]
        a[a > 3] = 0
    assert x.copy_to_host().tolist() == h.tolist()
    assert view.copy_to_host().tolist() == h[1:].tolist()
    with pytest.raises(da.errors.DTypeError, match="real part"):
        x += 1j


@pytest.mark.parametrize(
    "pick",
    [lambda x: x, lambda x: x.T, lambda x: x[:, 1], lambda x: x[0, 1]],
    ids=["all", "transposed", "a column", "one"],
)
@pytest.mark.parametrize("copy", [None, True])
def test_travels_by_dlpack(pick: Any, copy: bool | None) -> None:
    x = pick(da.to_device(H))
    taken: Any = da.from_dlpack(x, copy=copy)
    assert taken.dtype == BF16
    assert taken.shape == x.shape
    assert taken.copy_to_host().tolist() == pick(H).tolist()


def test_shares_memory_by_dlpack(device: da.Device) -> None:
    kinds = [kind for kind in ("svm_fine", "managed") if kind in device.memory_kinds]
    if not kinds:
        pytest.skip("this device's memory is copied")
    x = da.to_device(H, allocator=da.alloc.DeviceMemoryResource(device, kinds[0]))
    taken: Any = da.from_dlpack(x)
    taken[0] = 7
    assert x[0].tolist() == [7.0] * 4


def test_records_have_no_dlpack() -> None:
    with pytest.raises(BufferError, match=r"x\.bytes"):
        da.to_device(np.zeros(2, [("n", "i4")])).__dlpack__()
