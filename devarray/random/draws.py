"""Building blocks of the distributions: random words, uniform numbers, tails; and checks of the parameters.

A word is 64 random bits (bits.py). What a distribution makes of the words is recorded like other element-wise work.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray._runtime.arguments import expect, few
from devarray._runtime.devices import resolve_place
from devarray.array import OP, Array
from devarray.errors import DTypeError, ShapeError, ValueError
from devarray.random.ahead import FEW, numbers_made_ahead
from devarray.random.bits import Philox

if TYPE_CHECKING:
    from devarray._typing import DTypeLike, ShapeLike

__all__ = [
    "Check",
    "Draw",
    "any_number",
    "chance",
    "drawing",
    "drawing_into",
    "in_float64",
    "not_negative",
    "op",
    "outer_shape",
    "positive",
    "positive_number",
    "whole_number",
]

Check = Callable[[Any], Any]
"""Takes a number or a NumPy array; true where it is out of range. Its docstring says what is wanted."""


_DOUBLE, _SINGLE = _DRAWN = np.dtype(np.float64), np.dtype(np.float32)
_HERE = (None, None)
_FLOATS = frozenset((float,))
_PLACES = frozenset(("device", "allocator", "queue"))


def any_number(value: object) -> Any:
    """a number"""
    return False


def not_negative(value: Any) -> Any:
    """not negative"""
    if isinstance(value, float):
        return value < 0 or (value == 0 and math.copysign(1.0, value) < 0)
    return (value < 0) | ((value == 0) & np.signbit(value)) if value.dtype.kind == "f" else value < 0


def whole_number(value: Any) -> Any:
    """a whole number from 0 to 2**63 - 1"""
    return ~((value >= 0) & (value < 2.0**63))


def positive(value: Any) -> Any:
    """positive"""
    return value <= 0


def positive_number(value: Any) -> Any:
    """a positive number"""
    return ~(value > 0)


def chance(value: Any) -> Any:
    """from 0 to 1"""
    return ~((value >= 0) & (value <= 1))


_NUMPYS = {
    "not negative": "{} < 0",
    "a whole number from 0 to 2**63 - 1": "{} < 0",
    "positive": "{} <= 0",
    "a positive number": "{} <= 0",
    "from 0 to 1": "{0} < 0, {0} > 1 or {0} is NaN",
    "above 0 and at most 1": "{0} <= 0, {0} > 1 or {0} contains NaNs",
    "from 0 to 9.2e18": "{0} < 0 or {0} is NaN",
    "above 1": "{0} <= 1 or {0} is NaN",
    "from 0 to below 1": "{0} < 0, {0} >= 1 or {0} is NaN",
}
"""NumPy's words for what a check refuses, by the docstring."""


class Draw:
    """One call of a distribution: where its numbers live, of which shape and dtype, and the words they are made of."""

    def __init__(
        self,
        bits: Philox,
        shape: tuple[int, ...],
        dtype: DTypeLike | None,
        place: tuple[Any, Any],
        on_cpu: bool = False,
        first: int | None = None,
    ) -> None:
        self.bits, self.shape, self.dtype, self.place = bits, shape, dtype, place
        self.on_cpu = on_cpu  # whether the strategy is the CPUs'
        self.first = first  # number of the first word, where words are not the next ones

    def words(self) -> Array:
        """Random words, uint64."""
        if self.first is None:
            return self.bits.words(self.shape, *self.place)
        return self.bits.word(self.bits.numbers(self.shape, self.first, *self.place))

    def uniform(self) -> Array:
        """Numbers in [0, 1), by NumPy's formula: 53 bits of a word, or 24 for float32."""
        if self.dtype == _SINGLE:
            return (self.bits.half_words(self.shape, *self.place) >> 8).astype(np.float32) * 2.0**-24
        return self._of_words(_uniform)

    def inside(self) -> Array:
        """Numbers in (0, 1), for what has a pole at 0 or 1."""
        if self.dtype == np.float32:
            return ((self.words() >> 41).astype(np.float32) + 0.5) * 2.0**-23
        return ((self.words() >> 12).astype(np.float64) + 0.5) * 2.0**-52

    def tail(self) -> tuple[Array, Array]:
        """Probabilities in (0, 0.5], and for each whether it counts from the upper end.

        Inverting a distribution function at 1 - p loses the digits of a small p; so a draw inverts at p in either tail.
        The 63 bits of p let both tails reach far.
        """
        word = self.words()
        return ((word >> 1).astype(self.dtype) + 0.5) * 2.0**-64, (word & 1).astype(np.bool_)

    def normal(self) -> Array:
        """Standard normal numbers."""
        return self._of_words(_normal)

    def exponential(self) -> Array:
        """Standard exponential numbers, as exact near zero as far out."""
        return self._of_words(_exponential)

    def _of_words(self, kind: Callable[[Draw], Array]) -> Array:
        """``kind(self)``, or the same numbers that were made ahead."""
        bits, shape = self.bits, self.shape
        count = shape[0] if len(shape) == 1 else math.prod(shape)
        if not self.on_cpu or not 0 < count <= FEW or type(bits) is not Philox:
            return kind(self)

        def make(first: int, count: int, place: tuple[Any, Any]) -> Array:
            return kind(Draw(bits, (count,), self.dtype, place, first=first))

        what = kind if self.dtype is _DOUBLE else (kind, self.dtype)
        numbers = numbers_made_ahead(what, bits, count, self.place, make)
        if numbers is None:
            return kind(self)
        if len(shape) == 1:
            return numbers.copy()
        return numbers.reshape(shape).copy() if shape else _core.as_value(numbers.reshape(()).copy())

    def result(self, x: Array) -> Array:
        """x in the dtype that was asked for: parameters may have widened it."""
        return x if x.dtype is self.dtype else x.astype(self.dtype, copy=False)


def _uniform(draw: Draw) -> Array:
    return (draw.words() >> 11).astype(np.float64) * 2.0**-53


def _normal(draw: Draw) -> Array:
    t, upper = draw.tail()
    z = _core.apply(OP["normal_tail"], t)
    return _core.apply(OP["where"], upper, z, -z)


def _exponential(draw: Draw) -> Array:
    t, upper = draw.tail()
    return -_core.apply(OP["where"], upper, _core.apply(OP["log"], t), _core.apply(OP["log1p"], -t))


def op(name: str, *operands: object) -> Array:
    return _core.apply(OP[name], *operands)


def in_float64(draw: Draw) -> Draw:
    return Draw(draw.bits, draw.shape, _DOUBLE, draw.place, draw.on_cpu)


def drawing(
    name: str,
    bits: Philox,
    size: ShapeLike | None,
    dtype: DTypeLike | None,
    where: dict[str, Any],
    *parameters: tuple[str, Any, Check],
    floats: bool = True,
) -> tuple[Any, ...]:
    """A Draw and the parameters, as Python floats or Arrays.

    Parameters
    ----------
    name : str
        Of the function, for errors.
    size : int, tuple of int or None
        None: the shape that the parameters have together.
    dtype : dtype or None
        None: float64, or float32 where the device has no other.
    where : dict
        ``device``, ``allocator`` and ``queue``.
    parameters : (name, value, check)
    floats : bool
        Whether the dtype is one of the two that NumPy draws.
    """
    if where and (unknown := set(where) - _PLACES):
        raise TypeError(f"{name}() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    values = [_checked(name, *parameter) for parameter in parameters] if parameters else []
    usual = () if size is None else (size,) if type(size) is int and size >= 0 else None
    if usual is not None and dtype is None and not where and _FLOATS.issuperset(map(type, values)):
        device = _core.device_of(None, None)
        if device.fp64:
            return Draw(bits, usual, _DOUBLE, _HERE, device.strategy == "cpu"), *values
    place = _place(where, values)
    shape = _shape(name, size, values, [parameter[0] for parameter in parameters])
    device = _core.device_of(*place)
    target = (_DOUBLE if device.fp64 else _SINGLE) if dtype is None else np.dtype(dtype)
    if floats and target not in _DRAWN:
        raise DTypeError(f"Unsupported dtype {target!r} for {name}; random numbers are float64 or float32")
    made = [
        asarray(value, dtype=target if floats and value.dtype.kind == "f" else None, queue=place[0], allocator=place[1])
        if isinstance(value, np.ndarray)
        else value
        for value in values
    ]
    return Draw(bits, shape, target, place, device.strategy == "cpu"), *made


def drawing_into(
    name: str, bits: Philox, out: Array | None, size: Any, dtype: DTypeLike | None, where: dict[str, Any]
) -> tuple[Draw, bool]:
    """The Draw of a function that has `out`, which gives size, dtype and place where there is one."""
    if out is not None:
        expect(name, "out", out, Array)
        if size is not None and (tuple(size) if np.ndim(size) else (size,)) != out.shape:
            raise ShapeError(f"{name}: size must match out.shape when used together: {size!r} is not {out.shape}")
        if dtype is not None and np.dtype(dtype) != out.dtype:
            raise DTypeError(f"{name}: dtype {np.dtype(dtype)} is not that of out, {out.dtype}")
        size, dtype, where = out.shape, out.dtype, {"queue": out.queue, "allocator": out.allocator}
    return drawing(name, bits, size, dtype, where)[0], out is not None


def _checked(function: str, name: str, value: object, check: Check) -> float | np.ndarray | Array:
    """A parameter; what the host knows is checked."""
    if isinstance(value, Array) or (type(value) is float and check is any_number):
        return value
    number = type(value) is float or (type(value) is int and -(1 << 63) <= value < 1 << 64)
    host: Any = np.float64(value) if number else np.asarray(value)  # type: ignore[arg-type]
    if host.dtype.kind not in "biuf":
        raise DTypeError(f"{function}: {name} is {value!r}; a number or an array of numbers is wanted")
    wrong = check is not any_number and check(host)
    if wrong if number else np.any(wrong):
        raise ValueError(
            f"{function}: {_NUMPYS.get(str(check.__doc__), '{} is out of range').format(name)}: {name} must be "
            f"{check.__doc__}, {value!r} was given"
        )
    return float(host) if host.ndim == 0 else host


def _place(where: dict[str, Any], values: list[Any]) -> tuple[Any, Any]:
    if not where or not any(part is not None for part in where.values()):
        for value in values:
            if isinstance(value, Array):
                return value.queue, value.allocator
        return None, None
    return resolve_place(where.get("device"), where.get("allocator"), where.get("queue"))


def _shape(function: str, size: Any, values: list[Any], names: list[str]) -> tuple[int, ...]:
    shapes = [() if isinstance(value, float) else value.shape for value in values]
    if size is None:
        together: tuple[int, ...] = ()
        for shape in shapes:
            together = _core.broadcast_shapes(together, shape)
        return together
    wanted = (size,) if type(size) is int else outer_shape(function, size)
    if any(n < 0 for n in wanted):
        raise ShapeError(f"{function}: negative dimensions are not allowed: size is {size!r}")
    for name, shape in zip(names, shapes, strict=True):
        if not _fits(shape, wanted):
            raise ShapeError(
                f"shape mismatch: objects cannot be broadcast to a single shape: {function}: {name} of shape {shape} "
                f"does not broadcast to size {wanted}"
            )
    return wanted


def outer_shape(function: str, size: Any) -> tuple[int, ...]:
    """`size` as a shape: of None the one without axes. TypeError for what is no integer."""
    if size is None:
        return ()
    try:
        return tuple(map(operator.index, few(function, "size", size))) if np.ndim(size) else (operator.index(size),)
    except TypeError:
        words = (
            f"expected a sequence of integers or a single integer, got '{size}'"
            if isinstance(size, float)
            else f"{type(size).__name__!r} object cannot be interpreted as an integer"
        )
        raise DTypeError(f"{words}: {function}: size is an integer or a tuple of integers, not {size!r}") from None


def _fits(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    inner = wanted[len(wanted) - len(shape) :]
    return len(shape) <= len(wanted) and all(n in (1, m) for n, m in zip(shape, inner, strict=True))
