"""Building blocks of the distributions: random words, uniform numbers, tails; and checks of the parameters.

A word is 64 random bits (bits.py). What a distribution makes of the words is recorded like other element-wise work.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import cache, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core
from devarray._primitives.convert import asarray
from devarray._runtime.arguments import expect, few
from devarray._runtime.devices import resolve_place
from devarray.array import OP, Array
from devarray.errors import DTypeError, ShapeError, ValueError
from devarray.random.ahead import FEW, Kind, numbers_made_ahead
from devarray.random.bits import Philox

if TYPE_CHECKING:
    from devarray._core import Device
    from devarray._typing import DTypeLike, ShapeLike

__all__ = [
    "Check",
    "Draw",
    "any_number",
    "chance",
    "drawing",
    "in_float64",
    "in_floats",
    "not_negative",
    "op",
    "outer_shape",
    "positive",
    "positive_number",
    "whole_number",
    "without_axes",
    "words_at",
]

Check = Callable[[Any], Any]
"""Takes a number or a NumPy array; true where it is in range. Its docstring says what is wanted."""


_DOUBLE, _SINGLE = _DRAWN = np.dtype(np.float64), np.dtype(np.float32)
_WORD = np.dtype(np.uint64)
_LEAST_INT, _END = -(1 << 63), 1 << 64
_HERE = (None, None)
_PLACES = frozenset(("device", "allocator", "queue"))


def any_number(value: object) -> Any:
    """a number"""
    return True


def not_negative(value: Any) -> Any:
    """not negative"""
    if isinstance(value, np.ndarray):
        return ~((value < 0) | ((value == 0) & np.signbit(value)))
    return not (value < 0 or (value == 0 and math.copysign(1.0, value) < 0))


def whole_number(value: Any) -> Any:
    """a whole number from 0 to 2**63 - 1"""
    return (value >= 0) & (value < 2.0**63)


def positive(value: Any) -> Any:
    """positive"""
    return (value > 0) | (value != value)


def positive_number(value: Any) -> Any:
    """a positive number"""
    return value > 0


def chance(value: Any) -> Any:
    """from 0 to 1"""
    return (value >= 0) & (value <= 1)


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

    __slots__ = ("bits", "dtype", "home", "place", "shape", "sized")

    def __init__(
        self,
        bits: Philox,
        shape: tuple[int, ...],
        dtype: np.dtype,
        place: tuple[Any, Any],
        home: tuple[Device, Any, Any],
        sized: bool,
    ) -> None:
        self.bits, self.shape, self.dtype = bits, shape, dtype
        self.place = place  # (queue, allocator), None for the current ones
        self.home = home  # the device, and the queue and allocator that are meant
        self.sized = sized  # whether a size was given

    def words(self) -> Array:
        """Random words, uint64."""
        return self._of_words(_same, _WORD)

    def uniform(self) -> Array:
        """Numbers in [0, 1), by NumPy's formula: 53 bits of a word, or 24 for float32."""
        if self.dtype == _SINGLE:
            return (self.bits.half_words(self.shape, *self.place) >> 8).astype(np.float32) * 2.0**-24
        return self._of_words(_uniform, _DOUBLE)

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
        return _tail(self.words(), self.dtype)

    def normal(self) -> Array:
        """Standard normal numbers."""
        return self._of_words(_normal, self.dtype)

    def exponential(self) -> Array:
        """Standard exponential numbers, as exact near zero as far out."""
        return self._of_words(_exponential, self.dtype)

    def _of_words(self, kind: Kind, dtype: np.dtype) -> Array:
        """The next words as numbers of a kind, or the same numbers that were made ahead."""
        bits, shape, made = self.bits, self.shape, None
        count = math.prod(shape)
        if 0 < count <= FEW and type(bits) is Philox:
            made = numbers_made_ahead(kind, dtype, bits, count, self.home)
        if made is None:
            return kind(bits.words(shape, *self.place), dtype)
        numbers, at = made
        if not shape:
            return numbers[at]
        row = numbers[at : at + count]
        return (row if len(shape) == 1 else row.reshape(shape)).copy()

    def result(self, x: Array) -> Array:
        """x in the dtype that was asked for, which parameters may have widened; an array for ``size=()``."""
        if x.dtype != self.dtype:
            x = x.astype(self.dtype)
        return without_axes(x, True) if self.sized and not self.shape else x


def without_axes(x: Array, sized: bool) -> Array:
    """A result without axes: a value, or an array for ``size=()``."""
    if not sized:
        return _core.as_value(x)
    array = _core.empty_at(x, (), None)
    array[...] = x
    return array


def _same(words: Array, dtype: np.dtype) -> Array:
    return words


def _uniform(words: Array, dtype: np.dtype) -> Array:
    return (words >> 11).astype(np.float64) * 2.0**-53


def _tail(words: Array, dtype: np.dtype) -> tuple[Array, Array]:
    return ((words >> 1).astype(dtype) + 0.5) * 2.0**-64, (words & 1).astype(np.bool_)


def _normal(words: Array, dtype: np.dtype) -> Array:
    t, upper = _tail(words, dtype)
    z = _core.apply(OP["normal_tail"], t)
    return _core.apply(OP["where"], upper, z, -z)


def _exponential(words: Array, dtype: np.dtype) -> Array:
    t, upper = _tail(words, dtype)
    return -_core.apply(OP["where"], upper, _core.apply(OP["log"], t), _core.apply(OP["log1p"], -t))


def op(name: str, *operands: object) -> Array:
    return _core.apply(OP[name], *operands)


def in_float64(draw: Draw) -> Draw:
    """The same draw, of float64."""
    return draw if draw.dtype is _DOUBLE else _of_dtype(draw, _DOUBLE)


def in_floats(draw: Draw) -> Draw:
    """The same draw, of the floats that its device draws by default."""
    return _of_dtype(draw, _floats_of(draw.home[0]))


def _of_dtype(draw: Draw, dtype: np.dtype) -> Draw:
    return Draw(draw.bits, draw.shape, dtype, draw.place, draw.home, draw.sized)


@cache
def _floats_of(device: Device) -> np.dtype:
    """The dtype that a device draws by default."""
    return _DOUBLE if device.fp64 else _SINGLE


def drawing(
    name: str,
    bits: Philox,
    size: ShapeLike | None,
    dtype: DTypeLike | None,
    where: dict[str, Any],
    *parameters: tuple[str, Any, Check],
    floats: bool = True,
    out: Array | None = None,
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
    out : Array or None
        What gives size, dtype and place where it is there.
    """
    if out is not None:
        size, dtype, where = _of_out(name, out, size, dtype)
    elif where and (unknown := set(where) - _PLACES):
        raise TypeError(f"{name}() got an unexpected keyword argument {sorted(unknown)[0]!r}")
    values, numbers = [], True
    for parameter, value, check in parameters:
        if type(value) is not float or not check(value):
            value = _checked(name, parameter, value, check)
            numbers = numbers and type(value) is float
        values.append(value)
    place = _place(where, values) if where or not numbers else _HERE
    shape = () if size is None else _wanted(name, size)
    if not numbers:
        shape = _together(name, size, shape, values, parameters)
    home = _home(place)
    if dtype is None:
        target = _floats_of(home[0])
    else:
        target = np.dtype(dtype)
        if floats and target not in _DRAWN:
            raise DTypeError(f"Unsupported dtype {target!r} for {name}; random numbers are float64 or float32")
    if not numbers:
        values = [_on_device(value, target if floats else None, place) for value in values]
    return Draw(bits, shape, target, place, home, size is not None), *values


def words_at(place: tuple[Any, Any], bits: Philox, shape: tuple[int, ...]) -> Array:
    """The next words of a stream."""
    return Draw(bits, shape, _WORD, place, _home(place), True).words()


def _home(place: tuple[Any, Any]) -> tuple[Device, Any, Any]:
    return _core.current_place() if place == _HERE else (_core.device_of(*place), *place)


def _of_out(name: str, out: Array, size: Any, dtype: DTypeLike | None) -> tuple[Any, ...]:
    """Size, dtype and place of `out`, which those that are given must be."""
    expect(name, "out", out, Array)
    if size is not None and (tuple(size) if np.ndim(size) else (size,)) != out.shape:
        raise ShapeError(f"{name}: size must match out.shape when used together: {size!r} is not {out.shape}")
    if dtype is not None and np.dtype(dtype) != out.dtype:
        raise DTypeError(f"{name}: dtype {np.dtype(dtype)} is not that of out, {out.dtype}")
    return out.shape, out.dtype, {"queue": out.queue, "allocator": out.allocator}


def _checked(function: str, name: str, value: Any, check: Check) -> float | np.ndarray | Array:
    """A parameter; what the host knows is checked."""
    if type(value) is float or (type(value) is int and _LEAST_INT <= value < _END):
        if check(value):
            return float(value)
    elif isinstance(value, Array):
        return value
    else:
        host = np.asarray(value)
        if host.dtype.kind not in "biuf":
            raise DTypeError(f"{function}: {name} is {value!r}; a number or an array of numbers is wanted")
        if np.all(check(host)):
            return float(host) if host.ndim == 0 else host
    raise ValueError(
        f"{function}: {_NUMPYS.get(str(check.__doc__), '{} is out of range').format(name)}: {name} must be "
        f"{check.__doc__}, {value!r} was given"
    )


def _on_device(value: Any, floats: DTypeLike | None, place: tuple[Any, Any]) -> Any:
    """A parameter's host array as an Array; where it holds floats, of the dtype that is drawn."""
    if not isinstance(value, np.ndarray):
        return value
    return asarray(value, dtype=floats if value.dtype.kind == "f" else None, queue=place[0], allocator=place[1])


def _place(where: dict[str, Any], values: list[Any]) -> tuple[Any, Any]:
    if not where or not any(part is not None for part in where.values()):
        for value in values:
            if isinstance(value, Array):
                return value.queue, value.allocator
        return None, None
    return resolve_place(where.get("device"), where.get("allocator"), where.get("queue"))


def _wanted(function: str, size: Any) -> tuple[int, ...]:
    if type(size) is int and size >= 0:
        return (size,)
    wanted = outer_shape(function, size)
    if wanted and min(wanted) < 0:
        raise ShapeError(f"{function}: negative dimensions are not allowed: size is {size!r}")
    return wanted


def _together(
    function: str, size: Any, wanted: tuple[int, ...], values: list[Any], parameters: Sequence[tuple[str, Any, Check]]
) -> tuple[int, ...]:
    """`wanted`, to which all parameters broadcast, or without a size the shape that they have together."""
    shapes = [() if isinstance(value, float) else value.shape for value in values]
    if size is None:
        return reduce(_core.broadcast_shapes, shapes, wanted)
    for parameter, shape in zip(parameters, shapes, strict=True):
        if not _fits(shape, wanted):
            raise ShapeError(
                f"shape mismatch: objects cannot be broadcast to a single shape: {function}: {parameter[0]} of shape "
                f"{shape} does not broadcast to size {wanted}"
            )
    return wanted


def outer_shape(function: str, size: Any) -> tuple[int, ...]:
    """`size` as a shape: of None the one without axes. TypeError for what is no integer."""
    if size is None:
        return ()
    if type(size) is int:
        return (size,)
    try:
        sizes = few(function, "size", size) if type(size) is tuple or np.ndim(size) else (size,)
        return tuple(map(operator.index, sizes))
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
