"""Fused element-wise kernels.

`render` turns an `ElementwiseSpec` into the source of one kernel named "k". In it, `m0`, `m1` ... are the memory
arguments (leaves, then outputs), `p0`, `p1` ... typed pointers to them, `a0` ... the leaves' values, `c0_` ... the
scalars, `t0` ... the nodes, one line each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from devarray.codegen.kernels.operands import Operand, address, numbered, operands, place, unravel
from devarray.codegen.kernels.spec import ElementwiseSpec
from devarray.codegen.kernels.statements import ALL_WELL, count_checked, node_statements, user_functions
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, SIZE
from devarray.ops.table import INDEXED
from devarray.ops.user import flags_of

__all__ = ["Kernel", "Walk", "render"]


def render(spec: ElementwiseSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" that computes `spec`.

    Raises
    ------
    ValueError
        If the mode is unknown, or `vec` is asked for in rows mode.
    """
    bodies = {"linear": _linear, "rows": _rows, "flat": _flat}
    if spec.mode not in bodies:
        raise ValueError(f"unknown mode {spec.mode!r} of an element-wise kernel; there are {', '.join(bodies)}")
    vectors = {"linear": _vector, "flat": _narrow}
    if spec.vec > 1 and spec.mode not in vectors:
        raise ValueError(f"mode {spec.mode!r} handles one element at a time, not vec = {spec.vec}")
    kernel = Kernel(spec, dialect).source((vectors if spec.vec > 1 else bodies)[spec.mode])
    return dialect.program(user_functions(dialect, spec.nodes) + kernel)


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

        def statements(checked: bool) -> tuple[list[str], list[str]]:
            return node_statements(
                dialect, spec.nodes, names, dtypes, uniform=uniform, kept=kept, known=known, checked=checked
            )

        self.nodes, self.names = statements(checked=False)
        worth = dialect.branching and count_checked(spec.nodes, known) >= _SEVERAL
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
        text = "\n".join(_indent(statements))
        if self.spec.sets > 1:
            return before + self.dialect.kernel_of_sets(
                "k", memory, self.slots, text, self.spec.sets, restrict=not self.spec.alias
            )
        kernel = self.dialect.kernel("k", memory, self.slots, text, restrict=not self.spec.alias)
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
        """Declarations of the leaves that have one element for all."""
        return [
            self.value(leaf, f"({self.pointer(leaf, f'm{leaf.number} + {leaf.offset()}')})", "0")
            for leaf in self.leaves
            if leaf.access == "uniform"
        ]

    def value(self, leaf: Operand, pointer: str, index: str) -> str:
        """Declaration of a leaf's value."""
        return f"const {CTYPE[leaf.dtype]} a{leaf.number} = {self.dialect.load(leaf.dtype, pointer, index)};"

    def result(self, output: Operand) -> str:
        """What goes to an output."""
        value, dtype, _ = self.spec.outputs[output.number - len(self.leaves)]
        return self.dialect.cast(self.spec.value_dtypes()[value], dtype, self.names[value])

    def write(self, output: Operand, pointer: str, index: str) -> str:
        return self.dialect.store(output.dtype, pointer, index, self.result(output))


def _indent(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]


_SEVERAL = 3
"""Divisions and roots of float32 from which on an element is computed without their branches: data of which some
elements are not ordinary, zeros in dividends, pays for both ways."""

_FEW = 24
"""Nodes up to which whole groups have their statements without a test: twice the text takes longer to compile."""


def _within(k: Kernel, bounds: str, element: Sequence[str], whole: str = "") -> list[str]:
    """The statements for an element behind a test of bounds, where there may be work-items without an element.

    `whole` is a condition, the same for all work-items of a group, under which each has one: a CPU's vectors need no
    masks there.
    """
    if k.dialect.exact_launches:
        return list(element)
    tested = [f"if ({bounds}) {{", *_indent(element), "}"]
    if not whole or k.dialect.strategy != "cpu" or len(k.spec.nodes) > _FEW:
        return tested
    return [f"if ({whole}) {{", *_indent(element), f"}} else {tested[0]}", *tested[1:]]


def _place(k: Kernel, axis: int) -> str:
    """GLOBAL_ID, the groups along `axis` counted from the last one where the engine says so.

    What the kernel before wrote last is in the cache still, as far as it fits: kernels that walk large arrays by turns
    forwards and backwards find it there. Sizes of 32 bits leave room for a bit that tells, the 33rd of the first slot.
    """
    if k.spec.wide or k.dialect.strategy == "cpu" or k.dialect.exact_launches:
        return f"GLOBAL_ID({axis})"
    group = f"(s.v[0] >> 32 ? GROUPS({axis}) - 1 - GROUP_ID({axis}) : GROUP_ID({axis}))"
    return f"({group} * LOCAL_SIZE({axis}) + LOCAL_ID({axis}))"


def _linear(k: Kernel) -> tuple[str, list[str]]:
    element = k.index("i")
    element += [k.value(leaf, f"p{leaf.number}", "i") for leaf in k.leaves if leaf.access != "uniform"]
    element += k.nodes
    element += [k.write(output, f"p{output.number}", "i") for output in k.outputs]
    return "", [
        *k.pointers([operand for operand in k.operands if operand.access != "uniform"]),
        *k.uniform(),
        *k.scalars(),
        f"const {k.itype} n = {k.size(0)};",
        f"const {k.itype} i = {_place(k, 0)};",
        *_within(k, "i < n", element, whole="(GROUP_ID(0) + 1) * LOCAL_SIZE(0) <= n"),
    ]


def _vector(k: Kernel) -> tuple[str, list[str]]:
    """Linear mode with `vec` elements side by side, and the elements left over one by one.

    Where the expression has several divisions and roots of float32, those side by side have them without branches (the
    prelude's `divide_checked`), and are computed one by one where that does not do.
    """
    vec = k.spec.vec
    moving = [leaf for leaf in k.leaves if leaf.access != "uniform"]
    loads, stores = _vector_moves(k, [*moving, *k.outputs])
    checked = bool(k.checked_nodes)
    together = [line for number in range(vec) for line in ("{", *_indent(_lane(k, moving, number, checked)), "}")]
    whole = [*loads, *together, *stores]
    otherwise, left = ["} else {"], "j < n"
    if checked:
        whole = [*loads, f"well = {ALL_WELL};", *together, f"if (well & {ALL_WELL}) {{", *_indent(stores), "}"]
        otherwise, left = ["}", f"if (!(well & {ALL_WELL})) {{"], f"j < n && j - i < {vec}"
    alone = [k.value(leaf, f"p{leaf.number}", "j") for leaf in moving] + _call(k)
    alone += [k.dialect.store(output.dtype, f"p{output.number}", "j", f"r{i}") for i, output in enumerate(k.outputs)]
    return _element(k), [
        *k.pointers([*moving, *k.outputs]),
        *k.uniform(),
        *k.scalars(),
        f"const {k.itype} n = {k.size(0)};",
        f"const {k.itype} i = ({k.itype})({_place(k, 0)}) * {vec};",
        *(["u32 well = 0;"] if checked else []),
        f"if (i + {vec} <= n) {{",
        *_indent(whole),
        *otherwise,
        *_indent(["#pragma unroll 1"] if checked else _rolled(k)),
        *_indent([f"for ({k.itype} j = i; {left}; ++j) {{", *_indent(alone), "}"]),
        "}",
    ]


def _rolled(k: Kernel) -> list[str]:
    """Before the loop over fewer than `vec` elements: GPUs' compilers repeat its text four times, which takes them as
    long as all the rest, and of at most three elements none ever gets there.
    """
    return ["#pragma unroll 1"] if k.dialect.strategy == "gpu" and k.spec.vec <= 4 else []


def _narrow(k: Kernel) -> tuple[str, list[str]]:
    """Flat mode with `vec` elements side by side in rows whose size is a multiple of it.

    One division of indices for all of them. What is the same along a row is loaded once.
    """
    vec, names = k.spec.vec, numbered("i", k.spec.ndim)
    sizes = [*(k.size(dim) for dim in range(k.spec.ndim - 1)), "pieces"]
    moving = [leaf for leaf in k.leaves if leaf.innermost == "unit"]
    walk = Walk(k, names)
    for operand in [*moving, *k.outputs]:
        pointer, index = walk.pointer(operand)
        typed = k.dialect.pointer(operand.dtype, const=not operand.written)
        walk.lines.append(f"{typed} p{operand.number} = {pointer} + {index};")
    walk.lines += [k.value(leaf, *walk.pointer(leaf)) for leaf in k.leaves if leaf.innermost == "row"]
    loads, stores = _vector_moves(k, [*moving, *k.outputs], "0")
    together = [line for number in range(vec) for line in ("{", *_indent(_lane(k, moving, number)), "}")]
    element = [
        *k.unravel("i", sizes, [*names[:-1], "piece"]),
        f"const {k.itype} {names[-1]} = piece * {vec};",
        *walk.lines,
        *loads,
        *together,
        *stores,
    ]
    return _element(k), [
        *k.uniform(),
        *k.scalars(),
        f"const {k.itype} pieces = {k.size(k.spec.ndim - 1)} / {vec};",
        f"const {k.itype} n = {' * '.join(sizes)};",
        f"const {k.itype} i = {_place(k, 0)};",
        *_within(k, "i < n", element),
    ]


def _vector_moves(k: Kernel, moving: Sequence[Operand], at: str = "i") -> tuple[list[str], list[str]]:
    """Declarations of the vectors `v<operand>_<chunk>`, those of leaves loaded, and the stores of the others.

    They begin at element `at` behind the pointers `p<operand>`.
    """
    loads, stores = [], []
    for operand in moving:
        for number, chunk in enumerate(k.dialect.chunks(operand.dtype, k.spec.vec)):
            name = k.dialect.chunk_type(operand.dtype, chunk)
            vector = f"v{operand.number}_{number}"
            if operand.written:
                loads.append(f"{name} {vector};")
                stores.append(f"((GLOBAL {name}*)(p{operand.number} + {at}))[{number}] = {vector};")
            else:
                loads.append(f"const {name} {vector} = ((GLOBAL const {name}*)(p{operand.number} + {at}))[{number}];")
    return loads, stores


def _lane(k: Kernel, moving: Sequence[Operand], number: int, checked: bool = False) -> list[str]:
    """Element `number` of the vectors: taken out of the leaves' vectors, computed, put into the outputs'."""

    def components(operand: Operand) -> list[str]:
        parts = 2 if KIND[operand.dtype] == "c" else 1
        lanes = k.dialect.chunks(operand.dtype, k.spec.vec)[0].lanes
        places = range(number * parts, (number + 1) * parts)
        return [f"v{operand.number}_{place // lanes}.{k.dialect.lane(place % lanes)}" for place in places]

    lines = []
    for leaf in moving:
        parts = components(leaf)
        ctype = CTYPE[leaf.dtype]
        value = k.dialect.from_storage(leaf.dtype, parts[0]) if len(parts) == 1 else f"make_{ctype}({', '.join(parts)})"
        lines.append(f"const {ctype} a{leaf.number} = {value};")
    lines += _call(k, checked)
    for i, output in enumerate(k.outputs):
        parts = components(output)
        if len(parts) == 1:
            lines.append(f"{parts[0]} = {k.dialect.to_storage(output.dtype, f'r{i}')};")
        else:
            lines += [f"{parts[0]} = r{i}.re;", f"{parts[1]} = r{i}.im;"]
    return lines


def _call(k: Kernel, checked: bool = False) -> list[str]:
    """The results `r0` ... of `element`; `checked_element` clears a bit of `well` where they may be wrong."""
    arguments = [name for name, _ in k.inputs] + [f"&r{i}" for i in range(len(k.outputs))]
    declarations = [f"{CTYPE[output.dtype]} r{i};" for i, output in enumerate(k.outputs)]
    call = f"well &= checked_element({', '.join(arguments)});" if checked else f"element({', '.join(arguments)});"
    return [*declarations, call]


def _element(k: Kernel) -> str:
    """The functions `element` and `checked_element`, which compute one element: a vector kernel calls them for each."""
    parameters = [f"const {CTYPE[dtype]} {name}" for name, dtype in k.inputs]
    parameters += [f"{CTYPE[output.dtype]}* r{i}" for i, output in enumerate(k.outputs)]
    results = [f"*r{i} = {k.result(output)};" for i, output in enumerate(k.outputs)]
    lines = [f"FN void element({', '.join(parameters)})", "{", *_indent([*k.nodes, *results]), "}", ""]
    if k.checked_nodes:
        body = [f"u32 ok = {ALL_WELL};", *k.checked_nodes, *results, "return ok;"]
        lines += [f"FN u32 checked_element({', '.join(parameters)})", "{", *_indent(body), "}", ""]
    return "\n".join([*lines, ""])


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
            if leaf.access != "uniform":
                self.lines.append(self.k.value(leaf, *self.pointer(leaf)))
        self.lines += self.k.nodes
        for output in self.k.outputs:
            self.lines.append(self.k.write(output, *self.pointer(output)))
        return self.lines

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
                self.declare(
                    name,
                    f"const {k.itype} {name}_ = {names[dim]} + ({k.itype}){like.shift(dim)};",
                    f"const {k.itype} {name} = {name}_ >= {k.size(dim)} ? {name}_ - {k.size(dim)} : {name}_;",
                )
                names[dim] = name
        return names

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


def _rows(k: Kernel) -> tuple[str, list[str]]:
    ndim = k.spec.ndim
    outer = [f"y{dim}" for dim in range(ndim - 1)]
    sizes = [k.size(dim) for dim in range(ndim)]
    split = k.unravel("y", sizes[:-1], outer) if outer else []
    row = [*split, *k.index("(i64)y * columns + x"), *Walk(k, [*outer, "x"]).element()]
    if (
        k.dialect.strategy == "cpu" and not outer
    ):  # a test of y, though it always holds, would mask every vector: a third the speed
        walk = [f"const {k.itype} y = 0;", *_within(k, "x < columns", row)]
    elif k.dialect.strategy == "cpu":  # a loop around the row would keep compilers from vectorising along x
        walk = [f"const {k.itype} y = GLOBAL_ID(1);", *_within(k, "x < columns && y < rows", row)]
    else:
        # Unrolled, the loads of several rows are under way at once; neighbours, so that stencils find them cached.
        # Loops that end when they may take most of the time themselves.
        itype = k.itype
        several = k.spec.rows
        start = f"{_place(k, 1)} * {several}"
        first = f"for ({itype} first = {start}; first < rows; first += GLOBAL_SIZE(1) * {several}) {{"
        inner = [
            "#pragma unroll 1" if any(line.endswith(" break;") for line in k.nodes) else "#pragma unroll",
            f"for ({itype} r = 0; r < {several}; ++r) {{",
            *_indent([f"const {itype} y = first + r;", "if (y < rows) {", *_indent(row), "}"]),
            "}",
        ]
        walk = ["if (x < columns) {", *_indent([first, *_indent(inner), "}"]), "}"]
    return "", [
        *k.uniform(),
        *k.scalars(),
        f"const {k.itype} columns = {sizes[-1]};",
        f"const {k.itype} rows = {' * '.join(sizes[:-1]) or '1'};",
        f"const {k.itype} x = GLOBAL_ID(0);",
        *walk,
    ]


def _flat(k: Kernel) -> tuple[str, list[str]]:
    ndim = k.spec.ndim
    names = numbered("i", ndim)
    sizes = [k.size(dim) for dim in range(ndim)]
    element = [*k.unravel("i", sizes, names), *k.index("i"), *Walk(k, names).element()]
    return "", [
        *k.uniform(),
        *k.scalars(),
        f"const {k.itype} n = {' * '.join(sizes)};",
        f"const {k.itype} i = GLOBAL_ID(0);",
        *_within(k, "i < n", element),
    ]
