"""What a text in C++ defines: functions and structures, templates among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from devarray.codegen.language.cplusplus.constants import constant_of, literal
from devarray.codegen.language.cplusplus.expressions import Node
from devarray.codegen.language.cplusplus.reader import Reader, Variable, closing
from devarray.codegen.language.cplusplus.statements import Statements
from devarray.codegen.language.cplusplus.tokens import Token
from devarray.codegen.language.cplusplus.types import Type

__all__ = [
    "Function",
    "Structure",
    "StructureTemplate",
    "TemplateParameter",
    "exclude",
    "function",
    "structure",
    "template_parameters",
]


@dataclass(slots=True)
class TemplateParameter:
    """A parameter of a template: a type's, or a value's."""

    name: str
    is_type: bool
    default: list[Token] = field(default_factory=list)
    kind: list[Token] = field(default_factory=list)


@dataclass(slots=True)
class Function:
    """A function as it is written; its tokens are read for each instance.

    Attributes
    ----------
    name : str
    head, parameters, body, trailing : list of Token
        The type; the brackets with the parameters; the body in its braces, empty for a declaration; a type behind `->`.
    template : list of TemplateParameter
    special : list or None
        The arguments of a specialisation.
    owner : str
        Of member functions their structure.
    static, const : bool
        Of member functions.
    begins : list of (name, tokens)
        Of constructors.
    bound : dict
        Template arguments of the structure.
    captured : list of (name, Variable)
        Of lambdas.
    space : tuple of str or None
        The namespace; None for our own functions.
    branches : dict
        Of the preprocessor's conditions around it, by number, which branch it is in.
    """

    name: str
    head: list[Token]
    parameters: list[Token]
    body: list[Token]
    line: int
    trailing: list[Token] = field(default_factory=list)
    template: list[TemplateParameter] = field(default_factory=list)
    special: list[Type | str] | None = None
    owner: str = ""
    static: bool = False
    const: bool = False
    constructor: bool = False
    kernel: bool = False
    begins: list[tuple[str, list[Token]]] = field(default_factory=list)
    bound: dict[str, Type | str] = field(default_factory=dict)
    captured: list[tuple[str, Variable]] = field(default_factory=list)
    space: tuple[str, ...] | None = None
    branches: dict[int, int] = field(default_factory=dict)


@dataclass(slots=True)
class StructureTemplate:
    """A structure's template, or a specialisation of one for certain arguments."""

    template: list[TemplateParameter]
    special: list[Type | str] | None
    tokens: list[Token]


@dataclass(slots=True)
class Structure:
    """A structure: its members by name, and its text in C."""

    name: str
    fields: dict[str, Type] = field(default_factory=dict)
    methods: dict[str, list[Function]] = field(default_factory=dict)
    constructors: list[Function] = field(default_factory=list)
    constants: dict[str, Node] = field(default_factory=dict)
    types: dict[str, Type | str] = field(default_factory=dict)
    text: str = ""


def template_parameters(reader: Statements) -> list[TemplateParameter]:
    """What stands between the angles behind `template`."""
    made: list[TemplateParameter] = []
    reader.need("<")
    while not reader.ask(">"):
        is_type = reader.peek().text in ("typename", "class")
        first = reader.at
        if is_type:
            reader.take()
        elif reader.peek().text == "template":
            reader.fail("a template as an argument of a template")
        else:
            reader.type_alone()
        kind = reader.tokens[first : reader.at]
        if reader.peek().text == "...":
            reader.fail("a template of any number of arguments; write one for each number")
        name = reader.take().text if reader.peek().kind == "name" else ""
        default: list[Token] = []
        if reader.ask("="):
            depth = 0
            while depth or reader.peek().text not in (",", ">"):
                if not reader.peek().kind:
                    reader.fail("a template's parameters that do not end")
                depth += (reader.peek().text in "(<") - (reader.peek().text in ")>")
                default.append(reader.take())
        made.append(TemplateParameter(name, is_type, default, kind))
        if name:
            reader.bound[name] = Type(name) if is_type else name
        if not reader.ask(",") and reader.peek().text != ">":
            reader.fail(f"`{reader.peek().text}` among a template's parameters")
    return made


def function(reader: Statements, name: str, start: int, end: int, words: list[str]) -> Function:
    """A function whose type lies from `start` to `end`, and whose parameters come next."""
    line, tokens = reader.peek().line, reader.tokens
    close = closing(tokens, reader.at)
    made = Function(name, tokens[start:end], tokens[reader.at : close + 1], [], line, kernel="__global__" in words)
    made.static = "static" in words
    reader.at = close + 1
    while reader.peek().text in ("const", "noexcept", "override", "final", "__restrict__"):
        made.const |= reader.take().text == "const"
    if reader.ask("->"):
        first = reader.at
        reader.type_alone()
        made.trailing = tokens[first : reader.at]
    if reader.ask(":"):
        while reader.peek().text != "{" or not made.begins:
            member = reader.take().text
            if reader.peek().text not in ("(", "{"):
                reader.fail(f"`{reader.peek().text}` where a member's value is awaited")
            close = closing(tokens, reader.at)
            made.begins.append((member, tokens[reader.at + 1 : close]))
            reader.at = close + 1
            if not reader.ask(","):
                break
    if reader.peek().text == "=":
        if reader.peek(1).text == "default":
            reader.at += 2
            reader.need(";")
            made.body = [Token("", "{", "sign", line), Token("", "}", "sign", line)]
            return made
        reader.fail("a function that is deleted or virtual; leave it out")
    if reader.ask(";"):
        return made
    if reader.peek().text != "{":
        reader.fail(f"`{reader.peek().text}` where the body of {name} is awaited")
    close = closing(tokens, reader.at)
    made.body = tokens[reader.at : close + 1]
    reader.at = close + 1
    return made


def operator_name(reader: Reader) -> str:
    """The name of an operator's function; `operator` is taken."""
    signs = ""
    while reader.peek().text != "(" or not signs:
        token = reader.take()
        if token.kind != "sign":
            reader.fail("an operator that converts; write a member function")
        signs += token.text
        if signs in ("(", "["):
            signs += reader.take().text
    return f"operator{signs}"


def structure(
    unit: Any, name: str, tokens: list[Token], bound: dict[str, Type | str], attributes: str = ""
) -> Structure:
    """A structure from what stands in its braces."""
    made = Structure(name)
    unit.structures[name] = made
    reader = Statements(unit, tokens, dict(bound), unit.variables)
    reader.owner = name
    if any("#" in token.space for token in tokens):
        reader.fail(f"a directive within the structure {name}")
    fields: list[str] = []
    while reader.peek().kind:
        template: list[TemplateParameter] = []
        if reader.peek().text in ("public", "private", "protected") and reader.peek(1).text == ":":
            reader.at += 2
            continue
        if reader.ask(";"):
            continue
        if reader.peek().text in ("using", "typedef"):
            before = set(reader.bound)
            reader.statement()
            made.types |= {n: reader.bound[n] for n in set(reader.bound) - before}
            continue
        outer = dict(reader.bound)
        if reader.ask("template"):
            template = template_parameters(reader)
        fields.append(_member(reader, made, template, bound))
        if template:
            reader.bound = outer
    inside = " ".join(f for f in fields if f) or "char empty_;"
    made.text = f"typedef struct {name} {name}; struct {attributes}{name} {{ {inside} }};"
    return made


def _member(
    reader: Statements, made: Structure, template: list[TemplateParameter], bound: dict[str, Type | str]
) -> str:
    """Read a member; a field's text in C."""
    own = next((n for n, kind in bound.items() if kind == Type(made.name)), made.name)
    start = reader.at
    if reader.peek().text in ("struct", "enum", "union", "class", "friend") and reader.peek(2).text == "{":
        reader.fail("a structure within another; write it outside")
    words: list[str] = reader.qualifiers()[0]
    if "friend" in words or "virtual" in words:
        reader.fail("a friend or virtual function of a structure; write a plain one")
    if reader.peek().text == "~":
        reader.fail("a destructor; call a function instead")
    if reader.peek().text in (own, made.name) and reader.peek(1).text == "(":
        reader.take()
        member = function(reader, made.name, start, start, words)
        member.constructor = True
        if made.name in (t.text for t in member.parameters) or own in (t.text for t in member.parameters):
            reader.fail("a constructor that copies; structures are copied as they are")
    elif reader.peek().text == "operator":
        reader.fail("an operator that converts; write a member function")
    else:
        reader.at = start
        kind, words, attributes = reader.specifiers()
        end = reader.at
        while reader.peek(end - reader.at).text in ("*", "&", "const"):
            end += 1
        if reader.peek(end - reader.at).text == "operator":
            reader.at = end + 1
            member = function(reader, operator_name(reader), start, end, words)
            if member.name == "operator=" and {own, made.name} & {t.text for t in member.parameters}:
                reader.fail("an operator that copies; structures are copied as they are")
        elif reader.peek(end + 1 - reader.at).text == "(":
            reader.at = end + 1
            member = function(reader, reader.tokens[end].text, start, end, words)
        else:
            return _fields(reader, made, kind, words, attributes)
    member.owner, member.template, member.bound = made.name, template, bound
    if member.body:
        (made.constructors if member.constructor else made.methods.setdefault(member.name, [])).append(member)
    elif not member.constructor:
        reader.fail(f"the member function {member.name} without its body; write it within the structure")
    return ""


def _fields(reader: Statements, made: Structure, kind: Type, words: list[str], attributes: str) -> str:
    text = ""
    while True:
        declared = reader.declarator(kind)
        if reader.peek().text == ":":
            reader.fail("a field of some bits; give it a type of its own")
        if "static" not in words and reader.unit.is_made(declared.type):
            reader.fail(f"a field of {kind.base}, which has a constructor; leave it out, and write a function")
        if declared.reference:
            reader.fail("a reference in a structure; write a pointer")
        if "static" in words:
            if reader.peek().text not in ("=", "{"):
                reader.fail("a static member without a value")
            braces = reader.take().text == "{"
            value = reader.assignment()
            if braces:
                reader.need("}")
            plain = declared.type.plain()
            number = constant_of(f"({plain.spelled()})({value.text.strip()})", reader.known_constant)
            text_ = literal(*number) if number else f"(({plain.spelled()})({value.text.strip()}))"
            made.constants[declared.name] = Node(text_, plain)
        elif reader.peek().text in ("=", "{"):
            reader.fail(f"the value of the field {declared.name}; write a constructor")
        else:
            made.fields[declared.name] = declared.type
            text += f"{attributes}{declared.type.spelled(declared.name)}; "
        if not reader.ask(","):
            break
    reader.need(";")
    return text


def exclude(a: Mapping[int, int], b: Mapping[int, int]) -> bool:
    """Whether a condition of the preprocessor leaves one of two alone."""
    return any(a[number] != b[number] for number in a.keys() & b.keys())
