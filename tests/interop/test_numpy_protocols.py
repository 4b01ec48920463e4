"""NumPy's ufuncs and functions called on device arrays: the same calls as on NumPy's arrays, with NumPy's results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from calls_of_mathematics import CALLS as CALLS_OF_MATHEMATICS
from numpy_cases import CASES
from oracle import COMPLEX, DTYPES, FLOATS, close, host, moderate, same, silent, skip_without, values

import devarray as da
from devarray.interop.numpy_functions import names
from devarray.ops.table import OPS

UFUNCS = sorted({op.ufunc for op in OPS.values() if isinstance(getattr(np, op.ufunc, None), np.ufunc)})
Body = Callable[..., Any]


def both(body: Body, *arrays: np.ndarray) -> tuple[Any, Any]:
    """The same calls of numpy.* on device arrays and on NumPy's."""
    ours = body(*(da.asarray(a) for a in arrays))
    with silent():
        wanted = body(*(a.copy() for a in arrays))
    return ours, wanted


def check(body: Body, *arrays: np.ndarray, ulp: float = 8) -> None:
    compare(*both(body, *arrays), ulp)


def compare(ours: Any, wanted: Any, ulp: float) -> None:
    if isinstance(wanted, tuple | list):
        assert len(ours) == len(wanted)
        for mine, theirs in zip(ours, wanted, strict=True):
            compare(mine, theirs, ulp)
    elif isinstance(wanted, bool | int | str | np.dtype | type):
        assert ours == wanted
    else:
        assert isinstance(ours, da.Array)
        # Sums are ordered differently: the bound is relative to the largest element.
        size = float(np.nanmax(np.abs(np.where(np.isfinite(wanted), wanted, 0)), initial=1)) if ulp else 1
        if ulp and wanted.dtype.kind in "fc":
            assert ours.shape == wanted.shape
            assert ours.dtype == wanted.dtype
            np.testing.assert_allclose(
                host(ours), wanted, rtol=0, atol=ulp * 16 * np.finfo(wanted.dtype).eps * size, equal_nan=True
            )
        else:
            same(ours, wanted)


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


WRONG: dict[str, tuple[Body, str]] = {
    "a NumPy array as out": (lambda x: np.add(x, x, out=np.ones(3)), "out="),
    "a NumPy array in place": (lambda x: np.ones(3).__iadd__(x), "out="),
    "a cast that loses": (lambda x: np.add(x, x, out=np.zeros_like(x, dtype=np.int32)), "same_kind"),
    "a dtype that loses": (lambda x: np.add(x, x, dtype=np.int32), "same_kind"),
    "no kernel": (lambda x: np.isnat(x), "numpy.isnat has no device kernel"),
    "no method": (lambda x: np.power.at(x, [0], 1), "numpy.power.at has no device kernel"),
    "no reduction": (lambda x: np.less.reduce(x * 1.0), "numpy.less.reduce: "),
    "no accumulation": (lambda x: np.less.accumulate(x * 1.0), "numpy.less.accumulate: "),
    "no function": (lambda x: np.datetime_as_string(x), "numpy.datetime_as_string has no devarray function"),
    "no parameter": (lambda x: np.add(x, x, extobj=[1]), "extobj"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_refused_names_it_and_copies_nothing(device: da.Device, case: str) -> None:
    body, message = WRONG[case]
    x = da.ones(3, da.float32)
    x.evaluate()
    with pytest.raises(TypeError, match=message):
        body(x)


def test_out_of_a_wrong_shape(device: da.Device) -> None:
    x = da.ones((2, 3))
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(3,\)"):
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


# --- functions -----------------------------------------------------------------------------------------------------

X, Y = moderate("float32", (4, 6), 1), moderate("float32", (4, 6), 2)
K, L = moderate("int32", (4, 6), 3), moderate("int32", (4, 6), 4)
Z = moderate("complex64", (4, 6), 5)
SQUARE = (X[:, :4] @ X[:, :4].T + 20 * np.eye(4, dtype=np.float32)).astype(np.float32)

FUNCTIONS: dict[str, list[tuple[Body, tuple[np.ndarray, ...]]]] = {}


def case(name: str, *arrays: np.ndarray) -> Callable[[Body], Body]:
    def note(body: Body) -> Body:
        FUNCTIONS.setdefault(name, []).append((body, arrays))
        return body

    return note


def cases(name: str, arrays: tuple[np.ndarray, ...], *bodies: Body) -> None:
    FUNCTIONS.setdefault(name, []).extend((body, arrays) for body in bodies)


for _name in ("sum", "prod", "max", "min", "amax", "amin"):
    _f = getattr(np, _name)
    cases(
        _name,
        (X, Y),
        lambda x, y, f=_f: f(x),
        lambda x, y, f=_f: f(x, 1),
        lambda x, y, f=_f: f(x, axis=(0, 1), keepdims=True),
        lambda x, y, f=_f: f(x, axis=0, out=np.zeros_like(x[0])),
        lambda x, y, f=_f: f(x, axis=1, initial=2.0),
        lambda x, y, f=_f: f(x, axis=1, initial=2.0, where=y > 0),
        lambda x, y, f=_f: f(x[:0], axis=0, initial=3.0),
    )
    cases(_name, (K, L), lambda x, y, f=_f: f(x), lambda x, y, f=_f: f(x, 0, initial=2, where=y > 0))
cases("sum", (X,), lambda x: np.sum(x, dtype=np.float64), lambda x: np.sum(x, 0, np.float64))
for _name in ("all", "any"):
    _f = getattr(np, _name)
    cases(
        _name,
        (K > 0, L > 0),
        lambda x, y, f=_f: f(x),
        lambda x, y, f=_f: f(x, 1, keepdims=True),
        lambda x, y, f=_f: f(x, axis=0, where=y),
    )
for _name in ("mean", "std", "var"):
    _f = getattr(np, _name)
    cases(_name, (X,), lambda x, f=_f: f(x), lambda x, f=_f: f(x, 1), lambda x, f=_f: f(x, axis=0, keepdims=True))
    cases(_name, (X,), lambda x, f=_f: f(x, axis=0, out=np.zeros_like(x[0])), lambda x, f=_f: f(x, dtype=np.float64))
    cases(_name, (K,), lambda x, f=_f: f(x, axis=1))
for _name in ("mean", "std", "var"):
    _f = getattr(np, _name)
    for _arrays in ((X, Y), (K, L), (Z, Y)):
        cases(_name, _arrays, lambda x, y, f=_f: f(x, axis=1, where=y > -2), lambda x, y, f=_f: f(x, where=y[0] > -2))
    cases(_name, (X, Y), lambda x, y, f=_f: f(x, 0, np.float64, keepdims=True, where=y > -2))
cases("std", (X, Y), lambda x, y: np.std(x, 1, ddof=1, mean=np.mean(x, 1, keepdims=True)))
cases("var", (X, Y), lambda x, y: np.var(x, 0, where=y > -2, correction=1, mean=y[:1]), lambda x, y: np.var(x, ddof=30))
cases("std", (X,), lambda x: np.std(x, ddof=1), lambda x: np.std(x, axis=0, correction=1))
cases("var", (X,), lambda x: np.var(x, 0, ddof=1), lambda x: np.var(x, correction=2))
cases("ptp", (X,), np.ptp, lambda x: np.ptp(x, 1))
cases(
    "count_nonzero", (K,), lambda x: np.count_nonzero(x, axis=0), lambda x: np.count_nonzero(x, axis=1, keepdims=True)
)
for _name in ("cumsum", "cumprod"):
    _f = getattr(np, _name)
    cases(_name, (X,), lambda x, f=_f: f(x), lambda x, f=_f: f(x, 1), lambda x, f=_f: f(x, 0, np.float64))
    cases(_name, (K,), lambda x, f=_f: f(x, axis=0), lambda x, f=_f: f(x, axis=0, out=np.zeros_like(x, dtype="i8")))
cases("cumulative_sum", (X,), lambda x: np.cumulative_sum(x, axis=1, include_initial=True))
cases("cumulative_prod", (X,), lambda x: np.cumulative_prod(x, axis=0))
cases("diff", (X,), np.diff, lambda x: np.diff(x, 2), lambda x: np.diff(x, axis=0, prepend=0.0, append=x[:1]))

for _name in ("argmax", "argmin"):
    _f = getattr(np, _name)
    cases(_name, (X,), lambda x, f=_f: f(x), lambda x, f=_f: f(x, 1), lambda x, f=_f: f(x, axis=0, keepdims=True))
for _name in ("sort", "argsort"):
    _f = getattr(np, _name)
    cases(
        _name,
        (X,),
        lambda x, f=_f: f(x, kind="stable"),
        lambda x, f=_f: f(x, 0),
        lambda x, f=_f: f(x, axis=None),
        lambda x, f=_f: f(x, stable=True),
    )
cases("argwhere", (K,), np.argwhere)
cases("nonzero", (K,), np.nonzero)
cases("flatnonzero", (K,), np.flatnonzero)
cases(
    "where",
    (X, Y),
    lambda x, y: np.where(x > 0, x, y),
    lambda x, y: np.where(x > 0),
    lambda x, y: np.where(x > 0, 1, y),
)
cases(
    "take",
    (X, abs(L) % 4),
    lambda x, i: np.take(x, i),
    lambda x, i: np.take(x, i[0], 1),
    lambda x, i: np.take(x, 2, axis=0),
)
cases(
    "take_along_axis",
    (X, abs(L) % 4),
    lambda x, i: np.take_along_axis(x, i, 0),
    lambda x, i: np.take_along_axis(x, i, axis=1),
)
cases(
    "searchsorted", (np.sort(X[0]), Y), lambda s, x: np.searchsorted(s, x), lambda s, x: np.searchsorted(s, x, "right")
)
cases("isin", (K, L[0]), lambda x, y: np.isin(x, y), lambda x, y: np.isin(x, y, invert=True, assume_unique=False))
cases("unique", (K,), np.unique, lambda x: np.unique(x, return_counts=True), lambda x: np.unique(x, True, True, True))
cases("unique_values", (K,), lambda x: np.sort(np.unique_values(x)))
for _name in ("unique_counts", "unique_inverse", "unique_all"):
    cases(_name, (K,), getattr(np, _name))


@case("put_along_axis", X, abs(L[:, :1]) % 6)
def _(x: Any, i: Any) -> Any:
    np.put_along_axis(x, i, 7, 1)
    return x


@case("copyto", X, Y)
def _(x: Any, y: Any) -> Any:
    np.copyto(x, y, where=y > 0)
    return x


cases("concatenate", (X, Y), lambda x, y: np.concatenate([x, y]), lambda x, y: np.concatenate((x, y), 1))
cases(
    "concatenate",
    (X, K),
    lambda x, y: np.concatenate((x, y), axis=None),
    lambda x, y: np.concatenate([x, y], dtype="f4", casting="unsafe"),
)
cases("linspace", (X,), lambda x: np.linspace(x[0, 0], x[0, 1], 5))
cases("concat", (X, Y), lambda x, y: np.concat([x, y], axis=1))
cases("concatenate", (X, Y), lambda x, y: np.concatenate([x, y], out=np.zeros_like(x, shape=(8, 6))))
cases(
    "stack",
    (X, Y),
    lambda x, y: np.stack([x, y]),
    lambda x, y: np.stack([x, y], -1),
    lambda x, y: np.stack([x, y], axis=1, dtype="f8"),
)
for _name in ("hstack", "vstack", "dstack", "column_stack"):
    _f = getattr(np, _name)
    cases(_name, (X, Y), lambda x, y, f=_f: f([x, y]), lambda x, y, f=_f: f((x[0], y[0])))
cases("append", (X, Y), np.append, lambda x, y: np.append(x, y, axis=0), lambda x, y: np.append(x, [1.0, 2.0]))
cases("unstack", (X,), np.unstack, lambda x: np.unstack(x, axis=1))
cases("split", (X,), lambda x: np.split(x, 2), lambda x: np.split(x, [1, 4], axis=1))
cases(
    "reshape",
    (X,),
    lambda x: np.reshape(x, (6, 4)),
    lambda x: np.reshape(x, -1, order="F"),
    lambda x: np.reshape(x, (3, 8), "C"),
)
cases("ravel", (X,), np.ravel, lambda x: np.ravel(x, "F"))
cases("transpose", (X,), np.transpose, lambda x: np.transpose(x, (1, 0)))
cases("permute_dims", (X,), lambda x: np.permute_dims(x, (1, 0)))
cases("matrix_transpose", (X,), np.matrix_transpose)
cases("swapaxes", (X,), lambda x: np.swapaxes(x, 0, -1))
cases("moveaxis", (X,), lambda x: np.moveaxis(x, 0, 1))
cases("squeeze", (X[:1],), np.squeeze, lambda x: np.squeeze(x, 0))
cases("expand_dims", (X,), lambda x: np.expand_dims(x, 1), lambda x: np.expand_dims(x, axis=(0, 2)))
cases("broadcast_to", (X,), lambda x: np.broadcast_to(x, (2, 4, 6)))
cases("broadcast_arrays", (X, Y), lambda x, y: np.broadcast_arrays(x, y[:1]))
cases("flip", (X,), np.flip, lambda x: np.flip(x, 1), lambda x: np.flip(x, axis=(0, 1)))
cases("fliplr", (X,), np.fliplr)
cases("flipud", (X,), np.flipud)
cases("rot90", (X,), *(lambda x, k=k: np.rot90(x, k) for k in range(-1, 4)), lambda x: np.rot90(x, 1, (1, 0)))
cases("roll", (X,), lambda x: np.roll(x, 2), lambda x: np.roll(x, 1, 1), lambda x: np.roll(x, (1, 2), axis=(0, 1)))
cases("repeat", (X,), lambda x: np.repeat(x, 2), lambda x: np.repeat(x, 3, 1), lambda x: np.repeat(x, 2, axis=0))
cases("tile", (X,), lambda x: np.tile(x, 2), lambda x: np.tile(x, (2, 1, 2)))
for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    _f = getattr(np, _name)
    cases(_name, (X,), lambda x, f=_f: f(x), lambda x, f=_f: f(x[0], x[0, 0], x))
cases("pad", (X,), lambda x: np.pad(x, 2), lambda x: np.pad(x, ((1, 2), (0, 3)), "edge"))
cases("pad", (X,), lambda x: np.pad(x, 1, constant_values=3), lambda x: np.pad(x, 3, "reflect", reflect_type="odd"))
cases(
    "apply_along_axis", (X,), lambda x: np.apply_along_axis(np.sum, 0, x), lambda x: np.apply_along_axis(np.sort, 1, x)
)
cases("apply_along_axis", (X,), lambda x: np.apply_along_axis(np.clip, 0, x, -1, a_max=1))
cases("tril", (X,), np.tril, lambda x: np.tril(x, 1))
cases("triu", (X,), np.triu, lambda x: np.triu(x, k=-1))
cases("copy", (X,), np.copy, lambda x: np.copy(x.T, order="C"))
cases("meshgrid", (X[0], Y[0]), lambda x, y: np.meshgrid(x, y), lambda x, y: np.meshgrid(x, y, indexing="ij"))

cases("zeros_like", (X,), np.zeros_like, lambda x: np.zeros_like(x, np.int16), lambda x: np.zeros_like(x, shape=(2, 2)))
cases("ones_like", (X,), np.ones_like, lambda x: np.ones_like(x, dtype=bool, order="C", subok=False))
cases("full_like", (K,), lambda x: np.full_like(x, 7), lambda x: np.full_like(x, 1.5, dtype=np.float32, shape=3))
cases("empty_like", (X,), lambda x: np.empty_like(x).shape, lambda x: np.empty_like(x, np.int8).dtype)
cases("astype", (X,), lambda x: np.astype(x, np.int32), lambda x: np.astype(x, np.float32, copy=True))

cases(
    "clip",
    (X, Y),
    lambda x, y: np.clip(x, -1, 1),
    lambda x, y: np.clip(x, None, y),
    lambda x, y: np.clip(x, y, None),
    lambda x, y: np.clip(x, min=y[0]),
    lambda x, y: np.clip(x, -1, 1, out=np.zeros_like(x)),
)
cases("round", (X,), np.round, lambda x: np.round(x, 2), lambda x: np.round(x, 1, out=np.zeros_like(x)))
cases("real", (Z,), np.real)
cases("imag", (Z,), np.imag)
cases(
    "isclose",
    (X, Y),
    lambda x, y: np.isclose(x, x + 1e-6),
    lambda x, y: np.isclose(x, y, atol=2),
    lambda x, y: np.isclose(x, 0.5),
)
cases("isclose", (values("float32"), values("float32")), lambda x, y: np.isclose(x, y, equal_nan=True), np.isclose)
cases("allclose", (X, Y), np.allclose, lambda x, y: np.allclose(x, x + 1e-7))
cases("array_equal", (X, Y), np.array_equal, lambda x, y: np.array_equal(x, x), lambda x, y: np.array_equal(x, y[:1]))
cases(
    "array_equal", (values("float32"),), lambda x: np.array_equal(x, x), lambda x: np.array_equal(x, x, equal_nan=True)
)
cases("iscomplexobj", (Z,), np.iscomplexobj)
cases("isrealobj", (Z,), np.isrealobj)
cases("isdtype", (X,), lambda x: np.isdtype(x.dtype, "real floating"))
cases("can_cast", (X,), lambda x: np.can_cast(x.dtype, np.int32), lambda x: np.can_cast(x.dtype, np.float64))
cases(
    "result_type", (X, K), np.result_type, lambda x, i: np.result_type(x, 1.0), lambda x, i: np.result_type(i, np.int8)
)
cases("shape", (X,), np.shape)
cases("ndim", (X,), np.ndim)
cases("size", (X,), np.size, lambda x: np.size(x, 1))
cases("shares_memory", (X, Y), np.shares_memory, lambda x, y: np.shares_memory(x, x[1:]))
cases("may_share_memory", (X, Y), np.may_share_memory, lambda x, y: np.may_share_memory(x, x[1:]))

cases("dot", (X, Y), lambda x, y: np.dot(x, y.T), lambda x, y: np.dot(x[0], y[0]), lambda x, y: np.dot(x, 2.0))
cases("inner", (X, Y), np.inner)
cases("vdot", (Z,), lambda z: np.vdot(z, z))
cases("kron", (X, Y), np.kron)
cases("cross", (X[:, :3], Y[:, :3]), np.cross)
cases("tensordot", (X, Y), lambda x, y: np.tensordot(x, y), lambda x, y: np.tensordot(x, y, axes=([1], [1])))
cases("einsum", (X, Y), lambda x, y: np.einsum("ij,kj->ik", x, y), lambda x, y: np.einsum("ij,ij", x, y, optimize=True))
cases(
    "einsum",
    (X, Y),
    lambda x, y: np.einsum(x, [0, 1], y, [2, 1], [2, 0]),
    lambda x, y: np.einsum(x, [1, 0], y, [1, 30], optimize="greedy"),
    lambda x, y: np.einsum(x, [..., 0], y, [..., 0], [...]),
)
cases("trace", (np.stack([X, Y]),), np.trace, lambda x: np.trace(x, 1, 1, 2), lambda x: np.trace(x, axis1=2, axis2=0))
cases("diagonal", (np.stack([X, Y]),), np.diagonal, lambda x: np.diagonal(x, 1, 1, 2))
cases("linalg.diagonal", (X,), lambda x: np.linalg.diagonal(x, offset=1))
cases("linalg.trace", (X,), lambda x: np.linalg.trace(x, offset=-1))
cases("linalg.matmul", (X, Y), lambda x, y: np.linalg.matmul(x, y.T))
cases("linalg.outer", (X, Y), lambda x, y: np.linalg.outer(x[0], y[0]))
cases("linalg.cross", (X[:, :3], Y[:, :3]), np.linalg.cross)
cases("linalg.tensordot", (X, Y), lambda x, y: np.linalg.tensordot(x, y, axes=2))
cases("linalg.vecdot", (X, Y), lambda x, y: np.linalg.vecdot(x, y, axis=0))
cases("linalg.matrix_transpose", (X,), np.linalg.matrix_transpose)
cases("linalg.norm", (X,), np.linalg.norm, lambda x: np.linalg.norm(x, 1, axis=0), lambda x: np.linalg.norm(x, "fro"))
cases("linalg.matrix_norm", (X,), np.linalg.matrix_norm)
cases("linalg.vector_norm", (X,), lambda x: np.linalg.vector_norm(x, axis=1, ord=1))
cases("linalg.matrix_power", (SQUARE,), lambda x: np.linalg.matrix_power(x / 20, 3))
cases("linalg.matrix_rank", (SQUARE,), np.linalg.matrix_rank)
cases("linalg.multi_dot", (X, Y), lambda x, y: np.linalg.multi_dot([x, y.T, x]))
cases("linalg.inv", (SQUARE,), np.linalg.inv)
cases("linalg.det", (SQUARE / 20,), np.linalg.det)
cases("linalg.slogdet", (SQUARE,), np.linalg.slogdet)
cases("linalg.solve", (SQUARE, X), np.linalg.solve, lambda a, b: np.linalg.solve(a, b[:, 0]))
cases("linalg.cholesky", (SQUARE,), np.linalg.cholesky, lambda a: np.linalg.cholesky(a, upper=True))
cases("linalg.pinv", (SQUARE,), np.linalg.pinv, lambda a: np.linalg.pinv(a, rcond=1e-3))
cases("linalg.lstsq", (SQUARE, X), lambda a, b: np.linalg.lstsq(a, b)[0])
cases("linalg.qr", (SQUARE,), lambda a: abs(np.linalg.qr(a)[1]), lambda a: abs(np.linalg.qr(a, mode="complete").R))
cases("linalg.svd", (SQUARE,), lambda a: np.linalg.svd(a)[1], lambda a: np.linalg.svd(a, compute_uv=False))
cases("linalg.svdvals", (SQUARE,), np.linalg.svdvals)
cases("linalg.eigvalsh", (SQUARE,), np.linalg.eigvalsh)
cases("linalg.eigh", (SQUARE,), lambda a: np.linalg.eigh(a)[0])
cases("linalg.eigvals", (SQUARE,), lambda a: np.sort(abs(np.linalg.eigvals(a))))
cases("linalg.eig", (SQUARE,), lambda a: np.sort(abs(np.linalg.eig(a).eigenvalues)))
for _name in ("fft", "ifft", "rfft", "ihfft"):
    _f = getattr(np.fft, _name)
    cases(f"fft.{_name}", (X,), lambda x, f=_f: f(x), lambda x, f=_f: f(x, 4, 0), lambda x, f=_f: f(x, norm="ortho"))
for _name in ("irfft", "hfft"):
    _f = getattr(np.fft, _name)
    cases(f"fft.{_name}", (Z,), lambda x, f=_f: f(x), lambda x, f=_f: f(x, n=9, axis=-1))
for _name in ("fftn", "ifftn", "irfftn", "fft2", "ifft2", "irfft2"):
    _f = getattr(np.fft, _name)
    cases(f"fft.{_name}", (Z,), lambda x, f=_f: f(x), lambda x, f=_f: f(x, norm="forward"))
cases("fft.rfftn", (X,), np.fft.rfftn)
cases("fft.rfft2", (X,), np.fft.rfft2)
for _name in ("fftshift", "ifftshift"):
    _f = getattr(np.fft, _name)
    cases(f"fft.{_name}", (X,), lambda x, f=_f: f(x), lambda x, f=_f: f(x, axes=1))

HOLES = np.where(np.arange(X.size).reshape(X.shape) % 4 == 1, np.nan, X)
for _name in ("nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"):
    _f = getattr(np, _name)
    cases(_name, (HOLES,), _f, lambda x, f=_f: f(x, 0), lambda x, f=_f: f(x, axis=1, keepdims=True))
cases("nan_to_num", (HOLES,), np.nan_to_num, lambda x: np.nan_to_num(x, nan=2.0))
cases("array_equiv", (X,), lambda x: np.array_equiv(x, x[:1]), lambda x: np.array_equiv(x, x))
cases("average", (X, abs(Y)), lambda x, w: np.average(x, 0, w), lambda x, w: np.average(x, axis=1))
cases("median", (X,), np.median, lambda x: np.median(x, axis=0), lambda x: np.median(x, 1, keepdims=True))
cases("quantile", (X,), lambda x: np.quantile(x, 0.3), lambda x: np.quantile(x, [0.1, 0.9], axis=0, method="lower"))
cases("percentile", (X,), lambda x: np.percentile(x, 30), lambda x: np.percentile(x, [10, 90], 1))
cases("cov", (X,), np.cov, lambda x: np.cov(x, rowvar=False, ddof=0))
cases("corrcoef", (X,), np.corrcoef)
cases("histogram", (X,), lambda x: np.histogram(x, 4)[0], lambda x: np.histogram(x, bins=3, density=True)[1])
cases(
    "histogram", (X, Y), lambda x, w: np.histogram(x, 4, weights=w), lambda x, w: np.histogram(x, [-3, 0, 5], weights=w)
)
cases("histogram", (X, abs(Y)), lambda x, w: np.histogram(x, 5, (-4, 4), True, w))
cases("histogram", (X, K), lambda x, w: np.histogram(x, 4, weights=w))
cases("bincount", (np.array([3, 1, 3]),), np.bincount, lambda x: np.bincount(x, minlength=6))
cases("digitize", (X,), lambda x: np.digitize(x, [-1.0, 0.0, 2.0]), lambda x: np.digitize(x, [0.0, 1.0], right=True))
cases(
    "lib.stride_tricks.sliding_window_view",
    (X,),
    lambda x: np.lib.stride_tricks.sliding_window_view(x, 2, axis=1),
    lambda x: np.lib.stride_tricks.sliding_window_view(x, (2, 2)).sum(axis=(-1, -2)),
)
for _name, _arrays, _bodies in CALLS_OF_MATHEMATICS:
    cases(_name, _arrays, *_bodies)


def test_every_row_of_the_table_has_a_case() -> None:
    given = set(FUNCTIONS) | set(CASES)
    assert set(FUNCTIONS) - {"isdtype"} <= set(names()) <= given | {"savetxt"}  # not handed on; test_shorthands


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning", "ignore:numpy.fix is deprecated")
def test_functions(device: da.Device, name: str) -> None:
    skip_without("float64")
    for body, arrays in FUNCTIONS[name]:
        check(body, *arrays)


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
