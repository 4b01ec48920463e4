"""Decompositions by cuSOLVER and cuBLAS. The same functions as devarray/linalg/host.py.

The libraries want matrices in column-major order and overwrite them: each starts from a copy whose last two axes are
swapped. Small matrices of a stack go through the batched routines, where there are some, others one after the other on
the array's stream. Where NumPy raises LinAlgError, the host waits for the routine's info code; determinants do not.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from devarray import _core
from devarray._routines.creation import ranges
from devarray._routines.math import elementwise
from devarray.array import Array
from devarray.cuda import cublas, cusolver
from devarray.errors import LinAlgError
from devarray.linalg import host
from devarray.linalg.checks import real_dtype
from devarray.linalg.diagonals import diagonal

__all__ = ["cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "qr", "slogdet", "solve", "svd", "svdvals"]

_LETTER = {"float32": "S", "float64": "D", "complex64": "C", "complex128": "Z"}
_BATCHED = 256  # largest size for which the batched Cholesky and LU routines serve
_ONE_KERNEL = 32  # up to which a batched LU routine has one kernel, and is quicker for a single matrix, too
_JACOBI = 32  # the batched singular value decomposition takes no larger matrices
_JACOBI_ALONE = 2048  # columns up to which Jacobi's rotations are quicker than QR steps (H200: 88 and 145 ms of 1024)


# --- calls ----------------------------------------------------------------------------------------------------------


def _place(x: Array) -> tuple[int, int, int]:
    return x.device.index, x.queue._handle, x.queue.serial


def _count(x: Array) -> int:
    """Matrices in a stack."""
    return prod(x.shape[:-2])


def _swapped(x: Array) -> Array:
    """A fresh copy with the last two axes swapped: in memory, `x` in column-major order."""
    fresh = _core.empty_at(x, (*x.shape[:-2], x.shape[-1], x.shape[-2]))
    fresh[...] = x.mT
    return fresh


def _eye(x: Array, n: int) -> Array:
    """A unit matrix for each matrix of a stack."""
    unit = ranges.eye(n, dtype=x.dtype, queue=x.queue, allocator=x.allocator)
    return _core.broadcast_to(unit, (*x.shape[:-2], n, n)).copy()


def _info(x: Array) -> Array:
    return _core.full((max(1, _count(x)),), np.int32, 0, x.queue, x.allocator)


def _raise_where_failed(name: str, info: Array, message: str) -> None:
    """LinAlgError where an info code is not 0. Waits."""
    failed = np.flatnonzero(info.copy_to_host())
    if failed.size:
        which = f" (matrix {failed[0]} of {info.size})" if info.size > 1 else ""
        raise LinAlgError(f"{name}: {message}{which}")


def _one_by_one(
    name: str,
    arrays: Sequence[Array],
    steps: Sequence[int],
    arguments: Callable[..., tuple[Any, ...]],
    count: int,
    info: Array,
) -> None:
    """A 64-bit routine for each matrix of a stack.

    Parameters
    ----------
    name : str
        Behind ``cusolverDn``.
    arrays : sequence of Array
        All may be written.
    steps : sequence of int
        Bytes from matrix to matrix in each array.
    arguments : callable
        From addresses to the parameters between the handle's and the buffers.
    count : int
        How many; where the routine is batched, one call does all.
    info : Array
    """
    batched = name.endswith("Batched")
    tail = (count,) if batched else ()
    place = _place(arrays[0])
    sizes = [ctypes.c_size_t(), ctypes.c_size_t()]

    def ask(*addresses: int) -> None:
        handle = cusolver.handle(*place)
        given = arguments(*addresses)
        if name == "Xgetrf":  # whose query takes no pivots
            given = (*given[:5], given[-1])
        places = [ctypes.addressof(size) for size in sizes]
        cusolver.function(f"{name}_bufferSize")(handle.value, handle.params, *given, *places, *tail)

    _core.enqueue(ask, arrays, 0)
    on_device, on_host = (size.value for size in sizes)
    scratch = _core.empty((max(1, on_device),), np.uint8, arrays[0].queue, arrays[0].allocator)
    buffer = ctypes.create_string_buffer(max(1, on_host))

    def run(work: int, codes: int, *addresses: int) -> None:
        handle, call = cusolver.handle(*place), cusolver.function(name)
        buffers = (work, on_device, ctypes.addressof(buffer), on_host)
        for i in range(1 if batched else count):
            here = (address + i * step for address, step in zip(addresses, steps, strict=True))
            call(handle.value, handle.params, *arguments(*here), *buffers, codes + 4 * i, *tail)

    _core.enqueue(run, [scratch, info, *arrays], (1 << (len(arrays) + 2)) - 1)


def _addresses(x: Array) -> Array:
    """An array with the address of each matrix of a stack, as batched routines want it."""
    start = _core.enqueue(int, [x], 0)
    step = x.shape[-1] * x.shape[-2] * x.itemsize
    return _core.iota(_count(x), np.int64, start, step, x.queue, x.allocator)


# --- Cholesky, LU ---------------------------------------------------------------------------------------------------


def cholesky(x: Array, upper: bool) -> Array:
    n, a, info = x.shape[-1], _swapped(x), _info(x)
    triangle = cusolver.UPPER if upper else cusolver.LOWER
    count, data = _count(x), cublas.DATA[x.dtype.name]
    if a.size == 0:
        return a
    if count > 1 and n <= _BATCHED:
        place, call = _place(x), cusolver.function(f"{_LETTER[x.dtype.name]}potrfBatched")

        def run(addresses: int, codes: int, matrices: int) -> None:
            call(cusolver.handle(*place).value, triangle, n, addresses, n, codes, count)

        _core.enqueue(run, [_addresses(a), info, a], 0b110)
    else:
        _one_by_one("Xpotrf", [a], [n * n * x.itemsize], lambda p: (triangle, n, data, p, n, data), count, info)
    _raise_where_failed("cholesky", info, "Matrix is not positive definite")
    return ranges.triu(a.mT) if upper else ranges.tril(a.mT)


def _lu(x: Array) -> tuple[Array, Array, Array]:
    """L and U in one, column-major; the row that each was swapped with, counted from 1; info, not 0 where singular."""
    n, a, info, count = x.shape[-1], _swapped(x), _info(x), _count(x)
    small = n <= (_BATCHED if count > 1 else _ONE_KERNEL)
    pivots = _core.full(x.shape[:-1], np.int32 if small else np.int64, 0, x.queue, x.allocator)
    if a.size == 0:
        return a, pivots, info
    if small:
        queue, call = x.queue, cublas.function(f"cublas{_LETTER[x.dtype.name]}getrfBatched")

        def run(addresses: int, rows: int, codes: int, matrices: int) -> None:
            call(cublas.handle(queue), n, addresses, n, rows, codes, count)

        _core.enqueue(run, [_addresses(a), pivots, info, a], 0b1110)
    else:
        data = cublas.DATA[x.dtype.name]
        _one_by_one(
            "Xgetrf", [a, pivots], [n * n * x.itemsize, n * 8], lambda p, q: (n, n, data, p, n, q, data), count, info
        )
    return a, pivots, info


def _signs_and_diagonal(x: Array) -> tuple[Array, Array, Array]:
    """Of a determinant: the sign of the row swaps, U's diagonal, and whether the matrix is singular."""
    a, pivots, info = _lu(x)
    own = ranges.arange(1, x.shape[-1] + 1, dtype=pivots.dtype, queue=x.queue, allocator=x.allocator)
    odd = (pivots != own).sum(axis=-1) % 2
    return (1 - 2 * odd).astype(x.dtype), diagonal(a), info[: _count(x)].reshape(x.shape[:-2]) != 0


def det(x: Array) -> Array:
    sign, values, singular = _signs_and_diagonal(x)
    return elementwise.where(singular, 0, sign * values.prod(axis=-1))


def slogdet(x: Array) -> tuple[Array, ...]:
    sign, values, singular = _signs_and_diagonal(x)
    units = elementwise.sign(values).prod(axis=-1)
    logs = elementwise.log(elementwise.abs(values)).sum(axis=-1)
    return elementwise.where(singular, 0, sign * units), elementwise.where(singular, -np.inf, logs)


def _solve(name: str, a: Array, b: Array, shape: tuple[int, ...]) -> Array:
    factors, pivots, info = _lu(a)
    if prod(shape) == 0:
        return _core.empty_at(a, shape)
    x = _swapped(_core.broadcast_to(b, shape))
    n = shape[-2]
    factors = _core.contiguous(_core.broadcast_to(factors, (*shape[:-2], n, n)))
    pivots = _core.contiguous(_core.broadcast_to(pivots, (*shape[:-2], n)))
    (_substitute_batched if pivots.dtype == np.int32 else _substitute)(factors, pivots, x)
    _raise_where_failed(name, info, "Singular matrix")  # behind all that is enqueued: the device need not wait for it
    return x.mT


def _substitute_batched(factors: Array, pivots: Array, x: Array) -> None:
    """Solve in place, for the right-hand sides in the rows of `x`, from 32-bit pivots."""
    n, columns, count, queue = x.shape[-1], x.shape[-2], _count(x), x.queue
    call, code = cublas.function(f"cublas{_LETTER[x.dtype.name]}getrsBatched"), ctypes.c_int()

    def run(left: int, right: int, rows: int, matrices: int, results: int) -> None:
        handle = cublas.handle(queue)
        call(handle, cublas.NO, n, columns, left, n, rows, right, n, ctypes.addressof(code), count)

    _core.enqueue(run, [_addresses(factors), _addresses(x), pivots, factors, x], 0b10000)


def _substitute(factors: Array, pivots: Array, x: Array) -> None:
    """The same one by one, from 64-bit pivots."""
    n, columns, size = x.shape[-1], x.shape[-2], x.itemsize
    place, data = _place(x), cublas.DATA[x.dtype.name]

    def run(codes: int, matrices: int, rows: int, results: int) -> None:
        handle, call = cusolver.handle(*place), cusolver.function("Xgetrs")
        for i in range(_count(x)):
            matrix, right = matrices + i * n * n * size, results + i * n * columns * size
            sizes = (cublas.NO, n, columns)
            call(handle.value, handle.params, *sizes, data, matrix, n, rows + i * n * 8, data, right, n, codes)

    _core.enqueue(run, [_info(x), factors, pivots, x], 0b1001)


def solve(a: Array, b: Array, shape: tuple[int, ...]) -> Array:
    return _solve("solve", a, b, shape)


def inv(x: Array) -> Array:
    unit = ranges.eye(x.shape[-1], dtype=x.dtype, queue=x.queue, allocator=x.allocator)
    return _solve("inv", x, unit, x.shape)


# --- QR -------------------------------------------------------------------------------------------------------------


def qr(x: Array, mode: str) -> tuple[Array, ...]:
    m, n = x.shape[-2:]
    k, batch, count = min(m, n), x.shape[:-2], _count(x)
    wide = k if mode == "reduced" else m
    a = _swapped(x)
    if x.size == 0:
        q = _eye(x, m) if wide == m else _core.empty_at(x, (*batch, m, wide))
        return q, _core.empty_at(x, (*batch, wide, n))
    data, size = cublas.DATA[x.dtype.name], x.itemsize
    tau = _core.empty_at(x, (*batch, k))
    _one_by_one(
        "Xgeqrf", [a, tau], [m * n * size, k * size], lambda p, t: (m, n, data, p, m, data, t, data), count, _info(x)
    )
    r = ranges.triu(a.mT[..., :wide, :]).evaluate()  # a pending factor would keep the whole of `a` alive
    q = _core.empty_at(x, (*batch, wide, m))
    q[..., :k, :] = a[..., :k, :]
    name = f"{_LETTER[x.dtype.name]}{'ungqr' if x.dtype.kind == 'c' else 'orgqr'}"
    place, length = _place(x), ctypes.c_int()

    def ask(columns: int, scales: int) -> None:
        handle, query = cusolver.handle(*place).value, cusolver.function(f"{name}_bufferSize")
        query(handle, m, wide, k, columns, m, scales, ctypes.addressof(length))

    _core.enqueue(ask, [q, tau], 0)
    work = _core.empty((max(1, length.value),), x.dtype, x.queue, x.allocator)

    def run(columns: int, scales: int, scratch: int, code: int) -> None:
        handle, call = cusolver.handle(*place).value, cusolver.function(name)
        for i in range(count):
            matrix, factors = columns + i * wide * m * size, scales + i * k * size
            call(handle, m, wide, k, matrix, m, factors, scratch, length.value, code)

    _core.enqueue(run, [q, tau, work, _info(x)], 0b1101)
    return q.mT, r


# --- eigenvalues ----------------------------------------------------------------------------------------------------


def _hermitian(name: str, x: Array, vectors: bool) -> tuple[Array, Array]:
    n, a, info, count = x.shape[-1], _swapped(x), _info(x), _count(x)
    values = _core.empty_at(x, x.shape[:-1], real_dtype(x.dtype))
    if x.size == 0:
        return values, a
    data, real = cublas.DATA[x.dtype.name], cublas.DATA[values.dtype.name]
    batched = count > 1 and cusolver.has("XsyevBatched")
    _one_by_one(
        "XsyevBatched" if batched else "Xsyevd",
        [a, values],
        [n * n * x.itemsize, n * values.itemsize],
        lambda p, w: (int(vectors), cusolver.LOWER, n, data, p, n, real, w, data),
        count,
        info,
    )
    _raise_where_failed(name, info, "Eigenvalues did not converge")
    return values, a.mT


def eigh(x: Array) -> tuple[Array, ...]:
    return _hermitian("eigh", x, True)


def eigvalsh(x: Array) -> Array:
    return _hermitian("eigvalsh", x, False)[0]


def _general(name: str, x: Array, vectors: bool) -> tuple[Array, Array]:
    n, a, info, count = x.shape[-1], _swapped(x), _info(x), _count(x)
    wide = np.result_type(x.dtype, np.complex64)
    values = _core.empty_at(x, x.shape[:-1], wide)
    if x.size == 0:
        return values, _core.empty_at(x, x.shape, wide)
    if not bool(elementwise.isfinite(x).all()):
        raise LinAlgError(f"{name}: Array must not contain infs or NaNs")
    right = _core.empty_at(x, x.shape) if vectors else a
    data, spectrum = cublas.DATA[x.dtype.name], cublas.DATA[wide.name]
    _one_by_one(
        "Xgeev",
        [a, values, right],
        [n * n * x.itemsize, n * wide.itemsize, n * n * x.itemsize],
        lambda p, w, v: (
            *(0, int(vectors), n, data, p, n, spectrum, w),
            *(data, None, n, data, v if vectors else None, n, data),
        ),
        count,
        info,
    )
    _raise_where_failed(name, info, "Eigenvalues did not converge")
    return values, (_complex_vectors(right, values) if vectors and x.dtype.kind == "f" else right).mT


def _complex_vectors(rows: Array, values: Array) -> Array:
    """Eigenvectors of real matrices, one in each row. Of a conjugate pair LAPACK stores real and imaginary part."""
    above, below = _core.empty_at(rows, rows.shape), _core.empty_at(rows, rows.shape)
    above[..., 1:, :], below[..., :-1, :] = rows[..., :-1, :], rows[..., 1:, :]
    above[..., :1, :], below[..., -1:, :] = 0, 0
    kind = elementwise.imag(values)[..., None]
    real = elementwise.where(kind < 0, above, rows)
    imaginary = elementwise.where(kind > 0, below, elementwise.where(kind < 0, -rows, 0))
    return real + imaginary * 1j


def eig(x: Array) -> tuple[Array, ...]:
    return _general("eig", x, True) if cusolver.has("Xgeev") else host.eig(x)


def eigvals(x: Array) -> Array:
    return _general("eigvals", x, False)[0] if cusolver.has("Xgeev") else host.eigvals(x)


# --- singular values ------------------------------------------------------------------------------------------------


def _singular(name: str, x: Array, full: bool, vectors: bool) -> tuple[Array, Array, Array]:
    """U, S and Vh. The routines want no fewer rows than columns: of a wide matrix the transpose is decomposed, which in
    column-major order is the matrix as it lies in memory."""
    tall = x.shape[-2] >= x.shape[-1]
    m, n = max(x.shape[-2:]), min(x.shape[-2:])
    batch = x.shape[:-2]
    values = _core.empty_at(x, (*batch, n), real_dtype(x.dtype))
    if x.size == 0:
        rows, columns = x.shape[-2:]
        left = _eye(x, rows) if full else _core.empty_at(x, (*batch, rows, n))
        return left, values, _eye(x, columns) if full else _core.empty_at(x, (*batch, n, columns))
    batched = _count(x) > 1 and m <= _JACOBI
    jacobi = batched or (vectors and n <= _JACOBI_ALONE)
    while True:
        a, info = _swapped(x if tall else x.mT), _info(x)
        left, right = (_jacobi if jacobi else _bidiagonal)(a, values, m if full else n, vectors, info)
        if batched or not jacobi or not info.copy_to_host().any():
            break
        jacobi = False  # it did not converge; the other routine may
    _raise_where_failed(name, info, "SVD did not converge")
    return (left, values, right) if tall else (right.mT, values, left.mT)


def _bidiagonal(a: Array, values: Array, wide: int, vectors: bool, info: Array) -> tuple[Array, Array]:
    """So many columns of U, and Vh, by QR steps on a bidiagonal form; without vectors nothing of use."""
    batch, (n, m), size = a.shape[:-2], a.shape[-2:], a.itemsize
    left = _core.empty_at(a, (*batch, wide, m)) if vectors else a
    right = _core.empty_at(a, (*batch, n, n)) if vectors else a
    data, real = cublas.DATA[a.dtype.name], cublas.DATA[values.dtype.name]
    jobs = (b"A" if wide > n else b"S", b"S") if vectors else (b"N", b"N")
    _one_by_one(
        "Xgesvd",
        [a, values, left, right],
        [m * n * size, n * values.itemsize, wide * m * size if vectors else 0, n * n * size if vectors else 0],
        lambda p, s, u, v: (*jobs, m, n, data, p, m, real, s, data, u, m, data, v, n, data),
        _count(a),
        info,
    )
    return left.mT, right.mT


def _jacobi(a: Array, values: Array, wide: int, vectors: bool, info: Array) -> tuple[Array, Array]:
    """The same by Jacobi rotations: of small matrices all at once, of larger ones each by itself."""
    batch, (n, m), count, place = a.shape[:-2], a.shape[-2:], _count(a), _place(a)
    batched = count > 1 and m <= _JACOBI
    columns = m if batched else wide
    left, right = _core.empty_at(a, (*batch, columns, m)), _core.empty_at(a, (*batch, n, n))
    name, length = f"{_LETTER[a.dtype.name]}gesvdj{'Batched' if batched else ''}", ctypes.c_int()
    first = (int(vectors),) if batched else (int(vectors), int(wide == n))
    tail = (count,) if batched else ()
    steps = [
        size * array.itemsize
        for size, array in zip((m * n, n, columns * m, n * n), (a, values, left, right), strict=True)
    ]

    def parameters(addresses: Sequence[int]) -> tuple[Any, ...]:
        p, s, u, v = addresses
        return cusolver.handle(*place).value, *first, m, n, p, m, s, u, m, v, n

    def ask(*addresses: int) -> None:
        query = cusolver.function(f"{name}_bufferSize")
        query(*parameters(addresses), ctypes.addressof(length), cusolver.handle(*place).jacobi, *tail)

    _core.enqueue(ask, [a, values, left, right], 0)
    work = _core.empty((max(1, length.value),), a.dtype, a.queue, a.allocator)

    def run(scratch: int, codes: int, *addresses: int) -> None:
        call, settings = cusolver.function(name), cusolver.handle(*place).jacobi
        for i in range(1 if batched else count):
            here = [address + i * step for address, step in zip(addresses, steps, strict=True)]
            call(*parameters(here), scratch, length.value, codes + 4 * i, settings, *tail)

    _core.enqueue(run, [work, info, a, values, left, right], 0b111111)
    return left[..., :wide, :].mT, right.conj()  # V's columns as rows, conjugated: Vh


def svd(x: Array, full_matrices: bool) -> tuple[Array, ...]:
    return _singular("svd", x, full_matrices, True)


def svdvals(x: Array) -> Array:
    return _singular("svdvals", x, False, False)[1]
