"""Sums, products and extremes of rows, each by one work-item, in explicit vectors.

Intel's compiler makes vectors of neighbouring work-items. Where these share a row, each row is a group of its own, whose
merge waits at barriers; where a work-item has a row, loads are gathers. Here a work-item walks its rows one after the
other in vectors of as many elements as a group has lanes, in the lanes' order, so with their bits. This is for operations
that C has for vectors, on values of one dtype: the op table's VECTORS.
"""

from __future__ import annotations

from devarray.codegen.kernels.elementwise import node_statements
from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.operands import unravel
from devarray.codegen.kernels.reduction_loops import Loops
from devarray.codegen.kernels.reduction_spec import ReductionSpec
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["VectorRows"]


class VectorRows(Loops):
    """The kernel's text: `outs` rows for a work-item, `lanes` elements in a vector.

    Names in it are those of the other reductions. `sums` and `errs` are the lanes' values and what their rounding lost;
    they, `acc`, `v`, operations and what is loaded along the row are vectors.
    """

    def __init__(self, spec: ReductionSpec, dialect: Dialect) -> None:
        super().__init__(spec, dialect)
        # Sums of integers are of unsigned ones, which may wrap.
        self.scalar = "u64" if KIND[spec.acc_dtype] in "iu" and spec.op == "sum" else self.acc
        self.acc = f"{self.scalar}x{spec.lanes}"

    def source(self) -> str:
        spec = self.spec
        kept = [f"o{dim}" for dim in range(spec.nkept)]
        sizes = [f"s.v[{dim}]" for dim in range(spec.nkept)]
        along = [operand for operand in self.operands if operand.access != "uniform"]
        row = [
            *(unravel(self.dialect, "out", sizes, kept, "i64") if kept else []),
            *(f"GLOBAL const char* q{operand.number} = {self.base(operand, kept)};" for operand in along),
            *(self.load(operand, f"q{operand.number}") for operand in along if operand.access == "row"),
            f"{self.scalar} sum;",
            "{",
            *indent(self.sum_up()),
            "}",
            *self.store(),
        ]
        body = [
            *self.scalars(),
            *self.uniform(),
            f"const i64 total = {self.size(spec.nkept)}, outputs = {' * '.join(sizes) or '1'}, lane = 0;",
            f"const i64 first = GROUP_ID(0) * {spec.outs};",
            f"const i64 behind = outputs - first < {spec.outs} ? outputs : first + {spec.outs};",
            "const b8 active = 1;",
            "for (i64 out = first; out < behind; ++out) {",
            *indent(row),
            "}",
        ]
        memory = "r" * len(self.operands) + "w"
        return self.dialect.kernel("k", memory, self.slots, "\n".join(indent(body)), group=1)

    def sum_up(self) -> list[str]:
        """The row's elements into lanes, and these into `sum` as a tree."""
        self.sum, self.err = "sums", "errs"
        lines = [f"{self.acc} sums = {self.literal()};", *self.stretch("0", "total", "")]
        if self.careful:
            lines.insert(0, f"{self.acc} errs = {self.literal()};")
            lines.append("sums = errs - errs == 0 ? sums + errs : sums;")
        name, half = "sums", self.spec.lanes // 2
        while half > 1:
            lines.append(f"const {self.scalar}x{half} sum{half} = {self.joined(f'{name}.lo', f'{name}.hi')};")
            name, half = f"sum{half}", half // 2
        self.sum = "sum"
        return [*lines, f"sum = {self.joined(f'{name}.lo', f'{name}.hi')};"]

    def joined(self, a: str, b: str) -> str:
        """C text of two accumulated values made one, vectors or scalars: as `combine` has it for scalars."""
        if self.spec.op in ("sum", "prod"):
            return f"{a} {'+' if self.spec.op == 'sum' else '*'} {b}"
        nan = f" || {a} != {a}" if KIND[self.spec.acc_dtype] == "f" else ""
        return f"({a} {'>' if self.spec.op == 'max' else '<'} {b}{nan}) ? {a} : {b}"

    def stretch(self, start: str, stop: str, position: str) -> list[str]:
        """Blocks of all accumulators, then vectors, then what is less than a vector, read from the row's last one."""
        # Both numbers have as many bits as what they choose among: loaded elements, and values.
        lanes, word = self.spec.lanes, f"u{8 * SIZE[self.spec.acc_dtype]}"
        narrow = f"u{8 * SIZE[self.spec.leaves[0][0]]}"
        numbers = ", ".join(map(str, range(lanes)))
        last = [f"const {self.acc} y = {self.joined('sums', 'v')};"]
        if self.careful:
            last.append("const V z = y - sums, lost = (sums - (y - z)) + (v - z);".replace("V", self.acc))
            last.append(f"errs = number < ({word})({stop} - t) ? errs + lost : errs;")
        return [
            f"i64 t = {start};",
            *self.streams(stop, position),
            f"for (; t + {lanes - 1} < {stop}; t += {lanes}) {{",
            "  const i64 i = t;",
            *indent([*self.element(), *self.close_block("v", "")]),
            "}",
            f"if (t < {stop}) {{",
            f"  const i64 i = {stop} - {lanes};",
            f"  const {word}x{lanes} number = ({word}x{lanes})({numbers});",
            f"  const {narrow}x{lanes} turn = (({narrow}x{lanes})({numbers}) + ({narrow})(t - i)) & ({narrow})({lanes - 1});",
            *indent(self.element("turn")),
            *indent(last),
            f"  sums = number < ({word})({stop} - t) ? y : sums;",
            "}",
        ]

    def element(self, turn: str = "") -> list[str]:
        """Vectors of what lies along the row from element `i` on, moved by `turn` lanes; the vector to reduce is `v`."""
        spec = self.spec
        lines = []
        for leaf in self.operands:
            if leaf.access != "unit":
                continue
            typed = self.dialect.pointer(leaf.dtype, const=True)
            loaded = f"vload{spec.lanes}(0, ({typed})(q{leaf.number} + i * {SIZE[leaf.dtype]}))"
            loaded = f"shuffle({loaded}, {turn})" if turn else loaded
            lines.append(f"const {self.acc} a{leaf.number} = {self.widened(leaf.dtype, loaded)};")
        names = [f"a{i}" for i in range(len(spec.leaves))] + [f"c{i}" for i in range(len(spec.scalars))]
        dtypes = spec.value_dtypes()[: len(names)]
        nodes, names = node_statements(self.dialect, spec.nodes, names, dtypes)
        lines += [line.replace(f"const {self.scalar} ", f"const {self.acc} ", 1) for line in nodes]
        return [*lines, f"const {self.acc} v = {names[spec.value]};"]

    def widened(self, dtype: str, loaded: str) -> str:
        """Loaded elements as values: a sum of narrow integers or of truths is of 64 bits."""
        if dtype == self.spec.acc_dtype:
            return f"as_ulong{self.spec.lanes}({loaded})" if self.scalar != CTYPE[dtype] else loaded
        if dtype == "bool":
            return f"convert_ulong{self.spec.lanes}(({loaded} != (u8)0) & (i8)1)"
        return f"as_ulong{self.spec.lanes}(convert_long{self.spec.lanes}({loaded}))"

    def take(self, acc: str, place: str, step: str) -> list[str]:
        return self.fold(acc, "", "v", "")

    def fold(self, a: str, at_a: str, b: str, at_b: str) -> list[str]:
        return [f"{a} = {self.joined(a, b)};"]

    def add_careful(self, x: str) -> list[str]:
        return [
            "{",
            f"  const {self.acc} y = sums + {x}, z = y - sums;",
            f"  errs += (sums - (y - z)) + ({x} - z);",
            "  sums = y;",
            "}",
        ]
