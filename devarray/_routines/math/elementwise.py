"""Element-wise functions, one for each row of the op table.

Written by tools/make_elementwise.py: do not edit.

Each records its operation; chains run as one kernel when a value is needed. Operands are arrays and Python or NumPy
scalars, which take the arrays' dtype as NumPy 2 promotes them, and broadcast. All raise DTypeError for dtypes that the
operation does not take, ShapeError for shapes that do not broadcast, DeviceError for arrays of two devices.

As NumPy's ufuncs they take `out` (the array that the result goes to; it is returned), `where` (only these elements
of it are written) and `dtype` (to compute in). Of scalars alone they give what NumPy does, on the host. Those
of two operands have the ufuncs' methods ``reduce``, ``accumulate``, ``outer``, ``at`` and ``reduceat``
(:class:`devarray._primitives.ufunc_methods.Methods`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias
from typing import overload as _overload

import numpy as np

from devarray._array.operations import operation as _operation
from devarray._array.ufunc_call import elementwise as _elementwise
from devarray._array.ufunc_call import is_masked as _is_masked
from devarray._core import apply as _apply
from devarray._primitives.operands import calls_method as _calls_method
from devarray._primitives.operands import has_texts as _has_texts
from devarray._primitives.operands import of_texts as _of_texts
from devarray._primitives.operands import with_methods as _as_array
from devarray._primitives.ufunc_methods import add_methods as _add_methods
from devarray.array import OP, Array
from devarray.errors import DTypeError as _DTypeError
from devarray.errors import ValueError as _ValueError

if TYPE_CHECKING:
    from devarray._typing import BoolLike, DTypeLike, Signature

__all__ = [
    "abs",
    "absolute",
    "acos",
    "acosh",
    "add",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_count",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "cbrt",
    "ceil",
    "clip",
    "conj",
    "conjugate",
    "copysign",
    "cos",
    "cosh",
    "deg2rad",
    "degrees",
    "divide",
    "equal",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "fix",
    "float_power",
    "floor",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "gcd",
    "greater",
    "greater_equal",
    "heaviside",
    "hypot",
    "i0",
    "imag",
    "invert",
    "isfinite",
    "isinf",
    "isnan",
    "lcm",
    "left_shift",
    "less",
    "less_equal",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "maximum",
    "minimum",
    "mod",
    "multiply",
    "negative",
    "nextafter",
    "not_equal",
    "positive",
    "pow",
    "power",
    "rad2deg",
    "radians",
    "real",
    "reciprocal",
    "remainder",
    "right_shift",
    "rint",
    "round",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "spacing",
    "sqrt",
    "square",
    "subtract",
    "tan",
    "tanh",
    "true_divide",
    "trunc",
    "where",
]

Scalar: TypeAlias = bool | int | float | complex | np.generic
Operand: TypeAlias = Array | Scalar
_NONE = np._NoValue

_OP_round: int = OP["round"]
_OP_where: int = OP["where"]
_OP_real: int = OP["real"]
_OP_imag: int = OP["imag"]


@_operation("add", 2)
def add(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Sum; of bools, their or.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.add(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([3., 9.])
    """
    return _elementwise("add", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("subtract", 2)
def subtract(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Difference.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not bool.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.subtract(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([-1.,  5.])
    """
    return _elementwise("subtract", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("multiply", 2)
def multiply(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Product; of bools, their and.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.multiply(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([ 2., 14.])
    """
    return _elementwise("multiply", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("divide", 2)
def divide(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Quotient as a float.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype;
        float64 for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.divide(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([0.5, 3.5])
    """
    return _elementwise("divide", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("floor_divide", 2)
def floor_divide(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Greatest integer not above the quotient.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype; int8
        for bool. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.floor_divide(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([0., 3.])
    """
    return _elementwise("floor_divide", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("remainder", 2)
def remainder(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """What floor division leaves; has the divisor's sign.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype; int8
        for bool. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.remainder(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 1.])
    """
    return _elementwise("remainder", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("fmod", 2)
def fmod(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """What truncated division leaves; has the dividend's sign.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype; int8
        for bool. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.fmod(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 1.])
    """
    return _elementwise("fmod", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("pow", 2)
def pow(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """First input raised to the second.

    NumPy's ``power``.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype; int8
        for bool. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.pow(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([ 1., 49.])
    """
    return _elementwise("pow", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("float_power", 2)
def float_power(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Power in float64 or complex128.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float64 for bool, integers and
        floats; complex128 for complex numbers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.float_power(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([ 1., 49.])
    """
    return _elementwise("float_power", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("negative", 1)
def negative(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """The input with its sign changed.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not bool.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.negative(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([ 1.5 , -0.25, -2.75])
    """
    return _elementwise("negative", (x,), out, where, casting, order, dtype, signature)


@_operation("positive", 1)
def positive(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """The input itself.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not bool.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.positive(da.asarray([0.5, 4.0])).copy_to_host()
    array([0.5, 4. ])
    """
    return _elementwise("positive", (x,), out, where, casting, order, dtype, signature)


@_operation("abs", 1)
def abs(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Absolute value, or magnitude.

    NumPy's ``absolute``.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; the real dtype of the same precision for
        complex numbers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.abs(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([1.5 , 0.25, 2.75])
    """
    return _elementwise("abs", (x,), out, where, casting, order, dtype, signature)


@_operation("fabs", 1)
def fabs(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Absolute value as a float.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.fabs(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([1.5 , 0.25, 2.75])
    """
    return _elementwise("fabs", (x,), out, where, casting, order, dtype, signature)


@_operation("sign", 1)
def sign(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """-1, 0 or 1; of complex numbers, z / abs(z).

    Parameters
    ----------
    x : Array or scalar
        The operand. Not bool.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.sign(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-1.,  1.,  1.])
    """
    return _elementwise("sign", (x,), out, where, casting, order, dtype, signature)


@_operation("square", 1)
def square(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Product with itself.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; int8 for bool. Of scalars alone, NumPy's
        scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.square(da.asarray([0.5, 4.0])).copy_to_host()
    array([ 0.25, 16.  ])
    """
    return _elementwise("square", (x,), out, where, casting, order, dtype, signature)


@_operation("reciprocal", 1)
def reciprocal(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """1 divided by the input.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; int8 for bool. Of scalars alone, NumPy's
        scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.reciprocal(da.asarray([0.5, 4.0])).copy_to_host()
    array([2.  , 0.25])
    """
    return _elementwise("reciprocal", (x,), out, where, casting, order, dtype, signature)


@_operation("sqrt", 1)
def sqrt(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Square root.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.sqrt(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.707107, 2.      ])
    """
    return _elementwise("sqrt", (x,), out, where, casting, order, dtype, signature)


@_operation("cbrt", 1)
def cbrt(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Cube root.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.cbrt(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.793701, 1.587401])
    """
    return _elementwise("cbrt", (x,), out, where, casting, order, dtype, signature)


@_operation("hypot", 2)
def hypot(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Square root of the sum of squares.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not complex numbers. Each is taken as a float by its own size.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype;
        float16, float32 or float64, by their size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.hypot(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host().round(6)
    array([2.236068, 7.28011 ])
    """
    return _elementwise("hypot", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("gcd", 2)
def gcd(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Greatest common divisor.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not bool, floats or complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.gcd(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([2, 1])
    """
    return _elementwise("gcd", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("lcm", 2)
def lcm(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Least common multiple.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not bool, floats or complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.lcm(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([12, 10])
    """
    return _elementwise("lcm", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("ceil", 1)
def ceil(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Least integer not below the input.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.ceil(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-1.,  1.,  3.])
    """
    return _elementwise("ceil", (x,), out, where, casting, order, dtype, signature)


@_operation("floor", 1)
def floor(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Greatest integer not above the input.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.floor(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-2.,  0.,  2.])
    """
    return _elementwise("floor", (x,), out, where, casting, order, dtype, signature)


@_operation("trunc", 1)
def trunc(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Nearest integer towards zero.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.trunc(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-1.,  0.,  2.])
    """
    return _elementwise("trunc", (x,), out, where, casting, order, dtype, signature)


def round(a: Array, decimals: int = 0, out: Array | None = None) -> Array:
    """Nearest integer, ties to even.

    Parameters
    ----------
    a : Array or scalar
        The values.
    decimals : int
        Decimal places; negative ones are before the point. 0 by default.
    out : Array, optional
        Where the result goes, and what is returned. It has the result's shape, and a dtype that the result casts to.

    Returns
    -------
    Array
        A new array of the shape and dtype of `a`, or `out`. Of a scalar, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where `a` is neither an array nor a scalar, or the result does not cast to the dtype of `out`.
    ShapeError
        Where `out` has another shape.

    Examples
    --------
    >>> import devarray as da
    >>> da.round(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-2.,  0.,  3.])
    """
    if not isinstance(a, Array) and _calls_method("round", a):
        return np.round(a, decimals, out)
    if decimals == 0 and out is None and getattr(getattr(a, "dtype", None), "kind", "b") != "b":
        return _apply(_OP_round, a)
    if isinstance(a, bool | int | float | complex | np.generic):
        return np.round(a, decimals, out)
    return _as_array("round", "a", a).round(decimals, out)


@_operation("rint", 1)
def rint(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Nearest integer as a float, ties to even.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.rint(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-2.,  0.,  3.])
    """
    return _elementwise("rint", (x,), out, where, casting, order, dtype, signature)


@_operation("exp", 1)
def exp(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """e raised to the input.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.exp(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 1.648721, 54.59815 ])
    """
    return _elementwise("exp", (x,), out, where, casting, order, dtype, signature)


@_operation("exp2", 1)
def exp2(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """2 raised to the input.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.exp2(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 1.414214, 16.      ])
    """
    return _elementwise("exp2", (x,), out, where, casting, order, dtype, signature)


@_operation("expm1", 1)
def expm1(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """exp(x) - 1, exact near zero.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.expm1(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 0.648721, 53.59815 ])
    """
    return _elementwise("expm1", (x,), out, where, casting, order, dtype, signature)


@_operation("log", 1)
def log(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Natural logarithm.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.log(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([-0.693147,  1.386294])
    """
    return _elementwise("log", (x,), out, where, casting, order, dtype, signature)


@_operation("log1p", 1)
def log1p(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """log(1 + x), exact near zero.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.log1p(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.405465, 1.609438])
    """
    return _elementwise("log1p", (x,), out, where, casting, order, dtype, signature)


@_operation("log2", 1)
def log2(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Logarithm to base 2.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.log2(da.asarray([0.5, 4.0])).copy_to_host()
    array([-1.,  2.])
    """
    return _elementwise("log2", (x,), out, where, casting, order, dtype, signature)


@_operation("log10", 1)
def log10(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Logarithm to base 10.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.log10(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([-0.30103,  0.60206])
    """
    return _elementwise("log10", (x,), out, where, casting, order, dtype, signature)


@_operation("logaddexp", 2)
def logaddexp(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """log(exp(a) + exp(b)) without overflow.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not complex numbers. Each is taken as a float by its own size.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype;
        float16, float32 or float64, by their size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.logaddexp(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host().round(6)
    array([2.313262, 7.006715])
    """
    return _elementwise("logaddexp", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("logaddexp2", 2)
def logaddexp2(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """log2(2**a + 2**b) without overflow.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not complex numbers. Each is taken as a float by its own size.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype;
        float16, float32 or float64, by their size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.logaddexp2(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host().round(6)
    array([2.584963, 7.044394])
    """
    return _elementwise("logaddexp2", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("i0", 1)
def i0(
    x: Operand,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Modified Bessel function of the first kind, order 0.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float64 for bool and integers. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.i0(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 1.063483, 11.301922])
    """
    return _elementwise("i0", (x,), out, where, casting, order, dtype, signature)


@_operation("sin", 1)
def sin(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Sine of an angle in radians.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.sin(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 0.479426, -0.756802])
    """
    return _elementwise("sin", (x,), out, where, casting, order, dtype, signature)


@_operation("cos", 1)
def cos(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Cosine of an angle in radians.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.cos(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 0.877583, -0.653644])
    """
    return _elementwise("cos", (x,), out, where, casting, order, dtype, signature)


@_operation("tan", 1)
def tan(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Tangent of an angle in radians.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.tan(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.546302, 1.157821])
    """
    return _elementwise("tan", (x,), out, where, casting, order, dtype, signature)


@_operation("asin", 1)
def asin(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Inverse sine, in radians.

    NumPy's ``arcsin``.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.asin(da.asarray([0.0, 0.5])).copy_to_host().round(6)
    array([0.      , 0.523599])
    """
    return _elementwise("asin", (x,), out, where, casting, order, dtype, signature)


@_operation("acos", 1)
def acos(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Inverse cosine, in radians.

    NumPy's ``arccos``.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.acos(da.asarray([0.0, 0.5])).copy_to_host().round(6)
    array([1.570796, 1.047198])
    """
    return _elementwise("acos", (x,), out, where, casting, order, dtype, signature)


@_operation("atan", 1)
def atan(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Inverse tangent, in radians.

    NumPy's ``arctan``.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.atan(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.463648, 1.325818])
    """
    return _elementwise("atan", (x,), out, where, casting, order, dtype, signature)


@_operation("atan2", 2)
def atan2(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Angle of the point (b, a), in radians.

    NumPy's ``arctan2``.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not complex numbers. Each is taken as a float by its own size.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype;
        float16, float32 or float64, by their size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.atan2(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host().round(6)
    array([0.463648, 1.292497])
    """
    return _elementwise("atan2", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("sinh", 1)
def sinh(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Hyperbolic sine.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.sinh(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 0.521095, 27.289917])
    """
    return _elementwise("sinh", (x,), out, where, casting, order, dtype, signature)


@_operation("cosh", 1)
def cosh(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Hyperbolic cosine.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.cosh(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 1.127626, 27.308233])
    """
    return _elementwise("cosh", (x,), out, where, casting, order, dtype, signature)


@_operation("tanh", 1)
def tanh(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Hyperbolic tangent.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.tanh(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.462117, 0.999329])
    """
    return _elementwise("tanh", (x,), out, where, casting, order, dtype, signature)


@_operation("asinh", 1)
def asinh(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Inverse hyperbolic sine.

    NumPy's ``arcsinh``.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.asinh(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.481212, 2.094713])
    """
    return _elementwise("asinh", (x,), out, where, casting, order, dtype, signature)


@_operation("acosh", 1)
def acosh(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Inverse hyperbolic cosine.

    NumPy's ``arccosh``.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.acosh(da.asarray([1.0, 2.0])).copy_to_host().round(6)
    array([0.      , 1.316958])
    """
    return _elementwise("acosh", (x,), out, where, casting, order, dtype, signature)


@_operation("atanh", 1)
def atanh(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Inverse hyperbolic tangent.

    NumPy's ``arctanh``.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.atanh(da.asarray([0.0, 0.5])).copy_to_host().round(6)
    array([0.      , 0.549306])
    """
    return _elementwise("atanh", (x,), out, where, casting, order, dtype, signature)


@_operation("deg2rad", 1)
def deg2rad(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Degrees to radians.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.deg2rad(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([0.008727, 0.069813])
    """
    return _elementwise("deg2rad", (x,), out, where, casting, order, dtype, signature)


@_operation("rad2deg", 1)
def rad2deg(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Radians to degrees.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.rad2deg(da.asarray([0.5, 4.0])).copy_to_host().round(6)
    array([ 28.64789 , 229.183118])
    """
    return _elementwise("rad2deg", (x,), out, where, casting, order, dtype, signature)


@_operation("equal", 2)
def equal(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether the inputs are equal.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: bool. Of scalars alone, NumPy's
        scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.equal(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([False, False])
    """
    return _elementwise("equal", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("not_equal", 2)
def not_equal(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether the inputs differ.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: bool. Of scalars alone, NumPy's
        scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.not_equal(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([ True,  True])
    """
    return _elementwise("not_equal", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("less", 2)
def less(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether a < b.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: bool. Of scalars alone, NumPy's
        scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.less(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([ True, False])
    """
    return _elementwise("less", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("less_equal", 2)
def less_equal(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether a <= b.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: bool. Of scalars alone, NumPy's
        scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.less_equal(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([ True, False])
    """
    return _elementwise("less_equal", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("greater", 2)
def greater(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether a > b.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: bool. Of scalars alone, NumPy's
        scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.greater(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([False,  True])
    """
    return _elementwise("greater", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("greater_equal", 2)
def greater_equal(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether a >= b.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: bool. Of scalars alone, NumPy's
        scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.greater_equal(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([False,  True])
    """
    return _elementwise("greater_equal", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("maximum", 2)
def maximum(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """The greater input; NaN if either is NaN.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.maximum(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([2., 7.])
    """
    return _elementwise("maximum", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("minimum", 2)
def minimum(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """The lesser input; NaN if either is NaN.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.minimum(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 2.])
    """
    return _elementwise("minimum", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("fmax", 2)
def fmax(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """The greater input; a NaN only if both are.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.fmax(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([2., 7.])
    """
    return _elementwise("fmax", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("fmin", 2)
def fmin(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """The lesser input; a NaN only if both are.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.fmin(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 2.])
    """
    return _elementwise("fmin", (x1, x2), out, where, casting, order, dtype, signature)


def clip(
    a: Array,
    min: Any = _NONE,
    max: Any = _NONE,
    out: Array | None = None,
    *,
    a_min: Any = _NONE,
    a_max: Any = _NONE,
    **kwargs: Any,
) -> Array:
    """The first input, kept between the second and the third.

    Parameters
    ----------
    a : array_like
        The values.
    min, max : Array or scalar, optional
        The bounds, which broadcast with `a`; there is none by default.
    out : Array, optional
        Where the result goes, and what is returned. It has the result's shape, and a dtype that the result casts to.
    a_min, a_max : Array or scalar, optional
        NumPy's names of the bounds.
    **kwargs
        `where`, `dtype`, `casting` and `order`, as of element-wise functions.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype.

    Raises
    ------
    ValueError
        Where a bound is given by both names.
    DTypeError
        Where `a` is no array, or the result does not cast to the dtype of `out`.
    ShapeError
        Where the operands do not broadcast, or `out` has another shape.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.clip(da.asarray([1, 5, 9]), 2, 6).copy_to_host()
    array([2, 5, 6])
    """
    if (a_min is not _NONE and min is not _NONE) or (a_max is not _NONE and max is not _NONE):
        raise _ValueError("clip: a_min and min, a_max and max are one parameter under two names; give one of them")
    low, high = min if a_min is _NONE else a_min, max if a_max is _NONE else a_max
    if not isinstance(a, Array):
        if _calls_method("clip", a, low, high):
            ends = (None if end is _NONE else end for end in (low, high))
            return np.clip(a, *ends, out=out, **kwargs)
        a = _as_array("clip", "a", a)
    return a.clip(None if low is _NONE else low, None if high is _NONE else high, out, **kwargs)


@_overload
def where(condition: Array, /) -> tuple[Array, ...]: ...


@_overload
def where(condition: Operand, x1: Operand, x2: Operand, /) -> Array: ...


def where(condition: Any, x1: Any = _NONE, x2: Any = _NONE, /) -> Any:
    """The second input where the first is true, else the third.

    Of a condition alone the indices of its elements that are not zero, as :func:`devarray.nonzero`; this waits for
    their number.

    Parameters
    ----------
    condition : Array or scalar
        What is not zero is true.
    x1, x2 : Array or scalar
        The values where it is true, and where it is false. All three broadcast.

    Returns
    -------
    Array or tuple of Array
        A new array of the dtype that `x1` and `x2` promote to. Of a condition alone, one int64 array for each axis.

    Raises
    ------
    ValueError
        Where `x1` is given without `x2`.
    DTypeError
        For what is neither an array nor a scalar.
    ShapeError
        Where the operands do not broadcast.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.where(da.asarray([True, False]), 1, 2).copy_to_host()
    array([1, 2])
    """
    if x2 is _NONE:
        if x1 is not _NONE:
            raise _ValueError(
                "either both or neither of x and y should be given: "
                "where takes a condition alone, or with both of x1 and x2; x2 is missing"
            )
        return _as_array("where", "condition", condition).nonzero()
    try:
        return _apply(_OP_where, condition, x1, x2)
    except _DTypeError:
        if not _has_texts((x1, x2)) and not any(map(_is_masked, (condition, x1, x2))):
            raise
        return _of_texts("where")(condition, x1, x2)


@_operation("heaviside", 2)
def heaviside(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """0 below zero, 1 above, b at zero.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not complex numbers. Each is taken as a float by its own size.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype;
        float16, float32 or float64, by their size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.heaviside(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 1.])
    """
    return _elementwise("heaviside", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("bitwise_and", 2)
def bitwise_and(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """And of the bits.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not floats or complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_and(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([4, 0])
    """
    return _elementwise("bitwise_and", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("bitwise_or", 2)
def bitwise_or(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Or of the bits.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not floats or complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_or(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([6, 7])
    """
    return _elementwise("bitwise_or", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("bitwise_xor", 2)
def bitwise_xor(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Exclusive or of the bits.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not floats or complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype. Of
        scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_xor(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([2, 7])
    """
    return _elementwise("bitwise_xor", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("bitwise_invert", 1)
def bitwise_invert(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Every bit changed; of bools, their not.

    NumPy's ``invert``.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not floats or complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_invert(da.asarray([6, 5])).copy_to_host()
    array([-7, -6])
    """
    return _elementwise("bitwise_invert", (x,), out, where, casting, order, dtype, signature)


@_operation("bitwise_left_shift", 2)
def bitwise_left_shift(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Bits moved up; zeros from below.

    NumPy's ``left_shift``.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not floats or complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype; int8
        for bool. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_left_shift(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([96, 20])
    """
    return _elementwise("bitwise_left_shift", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("bitwise_right_shift", 2)
def bitwise_right_shift(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Bits moved down; the sign from above.

    NumPy's ``right_shift``.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not floats or complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype; int8
        for bool. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_right_shift(da.asarray([6, 5]), da.asarray([4, 2])).copy_to_host()
    array([0, 1])
    """
    return _elementwise("bitwise_right_shift", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("bitwise_count", 1)
def bitwise_count(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Number of ones among the bits of the absolute value.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not floats or complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: uint8. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.bitwise_count(da.asarray([6, 5])).copy_to_host()
    array([2, 2], dtype=uint8)
    """
    return _elementwise("bitwise_count", (x,), out, where, casting, order, dtype, signature)


@_operation("logical_and", 2)
def logical_and(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether both inputs are non-zero.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: bool. Of scalars alone, NumPy's
        scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.logical_and(da.asarray([True, False]), da.asarray([True, True])).copy_to_host()
    array([ True, False])
    """
    return _elementwise("logical_and", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("logical_or", 2)
def logical_or(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether an input is non-zero.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: bool. Of scalars alone, NumPy's
        scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.logical_or(da.asarray([True, False]), da.asarray([True, True])).copy_to_host()
    array([ True,  True])
    """
    return _elementwise("logical_or", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("logical_xor", 2)
def logical_xor(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether just one input is non-zero.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: bool. Of scalars alone, NumPy's
        scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.logical_xor(da.asarray([True, False]), da.asarray([True, True])).copy_to_host()
    array([False,  True])
    """
    return _elementwise("logical_xor", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("logical_not", 1)
def logical_not(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether the input is zero.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: bool. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.logical_not(da.asarray([True, False])).copy_to_host()
    array([False,  True])
    """
    return _elementwise("logical_not", (x,), out, where, casting, order, dtype, signature)


@_operation("isfinite", 1)
def isfinite(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether the input is neither infinite nor NaN.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: bool. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.isfinite(da.asarray([1.0, float('inf'), float('nan')])).copy_to_host()
    array([ True, False, False])
    """
    return _elementwise("isfinite", (x,), out, where, casting, order, dtype, signature)


@_operation("isinf", 1)
def isinf(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether the input is infinite.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: bool. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.isinf(da.asarray([1.0, float('inf'), float('nan')])).copy_to_host()
    array([False,  True, False])
    """
    return _elementwise("isinf", (x,), out, where, casting, order, dtype, signature)


@_operation("isnan", 1)
def isnan(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether the input is NaN.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: bool. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.isnan(da.asarray([1.0, float('inf'), float('nan')])).copy_to_host()
    array([False, False,  True])
    """
    return _elementwise("isnan", (x,), out, where, casting, order, dtype, signature)


@_operation("signbit", 1)
def signbit(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Whether the sign bit is set.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: bool. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.signbit(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([ True, False, False])
    """
    return _elementwise("signbit", (x,), out, where, casting, order, dtype, signature)


@_operation("copysign", 2)
def copysign(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """The first input with the second's sign.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not complex numbers. Each is taken as a float by its own size.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype;
        float16, float32 or float64, by their size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.copysign(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 7.])
    """
    return _elementwise("copysign", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("nextafter", 2)
def nextafter(
    x1: Operand,
    x2: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """The next number from a towards b.

    Parameters
    ----------
    x1, x2 : Array or scalar
        The operands, which broadcast. Not complex numbers. Each is taken as a float by its own size.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: the operands' promoted dtype;
        float16, float32 or float64, by their size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the operands do not broadcast, or not to the shape of `out`.
    DeviceError
        For arrays of different devices.

    Examples
    --------
    >>> import devarray as da
    >>> da.nextafter(da.asarray([1.0, 7.0]), da.asarray([2.0, 2.0])).copy_to_host()
    array([1., 7.])
    """
    return _elementwise("nextafter", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("spacing", 1)
def spacing(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Signed distance to the next number away from zero.

    Parameters
    ----------
    x : Array or scalar
        The operand. Not complex numbers.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; float16, float32 or float64, by their
        size, for bool and integers. Of scalars alone, NumPy's scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.spacing(da.asarray([0.5, 4.0])).copy_to_host()
    array([1.11022302e-16, 8.88178420e-16])
    """
    return _elementwise("spacing", (x,), out, where, casting, order, dtype, signature)


@_operation("conj", 1)
def conj(
    x: Operand,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Array:
    """Complex conjugate.

    NumPy's ``conjugate``.

    Parameters
    ----------
    x : Array or scalar
        The operand.
    out : Array, optional
        Where the result goes, and what is returned. The result broadcasts to its shape and casts to its dtype.
    where : array_like of bool
        The elements that are written; all by default. The others keep their values in `out`, and are undefined without
        it.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for casts of operands to `dtype`, and of the result to `out`. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and result: of NumPy's loop to take.

    Returns
    -------
    Array
        A new array of the shape of `x`, or `out`. Its dtype: the dtype of `x`; int8 for bool. Of scalars alone, NumPy's
        scalar.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.conj(da.asarray([(1+2j), (3-1j)])).copy_to_host()
    array([1.-2.j, 3.+1.j])
    """
    return _elementwise("conj", (x,), out, where, casting, order, dtype, signature)


def real(val: Operand) -> Array:
    """Real part.

    As ``val.real``: of a complex array a view, and a real one is returned as it is.

    Parameters
    ----------
    val : Array or scalar
        The numbers.

    Returns
    -------
    Array
        Of the shape of `val`. Of a scalar, NumPy's scalar.

    Raises
    ------
    DTypeError
        For what makes no array.

    Examples
    --------
    >>> import devarray as da
    >>> da.real(da.asarray([(1+2j), (3-1j)])).copy_to_host()
    array([1., 3.])
    """
    if isinstance(val, bool | int | float | complex | np.generic):
        return _apply(_OP_real, val)
    return _as_array("real", "val", val).real


def imag(val: Operand) -> Array:
    """Imaginary part; zeros for real input.

    As ``val.imag``: of a complex array a view, and of a real one zeros that cannot be written.

    Parameters
    ----------
    val : Array or scalar
        The numbers.

    Returns
    -------
    Array
        Of the shape of `val`. Of a scalar, NumPy's scalar.

    Raises
    ------
    DTypeError
        For what makes no array.

    Examples
    --------
    >>> import devarray as da
    >>> da.imag(da.asarray([(1+2j), (3-1j)])).copy_to_host()
    array([ 2., -1.])
    """
    if isinstance(val, bool | int | float | complex | np.generic):
        return _apply(_OP_imag, val)
    return _as_array("imag", "val", val).imag


def fix(x: Operand, out: Array | None = None) -> Array:
    """Numbers rounded towards zero: :func:`trunc`.

    Parameters
    ----------
    x : Array or scalar
        The numbers.
    out : Array, optional
        Where the result goes, and what is returned. It has the result's shape, and a dtype that the result casts to.

    Returns
    -------
    Array
        A new array of the shape and dtype of `x`, or `out`. Of a scalar, NumPy's scalar.

    Raises
    ------
    DTypeError
        For complex numbers, or where the result does not cast to the dtype of `out`.
    ShapeError
        Where `out` has another shape.

    Examples
    --------
    >>> import devarray as da
    >>> da.fix(da.asarray([-1.5, 0.25, 2.75])).copy_to_host()
    array([-1.,  0.,  2.])
    """
    return trunc(x, out)


# NumPy's names
absolute = abs
arccos = acos
arccosh = acosh
arcsin = asin
arcsinh = asinh
arctan = atan
arctan2 = atan2
arctanh = atanh
bitwise_not = bitwise_invert
conjugate = conj
degrees = rad2deg
invert = bitwise_invert
left_shift = bitwise_left_shift
mod = remainder
power = pow
radians = deg2rad
right_shift = bitwise_right_shift
true_divide = divide

_add_methods(globals())
