"""What the bodies of element-wise kernels are made of: names, declarations, the way to the operands' elements."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from devarray.codegen.kernels.operands import Operand, address, numbered, operands, place, unravel
from devarray.codegen.kernels.spec import ElementwiseSpec
from devarray.codegen.kernels.statements import TABLE, checks_float64, count_checked, node_statements
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE
from devarray.ops.table import INDEXED
from devarray.ops.user import flags_of

__all__ = ["GROUP_OF_TILE", "Kernel", "Walk", "group_of", "indent", "item_of", "numbers_of", "within"]

GROUP_OF_TILE = 256
"""Work-items of a group in tiles mode (kItemsOfTile in csrc/engine/kernel_spec.hpp)."""

_SEVERAL = 3
"""Divisions and roots of float32 from which on an element is computed without their branches: data of which some
elements are not ordinary, zeros in dividends, pays for both ways."""


class Kernel:
    """What the bodies of all modes need of a spec."""

    def __init__(self, spec: ElementwiseSpec, dialect: Dialect) -> None:
        self.spec = spec
        self.dialect = dialect
        self.itype = "i64" if spec.wide or dialect.strategy == "cpu" else "u32"
        self.operands, self.scalar_slot = operands(
            spec.leaves, [(dtype, access) for _, dtype, access in spec.outputs], spec.ndim, spec.ndim
        )
        self.leaves = self.operands[: len(spec.leaves)]
        self.outputs = self.operands[len(spec.leaves) :]
        self.like, self.like_shift, self.like_start = self._likenesses(spec)
        self.slots = self.scalar_slot + sum(dialect.slots_of(dtype) for dtype in spec.scalars)
        names = [f"a{i}" for i in range(len(spec.leaves))] + numbered("c", len(spec.scalars))
        dtypes = spec.value_dtypes()[: len(names)]
        self.inputs = list(zip(names, dtypes, strict=True))
        uniform = range(len(spec.leaves), len(names))
        kept = [value for value, _, _ in spec.outputs]
        first = len(spec.leaves)
        known = {first + number: bits for number, bits in spec.constants}
        self.numbers = numbers_of(spec)

        def statements(checked: bool) -> tuple[list[str], list[str]]:
            return node_statements(
                dialect,
                spec.nodes,
                names,
                dtypes,
                uniform=uniform,
                kept=kept,
                known=known,
                checked=checked,
                given=self.numbers,
            )

        self.nodes, self.names = statements(checked=False)
        several = count_checked(spec.nodes, known) >= _SEVERAL and not (
            spec.vec > 1 and checks_float64(spec.nodes, known)
        )
        worth = dialect.branching and not self.numbers and several
        self.checked_nodes = statements(checked=True)[0] if worth else []

    def _likenesses(self, spec: ElementwiseSpec) -> tuple[dict[int, int], dict[tuple[int, int], int], dict[int, int]]:
        """Whose strides stand for each operand's, whose shifts for each shifted dim's, whose start for each leaf's."""
        like = {operand.number: operand.number for operand in self.operands}
        shifted = [(leaf.number, dim) for leaf in self.leaves for dim in range(len(leaf.shifted))]
        like_shift = {place: place[0] for place in shifted}
        like_start = dict(like)
        if spec.alike:
            shifts, starts = len(like), len(like) + len(shifted)
            like = dict(enumerate(spec.alike[:shifts]))
            like_shift = dict(zip(shifted, spec.alike[shifts:starts], strict=True))
            like_start |= dict(enumerate(spec.alike[starts:]))
        return like, like_shift, like_start

    def source(self, body: Callable[[Kernel], tuple[str, list[str]]]) -> str:
        """The kernel whose functions and statements `body` gives."""
        before, statements = body(self)
        memory = "".join("w" if operand.written else "r" for operand in self.operands)
        text = "\n".join(indent(statements))
        if self.spec.sets > 1:
            return before + self.dialect.kernel_of_sets(
                "k", memory, self.slots, text, self.spec.sets, restrict=not self.spec.alias
            )
        group = GROUP_OF_TILE if self.spec.mode == "tiles" else None
        kernel = self.dialect.kernel("k", memory, self.slots, text, restrict=not self.spec.alias, group=group)
        return before + kernel

    def index(self, name: str) -> list[str]:
        """Declaration of INDEX, the element's number in C order, where a node depends on it."""
        return (
            [f"const i64 INDEX = (i64)({name});"]
            if any(flags_of(node[0]) & INDEXED for node in self.spec.nodes)
            else []
        )

    def unravel(self, index: str, sizes: Sequence[str], names: Sequence[str]) -> list[str]:
        return unravel(self.dialect, index, sizes, names, self.itype)

    def size(self, dim: int) -> str:
        slot = f"s.v[{dim}]"
        return slot if self.itype == "i64" else f"({self.itype}){slot}"

    def scalars(self) -> list[str]:
        """Declarations of the scalars."""
        lines = []
        slot = self.scalar_slot
        constants = dict(self.spec.constants)
        names = numbered("c", len(self.spec.scalars))
        for number, (name, dtype) in enumerate(zip(names, self.spec.scalars, strict=True)):
            value = self.dialect.slot(slot, dtype, constants.get(number))
            lines.append(f"const {CTYPE[dtype]} {name} = {value};")
            slot += self.dialect.slots_of(dtype)
        return lines

    def pointer(self, operand: Operand, address: str) -> str:
        return f"({self.dialect.pointer(operand.dtype, const=not operand.written)})({address})"

    def pointers(self, chosen: Sequence[Operand]) -> list[str]:
        """Declarations of typed pointers to the first elements of operands."""
        return [
            f"{self.dialect.pointer(operand.dtype, const=not operand.written)} p{operand.number} = "
            f"{self.pointer(operand, f'm{operand.number} + {operand.offset()}')};"
            for operand in chosen
        ]

    def uniform(self) -> list[str]:
        """Declarations of the leaves that have one element for all, and of tables' addresses."""
        return [
            f"{TABLE} a{leaf.number} = m{leaf.number} + {leaf.offset()};"
            if leaf.access == "table"
            else self.value(leaf, f"({self.pointer(leaf, f'm{leaf.number} + {leaf.offset()}')})", "0")
            for leaf in self.leaves
            if leaf.alone
        ]

    def type_of(self, number: int) -> str:
        """C type of an input of the element's functions."""
        is_table = number < len(self.leaves) and self.leaves[number].access == "table"
        return TABLE if is_table else f"const {CTYPE[self.inputs[number][1]]}"

    def value(self, leaf: Operand, pointer: str, index: str) -> str:
        """Declaration of a leaf's value."""
        return f"const {CTYPE[leaf.dtype]} a{leaf.number} = {self.dialect.load(leaf.dtype, pointer, index)};"

    def result(self, output: Operand) -> str:
        """What goes to an output."""
        value, dtype, _ = self.spec.outputs[output.number - len(self.leaves)]
        return self.dialect.cast(self.spec.value_dtypes()[value], dtype, self.names[value])

    def write(self, output: Operand, pointer: str, index: str) -> str:
        return self.dialect.store(output.dtype, pointer, index, self.result(output))


def indent(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


_FEW = 24
"""Nodes up to which whole groups have their statements without a test: twice the text takes longer to compile."""


def within(k: Kernel, bounds: str, element: Sequence[str], whole: str = "") -> list[str]:
    """The statements for an element behind a test of bounds, where there may be work-items without an element.

    `whole` is a condition, the same for all work-items of a group, under which each has one: a CPU's vectors need no
    masks there.
    """
    if k.dialect.exact_launches:
        return list(element)
    tested = [f"if ({bounds}) {{", *indent(element), "}"]
    if not whole or k.dialect.strategy != "cpu" or len(k.spec.nodes) > _FEW:
        return tested
    return [f"if ({whole}) {{", *indent(element), f"}} else {tested[0]}", *tested[1:]]


def item_of(k: Kernel, axis: int) -> str:
    """GLOBAL_ID, the groups along `axis` counted from the last one where the engine says so.

    What the kernel before wrote last is in the cache still, as far as it fits: kernels that walk large arrays by turns
    forwards and backwards find it there. Sizes of 32 bits leave room for a bit that tells, the 33rd of the first slot.
    """
    if not _turns(k):
        return f"GLOBAL_ID({axis})"
    return f"({group_of(k, axis)} * LOCAL_SIZE({axis}) + LOCAL_ID({axis}))"


def group_of(k: Kernel, axis: int) -> str:
    """GROUP_ID, or the same counted from the last group (`item_of`)."""
    if not _turns(k):
        return f"GROUP_ID({axis})"
    return f"(s.v[0] >> 32 ? GROUPS({axis}) - 1 - GROUP_ID({axis}) : GROUP_ID({axis}))"


def _turns(k: Kernel) -> bool:
    return not (k.spec.wide or k.dialect.strategy == "cpu" or k.dialect.exact_launches)


def numbers_of(spec: ElementwiseSpec) -> dict[int, tuple[int, int]]:
    """Of a kernel by blocks of random words: the values that count in a stream, and the scalars that they count by."""
    first = len(spec.leaves) + len(spec.scalars)
    counted = {
        first + number: node[3] for number, node in enumerate(spec.nodes) if node[0] == "iota" and node[2] == "uint64"
    }
    read = {node[3][0]: node[0] for node in spec.nodes if node[0] in _WORDS and node[3][0] in counted}
    ordered = sorted(read, key=lambda value: read[value], reverse=True)  # those of half words first
    return {value: (counted[value][0], counted[value][1]) for value in ordered} if spec.vec > 1 else {}


_WORDS = ("philox", "philox_half")


class Walk:
    """Loads and stores of the element at certain indices, with what several operands need worked out once.

    Where indices have 32 bits, so have all distances in bytes (csrc/engine/launch.cpp sees to it). Operands with the
    same strides, as the views of a stencil are, share one distance, which is added to what is the same for all
    work-items: an address is one instruction then, where indices and strides of 64 bits take a dozen. Distances count
    elements: those in bytes the compiler would add to the offset of 64 bits first, in four instructions.
    """

    def __init__(self, k: Kernel, names: Sequence[str]) -> None:
        self.k = k
        self.names = names
        self.declared: set[str] = set()
        self.lines: list[str] = []

    def element(self) -> list[str]:
        """Loads, nodes and stores."""
        for leaf in self.k.leaves:
            if not leaf.alone:
                self.lines.append(self.load(leaf))
        self.lines += self.k.nodes
        for output in self.k.outputs:
            self.lines.append(self.k.write(output, *self.pointer(output)))
        return self.lines

    def load(self, leaf: Operand) -> str:
        """Declaration of a leaf's value."""
        return self.k.value(leaf, *self.pointer(leaf))

    def pointer(self, operand: Operand) -> tuple[str, str]:
        """A typed pointer, and the index of the element behind it."""
        names = self.shifted(operand)
        if self.k.itype == "i64":
            return f"({self.k.pointer(operand, address(operand, names))})", place(operand, names[-1])
        first = self.k.operands[self.k.like_start[operand.number]]
        start = f"m{first.number} + {first.offset()}"
        distance = self.distance(operand, names)
        if self.unit(operand) > 1:
            return f"({self.k.pointer(operand, start)})", distance
        return f"({self.k.pointer(operand, f'{start} + {distance}')})", "0"

    @staticmethod
    def unit(operand: Operand) -> int:
        """Bytes that an operand's strides are multiples of: what its elements are aligned to."""
        return 1 if KIND[operand.dtype] == "c" else SIZE[operand.dtype]

    def declare(self, name: str, *statements: str) -> None:
        if name not in self.declared:
            self.declared.add(name)
            self.lines += statements

    def shifted(self, operand: Operand) -> list[str]:
        """Names of the indices at which an operand is read."""
        k, names = self.k, list(self.names)
        for dim, digit in enumerate(operand.shifted):
            if digit == "1":
                like = k.operands[k.like_shift[operand.number, dim]]
                name = f"w{like.number}_{dim}"
                self.declare(name, *self.around(name, like, dim))
                names[dim] = name
        return names

    def around(self, name: str, operand: Operand, dim: int) -> list[str]:
        """Declarations for the index `name` that is shifted in a dim, and begins anew at its end."""
        itype, index, size = self.k.itype, self.names[dim], self.k.size(dim)
        return [
            f"const {itype} {name}_ = {index} + ({itype}){operand.shift(dim)};",
            f"const {itype} {name} = {name}_ >= {size} ? {name}_ - {size} : {name}_;",
        ]

    def distance(self, operand: Operand, names: Sequence[str]) -> str:
        """Name of the units from an operand's first element to that at the indices `names`."""
        like, unit = self.k.operands[self.k.like[operand.number]], self.unit(operand)
        whose = f"d{like.number}" if unit == self.unit(like) else f"d{like.number}_{unit}"
        name = "_".join([whose, *(name for name in names if name.startswith("w"))])
        shift = f" >> {unit.bit_length() - 1}" if unit > 1 else ""
        strides = [f"((i32){like.stride(dim)}{shift})" for dim in range(len(names))]
        if like.innermost == "unit":
            strides[-1] = str(SIZE[like.dtype] // unit)
        walked = len(names) - (like.innermost == "row")
        terms = [f"(i32){names[dim]} * {strides[dim]}" for dim in range(walked)]
        self.declare(name, f"const i32 {name} = {' + '.join(terms) or '0'};")
        return name
