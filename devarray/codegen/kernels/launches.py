"""Planned launches: what sort, scan, gather and matmul hand to the runner, which alone knows devices.

Memory is named by *roles*. The caller binds a role to an array ("in", "out"); a plan's `temporaries` are roles that the
runner binds to scratch memory of the given number of bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = [
    "Launch",
    "Plan",
    "View",
    "address",
    "ceil_div",
    "collapse",
    "declare",
    "indent",
    "move",
    "read",
    "scalar_slots",
    "units_of",
    "view_slots",
    "write",
]


@dataclass(frozen=True, slots=True)
class Launch:
    """One kernel launch.

    Attributes
    ----------
    source, kernel : str
        Program text, and the name of the kernel in it.
    groups : tuple of int
        Work-groups along one to three dimensions.
    local : int
        Work-items of a group, along dimension 0.
    memory : tuple of str
        Role of each memory argument.
    slots : tuple of int or str
        A string stands for the byte offset at which that role's first element lies in its memory argument.
    access : str
        One letter for each memory argument, "w" where the kernel writes it, else "r".
    writes : int
        The same as bits.
    """

    source: str
    kernel: str
    groups: tuple[int, ...]
    local: int
    memory: tuple[str, ...]
    slots: tuple[int | str, ...]
    access: str
    writes: int = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "writes", sum(1 << i for i, letter in enumerate(self.access) if letter == "w"))


@dataclass(frozen=True, slots=True)
class Plan:
    """Launches in order, on one queue.

    Attributes
    ----------
    launches : tuple of Launch
    temporaries : dict
        Bytes of scratch memory for each temporary role.
    cleared : frozenset of str
        Temporaries that must be zero at the start.
    """

    launches: tuple[Launch, ...]
    temporaries: dict[str, int] = field(default_factory=dict)
    cleared: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class View:
    """An array as a kernel sees it: a role with dtype, shape and byte strides."""

    role: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.shape) != len(self.strides):
            raise ValueError(f"{len(self.shape)} sizes, but {len(self.strides)} strides: {self.shape}, {self.strides}")

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def itemsize(self) -> int:
        return SIZE[self.dtype]

    @classmethod
    def contiguous(cls, role: str, dtype: str, shape: tuple[int, ...]) -> View:
        """An array in C order."""
        strides, step = [], SIZE[dtype]
        for size in reversed(shape):
            strides.append(step)
            step *= size
        return cls(role, dtype, shape, tuple(reversed(strides)))

    def moved(self, order: Sequence[int]) -> View:
        """The view with its dims in another order."""
        shape, strides = (tuple(values[axis] for axis in order) for values in (self.shape, self.strides))
        return View(self.role, self.dtype, shape, strides)


def view_slots(view: View) -> tuple[int | str, ...]:
    """A view's byte offset and byte strides."""
    return (view.role, *view.strides)


def address(number: int, slot: int, names: Sequence[str]) -> str:
    """C text of the byte address, in memory argument `number`, of the element at the indices `names`; the view's
    offset and strides lie in the slots from `slot` on."""
    terms = [f"m{number} + s.v[{slot}]"]
    terms += [f"(i64)({name}) * s.v[{slot + 1 + dim}]" for dim, name in enumerate(names)]
    return " + ".join(terms)


def read(dialect: Dialect, dtype: str, place: str) -> str:
    """C text of the element at a byte address."""
    return dialect.load(dtype, f"(({dialect.pointer(dtype, const=True)})({place}))", "0")


def write(dialect: Dialect, dtype: str, place: str, value: str) -> str:
    """Statement that stores `value`, of type CTYPE[dtype], at a byte address."""
    return dialect.store(dtype, f"(({dialect.pointer(dtype, const=False)})({place}))", "0", value)


def move(dialect: Dialect, dtype: str, target: str, source: str) -> str:
    """Statement that copies an element as it lies in memory from one byte address to another."""
    storage = dialect.storage(dtype)
    return f"*(GLOBAL {storage}*)({target}) = *(GLOBAL const {storage}*)({source});"


def declare(dtype: str, name: str, text: str) -> str:
    return f"const {CTYPE[dtype]} {name} = {text};"


def indent(lines: Sequence[str], depth: int = 1) -> list[str]:
    return [f"{'  ' * depth}{line}" if line else "" for line in lines]


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def units_of(dialect: Dialect) -> int:
    """Compute units of the device."""
    return max(1, int(dialect.caps.get("compute_units", 1)))


def scalar_slots(value: int | float | complex, dtype: str) -> tuple[int, ...]:
    """Slots of a scalar argument.

    >>> scalar_slots(-1, "int8"), scalar_slots(1.0, "float32")
    ((-1,), (1065353216,))
    """
    kind = KIND[dtype]
    if kind in "biu":
        whole = int(value.real)
        return (whole - (1 << 64) if whole >= 1 << 63 else whole,)
    number = complex(value)
    if dtype == "complex128":
        return struct.unpack("<qq", struct.pack("<dd", number.real, number.imag))
    if dtype == "float64":
        return struct.unpack("<q", struct.pack("<d", number.real))
    return struct.unpack("<q", struct.pack("<ff", number.real, number.imag))


def collapse(shape: Sequence[int], strides: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Drops dims of size 1 and merges neighbours that every operand steps through evenly; at least one dim stays.

    >>> collapse((2, 1, 3, 4), [(48, 4, 16, 4), (0, 0, 0, 4)])
    ((6, 4), [(16, 4), (0, 4)])
    """
    sizes: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, size in enumerate(shape):
        if size == 1:
            continue
        here = [operand[axis] for operand in strides]
        if sizes and all(kept[-1] == step * size for kept, step in zip(steps, here, strict=True)):
            sizes[-1] *= size
            for kept, step in zip(steps, here, strict=True):
                kept[-1] = step
        else:
            sizes.append(size)
            for kept, step in zip(steps, here, strict=True):
                kept.append(step)
    if not sizes:
        return (1,), [(0,) for _ in strides]
    return tuple(sizes), [tuple(kept) for kept in steps]
