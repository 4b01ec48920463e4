"""What the kernels of a radix sort know of a tile: its memory, its keys, and where its work-items stand."""

from __future__ import annotations

from devarray.codegen.kernels.keys import canonical, element_key, element_of
from devarray.codegen.kernels.launches import address, indent, move, write
from devarray.codegen.kernels.operands import unravel
from devarray.codegen.kernels.radix_spec import DIGITS, SortSpec
from devarray.codegen.language.dialect import Dialect
from devarray.ops.dtypes import SIZE

__all__ = ["Tile"]


class Tile:
    """Memory, keys and places of one kernel of a radix sort."""

    def __init__(self, spec: SortSpec, dialect: Dialect) -> None:
        self.spec, self.dialect = spec, dialect
        self.names = [f"o{dim}" for dim in range(spec.nkept)]
        self.first_slot = spec.nkept + 6
        self.places: dict[str, int] = {}
        slot = self.first_slot
        for role in spec.roles:
            self.places[role] = slot
            slot += 2 + spec.nkept if role in ("source", "out") else 1
        self.slots = slot
        self.warps = spec.group // 32

    def argument(self, role: str) -> str:
        return f"m{self.spec.roles.index(role)} + s.v[{self.places[role]}]"

    def pointer(self, role: str, kind: str) -> str:
        const = "const " if self.spec.access[self.spec.roles.index(role)] == "r" else ""
        return f"((GLOBAL {const}{kind}*)({self.argument(role)}))"

    def view(self, role: str, index: str) -> str:
        number, slot = self.spec.roles.index(role), self.places[role]
        if not self.spec.unit:
            return address(number, slot, [*self.names, index])
        size = 8 if role == "out" and self.spec.store == "indices" else SIZE[self.spec.dtype]
        return f"{address(number, slot, self.names)} + (i64)({index}) * {size}"

    def digit(self, key: str, shift: str) -> str:
        spec = self.spec
        if spec.part == "class":
            shift = "0"
        return f"((u32)({canonical(spec.dtype, not spec.payload, key)} >> {shift}) & {DIGITS - 1}u)"

    def key_at(self, part: str, index: str, target: str) -> list[str]:
        """Statements that give `target` the key of the source's element `index`."""
        spec = self.spec
        return [
            f"GLOBAL const char* from = {self.view('source', index)};",
            *element_key(self.dialect, spec.dtype, part, not spec.payload, spec.descending),
            f"{target} = key;",
        ]

    def key_in(self, index: str, target: str) -> list[str]:
        """Statements that give `target` the key of element `index` of the row, from wherever keys come."""
        if self.spec.load == "keys":
            return [f"{target} = {self.pointer('keys_in', self.spec.key)}[row * n + {index}];"]
        if self.spec.load == "source" or self.spec.phase in ("histogram", "row"):
            return self.key_at(self.spec.part, index, target)
        return [f"const i64 at = {self.index_in(index)};", *self.key_at(self.spec.part, "at", target)]

    def index_in(self, index: str) -> str:
        if self.spec.load == "source":
            return f"(u32)({index})"
        return f"{self.pointer('indices_in', 'u32')}[row * n + {index}]"

    def put(self, index: str, key: str, place: str) -> list[str]:
        """Stores an element at a place of its row: by its key, by its index, or both."""
        spec, dialect = self.spec, self.dialect
        out = self.view("out", place) if "out" in spec.roles else ""
        if spec.store == "values":
            storage = dialect.storage(spec.dtype)
            value = element_of(dialect, spec.dtype, key, spec.descending)
            return [f"*(GLOBAL {storage}*)({out}) = {value};"]
        if spec.store == "indices":
            return [write(dialect, "int64", out, f"(i64){index}")]
        return [move(dialect, spec.dtype, out, self.view("source", f"(i64){index}"))]

    def slot(self, number: int) -> str:
        return f"s.v[{self.spec.nkept + number}]"

    @property
    def rows(self) -> str:
        return " * ".join(f"s.v[{dim}]" for dim in range(self.spec.nkept)) or "(i64)1"

    def unravelled(self) -> list[str]:
        kept = [f"s.v[{dim}]" for dim in range(self.spec.nkept)]
        return unravel(self.dialect, "row", kept, self.names, "i64") if kept else []

    def tile_of(self, number: str) -> list[str]:
        return [
            f"const i64 n = {self.slot(0)}, blocks = {self.slot(1)};",
            f"const i64 tile = {number}, row = tile / blocks, block = tile - row * blocks;",
            f"const i64 first = block * {self.spec.tile};",
            f"const i32 count = n - first < {self.spec.tile} ? (i32)(n - first) : {self.spec.tile};",
            *(self.unravelled() if "source" in self.spec.roles or "out" in self.spec.roles else []),
        ]

    def position(self) -> str:
        """Place in its tile of a work-item's item k, in the order that ranks keep."""
        if self.spec.warps:
            return f"(lid / 32 * {32 * self.spec.items} + k * 32 + lid % 32)"
        return f"(lid * {self.spec.items} + k)"

    def each(self, lines: list[str]) -> list[str]:
        """For every item of a work-item. With warps there are many items, which must be registers all the same."""
        unroll = ["#pragma unroll"] if self.spec.warps else []
        return [*unroll, f"for (i32 k = 0; k < {self.spec.items}; ++k) {{", *indent(lines), "}"]
