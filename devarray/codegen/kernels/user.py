"""Users' element-wise kernels: their text as a C function of one element, or as a kernel of its own.

A `Body` is a kernel whose types are known. As a function (`element_function`) it is an op, and fuses with others; with
raw arguments, several results or a loop's prologue it is a kernel (`element_kernel`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from devarray.codegen.kernels.launches import indent
from devarray.codegen.language import words
from devarray.codegen.language.cplusplus.lowering import lowered_statements, needed
from devarray.codegen.language.cplusplus.tokens import NotUnderstood
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.errors import CompileError

__all__ = [
    "RAW_SLOTS",
    "Body",
    "Parameter",
    "element_function",
    "element_kernel",
    "quoted",
    "raw_extents",
    "raw_words",
    "rounded",
    "type_names",
    "user_text",
]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter whose type is known.

    Attributes
    ----------
    name, dtype : str
    raw : bool
        Whether the text indexes it itself.
    scalar : bool
        Whether it is one value for all elements.
    record : str
        Of structures their C type, whose array is one of bytes; else empty.
    ndim : int
        Of a raw array the number of its axes, where the text asks for it.
    """

    name: str
    dtype: str
    raw: bool = False
    scalar: bool = False
    record: str = ""
    ndim: int = 0

    @property
    def ctype(self) -> str:
        """C type of an element."""
        return self.record or CTYPE[self.dtype]

    @property
    def variable(self) -> str:
        """C type of a variable to which a text assigns the element: a bool's turns each value but 0 into 1."""
        return "bool" if self.dtype == "bool" and not self.record else self.ctype

    def pointer(self, dialect: Dialect, *, const: bool) -> str:
        """Type of a pointer to its elements in memory."""
        if self.record:
            return f"GLOBAL {'const ' if const else ''}{self.record}*"
        return dialect.pointer(self.dtype, const=const)


@dataclass(frozen=True, slots=True)
class Body:
    """A user's kernel for certain types.

    Attributes
    ----------
    name : str
        What messages of the compiler call it.
    inputs, outputs : tuple of Parameter
    operation, preamble, loop_prep, after_loop : str
        The user's text.
    types : tuple of (str, str)
        Names of type variables, and their dtypes.
    """

    name: str
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    operation: str
    preamble: str
    loop_prep: str
    after_loop: str
    types: tuple[tuple[str, str], ...]


def quoted(name: str) -> str:
    """A kernel's name as a file's name in messages."""
    return re.sub(r'["\\\n]', "_", name)


def user_text(text: str, name: str, dialect: Dialect, types: Sequence[tuple[str, str]]) -> str:
    """A user's text, from its first line on the lines of a file of that name."""
    translated = words.translate(text, dialect, [variable for variable, _ in types])
    return f'\n#line 1 "{quoted(name)}"\n{translated}\n#line 1 "devarray"\n'


def type_names(dialect: Dialect, types: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """What gives type variables their meaning, and what takes it back."""
    if dialect.driver == "cuda":
        return "".join(f"typedef {CTYPE[dtype]} {name};\n" for name, dtype in types), ""
    return (
        "".join(f"#define {name} {CTYPE[dtype]}\n" for name, dtype in types),
        "".join(f"#undef {name}\n" for name, _ in types),
    )


def _in_c(body: Body, texts: list[str], dialect: Dialect) -> tuple[str, list[str]]:
    """The preamble and the statements of a body, without what C++ alone has where the device takes OpenCL C.

    CUDA's compiler has all of C++, but no operators of the engine's complex numbers.
    """
    cuda = dialect.driver == "cuda"
    has = not cuda and any(map(needed, (body.preamble, *(f"{{{t}}}" for t in texts))))
    of_complex = any(p.dtype.startswith("complex") for p in (*body.inputs, *body.outputs))
    if not (has or of_complex):
        return body.preamble, texts
    variables = {"i": "i64", "n": "i64", "_n": "i64"}
    types = {name: CTYPE[dtype] for name, dtype in body.types}
    pointers: dict[str, str] = {}
    for place, p in enumerate((*body.inputs, *body.outputs)):
        (pointers if p.raw else variables)[p.name] = p.variable
        pointers |= {f"_sizes{place}": "i64", f"_steps{place}": "i64"} if p.raw else {}
        types |= {f"_element{place}": f"GLOBAL {p.ctype}*", f"_bytes{place}": "GLOBAL char*"} if p.raw else {}
    try:
        preamble, made, computes = lowered_statements(body.preamble, texts, variables, pointers, types)
        if cuda:
            preamble = re.sub(r"^static inline\b", "__device__ inline", preamble, flags=re.M)
        return (preamble, made) if has or computes else (body.preamble, texts)
    except NotUnderstood as error:
        if not has:  # the compiler may understand it, and says more if not
            return body.preamble, texts
        raise CompileError(
            f"the kernel {body.name!r} does not compile for OpenCL: not put in OpenCL C: {error}"
        ) from None


def _statements(body: Body, text: str, dialect: Dialect) -> str:
    """The user's statements, which `continue` and `return` leave."""
    leave = re.sub(r"\breturn\s*;", "goto user_done;", text)
    label = "user_done: ;\n" if leave != text else ""
    if not label and not re.search(r"\b(continue|break)\b", text):
        return f"{{{user_text(text, body.name, dialect, body.types)};}}\n"
    return f"do {{{user_text(leave, body.name, dialect, body.types)};}} while (0);\n{label}"


def rounded(dtype: str, value: str) -> str:
    """A value that a user's text assigned, as one of its dtype."""
    if dtype == "float16":
        return f"half_f32({value})"
    return f"(b8)({value} != 0)" if dtype == "bool" else value


def element_function(body: Body, number: int, indexed: bool, dialect: Dialect) -> tuple[str, str]:
    """A body of one result as a C function of the inputs' values, and of the element's number where it is `indexed`.

    Returns
    -------
    (name, text)
        What is defined beside the function has names that no other's text has.
    """
    function = f"user_{number}"
    output = body.outputs[0]
    preamble, (operation,) = _in_c(body, [body.operation], dialect)
    body = replace(body, preamble=preamble, operation=operation)
    parameters = [f"const {CTYPE[p.dtype]} {p.name}" for p in body.inputs] + ["const i64 i"] * indexed
    before, after = type_names(dialect, body.types)
    preamble = user_text(body.preamble, f"{body.name} (preamble)", dialect, body.types) if body.preamble else ""
    text = (
        f"FN {CTYPE[output.dtype]} {function}({', '.join(parameters)})\n{{\n"
        f"{output.variable} {output.name};\n{_statements(body, body.operation, dialect)}"
        f"return {rounded(output.dtype, output.name)};\n}}\n"
    )
    if dialect.driver == "cuda":
        library = words.library([body.preamble, body.operation], dialect)
        macros = re.findall(r"^\s*#\s*define\s+(\w+)", body.preamble, re.M)
        after = "".join(f"#undef {name}\n" for name in macros)
        return f"n{function}::{function}", f"namespace n{function} {{\n{library}{before}{preamble}{text}}}\n{after}"
    own = words.defined_names(body.preamble)
    before += "".join(f"#define {name} {name}_{number}\n" for name in own if f"#define {name}" not in body.preamble)
    after += "".join(f"#undef {name}\n" for name in own)
    library = words.library([body.preamble, body.operation], dialect)
    # A word of the library may be another text's, too: functions are defined once, under a guard of their own.
    return function, _once(library) + before + preamble + text + after


def _once(library: str) -> str:
    """Lines of a library as definitions that may come again in one program."""
    parts = []
    for line in library.splitlines():
        if line.startswith(("#define", "#pragma")):
            parts.append(line)
        else:
            guard = "USER_" + re.sub(r"\W+", "_", line.split("{")[0].split("overloadable))", 1)[-1]).strip("_")
            parts.append(f"#ifndef {guard}\n#define {guard}\n#define LIBRARY_TEXT\n{line}\n#undef LIBRARY_TEXT\n#endif")
    return "".join(f"{part}\n" for part in parts)


_ASSIGNS_I = re.compile(r"(?<![\w.])i\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|(?<![\w.])i\s*(?:\+\+|--)|(?:\+\+|--)\s*i\b")

RAW_SLOTS = 17
"""Slots of a raw array behind its offset."""


# --- kernels of their own --------------------------------------------------------------------------------------------


def element_kernel(body: Body, ndim: int, loaded: Sequence[bool], dialect: Dialect) -> str:
    """Source of the kernel "k" that runs a body over elements.

    Memory arguments are the arrays of the inputs, then of the outputs. Slots: the number of elements, `ndim` sizes; for
    each array its byte offset, then its `ndim` byte strides, or where it is raw its number of elements, its sizes and
    its byte strides (both padded to 8); then the scalars.

    Parameters
    ----------
    body : Body
    ndim : int
        Dims of the iteration space; 0 where there is one element alone, or nothing is indexed.
    loaded : sequence of bool
        Which outputs the text may read.
    dialect : Dialect
    """
    slot, number = 1 + ndim, 0
    head = ["const i64 _n = s.v[0];", *(f"const i64 _z{dim} = s.v[{1 + dim}];" for dim in range(ndim))]
    texts = [raw_words(t, (*body.inputs, *body.outputs)) for t in (body.loop_prep, body.operation, body.after_loop)]
    written, texts = _in_c(body, texts, dialect)
    scalars, names, loads, stores = [], [], [], []
    for place, p in enumerate((*body.inputs, *body.outputs)):
        ctype, output = p.ctype, place - len(body.inputs)
        if p.scalar:
            scalars.append((place, p.dtype))
            names.append(f"const {ctype} {p.name} = _c{place};")
            continue
        pointer = p.pointer(dialect, const=output < 0)
        head.append(f"{pointer} _p{place} = ({pointer})(m{number} + s.v[{slot}]);")
        number, slot = number + 1, slot + 1
        if p.raw:
            head += raw_extents(place, slot)
            if any(f"_element{place})" in text for text in texts):
                bytes_ = "const char*" if output < 0 else "char*"
                head += [f"typedef {pointer} _element{place};", f"typedef GLOBAL {bytes_} _bytes{place};"]
            names.append(f"{pointer} {p.name} = _p{place};")
            slot += RAW_SLOTS
            continue
        head += [f"const i64 _s{place}_{dim} = s.v[{slot + dim}];" for dim in range(ndim)]
        slot += ndim
        steps = "".join(f" + _x{dim} * _s{place}_{dim}" for dim in range(ndim))
        element = f"(({pointer})((GLOBAL {'const ' if output < 0 else ''}char*)_p{place}{steps}))"
        value = dialect.load(p.dtype, element, "0")
        if output < 0:
            loads.append(f"const {ctype} {p.name} = {value};")
        else:
            loads.append(f"{p.variable} {p.name}{f' = {value}' if loaded[output] else ''};")
            stores.append(dialect.store(p.dtype, element, "0", rounded(p.dtype, p.name)))
    for place, dtype in scalars:
        head.append(f"const {CTYPE[dtype]} _c{place} = {dialect.slot(slot, dtype)};")
        slot += dialect.slots_of(dtype)
    lines = [
        *head,
        "{",
        "const i64 n = _n;",
        *names,
        user_text(texts[0], f"{body.name} (loop_prep)", dialect, body.types),
        "for (i64 _i = GLOBAL_ID(0); _i < _n; _i += GLOBAL_SIZE(0)) {",
        *_unravelled(dialect, ndim),
        "{",
        "i64 i = _i;" if _ASSIGNS_I.search(texts[1]) else "const i64 i = _i;",
        *loads,
        "{",
        _statements(body, texts[1], dialect),
        "}",
        *stores,
        "}",
        "}",
        user_text(texts[2], f"{body.name} (after_loop)", dialect, body.types),
        "}",
    ]
    memory = "r" * sum(not p.scalar for p in body.inputs) + "w" * len(body.outputs)
    before, after = type_names(dialect, body.types)
    library = words.library([written, *texts], dialect)
    preamble = user_text(written, f"{body.name} (preamble)", dialect, body.types) if written else ""
    kernel = dialect.kernel("k", memory, slot, "\n".join(indent(lines)), restrict=False)
    return dialect.program(library + before + preamble + kernel + after)


def raw_extents(place: int, slot: int) -> list[str]:
    sizes, steps = (", ".join(f"s.v[{slot + 1 + first + dim}]" for dim in range(8)) for first in (0, 8))
    return [
        f"const i64 _n{place} = s.v[{slot}];",
        f"const i64 _sizes{place}[8] = {{{sizes}}};",
        f"const i64 _steps{place}[8] = {{{steps}}};",
    ]


def raw_words(text: str, parameters: Sequence[Parameter]) -> str:
    """CuPy's methods of raw arrays and of the index as C's names."""
    for place, p in enumerate(parameters):
        if p.raw:
            name = re.escape(p.name)
            text = re.sub(rf"\b{name}\s*\.\s*size\s*\(\s*\)", f"_n{place}", text)
            text = re.sub(rf"\b{name}\s*\.\s*shape\s*\(\s*\)", f"_sizes{place}", text)
            text = re.sub(rf"\b{name}\s*\.\s*strides\s*\(\s*\)", f"_steps{place}", text)
            text = re.sub(rf"\b{name}\s*\.\s*ndim\b", str(p.ndim), text)
            text = _by_index_arrays(text, p.name, place)
    text = re.sub(r"\b_ind\s*\.\s*size\s*\(\s*\)", "_n", text)
    return re.sub(r"\b_ind\s*\.\s*get\s*\(\s*\)", "_index", text)


def _by_index_arrays(text: str, name: str, place: int) -> str:
    """A text whose `x[index]`, where `index` is an array of the text with an index for each axis, is that element."""
    for index, size, values in _INDEX_ARRAY.findall(text) if "[" in text else ():
        count = int(size) if size.strip().isdigit() else _count(values)
        if not 0 < count <= 8:
            continue
        byte = " + ".join(f"{index}[{dim}] * _steps{place}[{dim}]" for dim in range(count))
        element = f"(*(_element{place})((_bytes{place}){name} + {byte}))"
        text = re.sub(rf"(?<![\w.]){re.escape(name)}\s*\[\s*{index}\s*\]", element, text)
    return text


_INDEX_ARRAY = re.compile(
    r"\b(?:int|long|size_t|ptrdiff_t|u?int(?:32|64)_t|unsigned|[iu](?:32|64))\s+(\w+)\s*\[([^\]]*)\]\s*(?:=\s*\{([^{};]*)\})?"
)


def _count(values: str) -> int:
    """How many values stand between braces."""
    depth = commas = 0
    for letter in values:
        depth += (letter in "([") - (letter in ")]")
        commas += letter == "," and depth == 0
    return commas + 1 if values.strip() else 0


def _unravelled(dialect: Dialect, ndim: int) -> list[str]:
    """The element's indices `_x0` ... , and `_index`, an array of them."""
    lines, rest = [], "_i"
    for dim in range(ndim - 1, 0, -1):
        lines.append(f"const i64 _q{dim} = {dialect.index_quotient(rest, f'_z{dim}')};")
        lines.append(f"const i64 _x{dim} = {rest} - _q{dim} * _z{dim};")
        rest = f"_q{dim}"
    if ndim:
        lines.append(f"const i64 _x0 = {rest};")
        lines.append(f"const i64 _index[{ndim}] = {{{', '.join(f'_x{dim}' for dim in range(ndim))}}};")
    return lines
