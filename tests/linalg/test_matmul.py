"""Matrix products, contractions and einsum against NumPy, bit by bit where they are exact."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matrices import NUMBERS, equal, hermitian, matrices, near, size
from oracle import host, skip_without

import devarray as da

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning"),
]


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


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "float16"])
@pytest.mark.parametrize("transposed", [False, True])
def test_few_long_sums(dtype: str, transposed: bool) -> None:
    """GPUs add up parts of them: also where the last part is shorter."""
    depth = 70_001 if dtype != "float16" else 40_000
    a, b = whole((7, depth), dtype), whole((depth, 5), dtype, 1)
    if dtype == "float16":  # all sums exact
        a[:, 1000:] = 0
    x, y = da.asarray(a.T.copy()).T if transposed else da.asarray(a), da.asarray(b)
    wide = "float32" if dtype == "float16" else dtype
    equal(x @ y, (a.astype(wide) @ b.astype(wide)).astype(dtype))
    equal(x[:, ::2] @ y[::2], (a[:, ::2].astype(wide) @ b[::2].astype(wide)).astype(dtype))


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
    with pytest.raises(da.ShapeError, match=r"shapes \(2, 3\) and \(2, 3\) not aligned"):
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
    with pytest.raises(da.ShapeError, match="3-dimensional vectors"):
        da.linalg.cross(da.ones((2,)), da.ones((2,)))
    with pytest.raises(da.ShapeError, match="2 and 3 elements"):
        da.vecdot(da.ones((2,)), da.ones((3,)))
    with pytest.raises(da.ShapeError, match="shape-mismatch for sum"):
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
        ("i->j", [(2,)], "never appeared in an input"),
        ("i->ii", [(2,)], "includes output subscript 'i' multiple times"),
        ("i,i", [(2,), (3,)], "sizes 2 and 3"),
        ("i$", [(2,)], "must be letters"),
        ("ii", [(2, 3)], "collapsing index .i. don.t match"),
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


@given(st.integers(1, 6), st.integers(1, 6), st.integers(1, 6), st.integers(0, 99))
def test_products_agree_with_each_other(m: int, k: int, n: int, seed: int) -> None:
    a, b = da.asarray(whole((m, k), "float32", seed)), da.asarray(whole((k, n), "float32", seed + 1))
    product = a @ b
    for other in (da.tensordot(a, b, axes=1), da.einsum("ij,jk", a, b), da.vecdot(a[:, None, :], b.T[None])):
        equal(other, host(product))


@pytest.mark.parametrize("dtype", ["int8", "int64", "float32", "float64", "complex64"])
@pytest.mark.parametrize(
    "shapes", [((40, 4, 4), (40, 4, 4)), ((3, 1, 8, 5), (6, 5, 7)), ((9, 3, 4), (4, 1)), ((2, 1, 30), (2, 30, 6))]
)
def test_stacks_of_small_matrices(dtype: str, shapes: Any) -> None:
    a, b = (whole(shape, dtype, seed) for seed, shape in enumerate(shapes))
    x, y = da.asarray(a), da.asarray(b)
    equal(x @ y, a @ b)
    equal((x + x) @ y[..., ::-1, :], (a + a) @ b[..., ::-1, :])
    turned = da.asarray(np.swapaxes(b, -1, -2).copy()).mT
    equal(x[::-1] @ turned, a[::-1] @ b)
    before = da.stats()["launches"]
    (x @ y).evaluate()
    assert da.stats()["launches"] - before <= 1
