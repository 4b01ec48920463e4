"""Template arguments: what a call tells of them, and the values of those that are numbers."""

from __future__ import annotations

from typing import Any

from devarray.codegen.language.cplusplus.constants import Constant, constant_of, literal, wrapped
from devarray.codegen.language.cplusplus.definitions import Function, TemplateParameter
from devarray.codegen.language.cplusplus.nodes import Node
from devarray.codegen.language.cplusplus.reader import Declarator, Reader, Variable
from devarray.codegen.language.cplusplus.statements import Statements
from devarray.codegen.language.cplusplus.tokens import NotUnderstood, Token
from devarray.codegen.language.cplusplus.types import INTEGERS, Type

__all__ = ["Bound", "Templates"]

Bound = dict[str, Type | str]


class Templates:
    """Finds template arguments, and reads the constants among them."""

    functions: dict[str, list[Function]]
    structures: dict[str, Any]
    variables: dict[str, Variable]
    pending: list[str]
    names: set[str]
    constants: dict[str, Constant]
    made_of: dict[str, tuple[str, list[Type | str]]]

    def _deduced(self, function: Function, given: list[Type | str], arguments: list[Node]) -> Bound:
        """The template arguments of a call."""
        bound = dict(function.bound)
        if len(given) > len(function.template):
            raise NotUnderstood(f"{function.name} with {len(given)} template arguments", function.line)
        names = {p.name: p.is_type for p in function.template}
        if not names:
            return bound
        explicit: Bound = {p.name: value for p, value in zip(function.template, given, strict=False)}
        loose: Bound = {n: Type(n) if is_type else n for n, is_type in names.items()}
        parameters = Reader(self, function.parameters, {**bound, **loose, **explicit}).parameters()
        told: Bound = {}
        for p, argument in zip(parameters, arguments, strict=False):
            wanted = p.type.base
            kind = argument.value if not p.reference else argument.type
            if kind is not None and wanted in self.made_of and kind.base in self.made_of:
                (template, patterns), (own, values) = self.made_of[wanted], self.made_of[kind.base]
                for pattern, given_value in zip(patterns, values, strict=False) if template == own else ():
                    name = pattern.base if isinstance(pattern, Type) else pattern
                    if name in names and name not in explicit:
                        self._tell(function, told, name, given_value)
            if not names.get(wanted) or wanted in explicit:
                continue
            if kind is None:
                continue
            if kind.dims:
                kind = kind.element().pointer(argument.space)
            if kind.stars < p.type.stars:
                raise NotUnderstood(
                    f"{function.name} with `{argument.text.strip()}`, which is no pointer", function.line
                )
            const = kind.const and not p.type.const and kind.stars > 0
            deduced = Type(
                kind.base, kind.stars - p.type.stars, (), kind.space if kind.stars > p.type.stars else "", const
            )
            self._tell(function, told, wanted, deduced)
        for wanting in function.template:
            value: Type | str | None = explicit.get(wanting.name, told.get(wanting.name))
            if value is None and wanting.default:
                reader = Reader(self, wanting.default, {**bound})
                value = reader.template_default(wanting.is_type)
            if value is None:
                raise NotUnderstood(
                    f"a call of {function.name} that does not tell its {wanting.name}; write {function.name}<...>(...)",
                    function.line,
                )
            bound[wanting.name] = self.typed(value, wanting, bound)
        return bound

    def typed(self, value: Type | str, wanted: TemplateParameter, bound: Bound) -> Type | str:
        """A template argument as the parameter's type has it: `3` is no unsigned number, and `2` is true."""
        if isinstance(value, Type) or not wanted.kind or wanted.is_type:
            return value
        number = constant_of(value, self.constants.get)
        kind = Reader(self, wanted.kind, dict(bound)).specifiers()[0]
        return literal(*wrapped(number[0], kind)) if number is not None and kind.base in INTEGERS else value

    def template_value(self, reader: Reader, tokens: list[Token]) -> str:
        """The value of a template argument, as C writes it."""
        names = [t.text for t in tokens if t.kind == "name"]
        text = "".join(f"{t.space}{t.text}" for t in tokens).replace("\n", " ").strip()
        if any(reader.bound.get(n) in (n, Type(n)) for n in names):  # of a template's own parameters
            return text if len(tokens) == 1 else f"({text})"
        inner = Statements(self, [*tokens], reader.bound, *getattr(reader, "scopes", [self.variables]))
        inner.owner = getattr(reader, "owner", "")
        node = inner.conditional()
        if inner.peek().kind:
            inner.fail(f"`{inner.peek().text}` among the arguments of a template")
        number = constant_of(node.text, inner.known_constant)
        if number is not None:
            return literal(*number)
        if not names or any(name in scope for scope in inner.scopes[1:] for name in names):
            reader.fail(f"the template argument `{text}`, whose value is not known; write a constant, or give it"
                        " as a function's argument")  # fmt: skip
        return f"({node.text.strip()})"  # a name that the compiler is given

    def _is_special(
        self, special: Function, function: Function, bound: Bound, parameters: list[Declarator]
    ) -> list[Declarator] | None:
        """The parameters of a specialisation that is one for these template arguments."""
        assert special.special is not None
        for given, p in zip(special.special, function.template, strict=False):
            taken = bound.get(p.name, "")
            if isinstance(taken, str) and constant_of(taken, self.constants.get) is None:
                raise NotUnderstood(
                    f"{function.name}<{taken}>, of which there are specialisations, whose value is not known",
                    special.line,
                )
            if not _same([self.typed(given, p, bound)], [taken]):
                return None
        own = Reader(self, special.parameters, dict(special.bound)).parameters()
        agree = len(own) == len(parameters) and all(
            a.type.same(b.type) and a.reference == b.reference for a, b in zip(own, parameters, strict=True)
        )
        return own if agree else None

    def size(self, reader: Reader, tokens: list[Token]) -> str:
        """The size of an array, as C writes it."""
        if any(reader.bound.get(t.text) in (t.text, Type(t.text)) for t in tokens) or len(tokens) == 0:
            return "".join(map(str, tokens)).strip()
        inner = Statements(self, [*tokens], reader.bound, *getattr(reader, "scopes", [self.variables]))
        inner.owner = getattr(reader, "owner", "")
        text = inner.expression().text.strip()
        number = constant_of(text, inner.known_constant)
        return text if number is None or text.isdigit() else str(number[0])

    @staticmethod
    def _tell(function: Function, told: Bound, name: str, value: Type | str) -> None:
        """Note what an argument says of a template's parameter, the same as the others."""
        before = told.setdefault(name, value)
        if not _same([before], [value]):
            kinds = " and ".join(t.spelled() if isinstance(t, Type) else t for t in (before, value))
            raise NotUnderstood(
                f"{name} of {function.name}, which would be {kinds}; write {function.name}<...>(...)", function.line
            )
        if isinstance(value, Type) and value.const:
            told[name] = value


def _same(a: list[Type | str], b: list[Type | str]) -> bool:
    return len(a) == len(b) and all(
        x.same(y) if isinstance(x, Type) and isinstance(y, Type) else x == y for x, y in zip(a, b, strict=True)
    )
