"""The memory arguments of element-wise kernels and reductions: their slots, and the addresses of their elements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from devarray.codegen.language.dialect import Dialect
from devarray.ops.dtypes import SIZE

__all__ = ["Operand", "address", "operands", "place", "unravel"]


@dataclass(frozen=True, slots=True)
class Operand:
    """A memory argument: where its byte offset and byte strides lie in the slots."""

    number: int
    dtype: str
    access: str
    written: bool
    slot: int

    def offset(self) -> str:
        return f"s.v[{self.slot}]"

    def stride(self, dim: int, innermost: bool = False) -> str:
        """Bytes to the next index of a dim: a number along the innermost one where the access says how many steps."""
        if innermost and "steps:" in self.access:
            return str(int(self.access.split("steps:")[1].split(":")[0]) * SIZE[self.dtype])
        return f"s.v[{self.slot + 1 + dim}]"

    @property
    def shifted(self) -> str:
        """A 0 or a 1 for each dim: whether it is read shifted; empty where none is."""
        return self.access.split(":")[1] if self.access.startswith("shifted:") else ""

    @property
    def fixed(self) -> bool:
        """Whether it stays where it is along all reduced dims."""
        return self.access.startswith("fixed:")

    @property
    def innermost(self) -> str:
        """The access along the innermost dim: `unit`, `row`, `strided`, or `tiled`, which is strided there."""
        return self.access.rpartition(":")[2]

    @property
    def alone(self) -> bool:
        """Whether it has one value for all elements: its only element, or of a table its address."""
        return self.access in ("uniform", "table")

    def shift(self, dim: int) -> str:
        return f"s.v[{self.slot + 1 + len(self.shifted) + dim}]"


def operands(
    leaves: Sequence[tuple[str, str]], outputs: Sequence[tuple[str, str]], ndim: int, first_slot: int
) -> tuple[list[Operand], int]:
    """The memory arguments of (dtype, access) pairs, and the first slot behind theirs."""
    made = []
    slot = first_slot
    for number, (dtype, access) in enumerate((*leaves, *outputs)):
        made.append(Operand(number, dtype, access, number >= len(leaves), slot))
        slot += (
            1 if access in ("linear", "uniform", "table") else 1 + ndim * (2 if access.startswith("shifted:") else 1)
        )
    return made, slot


def numbered(letter: str, count: int) -> list[str]:
    """Names of `count` values. The underscore keeps them apart from types: `b8`, `i16` and `c64` are such."""
    return [f"{letter}{number}_" for number in range(count)]


def unravel(dialect: Dialect, index: str, sizes: Sequence[str], names: Sequence[str], itype: str) -> list[str]:
    """Statements that split the flat `index` over dims of `sizes`, outermost first, into `names`."""
    if len(names) == 1:
        return [f"const {itype} {names[0]} = {index};"]
    statements = []
    rest = index
    for dim in range(len(names) - 1, 0, -1):
        quotient = names[0] if dim == 1 else f"{index}_{dim}"
        statements.append(f"const {itype} {quotient} = {dialect.index_quotient(rest, sizes[dim])};")
        statements.append(f"const {itype} {names[dim]} = {rest} - {quotient} * {sizes[dim]};")
        rest = quotient
    return statements


def address(operand: Operand, names: Sequence[str]) -> str:
    """Byte address of the element at the indices `names`; the last one is left out where it is not strided."""
    inner = len(names) - 1
    terms = [f"m{operand.number} + {operand.offset()}"]
    for dim, name in enumerate(names):
        if dim < inner or operand.innermost in ("strided", "tiled"):
            terms.append(f"{name} * {operand.stride(dim, dim == inner)}")
    return " + ".join(terms)


def place(operand: Operand, inner: str) -> str:
    """Index behind the address that `address` gives."""
    return inner if operand.innermost == "unit" else "0"
