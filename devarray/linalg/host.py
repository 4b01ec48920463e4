"""Decompositions by NumPy's LAPACK: over mapped memory on CPU devices, elsewhere as ``devarray.config.fallback`` says.

Each function takes a stack of matrices of a dtype that LAPACK has. devarray/linalg/cuda.py has the same functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from devarray import _core
from devarray._primitives.host import results_through_host
from devarray.array import Array
from devarray.errors import LinAlgError
from devarray.linalg.checks import real_dtype

__all__ = [
    "cholesky",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "qr",
    "quiet_det",
    "quiet_slogdet",
    "raw_qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
]


def _quiet(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function without warnings, by a name that profiles show."""

    def quietly(*views: np.ndarray) -> Any:
        with np.errstate(all="ignore"):
            return function(*views)

    quietly.__name__ = name
    return quietly


_QUIET_BY_THEMSELVES = frozenset(
    (np.linalg.cholesky, np.linalg.eigh, np.linalg.eigvalsh, np.linalg.inv, np.linalg.solve, np.linalg.svd)
)
"""Functions of NumPy's that look at floating-point errors by themselves."""
quiet_det, quiet_slogdet = _quiet("det", np.linalg.det), _quiet("slogdet", np.linalg.slogdet)


def _run(name: str, function: Callable[..., Any], arrays: list[Array], *results: tuple[Any, Any]) -> tuple[Array, ...]:
    """Results of a NumPy function that returns an array or a tuple of them."""
    quietly = function if function in _QUIET_BY_THEMSELVES else _quiet(name, function)
    quick = _core.on_host(quietly, *arrays)
    if quick is not None:
        made = quick if isinstance(quick, tuple) else (quick,)
        if all((x.shape, x.dtype) == result for x, result in zip(made, results, strict=True)):
            return made

    def fill(*views: np.ndarray) -> None:
        values = quietly(*views[: len(arrays)])
        for out, value in zip(views[len(arrays) :], values if isinstance(values, tuple) else (values,), strict=True):
            out[...] = value

    try:
        return results_through_host(f"linalg.{name}", fill, arrays, results)
    except np.linalg.LinAlgError as error:
        raise LinAlgError(f"{name}: {error}") from None


def cholesky(x: Array, upper: bool) -> Array:
    function = (lambda a: np.linalg.cholesky(a, upper=True)) if upper else np.linalg.cholesky
    return _run("cholesky", function, [x], (x.shape, x.dtype))[0]


def det(x: Array) -> Array:
    return _run("det", np.linalg.det, [x], (x.shape[:-2], x.dtype))[0]


def slogdet(x: Array) -> tuple[Array, ...]:
    return _run("slogdet", np.linalg.slogdet, [x], (x.shape[:-2], x.dtype), (x.shape[:-2], real_dtype(x.dtype)))


def inv(x: Array) -> Array:
    return _run("inv", np.linalg.inv, [x], (x.shape, x.dtype))[0]


def solve(a: Array, b: Array, shape: tuple[int, ...]) -> Array:
    """`b` holds columns: (..., M, K)."""
    return _run("solve", np.linalg.solve, [a, b], (shape, a.dtype))[0]


def lstsq(a: Array, b: Array, rcond: float | None) -> tuple[Array, Array, int, Array]:
    """The solutions for the columns of `b`, their squared distances, the rank of `a`, and its singular values.

    The distances count only where the rank is N and M is above N.
    """
    (m, n), k = a.shape, b.shape[1]
    rank = n

    def solved(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, ...]:
        nonlocal rank
        x, residuals, rank, s = np.linalg.lstsq(a, b, rcond)
        return x, residuals if residuals.size else np.zeros(k, s.dtype), s

    real = real_dtype(a.dtype)
    x, residuals, s = _run("lstsq", solved, [a, b], ((n, k), a.dtype), ((k,), real), ((min(m, n),), real))
    return x, residuals, int(rank), s


def qr(x: Array, mode: Literal["reduced", "complete"]) -> tuple[Array, ...]:
    *batch, m, n = x.shape
    k = min(m, n) if mode == "reduced" else m
    return _run("qr", lambda a: np.linalg.qr(a, mode=mode), [x], ((*batch, m, k), x.dtype), ((*batch, k, n), x.dtype))


def raw_qr(x: Array) -> tuple[Array, ...]:
    """Reflectors, transposed, and their factors, as LAPACK's geqrf leaves them."""
    *batch, m, n = x.shape
    raw = ((*batch, n, m), x.dtype), ((*batch, min(m, n)), x.dtype)
    return _run("qr", lambda a: np.linalg.qr(a, mode="raw"), [x], *raw)


def eigh(x: Array) -> tuple[Array, ...]:
    return _run("eigh", np.linalg.eigh, [x], (x.shape[:-1], real_dtype(x.dtype)), (x.shape, x.dtype))


def eigvalsh(x: Array) -> Array:
    return _run("eigvalsh", np.linalg.eigvalsh, [x], (x.shape[:-1], real_dtype(x.dtype)))[0]


def eig(x: Array) -> tuple[Array, ...]:
    dtype = np.result_type(x.dtype, np.complex64)

    def complexes(a: np.ndarray) -> tuple[np.ndarray, ...]:  # where all values are real, NumPy's results are
        return tuple(part.astype(dtype, copy=False) for part in np.linalg.eig(a))

    return _run("eig", complexes, [x], (x.shape[:-1], dtype), (x.shape, dtype))


def eigvals(x: Array) -> Array:
    dtype = np.result_type(x.dtype, np.complex64)

    def complexes(a: np.ndarray) -> np.ndarray:
        return np.linalg.eigvals(a).astype(dtype, copy=False)

    return _run("eigvals", complexes, [x], (x.shape[:-1], dtype))[0]


def svd(x: Array, full_matrices: bool) -> tuple[Array, ...]:
    *batch, m, n = x.shape
    k = min(m, n)
    p, q = (m, n) if full_matrices else (k, k)
    return _run(
        "svd",
        np.linalg.svd if full_matrices else lambda a: np.linalg.svd(a, full_matrices=False),
        [x],
        ((*batch, m, p), x.dtype),
        ((*batch, k), real_dtype(x.dtype)),
        ((*batch, q, n), x.dtype),
    )


def svdvals(x: Array) -> Array:
    shape = (*x.shape[:-2], min(x.shape[-2:]))
    return _run("svdvals", np.linalg.svdvals, [x], (shape, real_dtype(x.dtype)))[0]
