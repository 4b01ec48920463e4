"""Numbers in two parts: quotient and remainder, fraction and exponent."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._array.operations import with_short_name
from devarray._array.ufunc_call import call, targets_of, writable
from devarray._primitives.operands import as_arrays
from devarray._routines.math.compound import apply_op
from devarray.array import Array
from devarray.errors import DTypeError

if TYPE_CHECKING:
    from devarray._typing import ArrayLike, BoolLike, DTypeLike, Signature

__all__ = ["divmod", "frexp", "ldexp", "modf"]


def _outputs_by_position(function: Callable[..., Any]) -> Callable[..., Any]:
    """A ufunc's function of two results, whose outputs are one after the other by position, and a tuple by name."""
    nin = getattr(np, function.__name__).nin

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        outputs = args[nin:]
        if outputs and "out" in keywords:
            raise DTypeError(
                f"{function.__name__}: cannot specify 'out' as both a positional and keyword argument: give one of them"
            )
        if 0 < len(outputs) <= 2:
            args, keywords["out"] = args[:nin], (*outputs, None)[:2]
        return function(*args, **keywords)

    return call


@_outputs_by_position
@with_short_name
def divmod(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: object = (None, None),
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Any:
    """Floor quotients and remainders, as the operators ``//`` and ``%`` give them.

    Parameters
    ----------
    x1 : array_like
        The dividends.
    x2 : array_like
        The divisors. At least one of the two is an Array.
    out : tuple of Array, optional
        Where the results go; by position one after the other, without the tuple.
    where : array_like of bool
        The elements that are written; all by default.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for what may be cast. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and results, as NumPy's ufuncs take them.

    Returns
    -------
    quotient, remainder : Array
        New arrays of the shape that the operands broadcast to.

    Raises
    ------
    ShapeError
        Where the shapes do not broadcast.
    DTypeError
        For complex numbers.

    Examples
    --------
    >>> import devarray as da
    >>> [part.copy_to_host().tolist() for part in da.divmod(da.asarray([7, -7]), 3)]
    [[2, -3], [1, 2]]
    """
    return _as_ufunc(
        "divmod",
        _divmod,
        (x1, x2),
        out,
        where=where,
        casting=casting,
        order=order,
        dtype=dtype,
        signature=signature,
    )


def _divmod(x1: object, x2: object) -> tuple[Array, Array]:
    return apply_op("floor_divide", x1, x2), apply_op("remainder", x1, x2)


def _as_float(x: Array) -> Array:
    """x in the float that NumPy's float functions take for its dtype."""
    if x.dtype.kind == "c":
        raise DTypeError(f"numbers of dtype {x.dtype} have no exponent or whole part")
    if x.dtype.kind == "f":
        return x
    return x.astype(np.result_type(np.float16, x.dtype) if x.itemsize < 4 else np.float64)


@_outputs_by_position
@with_short_name
def modf(
    x: Array,
    /,
    out: object = (None, None),
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Any:
    """Fractional and whole parts of numbers.

    Parameters
    ----------
    x : array_like
        The numbers.
    out : tuple of Array, optional
        Where the results go; by position one after the other, without the tuple.
    where : array_like of bool
        The elements that are written; all by default.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for what may be cast. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and results, as NumPy's ufuncs take them.

    Returns
    -------
    fraction, whole : Array
        New arrays of a floating-point dtype, both with the sign of `x`.

    Raises
    ------
    DTypeError
        For complex numbers.

    Examples
    --------
    >>> import devarray as da
    >>> [part.copy_to_host().tolist() for part in da.modf(da.asarray([2.25, -1.5]))]
    [[0.25, -0.5], [2.0, -1.0]]
    """
    return _as_ufunc(
        "modf",
        _modf,
        (x,),
        out,
        where=where,
        casting=casting,
        order=order,
        dtype=dtype,
        signature=signature,
    )


def _modf(x: Array) -> tuple[Array, Array]:
    x = _as_float(x)
    whole = apply_op("trunc", x)
    rest = apply_op("where", apply_op("isinf", x), 0.0, x - whole)
    return apply_op("copysign", rest, x), whole


@_outputs_by_position
@with_short_name
def frexp(
    x: Array,
    /,
    out: object = (None, None),
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Any:
    """Mantissas and exponents of numbers, such that ``x == mantissa * 2**exponent``.

    Parameters
    ----------
    x : array_like
        The numbers.
    out : tuple of Array, optional
        Where the results go; by position one after the other, without the tuple.
    where : array_like of bool
        The elements that are written; all by default.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for what may be cast. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and results, as NumPy's ufuncs take them.

    Returns
    -------
    mantissa : Array
        Floats whose magnitude is from 1/2 to 1, without 1; zeros, infinities and NaN as they are.
    exponent : Array
        int32.

    Raises
    ------
    DTypeError
        For complex numbers.

    Examples
    --------
    >>> import devarray as da
    >>> [part.copy_to_host().tolist() for part in da.frexp(da.asarray([6.0, -0.25]))]
    [[0.75, -0.5], [3, -1]]
    """
    return _as_ufunc(
        "frexp",
        _frexp,
        (x,),
        out,
        where=where,
        casting=casting,
        order=order,
        dtype=dtype,
        signature=signature,
    )


def _frexp(x: Array) -> tuple[Array, Array]:
    x = _as_float(x)
    return apply_op("mantissa", x), apply_op("exponent", x).astype(np.int32)


@with_short_name
def ldexp(
    x1: ArrayLike,
    x2: ArrayLike,
    /,
    out: Array | None = None,
    *,
    where: BoolLike = True,
    casting: str = "same_kind",
    order: str = "K",
    dtype: DTypeLike | None = None,
    subok: bool = True,
    signature: Signature | None = None,
) -> Any:
    """Products with powers of two, ``x1 * 2**x2``, rounded once.

    Parameters
    ----------
    x1 : array_like
        Of a real dtype.
    x2 : array_like of int
        The exponents. The two broadcast.
    out : Array, optional
        Where the result goes.
    where : array_like of bool
        The elements that are written; all by default.
    casting : {"no", "equiv", "safe", "same_kind", "unsafe"}
        NumPy's rule for what may be cast. "same_kind" by default.
    order : {"K", "A", "C", "F"}
        Memory order of the result. "K", as the operands, by default.
    dtype : dtype, optional
        To compute in, in place of the operands' promoted dtype.
    subok : bool
        NumPy's, not used: there are no subclasses.
    signature : str or tuple of dtype, optional
        The dtypes of operands and results, as NumPy's ufuncs take them.

    Returns
    -------
    Array
        A new array of a floating-point dtype.

    Raises
    ------
    DTypeError
        For exponents that are not integers, and complex `x1`.

    Examples
    --------
    >>> import devarray as da
    >>> da.ldexp(da.asarray([0.75, -0.5]), da.asarray([3, -1])).copy_to_host()
    array([ 6.  , -0.25])
    """
    x, n = (*as_arrays(x1), x2) if type(x2) is int else as_arrays(x1, x2)
    return _as_ufunc(
        "ldexp", _ldexp, (x, n), out, where=where, casting=casting, order=order, dtype=dtype, signature=signature
    )


def _ldexp(x: Array, n: Array | int) -> tuple[Array]:
    x = _as_float(x)
    if isinstance(n, int):
        return (apply_op("scale_by_power", x, float(max(-_BEYOND, min(n, _BEYOND)))),)
    if n.dtype.kind not in "biu" or n.dtype == np.uint64:
        raise DTypeError(
            "ufunc 'ldexp' not supported for the input types, and the inputs could not be safely coerced to any "
            f"supported types: exponents are integers that int64 holds, not {n.dtype}"
        )
    return (apply_op("scale_by_power", x, n.astype(x.dtype)),)


_BEYOND = 5000
"""An exponent beyond those of any two numbers' quotient."""


def _as_ufunc(name: str, compute: Callable[..., Any], inputs: tuple[Any, ...], out: object, **keywords: object) -> Any:
    """A function of several operations with the keywords of NumPy's ufunc of that name."""
    if out is ...:
        return writable(_as_ufunc(name, compute, inputs, None, **keywords))
    given = {key: value for key, value in keywords.items() if value is not None}
    return call(getattr(np, name), name, inputs, targets_of(name, out, getattr(np, name).nout), given, compute)
