"""What Dask calls an array by: a hash of its values, computed on the device, of which 16 bytes come to the host."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core
from devarray.array import Array

__all__ = ["token"]

_WORD = np.dtype(np.uint64)
_WORDS = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15  # 2**64 over the golden ratio: steps of splitmix64
_SALTS = (0x243F6A8885A308D3, 0x13198A2E03707344)  # of pi's digits


def token(x: Array) -> tuple[Any, ...]:
    """What ``Array.__dask_tokenize__`` does: equal for equal values, shapes, dtypes and devices, in every process.

    It reads the array once, on the device, and waits for the result.

    Parameters
    ----------
    x : Array
        Of any layout.

    Returns
    -------
    tuple
        Of names and numbers.
    """
    place = (x.device.driver, x.device.index)
    return ("devarray", x.shape, x.dtype.str, x.dtype.name, place, *_hashes(x))


def _hashes(x: Array) -> tuple[int, ...]:
    """128 bits of the values and their places: sums of mixed words, whose order does not matter."""
    if x.size == 0:
        return (0, 0)
    numbers = _core.iota(x.shape, _WORD, 0, 1, x.queue, x.allocator) * _GOLDEN
    sums = []
    for salt in _SALTS:
        mixed = _mixed(numbers + salt)
        for bits in _bits(x):
            mixed = _mixed(mixed ^ bits)
        sums.append(mixed.sum())
    return tuple(int(n) for n in sums)


def _bits(x: Array) -> tuple[Array, ...]:
    """The elements' bits as words."""
    if x.dtype.itemsize == 16:  # complex128
        return _bits(x.real) + _bits(x.imag)
    return (x.view(np.dtype(f"u{x.dtype.itemsize}")).astype(_WORD, copy=False),)


def _mixed(word: Array) -> Array:
    """splitmix64's finalizer: each bit of the result depends on each of the word's."""
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB
    return word ^ (word >> 31)
