"""Products of matrices and vectors against NumPy's: shapes, dtypes, layouts, and NumPy's keywords."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from agreement import agree, check, near
from oracle import DTYPES, close, moderate, on_both, same, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
RNG = np.random.default_rng(0)
X = RNG.random((4, 6))
STACK = RNG.random((3, 4, 4))


@pytest.mark.parametrize(
    ("first", "second"),
    [((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (5, 4, 2)),
     ((33, 70), (70, 41)), ((3, 0), (0, 2)), ((0, 3), (3, 2)), ((1, 1), (1, 1))],
)  # fmt: skip
def test_matmul_shapes(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    same(*on_both(lambda xp, a, b: xp.matmul(a, b), moderate("int32", first, 1), moderate("int32", second, 2)))


@pytest.mark.parametrize("dtype", DTYPES)
def test_matmul_dtypes(dtype: str) -> None:
    skip_without(dtype)
    a, b = moderate(dtype, (6, 9), 1), moderate(dtype, (9, 5), 2)
    ours, wanted = on_both(lambda xp, a, b: a @ b, a, b)
    close(ours, wanted, 0 if a.dtype.kind in "biu" else 400)


def test_matmul_of_views_and_of_mixed_dtypes() -> None:
    a, b = moderate("int16", (8, 6), 1), moderate("int32", (4, 8), 2)
    same(*on_both(lambda xp, a, b: (a.T[::-1] * 2) @ b.T[:, ::2], a, b))
    with pytest.raises(da.ShapeError, match=r"\(8, 6\).*\(8, 6\).*6 columns, 8 rows"):
        da.matmul(da.asarray(a), da.asarray(a))
    with pytest.raises(da.ShapeError, match="0-dimensional"):
        da.matmul(da.asarray(a), da.asarray(a)[0, 0])
    same(da.matmul(da.asarray(a), a.T), a @ a.T)


def test_products_of_stacks() -> None:
    skip_without("float64")
    for dtype in ("int32", "float64", "complex128"):
        a, v, w = moderate(dtype, (2, 3, 4), 1), moderate(dtype, 4, 2), moderate(dtype, (5, 1, 3), 3)
        near(da.matvec(da.asarray(a), da.asarray(v)), a @ v)
        near(da.vecmat(da.asarray(w), da.asarray(a)), (w.conj()[..., None, :] @ a)[..., 0, :])
    for name, first, second in (("matvec", v, v), ("vecmat", v, v), ("matvec", a, w), ("vecmat", v, a)):
        with pytest.raises(
            ValueError, match=name if (name == "matvec" and first is v) or second is v else "not aligned"
        ):
            getattr(da, name)(da.asarray(first), da.asarray(second))


def test_axes_of_traces_and_cross_products() -> None:
    agree(lambda xp, a, b: xp.linalg.cross(a, b, axis=0), X[:3, 0], X[:3, :3])
    for axis in (0, 1, -1):
        agree(lambda xp, a, b, axis=axis: xp.linalg.cross(a, b, axis=axis), X[:3, :3], RNG.random((3, 3, 3)))
    agree(lambda xp, a: xp.trace(a, 1, 1, 2, np.float32), RNG.random((3, 5, 4, 3)))
    agree(lambda xp, a: xp.trace(a), STACK)
    agree(lambda xp, a: xp.linalg.trace(a), STACK)
    agree(lambda xp, a, b: xp.cross(a, b, axisa=0, axisb=1, axisc=0), RNG.random((3, 5)), RNG.random((5, 3)))
    for sizes in ((2, 2), (2, 3), (3, 2), (3, 3), (4, 3)):
        if 2 in sizes and np.lib.NumpyVersion(np.__version__) >= "2.5.0":
            continue  # NumPy's own takes three elements alone, since then
        agree(lambda xp, a, b: xp.cross(a, b), X[:, : sizes[0]], X[:, : sizes[1]])


def test_keywords_of_products() -> None:
    a, b = RNG.random((2, 3, 4)), RNG.random((2, 4, 5))
    agree(lambda xp, a, b: xp.matmul(a, b, dtype=np.float32), a, b)
    agree(lambda xp, a, b: xp.matmul(a, b, signature="ff->f", casting="unsafe"), a, b)
    agree(lambda xp, a, b: xp.matmul(a, b, casting="safe", dtype=np.float32), a, b)
    agree(lambda xp, a, b: xp.matmul(a, b, axes=[(1, 2), (1, 2), (0, 1)]), a, b)
    agree(lambda xp, a, b: xp.matmul(a, b, axis=0), a, b)
    agree(lambda xp, a, b: xp.vecdot(a, b, axis=0, keepdims=True), X, X)
    agree(lambda xp, a, b: xp.vecdot(a, b, axes=[0, (1,), ()]), X, X.T)
    for vectors in (lambda xp, a, b: xp.vecdot(a, b, axis=0), lambda xp, a, b: xp.linalg.vecdot(b, a, axis=0)):
        agree(vectors, X[:, 0], X)
        agree(vectors, X[:, 0] * 1j, X[..., None])
    agree(lambda xp, a, b: xp.matvec(a, b, axes=[(0, 1), 0, 0]), RNG.random((3, 4)), RNG.random(4))
    agree(lambda xp, a, b: xp.vecmat(a, b, dtype=np.complex128), RNG.random(3), RNG.random((3, 4)))


AXES: list[tuple[str, tuple[int, ...], Any]] = [
    ("matmul", (2, 2), ((0, 1), (0, 1), (0, 1))),
    ("matmul", (2, 2), [[0, 1], (0, 1), (0, 1)]),
    ("matmul", (2, 2), [0, 0, 0]),
    ("matmul", (2, 2), [(0, 1), (0, 1)]),
    ("matmul", (2, 2), [(0, 1), (0, 1), 1.0]),
    ("matmul", (2,), [0, 0, 0]),
    ("matmul", (2,), [0, 0]),
    ("matmul", (2,), [0, (0,), ()]),
    ("vecdot", (2, 2), (0, 0)),
    ("vecdot", (2, 2), [[0], 0]),
    ("vecdot", (2, 2), [0, 0, 0]),
    ("vecdot", (2, 2), [0, 1]),
    ("vecmat", (2, 2), [0, [0, 1], 0]),
    ("matvec", (2, 2), [(0, 1), 0]),
]


@pytest.mark.parametrize(("name", "shape", "axes"), AXES)
def test_axes_are_a_list_of_tuples(name: str, shape: tuple[int, ...], axes: Any) -> None:
    x = np.arange(4.0)[: np.prod(shape)].reshape(shape)
    try:
        wanted = getattr(np, name)(x, x, axes=axes)
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            getattr(da, name)(da.asarray(x), da.asarray(x), axes=axes)
    else:
        same(getattr(da, name)(da.asarray(x), da.asarray(x), axes=axes), wanted)


def test_products_of_several_arrays_are_of_matrices() -> None:
    v, m, cube = np.arange(2.0), np.eye(2) + 1, np.arange(8.0).reshape(2, 2, 2)
    for arrays in ([cube, m], [m, cube], [np.asarray(2.0), m], [v, m, v], [v, m, m]):
        same(da.linalg.multi_dot([da.asarray(x) for x in arrays]), np.linalg.multi_dot(arrays))
    for arrays in ([m, cube, m], [m, v, m], [m, m, cube], [v, v, v], [np.asarray(2.0), m, m]):
        with pytest.raises(np.linalg.LinAlgError):
            np.linalg.multi_dot(arrays)
        with pytest.raises(da.linalg.LinAlgError):
            da.linalg.multi_dot([da.asarray(x) for x in arrays])


@pytest.mark.parametrize("axis", [[1], [0, 1], np.asarray([1]), "a"])
def test_the_axes_of_norm_are_a_tuple(axis: Any) -> None:
    for xp in (np, da):
        with pytest.raises(TypeError, match="'axis' must be None, an integer or a tuple of integers"):
            xp.linalg.norm(xp.ones((2, 2)), axis=axis)


def test_keywords_of_einsum() -> None:
    agree(lambda xp, a, b: xp.einsum("ij,kj->ik", a, b, dtype=np.complex128, optimize=True), X, X)
    agree(lambda xp, a, b: xp.einsum("ij,kj->ik", a, b, dtype=np.float32, casting="unsafe"), X, X)
    agree(lambda xp, a, b: xp.einsum("ij,kj->ik", a, b, dtype=np.float32), X, X)


@pytest.mark.parametrize("number", [52, -1, 1000])
def test_einsum_numbers_52_axes(number: int) -> None:
    x = np.arange(3.0)
    same(da.einsum(da.asarray(x), [51], [51]), x)
    with pytest.raises(ValueError, match=f"from 0 to 51, not {number}"):
        da.einsum(da.asarray(x), [number])


@pytest.mark.parametrize(("subscripts", "shape"), [("ii", (1, 3)), ("ii->i", (3, 1)), ("iij->j", (1, 3, 2))])
def test_axes_of_a_diagonal_do_not_spread(subscripts: str, shape: tuple[int, ...]) -> None:
    for xp in (np, da):
        with pytest.raises(ValueError, match="'i'"):
            xp.einsum(subscripts, xp.zeros(shape))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize(
    ("first", "second"),
    [((20_000,), (20_000,)), ((8192,), (8192,)), ((700, 130), (130,)), ((1, 40), (900, 40)), ((3, 1, 5), (4, 5)),
     ((0, 5), (5,)), ((4, 0), (4, 0)), ((), ())],
)  # fmt: skip
def test_sums_of_complex_products(dtype: str, first: tuple[int, ...], second: tuple[int, ...]) -> None:
    skip_without("float64")
    a, b = ((RNG.integers(-4, 5, shape) + 1j * RNG.integers(-4, 5, shape)).astype(dtype) for shape in (first, second))
    if not first:
        same(*on_both(lambda xp, a, b: xp.inner(a, b), a, b))
        return
    same(*on_both(lambda xp, a, b: xp.vecdot(a, b), a, b))
    same(*on_both(lambda xp, a, b: xp.vecdot(a * 2, b + 1), a, b))
    same(*on_both(lambda xp, a, b: xp.vecdot(a[..., ::2], b[..., ::-2]), a, b))
    if first == second:
        same(*on_both(lambda xp, a, b: xp.vdot(a, b + 1), a, b))
    if len(first) == 1:
        same(*on_both(lambda xp, a, b: xp.inner(a, b), a, b))


def test_sums_of_long_vectors_are_as_exact_as_numpys() -> None:
    skip_without("float64")
    a, b = (RNG.standard_normal(100_003) + 1j * RNG.standard_normal(100_003) for _ in range(2))
    want = np.sum((a.conj() * b).astype(np.clongdouble))
    ours, wanted = on_both(lambda xp, a, b: xp.vdot(a, b), a, b)
    assert abs(complex(ours) - want) <= 4 * max(abs(wanted - want), 1e-11)


def test_dot_takes_numbers_for_arrays() -> None:
    """Unlike the operator, by which they take the array's dtype: 100 * 2 is no int8."""
    skip_without("float64")
    for dtype, number in (("int8", 2), ("int8", True), ("float32", 2), ("complex64", 2j)):
        x = np.array([100, 3], dtype)
        check(lambda xp, a, n=number: a.dot(n), x)
        check(lambda xp, a, n=number: xp.dot(a, n), x)


SHAPES_OF_DOT = [((3, 2, 4), (5, 4, 2)), ((2, 3), (4, 3, 2)), ((2, 3, 4), (4, 2)), ((2, 3, 4), (4,)), ((4,), (2, 4, 3))]


@pytest.mark.parametrize("shapes", SHAPES_OF_DOT)
def test_the_method_dot_pairs_no_axes_before_the_last_two(shapes: tuple[tuple[int, ...], ...]) -> None:
    """Unlike ``@``."""
    a, b = (moderate("int32", shape, 5) for shape in shapes)
    same(*on_both(lambda xp, a, b: a.dot(b), a, b))
    same(*on_both(lambda xp, a, b: a.dot(b.tolist()), a, b))
    out = np.zeros_like(a.dot(b))
    same(*on_both(lambda xp, a, b, out: a.dot(b, out=out), a, b, out))


@pytest.mark.parametrize("order", "CFAcfa")
@pytest.mark.parametrize("first", "CF")
@pytest.mark.parametrize("second", "CF")
def test_einsum_in_an_order(order: str, first: str, second: str) -> None:
    made = []
    for xp in (np, da):
        a, b = (xp.asarray(np.ones(shape), order=kind) for shape, kind in (((2, 3, 5), first), ((4, 3), second)))
        made.append(xp.einsum("...ft,mf->...mt", a, b, order=order))
    assert made[1].strides == made[0].strides


EINSUM_REFUSES = {
    "an order": lambda xp: xp.einsum("", 0, order="W"),
    "a rule": lambda xp: xp.einsum("", 0, casting="blah"),
    "a dtype": lambda xp: xp.einsum("", 0, dtype="bad"),
    "subscripts": lambda xp: xp.einsum(0, 0),
    "a path": lambda xp: xp.einsum("a,a,a->a", *[xp.ones(2)] * 3, optimize=["einsum_path", (1,), (0, 1)]),
}


@pytest.mark.parametrize("name", EINSUM_REFUSES)
def test_einsum_refuses_what_numpys_does(name: str) -> None:
    with pytest.raises((TypeError, ValueError, RuntimeError)) as theirs:
        EINSUM_REFUSES[name](np)
    with pytest.raises(theirs.type):
        EINSUM_REFUSES[name](da)


@pytest.mark.parametrize("shape", [(4, 4), (300, 300), (2000, 64), (3000, 3)])
@pytest.mark.parametrize("part", [np.s_[0], np.s_[:, 0], np.s_[:]])
def test_factors_that_nobody_else_holds_may_share_what_is_pending(shape: tuple[int, int], part: object) -> None:
    """The kernel that computes one of them leaves what the other one is computed from as it is."""
    host = np.random.default_rng(0).normal(size=shape).astype("float32")
    x = da.asarray(host).evaluate()
    y = x + 1
    del x
    factors, swapped = [y * 2, y[part]], part == np.s_[:, 0]
    del y
    wanted = [(host + 1) * 2, (host + 1)[part]]
    if part == np.s_[:]:
        factors[1], wanted[1] = factors[1].T, wanted[1].T
    if swapped:
        factors.reverse()
        wanted.reverse()
    ours = factors.pop(0) @ factors.pop()
    theirs = wanted[0].astype("float64") @ wanted[1]
    np.testing.assert_allclose(ours.copy_to_host(), theirs, rtol=1e-4, atol=1e-4 * abs(theirs).max())
