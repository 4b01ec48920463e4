"""Random numbers under ``pyopencl.clrandom``'s names, drawn by `devarray.random`.

Examples
--------
>>> from devarray import cl
>>> from devarray.cl import clrandom
>>> queue = cl.CommandQueue(cl.create_some_context(answers=["0"]))
>>> x = clrandom.PhiloxGenerator(queue.context, seed=3).uniform(queue, 1000, "float32")
>>> bool((x.get() < 1).all())
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import devarray as da
from devarray._primitives.checks import require_array
from devarray.cl._array import Array, queue_of
from devarray.errors import DTypeError

if TYPE_CHECKING:
    from devarray._core import Queue
    from devarray._typing import ArrayLike, DTypeLike, ShapeLike

__all__ = ["PhiloxGenerator", "ThreefryGenerator", "fill_rand", "rand"]


class PhiloxGenerator:
    """A generator of random numbers.

    Parameters
    ----------
    context : Context
        Taken for PyOpenCL's sake.
    key : sequence of int, optional
        Taken with the seed.
    counter : sequence of int, optional
        Taken with the seed.
    seed : int, optional
        By default from the system.

    Notes
    -----
    PyOpenCL's class of that name; its numbers are those of `devarray.random.default_rng`.
    """

    def __init__(self, context: Any, key: Any = None, counter: Any = None, seed: int | None = None) -> None:
        parts = [*(key or ()), *(counter or ()), *(() if seed is None else (seed,))]
        self.context = context
        self._generator = da.random.default_rng([abs(int(p)) for p in parts] if parts else None)

    def uniform(self, queue: Queue | None, *args: Any, **kwargs: Any) -> Array:
        """Numbers from `a` (included) to `b` (excluded): ``uniform(queue, shape, dtype, a=0, b=1)``."""
        return self._new(self._uniform, queue, *args, **kwargs)

    def fill_uniform(self, ary: Any, a: ArrayLike = 0, b: ArrayLike = 1, queue: Queue | None = None) -> Any:
        """Fill an array with numbers from `a` (included) to `b` (excluded)."""
        require_array("fill_uniform", ary)
        ary[...] = self._uniform(ary.shape, ary.dtype, ary, a, b)
        return ary.queue.record()

    def normal(self, queue: Queue | None, *args: Any, **kwargs: Any) -> Array:
        """Normal numbers: ``normal(queue, shape, dtype, mu=0, sigma=1)``."""
        return self._new(self._normal, queue, *args, **kwargs)

    def fill_normal(self, ary: Any, mu: Any = 0, sigma: Any = 1, queue: Queue | None = None) -> Any:
        """Fill an array with normal numbers."""
        require_array("fill_normal", ary)
        ary[...] = self._normal(ary.shape, ary.dtype, ary, mu, sigma)
        return ary.queue.record()

    def _new(
        self,
        draw: Any,
        queue: Queue | None,
        shape: ShapeLike | None,
        dtype: DTypeLike | None,
        *args: Any,
        **kwargs: Any,
    ) -> Array:
        with da.use(queue=queue_of(queue)):
            return Array._of(draw(shape, np.dtype(dtype), None, *args, **kwargs).evaluate())

    def _uniform(self, shape: ShapeLike, dtype: Any, like: Any, a: object = 0, b: object = 1) -> da.Array:
        return self._at(like, lambda: self._drawn_uniform(shape, dtype, a, b))

    def _drawn_uniform(self, shape: Any, dtype: Any, a: Any, b: Any) -> da.Array:
        if dtype.kind in "iu":
            return self._generator.integers(int(a), int(b), shape, dtype=dtype)
        if dtype.kind != "f":
            raise DTypeError(f"uniform numbers are integers or floats, not {dtype}")
        real = dtype if dtype.itemsize >= 4 else np.dtype("float32")
        return (self._generator.random(shape, dtype=real) * (b - a) + a).astype(dtype, copy=False)

    def _normal(self, shape: ShapeLike | None, dtype: Any, like: Any, mu: Any = 0, sigma: Any = 1) -> da.Array:
        if dtype.kind != "f":
            raise DTypeError(f"normal numbers are floats, not {dtype}")
        real = dtype if dtype.itemsize >= 4 else np.dtype("float32")
        return self._at(
            like,
            lambda: (self._generator.standard_normal(shape, dtype=real) * sigma + mu).astype(dtype, copy=False),
        )

    @staticmethod
    def _at(like: Any, draw: Any) -> da.Array:
        if like is None:
            return draw()
        with da.use(queue=like._place_queue() if hasattr(like, "_place_queue") else like.queue):
            return draw()


class ThreefryGenerator(PhiloxGenerator):
    """Another name of :class:`PhiloxGenerator`: the words come from Philox.

    Parameters
    ----------
    context : Context
        Taken for PyOpenCL's sake.
    key : sequence of int, optional
        Taken with the seed.
    counter : sequence of int, optional
        Taken with the seed.
    seed : int, optional
        By default from the system.
    """


def rand(
    queue: Queue | None,
    shape: ShapeLike | None,
    dtype: DTypeLike | None,
    luxury: Any = None,
    a: ArrayLike = 0,
    b: ArrayLike = 1,
) -> Array:
    """Numbers from `a` (included) to `b` (excluded)."""
    return PhiloxGenerator(None).uniform(queue, shape, dtype, a=a, b=b)


def fill_rand(result: Any, queue: Queue | None = None, luxury: Any = None, a: ArrayLike = 0, b: ArrayLike = 1) -> None:
    """Fill an array with numbers from `a` (included) to `b` (excluded)."""
    PhiloxGenerator(None).fill_uniform(result, a=a, b=b)
