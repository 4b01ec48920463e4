"""NumPy's functions called on device arrays: the same calls as on NumPy's arrays, with NumPy's results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from calls_of_mathematics import CALLS as CALLS_OF_MATHEMATICS
from numpy_cases import CASES
from oracle import moderate, skip_without, values
from protocols import Body, check

import devarray as da
from devarray._namespace import OF_DATES
from devarray.interop.numpy_functions import names

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
    elsewhere = OF_DATES | {"savetxt"}  # test_texts_and_objects; test_shorthands
    assert set(FUNCTIONS) - {"isdtype"} <= set(names()) <= given | elsewhere  # isdtype is not handed on


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings(
    "ignore::devarray.HiddenTransferWarning", "ignore:numpy.fix is deprecated", "ignore:Degrees of freedom"
)
def test_functions(device: da.Device, name: str) -> None:
    skip_without("float64")
    for body, arrays in FUNCTIONS[name]:
        check(body, *arrays)


def test_choose_casts_to_out_as_numpy_does() -> None:
    out = da.empty(2, da.int64)
    assert da.choose([0, 1], [[1.5, 2.5], [3.5, 4.5]], out=out) is out
    assert out.tolist() == np.choose([0, 1], [[1.5, 2.5], [3.5, 4.5]], out=np.empty(2, int)).tolist()


def test_broadcast_arrays_leaves_objects_to_the_host() -> None:
    x, nothing, y = np.broadcast_arrays(da.arange(3), None, [[1.0], [2.0]])
    assert isinstance(x, da.Array) and isinstance(y, da.Array)
    assert nothing.shape == x.shape == y.shape == (2, 3)
    assert nothing[0, 0] is None
    assert x.tolist() == [[0, 1, 2], [0, 1, 2]]
