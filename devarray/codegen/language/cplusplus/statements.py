"""Statements of C++ in C: declarations, whose names it keeps with their types, and bodies of functions."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from devarray.codegen.language.cplusplus.constants import constant_of
from devarray.codegen.language.cplusplus.expressions import Expressions, Node
from devarray.codegen.language.cplusplus.reader import Declarator, Variable, closing, moved
from devarray.codegen.language.cplusplus.tokens import Token
from devarray.codegen.language.cplusplus.types import INTEGERS, Type

__all__ = ["Lambda", "Statements"]

_STORAGE = ("extern", "volatile", "__shared__", "__constant__", "LOCAL", "constant", "__managed__", "register")
_REFERENCE_TO_CALL = "a reference to what is computed; declare it `const`, or without `&`"


@dataclass(slots=True)
class Lambda:
    """A lambda, which is a function that also takes what it captures."""

    name: str
    tokens: list[Token]
    captured: list[tuple[str, Variable]]
    bound: dict[str, Type | str]
    result: Type | None
    instances: dict[Any, Any] = field(default_factory=dict)


class Statements(Expressions):
    """Reads the statements of a body.

    Parameters
    ----------
    unit : Unit
    tokens : list of Token
    bound : dict
        Template parameters.
    variables : dict
        Of the unit, then of the function.
    """

    def __init__(
        self, unit: Any, tokens: list[Token], bound: dict[str, Type | str], *variables: dict[str, Variable]
    ) -> None:
        super().__init__(unit, tokens, bound)
        self.scopes = [*variables]
        self.result: Type | None = None  # of the function, where it is declared
        self.reference = False  # whether the function returns one
        self.returned: list[Node] = []

    def declare(self, name: str, variable: Variable) -> None:
        known = self.scopes[-1].get(name)
        if known is not None and known.type != variable.type:  # by a condition of the preprocessor, one of them
            variable = replace(variable, type=None)
        if known is not None:
            variable = replace(variable, constant=None)
        self.scopes[-1][name] = variable

    def written(self, name: str) -> str:
        """A name for a variable in C: another one where it hides what a default argument, a constant or a lambda,
        whose text comes to stand beside it, may mean."""
        if len(self.scopes) == 1 or not name:
            return name
        if name in self.scopes[-1]:  # by a condition of the preprocessor, one of them
            found = re.search(r"\w+", self.scopes[-1][name].text)
            return found[0] if found else name
        unit = self.unit
        hides = any(name in s for s in (*self.scopes[:-1], unit.functions, unit.constants, unit.structures))
        return str(unit.fresh(name)) if hides else name

    def body(self) -> str:
        """All statements to the end."""
        made = []
        while self.peek().kind:
            made.append(self.statement())
        return "".join(made) + self.peek().space

    def block(self) -> str:
        made = [str(self.need("{"))]
        self.scopes.append({})
        types = dict(self.bound)
        while self.peek().text != "}":
            if not self.peek().kind:
                self.fail("a block that does not end")
            made.append(self.statement())
        self.scopes.pop()
        if len(types) != len(self.bound) or types != self.bound:  # names of types end with it
            self.bound.clear()
            self.bound.update(types)
        return "".join(made) + str(self.take())

    def statement(self) -> str:
        token = self.peek()
        if token.text == "{":
            return self.block()
        if token.text == ";":
            return str(self.take())
        after = self.peek(1).text
        if token.kind == "name":
            reader = getattr(self, f"_{token.text}", None) if token.text in _KEYWORDS else None
            if reader is not None:
                return str(reader())
            if token.text in ("case", "default"):
                return self._case()
            if after == ":" and self.peek(2).text != ":" and not self.is_type(token):
                return f"{self.take()}{self.take()}"
            if token.text in ("break", "continue", "goto"):
                return self._to_semicolon()
            if token.text in ("asm", "__asm__", "static_assert"):
                if token.text == "static_assert":
                    return token.space + " " * bool(self._to_semicolon()) + ";"
                return self._to_semicolon()
            if self.declares():
                return self.declaration()
        node = self.expression()
        return f"{node.text}{self.need(';')}"

    def _to_semicolon(self) -> str:
        made = ""
        while self.peek().text != ";":
            if not self.peek().kind:
                self.fail("a statement that does not end")
            made += str(self.take())
        return made + str(self.take())

    def _case(self) -> str:
        word = self.take()
        return f"{word}{'' if word.text == 'default' else self.conditional().text}{self.need(':')}"

    def _if(self) -> str:
        made = str(self.take())
        self.ask("constexpr")
        made += self._condition() + self.statement()
        if self.peek().text == "else":
            made += str(self.take()) + self.statement()
        return made

    def _condition(self) -> str:
        bracket = self.need("(")
        if self.declares():
            self.fail("a declaration in a condition; write it before")
        return f"{bracket}{self.expression().text}{self.need(')')}"

    def _while(self) -> str:
        return str(self.take()) + self._condition() + self.statement()

    _switch = _while

    def _do(self) -> str:
        made = str(self.take()) + self.statement()
        return f"{made}{self.need('while')}{self._condition()}{self.need(';')}"

    def _for(self) -> str:
        made = f"{self.take()}{self.need('(')}"
        end = closing(self.tokens, self.at - 1)
        signs = [t.text for t in self.tokens[self.at : end]]
        if ";" not in signs:
            self.fail("a loop over the elements of something; write one with an index")
        self.scopes.append({})
        if self.declares():
            made += self.declaration(alone=True)
        elif self.peek().text == ";":
            made += str(self.take())
        else:
            made += f"{self.expression().text}{self.need(';')}"
        if self.peek().text != ";":
            made += self.expression().text
        made += str(self.need(";"))
        if self.peek().text != ")":
            made += self.expression().text
        made += str(self.need(")")) + self.statement()
        self.scopes.pop()
        return made

    def _return(self) -> str:
        word = self.take()
        if self.peek().text == ";":
            return f"{word}{self.take()}"
        if self.peek().text == "{":
            kind = self.result or self.fail("a value in braces, returned by a function whose type is not written")
            node = self.initializer(kind, f" ({kind.plain().spelled()})", whole=True)
        else:
            node = self.expression()
            if self.unit.is_structure(self.result) and not self.unit.is_structure(node.type) and node.type is not None:
                node = self.unit.constructed(self, " ", self.result, [node])
        if self.reference:
            if not node.lvalue:
                self.fail("a reference to what is computed, returned")
            self._check_lasting(node)
            node = replace(node, text=f" {node.address}" if node.address else moved(node.text, "&({})"))
        self.returned.append(node)
        text = node.text if node.text[:1] in (" ", "\n", "\t", "(") else " " + node.text
        return f"{word}{text}{self.need(';')}"

    def _check_lasting(self, node: Node) -> None:
        """Refuse a reference, returned, to an argument that a call computes."""
        found = re.fullmatch(r"[\s(]*(\w+)(\s*\.\s*\w+|\[.*\]|\))*\s*", node.text, re.S)
        words = [found[1]] if found else re.findall(r"&\(\s*(\w+)", node.address)
        for variable in (v for scope in self.scopes[1:] for v in scope.values() if v.copied):
            if variable.text in words:
                self.fail(f"a reference to {variable.text}, returned, where a call computes it; make it a variable")

    def _using(self) -> str:
        word = self.take()
        if self.ask("namespace"):
            while not self.ask(";"):
                self.take()
            return word.space
        name = self.take()
        if not self.ask("="):  # using std::max;
            while not self.ask(";"):
                self.take()
            return word.space
        self._name_type(name.text, self.type_alone())
        self.need(";")
        return word.space

    def unit_types(self) -> dict[str, Any]:
        """Where names of types are kept that this text gives."""
        return self.bound

    def _name_type(self, name: str, kind: Type) -> None:
        types = self.unit_types()
        if types is self.unit.aliases and name in types and types[name] != kind:
            self.fail(f"the type's name {name}, which is defined twice; write it once, without `#if` around it")
        types[name] = kind

    def _typedef(self) -> str:
        word = self.take()
        kind, _, _ = self.specifiers()
        declared = self.declarator(kind)
        self._name_type(declared.name, declared.type)
        self.need(";")
        return word.space

    # --- declarations ------------------------------------------------------------------------------------------------

    def declares(self) -> bool:
        """Whether a declaration comes next."""
        token, after = self.peek(), self.peek(1)
        if token.kind != "name":
            return False
        if token.text in self.unit.namespaces and after.text == "::":
            held, self.at = self.at, self.at + 2
            declares = self.declares()
            self.at = held
            return declares
        if self.variable(token.text) is not None:
            return False
        if self.is_type(token):
            if after.text == "::":
                return self.peek(3).kind == "name"
            return after.text not in ("(", "{", ".")
        if after.kind == "name" and token.text not in ("return", "else", "sizeof"):
            return self.peek(2).text in ("=", ";", ",", "[", "(", "{")
        return after.text in ("*", "&") and self.peek(2).kind == "name" and self.peek(3).text in ("=", ";", "[")

    def declaration(self, *, alone: bool = False) -> str:
        """Variables; `alone` where one statement has to hold them all."""
        space = self.peek().space
        self.tokens[self.at] = replace(self.peek(), space="")
        kind, words, attributes = self.specifiers()
        if self.peek().text == ";" or self.peek().text == "{":
            self.fail("a structure in a function; write it outside")
        outer = len(self.scopes) == 1
        if not outer and "static" in words and not kind.const and "__shared__" not in words:
            self.fail("a static variable of a function; give a pointer to memory")
        storage = "".join(f"{word} " for word in dict.fromkeys(words) if word in _STORAGE) + attributes
        where = next((s for s in ("LOCAL", "constant") if kind.space == s), "constant" if outer and kind.const else "")
        kind = replace(kind, space="" if where else kind.space)  # of the variable, not of what it points to
        parts: list[tuple[str, str]] = []
        while True:
            prefix, text = self._declared(kind, where)
            parts.append((prefix, text))
            if not self.ask(","):
                break
        end = str(self.need(";"))
        if len({prefix for prefix, _ in parts}) == 1:
            names = ",".join(text for _, text in parts)
            return f"{space}{storage}{parts[0][0]}{names}{end}" if parts[0][0] or names else space + end
        if alone:
            self.fail("variables of several kinds in one declaration of a loop; write them before")
        return space + " ".join(f"{storage}{prefix}{text}{end}" for prefix, text in parts)

    def _declared(self, kind: Type, where: str) -> tuple[str, str]:
        """A declarator with its value: what stands before all names of a declaration, and the rest."""
        declared = self.declarator(kind)
        name = declared.name or self.fail("a declaration without a name")
        if declared.reference:
            return self._reference(declared)
        if self.peek().text == "=" and self.peek(1).text == "[":
            self.take()
            return self._lambda(name)
        text, node = self._value(declared)
        made = declared.type
        if made.base == "auto":
            value = node.value if node is not None else None
            made = replace(value, const=kind.const or (value.const and value.stars > 0)) if value is not None else made
            if value is None:
                shown = self.written(name)
                self.declare(name, Variable(shown, None, where))
                return ("const " if kind.const else "") + "auto ", shown + text
        number = None
        if kind.const and made.base in INTEGERS and not made.stars and not made.dims and node is not None:
            number = constant_of(f"({made.base})({node.text})", self.known_constant)
        elif (
            made.is_pointer and not made.space and node is not None and node.value is not None and node.value.is_pointer
        ):
            made = replace(made, space=node.value.space)
        dims = made.dims
        if dims and dims[0] == "" and node is not None and text.lstrip().startswith("="):
            made = replace(made, dims=("0", *dims[1:]))  # as many as there are values
        shown = self.written(name)
        self.declare(name, Variable(shown, made, where, constant=number))
        base = replace(made, stars=0, dims=()).spelled()
        stars = ("* GLOBAL" if made.space == "GLOBAL" else "*") * (made.stars - 1) + "*" * (made.stars > 0)
        return f"{base} ", stars + shown + "".join(f"[{size}]" for size in dims) + text

    def _value(self, declared: Declarator) -> tuple[str, Node | None]:
        """What a variable begins with, and its type."""
        kind = declared.type
        structure = self.unit.is_structure(kind) and not kind.dims
        token = self.peek()
        if token.text == "=":
            sign = str(self.take())
            if self.peek().text == "{":
                node = self.initializer(kind)
                return f"{sign}{node.text}", node
            node = self.assignment()
            if structure and node.type is not None and not node.type.same(kind):
                node = self.unit.constructed(self, " ", kind, [node])
            return f"{sign}{node.text}", node
        if token.text == "{":
            node = self.initializer(kind)
            return f" = {node.text}", node
        if token.text == "(":
            given = self.arguments()
            if structure and not (len(given) == 1 and given[0].type and given[0].type.same(kind)):
                node = self.unit.constructed(self, " ", kind, given)
            elif len(given) == 1:
                node = given[0]
            else:
                self.fail(f"{declared.name} of {len(given)} values")
            return f" = {node.text}", node
        if kind.dims and self.unit.is_made(kind):
            self.fail(f"an array of {kind.base}, which has a constructor; leave it out, and write a function")
        if structure and self.unit.has_constructor(kind):
            node = self.unit.constructed(self, " ", kind, [])
            return f" = {node.text}", node
        return "", None

    def _reference(self, declared: Declarator) -> tuple[str, str]:
        if self.peek().text not in ("=", "{", "("):
            self.fail(f"the reference {declared.name} without what it refers to")
        text, node = self._value(replace_type(declared))
        assert node is not None
        if node.type is None:
            self.fail(f"a reference to what is of no known type; write a pointer: `{declared.name} = &(...)`")
        kind = declared.type
        if kind.base == "auto":
            kind = replace(node.type, const=node.type.const or kind.const)
        if not node.lvalue or not node.type.same(kind):
            if not kind.const:
                self.fail(_REFERENCE_TO_CALL if not node.lvalue else
                          f"a reference to {kind.base} of what is {node.type.spelled()}")  # fmt: skip
            shown = self.written(declared.name)
            self.declare(declared.name, Variable(shown, kind))
            return f"{kind.spelled()} ", f"{shown}{text}"
        if node.type.dims:
            self.fail("a reference to an array; write a pointer to its first element")
        pointer = kind.pointer(node.space)
        shown = self.written(declared.name)
        self.declare(declared.name, Variable(f"(*{shown})", kind, node.space))
        base = replace(pointer, stars=0).spelled()
        value = text.lstrip()[1:]
        address = node.address or moved(value, "&({})").strip()
        return f"{base} ", f"{'*' * pointer.stars}{shown} = {address}"

    # --- lambdas -----------------------------------------------------------------------------------------------------

    def _lambda(self, name: str) -> tuple[str, str]:
        """A lambda: nothing is left of it here but copies of what it captures by value."""
        end = closing(self.tokens, self.at)
        captures = "".join(t.text for t in self.tokens[self.at + 1 : end])
        self.at = end + 1
        first = self.at
        if self.peek().text == "(":
            self.at = closing(self.tokens, self.at) + 1
        else:
            self.fail("a lambda without brackets; write `[&]() { ... }`")
        while self.peek().text in ("mutable", "constexpr", "noexcept", "__device__", "__host__"):
            self.take()
        inner = self.tokens[first : self.at]
        result = self.type_alone() if self.ask("->") else None
        brace = self.at
        if self.peek().text != "{":
            self.fail("a lambda without a body")
        self.at = closing(self.tokens, brace) + 1
        body = self.tokens[brace : self.at]
        if any(t.text == "this" for t in body) or not re.fullmatch(r"[&=]?(,?&?\w+)*", captures):
            self.fail("a lambda that captures more than variables; write a function")
        explicit = [c for c in captures.split(",") if c and c not in "&="]
        used = dict.fromkeys(
            t.text for before, t in pairwise(body) if t.kind == "name" and before.text not in (".", "->")
        )
        captured, copies = [], []
        for word in used:
            variable = next((s[word] for s in reversed(self.scopes[1:]) if word in s), None)
            if variable is None:
                if self.owner and self.unit.member(self.owner, word) is not None:
                    self.fail(f"a lambda that uses {word} of its structure; copy it to a variable before")
                continue
            if variable.lambda_ is not None:
                self.fail("a lambda that calls another; write functions")
            copied = word in explicit or (captures.startswith("=") and f"&{word}" not in explicit)
            if not copied and not captures.startswith("&") and f"&{word}" not in explicit:
                if variable.type is not None and variable.type.const:
                    copied = True  # constants need no capture
                else:
                    continue  # a name of the lambda's own, or the compiler says that it is not there
            if variable.type is None:
                self.fail(f"a lambda that captures {word}, whose type is not known; write its type instead of `auto`")
            kind = variable.type
            if copied:
                if kind.dims:
                    self.fail(f"a lambda that copies the array {word}; capture it by `&`")
                copy = self.unit.fresh(f"{name}_{word}")
                copies.append(f"{kind.spelled(copy)} = {variable.text};")
                variable = Variable(copy, kind)
            if kind.dims and any(t.text == "sizeof" for t in body):
                self.fail(f"`sizeof` in a lambda that captures the array {word}; write the number")
            captured.append((word, variable))
        made = Lambda(name, [*inner, *body], captured, self.bound, result)
        self.declare(name, Variable(name, None, lambda_=made))
        return "", " ".join(copies)[:-1]


_KEYWORDS = frozenset(("if", "while", "switch", "do", "for", "return", "using", "typedef"))


def replace_type(declared: Declarator) -> Declarator:
    """A reference's declarator as a variable's, for the sake of its value."""
    return Declarator(declared.name, replace(declared.type, base="auto"), line=declared.line)
