"""The methods that NumPy's ufuncs have, on devarray's functions: ``da.add.reduce``, ``da.maximum.accumulate``."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from devarray.array import Array
from devarray.ops.table import OPS

__all__: list[str] = []  # reached as attributes of the functions

_Axis = int | tuple[int, ...] | None


class Methods:
    """A ufunc's methods, bound to one function of two operands.

    NumPy's rules hold (axis 0 unless told otherwise), and its errors: a DTypeError names what has no kernel.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.asarray([3, 1, 4])
    >>> da.add.reduce(x).item()
    8
    >>> da.maximum.accumulate(x).copy_to_host()
    array([3, 3, 4])
    >>> da.multiply.outer(x, x).shape
    (3, 3)
    >>> da.add.at(x, da.asarray([0, 0]), 10)
    >>> x.copy_to_host()
    array([23,  1,  4])
    """

    __slots__ = ("_ufunc",)

    def __init__(self, ufunc: np.ufunc) -> None:
        self._ufunc = ufunc

    def reduce(
        self,
        array: Array,
        axis: _Axis = 0,
        dtype: Any = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: Any = np._NoValue,
        where: Any = True,
    ) -> Array:
        """Combine the elements along axes; None is all of them."""
        more = {"axis": axis, "dtype": dtype, "keepdims": keepdims, "initial": initial, "where": where}
        return self._do("reduce", out, array, **more)

    def accumulate(self, array: Array, axis: int = 0, dtype: Any = None, out: Array | None = None) -> Array:
        """Combine the elements up to each one along an axis."""
        return self._do("accumulate", out, array, axis=axis, dtype=dtype)

    def reduceat(self, array: Array, indices: Any, axis: int = 0, dtype: Any = None, out: Array | None = None) -> Array:
        """Combine the elements of runs, of which `indices` says where each begins."""
        return self._do("reduceat", out, array, indices, axis=axis, dtype=dtype)

    def outer(self, x1: Any, x2: Any, /, out: Array | None = None) -> Array:
        """Combine each element of the first with each of the second: shape ``x1.shape + x2.shape``."""
        return self._do("outer", out, x1, x2)

    def at(self, x: Array, indices: Any, values: Any, /) -> None:
        """Combine values into elements of the array, one after the other where an index comes twice."""
        self._do("at", None, x, indices, values)

    def _do(self, method: str, out: Array | None, *inputs: Any, **more: Any) -> Any:
        from devarray.interop.ufuncs import array_ufunc

        if out is not None:
            more["out"] = (out,)
        return array_ufunc(self._ufunc, method, inputs, more)


def add_methods(functions: ModuleType) -> None:
    """Give each function of two operands its ufunc's methods as attributes."""
    for op in OPS.values():
        function: Callable[..., Array] | None = getattr(functions, op.name, None)
        if op.nin == 2 and op.ufunc and function is not None:
            methods = Methods(getattr(np, op.ufunc))
            for name in ("reduce", "accumulate", "reduceat", "outer", "at"):
                setattr(function, name, getattr(methods, name))
