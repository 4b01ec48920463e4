"""NumPy's ufuncs called on device arrays: the same calls as on NumPy's arrays, with NumPy's results."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest
from numpy._core import overrides
from oracle import COMPLEX, DTYPES, FLOATS, close, moderate, same, silent, skip_without, values
from protocols import Body, check

import devarray as da
from devarray.ops.table import OPS

UFUNCS = sorted({op.ufunc for op in OPS.values() if isinstance(getattr(np, op.ufunc, None), np.ufunc)})

X, Y = moderate("float32", (4, 6), 1), moderate("float32", (4, 6), 2)
K, L = moderate("int32", (4, 6), 3), moderate("int32", (4, 6), 4)

# --- ufuncs --------------------------------------------------------------------------------------------------------


def test_every_ufunc_of_numpy_is_there_or_refused_by_name(device: da.Device) -> None:
    x = da.ones(3, da.float32)
    everything = {v.__name__: v for v in vars(np).values() if isinstance(v, np.ufunc)}
    more = {"divmod", "modf", "frexp", "ldexp", "degrees", "radians", "matmul", "matvec", "vecdot", "vecmat"}
    for name, ufunc in everything.items():
        if name in set(UFUNCS) | more or name == "isnat":
            continue
        with pytest.raises(TypeError, match=f"numpy.{name} has no device kernel"):
            ufunc(*[x] * ufunc.nin)


@pytest.mark.parametrize("name", UFUNCS)
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "complex64"])
def test_results_have_numpys_dtypes(device: da.Device, name: str, dtype: str) -> None:
    if not device.caps["fp64"]:
        pytest.skip("the device has no float64")
    ufunc = getattr(np, name)
    inputs = [np.ones(3, dtype)] * ufunc.nin
    try:
        with silent():
            wanted = ufunc(*inputs)
    except TypeError:
        with pytest.raises(TypeError):
            ufunc(*map(da.asarray, inputs))
        return
    assert ufunc(*map(da.asarray, inputs)).dtype == wanted.dtype


CALLS: dict[str, Body] = {
    "out": lambda x, y: np.add(x, y, out=np.zeros_like(x)),
    "out in a tuple": lambda x, y: np.add(x, y, out=(np.zeros_like(x),)),
    "out that is an input": lambda x, y: np.multiply(x, y, out=x),
    "out that overlaps": lambda x, y: np.add(x[1:], y[1:], out=x[:-1]),
    "out of a wider dtype": lambda x, y: np.add(x, y, out=np.zeros_like(x, dtype=np.complex128)),
    "out of a larger shape": lambda x, y: np.add(x[0], y[0], out=np.zeros_like(x)),
    "where": lambda x, y: np.add(x, y, out=x.copy(), where=y > 0),
    "where, broadcast": lambda x, y: np.add(x, y, out=np.zeros_like(x), where=y[0] > 0),
    "dtype": lambda x, y: np.add(x, y, dtype=np.float64),
    "dtype of one input": lambda x, y: np.sqrt(abs(x), dtype=np.float64),
    "a narrower dtype": lambda x, y: np.add(x, y, dtype=np.float16),
    "casting": lambda x, y: np.add(x, y, dtype=np.int32, casting="unsafe"),
    "a Python scalar": lambda x, y: np.maximum(x, 0.5),
    "a Python scalar with dtype": lambda x, y: np.maximum(x, 1, dtype=np.float64),
    "a NumPy scalar": lambda x, y: np.float64(2) * x + np.float32(1) ** y,
    "a signature": lambda x, y: np.add(x, y, signature=(np.float64, np.float64, np.float64)),
    "reduce": lambda x, y: np.add.reduce(x),
    "reduce, axis": lambda x, y: np.add.reduce(x, axis=1, keepdims=True),
    "reduce, all axes": lambda x, y: np.multiply.reduce(x, axis=None),
    "reduce, two axes": lambda x, y: np.maximum.reduce(x, axis=(0, 1)),
    "reduce, dtype": lambda x, y: np.add.reduce(x, dtype=np.float64),
    "reduce, initial": lambda x, y: np.add.reduce(x, initial=10),
    "reduce, where": lambda x, y: np.add.reduce(x, where=y > 0),
    "reduce, where and initial": lambda x, y: np.minimum.reduce(x, where=y > 0, initial=9),
    "reduce, out": lambda x, y: np.minimum.reduce(x, out=np.zeros_like(x[0])),
    "reduce, logical": lambda x, y: np.logical_and.reduce(x > -3, axis=1),
    "reduce, or": lambda x, y: np.logical_or.reduce(x > 3),
    "reduce of a point": lambda x, y: np.add.reduce(x[0, 0]),
    "accumulate": lambda x, y: np.add.accumulate(x),
    "accumulate, axis": lambda x, y: np.multiply.accumulate(x, axis=1),
    "accumulate, dtype": lambda x, y: np.add.accumulate(x, dtype=np.float64),
    "accumulate, out": lambda x, y: np.add.accumulate(x, out=np.zeros_like(x)),
    "outer": lambda x, y: np.subtract.outer(x, y[0]),
    "outer with a scalar": lambda x, y: np.multiply.outer(x, 3),
    "outer of a function of several steps": lambda x, y: np.ldexp.outer(x, np.arange(3, like=x)),
    "outer with two results": lambda x, y: np.divmod.outer(x, abs(y[0]) + 1),
    "divmod": lambda x, y: np.divmod(x, abs(y) + 1),
    "modf": lambda x, y: np.modf(x * 1.5),
    "two outs": lambda x, y: np.modf(x, out=(np.zeros_like(x), np.zeros_like(x))),
    "one of two outs": lambda x, y: np.modf(x, out=(None, np.zeros_like(x))),
    "matmul": lambda x, y: np.matmul(x, y.T),
    "vecdot": lambda x, y: np.vecdot(x, y),
    "matvec": lambda x, y: np.matvec(x, y[0]),
    "vecmat": lambda x, y: np.vecmat(x[:, :3], np.stack([y[:3]] * 4)),
    "degrees": lambda x, y: np.degrees(x, out=np.zeros_like(x)),
    "radians": lambda x, y: np.radians(x),
    "spacing": lambda x, y: np.spacing(x, where=y > 0, out=np.zeros_like(x)),
    "scalars into out": lambda x, y: np.add(np.float32(0.1), 0.2, out=np.zeros_like(x)),
    "Python's scalars into out": lambda x, y: np.subtract(1, 2.5, out=np.zeros_like(x), where=y > 0),
    "scalars into two outs": lambda x, y: np.divmod(7, 3, out=(np.zeros_like(x), np.zeros_like(x))),
    "lists into out": lambda x, y: np.multiply([1, 2, 3, 4, 5], 2, out=np.zeros_like(x)),
    "bitwise_count": lambda x, y: np.bitwise_count(x.astype("int16") * 77, out=np.zeros_like(y)),
    "matmul, out": lambda x, y: np.matmul(x, y.T, out=np.zeros_like(x @ y.T)),
}


@pytest.mark.parametrize("call", CALLS)
def test_ufunc_calls(device: da.Device, call: str) -> None:
    skip_without("float64")
    check(CALLS[call], moderate("float32", (4, 5), 1), moderate("float32", (4, 5), 2))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["add", "multiply", "maximum", "logical_or"])
def test_reduce_of_every_dtype(device: da.Device, name: str, dtype: str) -> None:
    skip_without(dtype)
    x = moderate(dtype, (6, 4))
    check(lambda a: getattr(np, name).reduce(a), x, ulp=8 if dtype in FLOATS + COMPLEX else 0)
    check(
        lambda a: getattr(np, name).reduce(a, axis=None, keepdims=True), x, ulp=16 if dtype in FLOATS + COMPLEX else 0
    )


def test_modf_of_specials(device: da.Device) -> None:
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.5, -1.5, -2.0, 1e30], np.float32)
    check(np.modf, x, ulp=0)


@pytest.mark.parametrize("dtype", ["int8", "int32", *FLOATS])
def test_frexp_and_ldexp_are_exact(device: da.Device, dtype: str) -> None:
    skip_without(dtype, "float64")
    x = values(dtype, 80)
    if dtype in FLOATS:
        info = np.finfo(dtype)
        tiny = [info.smallest_subnormal, 3 * info.smallest_subnormal, info.tiny, 0.0, -0.0, np.inf, -np.inf, np.nan]
        x = np.concatenate([x, np.array([*tiny, info.max, 1.0, -0.75, 1 + info.eps], dtype)])
    check(np.frexp, x, ulp=0)
    check(np.ldexp, x, np.random.default_rng(6).integers(-2200, 2200, x.size), ulp=0)
    for n in (0, 1, -1, -13, 20, -60, -140, -1000, 10**6):
        check(np.ldexp, x, np.full(x.size, n), ulp=0)
        check(lambda a, n=n: np.ldexp(a, n), x, ulp=0)
    check(lambda a: np.ldexp(*np.frexp(a)), x, ulp=0)
    check(lambda a: np.frexp(a, out=(np.zeros_like(a, dtype="f8"), np.zeros_like(a, dtype="i8"))), x, ulp=0)
    with pytest.raises(TypeError, match="exponents are integers"):
        np.ldexp(da.asarray(x), da.ones(x.size))


@overrides.array_function_dispatch(lambda x: (x,), module="numpy")
def of_a_later_numpy(x: Any) -> Any:
    return x


H = np.ones(3)

WRONG: dict[str, tuple[Body, str]] = {
    "a NumPy array as out": (lambda x: np.add(x, x, out=np.ones(3)), "out="),
    "a NumPy array in place": (lambda x: np.ones(3).__iadd__(x), "out="),
    "a NumPy array in place, of a scalar and an array": (lambda x: np.add(x, x[0], out=np.ones(3)), "out="),
    "a NumPy array as out, where a device array says": (lambda x: np.add(H, 1, out=H.copy(), where=x > 0), "out="),
    "a NumPy array to write to": (lambda x: np.add.at(H, da.asarray([0]), 1), "add.at .* Array, not to ndarray"),
    "a NumPy array to write values to": (lambda x: np.add.at(H, [0, 1, 2], x), "add.at .* Array, not to ndarray"),
    "a NumPy array to write to alone": (lambda x: np.negative.at(H, da.asarray([0])), "negative.at .* Array, not"),
    "a cast that loses": (lambda x: np.add(x, x, out=np.zeros_like(x, dtype=np.int32)), "same_kind"),
    "a dtype that loses": (lambda x: np.add(x, x, dtype=np.int32), "same_kind"),
    "no kernel": (lambda x: np.isnat(x), "numpy.isnat has no device kernel"),
    "no method": (lambda x: np.ldexp.at(x, [0], 1), "numpy.ldexp.at has no device kernel"),
    "no reduction": (lambda x: np.less.reduce(x * 1.0), "numpy.less.reduce: "),
    "no accumulation": (lambda x: np.less.accumulate(x * 1.0), "numpy.less.accumulate: "),
    "no function": (lambda x: of_a_later_numpy(x), "numpy.of_a_later_numpy has no devarray function"),
    "no parameter": (lambda x: np.add(x, x, extobj=[1]), "extobj"),
}


def test_host_arrays_take_scalars_of_the_device_in_place(device: da.Device) -> None:
    x = da.arange(4.0)
    host = np.zeros(3)
    host += x.sum()
    host *= x[2]
    np.maximum(x[0], host, out=host)
    assert host.tolist() == [12.0] * 3


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused_names_it_and_copies_nothing(device: da.Device, case: str) -> None:
    body, message = WRONG[case]
    x = da.ones(3, da.float32)
    x.evaluate()
    with pytest.raises(TypeError, match=message):
        body(x)


def test_host_arrays_are_written_to_where_that_is_allowed(device: da.Device) -> None:
    x = da.asarray([0.0, 1.0, 2.0])
    with da.use(fallback="allow"):
        host = np.zeros(3)
        np.add.at(host, da.asarray([0, 0, 1]), x + 1)
        assert host.tolist() == [3.0, 3.0, 0.0]
        np.add(host, 1, out=host, where=x > 0)
        assert host.tolist() == [3.0, 4.0, 1.0]
    for write in (
        lambda host, x: np.place(host, x > 0, x),
        lambda host, x: np.put(host, [2, 0], x),
        lambda host, x: np.putmask(host, x > 1, x),
        lambda host, x: np.copyto(host, x, where=x < 2),
        lambda host, x: np.put_along_axis(host, np.asarray([0, 2]), x[:2], 0),
    ):
        theirs, ours = np.full(3, 9.0), np.full(3, 9.0)
        write(theirs, np.asarray([0.0, 1.0, 2.0]))
        with da.use(fallback="allow"):
            write(ours, x)
        assert ours.tolist() == theirs.tolist()
        with pytest.raises(TypeError):
            write(np.zeros(3), x)
    np.add(host, 1, out=host, where=x[1] > 0)  # a number, as float() reads it
    assert host.tolist() == [4.0, 5.0, 2.0]


class Metres(np.ndarray):
    """An array with a unit, which what is made of it keeps."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *given: Any, **named: Any) -> Any:
        plain = (x.view(np.ndarray) if isinstance(x, Metres) else x for x in given)
        return "m", getattr(ufunc, method)(*plain, **named)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return "m", func.__name__


@pytest.mark.parametrize("operation", [operator.add, operator.mul, operator.lt, operator.pow, operator.matmul, np.add])
@pytest.mark.parametrize("first", [True, False])
def test_classes_of_numpys_arrays_with_ufuncs_of_their_own_are_asked(
    device: da.Device, operation: Any, first: bool
) -> None:
    def body(xp: Any) -> Any:
        operands = xp.asarray(H), np.arange(3.0).view(Metres)
        unit, result = operation(*(operands if first else operands[::-1]))
        assert unit == "m"
        return result

    same(body(da), body(np))
    assert np.concatenate([da.asarray(H), np.arange(3.0).view(Metres)]) == ("m", "concatenate")
    with pytest.raises(TypeError, match="not Metres"):
        da.add(da.asarray(H), np.arange(3.0).view(Metres))


def test_out_of_a_wrong_shape(device: da.Device) -> None:
    x = da.ones((2, 3))
    with pytest.raises(ValueError, match=r"\(3,\) doesn.t match the broadcast shape \(2, 3\)"):
        np.add(x, x, out=da.ones(3))


def test_the_waits_are_those_of_our_functions(device: da.Device) -> None:
    x = da.ones((8, 8), da.float32)
    da.config.forbid_waits = True
    try:
        y = np.concatenate([np.sqrt(x), np.add.reduce(x, keepdims=True)])
        y = np.clip(np.where(y > 1, y, 0), 0, 2).sum()
    finally:
        da.config.forbid_waits = False
    assert float(y) == 16


# --- where NumPy and the standard disagree: docs/differences.md ----------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
def test_floor_divide_with_infinities(device: da.Device, dtype: str) -> None:
    skip_without(dtype)
    inf = np.inf
    a = np.array([inf, inf, -inf, -inf, inf, -inf, 3, -3, 3, -3, inf, -inf], dtype)
    b = np.array([2, -2, 2, -2, inf, inf, inf, inf, -inf, -inf, 0, 0], dtype)
    x, y = da.asarray(a), da.asarray(b)
    with silent():
        numpys = np.floor_divide(a, b)
    same(np.floor_divide(x, y), numpys)
    same(np.divmod(x, y)[0], numpys)
    standards = np.array([inf, -inf, -inf, inf, np.nan, np.nan, 0, -0.0, -0.0, 0, inf, -inf], dtype)
    same(da.floor_divide(x, y), standards)
    same(x // y, standards)
    x //= y
    same(x, standards)
    close(da.floor_divide(da.asarray(a), 2.0), np.where(np.isinf(a), a, np.floor(a / 2)), 0)


def test_an_array_is_no_scalar_to_code_in_c() -> None:
    """By the protocol of sequences: pandas says False of every scalar that is not missing."""
    pandas = pytest.importorskip("pandas")
    x = da.asarray([1.0, np.nan])
    with pytest.raises(da.errors.DTypeError, match=r"copy_to_host\(\)"):
        pandas.isnull(x)
    assert not pandas.api.types.is_scalar(x)
