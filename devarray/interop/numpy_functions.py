"""One table from NumPy's functions to devarray's, for ``__array_function__``. Widening it is adding rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from devarray import creation, elementwise, manipulation, searching, sorting, statistical
from devarray.array import NUMPY_FUNCTIONS, Array
from devarray.dtypes import can_cast, result_type

__all__: list[str] = []


def _axis_positional(function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy takes `axis` by position, the standard by keyword."""

    def call(x: Array, axis: Any = None, **kwargs: Any) -> Any:
        return function(x, axis=axis, **{key: value for key, value in kwargs.items() if value is not np._NoValue})

    return call


def _sort(x: Array, axis: int = -1, kind: Any = None, order: Any = None, *, stable: bool | None = None) -> Array:
    return sorting.sort(x, axis=axis)


def _argsort(x: Array, axis: int = -1, kind: Any = None, order: Any = None, *, stable: bool | None = None) -> Array:
    return sorting.argsort(x, axis=axis)


def _squeeze(x: Array, axis: Any = None) -> Array:
    return x.squeeze(axis)


def _like(function: Callable[..., Array]) -> Callable[..., Array]:
    def call(x: Array, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None) -> Array:
        result = function(x, dtype=dtype)
        return result if shape is None else creation.empty(shape, result.dtype, queue=x.queue, allocator=x.allocator)

    return call


def _full_like(x: Array, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True) -> Array:
    return creation.full_like(x, fill_value, dtype=dtype)


def _where(condition: Any, x: Any = None, y: Any = None) -> Array:
    return elementwise.where(condition, x, y)


NUMPY_FUNCTIONS.update(
    {
        getattr(np, name): _axis_positional(getattr(statistical, name))
        for name in ("sum", "prod", "min", "max", "mean", "std", "var", "any", "all", "count_nonzero")
    }
)
NUMPY_FUNCTIONS.update(
    {
        getattr(np, name): getattr(manipulation, name)
        for name in (
            "atleast_1d",
            "atleast_2d",
            "broadcast_to",
            "concatenate",
            "expand_dims",
            "hstack",
            "moveaxis",
            "ravel",
            "reshape",
            "split",
            "swapaxes",
            "tile",
            "transpose",
            "vstack",
            "broadcast_arrays",
            "copy",
        )
    }
)
NUMPY_FUNCTIONS.update(
    {
        np.argmax: _axis_positional(searching.argmax),
        np.argmin: _axis_positional(searching.argmin),
        np.argsort: _argsort,
        np.can_cast: can_cast,
        np.clip: elementwise.clip,
        np.dot: lambda a, b: a.dot(b),
        np.empty_like: _like(creation.empty_like),
        np.flip: lambda x, axis=None: manipulation.flip(x, axis=axis),
        np.full_like: _full_like,
        np.imag: elementwise.imag,
        np.ones_like: _like(creation.ones_like),
        np.real: elementwise.real,
        np.repeat: lambda x, repeats, axis=None: manipulation.repeat(x, repeats, axis=axis),
        np.result_type: result_type,
        np.roll: lambda x, shift, axis=None: manipulation.roll(x, shift, axis=axis),
        np.round: lambda x, decimals=0: x.round(decimals),
        np.shape: lambda x: x.shape,
        np.ndim: lambda x: x.ndim,
        np.size: lambda x, axis=None: x.size if axis is None else x.shape[axis],
        np.sort: _sort,
        np.squeeze: _squeeze,
        np.stack: lambda arrays, axis=0: manipulation.stack(arrays, axis=axis),
        np.take: lambda x, indices, axis=None: searching.take(x, indices, axis=axis),
        np.tril: lambda x, k=0: creation.tril(x, k=k),
        np.triu: lambda x, k=0: creation.triu(x, k=k),
        np.where: _where,
        np.zeros_like: _like(creation.zeros_like),
    }
)
