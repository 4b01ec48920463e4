"""Random numbers under ``pycuda.curandom``'s names.

The pseudo-random generators are Philox, devarray's own, each by its seed: the names say which of PyCUDA's classes a
program asked for, not the bits, which are those of `devarray.random` and not CURAND's. The Sobol generators give
Sobol's sequence in one dimension, in order.

Examples
--------
>>> import devarray as da
>>> from devarray.cuda import curandom
>>> x = da.empty(3, "float32")
>>> curandom.Sobol32RandomNumberGenerator().fill_uniform(x)
>>> x.copy_to_host()
array([0.  , 0.5 , 0.75], dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import devarray as da
from devarray._kernels.driver_arrays import shape_of
from devarray._primitives.checks import require_array
from devarray.cuda._gpuarray import GPUArray, place_of
from devarray.cuda._random import RandomNumbers, real_dtype
from devarray.cuda._sobol import (
    ScrambledSobol32RandomNumberGenerator,
    ScrambledSobol64RandomNumberGenerator,
    Sobol32RandomNumberGenerator,
    Sobol64RandomNumberGenerator,
    first_directions,
)

__all__ = [
    "MRG32k3aRandomNumberGenerator",
    "ScrambledSobol32RandomNumberGenerator",
    "ScrambledSobol64RandomNumberGenerator",
    "Sobol32RandomNumberGenerator",
    "Sobol64RandomNumberGenerator",
    "XORWOWRandomNumberGenerator",
    "direction_vector_set",
    "generate_direction_vectors",
    "generate_scramble_constants32",
    "generate_scramble_constants64",
    "get_curand_version",
    "rand",
    "seed_getter_uniform",
    "seed_getter_unique",
]


class direction_vector_set:
    """Sets of direction vectors, by CURAND's names."""

    VECTOR_32 = 101
    SCRAMBLED_VECTOR_32 = 102
    VECTOR_64 = 103
    SCRAMBLED_VECTOR_64 = 104


def get_curand_version() -> tuple[int, int, int]:
    """The version of CURAND whose generators have names here; the library itself is not used.

    Returns
    -------
    tuple of int
        (4, 1, 0).

    Examples
    --------
    >>> from devarray.cuda import curandom
    >>> curandom.get_curand_version()
    (4, 1, 0)
    """
    return (4, 1, 0)


def rand(shape: object, dtype: Any = np.float32, stream: object = None) -> GPUArray:
    """Random numbers in a new array: floats from 0 to 1, integers of their whole range.

    Parameters
    ----------
    shape : int or tuple of int
        Sizes of the axes.
    dtype : dtype
        Of floats or integers. float32 by default.
    stream : Stream, optional
        Orders the work on the array.

    Returns
    -------
    GPUArray
        A new array.
    """
    generator = XORWOWRandomNumberGenerator()
    if np.dtype(dtype).kind != "f":
        return generator.gen_uniform(shape, dtype, stream)
    # From 0 on and below 1, other than the generator's own.
    return generator._made(lambda data: data.__setitem__(..., generator._below_one(data)), shape, dtype, stream)


def seed_getter_uniform(n: int) -> GPUArray:
    """`n` times one random seed.

    Parameters
    ----------
    n : int
        The number.

    Returns
    -------
    GPUArray
        Of int32.
    """
    seed = int(np.random.default_rng().integers(1 << 31))
    return GPUArray._of(da.full(shape_of(n), seed, dtype=np.int32, **place_of()))


def seed_getter_unique(n: int) -> GPUArray:
    """`n` random seeds.

    Parameters
    ----------
    n : int
        The number.

    Returns
    -------
    GPUArray
        Of int32.
    """
    return GPUArray._of(da.asarray(np.random.default_rng().integers(1 << 31, size=n, dtype=np.int32), **place_of()))


class _Pseudo(RandomNumbers):
    """A pseudo-random generator: Philox by the seeds.

    Parameters
    ----------
    seed_getter : callable, optional
        (n) -> n integers, of which the first is the seed; `seed_getter_uniform` and `seed_getter_unique` are such, and
        so is ``lambda n: np.full(n, 42)``. From the system by default.
    offset : int
        Numbers that are left out first. 0 by default.
    """

    _stream = 0

    def __init__(self, seed_getter: Callable[[int], Any] | None = None, offset: int = 0) -> None:
        seed = None
        if seed_getter is not None:
            seeds = seed_getter(1)
            seed = [int(np.ravel(seeds.copy_to_host() if isinstance(seeds, da.Array) else seeds)[0]) & (1 << 64) - 1]
        self._bits = da.random.Philox(seed if seed is None else [*seed, self._stream])
        self._generator = da.random.Generator(self._bits)
        if offset:
            self._skip(offset)

    def _skip(self, count: int) -> None:
        self._bits.advance(-(-count // 4))

    def _uniform(self, data: Any) -> da.Array:
        dtype = np.dtype(data.dtype)
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            return self._generator.integers(info.min, info.max, data.shape, dtype=dtype, endpoint=True)
        return 1 - self._below_one(data)

    def _below_one(self, data: Any) -> da.Array:
        return self._generator.random(data.shape, dtype=real_dtype(np.dtype(data.dtype)))

    def _normal(self, data: Any) -> da.Array:
        return self._generator.standard_normal(data.shape, dtype=real_dtype(np.dtype(data.dtype)))

    def fill_poisson(self, data: Any, lambda_value: float | None = None, stream: Any = None) -> None:
        """Fill an array with Poisson's numbers.

        Parameters
        ----------
        data : Array
            Where they go; without a `lambda_value` its elements are the means.
        lambda_value : float, optional
            The mean.
        stream : Stream, optional
            Taken for PyCUDA's sake: the array's own orders the work.
        """
        require_array("fill_poisson", data)
        mean = data.astype("float64") if lambda_value is None else lambda_value
        data[...] = self._placed(data, lambda x: self._generator.poisson(mean, x.shape)).astype(data.dtype)

    def gen_poisson(self, shape: object, dtype: object, lambda_value: float, stream: object = None) -> GPUArray:
        """Poisson's numbers in a new array.

        Parameters
        ----------
        shape : int or tuple of int
            Sizes of the axes.
        dtype : dtype
            Of floats or integers.
        lambda_value : float
            The mean.
        stream : Stream, optional
            Orders the work on the array.

        Returns
        -------
        GPUArray
            A new array.
        """
        return self._made(lambda data: self.fill_poisson(data, lambda_value), shape, dtype, stream)

    def call_skip_ahead_sequence(self, i: int, stream: object = None) -> None:
        """Leave whole sequences of 2**40 numbers out.

        Parameters
        ----------
        i : int
            How many.
        stream : Stream, optional
            Taken for PyCUDA's sake.
        """
        self._skip(int(i) << 40)

    def call_skip_ahead_sequence_array(self, i: Any, stream: object = None) -> None:
        """Leave whole sequences out, as many as the largest of an array says.

        Parameters
        ----------
        i : Array
            Of integers.
        stream : Stream, optional
            Taken for PyCUDA's sake.
        """
        self._skip(int(i.max().item()) << 40)


class XORWOWRandomNumberGenerator(_Pseudo):
    """Pseudo-random numbers under the name of PyCUDA's default generator; the words come from Philox.

    Parameters
    ----------
    seed_getter : callable, optional
        (n) -> n integers, of which the first is the seed; from the system by default.
    offset : int
        Numbers that are left out first. 0 by default.

    Examples
    --------
    >>> import devarray as da, numpy as np
    >>> from devarray.cuda import curandom
    >>> x, y = da.empty(4, "float32"), da.empty(4, "float32")
    >>> for data in (x, y):
    ...     curandom.XORWOWRandomNumberGenerator(lambda n: np.full(n, 42)).fill_uniform(data)
    >>> bool((x == y).all())
    True
    """


class MRG32k3aRandomNumberGenerator(_Pseudo):
    """Pseudo-random numbers under the name of PyCUDA's; the words come from Philox, other ones than XORWOW's.

    Parameters
    ----------
    seed_getter : callable, optional
        (n) -> n integers, of which the first is the seed; from the system by default.
    offset : int
        Numbers that are left out first. 0 by default.
    """

    _stream = 1

    def call_skip_ahead_subsequence(self, i: int, stream: object = None) -> None:
        """Leave subsequences of 2**30 numbers out.

        Parameters
        ----------
        i : int
            How many.
        stream : Stream, optional
            Taken for PyCUDA's sake.
        """
        self._skip(int(i) << 30)

    def call_skip_ahead_subsequence_array(self, i: Any, stream: object = None) -> None:
        """Leave subsequences out, as many as the largest of an array says.

        Parameters
        ----------
        i : Array
            Of integers.
        stream : Stream, optional
            Taken for PyCUDA's sake.
        """
        self._skip(int(i.max().item()) << 30)


def generate_direction_vectors(count: int, direction: int = direction_vector_set.VECTOR_32) -> GPUArray:
    """Direction vectors of Sobol's first dimension, `count` times.

    Parameters
    ----------
    count : int
        The number.
    direction : int
        Of `direction_vector_set`; 64 bits for its last two.

    Returns
    -------
    GPUArray
        Of uint32 or uint64, a row a vector.
    """
    bits = 64 if direction in (direction_vector_set.VECTOR_64, direction_vector_set.SCRAMBLED_VECTOR_64) else 32
    return GPUArray._of(da.asarray(np.tile(first_directions(bits), (count, 1)), **place_of()))


def generate_scramble_constants32(count: int) -> GPUArray:
    """Random words for `ScrambledSobol32RandomNumberGenerator`.

    Parameters
    ----------
    count : int
        The number.

    Returns
    -------
    GPUArray
        Of uint32.
    """
    words = np.random.default_rng().integers(1 << 32, size=count, dtype=np.uint32)
    return GPUArray._of(da.asarray(words, **place_of()))


def generate_scramble_constants64(count: int) -> GPUArray:
    """Random words for `ScrambledSobol64RandomNumberGenerator`.

    Parameters
    ----------
    count : int
        The number.

    Returns
    -------
    GPUArray
        Of uint64.
    """
    words = np.random.default_rng().integers(0, (1 << 64) - 1, count, np.uint64, endpoint=True)
    return GPUArray._of(da.asarray(words, **place_of()))
