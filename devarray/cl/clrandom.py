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
from devarray._kernels.driver_arrays import shape_of
from devarray._primitives.checks import require_array
from devarray._primitives.opaque import view_of_array
from devarray.cl._array import Array, wrap
from devarray.cl._array_places import place_of
from devarray.cl._events import event_behind, working_queue
from devarray.cl.cltypes import vec_type_to_scalar_and_count
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

    def __init__(self, context: object, key: Any = None, counter: Any = None, seed: int | None = None) -> None:
        parts = [*(key or ()), *(counter or ()), *(() if seed is None else (seed,))]
        self.context = context
        self._generator = da.random.default_rng([abs(int(p)) for p in parts] if parts else None)

    def uniform(self, queue: Queue | None, *args: Any, **kwargs: Any) -> Array:
        """Numbers from `a` (included) to `b` (excluded): ``uniform(queue, shape, dtype, a=0, b=1)``.

        Parameters
        ----------
        queue : CommandQueue
            Where the array lies, and what orders its work.
        *args
            Shape, dtype and the two bounds.
        **kwargs
            The same by name.

        Returns
        -------
        Array
            A new array.

        Examples
        --------
        >>> import numpy as np
        >>> from devarray.cl import clrandom
        >>> clrandom.PhiloxGenerator(None, seed=1).uniform(queue, 3, np.int32, a=0, b=10).shape
        (3,)
        """
        return self._new(self._uniform, queue, *args, **kwargs)

    def fill_uniform(self, ary: Any, a: ArrayLike = 0, b: ArrayLike = 1, queue: Queue | None = None) -> Any:
        """Fill an array with numbers from `a` (included) to `b` (excluded).

        Parameters
        ----------
        ary : Array
            The array, of integers or floats.
        a, b : scalar, optional
            The bounds; 0 and 1 by default.
        queue : CommandQueue, optional
            Not needed: the array's own orders the work.

        Returns
        -------
        Event
            The end of the work.

        Examples
        --------
        >>> import numpy as np
        >>> from devarray.cl import array as cl_array, clrandom
        >>> x = cl_array.zeros(queue, 3, np.float32)
        >>> clrandom.PhiloxGenerator(None, seed=1).fill_uniform(x, 1, 2).wait()
        >>> bool((x >= 1).all().get())
        True
        """
        require_array("fill_uniform", ary)
        ary[...] = self._uniform(ary.shape, ary.dtype, ary, a, b)
        return event_behind(ary)

    def normal(self, queue: Queue | None, *args: Any, **kwargs: Any) -> Array:
        """Normal numbers: ``normal(queue, shape, dtype, mu=0, sigma=1)``.

        Parameters
        ----------
        queue : CommandQueue
            Where the array lies, and what orders its work.
        *args
            Shape, dtype, mean and standard deviation.
        **kwargs
            The same by name.

        Returns
        -------
        Array
            A new array.

        Examples
        --------
        >>> import numpy as np
        >>> from devarray.cl import clrandom
        >>> clrandom.PhiloxGenerator(None, seed=1).normal(queue, (2, 3), np.float32, sigma=2).shape
        (2, 3)
        """
        return self._new(self._normal, queue, *args, **kwargs)

    def fill_normal(self, ary: Any, mu: Any = 0, sigma: Any = 1, queue: Queue | None = None) -> Any:
        """Fill an array with normal numbers.

        Parameters
        ----------
        ary : Array
            The array, of floats.
        mu, sigma : scalar, optional
            Mean and standard deviation; 0 and 1 by default.
        queue : CommandQueue, optional
            Not needed: the array's own orders the work.

        Returns
        -------
        Event
            The end of the work.

        Examples
        --------
        >>> import numpy as np
        >>> from devarray.cl import array as cl_array, clrandom
        >>> x = cl_array.zeros(queue, 3, np.float32)
        >>> clrandom.PhiloxGenerator(None, seed=1).fill_normal(x, mu=100).wait()
        >>> bool((x > 50).all().get())
        True
        """
        require_array("fill_normal", ary)
        ary[...] = self._normal(ary.shape, ary.dtype, ary, mu, sigma)
        return event_behind(ary)

    def _new(
        self,
        draw: Any,
        queue: Queue | None,
        shape: ShapeLike | None,
        dtype: DTypeLike | None,
        *args: Any,
        **kwargs: Any,
    ) -> Array:
        kind, sizes = np.dtype(dtype), shape_of(shape)
        if kind in vec_type_to_scalar_and_count:
            return self._vectors(draw, queue, sizes, kind, *args, **kwargs)
        with da.use(**place_of(queue, None)):
            return Array._of(draw(sizes, kind, None, *args, **kwargs).evaluate())

    def _vectors(self, draw: Any, queue: Any, sizes: Any, dtype: np.dtype[Any], *args: Any, **kwargs: Any) -> Any:
        """Vectors of numbers that are drawn one beside the other."""
        scalar = vec_type_to_scalar_and_count[dtype][0]
        room = dtype.itemsize // scalar.itemsize
        with da.use(**place_of(queue, None)):
            numbers = draw((*sizes, room), scalar, None, *args, **kwargs).evaluate()
        return wrap(view_of_array(numbers, dtype).reshape(sizes))

    def _uniform(self, shape: ShapeLike, dtype: object, like: object, a: object = 0, b: object = 1) -> da.Array:
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
        with da.use(queue=working_queue(like)):
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
    luxury: object = None,
    a: ArrayLike = 0,
    b: ArrayLike = 1,
) -> Array:
    """Numbers from `a` (included) to `b` (excluded).

    Parameters
    ----------
    queue : CommandQueue
        Where the array lies, and what orders its work.
    shape : int or tuple of int
        Sizes of the axes.
    dtype : dtype
        Of integers or floats.
    luxury : int, optional
        Taken for PyOpenCL's sake.
    a, b : scalar, optional
        The bounds; 0 and 1 by default.

    Returns
    -------
    Array
        A new array.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import clrandom
    >>> clrandom.rand(queue, (2, 3), np.float32).shape
    (2, 3)
    """
    return PhiloxGenerator(None).uniform(queue, shape, dtype, a=a, b=b)


def fill_rand(
    result: object, queue: Queue | None = None, a: ArrayLike = 0, b: ArrayLike = 1, *, luxury: object = None
) -> None:
    """Fill an array with numbers from `a` (included) to `b` (excluded).

    Parameters
    ----------
    result : Array
        The array, of integers or floats.
    queue : CommandQueue, optional
        Not needed: the array's own orders the work.
    a, b : scalar, optional
        The bounds; 0 and 1 by default.
    luxury : int, optional
        Taken for older programs' sake.

    Examples
    --------
    >>> import numpy as np
    >>> from devarray.cl import array as cl_array, clrandom
    >>> x = cl_array.zeros(queue, 3, np.int32)
    >>> clrandom.fill_rand(x, a=5, b=6)
    >>> x.get()
    array([5, 5, 5], dtype=int32)
    """
    PhiloxGenerator(None).fill_uniform(result, a=a, b=b)
