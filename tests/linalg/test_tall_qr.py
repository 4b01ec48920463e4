"""QR of tall, narrow matrices from products: as orthonormal and as near as LAPACK's, with its signs."""

from __future__ import annotations

import numpy as np
import pytest
from matrices import near
from oracle import silent, skip_without

import devarray as da
from devarray.linalg import tall_qr

ROWS = (1 << 14) + 3


def tall(kind: str, dtype: str, columns: int, rows: int = ROWS) -> np.ndarray:
    skip_without("float64")
    rng = np.random.default_rng(columns)
    x = rng.random((rows, columns)) if kind == "positive" else rng.standard_normal((rows, columns))
    if kind == "scaled":
        x *= 10.0 ** rng.integers(-6, 6, columns)
    elif kind == "nearly dependent" and columns > 1:
        x[:, -1] = x[:, 0] + 1e-3 * x[:, -1]
    return x.astype(dtype)


def check(x: np.ndarray, q: np.ndarray, r: np.ndarray) -> None:
    """Against NumPy's, in units of the dtype's precision; the sums are float64's."""
    wanted_q, wanted_r = np.linalg.qr(x)
    eps, n = np.finfo(x.dtype).eps, x.shape[1]
    assert (q.dtype, r.dtype, q.shape, r.shape) == (x.dtype, x.dtype, wanted_q.shape, wanted_r.shape)
    assert (np.tril(r, -1) == 0).all()
    wide, lengths = q.astype("f8"), np.sqrt((x.astype("f8") ** 2).sum(axis=0))
    assert abs(wide.T @ wide - np.eye(n)).max() < 100 * eps
    assert (abs(wide @ r - x) < 16 * eps * abs(x).max(axis=0)).all()
    assert (abs(r - wanted_r) < 200 * eps * lengths).all()  # the signs, too


@pytest.mark.parametrize("kind", ["normal", "positive", "scaled", "nearly dependent"])
@pytest.mark.parametrize("columns", [1, 2, 7, 20, 65])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_factors_are_as_good_as_lapacks(dtype: str, columns: int, kind: str) -> None:
    x = tall(kind, dtype, columns)
    made = tall_qr.tall_qr(da.asarray(x))
    assert made is not None
    q, r = made
    check(x, q.copy_to_host(), r.copy_to_host())
    alone = tall_qr.tall_r(da.asarray(x))
    assert alone is not None
    np.testing.assert_array_equal(alone.copy_to_host(), r.copy_to_host())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_blocks_of_rows_and_views(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tall_qr, "_BLOCK", 9 * 1000)
    x = tall("positive", dtype, 18)
    on_device = da.asarray(x)
    transposed = da.asarray(np.asfortranarray(x))
    for view, host in ((on_device[:, ::2], x[:, ::2]), (on_device[::-1, 9:], x[::-1, 9:]), (transposed, x)):
        made = tall_qr.tall_qr(view)
        assert made is not None
        check(host, *(part.copy_to_host() for part in made))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("what", ["dependent", "nearly dependent", "zero", "nan", "inf", "tiny", "huge"])
def test_what_is_left_to_the_libraries(what: str, dtype: str) -> None:
    x = tall("normal", dtype, 5)
    if what == "dependent":
        x[:, 4] = x[:, 1]
    elif what == "nearly dependent":
        x[:, 4] = x[:, 1] + x[:, 4] * dtype_eps(dtype)
    elif what == "zero":
        x[:, 2] = 0
    elif what in ("nan", "inf"):
        x[77, 3] = float(what)
    elif what == "tiny":
        x[:, 0] *= np.finfo("f8").tiny if dtype == "float64" else 0
    else:
        x[:, 0] *= np.finfo(dtype).max / 8
        if dtype == "float32":  # whose squares float64 holds
            x[:, 1] = x[:, 0]
    with silent():  # products on the host are NumPy's, whose AVX-512 kernels warn of overflow
        assert tall_qr.tall_qr(da.asarray(x)) is None
        assert tall_qr.tall_r(da.asarray(x)) is None


def dtype_eps(dtype: str) -> float:
    return float(np.finfo(dtype).eps) * 4


def test_what_suits() -> None:
    skip_without("float64")
    on_gpu, rows = da.device().strategy == "gpu", 1 << 17
    assert tall_qr.suits(da.zeros((rows, 20))) == on_gpu
    assert tall_qr.suits(da.zeros((rows, 3), dtype="float32")) == on_gpu
    for shape in ((1000, 3), (rows, 65), (2, rows, 3), (rows, 0), (3, rows), (rows,)):
        assert not tall_qr.suits(da.zeros(shape))
    assert not tall_qr.suits(da.zeros((rows, 3), dtype="complex64"))
    assert not tall_qr.suits(da.zeros((rows, 3), dtype="int32"))


@pytest.mark.filterwarnings("ignore::devarray.errors.HiddenTransferWarning")
@pytest.mark.parametrize("kind", ["positive", "dependent"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions_that_rest_on_it(dtype: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their results are those of the libraries, whichever way they take."""
    monkeypatch.setattr(tall_qr, "_LEAST_ROWS", ROWS)
    x = tall("positive", dtype, 6)
    if kind == "dependent":
        x[:, 5] = x[:, 0]
    y = tall("normal", dtype, 2)
    a, b = da.asarray(x), da.asarray(y)
    near(da.linalg.svdvals(a), np.linalg.svd(x, compute_uv=False), dtype, 200.0)
    near(da.linalg.svd(a, compute_uv=False), np.linalg.svd(x, compute_uv=False), dtype, 200.0)
    u, s, vh = da.linalg.svd(a, full_matrices=False)
    near(u * s @ vh, x, dtype, 8.0)
    near(u.T @ u, np.eye(6, dtype=dtype), dtype)
    solved, residuals, rank, _ = da.linalg.lstsq(a, b)
    wanted = np.linalg.lstsq(x, y, rcond=None)
    assert rank == wanted[2]
    near(solved, wanted[0], dtype)
    near(residuals, wanted[1], dtype, float(ROWS))
    near(da.linalg.pinv(a) @ a @ da.ones(6, dtype=dtype), np.linalg.pinv(x) @ x @ np.ones(6, dtype), dtype, 8.0)
    assert da.linalg.matrix_rank(a) == np.linalg.matrix_rank(x)
    q, r = da.linalg.qr(a)
    near(q @ r, x, dtype, 8.0)
    near(da.linalg.qr(a, "r"), r.copy_to_host(), dtype, 200.0)
    near(abs(r[:5]), abs(np.linalg.qr(x)[1])[:5], dtype, 200.0)
