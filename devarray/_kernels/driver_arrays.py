"""What the array classes of PyOpenCL's and PyCUDA's names share: operators and methods that keep the class."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import unwrap
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray.array import Array
from devarray.errors import DTypeError, ShapeError

if TYPE_CHECKING:
    from devarray._core import Queue
    from devarray._typing import DTypeLike, ScalarLike

__all__ = ["DriverArray", "dtype_of", "shape_of", "unary_text"]


def unary_text(function: Callable[..., Any], parameters: tuple[str, ...] = ("queue",)) -> str:
    """The docstring of a driver's element-wise function of one array, from that of devarray's function."""
    summary = (function.__doc__ or "").partition("\n")[0]
    texts = {
        "queue": "queue : CommandQueue, optional\n    Not needed: the work goes to the array's own queue.",
        "out": "out : Array, optional\n    Where the result goes, and what is returned; a new array by default.",
        "stream_or_out": "stream_or_out : Stream or Array, optional\n    One of the two that follow, by its place.",
        "stream": "stream : Stream, optional\n    Not needed: the work goes to the array's own stream.",
    }
    taken = "\n".join(["array : Array\n    Elements.", *(texts[name] for name in parameters)])
    other = ", or `out`" if "out" in parameters else ""
    returned = f"Array\n    A new array of the operand's class, dtype and shape{other}."
    return f"{summary}\n\nParameters\n----------\n{taken}\n\nReturns\n-------\n{returned}"


def _kept(name: str) -> Callable[..., Any]:
    """A method of Array whose result has the class of its array."""
    method = getattr(Array, name)

    @wraps(method)
    def called(self: Any, *args: object, **kwargs: object) -> Any:
        return self._like(method(self, *args, **kwargs))

    if not hasattr(unwrap(method), "__code__"):  # an operator's slot, which doctest would unwrap to
        del called.__wrapped__
    return called


def _kept_attribute(name: str) -> property:
    found = getattr(Array, name)

    def kept(self: Any) -> Any:
        return self._like(found.__get__(self))

    return property(kept, doc=found.__doc__)


class DriverArray(Array):
    """An Array whose results have its own class, with the methods that PyOpenCL's and PyCUDA's arrays share."""

    @classmethod
    def _of(cls, x: Array, queue: Queue | None = None) -> Self:
        """The same value as an array of this class."""
        made: Any = _core.view_as(cls, x)
        if queue is not None:
            made._queue = queue
        return made

    def _like(self, x: object) -> Any:
        if not isinstance(x, Array) or isinstance(x, type(self)):
            return x
        return type(self)._of(x, self.__dict__.get("_queue"))

    @property
    def queue(self) -> Any:
        """The queue or stream that the array was given, by default the one that orders work on it."""
        own = self.__dict__.get("_queue")
        return _core.ArrayBase.queue.__get__(self) if own is None else own

    def fill(self, value: ScalarLike, *_: Any, **__: Any) -> Any:
        """Set every element to a value.

        Parameters
        ----------
        value : scalar
            What the elements become.
        *_, **__
            A queue and events, which the array's own order makes needless.

        Returns
        -------
        Array
            The array itself.
        """
        self[...] = value
        return self

    def set(self, ary: object, *_: object, **__: object) -> None:
        """Copy a host array of the same shape and dtype to the device.

        Parameters
        ----------
        ary : numpy.ndarray
            Of the same number of elements and dtype.
        *_, **__
            A queue and flags, which the array's own order makes needless.

        Raises
        ------
        ShapeError
            For another number of elements.
        DTypeError
            For another dtype.
        """
        host = np.asarray(ary)
        if host.size != self.size:
            raise ShapeError(f"set: the array has shape {self.shape}, and {host.shape} was given")
        if host.dtype != self.dtype:
            raise DTypeError(f"set: the array is {self.dtype}, and {host.dtype} was given; cast it with astype()")
        self[...] = asarray(host.reshape(self.shape), queue=self._place_queue(), allocator=self.allocator)

    def _place_queue(self) -> Any:
        return _core.ArrayBase.queue.__get__(self)

    def get(self, *args: Any, ary: Any = None, **_: Any) -> np.ndarray:
        """Copy the array to the host.

        Parameters
        ----------
        *args
            A queue, and `ary`.
        ary : numpy.ndarray, optional
            Where to; a new one by default.
        **_
            Further parameters of PyOpenCL's and PyCUDA's, which change nothing.

        Returns
        -------
        numpy.ndarray
            The elements; a new one of an array in Fortran order has that order, too, as PyOpenCL's and PyCUDA's have.
        """
        target = next((x for x in args if isinstance(x, np.ndarray)), ary)
        if target is not None:
            return self.copy_to_host(target)
        columns = self.flags.f_contiguous and not self.flags.c_contiguous
        return self.T.copy_to_host().T if columns else self.copy_to_host()

    def mul_add(self, selffac: Any, other: object, otherfac: Any, *_: object, **__: object) -> Self:
        """``selffac * self + otherfac * other``.

        Parameters
        ----------
        selffac : scalar
            Factor of the array.
        other : Array
            What is added.
        otherfac : scalar
            Its factor.
        *_, **__
            A queue, and arrays to add, which are not needed.

        Returns
        -------
        Array
            A new array.
        """
        return self * selffac + other * otherfac

    def reverse(self, *_: object, **__: object) -> Self:
        """A one-dimensional array's elements from the last to the first.

        Parameters
        ----------
        *_, **__
            A queue, which is not needed.

        Returns
        -------
        Array
            A new array.
        """
        return self._like(self[::-1].copy())

    __add__, __radd__ = _kept("__add__"), _kept("__radd__")
    __sub__, __rsub__ = _kept("__sub__"), _kept("__rsub__")
    __mul__, __rmul__ = _kept("__mul__"), _kept("__rmul__")
    __truediv__, __rtruediv__ = _kept("__truediv__"), _kept("__rtruediv__")
    __floordiv__, __rfloordiv__ = _kept("__floordiv__"), _kept("__rfloordiv__")
    __mod__, __rmod__ = _kept("__mod__"), _kept("__rmod__")
    __pow__, __rpow__ = _kept("__pow__"), _kept("__rpow__")
    __and__, __rand__ = _kept("__and__"), _kept("__rand__")
    __or__, __ror__ = _kept("__or__"), _kept("__ror__")
    __xor__, __rxor__ = _kept("__xor__"), _kept("__rxor__")
    __lshift__, __rshift__ = _kept("__lshift__"), _kept("__rshift__")
    __matmul__ = _kept("__matmul__")
    __lt__, __le__, __gt__, __ge__ = _kept("__lt__"), _kept("__le__"), _kept("__gt__"), _kept("__ge__")
    __eq__, __ne__ = _kept("__eq__"), _kept("__ne__")
    __array_ufunc__, __array_function__ = _kept("__array_ufunc__"), _kept("__array_function__")
    __hash__ = None  # type: ignore[assignment]
    __neg__, __pos__, __abs__, __invert__ = _kept("__neg__"), _kept("__pos__"), _kept("__abs__"), _kept("__invert__")
    reshape, ravel, squeeze, transpose = _kept("reshape"), _kept("ravel"), _kept("squeeze"), _kept("transpose")
    view = _kept("view")
    conj, conjugate = _kept("conj"), _kept("conjugate")
    T, real, imag = _kept_attribute("T"), _kept_attribute("real"), _kept_attribute("imag")

    def __getitem__(self, index: Any) -> Any:
        # The drivers' arrays give views of single elements, too: out=x[i] is written to.
        indices = index if isinstance(index, tuple) else (index,)
        whole = all(isinstance(i, int | np.integer) and not isinstance(i, bool) for i in indices)
        if whole and len(indices) == self.ndim:
            index = (*indices, ...)
        return self._like(Array.__getitem__(self, index))

    def astype(self, dtype: DTypeLike, *args: Any, queue: Any = None, stream: Any = None, **kwargs: Any) -> Any:
        """A copy of the array with its elements cast.

        Parameters
        ----------
        dtype : dtype_like
            What the elements become.
        *args
            A queue or stream, which the array's own order makes needless; else as those of ``devarray.Array.astype``.
        queue : CommandQueue, optional
            PyOpenCL's name for it.
        stream : Stream, optional
            PyCUDA's name for it.
        **kwargs
            As those of ``devarray.Array.astype``.

        Returns
        -------
        Array
            Of the array's class and shape.
        """
        if args and not isinstance(args[0], str):
            args = args[1:]
        return self._like(Array.astype(self, dtype, *args, **kwargs))

    def copy(  # type: ignore[override]
        self, queue: Queue | str | None = None, *_: object, order: str = "K", **__: object
    ) -> Self:
        """A copy of the array.

        Parameters
        ----------
        queue : Queue or str, optional
            The attribute ``queue`` of the copy; or the order, which is the first parameter of NumPy's arrays.
        *_, **__
            Not used.
        order : {"K", "C", "F", "A"}
            Memory order of the copy: the array's own ("K"), C or Fortran's.

        Returns
        -------
        Array
            In memory of its own.
        """
        named = None if isinstance(queue, str) else queue
        made = Array.copy(self, order=queue if isinstance(queue, str) else order)
        return type(self)._of(made, self.__dict__.get("_queue") if named is None else named)


def dtype_of(*values: Any) -> np.dtype:
    """The dtype that arrays and scalars have in common."""
    return np.result_type(*(x.dtype if isinstance(x, Array) else x for x in values))


def shape_of(shape: Any) -> tuple[int, ...]:
    """A shape as a tuple of integers.

    Raises
    ------
    ShapeError
        For what is no shape.
    """
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    try:
        sizes = shape if isinstance(shape, Iterable) else (shape,)
        return tuple(operator.index(size) for size in sizes)
    except TypeError:
        raise ShapeError(f"a shape is an integer or a sequence of them, not {shape!r}") from None
