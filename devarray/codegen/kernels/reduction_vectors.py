"""Sums, products, extremes of rows and their places, each by one work-item, in explicit vectors.

Intel's compiler makes vectors of neighbouring work-items. Where these share a row, each row is a group of its own,
whose merge waits at barriers; where a work-item has a row, loads are gathers. Here a work-item walks its rows one after
the other in vectors of as many elements as a group has lanes, or in short rows a lane accumulators, in the order of
these, so with their bits. It is for operations that C has for vectors, on values of one dtype: the op table's VECTORS.
"""

from __future__ import annotations

from dataclasses import replace

from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.operands import numbered, unravel
from devarray.codegen.kernels.reduction_loops import Loops
from devarray.codegen.kernels.reduction_spec import ReductionSpec
from devarray.codegen.kernels.statements import node_statements
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["VectorRows"]


class VectorRows(Loops):
    """The kernel's text: `outs` rows for a work-item, `lanes` elements in a vector, or `unroll` for one lane.

    Names in it are those of the other reductions. `sums` and `errs` are the lanes' values and what their rounding lost;
    they, `acc`, `v`, operations and what is loaded along the row are vectors.
    """

    def __init__(self, spec: ReductionSpec, dialect: Dialect) -> None:
        super().__init__(spec, dialect)
        # Sums of integers are of unsigned ones, which may wrap.
        self.scalar = "u64" if KIND[spec.acc_dtype] in "iu" and spec.op == "sum" else self.acc
        self.width = spec.lanes if spec.lanes > 1 else spec.unroll
        self.acc = f"{self.scalar}x{self.width}"

    def source(self) -> str:
        spec = self.spec
        kept = [f"o{dim}" for dim in range(spec.nkept)]
        sizes = [f"s.v[{dim}]" for dim in range(spec.nkept)]
        along = [operand for operand in self.operands if operand.access != "uniform"]
        row = [
            *(unravel(self.dialect, "out", sizes, kept, "i64") if kept else []),
            *(f"GLOBAL const char* q{operand.number} = {self.base(operand, kept)};" for operand in along),
            *(self.load(operand, f"q{operand.number}") for operand in along if operand.access == "row"),
            "i64 at;" if spec.indexed else f"{self.scalar} sum;",
            "{",
            *indent(self.places() if spec.indexed else self.lanes_of_row() if spec.lanes > 1 else self.short_row()),
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

    def lanes_of_row(self) -> list[str]:
        """The row's elements into lanes, and these into `sum` as a tree."""
        self.sum, self.err = "sums", "errs"
        lines = [f"{self.acc} sums = {self.literal()};", *self.stretch("0", "total", "")]
        if self.careful:
            lines.insert(0, f"{self.acc} errs = {self.literal()};")
            lines.append("sums = errs - errs == 0 ? sums + errs : sums;")
        lines += self.tree("sums", "sum")
        self.sum = "sum"
        return lines

    def places(self) -> list[str]:
        """The row's extreme, then into `at` the first place where it lies, which is mostly not at the row's end."""
        lanes, word = self.width, f"u{8 * SIZE[self.spec.acc_dtype]}"
        extreme = VectorRows(replace(self.spec, op=self.spec.op.removeprefix("arg")), self.dialect)
        # In a row with a NaN nothing equals the extreme, and the first NaN counts.
        numbers = f"({word}x{lanes})({', '.join(map(str, range(lanes)))})"
        here = "(v == all) | (v != v)" if KIND[self.spec.acc_dtype] == "f" else "v == all"
        smaller = "(X.lo < X.hi) ? X.lo : X.hi"
        lines = [
            f"{self.scalar} sum;",
            "{",
            *indent(extreme.lanes_of_row()),
            "}",
            f"const {self.acc} all = sum;",
            f"const {word}x{lanes} number = {numbers};",
            f"{word}x{lanes} least{lanes};",
            "i64 t = 0;",
            f"for (; t + {lanes - 1} < total; t += {lanes}) {{",
            "  const i64 i = t;",
            *indent(self.element()),
            f"  least{lanes} = ({here}) ? number : ({word}x{lanes})({lanes});",
            f"  if (any({here})) break;",
            "}",
            f"if (t < total && t + {lanes - 1} >= total) {{",
            *indent(self.behind("total")),
            f"  least{lanes} = ({here}) ? number : ({word}x{lanes})({lanes});",
            "}",
        ]
        while lanes > 2:
            lines.append(f"const {word}x{lanes // 2} least{lanes // 2} = {smaller.replace('X', f'least{lanes}')};")
            lanes //= 2
        return [*lines, f"at = t + ({smaller.replace('X', 'least2')});"]

    def short_row(self) -> list[str]:
        """The row's elements into one block of accumulators, and what is left one by one into `sum`."""
        left = self.careful_scalar("rest[k]") if self.careful else [f"sum = {self.joined('sum', 'rest[k]')};"]
        block = self.careful_scalar("block") if self.careful else [f"sum = {self.joined('sum', 'block')};"]
        return [
            f"sum = {self.literal()};",
            *[f"{self.scalar} err = {self.literal()};"] * self.careful,
            f"{self.acc} acc = {self.literal()};",
            "i64 t = 0;",
            f"for (; t + {self.width - 1} < total; t += {self.width}) {{",
            "  const i64 i = t;",
            *indent([*self.element(), *self.take("acc", "", "")]),
            "}",
            f"{self.scalar} block;",
            *self.tree("acc", "block"),
            *block,
            "if (t < total) {",
            *indent(self.behind("total")),
            f"  {self.scalar} rest[{self.width}];",
            f"  vstore{self.width}(v, 0, rest);",
            "  for (i64 k = 0; k < total - t; ++k) {",
            *indent(left, 2),
            "  }",
            "}",
            *["if (err - err == 0) sum += err;"] * self.careful,
        ]

    def careful_scalar(self, x: str) -> list[str]:
        return [f"const {self.scalar} y = sum + {x}, z = y - sum;", f"err += (sum - (y - z)) + ({x} - z);", "sum = y;"]

    def tree(self, name: str, result: str) -> list[str]:
        """The elements of the vector `name` into the scalar `result`."""
        lines, half = [], self.width // 2
        while half > 1:
            lines.append(f"const {self.scalar}x{half} half{half} = {self.joined(f'{name}.lo', f'{name}.hi')};")
            name, half = f"half{half}", half // 2
        return [*lines, f"{result} = {self.joined(f'{name}.lo', f'{name}.hi')};"]

    def joined(self, a: str, b: str) -> str:
        """C text of two accumulated values made one, vectors or scalars: as `combine` has it for scalars."""
        if self.spec.op in ("sum", "prod"):
            return f"{a} {'+' if self.spec.op == 'sum' else '*'} {b}"
        extreme = f"({a} {'>' if self.spec.op.endswith('max') else '<'} {b}) ? {a} : {b}"  # one instruction
        return f"({a} != {a}) ? {a} : ({extreme})" if KIND[self.spec.acc_dtype] == "f" else extreme

    def stretch(self, start: str, stop: str, position: str) -> list[str]:
        """Blocks of all accumulators, then vectors, then what is less than a vector, read from the row's last one."""
        lanes, word = self.width, f"u{8 * SIZE[self.spec.acc_dtype]}"
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
            *indent(self.behind(stop)),
            f"  const {word}x{lanes} number = ({word}x{lanes})({numbers});",
            *indent(last),
            f"  sums = number < ({word})({stop} - t) ? y : sums;",
            "}",
        ]

    def behind(self, stop: str) -> list[str]:
        """What is less than a vector, from `t` on: the end of the row's last one, turned to the front."""
        narrow = f"u{8 * SIZE[self.spec.leaves[0][0]]}"  # a number for each loaded element, of as many bits
        numbers = f"({narrow}x{self.width})({', '.join(map(str, range(self.width)))})"
        return [
            f"const i64 i = {stop} - {self.width};",
            f"const {narrow}x{self.width} turn = ({numbers} + ({narrow})(t - i)) & ({narrow})({self.width - 1});",
            *self.element(turn="turn"),
        ]

    def element(self, packed: bool = False, turn: str = "") -> list[str]:
        """Vectors of what lies along the row from element `i` on, moved by `turn` lanes; `v` is to be reduced.

        All of them are loaded at once, whatever `packed` says.
        """
        spec = self.spec
        lines = []
        for leaf in self.operands:
            if leaf.access != "unit":
                continue
            typed = self.dialect.pointer(leaf.dtype, const=True)
            loaded = f"vload{self.width}(0, ({typed})(q{leaf.number} + i * {SIZE[leaf.dtype]}))"
            loaded = f"shuffle({loaded}, {turn})" if turn else loaded
            lines.append(f"const {self.acc} a{leaf.number} = {self.widened(leaf.dtype, loaded)};")
        names = [f"a{i}" for i in range(len(spec.leaves))] + numbered("c", len(spec.scalars))
        dtypes = spec.value_dtypes()[: len(names)]
        nodes, names = node_statements(self.dialect, spec.nodes, names, dtypes)
        lines += [line.replace(f"const {self.scalar} ", f"const {self.acc} ", 1) for line in nodes]
        return [*lines, f"const {self.acc} v = {names[spec.value]};"]

    def widened(self, dtype: str, loaded: str) -> str:
        """Loaded elements as values: a sum of narrow integers or of truths is of 64 bits."""
        if dtype == self.spec.acc_dtype:
            return f"as_ulong{self.width}({loaded})" if self.scalar != CTYPE[dtype] else loaded
        if dtype == "bool":
            return f"convert_ulong{self.width}(({loaded} != (u8)0) & (i8)1)"
        return f"as_ulong{self.width}(convert_long{self.width}({loaded}))"

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
