"""The methods that NumPy's ufuncs have, on devarray's functions: ``da.add.reduce``, ``da.maximum.accumulate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._array.protocols import PROTOCOLS
from devarray._array.ufunc_call import REDUCTIONS, is_masked, writable
from devarray._primitives.convert import asarray
from devarray._primitives.opaque import OpaqueArray
from devarray._primitives.operands import has_texts
from devarray._primitives.small import at_quietly, few_accumulated
from devarray.array import Array
from devarray.errors import DTypeError
from devarray.ops.table import OPS

if TYPE_CHECKING:
    from devarray._typing import ArrayLike, BoolLike, DTypeLike

__all__: list[str] = []  # reached as attributes of the functions

_ANY = frozenset((Array, int, float))
_Axis = int | tuple[int, ...] | None
_DEFAULTS = {"axis": 0, "dtype": None, "keepdims": False, "initial": np._NoValue, "where": True}
"""Of NumPy's ufuncs, which hand on what was given alone."""


class Methods:
    """A ufunc's methods, bound to one function.

    NumPy's rules hold (axis 0 unless told otherwise), and its errors: a DTypeError names what has no kernel.

    Parameters
    ----------
    ufunc : numpy.ufunc
        NumPy's function of the same meaning.

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
        dtype: DTypeLike | None = None,
        out: Array | None = None,
        keepdims: bool = False,
        initial: object = np._NoValue,
        where: BoolLike = True,
    ) -> Array:
        """Combine the elements along axes.

        Parameters
        ----------
        array : Array
            The array.
        axis : int or tuple of int, optional
            The axes, 0 by default; None is all of them.
        dtype : dtype, optional
            To combine in, and of the result; NumPy's choice by default.
        out : Array, optional
            Where the result goes.
        keepdims : bool
            Whether the reduced axes stay, with size 1. False by default.
        initial : scalar, optional
            What the result starts with.
        where : array_like of bool
            The elements that take part, broadcast to the array's shape; all by default.

        Returns
        -------
        Array
            A new array without the axes, or `out`.

        Raises
        ------
        DTypeError
            Where the operation has no kernel that reduces.

        Examples
        --------
        >>> import devarray as da
        >>> da.maximum.reduce(da.asarray([[1, 5], [3, 4]])).copy_to_host()
        array([3, 5])
        """
        if type(array) is Array and dtype is out is None and initial is np._NoValue and where is True and array.ndim:
            kind = REDUCTIONS.get(self._ufunc.__name__)
            if kind and _core.count_float_watchers() <= 0:
                return getattr(array, kind)(axis, keepdims=keepdims)
        more = {"axis": axis, "dtype": dtype, "keepdims": keepdims, "initial": initial, "where": where}
        return self._do("reduce", out, array, **more)

    def accumulate(
        self, array: Array, axis: int = 0, dtype: DTypeLike | None = None, out: Array | None = None
    ) -> Array:
        """Combine the elements up to each one along an axis.

        Parameters
        ----------
        array : Array
            The array.
        axis : int
            The axis. 0 by default.
        dtype : dtype, optional
            To combine in, and of the result; NumPy's choice by default.
        out : Array, optional
            Where the result goes.

        Returns
        -------
        Array
            A new array of the same shape, or `out`.

        Raises
        ------
        DTypeError
            Where the operation has no kernel that accumulates.

        Examples
        --------
        >>> import devarray as da
        >>> da.multiply.accumulate(da.asarray([2, 3, 4])).copy_to_host()
        array([ 2,  6, 24])
        """
        if type(array) is Array and dtype is out is None and type(axis) is int and _core.count_float_watchers() <= 0:
            quick = few_accumulated(array, self._ufunc, axis)
            if quick is not None:
                return quick
        return self._do("accumulate", out, array, axis=axis, dtype=dtype)

    def reduceat(
        self, array: Array, indices: object, axis: int = 0, dtype: DTypeLike | None = None, out: Array | None = None
    ) -> Array:
        """Combine the elements of segments along an axis.

        Parameters
        ----------
        array : Array
            The array.
        indices : array_like of int
            Where each segment starts.
        axis : int
            The axis. 0 by default.
        dtype : dtype, optional
            To combine in, and of the result; NumPy's choice by default.
        out : Array, optional
            Where the result goes.

        Returns
        -------
        Array
            A new array with one element for each segment along the axis, or `out`.

        Raises
        ------
        DTypeError
            Where the operation has no kernel that reduces.

        Examples
        --------
        >>> import devarray as da
        >>> da.add.reduceat(da.asarray([1, 2, 3, 4]), [0, 2]).copy_to_host()
        array([3, 7])
        """
        return self._do("reduceat", out, array, indices, axis=axis, dtype=dtype)

    def outer(self, x1: ArrayLike, x2: ArrayLike, /, out: Array | None = None, **kwargs: Any) -> Array:
        """Combine each element of an array with each element of another.

        Parameters
        ----------
        x1, x2 : array_like
            The arrays.
        out : Array, optional
            Where the result goes.
        **kwargs
            The function's own: `where`, `casting`, `order`, `dtype`, `subok`.

        Returns
        -------
        Array
            A new array of shape ``x1.shape + x2.shape``, or `out`.

        Examples
        --------
        >>> import devarray as da
        >>> da.add.outer(da.asarray([10, 20]), da.asarray([1, 2, 3])).copy_to_host()
        array([[11, 12, 13],
               [21, 22, 23]])
        """
        return self._do("outer", out, x1, x2, **kwargs)

    def at(self, x: Array, indices: object, values: object = np._NoValue, /) -> None:
        """Combine values into elements of an array in place, one after the other where an index comes twice.

        Parameters
        ----------
        x : Array
            The array to write to.
        indices : array_like of int or tuple of them
            The elements.
        values : array_like
            Broadcast to the shape of the elements; none for functions of one operand.

        Examples
        --------
        >>> import devarray as da
        >>> x = da.zeros(3, da.int64)
        >>> da.add.at(x, da.asarray([0, 0, 2]), 1)
        >>> x.copy_to_host()
        array([2, 0, 1])
        """
        if type(x) is type(indices) is Array and self._ufunc.nin == 2 and type(values) in _ANY:
            power = self._ufunc is np.power or self._ufunc is np.float_power
            if not power and _core.update_on_host(at_quietly, x, indices, values, self._ufunc):
                return
        self._do("at", None, x, indices, *(() if values is np._NoValue else (values,)))

    def _do(self, method: str, out: Any, *inputs: object, **more: object) -> Any:
        array_ufunc = PROTOCOLS["__array_ufunc__"]
        if out is ...:
            return writable(self._do(method, None, *inputs, **more))
        if out is None and len(inputs) == 1 and type(inputs[0]) is Array:
            return array_ufunc(self._ufunc, method, inputs, more)
        if any(map(is_masked, (*inputs, out))):
            given = {key: x for key, x in more.items() if key not in _DEFAULTS or x is not _DEFAULTS[key]}
            host = PROTOCOLS["on_host_alone"](getattr(self._ufunc, method), f"{self._ufunc.__name__}.{method}", 4)
            return host(*inputs, **given, **({} if out is None else {"out": out}))
        if PROTOCOLS["are_asked"]((*inputs, out), "__array_ufunc__"):
            given = {key: x for key, x in more.items() if key not in _DEFAULTS or x is not _DEFAULTS[key]}
            return getattr(self._ufunc, method)(*inputs, **given, **({} if out is None else {"out": out}))
        if not any(isinstance(x, Array) for x in inputs) and has_texts(inputs[:1]):  # which no device holds
            from devarray._primitives.host_calls import on_host_alone  # few programs need it

            given = {key: x for key, x in more.items() if key not in _DEFAULTS or x is not _DEFAULTS[key]}
            host = on_host_alone(getattr(self._ufunc, method), f"{self._ufunc.__name__}.{method} of texts", 4)
            return host(*inputs, **given, **({} if out is None else {"out": out}))
        inputs = _with_arrays(method, inputs)
        if out is not None:
            more["out"] = (out,)
        if any(isinstance(x, OpaqueArray) for x in inputs):  # dates, or what NumPy refuses
            return getattr(self._ufunc, method)(*inputs, **more)
        return array_ufunc(self._ufunc, method, inputs, more)


def _with_arrays(method: str, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """A method's inputs with an array where it wants one: for `outer` one of the two, elsewhere the first."""
    if isinstance(inputs[0], Array) or (method == "outer" and any(isinstance(x, Array) for x in inputs)):
        return inputs
    if method == "at" and isinstance(inputs[0], OpaqueArray):
        return inputs
    if method == "at":
        raise DTypeError(f"ufunc.at writes to an Array, not to {type(inputs[0]).__name__}")
    return asarray(inputs[0]), *inputs[1:]


_ATTRIBUTES = ("nin", "nout", "nargs", "identity", "signature")
_METHODS = ("reduce", "accumulate", "reduceat", "outer", "at")
_OURS = frozenset("?bBhHiIlLqQefdFD")
"""NumPy's letters of the dtypes that devices compute with."""


def add_methods(functions: dict[str, Any]) -> None:
    """Give each function that is a ufunc of NumPy's the ufunc's attributes and methods."""
    for op in OPS.values():
        function = functions.get(op.name)
        ufunc = getattr(np, op.ufunc, None) if op.ufunc else None
        if function is not None and isinstance(ufunc, np.ufunc):
            as_ufunc(function, ufunc)


def as_ufunc(function: Any, ufunc: np.ufunc) -> None:
    """Give a function the attributes and methods of a ufunc, in the way that functools.wraps gives it a name."""
    function.binds = False
    methods = Methods(ufunc)
    types = [loop for loop in ufunc.types if _OURS.issuperset(loop.replace("->", ""))]
    vars(function).update(
        {name: getattr(methods, name) for name in _METHODS},
        types=types,
        ntypes=len(types),
        resolve_dtypes=ufunc.resolve_dtypes,
        **{name: getattr(ufunc, name) for name in _ATTRIBUTES},
    )
