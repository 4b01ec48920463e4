"""Users' scans: chunks by themselves, then what is carried into each, then the results.

The first kernel scans chunks of neighbouring elements, a work-item each, into scratch memory; the second, one
work-item, works out the value before each chunk; the third runs the user's output statement. Inputs are read in the
first alone, so that results may take their places.
"""

from __future__ import annotations

from dataclasses import dataclass

from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.user import RAW_SLOTS, Parameter, raw_extents, raw_words, type_names, user_text
from devarray.codegen.language import words
from devarray.codegen.language.dialect import CTYPE, Dialect

__all__ = ["ScanBody", "scan_kernel"]


@dataclass(frozen=True, slots=True)
class ScanBody:
    """A user's scan.

    Attributes
    ----------
    name : str
    arguments : tuple of Parameter
        Arrays, all raw, and scalars.
    written : tuple of bool
        Which of them the output statement may write.
    input_expr, scan_expr, output_statement, preamble : str
    neutral, segment : str
        Empty where there is none.
    scan_type : str
        C type of the values.
    fetches : tuple of (str, str, int)
        Name, array and offset of values that the input expression reads beside its element.
    record : bool
        Whether the values are structures.
    """

    name: str
    arguments: tuple[Parameter, ...]
    written: tuple[bool, ...]
    input_expr: str
    scan_expr: str
    output_statement: str
    preamble: str
    neutral: str
    segment: str
    scan_type: str
    fetches: tuple[tuple[str, str, int], ...]
    record: bool = False


def scan_kernel(body: ScanBody, stage: str, dialect: Dialect) -> str:
    """Source of the kernel "k" of a stage: "chunks", "carry" or "output".

    Memory: the arrays (not for "carry"), then scratch: values (elements), starts (elements, where there are segments),
    ends (a value a chunk), carried (a value a chunk, and the last), firsts (the first start in a chunk). Slots: the
    number of elements, elements of a chunk, chunks; offsets and extents of arrays; offsets of scratch; scalars.
    """
    slot, number = 3, 0
    head = [f"const i64 {name} = s.v[{i}];" for i, name in enumerate(("_n", "_chunk", "_parts"))]
    names, scalars = [], []
    memory = ""
    if stage != "carry":
        for place, p in enumerate(body.arguments):
            if p.scalar:
                scalars.append((place, p.dtype))
                names.append(f"const {CTYPE[p.dtype]} {p.name} = _c{place};")
                continue
            writes = body.written[place] and stage == "output"
            pointer = p.pointer(dialect, const=not writes)
            head.append(f"{pointer} _p{place} = ({pointer})(m{number} + s.v[{slot}]);")
            head += raw_extents(place, slot + 1)
            names.append(f"{pointer} {p.name} = _p{place};")
            number, slot, memory = number + 1, slot + 1 + RAW_SLOTS, memory + ("w" if writes else "r")
    for name, kind in _scratch(body, stage):
        head.append(f"GLOBAL {kind}* {name} = (GLOBAL {kind}*)(m{number} + s.v[{slot}]);")
        number, slot, memory = number + 1, slot + 1, memory + "w"
    for place, dtype in scalars:
        head.append(f"const {CTYPE[dtype]} _c{place} = {dialect.slot(slot, dtype)};")
        slot += dialect.slots_of(dtype)
    lines = [*head, *{"chunks": _chunks, "carry": _carry, "output": _output}[stage](body, names, dialect)]
    texts = [raw_words(t, body.arguments) for t in (body.input_expr, body.scan_expr, body.output_statement)]
    before, after = type_names(dialect, ())
    preamble = user_text(body.preamble, f"{body.name} (preamble)", dialect, ()) if body.preamble else ""
    scan = (
        f"typedef {words.translate(body.scan_type, dialect)} scan_type;\n#define index_type i64\n"
        "FN scan_type user_scan(const scan_type a, const scan_type b, const int across_seg_boundary)\n{\nreturn ("
        f"{user_text(body.scan_expr, f'{body.name} (scan_expr)', dialect, ())});\n}}\n"
    )
    library = words.library([body.preamble, *texts, body.neutral, body.segment], dialect)
    kernel = dialect.kernel("k", memory, slot, "\n".join(indent(lines)), restrict=False)
    return dialect.program(library + before + preamble + scan + kernel + after)


def _scratch(body: ScanBody, stage: str) -> list[tuple[str, str]]:
    values = [("_values", "scan_type")] * (stage != "carry")
    starts = [("_starts", "u8")] * bool(body.segment and stage != "carry")
    carried = [("_carried", "scan_type")] * (stage != "chunks")
    return [*values, *starts, *([("_ends", "scan_type")] if stage != "output" else []), *carried, ("_firsts", "i64")]


def _range() -> list[str]:
    return [
        "const i64 _part = GLOBAL_ID(0);",
        "if (_part < _parts) {",
        "const i64 _begin = _part * _chunk, _end = _begin + _chunk < _n ? _begin + _chunk : _n;",
    ]


def _chunks(body: ScanBody, names: list[str], dialect: Dialect) -> list[str]:
    segment = body.segment
    fetched = [f"{name} = i + ({offset}) < 0 ? 0 : {array}[i + ({offset})];" for name, array, offset in body.fetches]
    types = {p.name: p.ctype for p in body.arguments}
    declared = [f"{types[array]} {text}" for (_, array, _), text in zip(body.fetches, fetched, strict=True)]
    text = raw_words(body.input_expr, body.arguments)
    return [
        *_range(),
        "scan_type _s;",
        "i64 _first = _end;",
        "{",
        *names,
        "const i64 N = _n; (void)N;",
        "for (i64 i = _begin; i < _end; ++i) {",
        *declared,
        f"const scan_type _v ={user_text(text, f'{body.name} (input_expr)', dialect, ())};",
        *(
            [
                "{ const scan_type a = _v; (void)a;",
                f"const int _f = ({user_text(segment, f'{body.name} (is_segment_start_expr)', dialect, ())});",
                "_starts[i] = _f != 0;",
                "if (_f && _first == _end) _first = i; }",
            ]
            if segment
            else []
        ),
        f"_s = i == _begin ? _v : user_scan(_s, _v, {'_starts[i]' if segment else '0'});",
        "_values[i] = _s;",
        "}",
        "}",
        "_ends[_part] = _s;",
        "_firsts[_part] = _first;",
        "}",
    ]


def _carry(body: ScanBody, names: list[str], dialect: Dialect) -> list[str]:
    return [
        "if (GLOBAL_ID(0) == 0) {",
        "scan_type _s = _ends[0];",
        "_carried[0] = _s;",
        "for (i64 _part = 1; _part < _parts; ++_part) {",
        "_carried[_part] = _s;",
        "const i64 _end = _part * _chunk + _chunk < _n ? _part * _chunk + _chunk : _n;",
        "_s = user_scan(_s, _ends[_part], _firsts[_part] < _end);",
        "}",
        "_carried[_parts] = _s;",
        "}",
    ]


def _output(body: ScanBody, names: list[str], dialect: Dialect) -> list[str]:
    text = raw_words(body.output_statement, body.arguments)
    used = set(words.WORD.findall(text))
    # A cast makes a number of the values' type; structures have none, and need none.
    neutral = f"({'' if body.record else '(scan_type)'}({body.neutral}))" if body.neutral else "_values[0]"
    start = "i == 0 || _starts[i]" if body.segment else "i == 0"
    before = [f"const scan_type prev_item = ({start}) ? {neutral} : _before;"] if "prev_item" in used else []
    return [
        *_range(),
        "scan_type _before = _carried[_part];",
        "const i64 _first = _firsts[_part];",
        "{",
        *names,
        "const i64 N = _n; (void)N;",
        "const scan_type last_item = _carried[_parts]; (void)last_item;",
        "for (i64 i = _begin; i < _end; ++i) {",
        "const scan_type item = _part == 0 || i >= _first ? _values[i] : user_scan(_carried[_part], _values[i], 0);",
        *before,
        "{",
        f"{user_text(text, f'{body.name} (output_statement)', dialect, ())};",
        "}",
        "_before = item;",
        "}",
        "}",
        "}",
    ]
