"""NumPy's functions with NumPy's parameters, where devarray's own differ in more than names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from devarray._array.out import write_out
from devarray._routines.creation import ranges
from devarray._routines.manipulation import shapes
from devarray._routines.math import elementwise
from devarray._routines.sorting import searching, sorting
from devarray.array import Array
from devarray.errors import DTypeError
from devarray.linalg import decompositions as linalg

__all__: list[str] = []  # reached by name, through the table in numpy_functions.py

_None = np._NoValue


def _put(name: str, result: Array, out: Any) -> Array:
    return write_out(f"numpy.{name}", result, out)


# --- joining -------------------------------------------------------------------------------------------------------


def _joined(name: str, result: Array, out: Any, dtype: Any, casting: Any) -> Array:
    if dtype is not None and not np.can_cast(result.dtype, dtype, casting):
        raise DTypeError(f"numpy.{name}: {result.dtype} does not become {np.dtype(dtype)} by the rule {casting!r}")
    return _put(name, result if dtype is None else result.astype(dtype, copy=False), out)


def concatenate(
    arrays: Any, /, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Array:
    return _joined("concatenate", shapes.concatenate(arrays, axis=axis), out, dtype, casting)


def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind") -> Array:
    return _joined("stack", shapes.stack(arrays, axis=axis), out, dtype, casting)


def hstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Array:
    return _joined("hstack", shapes.hstack(tup), None, dtype, casting)


def vstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Array:
    return _joined("vstack", shapes.vstack(tup), None, dtype, casting)


# --- like another array --------------------------------------------------------------------------------------------


def _like(name: str, value: int) -> Callable[..., Array]:
    def call(
        a: Array, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None
    ) -> Array:
        return full_like(a, value, dtype, order, subok, shape, device=device)

    return call


def full_like(
    a: Array,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    place = {"device": device} if device is not None else {"queue": a.queue, "allocator": a.allocator}
    target = a.dtype if dtype is None else dtype
    dims = a.shape if shape is None else shape
    return ranges.full(dims, fill_value, target, "F" if order == "F" else "C", **place)


ones_like, zeros_like = _like("ones_like", 1), _like("zeros_like", 0)


# --- values --------------------------------------------------------------------------------------------------------


def where(condition: Any, x: Any = _None, y: Any = _None, /) -> Any:
    if x is _None or (x is None and y is None):
        return searching.nonzero(condition)
    return elementwise.where(condition, x, y)


def sort(a: Array, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
    return sorting.sort(a.reshape(-1) if axis is None else a, axis=-1 if axis is None else axis)


def argsort(a: Array, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
    return sorting.argsort(a.reshape(-1) if axis is None else a, axis=-1 if axis is None else axis)


# --- questions -----------------------------------------------------------------------------------------------------


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    source, target = (x.dtype if isinstance(x, Array) else x for x in (from_, to))
    return np.can_cast(source, target, casting)


def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    return np.result_type(*(x.dtype if isinstance(x, Array) else x for x in arrays_and_dtypes))


# --- linear algebra ------------------------------------------------------------------------------------------------


def _all_real(a: Array, values: Array) -> bool:
    """Whether NumPy gives the eigenvalues of `a` as real numbers, which the standard does not. Waits."""
    return a.dtype.kind != "c" and not bool((values.imag != 0).any())


def linalg_eig(a: Array) -> linalg.EigResult:
    values, vectors = linalg.eig(a)
    if _all_real(a, values):
        return linalg.EigResult(values.real.copy(), vectors.real.copy())
    return linalg.EigResult(values, vectors)


def linalg_eigvals(a: Array) -> Array:
    values = linalg.eigvals(a)
    return values.real.copy() if _all_real(a, values) else values
