"""NumPy's functions with NumPy's parameters, where devarray's own differ in more than names."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray._primitives.operands import as_arrays
from devarray._routines.manipulation import shapes
from devarray._routines.math import elementwise
from devarray.array import Array
from devarray.linalg import decompositions as linalg

__all__: list[str] = []  # reached by name, through the table in numpy_functions.py

_None = np._NoValue
_COMPLEX_EIGENVALUES = np.lib.NumpyVersion(np.__version__) >= "2.5.0"


def where(condition: Any, x: Any = _None, y: Any = _None, /) -> Any:
    if x is _None or (x is None and y is None):
        return elementwise.where(condition)
    return elementwise.where(condition, x, y)


def broadcast_arrays(*args: Any, subok: bool = False) -> tuple[Any, ...]:
    """Arguments that no device holds, as Matplotlib's None, are repeated on the host."""
    held = as_arrays(*(a for a in args if not _is_of_host(a)))
    shape = np.broadcast_shapes(*(a.shape for a in held), *(np.shape(a) for a in args if _is_of_host(a)))
    spread = iter([shapes.broadcast_to(a, shape) for a in held])
    return tuple(np.broadcast_to(a, shape) if _is_of_host(a) else next(spread) for a in args)


def _is_of_host(x: object) -> bool:
    return not isinstance(x, Array) and np.asarray(x).dtype.kind in "OSUMm"


# --- questions -----------------------------------------------------------------------------------------------------


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    source, target = (x.dtype if isinstance(x, Array) else x for x in (from_, to))
    return np.can_cast(source, target, casting)


def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    return np.result_type(*(x.dtype if isinstance(x, Array) else x for x in arrays_and_dtypes))


# --- linear algebra ------------------------------------------------------------------------------------------------


def _all_real(a: Array, values: Array) -> bool:
    """Whether NumPy gives the eigenvalues of `a` as real numbers, which the standard and NumPy 2.5 do not. Waits."""
    return not _COMPLEX_EIGENVALUES and a.dtype.kind != "c" and not bool((values.imag != 0).any())


def linalg_eig(a: Array) -> linalg.EigResult:
    values, vectors = linalg.eig(a)
    if _all_real(a, values):
        return linalg.EigResult(values.real.copy(), vectors.real.copy())
    return linalg.EigResult(values, vectors)


def linalg_eigvals(a: Array) -> Array:
    values = linalg.eigvals(a)
    return values.real.copy() if _all_real(a, values) else values
