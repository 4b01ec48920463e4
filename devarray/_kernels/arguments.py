"""What the arguments of users' kernels become: arrays of one device, scalars, slots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray import _core, errors
from devarray._kernels.parameters import Declared, Types
from devarray._primitives.convert import move_operand
from devarray.array import Array
from devarray.codegen.kernels.user import Parameter
from devarray.errors import DTypeError, ShapeError

if TYPE_CHECKING:
    from devarray._typing import ScalarLike

__all__ = ["broadcast", "made", "place_near", "raw_slots", "read", "read_results", "scalar", "written"]

_MAX_ARRAYS = 64
"""Of a launch, which says of each in 64 bits whether it is written."""


def read(name: str, parameters: Sequence[Declared], args: Sequence[Any], like: Array | None) -> list[Any]:
    """The inputs: arrays, host arrays moved beside the array `like`, and scalars."""
    given = []
    for p, x in zip(parameters, args, strict=True):
        if isinstance(x, np.ndarray) and x.ndim and like is not None:
            x = move_operand(x, like)
        if not isinstance(x, Array) and not np.isscalar(x) and not (isinstance(x, np.ndarray) and x.ndim == 0):
            raise DTypeError(f"{name}: parameter {p.name} is an Array or a scalar, not {type(x).__name__}")
        if p.raw and not isinstance(x, Array):
            raise DTypeError(f"{name}: the raw parameter {p.name} is an Array, not {type(x).__name__}")
        given.append(x)
    return given


def read_results(name: str, parameters: Sequence[Declared], args: Sequence[Any]) -> list[Array] | None:
    """The arrays for results; None where there are none."""
    for p, x in zip(parameters, args, strict=False):
        if not isinstance(x, Array):
            raise DTypeError(f"{name}: Output arguments must be devarray.Array; {p.name} is {type(x).__name__}")
    return list(args) or None


def made(name: str, p: Declared, types: Types, is_scalar: bool = False) -> Parameter:
    """A parameter with its dtype."""
    dtype = p.dtype or dict(types)[p.variable]
    if p.raw and dtype == "float16":
        raise DTypeError(f"{name}: the raw parameter {p.name} cannot be float16; cast the array to float32")
    return Parameter(p.name, dtype, p.raw, is_scalar, p.record)


def scalar(name: str, parameter: str, value: ScalarLike, dtype: str) -> np.generic:
    """A host scalar in a parameter's dtype."""
    given = np.asarray(value)
    if given.dtype.kind == "c" and np.dtype(dtype).kind not in "cb":
        raise DTypeError(f"{name}: parameter {parameter} is {dtype}, which {value!r} is not; take its real part")
    try:
        return np.dtype(dtype).type(given.astype(dtype)[()])
    except (TypeError, ValueError) as error:
        raise DTypeError(f"{name}: parameter {parameter} is {dtype}, which {value!r} is not: {error}") from None


def broadcast(x: Array, shape: tuple[int, ...]) -> Array:
    return x if x.shape == shape else _core.broadcast_to(x, shape)


def written(name: str, first: int, count: int) -> int:
    """Which of `count` arrays a kernel writes, a bit each: those from the `first` on."""
    if count > _MAX_ARRAYS:
        raise errors.ValueError(
            f"{name}: {count} arrays, results included, are more than the {_MAX_ARRAYS} of a launch"
        )
    return (1 << count) - (1 << first)


def raw_slots(x: Array) -> list[int]:
    """Number of elements, sizes and strides of a raw array."""
    if x.ndim > 8:
        raise ShapeError(f"a raw array of {x.ndim} axes; at most 8 are taken")
    pad = [0] * (8 - x.ndim)
    return [x.size, *x.shape, *pad, *x.strides, *pad]


def place_near(x: Any) -> tuple[Any, Any]:
    """Queue and memory resource of an array's neighbours, of any class: drivers' arrays may name no queue."""
    base: Any = _core.ArrayBase
    return base.queue.__get__(x) if x.queue is None else x.queue, base.allocator.__get__(x)
