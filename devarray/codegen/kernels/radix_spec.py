"""What a kernel of a radix sort does; devarray/codegen/kernels/radix.py renders it."""

from __future__ import annotations

from dataclasses import dataclass

from devarray.codegen.kernels.keys import key_dtype
from devarray.codegen.language.dialect import CTYPE
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["DIGITS", "FEW_GROUP", "TICKETS", "SortSpec", "bits_of"]

DIGITS = 256
FEW_GROUP = 256
TICKETS = 64
"""Counters at the beginning of the state, one for each pass."""


@dataclass(frozen=True, slots=True)
class SortSpec:
    """One kernel "k" of a sort.

    Slots: the kept sizes, the row's length n, tiles in a row, elements of a histogram's group, shift, number of the
    pass, number of passes; then for each role its offset, and for views their strides.

    Attributes
    ----------
    phase : {"few", "row", "count", "histogram", "starts", "sweep"}
        few: several rows in one group, each element counts those before it. row: one row in a group, all digits.
        count: digits of each tile. histogram: all digits of a row, and starts: their exclusive sums. sweep: one digit.
    dtype : str
        Of the source.
    nkept : int
        Dims beside the sorted one, which is the last.
    part : {"whole", "re", "im", "class", "all"}
        Of complex numbers: what the keys are made of. "all" in few and row.
    descending, payload : bool
        Whether indices move with the keys.
    load : {"source", "gather", "keys"}
        Where keys come from: the source in order, the source by indices, or keys in order.
    store : {"keys", "values", "gather", "indices"}
        What is written: keys and indices, values made from keys, the source's elements by indices, or int64 indices.
    group, items : int
        Work-items of a group, and elements of each.
    warps, lookback : bool
        See devarray/codegen/kernels/radix.py.
    unit : bool
        Whether rows of the views are contiguous.
    resident : int
        Groups that shall fit on a compute unit at once, where the compiler can be told; 0 leaves it to choose.
    bits : int
        Lowest bits of a key in which elements may differ, a multiple of 8; 0: all.
    """

    phase: str
    dtype: str
    nkept: int
    part: str = "whole"
    descending: bool = False
    payload: bool = False
    load: str = "source"
    store: str = "keys"
    group: int = 256
    items: int = 1
    warps: bool = False
    lookback: bool = False
    unit: bool = False
    resident: int = 0
    bits: int = 0

    @property
    def roles(self) -> tuple[str, ...]:
        """What each memory argument is."""
        if self.phase == "starts":
            return ("state",)
        read = {
            "source": ("source",),
            "gather": ("source", "indices_in"),
            "keys": ("keys_in", "indices_in") if self.payload and self.phase == "sweep" else ("keys_in",),
        }[self.load]
        if self.phase in ("histogram", "count"):
            return (*read, "state" if self.phase == "histogram" else "counts")
        if self.phase == "sweep":
            read += ("state",) if self.lookback else ("counts",)
        written = ("keys_out", "indices_out") if self.payload else ("keys_out",)
        if self.store == "gather" and "source" not in read:
            return (*read, "source", "out")
        return (*read, *(written if self.store == "keys" else ("out",)))

    @property
    def access(self) -> str:
        """Which memory arguments are written ("w") and which read ("r")."""
        written = {"state", "keys_out", "indices_out", "out"} | ({"counts"} if self.phase == "count" else set())
        return "".join("w" if role in written else "r" for role in self.roles)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of an element, the least significant first."""
        if self.part != "all":
            return (self.part,)
        return ("im", "re", "class") if KIND[self.dtype] == "c" else ("whole",)

    @property
    def key(self) -> str:
        return CTYPE[key_dtype(self.dtype)]

    @property
    def tile(self) -> int:
        return self.group * self.items


def bits_of(spec: SortSpec, part: str) -> int:
    """Bits of a part's keys that matter."""
    return 8 if part == "class" else spec.bits or 8 * SIZE[key_dtype(spec.dtype)]
