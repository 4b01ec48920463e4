"""Linear algebra against NumPy: decompositions, equations and norms by what they must satisfy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import check
from matrices import LAPACK, RECTANGLES, STACKS, hermitian, matrices, near, real_of, size
from oracle import host, moderate, same, skip_without

import devarray as da

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning"),
]

# --- decompositions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", LAPACK)
@pytest.mark.parametrize("shape", STACKS)
@pytest.mark.parametrize("upper", [False, True])
def test_cholesky(dtype: str, shape: tuple[int, ...], upper: bool) -> None:
    x = hermitian(dtype, shape, positive=True)
    wanted = np.linalg.cholesky(x, upper=upper)
    ours = da.linalg.cholesky(da.asarray(x), upper=upper)
    near(ours, wanted, dtype, size(x))
    got = host(ours)
    assert not (np.tril(got, -1) if upper else np.triu(got, 1)).any()


@pytest.mark.parametrize("dtype", LAPACK)
@pytest.mark.parametrize("shape", RECTANGLES)
@pytest.mark.parametrize("mode", ["reduced", "complete"])
def test_qr(dtype: str, shape: tuple[int, ...], mode: str) -> None:
    x = matrices(dtype, shape)
    wanted = np.linalg.qr(x, mode=mode)
    ours = da.linalg.qr(da.asarray(x), mode=mode)
    q, r = host(ours.Q), host(ours.R)
    assert (q.shape, r.shape, q.dtype, r.dtype) == (wanted.Q.shape, wanted.R.shape, x.dtype, x.dtype)
    near(q @ r, x, dtype, size(x))
    unit = np.broadcast_to(np.eye(q.shape[-1], dtype=dtype), (*shape[:-2], q.shape[-1], q.shape[-1]))
    near(q.mT.conj() @ q, unit, dtype, q.shape[-1])
    assert not np.tril(r, -1).any()
    near(
        np.diagonal(r, axis1=-2, axis2=-1).imag, np.zeros((*r.shape[:-2], min(r.shape[-2:])), real_of(dtype)), dtype, 0
    )


@pytest.mark.parametrize("dtype", LAPACK)
@pytest.mark.parametrize("shape", STACKS)
def test_eigh(dtype: str, shape: tuple[int, ...]) -> None:
    x = hermitian(dtype, shape)
    values, vectors = da.linalg.eigh(da.asarray(x))
    near(values, np.linalg.eigvalsh(x), dtype, size(x))
    near(da.linalg.eigvalsh(da.asarray(x)), np.linalg.eigvalsh(x), dtype, size(x))
    v = host(vectors)
    assert v.dtype == x.dtype
    near(x @ v, (v * host(values)[..., None, :]).astype(dtype), dtype, size(x))
    near(v.mT.conj() @ v, np.broadcast_to(np.eye(shape[-1], dtype=dtype), shape), dtype, shape[-1])


def test_eigh_reads_the_lower_triangle() -> None:
    x = matrices("float32", (6, 6))
    near(da.linalg.eigvalsh(da.asarray(x)), np.linalg.eigvalsh(x), "float32", size(x))


@pytest.mark.parametrize("dtype", LAPACK)
@pytest.mark.parametrize("shape", STACKS)
def test_eig(dtype: str, shape: tuple[int, ...]) -> None:
    x = matrices(dtype, shape)
    wide = np.result_type(dtype, np.complex64)
    values, vectors = da.linalg.eig(da.asarray(x))
    w, v = host(values), host(vectors)
    assert (w.dtype, v.dtype, w.shape, v.shape) == (wide, wide, shape[:-1], shape)
    near((x @ v).astype(wide), (v * w[..., None, :]).astype(wide), dtype, size(x))
    near(np.linalg.vector_norm(v, axis=-2), np.ones(shape[:-1], real_of(dtype)), dtype, 1)
    wanted = np.linalg.eigvals(x).astype(wide)
    for got in (w, host(da.linalg.eigvals(da.asarray(x)))):
        if got.size:  # in no order: each has a partner
            apart = np.abs(got[..., :, None] - wanted[..., None, :])
            assert apart.min(axis=-1).max() <= 4e4 * np.finfo(dtype).eps * size(x)


@pytest.mark.parametrize("dtype", LAPACK)
@pytest.mark.parametrize("shape", RECTANGLES)
@pytest.mark.parametrize("full", [False, True])
def test_svd(dtype: str, shape: tuple[int, ...], full: bool) -> None:
    x = matrices(dtype, shape)
    wanted = np.linalg.svd(x, full_matrices=full)
    ours = da.linalg.svd(da.asarray(x), full_matrices=full)
    u, s, vh = map(host, ours)
    assert (u.shape, s.shape, vh.shape) == tuple(part.shape for part in wanted)
    near(s, wanted.S, dtype, size(x))
    near(da.linalg.svdvals(da.asarray(x)), wanted.S, dtype, size(x))
    decomposes(u, s, vh, x)


def decomposes(u: np.ndarray, s: np.ndarray, vh: np.ndarray, x: np.ndarray) -> None:
    """The product is the matrix, and the vectors are orthonormal."""
    dtype, k = x.dtype.name, s.shape[-1]
    near((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], x, dtype, size(x))
    for unitary in (u.mT.conj() @ u, vh @ vh.mT.conj()):
        near(unitary, np.broadcast_to(np.eye(unitary.shape[-1], dtype=dtype), unitary.shape), dtype, unitary.shape[-1])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 40, 33), (33, 70), (200, 40)])
@pytest.mark.parametrize("rank", [0, 1, 3])
@pytest.mark.parametrize("full", [False, True])
def test_svd_of_deficient_matrices(dtype: str, shape: tuple[int, ...], rank: int, full: bool) -> None:
    """Vectors of singular values that are 0 are orthonormal, too."""
    left, right = matrices(dtype, (*shape[:-1], rank)), matrices(dtype, (*shape[:-2], rank, shape[-1]))
    x = left @ right
    u, s, vh = map(host, da.linalg.svd(da.asarray(x), full_matrices=full))
    near(s, np.linalg.svd(x).S, dtype, size(x))
    decomposes(u, s, vh, x)


# --- equations ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", LAPACK)
@pytest.mark.parametrize("shape", STACKS)
def test_determinants_and_inverses(dtype: str, shape: tuple[int, ...]) -> None:
    x = hermitian(dtype, shape, positive=True)
    a = da.asarray(x)
    sign, log = np.linalg.slogdet(x)
    ours = da.linalg.slogdet(a)
    near(ours.sign, sign, dtype, 4)
    near(ours.logabsdet, log, dtype, shape[-1] * 4 + 1)
    if shape[-1] < 10:
        wanted = np.linalg.det(x)
        near(da.linalg.det(a), wanted, dtype, float(np.max(np.abs(wanted), initial=1)) * 16)
    inverse = np.linalg.inv(x)
    near(da.linalg.inv(a), inverse, dtype, size(inverse) * size(x))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_determinants_have_signs(dtype: str) -> None:
    x = matrices(dtype, (5, 4, 4))
    near(da.linalg.det(da.asarray(x)), np.linalg.det(x), dtype, 1e3)
    near(da.linalg.slogdet(da.asarray(x)).sign, np.linalg.slogdet(x).sign, dtype, 8)


def test_determinants_of_singular_matrices() -> None:
    x = da.asarray(np.array([[[1, 2], [2, 4]], [[0, 0], [0, 0]]], np.float32))
    assert host(da.linalg.det(x)).tolist() == [0, 0]
    sign, log = da.linalg.slogdet(x)
    assert (host(sign).tolist(), host(log).tolist()) == ([0, 0], [-np.inf, -np.inf])


@pytest.mark.parametrize(("dtype", "other"), [("float32", "int8"), ("float32", "bool"), ("complex64", "uint8")])
def test_integers_count_as_float64_beside_other_dtypes(dtype: str, other: str) -> None:
    skip_without("float64")
    a, b = 4 * np.eye(2, dtype=dtype), np.eye(2, dtype=other)
    same(da.linalg.solve(da.asarray(a), da.asarray(b)), np.linalg.solve(a, b))
    assert da.linalg.lstsq(da.asarray(a), da.asarray(b))[0].dtype == np.linalg.lstsq(a, b)[0].dtype


@pytest.mark.parametrize("dtype", LAPACK)
@pytest.mark.parametrize(
    "shapes",
    [((4, 4), (4,)), ((4, 4), (4, 3)), ((3, 4, 4), (3, 4, 2)), ((3, 4, 4), (4,)), ((4, 4), (5, 4, 2)), ((0, 0), (0, 3)),
     ((2, 1, 3, 3), (4, 3, 1)), ((30, 30), (30, 30))],
)  # fmt: skip
def test_solve(dtype: str, shapes: Any) -> None:
    a, b = hermitian(dtype, shapes[0], positive=True), matrices(dtype, shapes[1], 1)
    wanted = np.linalg.solve(a, b)
    near(da.linalg.solve(da.asarray(a), da.asarray(b)), wanted, dtype, size(np.linalg.inv(a)) * size(a) * size(b))


def test_singular_and_square() -> None:
    singular, oblong = da.asarray(np.float32([[1, 2], [2, 4]])), da.ones((2, 3))
    for call in (da.linalg.inv, lambda x: da.linalg.solve(x, da.asarray(np.float32([1, 2])))):
        with pytest.raises(da.linalg.LinAlgError, match=r"[Ss]ingular"):
            call(singular)
    with pytest.raises(np.linalg.LinAlgError, match="positive definite"):
        da.linalg.cholesky(-singular)
    for name in ("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "slogdet"):
        with pytest.raises(np.linalg.LinAlgError, match="2 rows and 3 columns"):
            getattr(da.linalg, name)(oblong)
        with pytest.raises(np.linalg.LinAlgError, match="at least two-dimensional"):
            getattr(da.linalg, name)(oblong[0])
    with pytest.raises(da.DTypeError, match="float16"):
        da.linalg.inv(da.ones((2, 2), dtype="float16"))


def test_integers_are_decomposed_in_float64() -> None:
    skip_without("float64")
    x = np.array([[4, 2], [2, 3]])
    near(da.linalg.inv(da.asarray(x)), np.linalg.inv(x), "float64", 4)
    assert da.linalg.svdvals(da.asarray(x)).dtype == np.float64


def test_operands_are_not_changed() -> None:
    x = hermitian("float32", (3, 5, 5), positive=True)
    a = da.asarray(x)
    for name in ("cholesky", "det", "eig", "eigh", "eigvalsh", "inv", "pinv", "qr", "slogdet", "svd", "svdvals"):
        getattr(da.linalg, name)(a)
        same(a, x, name)


@pytest.mark.parametrize("name", ["cholesky", "inv", "eigvalsh", "svdvals", "det"])
def test_views_are_decomposed(name: str) -> None:
    x = hermitian("float32", (4, 6, 6), positive=True)
    a = da.asarray(x)
    for view in (lambda x: x[::2], lambda x: x[:, ::2, ::2], lambda x: x[::-1].mT, lambda x: x[1:2, ::-1, ::-1]):
        wanted = getattr(np.linalg, name)(view(x))
        near(getattr(da.linalg, name)(view(a)), wanted, "float32", size(x) * (1e3 if name == "det" else 4) * 6)


# --- ranks, pseudo-inverses, norms ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", LAPACK)
@pytest.mark.parametrize("shape", RECTANGLES)
def test_pinv_and_rank(dtype: str, shape: tuple[int, ...]) -> None:
    x = matrices(dtype, shape)
    if min(shape[-2:]) > 2:
        x[..., 2] = x[..., 0] + x[..., 1]
    a = da.asarray(x)
    # NumPy's reductions over no singular values raise
    rank = np.linalg.matrix_rank(x) if min(shape[-2:]) else np.zeros(shape[:-2], np.int64)
    same(da.linalg.matrix_rank(a), rank)
    p = host(da.linalg.pinv(a))
    wanted = np.linalg.pinv(x, rtol=max(shape[-2:]) * np.finfo(dtype).eps) if x.size else np.zeros_like(x.mT)
    near(p, wanted, dtype, size(wanted) * size(x))


def test_rank_by_tolerance() -> None:
    x = da.asarray(np.diag(np.float32([1, 0.1, 0.01])))
    assert int(da.linalg.matrix_rank(x, rtol=0.05)) == 2
    stacked = da.stack([x, x])
    rtol = da.asarray(np.float32([0.05, 0.5]))
    assert host(da.linalg.matrix_rank(stacked, rtol=rtol)).tolist() == [2, 1]
    near(da.linalg.pinv(stacked, rtol=rtol)[1], np.diag(np.float32([1, 0, 0])), "float32")


@pytest.mark.parametrize("dtype", ["int32", "float16", *LAPACK])
@pytest.mark.parametrize("order", [0, 1, 2, 3, 2.5, -1, -2, np.inf, -np.inf])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_vector_norm(dtype: str, order: float, axis: Any) -> None:
    x = matrices(dtype, (3, 4, 5)) + np.asarray(5, dtype)
    with np.errstate(divide="ignore"):
        wanted = np.linalg.vector_norm(x.astype("f8") if dtype == "float16" else x, axis=axis, ord=order, keepdims=True)
    wanted = wanted.astype(dtype) if dtype == "float16" else wanted
    ours = da.linalg.vector_norm(da.asarray(x), axis=axis, ord=order, keepdims=True)
    near(ours, wanted, wanted.dtype.name, float(wanted.max()))


@pytest.mark.parametrize("dtype", ["int32", *LAPACK])
@pytest.mark.parametrize("order", [1, -1, 2, -2, np.inf, -np.inf, "fro", "nuc"])
@pytest.mark.parametrize("keepdims", [False, True])
def test_matrix_norm(dtype: str, order: Any, keepdims: bool) -> None:
    x = matrices(dtype, (3, 4, 5))
    wanted = np.linalg.matrix_norm(x, ord=order, keepdims=keepdims)
    near(da.linalg.matrix_norm(da.asarray(x), ord=order, keepdims=keepdims), wanted, wanted.dtype.name, size(x) * 4)


@pytest.mark.parametrize(
    "kwargs",
    [{}, {"axis": 0}, {"axis": (0, 1)}, {"axis": (1, 0), "ord": 1}, {"axis": (0, -1), "ord": "nuc"},
     {"axis": 1, "ord": 1}, {"axis": (2, 1), "ord": np.inf, "keepdims": True}, {"keepdims": True}],
)  # fmt: skip
def test_norm(kwargs: Any) -> None:
    x = matrices("float32", (3, 4, 5))
    near(da.linalg.norm(da.asarray(x), **kwargs), np.linalg.norm(x, **kwargs), "float32", size(x) * 3)


def test_norms_of_nothing() -> None:
    empty = da.ones((0, 3), dtype="float32")
    assert float(da.linalg.vector_norm(empty)) == 0
    assert float(da.linalg.vector_norm(empty, ord=np.inf)) == 0
    assert float(da.linalg.matrix_norm(empty)) == 0
    with pytest.raises(da.errors.ValueError, match="Invalid norm order for matrices"):
        da.linalg.matrix_norm(empty, ord="no")


@pytest.mark.parametrize("shapes", [((6, 3), (6,)), ((6, 3), (6, 2)), ((3, 6), (3, 2)), ((4, 4), (4,)), ((0, 2), (0,))])
def test_lstsq(shapes: Any) -> None:
    a, b = matrices("float32", shapes[0]), matrices("float32", shapes[1], 1)
    wanted = np.linalg.lstsq(a, b, rcond=None)
    ours = da.linalg.lstsq(da.asarray(a), da.asarray(b))
    near(ours.x, wanted[0], "float32", 64)
    near(ours.residuals, wanted[1], "float32", 256)
    assert ours.rank == wanted[2]
    near(ours.s, wanted[3], "float32", 16)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_lstsq_on_cpus_is_lapacks_whatever_the_size(dtype: str, device: da.Device) -> None:
    skip_without("float64")
    if device.strategy != "cpu":
        pytest.skip("GPUs have no such function of LAPACK's")
    for m, n, k in ((4, 4, 1), (6, 3, 2), (3, 6, 2), (2000, 5, 1)):
        a, b = matrices(dtype, (m, n)), matrices(dtype, (m, k), 1)
        a[:, 1] = a[:, 0] * (1 + 1e-3)  # the rank depends on rcond
        for rcond in (None, 0.01, -1, np.float32(0.5)):
            for right in (b, b[:, 0]):
                ours = da.linalg.lstsq(da.asarray(a), da.asarray(right), rcond)
                for found, wanted in zip(ours, np.linalg.lstsq(a, right, rcond), strict=True):
                    same(found, wanted)
    with pytest.raises(da.errors.LinAlgError, match=r"lstsq: .*did not converge"):
        da.linalg.lstsq(da.asarray(a * np.nan), da.asarray(b))


def test_conditions_and_tensors() -> None:
    skip_without("float64")
    a = moderate("float64", (3, 4, 4), 1) + 5 * np.eye(4)
    a[1] = 1.0
    a[2, 0, 0] = np.nan
    for dtype in ("float64", "float32", "complex128"):
        for p in (None, 2, -2, 1, -1, np.inf, -np.inf, "fro"):
            check(lambda xp, a, p=p: xp.linalg.cond(a[:1], p), a.astype(dtype), ulp=2**8)
            if p not in (None, 2, -2):  # of which rounding makes anything
                check(lambda xp, a, p=p: xp.linalg.cond(a, p), a.astype(dtype), ulp=2**8)
    check(lambda xp, a: xp.linalg.cond(a[0, 0]), a)
    check(lambda xp, a: xp.linalg.cond(a[:, :0]), a)
    check(lambda xp, a: xp.linalg.cond(a[:, :3], 1), a)
    t = moderate("float64", (2, 3, 6), 5)
    for body in (
        lambda xp, t: xp.linalg.tensorinv(t),
        lambda xp, t: xp.linalg.tensorinv(t, ind=1),
        lambda xp, t: xp.linalg.tensorinv(t, ind=0),
        lambda xp, t: xp.linalg.tensorsolve(t, t[..., 0]),
        lambda xp, t: xp.linalg.tensorsolve(t, t[0, 0], axes=(0, 1)),
        lambda xp, t: xp.linalg.tensorsolve(t, t[0]),
        lambda xp, t: xp.linalg.tensorsolve(t[:1, :1, :1], t[1:, :1, :1]),
        lambda xp, t: xp.linalg.tensorsolve(t[:, :2, :1].reshape(1, 2, 2, 1), t[0, 0, :2].reshape(1, 2, 1, 1, 1)),
    ):
        check(body, t, ulp=2**12)
