"""Sobol's sequence under ``pycuda.curandom``'s names."""

from __future__ import annotations

from typing import Any

import numpy as np

import devarray as da
from devarray.cuda._random import RandomNumbers, real_dtype, words_of
from devarray.errors import DTypeError, ValueError

__all__ = [
    "ScrambledSobol32RandomNumberGenerator",
    "ScrambledSobol64RandomNumberGenerator",
    "Sobol32RandomNumberGenerator",
    "Sobol64RandomNumberGenerator",
    "first_directions",
]


def first_directions(bits: int) -> np.ndarray:
    """The direction numbers of Sobol's first dimension: one bit each, from the highest."""
    return np.array([1 << (bits - 1 - k) for k in range(bits)], f"uint{bits}")


class _Sobol(RandomNumbers):
    """Sobol's sequence in one dimension, each number once, in Gray code's order."""

    _bits = 32

    def __init__(self, dir_vector: object = None, offset: int = 0) -> None:
        directions = first_directions(self._bits) if dir_vector is None else words_of(dir_vector)[: self._bits]
        if directions.size != self._bits:
            raise ValueError(f"a direction vector has {self._bits} words, not {directions.size}")
        self._directions, self._scramble = directions.astype(f"uint{self._bits}"), 0
        self._at = int(offset)

    def _skip(self, count: int) -> None:
        self._at += count

    def _drawn(self, data: Any) -> da.Array:
        """The next words of the sequence, in the shape of an array."""
        kind = np.dtype(f"uint{self._bits}")
        number = da.arange(self._at, self._at + data.size, dtype="int64").astype(kind)
        gray = number ^ (number >> kind.type(1))
        words = da.full(data.size, self._scramble, dtype=kind)
        for bit in range((self._at + data.size).bit_length()):
            words = words ^ (gray >> kind.type(bit) & kind.type(1)) * kind.type(self._directions[bit])
        self._at += data.size
        return words.reshape(data.shape)

    def _uniform(self, data: Any) -> da.Array:
        dtype, words = np.dtype(data.dtype), self._drawn(data)
        if dtype.kind in "iu":
            if dtype.itemsize * 8 > self._bits:
                raise DTypeError(f"this generator has words of {self._bits} bits; {dtype} wants more")
            return (words >> words.dtype.type(self._bits - dtype.itemsize * 8)).astype(dtype)
        # What a float does not hold is cut off, so that 1 is never reached.
        held = np.finfo(real_dtype(dtype)).nmant + 1
        kept = words >> words.dtype.type(self._bits - held) if held < self._bits else words
        return kept.astype(dtype) * dtype.type(2.0 ** -min(held, self._bits))

    def _normal(self, data: Any) -> da.Array:
        dtype, words = real_dtype(np.dtype(data.dtype)), self._drawn(data)
        # The middles of the intervals: the quantiles of 0 and 1 are infinite.
        kept = words >> words.dtype.type(self._bits - 32) if self._bits > 32 else words
        middle = (kept.astype("float64") + 0.5) * 2.0**-32
        return (-np.sqrt(2.0) * da.special.erfcinv(2 * middle)).astype(dtype)


class Sobol32RandomNumberGenerator(_Sobol):
    """Sobol's sequence in one dimension: quasi-random numbers of 32 bits.

    Parameters
    ----------
    dir_vector : Array, optional
        Direction numbers, of which the first 32 are taken: one sequence serves all elements. Those of Sobol's first
        dimension by default.
    offset : int
        Numbers that are left out first. 0 by default.
    """


class Sobol64RandomNumberGenerator(_Sobol):
    """Sobol's sequence in one dimension: quasi-random numbers of 64 bits.

    Parameters
    ----------
    dir_vector : Array, optional
        Direction numbers, of which the first 64 are taken. Those of Sobol's first dimension by default.
    offset : int
        Numbers that are left out first. 0 by default.
    """

    _bits = 64


class ScrambledSobol32RandomNumberGenerator(_Sobol):
    """Sobol's sequence in one dimension, its words of 32 bits combined with one word by exclusive or.

    Parameters
    ----------
    dir_vector : Array, optional
        As in `Sobol32RandomNumberGenerator`.
    scramble_vector : Array, optional
        Of which the first word is taken; a random one by default.
    offset : int
        Numbers that are left out first. 0 by default.
    """

    def __init__(self, dir_vector: object = None, scramble_vector: object = None, offset: int = 0) -> None:
        super().__init__(dir_vector, offset)
        words = [np.random.default_rng().integers(1 << 32)] if scramble_vector is None else words_of(scramble_vector)
        self._scramble = int(words[0]) & (1 << self._bits) - 1


class ScrambledSobol64RandomNumberGenerator(_Sobol):
    """Sobol's sequence in one dimension, its words of 64 bits combined with one word by exclusive or.

    Parameters
    ----------
    dir_vector : Array, optional
        As in `Sobol64RandomNumberGenerator`.
    scramble_vector : Array, optional
        Of which the first word is taken; a random one by default.
    offset : int
        Numbers that are left out first. 0 by default.
    """

    _bits = 64

    def __init__(self, dir_vector: object = None, scramble_vector: object = None, offset: int = 0) -> None:
        super().__init__(dir_vector, offset)
        if scramble_vector is None:
            self._scramble = int(np.random.default_rng().integers(0, (1 << 64) - 1, dtype=np.uint64, endpoint=True))
        else:
            self._scramble = int(words_of(scramble_vector)[0]) & (1 << 64) - 1
