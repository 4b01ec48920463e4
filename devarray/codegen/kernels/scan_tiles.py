"""How a scan in one pass cuts rows into tiles, and what its kernel is to compute; scan_onepass.py renders it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import gcd

from devarray.codegen.kernels.launches import View, ceil_div
from devarray.codegen.kernels.scan_kernel import ScanSpec
from devarray.codegen.kernels.warps import has_warps, word_count
from devarray.codegen.language.dialect import Dialect
from devarray.ops.dtypes import SIZE

__all__ = ["FIRST_WORD", "LINE", "TILES", "OnePassSpec", "Tiles", "one_pass", "state_bytes", "tiles_for"]

FIRST_WORD = 16
"""Of those that are handed on; the ticket has a cache line of its own before them."""
LINE = 16
"""Words of a cache line."""
_WIDEST = 16  # bytes that a work-item moves at once


@dataclass(frozen=True, slots=True)
class Tiles:
    """How rows are cut.

    Attributes
    ----------
    warps : bool
        Whether lanes exchange values by shuffles, else through local memory.
    group : int
        Work-items of a tile, a multiple of 32.
    bytes, items : int
        Most bytes of a work-item's values, and most values.
    block : int
        Tiles of a block, at most `group`.
    resident : int
        Groups that a compute unit should hold at once; 0 leaves it to the compiler.
    pause : int
        Nanoseconds between two looks at a word that is not there yet, on CUDA.
    """

    warps: bool
    group: int = 256
    bytes: int = 96
    items: int = 24
    block: int = 64
    resident: int = 0
    pause: int = 0


TILES = Tiles(warps=True)


def tiles_for(dialect: Dialect) -> Tiles | None:
    """The tiles for a device; None where groups that have begun need not make progress."""
    return TILES if has_warps(dialect) else None


@dataclass(frozen=True, slots=True)
class OnePassSpec:
    """A kernel "k" of one pass. Memory arguments and slots are those of a carried scan, with the state instead of the
    partials, and the tiles of all rows and of one instead of their strides.

    Attributes
    ----------
    scan : ScanSpec
        With the sink "scan", and carried.
    tiles : Tiles
    unit : tuple of bool
        Whether the elements of each input lie side by side; the result's last.
    """

    scan: ScanSpec
    tiles: Tiles
    unit: tuple[bool, ...]

    @property
    def dtypes(self) -> tuple[str, ...]:
        """Of the inputs and of the result."""
        return (*(self.scan.leaves or (self.scan.dtype,)), self.scan.out_dtype)

    @property
    def access(self) -> str:
        return "r" * self.scan.inputs + "ww"

    @property
    def widest(self) -> int:
        """Elements of the widest access that fits all views. One where no vector fits them."""
        sizes = [SIZE[dtype] for dtype, unit in zip(self.dtypes, self.unit, strict=True) if unit]
        return _WIDEST // max(sizes) if self.unit[-1] else 1

    @property
    def items(self) -> int:
        """Elements of a work-item. They are fewer where each is a run of its own, whose sum takes registers as well."""
        items = min(self.tiles.items, self.tiles.bytes // SIZE[self.scan.acc_dtype])
        return max(1, items if self.widest > 1 else items * 2 // 3)

    @property
    def pack(self) -> int:
        """Elements that a lane has side by side."""
        return gcd(self.items, self.widest)

    @property
    def runs(self) -> int:
        return self.items // self.pack

    @property
    def tile(self) -> int:
        return self.tiles.group * self.items


def one_pass(scan: ScanSpec, tiles: Tiles, sources: Sequence[View], target: View) -> OnePassSpec:
    """The kernel for views whose last dim is scanned."""
    unit = tuple(view.strides[-1] == view.itemsize for view in (*sources, target))
    return OnePassSpec(replace(scan, group=True, carried=True), tiles, unit)


def state_bytes(spec: OnePassSpec, rows: int, tiles: int) -> int:
    """Bytes of the state, which must be cleared."""
    totals = ceil_div(rows * tiles * word_count(spec.scan.acc_dtype), LINE)
    return 8 * (FIRST_WORD + (totals + rows * ((tiles - 1) // spec.tiles.block)) * LINE)
