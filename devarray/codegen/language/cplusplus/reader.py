"""Tokens read in order, and the types among them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from devarray.codegen.language.cplusplus.constants import Constant
from devarray.codegen.language.cplusplus.tokens import NotUnderstood, Token
from devarray.codegen.language.cplusplus.types import QUALIFIERS, WORDS_OF_NUMBERS, Type, named

__all__ = ["Declarator", "Reader", "Variable", "closing", "moved"]

_VECTORS = re.compile(r"(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]|half|void|auto|dim3")
_JOINED = frozenset(("signed", "unsigned", "char", "short", "int", "long", "float", "double", "bool"))
_BEFORE_NAMES = frozenset(
    ("*", "&", "&&", "const", "volatile", "__restrict__", "__restrict", "restrict", "GLOBAL", "LOCAL")
)
_OPEN, _CLOSE = {"(": ")", "[": "]", "{": "}"}, ")]}"


@dataclass(slots=True)
class Variable:
    """What a name stands for: how a text in C writes it, its type where it is known, and where it lies."""

    text: str
    type: Type | None
    space: str = ""
    lambda_: Any = None
    constant: Constant | None = None
    copied: bool = False  # a constant reference that is taken as a value


@dataclass(slots=True)
class Declarator:
    """A name that is declared, `reference` where it is one of another variable."""

    name: str
    type: Type
    reference: bool = False
    restrict: bool = False
    default: list[Token] = field(default_factory=list)
    line: int = 0


def closing(tokens: list[Token], at: int) -> int:
    """Where the bracket at `at` closes."""
    depth = 0
    for place in range(at, len(tokens)):
        token = tokens[place]
        if token.kind == "sign":
            depth += (token.text in _OPEN) - (token.text in _CLOSE)
            if depth == 0:
                return place
    raise NotUnderstood("a bracket that does not close", tokens[at].line)


def moved(text: str, form: str) -> str:
    """A text in a form such as ``"&({})"``, the blanks before it left before."""
    inside = text.lstrip()
    return text[: len(text) - len(inside)] + form.format(inside)


class Reader:
    """Reads types and declarations.

    Parameters
    ----------
    unit : Unit
        What the whole text defines.
    tokens : list of Token
        The last one empty.
    bound : dict
        Template parameters, by name: a `Type`, or a value's text.
    """

    def __init__(self, unit: Any, tokens: list[Token], bound: dict[str, Type | str]) -> None:
        self.unit, self.tokens, self.bound = unit, tokens, bound
        self.at = 0
        if not tokens or tokens[-1].kind:
            self.tokens = [*tokens, Token("", "", "", tokens[-1].line if tokens else 0)]

    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self) -> Token:
        token = self.peek()
        if self.at >= len(self.tokens):
            self.fail("the end of the text where more is awaited")
        self.at += 1
        return token

    def ask(self, text: str) -> bool:
        """Take the next token where it is that one."""
        if self.peek().text == text and self.peek().kind != "text":
            self.at += 1
            return True
        return False

    def need(self, text: str) -> Token:
        if self.peek().text != text:
            self.fail(f"`{self.peek().text or 'the end'}` where `{text}` is awaited")
        return self.take()

    def fail(self, what: str) -> NoReturn:
        raise NotUnderstood(what, self.peek().line)

    # --- names and types ---------------------------------------------------------------------------------------------

    def is_type(self, token: Token) -> bool:
        """Whether a name is one of a type."""
        name = token.text
        if token.kind != "name":
            return False
        return (
            name in QUALIFIERS
            or name in WORDS_OF_NUMBERS
            or isinstance(self.bound.get(name), Type)
            or self.unit.is_type(name)
            or _VECTORS.fullmatch(name) is not None
        )

    def skip_namespaces(self) -> None:
        """Pass `std::` and its like: names are told apart without them."""
        self.ask("::")
        while self.peek().text in self.unit.namespaces and self.peek(1).text == "::":
            self.at += 2

    def qualifiers(self) -> tuple[list[str], str]:
        """Words before or behind a type, and attributes as they are written."""
        words, attributes = [], ""
        while True:
            token = self.peek()
            if (
                token.text in ("__align__", "__attribute__", "__launch_bounds__", "alignas")
                and self.peek(1).text == "("
            ):
                end = closing(self.tokens, self.at + 1)
                attributes += "".join(map(str, self.tokens[self.at : end + 1])) + " "
                self.at = end + 1
            elif token.text == "extern" and self.peek(1).kind == "text":
                self.at += 2
            elif token.kind == "name" and token.text in QUALIFIERS:
                words.append(self.take().text)
            else:
                return words, attributes

    def specifiers(self) -> tuple[Type, list[str], str]:
        """A type without its declarator, the words beside it, and its attributes."""
        words, attributes = self.qualifiers()
        self.skip_namespaces()
        numbers: list[str] = []
        kind: Type | None = None
        while True:
            token = self.peek()
            if token.text in WORDS_OF_NUMBERS and (kind is None):
                single = token.text not in _JOINED
                if single and numbers:
                    break
                numbers.append(self.take().text)
                if single:
                    break
            elif token.kind == "name" and token.text in QUALIFIERS:
                words += self.qualifiers()[0]
            elif kind is None and not numbers and token.kind == "name":
                kind = self._named_type()
            else:
                break
        more, further = self.qualifiers()
        words, attributes = words + more, attributes + further
        if kind is None:
            if not numbers:
                self.fail(f"`{self.peek().text}` where a type is awaited")
            kind = Type(named(" ".join(numbers)))
        space = next((s for s, names in _SPACES.items() if names & set(words)), "")
        return (
            replace(kind, const=kind.const or "const" in words or "constexpr" in words, space=space or kind.space),
            words,
            attributes,
        )

    def _named_type(self) -> Type:
        token = self.take()
        name = token.text
        if name in ("decltype", "typeof", "__typeof__"):
            self.at -= 1
            self.fail(f"`{name}`; name the type")
        found = self.bound.get(name)
        of_template = self.peek().text == "<" and name in self.unit.templates
        kind = found if isinstance(found, Type) and not of_template else self.unit.type_named(self, name)
        if self.peek().text == "::" and self.peek(1).kind == "name":  # a type within a structure
            inner = self.unit.inner_type(kind, self.peek(1).text)
            if inner is not None:
                self.at += 2
                kind = inner
        return kind

    def template_arguments(self) -> list[Type | str]:
        """What stands between the angles; the next token is the first of them."""
        self.need("<")
        given: list[Type | str] = []
        while not self.ask(">"):
            self.skip_namespaces()
            start = self.at
            kind = self._type_argument() if self.names_type() else None
            if kind is None:
                self.at = start
            given.append(kind or self.constant())
            if not self.ask(",") and self.peek().text != ">":
                self.fail(f"`{self.peek().text}` among the arguments of a template")
        return given

    def _type_argument(self) -> Type | None:
        """A type among template arguments, or None where a value begins with one, as `int(3)` does."""
        kind, _, _ = self.specifiers()
        made = self.declarator(kind, named=False).type
        return made if self.peek().text in (",", ">") else None

    def names_type(self, ahead: int = 0) -> bool:
        """Whether a type comes next: variables hide types of their names."""
        return self.is_type(self.peek(ahead)) and self.variable(self.peek(ahead).text) is None

    def variable(self, name: str) -> Variable | None:
        """The variable of a name: none here."""
        return None

    def template_default(self, is_type: bool) -> Type | str:
        """The value that a template's parameter has where a call gives none: all of the tokens."""
        if is_type:
            kind, _, _ = self.specifiers()
            return self.declarator(kind, named=False).type
        return self.constant()

    def constant(self) -> str:
        """A value among template arguments, as C writes its number."""
        first, depth, angles = self.at, 0, 0
        while depth or angles or (self.peek().text not in (",", ">") and self.peek().kind):
            token = self.take()
            if not token.kind:
                self.fail("a list of template arguments that does not end")
            if token.kind == "sign":
                depth += (token.text in _OPEN) - (token.text in _CLOSE)
                angles -= token.text == ">" and angles > 0
            angles += token.kind == "name" and self.peek().text == "<" and self.unit.is_template(token.text)
        made: str = self.unit.template_value(self, self.tokens[first : self.at])
        return made

    def declarator(self, kind: Type, *, named: bool = True) -> Declarator:
        """What follows a type: stars, a reference, a name, sizes."""
        stars, reference, restrict = 0, False, False
        while self.peek().text in _BEFORE_NAMES:
            token = self.take()
            stars += token.text == "*"
            if token.text == "&&":
                self.at -= 1
                self.fail("a reference to what is moved (`&&`); write `const T&` or `T`")
            reference |= token.text == "&"
            restrict |= "restrict" in token.text
        if self.peek().text == "(" and self.peek(1).text in ("*", "&"):
            self.fail("a pointer or reference to a function or an array; give a pointer to its first element")
        line, name = self.peek().line, ""
        if self.peek().kind == "name" and named:
            name = self.take().text
        dims = []
        while self.peek().text == "[":
            end = closing(self.tokens, self.at)
            inner = self.tokens[self.at + 1 : end]
            dims.append(self.unit.size(self, inner))
            self.at = end + 1
        made = replace(kind, stars=kind.stars + stars, dims=(*dims, *kind.dims))
        return Declarator(name, made, reference, restrict, line=line)

    def parameters(self) -> list[Declarator]:
        """The parameters of a function, between its brackets."""
        made: list[Declarator] = []
        self.need("(")
        if self.peek().text == "void" and self.peek(1).text == ")":
            self.at += 1
        while not self.ask(")"):
            if self.peek().text == "...":
                self.fail("a function of any number of arguments; write one for each number")
            kind, _, _ = self.specifiers()
            if self.peek().text == "...":
                self.fail("a template of any number of types; write one for each number")
            declared = self.declarator(kind)
            if len(declared.type.dims) > 1:
                self.fail(f"the array of arrays {declared.name} as a parameter; give a pointer to its first number")
            if declared.type.dims:  # an array as a parameter is a pointer
                declared.type = replace(declared.type, dims=declared.type.dims[1:]).pointer(declared.type.space)
            if self.ask("="):
                first, depth = self.at, 0
                while depth or self.peek().text not in (",", ")"):
                    depth += (self.peek().text in _OPEN) - (self.peek().text in _CLOSE)
                    if not self.take().kind:
                        self.fail("a default argument that does not end")
                declared.default = self.tokens[first : self.at]
            made.append(declared)
            if not self.ask(",") and self.peek().text != ")":
                self.fail(f"`{self.peek().text}` among the parameters of a function")
        return made


_SPACES = {
    "GLOBAL": {"GLOBAL", "global", "__global"},
    "LOCAL": {"LOCAL", "local", "__local", "__shared__"},
    "constant": {"constant", "__constant__"},
}
