"""Users' reductions: a kernel that maps and reduces parts of each output's elements, and one that merges the parts.

Each work-item reduces one part of one output, one element after the other; items of one output read neighbouring
elements on GPUs, and ranges of their own on CPUs. Partial values lie in scratch memory, as the user's type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.user import (
    RAW_SLOTS,
    Parameter,
    raw_extents,
    raw_words,
    rounded,
    type_names,
    user_text,
)
from devarray.codegen.language import words
from devarray.codegen.language.dialect import CTYPE, Dialect

__all__ = ["PARTIAL_BYTES", "ReductionBody", "reduction_kernel"]

PARTIAL_BYTES = 32
"""Room for a partial value where the size of its type is not known."""


@dataclass(frozen=True, slots=True)
class ReductionBody:
    """A user's reduction for certain types.

    Attributes
    ----------
    name : str
    inputs, outputs : tuple of Parameter
    map_expr, reduce_expr, post_map_expr, preamble : str
    identity : str
        Empty where there is none.
    reduce_type : str
        C type of the values that are reduced, or a type variable.
    types : tuple of (str, str)
    partial_bytes : int
        Room for a partial value; larger types do not compile.
    """

    name: str
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    map_expr: str
    reduce_expr: str
    post_map_expr: str
    preamble: str
    identity: str
    reduce_type: str
    types: tuple[tuple[str, str], ...]
    partial_bytes: int = PARTIAL_BYTES


def reduction_kernel(
    body: ReductionBody,
    kept: int,
    reduced: int,
    first: bool,
    last: bool,
    empty: bool,
    dialect: Dialect,
    indices: bool = False,
) -> str:
    """Source of the kernel "k".

    Memory arguments: where it is the `first`, the inputs' arrays, else the partial values; where it is the `last`, the
    outputs, else the partial values that it writes. Slots: outputs, elements of each, parts, elements of a part, the
    `kept` and the `reduced` sizes; for an input its offset and strides (raw ones as in an element-wise kernel); the
    offset of partial values; for an output its offset and `kept` strides; then the scalars; where the map expression
    has `indices`, ``i`` of its own, in the first kernel the start and the step of these.
    """
    slot, number = 4 + kept + reduced, 0
    head = [f"const i64 {name} = s.v[{i}];" for i, name in enumerate(("_outs", "_count", "_parts", "_chunk"))]
    head += [f"const i64 _z{dim} = s.v[{4 + dim}];" for dim in range(kept + reduced)]
    scalars, names, loads, result = [], [], [], []
    if first:
        for place, p in enumerate(body.inputs):
            ctype = p.ctype
            if p.scalar:
                scalars.append((place, p.dtype))
                names.append(f"const {ctype} {p.name} = _c{place};")
                continue
            pointer = p.pointer(dialect, const=True)
            head.append(f"{pointer} _p{place} = ({pointer})(m{number} + s.v[{slot}]);")
            number, slot = number + 1, slot + 1
            if p.raw:
                head += raw_extents(place, slot)
                names.append(f"{pointer} {p.name} = _p{place};")
                slot += RAW_SLOTS
                continue
            dims = range(kept + reduced)
            steps = "".join(f" + _x{dim} * s.v[{slot + dim}]" for dim in dims)
            head.append(f"#define STEPS{place} (0{steps})")
            slot += kept + reduced
            element = f"(({pointer})((GLOBAL const char*)_p{place} + _step{place}))"
            loads += [f"const i64 _step{place} = STEPS{place};"]
            loads += [f"const {ctype} {p.name} = {dialect.load(p.dtype, element, '0')};"]
    else:
        head.append(f"GLOBAL const USER_TYPE* _from = (GLOBAL const USER_TYPE*)(m0 + s.v[{slot}]);")
        number, slot = 1, slot + 1
    if last:
        for place, p in enumerate(body.outputs):
            pointer = p.pointer(dialect, const=False)
            steps = "".join(f" + _x{dim} * s.v[{slot + 1 + dim}]" for dim in range(kept))
            element = f"(({pointer})(m{number} + s.v[{slot}]{steps}))"
            head.append(f"#define RESULT{place} {element}")
            result.append(dialect.store(p.dtype, f"_r{place}", "0", rounded(p.dtype, p.name)))
            number, slot = number + 1, slot + 1 + kept
    else:
        head.append(f"GLOBAL USER_TYPE* _to = (GLOBAL USER_TYPE*)(m{number} + s.v[{slot}]);")
        number, slot = number + 1, slot + 1
    for place, dtype in scalars:
        head.append(f"const {CTYPE[dtype]} _c{place} = {dialect.slot(slot, dtype)};")
        slot += dialect.slots_of(dtype)
    if first and indices:
        head += [f"const i64 _start = s.v[{slot}];", f"const i64 _step = s.v[{slot + 1}];"]
        slot += 2
    texts = [raw_words(t, body.inputs) for t in (body.map_expr, body.reduce_expr, body.post_map_expr)]
    lines = [
        *head,
        "const i64 _item = GLOBAL_ID(0);",
        "if (_item < _outs * _parts) {",
        "const i64 _o = _item / _parts, _part = _item - _o * _parts;",
        *_split("_o", range(kept)),
        *_walk(body, kept, reduced, first, empty, names, loads, texts[0], dialect, first and indices),
        *_finish(body, last, result, texts[2], dialect),
        "}",
    ]
    inputs = sum(not p.scalar for p in body.inputs) if first else 1
    memory = "r" * inputs + "w" * (len(body.outputs) if last else 1)
    before, after = type_names(dialect, body.types)
    types = [*body.types]
    preamble = user_text(body.preamble, f"{body.name} (preamble)", dialect, types) if body.preamble else ""
    reduce = (
        f"#define _type_reduce USER_TYPE\ntypedef {words.translate(body.reduce_type, dialect)} USER_TYPE;\n"
        f"typedef char user_type_is_too_large[sizeof(USER_TYPE) <= {body.partial_bytes} ? 1 : -1];\n"
        "FN USER_TYPE user_reduce(const USER_TYPE a, const USER_TYPE b)\n{\nreturn ("
        f"{user_text(texts[1], f'{body.name} (reduce_expr)', dialect, types)});\n}}\n"
    )
    library = words.library([body.preamble, *texts, body.identity], dialect)
    kernel = dialect.kernel("k", memory, slot, "\n".join(indent(lines)), restrict=False)
    return dialect.program(library + before + preamble + reduce + kernel + after)


def _split(index: str, dims: Sequence[int]) -> list[str]:
    """Declarations of the indices along some dims of a flat one."""
    lines, rest = [], index
    for dim in reversed(dims[1:]):
        lines.append(f"const i64 _q{dim} = {rest} / _z{dim};")
        lines.append(f"const i64 _x{dim} = {rest} - _q{dim} * _z{dim};")
        rest = f"_q{dim}"
    return [*lines, f"const i64 _x{dims[0]} = {rest};"] if len(dims) else []


def _walk(
    body: ReductionBody,
    kept: int,
    reduced: int,
    first: bool,
    empty: bool,
    names: Sequence[str],
    loads: Sequence[str],
    map_text: str,
    dialect: Dialect,
    indices: bool,
) -> list[str]:
    """The value `_s` of a part."""
    if empty:
        return [f"USER_TYPE _s = ({words.translate(body.identity, dialect, [name for name, _ in body.types])});"]
    apart = dialect.strategy == "gpu"
    start, end, step = (
        ("_part", "_count", "_parts")
        if apart
        else ("_part * _chunk", "_part * _chunk + _chunk < _count ? _part * _chunk + _chunk : _count", "1")
    )
    if first:
        value = [
            *_split("_J", range(kept, kept + reduced)),
            *(["const i64 i = _start + _J * _step; (void)i;"] if indices else []),
            *loads,
            f"USER_TYPE _a ={user_text(map_text, f'{body.name} (map_expr)', dialect, body.types)};",
        ]
    else:
        value = ["USER_TYPE _a = _from[_o * _count + _J];"]
    return [
        "USER_TYPE _s;",
        "{",
        *names,
        f"const i64 _end = {end};",
        f"for (i64 _J = {start}, _first = 1; _J < _end; _J += {step}) {{",
        *value,
        "if (_first) { _s = _a; _first = 0; } else _s = user_reduce(_s, _a);",
        "}",
        "}",
    ]


def _finish(body: ReductionBody, last: bool, result: Sequence[str], text: str, dialect: Dialect) -> list[str]:
    if not last:
        return ["_to[_item] = _s;"]
    declared = [f"{p.variable} {p.name};" for p in body.outputs]
    places = [f"{p.pointer(dialect, const=False)} _r{place} = RESULT{place};" for place, p in enumerate(body.outputs)]
    return [
        *places,
        "{",
        "const i64 i = _o; (void)i;",
        "const USER_TYPE a = _s;",
        *declared,
        f"{user_text(text, f'{body.name} (post_map_expr)', dialect, body.types)};",
        *result,
        "}",
    ]
