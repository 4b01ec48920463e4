"""Arithmetic with numbers that kernels cannot load: unaligned fields of packed records, and bfloat16.

`OpaqueNumbers` is the part of `OpaqueArray` (opaque.py) that computes. Each operator first copies the numbers into an
Array of a dtype that kernels have; an in-place operator copies the result back.
"""

from __future__ import annotations

import functools
import inspect
import operator
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from devarray import _core
from devarray._array.protocols import PROTOCOLS
from devarray._primitives.host import announce
from devarray._primitives.opaque_dtypes import NoSuchAttribute, bytes_from, bytes_turned, is_number, is_plain
from devarray._primitives.opaque_texts import is_text, same_texts
from devarray._runtime.config import config
from devarray.array import Array
from devarray.errors import BufferError, DTypeError

__all__ = ["OF_LAYOUT", "OpaqueNumbers", "computed_in", "of_layout", "read", "rounded"]

_WRITES = ("fill", "itemset", "partition", "resize", "set", "setfield", "setflags", "sort")
"""Methods that write to their array. They are refused: they would write to the copy, which is then lost."""

_OF_ANY: dict[str, Callable[[Any], Any]] = {
    "base": lambda x: None if x.bytes.base is None else x.bytes,
    "dump": lambda x: functools.partial(Array.dump, x),
    "dumps": lambda x: functools.partial(Array.dumps, x),
}
"""Attributes that do not ask what the elements are."""

_OF_RECORDS: dict[str, Callable[[Any], Any]] = {
    "real": lambda x: x,
    "nonzero": lambda x: functools.partial(sys.modules["devarray"].nonzero, x),
    "put": lambda x: functools.partial(sys.modules["devarray"].put, x),
}
"""Attributes of elements that are no numbers."""

_COMPARISONS: dict[object, Callable[..., Any]] = {np.equal: operator.eq, np.not_equal: operator.ne}
"""The ufuncs of records."""

OF_LAYOUT = frozenset((np.can_cast, np.ndim, np.result_type, np.shape, np.size))
"""NumPy's functions that read no element; ours ask them in their turn."""

_Method = Callable[..., Any]


_OF_TEXTS: dict[object, np.ufunc] = {
    operator.lt: np.less,
    operator.le: np.less_equal,
    operator.gt: np.greater,
    operator.ge: np.greater_equal,
    operator.add: np.add,
}
"""The operators of texts, but for those that say whether they are the same: NumPy's, on the host."""


def _of_no_numbers(function: _Method, self: Any, *operands: Any) -> Any:
    """What an operator gives of texts, else what says that there is none."""
    if is_text(self.dtype) and function in _OF_TEXTS:
        announce(f"{_OF_TEXTS[function].__name__} of texts", self.bytes, stacklevel=4)
        return PROTOCOLS["on_host"](_OF_TEXTS[function])(*operands)
    return NotImplemented


def _left(function: _Method) -> _Method:
    """An operator with the numbers on its left, or a conversion such as ``float(x)``."""

    def method(self: Any, *other: Any) -> Any:
        if is_number(self.dtype):
            return rounded(function(self._numbers(), *map(read, other)), (self, *other))
        found = _of_no_numbers(function, self, self, *other)
        if found is NotImplemented and not other:  # Python asks nobody else about an operator of one operand
            raise DTypeError(f"bad operand type for {function.__name__}: an array of dtype {self.dtype}; take a field")
        return found

    return method


def _right(function: _Method) -> _Method:
    """A reflected operator: the numbers are its right operand."""

    def method(self: Any, other: object) -> Any:
        if not is_number(self.dtype):
            return _of_no_numbers(function, self, other, self)
        return rounded(function(read(other), self._numbers()), (self, other))

    return method


def _written(function: _Method) -> _Method:
    """An in-place operator: the result is copied back."""

    def method(self: Any, other: Any) -> Any:
        if not is_number(self.dtype):
            return NotImplemented
        values = function(self._numbers(), read(other))
        if is_plain(self.dtype):
            self[...] = values.astype(self.dtype.newbyteorder("="), casting="same_kind", copy=False)
        elif values.dtype.kind == "c":
            raise DTypeError(f"an array of {values.dtype} does not become one of {self.dtype}; take its real part")
        else:
            self[...] = values
        return self

    return method


def read(x: Any) -> Any:
    """An operand as what computes: the values of an OpaqueArray of numbers."""
    return x._numbers() if isinstance(x, OpaqueNumbers) and is_number(x.dtype) else x


def rounded(made: Any, operands: Iterable[Any]) -> Any:
    """What was computed in float32 of operands in bfloat16, in that dtype; beside other floats it stays what it is."""
    of_bfloat16 = None
    for x in operands:
        for each in x if isinstance(x, list | tuple) else (x,):
            if isinstance(each, OpaqueNumbers):
                of_bfloat16 = each if each.dtype.name == "bfloat16" else of_bfloat16
            elif getattr(getattr(each, "dtype", None), "kind", "") in ("f", "c"):
                return made
    return made if of_bfloat16 is None else _stored(made, of_bfloat16)


def _stored(made: Any, like: Any) -> Any:
    if isinstance(made, Array):
        return like._of(bytes_from(made, like.dtype), like.dtype) if made.dtype == np.float32 else made
    if isinstance(made, tuple) and hasattr(made, "_fields"):
        return type(made)(*(_stored(x, like) for x in made))
    return type(made)(_stored(x, like) for x in made) if type(made) in (list, tuple) else made


def _equals(function: _Method, join: _Method, every: str) -> _Method:
    """``==`` or ``!=``. Records are compared field by field, and `join` combines what the fields give.

    `every` reduces a field that is an array itself: "all" or "any".
    """

    def method(self: Any, other: Any) -> Any:
        if self.dtype.kind in "SU":
            same = same_texts(self, other)
            return NotImplemented if same is None else same if function is operator.eq else ~same
        if is_number(self.dtype):  # bfloat16 among them, whose kind is that of bytes
            return function(self._numbers(), read(other))
        if not self.dtype.names and self.dtype.kind == "V":
            if not isinstance(other, OpaqueNumbers) or other.dtype != self.dtype:
                return NotImplemented
            return getattr(function(self.bytes, other.bytes), every)(-1)
        if not self.dtype.names:
            return NotImplemented
        if isinstance(other, np.ndarray | np.void):
            host, other = other, self._uninitialised(other.shape, other.dtype)
            other.copy_to_device(np.asarray(host))
        if not isinstance(other, OpaqueNumbers):
            return NotImplemented
        if other.dtype.names != self.dtype.names:
            raise DTypeError(f"records are compared by their fields, which {self.dtype} and {other.dtype} do not share")
        fields = []
        for name in self.dtype.names:
            theirs: Any = other
            found = function(self[name], theirs[name])
            inner = tuple(range(-len(self.dtype[name].shape), 0))
            fields.append(getattr(Array, every)(found, inner) if inner else found)  # classes of drivers have others
        return functools.reduce(join, fields)

    return method


def _layout(x: Any) -> Any:
    """A host array of the shape and dtype of an array of records."""
    return np.broadcast_to(np.empty((), x.dtype), x.shape) if isinstance(x, OpaqueNumbers) else x


def of_layout(func: _Method, args: Iterable[Any], kwargs: dict[str, Any]) -> Any:
    """What a function of `OF_LAYOUT` gives."""
    return func(*map(_layout, args), **{name: _layout(x) for name, x in kwargs.items()})


def computed_in(x: object) -> np.dtype | None:
    """The dtype in which kernels compute with the numbers of an OpaqueArray; None for what holds no numbers."""
    if not isinstance(x, OpaqueNumbers) or not is_number(x.dtype) or x.dtype.kind in "mM":
        return None
    return x.dtype.newbyteorder("=") if is_plain(x.dtype) else np.dtype(np.float32)


@functools.lru_cache
def _place_of_out(name: str) -> int | None:
    """Which argument of a method of arrays is `out`."""
    try:
        names = list(inspect.signature(getattr(Array, name)).parameters)
    except (TypeError, ValueError):  # a method of the core, none of which writes to an argument
        return None
    return names.index("out") - 1 if "out" in names else None


def _called(name: str, of: Any, *args: Any, **kwargs: Any) -> Any:
    """A method of arrays, on the values of an OpaqueArray of numbers. What it writes to is the array that is given."""
    asked = kwargs.get("dtype")
    if asked is not None and np.dtype(asked) == of.dtype:
        asked = kwargs["dtype"] = None
    written = _place_of_out(name)
    values = [x if i == written else read(x) for i, x in enumerate(args)]
    named = {key: x if key == "out" else read(x) for key, x in kwargs.items()}
    made = getattr(of._numbers(), name)(*values, **named)
    return made if asked is not None else rounded(made, (of, *args))


def _combined(function: _Method, target: Any, *args: Any, **kwargs: Any) -> None:
    """What writes to its first argument, done to the values of an OpaqueArray and copied back."""
    numbers = target._numbers()
    function(numbers, *map(read, args), **{name: read(x) for name, x in kwargs.items()})
    target[...] = numbers


class OpaqueNumbers:
    """The operators and methods of arrays of numbers, for an OpaqueArray of a dtype that kernels compute with."""

    __slots__ = ()
    dtype: np.dtype

    def _numbers(self: Any) -> Any:
        """A copy in aligned memory. An error for dtypes without arithmetic, which says what to do instead."""
        self._require_numbers()
        if self.dtype.kind in "mM":
            return PROTOCOLS["dates_of_counts"](self.bytes.copy().view(np.int64)[..., 0], self.dtype)
        numbers: Array = self.astype(self.dtype.newbyteorder("=") if is_plain(self.dtype) else np.float32)
        return numbers

    @property
    def flat(self: Any) -> Any:
        """The elements in C order, as :attr:`Array.flat`; what is assigned to its items is written to the array."""
        return PROTOCOLS["flat_of_opaque"](self)

    @flat.setter
    def flat(self: Any, value: object) -> None:
        self.flat[...] = value

    @property
    def real(self: Any) -> Any:
        """The real parts, a view: the array itself where there are no others."""
        return self._parts(0)

    @real.setter
    def real(self: Any, value: object) -> None:
        self.real[...] = value

    @property
    def imag(self: Any) -> Any:
        """The imaginary parts: of complex numbers a view, else zeros."""
        if self.dtype.kind == "c":
            return self._parts(1)
        self._require_numbers()
        return self._of(
            _core.full(self.bytes.shape, self.bytes.dtype, 0, self.bytes.queue, self.bytes.allocator), self.dtype
        )

    @imag.setter
    def imag(self: Any, value: object) -> None:
        if self.dtype.kind != "c":
            raise DTypeError(f"an array of {self.dtype} has no imaginary parts to set; take astype(complex)")
        self.imag[...] = value

    def _parts(self: Any, place: int) -> Any:
        self._require_numbers()
        if self.dtype.kind != "c":
            return self
        size = self.dtype.itemsize // 2
        part = self.bytes[..., place * size : (place + 1) * size]
        return self._of(part, np.dtype(f"{self.dtype.byteorder}f{size}"))

    def _require_numbers(self) -> None:
        if not is_number(self.dtype):
            raise NoSuchAttribute(f"an array of dtype {self.dtype} is no number: take a field of a dtype that is one")

    def byteswap(self: Any, inplace: bool = False) -> Any:
        """Elements with the bytes of their numbers and characters in the other order, as :meth:`Array.byteswap`.

        Parameters
        ----------
        inplace : bool
            Whether to write them into the array itself. False by default.

        Returns
        -------
        OpaqueArray
            A new array of the same dtype; the array itself where that is asked for.

        Examples
        --------
        >>> import devarray as da, numpy as np
        >>> da.asarray(np.array([1], ">i2")).byteswap().copy_to_host().tolist()
        [256]
        """
        turned = bytes_turned(self.bytes, self.dtype)
        if not inplace:
            return type(self)._of(turned.copy(), self.dtype)
        self.bytes[...] = turned
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(Array, name):
            raise AttributeError(f"'OpaqueArray' object has no attribute {name!r}", name=name, obj=self)
        if name in _OF_ANY:
            return _OF_ANY[name](self)
        if is_number(self.dtype) and name not in _WRITES:
            if name == "put":
                return functools.partial(_combined, Array.put, self)
            if callable(getattr(Array, name)):
                return functools.partial(_called, name, self)
            return rounded(getattr(self._numbers(), name), (self,))
        if name in _OF_RECORDS:
            return _OF_RECORDS[name](self)
        raise NoSuchAttribute(
            f"{name} is of arrays of numbers; this one holds bytes of dtype {self.dtype}: view it as, "
            "or take a field of, a dtype that has arithmetic"
        )

    def __array_ufunc__(self, ufunc: object, method: str, *inputs: object, **kwargs: object) -> Any:
        opaque = [x for x in inputs if isinstance(x, OpaqueNumbers)]
        if method == "__call__" and not kwargs and ufunc in _COMPARISONS and opaque[0].dtype.names:
            return _COMPARISONS[ufunc](opaque[0], inputs[0] if opaque[0] is not inputs[0] else inputs[1])
        if not all(is_number(x.dtype) for x in opaque):
            return NotImplemented
        if method == "at" and computed_in(inputs[0]) is not None:
            return _combined(ufunc.at, *inputs)  # type: ignore[attr-defined]
        if not opaque:  # of the host, into an array of the device
            inputs = PROTOCOLS["as_arrays"](getattr(ufunc, "__name__", ""), *inputs)
        made = getattr(ufunc, method)(*map(read, inputs), **kwargs)
        return made if kwargs.keys() & {"dtype", "out"} else rounded(made, inputs)

    def __array_function__(self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions on arrays of records: ours of that name; on the host, if allowed, what ours do not take."""
        if func in OF_LAYOUT:
            return of_layout(func, args, kwargs)
        if not all(issubclass(other, OpaqueNumbers | Array | np.ndarray) for other in types):
            return NotImplemented
        try:
            return PROTOCOLS["__array_function__"](func, args, kwargs, self.bytes)
        except DTypeError:
            if config.fallback != "allow":
                raise
            return PROTOCOLS["on_host"](func)(*args, **kwargs)

    def __dlpack__(self: Any, **asked: Any) -> Any:
        """A DLPack capsule of numbers in bfloat16, over the same memory; see :meth:`devarray.Array.__dlpack__`."""
        return PROTOCOLS["export_bfloat16"](self._bits(), **asked)

    def __dlpack_device__(self) -> tuple[int, int]:
        """DLPack's (device type, device id) of the memory."""
        device: tuple[int, int] = PROTOCOLS["__dlpack_device__"](self._bits())
        return device

    def _bits(self: Any) -> Array:
        if self.dtype.name != "bfloat16":
            raise BufferError(f"DLPack has no dtype for {self.dtype}; give x.bytes, or a field of a dtype that it has")
        bits: Array = self.view(np.uint16)
        return bits

    def __bool__(self: Any) -> bool:
        """Whether the one element is true: a record with a field that is, a text with a character."""
        if is_number(self.dtype):
            return bool(self._numbers())
        if self.size != 1:
            what = "an empty array" if self.size == 0 else "an array with more than one element"
            raise ValueError(f"The truth value of {what} is ambiguous; the array has shape {self.shape}")
        return bool(self.copy_to_host().reshape(-1)[0])

    __hash__ = object.__hash__
    __eq__ = _equals(operator.eq, operator.and_, "all")
    __ne__ = _equals(operator.ne, operator.or_, "any")
    __lt__, __le__ = _left(operator.lt), _left(operator.le)
    __gt__, __ge__ = _left(operator.gt), _left(operator.ge)
    __neg__, __pos__ = _left(operator.neg), _left(operator.pos)
    __abs__, __invert__ = _left(abs), _left(operator.invert)
    __int__, __float__ = _left(int), _left(float)
    __complex__, __index__ = _left(complex), _left(operator.index)
    __add__, __radd__, __iadd__ = _left(operator.add), _right(operator.add), _written(operator.add)
    __sub__, __rsub__, __isub__ = _left(operator.sub), _right(operator.sub), _written(operator.sub)
    __mul__, __rmul__, __imul__ = _left(operator.mul), _right(operator.mul), _written(operator.mul)
    __pow__, __rpow__, __ipow__ = _left(operator.pow), _right(operator.pow), _written(operator.pow)
    __mod__, __rmod__, __imod__ = _left(operator.mod), _right(operator.mod), _written(operator.mod)
    __and__, __rand__, __iand__ = _left(operator.and_), _right(operator.and_), _written(operator.and_)
    __or__, __ror__, __ior__ = _left(operator.or_), _right(operator.or_), _written(operator.or_)
    __xor__, __rxor__, __ixor__ = _left(operator.xor), _right(operator.xor), _written(operator.xor)
    __lshift__, __rlshift__, __ilshift__ = _left(operator.lshift), _right(operator.lshift), _written(operator.lshift)
    __rshift__, __rrshift__, __irshift__ = _left(operator.rshift), _right(operator.rshift), _written(operator.rshift)
    __divmod__, __rdivmod__ = _left(divmod), _right(divmod)
    __matmul__, __rmatmul__, __imatmul__ = _left(operator.matmul), _right(operator.matmul), _written(operator.matmul)
    __truediv__, __rtruediv__, __itruediv__ = (f(operator.truediv) for f in (_left, _right, _written))
    __floordiv__, __rfloordiv__, __ifloordiv__ = (f(operator.floordiv) for f in (_left, _right, _written))
