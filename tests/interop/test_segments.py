"""`ufunc.at` and `ufunc.reduceat` on device arrays, against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import FLOATS, host, moderate, same, silent, skip_without

import devarray as da
from devarray.interop import segments

pytestmark = pytest.mark.usefixtures("device", "way")
RNG = np.random.default_rng(4)


@pytest.fixture(params=["as on GPUs", "as on CPUs"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, device: da.Device) -> None:
    """The strategy of CPUs leaves `at` to NumPy; its kernels are tried on them all the same."""
    if request.param == "as on GPUs":
        monkeypatch.setattr(segments, "host_views", lambda *arrays: None)
    elif device.strategy == "gpu":
        pytest.skip("the strategy is the GPUs'")


def check(name: str, x: np.ndarray, key: Any, value: Any, ulp: float = 0) -> None:
    """The same `at` on both, where the key and the value may hold NumPy's arrays."""
    wanted, ours = x.copy(), da.asarray(x)
    with silent():
        getattr(np, name).at(wanted, key, value)
    getattr(np, name).at(ours, moved(key), moved(value))
    if ulp and x.dtype.kind in "fc":
        size = float(np.nanmax(np.abs(wanted)))
        np.testing.assert_allclose(host(ours), wanted, rtol=0, atol=ulp * np.finfo(x.dtype).eps * size)
    else:
        same(ours, wanted)


def moved(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(moved(part) for part in value)
    return da.asarray(value) if isinstance(value, np.ndarray) else value


SELECTED = ["maximum", "fmin", "bitwise_xor", "logical_or"]
OF_DTYPES = [("add", dtype) for dtype in ("int8", "uint64", "float32", "float64", "complex64")]
OF_DTYPES += [(name, "int16") for name in SELECTED] + [("maximum", "float32"), ("logical_or", "float32")]
OF_DTYPES += [(name, dtype) for name in ("subtract", "multiply") for dtype in ("int16", "float32", "complex64")]


@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "minimum", "bitwise_xor"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("value", [300, -1, 2**40])
def test_numbers_beyond_the_dtype_are_cast_afterwards(name: str, dtype: str, value: int) -> None:
    x = np.arange(5, dtype=dtype)
    check(name, x, [0, 3, 3], value)
    with pytest.raises(IndexError):
        getattr(np, name).at(da.asarray(x), [0, 5], value)


def test_a_float_beyond_the_dtype_is_no_infinity() -> None:
    skip_without("float64")
    check("multiply", np.arange(3, dtype=np.float32), [0, 2], 1e300)


@pytest.mark.parametrize(("name", "dtype"), OF_DTYPES)
def test_at_accumulates_duplicates(name: str, dtype: str) -> None:
    skip_without(dtype)
    x, value = moderate(dtype, 9, 1), moderate(dtype, 200, 2)
    if name == "multiply" and dtype != "int16":
        value = (np.exp(1j * np.arange(200)) if dtype == "complex64" else 1 + value / 1e3).astype(dtype)
    places = RNG.integers(-9, 9, 200)
    check(name, x, places, value, 0 if name in SELECTED else 256)
    check(name, x, places[:1], value[:1])
    check(name, x, places[:0], value[:0])


KEYS = {
    "one number": 2,
    "a list": [1, 1, -1],
    "numbers of two axes": np.array([[0, 3], [3, 3]]),
    "two arrays": (np.array([0, 3, 0]), np.array([1, 1, 1])),
    "an array and a slice": (np.array([0, 0, 2]), slice(1, None, 2)),
    "a slice and an array": (slice(None), np.array([4, 0, 4])),
    "a slice": slice(1, 3),
    "an ellipsis": (..., 1),
    "a mask": np.arange(20).reshape(4, 5) % 3 == 0,
    "a mask of rows": np.array([True, False, True, True]),
}


@pytest.mark.parametrize("key", KEYS)
def test_at_takes_numpys_keys(key: str) -> None:
    x = moderate("int32", (4, 5), 3)
    check("add", x, KEYS[key], 3)
    check("add", x, KEYS[key], moderate("int32", x[KEYS[key]].shape, 4))
    check("add", x[:, ::-1], KEYS[key], 3)


def test_at_writes_views_and_broadcasts_values() -> None:
    x = moderate("float64", (4, 5), 3)
    skip_without("float64")
    ours, wanted = da.asarray(x), x.copy()
    for a, xp in ((ours, da), (wanted, np)):
        np.add.at(a.T, xp.asarray([1, 1]), xp.asarray([1.0, 2.0, 3.0, 4.0]))
        np.add.at(a[::2], (xp.asarray([0, 1, 0]), 3), 0.5)
    same(ours, wanted)


def test_at_casts_as_numpy_does() -> None:
    x = da.zeros(3, da.int32)
    np.add.at(x, [0, 0], True)
    same(x, np.array([2, 0, 0], np.int32))
    for function, values in ((np.add, 1.5), (np.divide, 2), (np.maximum, np.array([7.5, -1.0]))):
        host, ours = np.array([5, -3, 9], np.int32), da.asarray([5, -3, 9], dtype=da.int32)
        function.at(host, [0, 2], values)
        function.at(ours, [0, 2], values)
        same(ours, host)
    with pytest.raises(TypeError, match=r"numpy.ldexp.at has no device kernel"):
        np.ldexp.at(x, [0], 2)
    np.negative.at(x, [0, 0, 0])
    same(x, np.array([-2, 0, 0], np.int32))
    if da.device().caps["fp64"]:
        check("add", np.zeros(3, np.float32), np.array([1, 1]), np.array([0.25, 0.5]))
        check("divide", np.ones(3, np.float32), np.array([1, 1, 2]), 4.0)


NARROWER = [
    *((name, "uint8", "uint32") for name in ("maximum", "minimum", "add", "multiply", "gcd", "lcm", "bitwise_xor")),
    *((name, "int8", "int64") for name in ("maximum", "fmin", "subtract", "bitwise_or")),
    *((name, "int16", "float32") for name in ("add", "subtract", "maximum", "multiply")),
    *((name, "bool", "int16") for name in ("add", "bitwise_xor", "minimum")),
    *((name, "int8", "int8") for name in ("lcm", "remainder", "power", "floor_divide", "left_shift", "less")),
    *((name, "float32", "float32") for name in ("fmod", "copysign", "nextafter", "heaviside")),
]


@pytest.mark.parametrize(("name", "dtype", "of_values"), NARROWER)
def test_each_value_of_a_place_is_cast_before_the_next(name: str, dtype: str, of_values: str) -> None:
    """The values come again and again, do not fit the array's dtype, and halves are cut."""
    x = RNG.integers(0, 100, 5).astype(dtype)
    numbers = RNG.integers(1, 400, 40) % (400 if of_values != dtype else 7)
    values = (numbers / 4 if of_values == "float32" else numbers).astype(of_values)
    check(name, x, RNG.integers(-5, 5, 40), values)
    check(name, np.stack([x, x[::-1]], 1), np.array([3, 1, 3, 3]), values[:8].reshape(4, 2))
    check(name, x, np.array([2]), values[:1])


def test_a_maximum_beyond_the_dtype_is_cut_before_the_next() -> None:
    x, values = np.array([0, 1, 2, 3], np.uint8), np.array([2**32 - 3, 2**32 - 3, 2**32 - 2, 2**32 - 3], np.uint32)
    check("maximum", x, np.array([0, 3, 0, 0]), values)


def test_at_out_of_bounds() -> None:
    x = da.zeros(3, da.int32)
    with pytest.raises(IndexError):
        np.add.at(x, [0, 3], 1)
        da.synchronize()


def test_at_sums_many_values() -> None:
    """A histogram: nearly all values meet in few places; and many places with few values each."""
    value = RNG.random(5000).astype(np.float32)
    for places in (RNG.integers(0, 3, 5000), RNG.integers(0, 5000, 5000)):
        check("add", np.zeros(5000, np.float32), places, value, 64)
        check("add", np.zeros((5000, 2), np.float32), places, np.stack([value, 2 * value], 1), 64)


# --- reduceat ------------------------------------------------------------------------------------------------------

INDICES = [[0, 4, 1, 5, 2, 6, 3, 7], [0], [7], [0, 1, 2], [3, 3, 3, 7, 0], [2, 5]]


REDUCED = [("add", dtype) for dtype in ("bool", "int8", "uint32", *FLOATS)]
REDUCED += [("multiply", "int8"), ("maximum", "float32"), ("logical_and", "int8"), ("logaddexp", "float32")]
REDUCED += [("subtract", "int16"), ("divide", "float32"), ("copysign", "float64"), ("less", "bool")]


@pytest.mark.parametrize(("name", "dtype"), REDUCED)
@pytest.mark.heavy
def test_reduceat(name: str, dtype: str) -> None:
    skip_without(dtype, "float64")
    ufunc, x = getattr(np, name), moderate(dtype, (8, 9), 5)
    for indices in INDICES:
        for axis in (0, 1, -1):
            wanted = ufunc.reduceat(x, indices, axis)
            for given in (indices, da.asarray(indices)):
                ours = ufunc.reduceat(da.asarray(x), given, axis)
                assert ours.dtype == wanted.dtype
                tolerance = 64 * np.finfo(dtype).eps if dtype in FLOATS else 0
                size = float(np.max(np.abs(wanted.astype(float))))
                np.testing.assert_allclose(host(ours), wanted, rtol=tolerance, atol=tolerance * size)


def test_reduceat_of_long_runs_and_with_parameters() -> None:
    x = RNG.integers(-50, 50, 3000).astype(np.int32)
    indices = np.sort(RNG.integers(0, 3000, 20))
    same(np.add.reduceat(da.asarray(x), da.asarray(indices)), np.add.reduceat(x, indices))
    same(np.add.reduceat(da.asarray(x), [5, 9], dtype="i2"), np.add.reduceat(x, [5, 9], dtype="i2"))
    out = da.zeros(2, da.int64)
    assert np.add.reduceat(da.asarray(x), [5, 9], out=out) is out
    same(out, np.add.reduceat(x, [5, 9]))
    with pytest.raises(IndexError, match="an axis of 3000 elements"):
        np.add.reduceat(da.asarray(x), [0, 3000])
    with pytest.raises(TypeError, match=r"numpy.ldexp.reduceat has no device kernel"):
        np.ldexp.reduceat(da.asarray(x), [0])


@pytest.mark.parametrize("axis", [None, (0,), -1])
def test_reduceat_along_one_axis_however_it_is_named(axis: Any) -> None:
    x = np.arange(6.0)
    same(np.add.reduceat(da.asarray(x), [0, 2], axis), np.add.reduceat(x, [0, 2], axis))
    for xp in (np, da):
        with pytest.raises(ValueError):
            np.add.reduceat(xp.ones((2, 2)), [0], axis=(0, 1))


@pytest.mark.parametrize("name", ["add", "multiply", "minimum", "maximum"])
@pytest.mark.parametrize("dtype", ["int16", "int64", "uint8", "float32", "float64", "complex64"])
@pytest.mark.heavy
def test_reduceat_of_few_long_segments(name: str, dtype: str) -> None:
    if dtype == "complex64" and name in ("minimum", "maximum"):
        pytest.skip("devices do not order complex numbers")
    ufunc = getattr(np, name)
    for shape, axis in (((5000,), 0), ((3, 4000), 1), ((4000, 3), 0)):
        x = (np.arange(int(np.prod(shape))) % 3 + (name == "multiply")).reshape(shape).astype(dtype)
        if name == "multiply" and x.dtype.kind in "fc":
            x = np.ones(shape, dtype)
            x.reshape(-1)[[5, 2600, 3001]] = 2
        indices = [0, 2500, 2500, 7, 3000]
        same(ufunc.reduceat(da.asarray(x), indices, axis), ufunc.reduceat(x, indices, axis))


COMBINING = ["subtract", "divide", "bitwise_xor", "logical_xor", "fmax", "hypot", "gcd", "logaddexp", "arctan2"]


def in_steps(ufunc: np.ufunc, x: np.ndarray, axis: int) -> np.ndarray:
    """What `accumulate` gives, a row at a time; NumPy's loses steps of arctan2 and power."""
    rows = np.moveaxis(x, axis, 0).astype(ufunc.accumulate(x, axis).dtype)
    made = rows[:1].copy()
    for row in rows[1:]:
        made = np.concatenate([made, ufunc(made[-1:], row)])
    return np.moveaxis(made, 0, axis)


@pytest.mark.parametrize("name", COMBINING)
@pytest.mark.parametrize("dtype", ["bool", "int16", "uint64", "float32"])
@pytest.mark.heavy
def test_reduce_and_accumulate_of_the_rarer_ufuncs(name: str, dtype: str) -> None:
    ufunc, whole = getattr(np, name), (moderate(dtype, (5, 12), 3) % 5).astype(dtype)
    for x in (whole, whole[::-1, ::2], whole.T, whole[0]):
        ours = da.asarray(x)
        for axis in range(x.ndim):
            try:
                with silent():
                    wanted = in_steps(ufunc, x, axis)
            except TypeError:
                with pytest.raises(TypeError):
                    ufunc.accumulate(ours, axis)
                continue
            last = np.take(wanted, [-1], axis)
            made = ufunc.accumulate(ours, axis), ufunc.reduce(ours, axis), ufunc.reduce(ours, axis, keepdims=True)
            for found, values in zip(made, (wanted, last.squeeze(axis), last), strict=True):
                assert (found.dtype, found.shape) == (values.dtype, values.shape)
                np.testing.assert_allclose(host(found), values, rtol=2e-3 if values.dtype == np.float16 else 1e-5)


@pytest.mark.parametrize("method", ["reduce", "accumulate"])
def test_pairs_of_results_have_no_reduction(method: str) -> None:
    with pytest.raises(da.DTypeError, match=f"divmod.{method} has no device kernel"):
        getattr(da.divmod, method)(da.arange(3))


def test_reductions_without_a_kernel_take_no_step_for_each_element(device: da.Device) -> None:
    """On CPUs they are NumPy's, over the array's own memory."""
    if device.strategy == "gpu" or segments.host_views.__name__ == "<lambda>":
        pytest.skip("kernels work by steps or halves")
    x = da.asarray(np.arange(5000, dtype=np.int64) % 7 + 1)
    x.evaluate()
    before = da.stats()["launches"]
    assert da.subtract.reduce(x).item() == np.subtract.reduce(host(x))
    same(da.bitwise_xor.accumulate(x), np.bitwise_xor.accumulate(host(x)))
    same(da.add.reduceat(x, [0, 7, 3, 4000]), np.add.reduceat(host(x), [0, 7, 3, 4000]))
    same(da.add.reduceat(x, da.asarray([0, 9])), np.add.reduceat(host(x), [0, 9]))
    assert da.stats()["launches"] == before
