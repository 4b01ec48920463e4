"""SciPy's special functions, one for each row of the op table that is marked so.

Written by tools/make_elementwise.py: do not edit.

Each records its operation, as the functions of devarray/_routines/math/elementwise.py do. Within 8 ULP of the exact
value, or within SciPy's own error; tests/ops/test_special.py measures it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from devarray._array.operations import operation as _operation
from devarray._array.ufunc_call import elementwise as _elementwise
from devarray.array import Array

if TYPE_CHECKING:
    from devarray._typing import BoolLike, DTypeLike, Signature

__all__ = [
    "beta",
    "betaln",
    "boxcox",
    "boxcox1p",
    "cosdg",
    "cosm1",
    "cotdg",
    "digamma",
    "ellipk",
    "ellipkm1",
    "entr",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp1",
    "exp10",
    "expit",
    "exprel",
    "gamma",
    "gammaln",
    "gammasgn",
    "huber",
    "i0e",
    "i1",
    "i1e",
    "inv_boxcox",
    "inv_boxcox1p",
    "j0",
    "j1",
    "jn",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kl_div",
    "log_expit",
    "log_ndtr",
    "logit",
    "ndtr",
    "ndtri",
    "poch",
    "pseudo_huber",
    "rel_entr",
    "rgamma",
    "sindg",
    "tandg",
    "xlog1py",
    "xlogy",
    "y0",
    "y1",
    "yn",
]

Scalar: TypeAlias = bool | int | float | complex | np.generic
Operand: TypeAlias = Array | Scalar


@_operation("erf", 1)
def erf(
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
    """Error function.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.erf(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.5205  , 0.995322])
    """
    return _elementwise("erf", (x,), out, where, casting, order, dtype, signature)


@_operation("erfc", 1)
def erfc(
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
    """1 - erf(x), exact where that is small.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.erfc(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.4795  , 0.004678])
    """
    return _elementwise("erfc", (x,), out, where, casting, order, dtype, signature)


@_operation("erfcx", 1)
def erfcx(
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
    """exp(x**2) * erfc(x).

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.erfcx(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.61569 , 0.255396])
    """
    return _elementwise("erfcx", (x,), out, where, casting, order, dtype, signature)


@_operation("erfinv", 1)
def erfinv(
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
    """Where the error function has the value x.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.erfinv(da.asarray([0.25, 0.5])).copy_to_host().round(6)
    array([0.225312, 0.476936])
    """
    return _elementwise("erfinv", (x,), out, where, casting, order, dtype, signature)


@_operation("erfcinv", 1)
def erfcinv(
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
    """Where erfc has the value x.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.erfcinv(da.asarray([0.25, 0.5])).copy_to_host().round(6)
    array([0.81342 , 0.476936])
    """
    return _elementwise("erfcinv", (x,), out, where, casting, order, dtype, signature)


@_operation("ndtr", 1)
def ndtr(
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
    """Chance that a normal variate is not above x.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.ndtr(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.691462, 0.97725 ])
    """
    return _elementwise("ndtr", (x,), out, where, casting, order, dtype, signature)


@_operation("ndtri", 1)
def ndtri(
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
    """Where `ndtr` has the value x.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.ndtri(da.asarray([0.25, 0.5])).copy_to_host().round(6)
    array([-0.67449,  0.     ])
    """
    return _elementwise("ndtri", (x,), out, where, casting, order, dtype, signature)


@_operation("log_ndtr", 1)
def log_ndtr(
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
    """Logarithm of `ndtr`.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.log_ndtr(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([-0.368946, -0.023013])
    """
    return _elementwise("log_ndtr", (x,), out, where, casting, order, dtype, signature)


@_operation("gamma", 1)
def gamma(
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
    """Gamma function.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.gamma(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([1.772454, 1.      ])
    """
    return _elementwise("gamma", (x,), out, where, casting, order, dtype, signature)


@_operation("gammaln", 1)
def gammaln(
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
    """Logarithm of the absolute value of the gamma function.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.gammaln(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.572365, 0.      ])
    """
    return _elementwise("gammaln", (x,), out, where, casting, order, dtype, signature)


@_operation("gammasgn", 1)
def gammasgn(
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
    """Sign of the gamma function.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.gammasgn(da.asarray([0.5, 2.0])).copy_to_host()
    array([1., 1.])
    """
    return _elementwise("gammasgn", (x,), out, where, casting, order, dtype, signature)


@_operation("rgamma", 1)
def rgamma(
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
    """1 / gamma(x).

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.rgamma(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.56419, 1.     ])
    """
    return _elementwise("rgamma", (x,), out, where, casting, order, dtype, signature)


@_operation("digamma", 1)
def digamma(
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
    """Derivative of the logarithm of the gamma function.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.digamma(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([-1.96351 ,  0.422784])
    """
    return _elementwise("digamma", (x,), out, where, casting, order, dtype, signature)


@_operation("beta", 2)
def beta(
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
    """Beta function, gamma(a) * gamma(b) / gamma(a + b).

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.beta(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([1.570796, 0.083333])
    """
    return _elementwise("beta", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("betaln", 2)
def betaln(
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
    """Logarithm of the absolute value of the beta function.

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.betaln(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([ 0.451583, -2.484907])
    """
    return _elementwise("betaln", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("poch", 2)
def poch(
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
    """Rising factorial, gamma(a + b) / gamma(a).

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.poch(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([ 1.128379, 24.      ])
    """
    return _elementwise("poch", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("expit", 1)
def expit(
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
    """Logistic function, 1 / (1 + exp(-x)).

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.expit(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.622459, 0.880797])
    """
    return _elementwise("expit", (x,), out, where, casting, order, dtype, signature)


@_operation("log_expit", 1)
def log_expit(
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
    """Logarithm of `expit`.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.log_expit(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([-0.474077, -0.126928])
    """
    return _elementwise("log_expit", (x,), out, where, casting, order, dtype, signature)


@_operation("logit", 1)
def logit(
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
    """log(x / (1 - x)).

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.logit(da.asarray([0.25, 0.5])).copy_to_host().round(6)
    array([-1.098612,  0.      ])
    """
    return _elementwise("logit", (x,), out, where, casting, order, dtype, signature)


@_operation("xlogy", 2)
def xlogy(
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
    """a * log(b), and 0 where a is 0.

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.xlogy(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([-1.039721,  2.197225])
    """
    return _elementwise("xlogy", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("xlog1py", 2)
def xlog1py(
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
    """a * log1p(b), and 0 where a is 0.

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.xlog1py(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([0.608198, 2.772589])
    """
    return _elementwise("xlog1py", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("entr", 1)
def entr(
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
    """-x * log(x), 0 at 0, and -inf below.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.entr(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([ 0.346574, -1.386294])
    """
    return _elementwise("entr", (x,), out, where, casting, order, dtype, signature)


@_operation("rel_entr", 2)
def rel_entr(
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
    """a * log(a / b), 0 where a is 0, and inf outside.

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.rel_entr(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([ 1.647918, -0.81093 ])
    """
    return _elementwise("rel_entr", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("kl_div", 2)
def kl_div(
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
    """a * log(a / b) - a + b, and inf outside.

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.kl_div(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([0.647918, 0.18907 ])
    """
    return _elementwise("kl_div", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("huber", 2)
def huber(
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
    """Huber's loss of b: a square up to a, then linear.

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.huber(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host()
    array([0.125, 4.   ])
    """
    return _elementwise("huber", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("pseudo_huber", 2)
def pseudo_huber(
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
    """a**2 * (sqrt(1 + (b / a)**2) - 1).

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.pseudo_huber(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([0.121708, 3.211103])
    """
    return _elementwise("pseudo_huber", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("boxcox", 2)
def boxcox(
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
    """(a**b - 1) / b, and log(a) where b is 0.

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.boxcox(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([0.44949 , 2.333333])
    """
    return _elementwise("boxcox", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("boxcox1p", 2)
def boxcox1p(
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
    """((1 + a)**b - 1) / b, and log1p(a) where b is 0.

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.boxcox1p(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([1.162278, 8.666667])
    """
    return _elementwise("boxcox1p", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("inv_boxcox", 2)
def inv_boxcox(
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
    """Where `boxcox` with b has the value a.

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.inv_boxcox(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([3.0625  , 1.912931])
    """
    return _elementwise("inv_boxcox", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("inv_boxcox1p", 2)
def inv_boxcox1p(
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
    """Where `boxcox1p` with b has the value a.

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.inv_boxcox1p(da.asarray([1.5, 2.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([2.0625  , 0.912931])
    """
    return _elementwise("inv_boxcox1p", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("exprel", 1)
def exprel(
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
    """(exp(x) - 1) / x, and 1 at 0.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.exprel(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([1.297443, 3.194528])
    """
    return _elementwise("exprel", (x,), out, where, casting, order, dtype, signature)


@_operation("exp10", 1)
def exp10(
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
    """10 raised to the input.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.exp10(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([  3.162278, 100.      ])
    """
    return _elementwise("exp10", (x,), out, where, casting, order, dtype, signature)


@_operation("cosm1", 1)
def cosm1(
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
    """cos(x) - 1, exact near 0.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.cosm1(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([-0.122417, -1.416147])
    """
    return _elementwise("cosm1", (x,), out, where, casting, order, dtype, signature)


@_operation("sindg", 1)
def sindg(
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
    """Sine of an angle in degrees.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.sindg(da.asarray([30.0, 45.0])).copy_to_host().round(6)
    array([0.5     , 0.707107])
    """
    return _elementwise("sindg", (x,), out, where, casting, order, dtype, signature)


@_operation("cosdg", 1)
def cosdg(
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
    """Cosine of an angle in degrees.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.cosdg(da.asarray([30.0, 45.0])).copy_to_host().round(6)
    array([0.866025, 0.707107])
    """
    return _elementwise("cosdg", (x,), out, where, casting, order, dtype, signature)


@_operation("tandg", 1)
def tandg(
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
    """Tangent of an angle in degrees.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.tandg(da.asarray([30.0, 45.0])).copy_to_host().round(6)
    array([0.57735, 1.     ])
    """
    return _elementwise("tandg", (x,), out, where, casting, order, dtype, signature)


@_operation("cotdg", 1)
def cotdg(
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
    """Cotangent of an angle in degrees.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.cotdg(da.asarray([30.0, 45.0])).copy_to_host().round(6)
    array([1.732051, 1.      ])
    """
    return _elementwise("cotdg", (x,), out, where, casting, order, dtype, signature)


@_operation("i0e", 1)
def i0e(
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
    """exp(-abs(x)) * i0(x).

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.i0e(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.645035, 0.308508])
    """
    return _elementwise("i0e", (x,), out, where, casting, order, dtype, signature)


@_operation("i1", 1)
def i1(
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
    """Modified Bessel function of the first kind, order 1.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.i1(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.257894, 1.590637])
    """
    return _elementwise("i1", (x,), out, where, casting, order, dtype, signature)


@_operation("i1e", 1)
def i1e(
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
    """exp(-abs(x)) * i1(x).

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.i1e(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.156421, 0.215269])
    """
    return _elementwise("i1e", (x,), out, where, casting, order, dtype, signature)


@_operation("k0", 1)
def k0(
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
    """Modified Bessel function of the second kind, order 0.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.k0(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.924419, 0.113894])
    """
    return _elementwise("k0", (x,), out, where, casting, order, dtype, signature)


@_operation("k0e", 1)
def k0e(
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
    """exp(x) * k0(x).

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.k0e(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([1.524109, 0.841568])
    """
    return _elementwise("k0e", (x,), out, where, casting, order, dtype, signature)


@_operation("k1", 1)
def k1(
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
    """Modified Bessel function of the second kind, order 1.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.k1(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([1.656441, 0.139866])
    """
    return _elementwise("k1", (x,), out, where, casting, order, dtype, signature)


@_operation("k1e", 1)
def k1e(
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
    """exp(x) * k1(x).

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.k1e(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([2.73101 , 1.033477])
    """
    return _elementwise("k1e", (x,), out, where, casting, order, dtype, signature)


@_operation("j0", 1)
def j0(
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
    """Bessel function of the first kind, order 0.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.j0(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.93847 , 0.223891])
    """
    return _elementwise("j0", (x,), out, where, casting, order, dtype, signature)


@_operation("j1", 1)
def j1(
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
    """Bessel function of the first kind, order 1.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.j1(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.242268, 0.576725])
    """
    return _elementwise("j1", (x,), out, where, casting, order, dtype, signature)


@_operation("y0", 1)
def y0(
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
    """Bessel function of the second kind, order 0.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.y0(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([-0.444519,  0.510376])
    """
    return _elementwise("y0", (x,), out, where, casting, order, dtype, signature)


@_operation("y1", 1)
def y1(
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
    """Bessel function of the second kind, order 1.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.y1(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([-1.471472, -0.107032])
    """
    return _elementwise("y1", (x,), out, where, casting, order, dtype, signature)


@_operation("jn", 2)
def jn(
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
    """Bessel function of the first kind, of integer order a at b; orders to 10**6.

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.jn(da.asarray([2.0, 3.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([0.030604, 0.309063])
    """
    return _elementwise("jn", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("yn", 2)
def yn(
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
    """Bessel function of the second kind, of integer order a at b; orders to 10**6.

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
        A new array of the shape that the operands broadcast to, or `out`. Its dtype: float32 for float32, float64 for
        all others.

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
    >>> da.special.yn(da.asarray([2.0, 3.0]), da.asarray([0.5, 3.0])).copy_to_host().round(6)
    array([-5.441371, -0.538542])
    """
    return _elementwise("yn", (x1, x2), out, where, casting, order, dtype, signature)


@_operation("ellipk", 1)
def ellipk(
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
    """Complete elliptic integral of the first kind, of the parameter m.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.ellipk(da.asarray([0.25, 0.5])).copy_to_host().round(6)
    array([1.68575 , 1.854075])
    """
    return _elementwise("ellipk", (x,), out, where, casting, order, dtype, signature)


@_operation("ellipkm1", 1)
def ellipkm1(
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
    """`ellipk` of 1 - x, exact near 0.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.ellipkm1(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([1.854075, 1.311029])
    """
    return _elementwise("ellipkm1", (x,), out, where, casting, order, dtype, signature)


@_operation("exp1", 1)
def exp1(
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
    """Exponential integral of exp(-t) / t from x to infinity.

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
        A new array of the shape of `x`, or `out`. Its dtype: float32 for float32, float64 for all others.

    Raises
    ------
    DTypeError
        Where the operation is not defined for an operand's dtype, or the result does not cast to that of `out`.
    ShapeError
        Where the result does not broadcast to the shape of `out`.

    Examples
    --------
    >>> import devarray as da
    >>> da.special.exp1(da.asarray([0.5, 2.0])).copy_to_host().round(6)
    array([0.559774, 0.048901])
    """
    return _elementwise("exp1", (x,), out, where, casting, order, dtype, signature)
