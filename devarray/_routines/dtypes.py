"""Dtypes, constants and functions of dtypes: the data-type chapters of the Array API standard."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from devarray import _core
from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array
from devarray.errors import DTypeError, ValueError
from devarray.ops.dtypes import DTYPES

if TYPE_CHECKING:
    from devarray._typing import ArrayLike, DTypeLike

__all__ = [
    "bool",
    "can_cast",
    "common_type",
    "complex64",
    "complex128",
    "e",
    "finfo",
    "float16",
    "float32",
    "float64",
    "iinfo",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "issubdtype",
    "min_scalar_type",
    "nan",
    "newaxis",
    "pi",
    "promote_types",
    "result_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

bool = np.bool_
int8 = np.int8
int16 = np.int16
int32 = np.int32
int64 = np.int64
uint8 = np.uint8
uint16 = np.uint16
uint32 = np.uint32
uint64 = np.uint64
float16 = np.float16
float32 = np.float32
float64 = np.float64
complex64 = np.complex64
complex128 = np.complex128

e: float = getattr(np, "e")  # noqa: B009 (mypy, without a cache, reads np.e as deleted)
inf = float("inf")
nan = float("nan")
pi = float(np.pi)
newaxis = None

_KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}


class _Figure(float):
    """A Python float that prints the digits of its own dtype, as NumPy's scalars do."""

    _text: str

    def __new__(cls, value: Any) -> _Figure:
        made = super().__new__(cls, value)
        made._text = str(value)
        return made

    def __repr__(self) -> str:
        return self._text

    def __reduce__(self) -> tuple[Any, ...]:
        return float, (float(self),)


class FloatInfo(NamedTuple):
    """Figures of a floating-point dtype, as Python floats; further ones are NumPy's attributes."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: np.dtype

    def __getattr__(self, name: str) -> Any:
        """What NumPy's `finfo` has more: `tiny`, `resolution`, `precision`, `nmant`, `maxexp`, ..."""
        if name.startswith("__"):
            raise AttributeError(f"FloatInfo has no attribute {name!r}")
        found = getattr(np.finfo(self.dtype), name)
        return float(found) if isinstance(found, np.floating) else found


class IntegerInfo(NamedTuple):
    """Figures of an integer dtype."""

    bits: int
    max: int
    min: int
    dtype: np.dtype


_OURS = frozenset(np.dtype(name) for name in DTYPES)


def _dtype_of(x: Any) -> np.dtype:
    return x.dtype if isinstance(x, Array | np.generic | np.ndarray) else np.dtype(x)


def _dtype_described(x: Any) -> np.dtype:
    return np.asarray(x).dtype if isinstance(x, bool | int | float | complex) else _dtype_of(x)


def finfo(type: object, /) -> FloatInfo:
    """Figures of a floating-point dtype; of a complex one, those of its components.

    Parameters
    ----------
    type : dtype, array_like or scalar
        The dtype, or an array or number of it.

    Returns
    -------
    FloatInfo
        With the fields `bits`, `eps`, `max`, `min`, `smallest_normal` (floats) and `dtype`.

    Raises
    ------
    ValueError
        For other dtypes.

    Examples
    --------
    >>> import devarray as da
    >>> da.finfo(da.float32).bits
    32
    """
    dtype = _dtype_described(type)
    if dtype.kind not in "fc":
        raise ValueError(f"data type {dtype.type!r} not inexact: finfo is about floating-point dtypes, not {dtype}")
    f = np.finfo(dtype)
    eps, most, least, normal = map(_Figure, (f.eps, f.max, f.min, f.smallest_normal))
    return FloatInfo(f.bits, eps, most, least, normal, f.dtype)


def iinfo(type: object, /) -> IntegerInfo:
    """Figures of an integer dtype.

    Parameters
    ----------
    type : dtype, array_like or scalar
        The dtype, or an array or number of it.

    Returns
    -------
    IntegerInfo
        With the fields `bits`, `max`, `min` and `dtype`.

    Raises
    ------
    ValueError
        For other dtypes.

    Examples
    --------
    >>> import devarray as da
    >>> da.iinfo(da.int8).max
    127
    """
    dtype = _dtype_described(type)
    if dtype.kind not in "iu":
        raise ValueError(f"Invalid integer data type {dtype.kind!r}: iinfo is about integer dtypes, not {dtype}")
    i = np.iinfo(dtype)
    return IntegerInfo(i.bits, int(i.max), int(i.min), dtype)


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """Whether a dtype is of a kind: a dtype, a standard kind's name, or a tuple of them.

    Parameters
    ----------
    dtype : dtype
        The dtype.
    kind : dtype, str or tuple of them
        A dtype, or a kind of the Array API standard: "bool", "signed integer", "unsigned integer", "integral", "real
        floating", "complex floating" or "numeric".

    Returns
    -------
    bool
        Whether the dtype is of that kind, or of one of them.

    Raises
    ------
    ValueError
        For an unknown kind.
    DTypeError
        For what is no kind.

    Examples
    --------
    >>> import devarray as da
    >>> da.isdtype(da.float32, "real floating")
    True
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"isdtype: there is no kind {kind!r}; choose one of {', '.join(_KINDS)}")
        return np.dtype(dtype).kind in _KINDS[kind]
    if not isinstance(kind, type | np.dtype):
        raise DTypeError(f"isdtype: a kind is a dtype or the name of one, not {type(kind).__name__}")
    return np.dtype(dtype) == np.dtype(kind)


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> builtins.bool:
    """Whether a dtype may be cast to another one: by default as type promotion does it, or by NumPy's other rules.

    Parameters
    ----------
    from_ : dtype or array_like
        The dtype, or an array of it.
    to : dtype
        The dtype to reach.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule. "safe" by default.

    Returns
    -------
    bool
        Whether it may; values play no part.

    Raises
    ------
    DTypeError
        For None.

    Examples
    --------
    >>> import devarray as da
    >>> da.can_cast(da.int8, da.int16)
    True
    """
    if from_ is None or to is None:  # which stands for float64 where a dtype is optional
        raise DTypeError("can_cast takes two dtypes, or an array and a dtype; None is neither")
    source, target = _dtype_of(from_), np.dtype(to)
    if casting != "safe" or not _OURS.issuperset((source, target)):
        return np.can_cast(source, target, casting)
    return _core.promote(source, target) == target and not (source.kind == "i" and target.kind == "u")


def promote_types(a: DTypeLike, b: DTypeLike, /) -> np.dtype:
    """The dtype that two dtypes promote to.

    Parameters
    ----------
    a, b : dtype
        The dtypes.

    Returns
    -------
    numpy.dtype
        The least dtype that both promote to.

    Examples
    --------
    >>> import devarray as da
    >>> da.promote_types(da.int8, da.uint8)
    dtype('int16')
    """
    return np.promote_types(a, b)


def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    """The dtype that arrays, dtypes and Python scalars promote to.

    Parameters
    ----------
    *arrays_and_dtypes : array_like, dtype or scalar
        At least one. Python scalars take the dtype of the others where their kind allows it.

    Returns
    -------
    numpy.dtype
        The common dtype.

    Examples
    --------
    >>> import devarray as da
    >>> da.result_type(da.float32, 1.0)
    dtype('float32')
    """
    given = [x.dtype if isinstance(x, Array | OpaqueArray) else x for x in arrays_and_dtypes]
    return np.result_type(*given)


# --- NumPy's questions about dtypes --------------------------------------------------------------------------------


def common_type(*arrays: object) -> type:
    """The floating-point type that holds the values of several arrays: float64 where there are integers.

    Parameters
    ----------
    *arrays : array_like
        The arrays.

    Returns
    -------
    type
        A NumPy scalar type.

    Raises
    ------
    DTypeError
        For arrays of bool.

    Examples
    --------
    >>> import devarray as da
    >>> da.common_type(da.zeros(2, da.float32), da.zeros(2, da.complex64)).__name__
    'complex64'
    """
    try:
        return np.common_type(*(np.empty(0, x.dtype) if isinstance(x, Array) else x for x in arrays))
    except TypeError as error:
        raise DTypeError(f"common_type: {error}") from None


def issubdtype(arg1: Any, arg2: Any) -> builtins.bool:
    """Whether a dtype is below another one, or below an abstract one, in NumPy's tree of types.

    Parameters
    ----------
    arg1, arg2 : dtype or type
        The dtype, and what it may be below, such as ``numpy.floating``.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> import devarray as da, numpy as np
    >>> da.issubdtype(da.float32, np.floating)
    True
    """
    return np.issubdtype(arg1, arg2)


def min_scalar_type(x: ArrayLike, /) -> np.dtype:
    """The smallest dtype that holds a scalar; an array's own. Waits for the value of a 0-dimensional array.

    Parameters
    ----------
    x : scalar or array_like
        The scalar, or an array.

    Returns
    -------
    numpy.dtype
        For an array with axes its own dtype.

    Examples
    --------
    >>> import devarray as da
    >>> da.min_scalar_type(300)
    dtype('uint16')
    """
    if isinstance(x, OpaqueArray):
        return x.dtype
    if isinstance(x, Array):
        return x.dtype if x.ndim else np.min_scalar_type(x.copy_to_host()[()])
    return np.min_scalar_type(x)
