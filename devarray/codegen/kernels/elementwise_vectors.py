"""Bodies of element-wise kernels whose work-items have several elements side by side."""

from __future__ import annotations

from collections.abc import Sequence

from devarray.codegen.kernels.elementwise_body import Kernel, Walk, group_of, indent, item_of, within
from devarray.codegen.kernels.operands import Operand, numbered
from devarray.codegen.kernels.statements import ALL_WELL, expression
from devarray.codegen.language.dialect import CTYPE
from devarray.ops.dtypes import KIND, SIZE
from devarray.ops.table import OPS

__all__ = ["block_body", "lone_element", "narrow_body", "vector_body"]


def vector_body(k: Kernel) -> tuple[str, list[str]]:
    """Linear mode with `vec` elements side by side, or a group's size apart, and the elements left over one by one.

    Where the expression has several divisions and roots, those side by side have them without branches (the prelude's
    `divide_near`), and are computed one by one where that does not do.
    """
    vec = k.spec.vec
    moving = [leaf for leaf in k.leaves if not leaf.alone]
    loads, stores = _vector_moves(k, [*moving, *k.outputs])
    checked = bool(k.checked_nodes)
    together = [line for number in range(vec) for line in ("{", *indent(_lane(k, moving, number, checked)), "}")]
    whole = [*loads, *together, *stores]
    otherwise, left = ["} else {"], "j < n"
    if checked:
        whole = [*loads, f"well = {ALL_WELL};", *together, f"if (well & {ALL_WELL}) {{", *indent(stores), "}"]
        otherwise, left = ["}", f"if (!(well & {ALL_WELL})) {{"], f"j < n && j - i < {_distance(k, vec)}"
    first = [f"const {k.itype} i = ({k.itype})({item_of(k, 0)}) * {vec};"]
    if k.spec.apart:
        first = [
            f"const {k.itype} step = LOCAL_SIZE(0);",
            f"const {k.itype} i = ({k.itype})({group_of(k, 0)}) * step * {vec} + LOCAL_ID(0);",
        ]
    alone = [k.value(leaf, f"p{leaf.number}", "j") for leaf in moving] + _call(k)
    alone += [k.dialect.store(output.dtype, f"p{output.number}", "j", f"r{i}") for i, output in enumerate(k.outputs)]
    return _element(k), [
        *k.pointers([*moving, *k.outputs]),
        *k.uniform(),
        *k.scalars(),
        f"const {k.itype} n = {k.size(0)};",
        *first,
        *(["u32 well = 0;"] if checked else []),
        f"if (i + {_distance(k, vec - 1)} < n) {{" if k.spec.apart else f"if (i + {vec} <= n) {{",
        *indent(whole),
        *otherwise,
        *indent(["#pragma unroll 1"] if checked else _rolled(k)),
        *indent([f"for ({k.itype} j = i; {left}; {'j += step' if k.spec.apart else '++j'}) {{", *indent(alone), "}"]),
        "}",
    ]


def _distance(k: Kernel, lanes: int) -> str:
    """From a work-item's first element to a later one."""
    return f"{lanes} * step" if k.spec.apart else str(lanes)


def _rolled(k: Kernel) -> list[str]:
    """Before the loop over fewer than `vec` elements: GPUs' compilers repeat its text four times, which takes them as
    long as all the rest, and of at most three elements none ever gets there.
    """
    return ["#pragma unroll 1"] if k.dialect.strategy == "gpu" and k.spec.vec <= 4 else []


def block_body(k: Kernel) -> tuple[str, list[str]]:
    """Linear mode where `vec` elements side by side have their random words from one block of a stream.

    The block begins at a multiple of `vec`, the stream anywhere: the first work-item may have elements before the
    first. Where a number is written as one of the stream's multiples of `vec` *or* a small one, compilers see that
    its block is the same for all, and compute it once. Other streams that begin elsewhere in a block, and steps other
    than 1, take the elements one by one.
    """
    vec, itype = k.spec.vec, k.itype
    moving = [leaf for leaf in k.leaves if not leaf.alone]
    counts = [(k.names[value], k.names[start], k.names[step]) for value, (start, step) in k.numbers.items()]
    start = counts[0][1]
    loads = [k.value(leaf, f"p{leaf.number}", "x") for leaf in moving]
    alike = [f"{step} == 1 && (({begin} - {start}) & {vec - 1}) == 0" for _, begin, step in counts]
    together = [f"const u64 {name}_ = ({begin} - before + (u64)from) & ~(u64){vec - 1};" for name, begin, _ in counts]
    together += [f"{CTYPE[output.dtype]} y{i}[{vec}];" for i, output in enumerate(k.outputs)]
    for number in range(vec):
        lane = [f"const {itype} x = (u64)({itype})(e + {number}) < (u64)n ? e + {number} : 0;", *k.index("x"), *loads]
        lane += [f"const u64 {name} = {name}_ | {number};" for name, *_ in counts]
        lane += [*_call(k), *(f"y{i}[{number}] = r{i};" for i in range(len(k.outputs)))]
        together += ["{", *indent(lane), "}"]
    local, stores = _store_blocks(k)
    alone = [*k.index("x"), *loads]
    alone += [f"const u64 {name} = {expression(OPS['iota'], 'uint64', [b, s])};" for name, b, s in counts]
    alone += [*_call(k), *(k.dialect.store(o.dtype, f"p{o.number}", "x", f"r{i}") for i, o in enumerate(k.outputs))]
    return _element(k), [
        *local,
        *k.pointers([*moving, *k.outputs]),
        *k.uniform(),
        *k.scalars(),
        f"const {itype} n = {k.size(0)};",
        f"const {itype} from = ({itype})({item_of(k, 0)}) * {vec};",
        f"const {itype} before = ({itype})({start} & {vec - 1}), e = from - before;",
        f"if ({' && '.join(alike)}) {{",
        *indent([*together, *stores]),
        "} else {",
        *indent(_each(k, "e + j", alone, "#pragma unroll 1")),
        "}",
    ]


_GROUP, _LOCAL_BYTES = 256, 1 << 15
"""Work-items of a group, at most (csrc/engine/launch_geometry.cpp), and the local memory that every device has."""


def _store_blocks(k: Kernel) -> tuple[list[str], list[str]]:
    """Declarations of local memory, and the stores of each work-item's blocks of values, `y0` ... by output.

    Vectors where an output has them aligned, which all work-items have or none. Other outputs go through local memory,
    so that neighbouring work-items store neighbouring elements; not where it is too small, nor in a function of a set,
    where OpenCL has none. All is written to it before the one barrier: Intel's compiler loses arrays behind another.
    """
    vec, local, before, after = k.spec.vec, [], [], []
    bytes_of_group = _GROUP * vec * sum(SIZE[output.dtype] for output in k.outputs)
    staging = k.spec.sets == 1 and bytes_of_group <= _LOCAL_BYTES
    for i, output in enumerate(k.outputs):
        size, pointer = SIZE[output.dtype], f"p{output.number}"
        vectors, stores = _vector_moves(k, [output], "e")
        for place in range(vec):
            vectors += _put(k, output, place, f"y{i}[{place}]")
        single = _each(k, "e + j", [k.dialect.store(output.dtype, pointer, "x", f"y{i}[j]")])
        aligned = f"((u64){pointer} - (u64)before * {size} & {min(16, vec * size) - 1}) == 0"
        whole = f"(u64)e < (u64)n && (u64)({k.itype})(e + {vec - 1}) < (u64)n"
        if staging:
            local.append(f"LOCAL {k.dialect.storage(output.dtype)} staged{i}[{_GROUP * vec}];")
            mine = [
                k.dialect.store(output.dtype, f"staged{i}", f"LOCAL_ID(0) * {vec} + {j}", f"y{i}[{j}]")
                for j in range(vec)
            ]
            theirs = [f"{pointer}[x] = staged{i}[j * LOCAL_SIZE(0) + LOCAL_ID(0)];"]
            where = f"e - LOCAL_ID(0) * {vec} + j * LOCAL_SIZE(0) + LOCAL_ID(0)"
            before.append(f"const b8 aligned{i} = {aligned};")
            before += [f"if (!aligned{i}) {{", *indent(mine), f"}} else if ({whole}) {{"]
            after += [f"if (!aligned{i}) {{", *indent(_each(k, where, theirs)), "}"]
        else:
            before += [f"if ({aligned} && {whole}) {{"]
        before += [*indent([*vectors, *stores]), "} else {", *indent(single), "}"]
    if staging:
        all_aligned = " && ".join(f"aligned{i}" for i in range(len(k.outputs)))
        after = [f"if (!({all_aligned})) {{", *indent(["BARRIER;", *after]), "}"]
    return local, [*before, *after]


def _each(k: Kernel, place: str, lines: Sequence[str], unroll: str = "#pragma unroll") -> list[str]:
    """A loop over `vec` elements `x`, those that are there: number `j` is at `place`."""
    head = f"for (i32 j = 0; j < {k.spec.vec}; ++j) {{"
    inside = [f"const {k.itype} x = {place};", "if ((u64)x < (u64)n) {", *indent(lines), "}"]
    return [unroll, head, *indent(inside), "}"]


def narrow_body(k: Kernel) -> tuple[str, list[str]]:
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
    together = [line for number in range(vec) for line in ("{", *indent(_lane(k, moving, number)), "}")]
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
        f"const {k.itype} i = {item_of(k, 0)};",
        *within(k, "i < n", element),
    ]


def _vector_moves(k: Kernel, moving: Sequence[Operand], at: str = "i") -> tuple[list[str], list[str]]:
    """Declarations of the vectors `v<operand>_<chunk>`, those of leaves loaded, and the stores of the others.

    They begin at element `at` behind the pointers `p<operand>`. Elements that lie apart are vectors of one each.
    """
    loads, stores = [], []
    for operand in moving if k.spec.apart else ():
        for number in range(k.spec.vec):
            index = f"{at} + {_distance(k, number)}"
            declared = f"{CTYPE[operand.dtype]} v{operand.number}_{number}"
            if operand.written:
                loads.append(f"{declared};")
                value = f"v{operand.number}_{number}"
                stores.append(k.dialect.store(operand.dtype, f"p{operand.number}", index, value))
            else:
                loads.append(f"const {declared} = {k.dialect.load(operand.dtype, f'p{operand.number}', index)};")
    for operand in () if k.spec.apart else moving:
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
    lines = []
    for leaf in moving:
        ctype = CTYPE[leaf.dtype]
        if k.spec.apart:
            lines.append(f"const {ctype} a{leaf.number} = v{leaf.number}_{number};")
            continue
        parts = _components(k, leaf, number)
        value = k.dialect.from_storage(leaf.dtype, parts[0]) if len(parts) == 1 else f"make_{ctype}({', '.join(parts)})"
        lines.append(f"const {ctype} a{leaf.number} = {value};")
    lines += _call(k, checked)
    for i, output in enumerate(k.outputs):
        lines += _put(k, output, number, f"r{i}")
    return lines


def _components(k: Kernel, operand: Operand, number: int) -> list[str]:
    """Element `number` in the operand's vectors: its parts."""
    parts = 2 if KIND[operand.dtype] == "c" else 1
    lanes = k.dialect.chunks(operand.dtype, k.spec.vec)[0].lanes
    places = range(number * parts, (number + 1) * parts)
    return [f"v{operand.number}_{place // lanes}.{k.dialect.lane(place % lanes)}" for place in places]


def _put(k: Kernel, output: Operand, number: int, value: str) -> list[str]:
    """Statements that make a value the element `number` of an output's vectors."""
    if k.spec.apart:
        return [f"v{output.number}_{number} = {value};"]
    parts = _components(k, output, number)
    if len(parts) == 1:
        return [f"{parts[0]} = {k.dialect.to_storage(output.dtype, value)};"]
    return [f"{parts[0]} = {value}.re;", f"{parts[1]} = {value}.im;"]


def _call(k: Kernel, checked: bool = False) -> list[str]:
    """The results `r0` ... of `element`; `checked_element` clears a bit of `well` where they may be wrong."""
    counted = ["INDEX", *(k.names[value] for value in k.numbers)] if k.numbers else []
    arguments = [*(name for name, _ in k.inputs), *counted, *(f"&r{i}" for i in range(len(k.outputs)))]
    declarations = [f"{CTYPE[output.dtype]} r{i};" for i, output in enumerate(k.outputs)]
    call = f"well &= checked_element({', '.join(arguments)});" if checked else f"element({', '.join(arguments)});"
    return [*declarations, call]


def lone_element(k: Kernel) -> tuple[str, list[str]]:
    """The functions of an element, and the results `r0` ... of one: without branches, or with them where that does not
    do."""
    *_, call = _call(k)
    return _element(k), [f"u32 well = {ALL_WELL};", *_call(k, checked=True), f"if (!(well & {ALL_WELL})) {call}"]


def _element(k: Kernel) -> str:
    """The functions `element` and `checked_element`, which compute one element: a vector kernel calls them for each."""
    parameters = [f"{k.type_of(number)} {name}" for number, (name, _) in enumerate(k.inputs)]
    if k.numbers:
        parameters += ["const i64 INDEX", *(f"const u64 {k.names[value]}" for value in k.numbers)]
    parameters += [f"{CTYPE[output.dtype]}* r{i}" for i, output in enumerate(k.outputs)]
    results = [f"*r{i} = {k.result(output)};" for i, output in enumerate(k.outputs)]
    lines = [f"FN void element({', '.join(parameters)})", "{", *indent([*k.nodes, *results]), "}", ""]
    if k.checked_nodes:
        body = [f"u32 ok = {ALL_WELL};", *k.checked_nodes, *results, "return ok;"]
        lines += [f"FN u32 checked_element({', '.join(parameters)})", "{", *indent(body), "}", ""]
    return "\n".join([*lines, ""])
