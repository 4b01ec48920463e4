"""What the generators of ``pycuda.curandom``'s names share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import devarray as da
from devarray._kernels.driver_arrays import shape_of
from devarray._primitives.checks import require_array
from devarray.cuda._gpuarray import GPUArray, place_of
from devarray.errors import DTypeError

__all__ = ["RandomNumbers", "real_dtype", "words_of"]


class RandomNumbers:
    """What the generators share: each `fill_` method has a `gen_` that makes its array."""

    generators_per_block = 256
    """Taken for PyCUDA's sake: no number depends on it."""

    def _uniform(self, data: object) -> da.Array:
        raise NotImplementedError

    def _normal(self, data: object) -> da.Array:
        raise NotImplementedError

    def _skip(self, count: int) -> None:
        raise NotImplementedError

    def fill_uniform(self, data: Any, stream: object = None) -> None:
        """Fill an array with uniform numbers: floats above 0 and up to 1 (Sobol's from 0 on), integers of their range.

        Parameters
        ----------
        data : Array
            Of floats or integers.
        stream : Stream, optional
            Taken for PyCUDA's sake: the array's own orders the work.
        """
        require_array("fill_uniform", data)
        data[...] = self._placed(data, self._uniform)

    def fill_normal(self, data: Any, stream: object = None) -> None:
        """Fill an array with normal numbers of mean 0 and standard deviation 1.

        Parameters
        ----------
        data : Array
            Of floats.
        stream : Stream, optional
            Taken for PyCUDA's sake: the array's own orders the work.
        """
        require_array("fill_normal", data)
        data[...] = self._placed(data, self._normal)

    def fill_log_normal(self, data: Any, mean: float, stddev: float, stream: object = None) -> None:
        """Fill an array with numbers whose logarithms are normal.

        Parameters
        ----------
        data : Array
            Of floats.
        mean, stddev : float
            Of the logarithms.
        stream : Stream, optional
            Taken for PyCUDA's sake: the array's own orders the work.
        """
        require_array("fill_log_normal", data)
        data[...] = da.exp(self._placed(data, self._normal) * stddev + mean)

    def gen_uniform(self, shape: object, dtype: object, stream: object = None) -> GPUArray:
        """Uniform numbers in a new array, as `fill_uniform` gives them.

        Parameters
        ----------
        shape : int or tuple of int
            Sizes of the axes.
        dtype : dtype
            Of floats or integers.
        stream : Stream, optional
            Orders the work on the array.

        Returns
        -------
        GPUArray
            A new array.
        """
        return self._made(self.fill_uniform, shape, dtype, stream)

    def gen_normal(self, shape: object, dtype: object, stream: object = None) -> GPUArray:
        """Normal numbers in a new array.

        Parameters
        ----------
        shape : int or tuple of int
            Sizes of the axes.
        dtype : dtype
            Of floats.
        stream : Stream, optional
            Orders the work on the array.

        Returns
        -------
        GPUArray
            A new array.
        """
        return self._made(self.fill_normal, shape, dtype, stream)

    def gen_log_normal(
        self, shape: object, dtype: object, mean: float, stddev: float, stream: object = None
    ) -> GPUArray:
        """Numbers whose logarithms are normal, in a new array.

        Parameters
        ----------
        shape : int or tuple of int
            Sizes of the axes.
        dtype : dtype
            Of floats.
        mean, stddev : float
            Of the logarithms.
        stream : Stream, optional
            Orders the work on the array.

        Returns
        -------
        GPUArray
            A new array.
        """
        return self._made(lambda data: self.fill_log_normal(data, mean, stddev), shape, dtype, stream)

    def call_skip_ahead(self, i: int, stream: object = None) -> None:
        """Leave numbers out.

        Parameters
        ----------
        i : int
            How many.
        stream : Stream, optional
            Taken for PyCUDA's sake.
        """
        self._skip(int(i))

    def call_skip_ahead_array(self, i: Any, stream: object = None) -> None:
        """Leave numbers out, as many as the largest of an array says: there is one sequence, not one a thread.

        Parameters
        ----------
        i : Array
            Of integers.
        stream : Stream, optional
            Taken for PyCUDA's sake.
        """
        self._skip(int(i.max().item()))

    @staticmethod
    def _placed(data: Any, draw: Callable[[Any], da.Array]) -> da.Array:
        with da.use(queue=data._place_queue() if hasattr(data, "_place_queue") else data.queue):
            return draw(data)

    @staticmethod
    def _made(fill: Callable[[Any], None], shape: object, dtype: object, stream: object) -> GPUArray:
        data = GPUArray._of(da.empty(shape_of(shape), dtype=dtype, **place_of(stream)))
        fill(data)
        return data


def real_dtype(dtype: np.dtype) -> Any:
    if dtype.kind != "f" or dtype.itemsize < 4:
        raise DTypeError(f"random numbers are float32, float64 or, uniform ones, integers; not {dtype}")
    return dtype


def words_of(values: object) -> np.ndarray:
    return np.ravel(values.copy_to_host() if isinstance(values, da.Array) else np.asarray(values))
