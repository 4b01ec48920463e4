"""Linear algebra against NumPy: products bit by bit where they are exact, decompositions by what they must satisfy."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from agreement import check
from hypothesis import given
from hypothesis import strategies as st
from oracle import host, moderate, same, skip_without

import devarray as da

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning"),
]

LAPACK = ("float32", "float64", "complex64", "complex128")
STACKS = ((4, 4), (3, 5, 5), (2, 1, 3, 3), (0, 3, 3), (2, 0, 0), (1, 1), (40, 40))
RECTANGLES = ((4, 4), (6, 3), (3, 6), (2, 5, 3), (2, 3, 5), (0, 3, 4), (2, 0, 3), (3, 0), (50, 20))
NUMBERS = ("int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128")


def matrices(dtype: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    skip_without(dtype)
    return moderate(dtype, shape, seed)


def hermitian(dtype: str, shape: tuple[int, ...], positive: bool = False) -> np.ndarray:
    x = matrices(dtype, shape)
    if positive:
        return (x @ x.mT.conj() + np.eye(shape[-1])).astype(dtype)
    return ((x + x.mT.conj()) / 2).astype(dtype)


def near(ours: Any, wanted: Any, dtype: str, scale: float = 1.0, steps: int = 64) -> None:
    """Equal in dtype and shape; elements within so many steps of the dtype's precision, relative to `scale`."""
    ours, wanted = host(ours), np.asarray(wanted)
    assert ours.shape == wanted.shape
    assert ours.dtype == wanted.dtype
    bound = steps * float(np.finfo(dtype).eps) * scale
    if ours.size:
        assert np.max(np.abs(ours - wanted)) <= bound


def equal(ours: Any, wanted: Any) -> None:
    """Equal in dtype, shape and value. The order of additions decides on the sign of a zero."""
    ours, wanted = host(ours), np.asarray(wanted)
    assert (ours.dtype, ours.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(ours, wanted)


def size(x: np.ndarray) -> float:
    """A norm to which errors are relative, at least 1."""
    return max(1.0, float(np.max(np.abs(x), initial=0)) * max(1, *x.shape[-2:]))


def real_of(dtype: str) -> str:
    return np.empty(0, dtype).real.dtype.name


# --- products -----------------------------------------------------------------------------------------------------


def whole(shape: tuple[int, ...], dtype: str, seed: int = 0) -> np.ndarray:
    """Whole numbers whose products and sums are exact in every dtype."""
    skip_without(dtype)
    rng = np.random.default_rng(seed)
    x = rng.integers(0 if dtype[0] in "ub" else -2, 3, shape).astype(dtype)
    return (x + 1j * rng.integers(-2, 3, shape)).astype(dtype) if dtype.startswith("complex") else x


PRODUCTS = {
    "matrix": ((5, 7), (7, 4)),
    "vector on the right": ((5, 7), (7,)),
    "vector on the left": ((7,), (7, 4)),
    "vectors": ((9,), (9,)),
    "stack": ((3, 5, 2), (3, 2, 4)),
    "broadcast stack": ((2, 1, 5, 2), (3, 2, 4)),
    "one matrix for a stack": ((6, 3, 4), (4, 2)),
    "stack and vector": ((3, 5, 2), (2,)),
    "nothing to add up": ((3, 0), (0, 2)),
    "no rows": ((0, 3), (3, 2)),
    "large": ((150, 70), (70, 90)),
}


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", PRODUCTS)
def test_matmul(name: str, dtype: str) -> None:
    a, b = whole(PRODUCTS[name][0], dtype), whole(PRODUCTS[name][1], dtype, 1)
    equal(da.asarray(a) @ da.asarray(b), a @ b)


def test_matmul_of_bool() -> None:
    a, b = whole((4, 5), "bool"), whole((5, 3), "bool", 1)
    equal(da.matmul(da.asarray(a), da.asarray(b)), a @ b)


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int32"])
def test_matmul_of_any_order_of_memory(dtype: str) -> None:
    a, b = whole((3, 12, 18), dtype), whole((3, 18, 16), dtype, 1)
    views = [
        lambda x: x,
        lambda x: x[:, ::2, ::2],
        lambda x: x[:, ::-1, ::-1],
        lambda x: x.mT,
        lambda x: x[1],
        lambda x: x[1].T,
        lambda x: x[:, :, :6],
        lambda x: x[:, :6],
        lambda x: x[:, 2:3],
        lambda x: x[:, :, 2:3],
        lambda x: x[:, :1, :1],
    ]
    x, y = da.asarray(a), da.asarray(b)
    tried = 0
    for left in views:
        for right in views:
            for first, second in (((a, x), (b, y)), ((b, y), (a, x))):
                one, two = left(first[0]), right(second[0])
                if one.shape[-1] == two.shape[-2]:
                    equal(da.matmul(left(first[1]), right(second[1])), one @ two)
                    tried += 1
    assert tried >= 10


def test_matmul_of_pending_operands() -> None:
    a, b = whole((8, 6), "float32"), whole((6, 5), "float32", 1)
    x, y = da.asarray(a), da.asarray(b)
    equal((x * 2 + 1) @ (y - 3), (a * 2 + 1) @ (b - 3))


def test_matmul_in_place_reads_what_was_there() -> None:
    a = whole((6, 6), "float32")
    x = da.asarray(a)
    x @= x
    equal(x, a @ a)


def test_matmul_is_accurate() -> None:
    a, b = matrices("float32", (200, 300)), matrices("float32", (300, 100), 1)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    bound = 300 * np.finfo(np.float32).eps * (np.abs(a).astype(np.float64) @ np.abs(b))
    assert (np.abs(host(da.asarray(a) @ da.asarray(b)) - exact) <= bound).all()


def test_matmul_refuses() -> None:
    x = da.ones((2, 3))
    with pytest.raises(da.ShapeError, match=r"shapes \(2, 3\) and \(2, 3\) do not fit"):
        x @ x
    with pytest.raises(da.ShapeError, match="0-dimensional"):
        da.matmul(x, da.asarray(1.0))
    with pytest.raises(da.DTypeError, match="matmul: x2 is an array or numbers that make one, not str"):
        da.matmul(x, "numbers")  # type: ignore[arg-type]


CONTRACTIONS: dict[str, Any] = {
    "tensordot 2": lambda xp, x, y: xp.tensordot(x, xp.transpose(y, (1, 2, 0)), axes=2),
    "tensordot 1": lambda xp, x, y: xp.tensordot(x, xp.transpose(y, (2, 1, 0)), axes=1),
    "tensordot 0": lambda xp, x, y: xp.tensordot(x[0], y[0, 0], axes=0),
    "tensordot pairs": lambda xp, x, y: xp.tensordot(x, y, axes=((0, -1), (0, 2))),
    "vecdot": lambda xp, x, y: xp.vecdot(x, y),
    "vecdot axis": lambda xp, x, y: xp.vecdot(x, y[:1], axis=-2),
    "dot": lambda xp, x, y: xp.dot(x, xp.transpose(y, (0, 2, 1))),
    "dot of vectors": lambda xp, x, y: xp.dot(x[0, 0], y[0, 0]),
    "inner": lambda xp, x, y: xp.inner(x, y[0]),
    "vdot": lambda xp, x, y: xp.vdot(x, y),
    "kron": lambda xp, x, y: xp.kron(x[0], y),
    "outer": lambda xp, x, y: xp.linalg.outer(x[0, 0], y[0, 1]),
    "trace": lambda xp, x, y: xp.linalg.trace(x, offset=1),
    "diagonal": lambda xp, x, y: xp.linalg.diagonal(x, offset=-1) + 0,
    "diagonal beyond": lambda xp, x, y: xp.linalg.diagonal(x, offset=9) + 0,
    "multi_dot": lambda xp, x, y: xp.linalg.multi_dot([x[0, 0], x[0].T, y[1], y[1].T, y[0, :, 0]]),
    "matrix_power": lambda xp, x, y: xp.linalg.matrix_power(x[:, :, :3], 3),
    "matrix_power 0": lambda xp, x, y: xp.linalg.matrix_power(x[:, :, :3], 0),
}


@pytest.mark.parametrize("dtype", ["int64", "float32", "complex64"])
@pytest.mark.parametrize("name", CONTRACTIONS)
def test_contraction(name: str, dtype: str) -> None:
    a, b = whole((2, 3, 4), dtype), whole((2, 3, 4), dtype, 1)
    equal(CONTRACTIONS[name](da, da.asarray(a), da.asarray(b)), CONTRACTIONS[name](np, a, b))


@pytest.mark.parametrize("dtype", ["int32", "float32", "complex64"])
@pytest.mark.parametrize(("axis", "shapes"), [(-1, ((4, 3), (3,))), (-2, ((3, 5), (2, 3, 5))), (-1, ((3,), (3,)))])
def test_cross(dtype: str, axis: int, shapes: Any) -> None:
    a, b = whole(shapes[0], dtype), whole(shapes[1], dtype, 1)
    equal(da.linalg.cross(da.asarray(a), da.asarray(b), axis=axis), np.linalg.cross(a, b, axis=axis))


def test_vectors_that_do_not_fit() -> None:
    with pytest.raises(da.ShapeError, match="3 elements"):
        da.linalg.cross(da.ones((2,)), da.ones((2,)))
    with pytest.raises(da.ShapeError, match="2 and 3 elements"):
        da.vecdot(da.ones((2,)), da.ones((3,)))
    with pytest.raises(da.ShapeError, match="differ in size"):
        da.tensordot(da.ones((2, 3)), da.ones((2, 3)), axes=1)


EINSUMS = (
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,jk", (3, 4), (4, 5)),
    ("ji,jk", (4, 3), (4, 5)),
    ("ii", (4, 4)),
    ("ii->i", (4, 4)),
    ("iij->j", (4, 4, 3)),
    ("ij->ji", (3, 4)),
    ("ba", (3, 4)),
    ("ij->", (3, 4)),
    ("i,i", (5,), (5,)),
    ("i,j", (3,), (4,)),
    ("i,i->i", (3,), (3,)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("...ij,...jk->...ik", (2, 3, 4), (1, 4, 5)),
    ("...ij,jk", (2, 3, 4), (4, 5)),
    ("i...,i...->...", (3, 2, 4), (3, 2, 4)),
    ("...,...", (2, 3), (3,)),
    ("i...->...i", (2, 3, 4)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)),
    ("ij,ij,ij->j", (3, 4), (3, 4), (3, 4)),
    ("abc,cd,bd->a", (2, 3, 4), (4, 5), (3, 5)),
    ("ijk,lk->ijl", (2, 3, 4), (5, 4)),
    ("ij,kl->", (2, 3), (4, 5)),
    ("ij,j->i", (3, 1), (4,)),
    (" i j , j k -> i k ", (3, 4), (4, 5)),
    ("iJ,Jk", (3, 4), (4, 5)),
    ("ij,ij->i", (3, 0), (3, 0)),
    (",ij", (), (2, 3)),
    ("iij,jk->ik", (3, 3, 2), (2, 4)),
)


@pytest.mark.parametrize("case", EINSUMS, ids=lambda case: case[0])
@pytest.mark.parametrize("dtype", ["int32", "float32", "complex64"])
def test_einsum(case: Any, dtype: str) -> None:
    subscripts, *shapes = case
    arrays = [whole(shape, dtype, i) for i, shape in enumerate(shapes)]
    equal(da.einsum(subscripts, *map(da.asarray, arrays)), np.einsum(subscripts, *arrays))


@pytest.mark.parametrize(
    ("subscripts", "shapes", "message"),
    [
        ("ij", [(2,)], "does not fit"),
        ("i,j", [(2,)], "2 terms for 1"),
        ("i->j", [(2,)], "in no operand"),
        ("i->ii", [(2,)], "twice in the result"),
        ("i,i", [(2,), (3,)], "sizes 2 and 3"),
        ("i$", [(2,)], "no letter"),
        ("ii", [(2, 3)], "differ in size|sizes"),
    ],
)
def test_einsum_refuses(subscripts: str, shapes: Any, message: str) -> None:
    with pytest.raises((da.ShapeError, da.errors.ValueError), match=message):
        da.einsum(subscripts, *(da.ones(shape) for shape in shapes))


def test_threads_with_queues_of_their_own(device: da.Device) -> None:
    x = hermitian("float32", (16, 16), positive=True)
    waves = np.fft.fft(x)
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            with da.use(queue=device.create_queue()):
                a = da.asarray(x)
                for _ in range(5):
                    near(a @ a, x @ x, "float32", size(x) ** 2)
                    near(da.linalg.solve(a, a), np.eye(16, dtype="f4"), "float32", size(x) * size(np.linalg.inv(x)))
                    near(da.fft.fft(a), waves, "float32", size(x))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


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
    k = s.shape[-1]
    near((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], x, dtype, size(x))
    for unitary in (u.mT.conj() @ u, vh @ vh.mT.conj()):
        near(unitary, np.broadcast_to(np.eye(unitary.shape[-1], dtype=dtype), unitary.shape), dtype, unitary.shape[-1])


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
        with pytest.raises(np.linalg.LinAlgError, match="two dimensions"):
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
    with pytest.raises(da.errors.ValueError, match="ord is"):
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


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6), st.integers(0, 99))
def test_products_agree_with_each_other(m: int, k: int, n: int, seed: int) -> None:
    a, b = da.asarray(whole((m, k), "float32", seed)), da.asarray(whole((k, n), "float32", seed + 1))
    product = a @ b
    for other in (da.tensordot(a, b, axes=1), da.einsum("ij,jk", a, b), da.vecdot(a[:, None, :], b.T[None])):
        equal(other, host(product))


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
    ):
        check(body, t, ulp=2**12)
