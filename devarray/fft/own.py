"""Transforms by our own kernels (codegen/kernels/fft.py). Lengths with a large prime factor become a convolution."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from devarray import _core
from devarray._primitives.launch import run, view_of
from devarray._routines.math import elementwise
from devarray._runtime.compiler import dialect
from devarray._runtime.devices import Device
from devarray.array import Array
from devarray.codegen.kernels.fft import plan_fft
from devarray.codegen.kernels.fft_kernel import radices

__all__ = ["complex_to_complex", "complex_to_real", "real_to_complex"]


def complex_to_complex(x: Array, axes: Sequence[int], inverse: bool) -> Array:
    """Unscaled transform along axes of any number, into fresh memory."""
    left = [axis for axis in sorted(axes) if x.shape[axis] > 1]
    for axis in reversed(left):
        x = _along(x, axis, x.shape[axis], "complex", "complex", inverse)
    return x if left else x.copy()


def real_to_complex(x: Array, axes: Sequence[int]) -> Array:
    """Unscaled transform of real data, the last axis halved."""
    x = _along(x, axes[-1], x.shape[axes[-1]], "real", "half", False)
    return complex_to_complex(x, axes[:-1], inverse=False) if len(axes) > 1 else x


def complex_to_real(x: Array, sizes: Sequence[int], axes: Sequence[int]) -> Array:
    """Unscaled inverse of :func:`real_to_complex`; `sizes` are the result's along the axes."""
    if len(axes) > 1:
        x = complex_to_complex(x, axes[:-1], inverse=True)
    return _along(x, axes[-1], sizes[-1], "half", "real", True)


def _along(x: Array, axis: int, n: int, load: str, store: str, inverse: bool) -> Array:
    """Transform of length `n` along one axis of what `load` names into what `store` names."""
    if radices(n) is None:
        return _by_convolution(x, axis, n, load, store, inverse)
    shape = list(x.shape)
    shape[axis] = n // 2 + 1 if store == "half" else n
    dtype = x.dtype
    if load == "real":
        dtype = np.result_type(dtype, np.complex64)
    if store == "real":
        dtype = np.dtype(f"f{dtype.itemsize // 2}")
    result = _core.empty_at(x, shape, dtype)
    source, target = view_of("in", x), view_of("out", result)
    plan = plan_fft(source, target, axis, n, dialect(x.device), load=load, store=store, inverse=inverse)
    run(plan, {"in": x, "out": result})
    return result


# --- lengths with large prime factors -------------------------------------------------------------------------------


def _by_convolution(x: Array, axis: int, n: int, load: str, store: str, inverse: bool) -> Array:
    """Bluestein's transform: with ``km = (k*k + m*m - (k-m)**2) / 2`` it is a convolution with a chirp, of a length
    that has small factors."""
    moved = _core.permute(x, [dim for dim in range(x.ndim) if dim != axis] + [axis])
    if load == "real":
        moved = moved.astype(np.result_type(x.dtype, np.complex64))
    elif load == "half":
        moved = _mirrored(moved, n)
    length = 1 << (2 * n - 2).bit_length()
    tables = _small_chirps if length <= _SMALL else _large_chirp
    chirp, spectrum = tables(x.device, moved.dtype.name, n, length, inverse)
    padded = _core.full((*moved.shape[:-1], length), moved.dtype, 0, x.queue, x.allocator)
    padded[..., :n] = moved * chirp
    product = complex_to_complex(padded, [padded.ndim - 1], False) * spectrum
    result = complex_to_complex(product, [padded.ndim - 1], True)[..., :n] * chirp
    if store == "half":
        result = result[..., : n // 2 + 1]
    elif store == "real":
        result = elementwise.real(result)
    back = list(range(x.ndim - 1))
    back.insert(axis, x.ndim - 1)
    return _core.permute(result, back)


def _mirrored(x: Array, n: int) -> Array:
    """A whole transform from its half along the last axis."""
    whole = _core.empty_at(x, (*x.shape[:-1], n))
    half = n // 2 + 1
    whole[..., :half] = x[..., :half]
    whole[..., half:] = x[..., 1 : (n + 1) // 2][..., ::-1].conj()
    whole[..., 0] = elementwise.real(x[..., 0])
    if n % 2 == 0:
        whole[..., n // 2] = elementwise.real(x[..., n // 2])
    return whole


def _chirp(device: Device, dtype: str, n: int, length: int, inverse: bool) -> tuple[Array, Array]:
    """The chirp of a length, and the transform of its conjugate, scaled: made on the host, once, and copied."""
    _core.require_room(length * np.dtype(dtype).itemsize, device.default_queue)
    k = np.arange(n, dtype=np.int64)
    turns = k * k % (2 * n) / n  # in half turns, exact up to the division
    wave = np.exp((1j if inverse else -1j) * np.pi * turns)
    filtered = np.zeros(length, np.complex128)
    filtered[:n] = wave.conj()
    filtered[length - n + 1 :] = wave[:0:-1].conj()
    tables = []
    for values in (wave, np.fft.fft(filtered) / length):
        table = _core.empty(values.shape, dtype, device.default_queue, _core.default_allocator(device))
        _core.copy_from_host(table, values.astype(dtype))
        tables.append(table)
    return tables[0], tables[1]


# Kept by number, and so in memory: at most 16 MiB each, and one that is larger.
_SMALL = 2**19
_small_chirps = lru_cache(maxsize=16)(_chirp)
_large_chirp = lru_cache(maxsize=1)(_chirp)
