"""Which function a call means, and the functions in C that calls need: one for each choice of types, and of where the
memory lies that pointers and references point to."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from devarray.codegen.language.cplusplus.complex import ENGINES
from devarray.codegen.language.cplusplus.definitions import Function
from devarray.codegen.language.cplusplus.expressions import Expressions, Node
from devarray.codegen.language.cplusplus.reader import Declarator, Reader, Variable, closing
from devarray.codegen.language.cplusplus.statements import Lambda, Statements
from devarray.codegen.language.cplusplus.templates import Bound, Templates
from devarray.codegen.language.cplusplus.tokens import NotUnderstood
from devarray.codegen.language.cplusplus.types import LIBRARY, Type, conversion

__all__ = ["OPENCLS", "Calls"]

_BY_VALUE = "value"
"""How a constant reference is taken where nothing can change it meanwhile; else where it points."""
OPENCLS = frozenset(("kernel", "global", "local", "constant", "private", "half"))
"""Words of OpenCL C that are names in C++."""
_SIGNS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod", "==": "eq", "!=": "ne", "<": "lt", ">": "gt",
    "<=": "le", ">=": "ge", "=": "assign", "()": "call", "[]": "at", "!": "not", "~": "invert", "&": "and", "|": "or",
    "^": "xor", "<<": "left", ">>": "right", "++": "next", "--": "before", "&&": "both", "||": "any",
}  # fmt: skip


@dataclass(slots=True)
class _Instance:
    """A function in C."""

    name: str
    result: Type
    reference: bool


class Calls(Templates):
    """Resolves calls, and writes the functions that they need."""

    def __init__(self) -> None:
        self._instances: dict[Any, _Instance | None] = {}
        self.computes_complex = False

    # --- which function a call means ---------------------------------------------------------------------------------

    def call(
        self, at: Expressions, space: str, name: str, given: list[Type | str] | None, arguments: list[Node]
    ) -> Node:
        """A call of a function by its name."""
        if len({f.space for f in self.functions[name] if f.space is not None}) > 1:
            at.fail(f"{name}, which several namespaces have; give each a name of its own")
        function, bound, parameters = self.chosen(at, name, self.functions[name], given, arguments)
        return self._called(at, space, function, bound, parameters, arguments)

    def method(
        self, at: Expressions, held: Node, name: str, arguments: list[Node], given: list[Type | str] | None = None
    ) -> Node:
        """A call of a member function."""
        assert held.type is not None
        candidates = self.structures[held.type.base].methods.get(name)
        if not candidates:
            at.fail(f"`{name}` of {held.type.base}, which has none")
        candidates = _for_constness(candidates, held)
        function, bound, parameters = self.chosen(at, name, candidates, given, arguments)
        return self._called(at, "", function, bound, parameters, arguments, None if function.static else held)

    def constructed(self, at: Expressions, space: str, kind: Type, arguments: list[Node]) -> Node:
        """A value of a structure."""
        kind = kind.plain()
        candidates = self.structures[kind.base].constructors
        if len(arguments) == 1 and arguments[0].type is not None and arguments[0].type.same(kind):
            return replace(arguments[0], text=f"{space}({arguments[0].text})", lvalue=False)
        if not candidates:
            inside = ", ".join(a.text for a in arguments) or "0"
            return Node(f"{space}(({kind.base}){{{inside}}})", kind)
        function, bound, parameters = self.chosen(at, kind.base, candidates, None, arguments)
        return self._called(at, space, function, bound, parameters, arguments)

    def operator(self, at: Expressions, sign: str, operands: list[Node]) -> Node | None:
        """A structure's operator; None where the text has none."""
        name, first = f"operator{sign}", operands[0].type
        if first is not None and self.is_structure(first):
            methods = _for_constness(self.structures[first.base].methods.get(name, []), operands[0])
            own = [f for f in methods if self._takes(f, len(operands) - 1)]
            if own:
                function, bound, parameters = self.chosen(at, name, own, None, operands[1:])
                return self._called(at, "", function, bound, parameters, operands[1:], operands[0])
        if candidates := [f for f in self.functions.get(name, []) if self._takes(f, len(operands))]:
            function, bound, parameters = self.chosen(at, name, candidates, None, operands)
            return self._called(at, "", function, bound, parameters, operands)
        return None

    def call_lambda(self, at: Expressions, space: str, made: Lambda, arguments: list[Node]) -> Node:
        """A call of a lambda."""
        brackets = next(n for n, t in enumerate(made.tokens) if t.text == "{")
        close = closing(made.tokens, 0)
        function = Function(made.name, [], made.tokens[: close + 1], made.tokens[brackets:], made.tokens[0].line)
        function.captured = made.captured
        parameters = Reader(self, function.parameters, dict(made.bound)).parameters()
        if any(p.type.base == "auto" for p in parameters):
            at.fail(f"the lambda {made.name} with `auto` parameters; name their types")
        key = ("lambda", id(made))
        return self._called(at, space, function, dict(made.bound), parameters, arguments, result=made.result, key=key)

    @staticmethod
    def _takes(function: Function, count: int) -> bool:
        """Whether a function may have that many parameters, whatever their types."""
        inside, depth, commas, defaults = function.parameters[1:-1], 0, 0, 0
        for token in inside:
            depth += (token.text in ("(", "<", "[", "{")) - (token.text in (")", ">", "]", "}"))
            commas += token.text == "," and depth == 0
            defaults += token.text == "=" and depth == 0
        total = commas + 1 if inside and [t.text for t in inside] != ["void"] else 0
        return total - defaults <= count <= total

    def chosen(
        self,
        at: Expressions,
        name: str,
        candidates: list[Function],
        given: list[Type | str] | None,
        arguments: list[Node],
    ) -> tuple[Function, Bound, list[Declarator]]:
        """The function that a call means, its template arguments and its parameters, as C++ chooses them."""
        found: list[tuple[list[int], Function, Bound, list[Declarator]]] = []
        reasons: list[str] = []
        fitting = [f for f in candidates if self._takes(f, len(arguments)) and f.special is None and f.body]
        if not fitting:
            at.fail(f"{name} with {len(arguments)} arguments, which the text does not have")
        for function in fitting:
            if given and not function.template:
                continue
            try:
                bound = self._deduced(function, given or [], arguments)
                parameters = Reader(self, function.parameters, dict(bound)).parameters()
            except NotUnderstood as error:
                reasons.append(str(error))
                continue
            if len(fitting) == 1:
                found.append(([], function, bound, parameters))
                continue
            costs: list[int] = []
            for p, argument in zip(parameters, arguments, strict=False):
                kind = argument.value
                if kind is None:
                    at.fail(f"a call of {name}, of which there are several, with `{argument.text.strip()}`, whose"
                            " type is not known; write it as a variable of a type")  # fmt: skip
                cost = conversion(kind, p.type)
                if cost is None or (p.reference and not p.type.const and (cost or not argument.lvalue)):
                    break
                costs.append(cost)
            else:
                found.append((costs, function, bound, parameters))
        if not found:
            at.fail(reasons[0] if reasons else f"a call of {name} with arguments that no function of that name takes")
        best = [f for f in found if all(g is f or all(a <= b for a, b in zip(f[0], g[0], strict=True)) for g in found)]
        if len(best) > 1:
            best = [f for f in best if not f[1].template] or best
        if len(best) > 1:
            best = _closest(best, [_const(a) for a in arguments]) or best
        if len(best) != 1:
            at.fail(f"a call of {name} that may mean several functions; convert its arguments")
        _, function, bound, parameters = best[0]
        if function.template:
            for special in candidates:
                if special.special is None:
                    continue
                own = self._is_special(special, function, bound, parameters)
                if own is not None:
                    return special, dict(special.bound), own
        return function, bound, parameters

    def points(self, kind: Type | None) -> bool:
        """Whether memory is reached through a value."""
        if kind is None or kind.stars:
            return True
        made = self.structures.get(kind.base)
        return made is not None and any(self.points(field) for field in made.fields.values())

    def _gives_address(self, function: Function, bound: Bound) -> bool:
        """Whether a function may return where an argument lies."""
        if function.constructor:
            return self.points(Type(function.owner))
        tokens = function.trailing or function.head
        if not tokens or any(t.text == "auto" for t in tokens):
            return any(t.text == "&" for t in (*tokens, *function.body))
        kind, reference = self._result(function, bound)
        return reference or self.points(kind)

    # --- functions in C ----------------------------------------------------------------------------------------------

    def _called(
        self, at: Expressions, space: str, function: Function, bound: Bound, parameters: list[Declarator],
        arguments: list[Node], held: Node | None = None, *, result: Type | None = None, key: Any = None,
    ) -> Node:  # fmt: skip
        """The text of a call, for which the function in C is made where it is not there yet."""
        texts: list[str] = []
        modes: list[str] = []
        if len(arguments) > len(parameters):
            at.fail(f"{function.name} with {len(arguments)} arguments")
        for p in parameters[len(arguments) :]:
            reader = Statements(self, p.default, dict(bound), self.variables)
            reader.owner = function.owner
            arguments = [*arguments, reader.assignment()]
        changing = any(self.points(p.type) or (p.reference and not p.type.const) for p in parameters)
        quiet = not changing and not function.captured and not self._gives_address(function, bound)
        quiet = quiet and (held is None or (function.const and not self.points(held.type)))
        if held is not None:
            if held.lvalue:
                modes.append(held.space)
                texts.append(_address(held))
            else:
                assert held.type is not None
                if held.assigned and not function.const:
                    at.fail(f"{function.name} of what is assigned; write two statements")
                modes.append(_BY_VALUE)
                texts.append(held.text.strip())
        for p, argument in zip(parameters, arguments, strict=True):
            mode, text = self._given(at, function, p, argument, quiet)
            modes.append(mode)
            texts.append(text)
        for _, variable in function.captured:
            assert variable.type is not None
            modes.append(variable.space)
            texts.append(variable.text if variable.type.dims else _address(Node(variable.text)))
        made = self._instance(at, function, bound, parameters, modes, result, key)
        text = f"{space or _space(held)}{made.name}({', '.join(texts)})"
        if made.reference:
            kind = made.result.element()
            return Node(moved_call(text), kind, True, made.result.space)
        return Node(text, made.result)

    def _given(
        self, at: Expressions, function: Function, p: Declarator, argument: Node, quiet: bool
    ) -> tuple[str, str]:
        """How an argument is taken, and its text."""
        text = argument.text.strip()
        if argument.text.lstrip().startswith("{"):
            at.fail(f"a value in braces as an argument of {function.name}; name its type before")
        if p.reference:
            same = argument.type is not None and argument.type.same(p.type)
            if argument.type is None and not (quiet and p.type.const):
                at.fail(f"`{text}` as a reference of {function.name}, whose type is not known; make it a variable")
            if p.type.const and (quiet or not same or not argument.lvalue):
                if self.is_structure(p.type) and not same and argument.type is not None:
                    text = self.constructed(at, "", p.type, [argument]).text
                return _BY_VALUE, text
            if not same or not argument.lvalue:
                kind = argument.type.spelled() if argument.type else ""
                at.fail(f"`{text}`, which is {kind}, as a reference to {p.type.spelled()} of {function.name}")
            return argument.space, _address(argument)
        if p.type.is_pointer:
            value = argument.value
            return (p.type.space or (value.space if value is not None and value.is_pointer else "")), text
        if self.is_structure(p.type) and argument.type is not None and not argument.type.same(p.type):
            text = self.constructed(at, "", p.type, [argument]).text
        return _BY_VALUE, text

    def _instance(
        self, at: Expressions, function: Function, bound: Bound, parameters: list[Declarator], modes: list[str],
        result: Type | None, key: Any,
    ) -> _Instance:  # fmt: skip
        key = (key or id(function), tuple(sorted((n, repr(v)) for n, v in bound.items())), tuple(modes))
        if key in self._instances:
            found = self._instances[key]
            return found or at.fail(f"{function.name} calls itself, which OpenCL has not; write a loop")
        self._instances[key] = None  # it is being made
        self.computes_complex |= any(t.text == "complex" for t in (*function.head, *function.parameters)) or (
            function.owner in ENGINES.values()
        )
        name = self._name(function)
        reader = Statements(self, function.body, dict(bound), self.variables, {})
        reader.owner = function.owner
        texts = []
        left = list(modes)
        if function.owner and not function.static and not function.constructor:
            space = left.pop(0)
            own = Type(function.owner, const=function.const)
            copied = space == _BY_VALUE
            texts.append(own.spelled("self_") if copied else own.pointer(space).spelled("this_"))
            reader.declare("*this", Variable("(*this_)", own, "" if copied else space))
        elif function.constructor:
            reader.declare("*this", Variable("(*this_)", Type(function.owner)))
        for p, mode in zip(parameters, left, strict=False):
            name_ = p.name or f"unnamed_{len(texts)}"
            shown = reader.written(name_)
            if p.reference and mode != _BY_VALUE:
                texts.append(p.type.pointer(mode).spelled(shown))
                reader.declare(name_, Variable(f"(*{shown})", p.type, mode))
                continue
            kind = replace(p.type, space=mode) if p.type.is_pointer and not p.reference else p.type
            texts.append(kind.spelled(shown))
            reader.declare(name_, Variable(shown, kind, copied=p.reference))
        for word, variable in function.captured:
            kind = variable.type or Type("void")
            shown = self.fresh(word)
            if kind.dims:
                kind = kind.element().pointer(variable.space)
                reader.scopes[1].setdefault(word, Variable(shown, kind))
            else:
                reader.scopes[1].setdefault(word, Variable(f"(*{shown})", kind, variable.space))
                kind = kind.pointer(variable.space)
            texts.append(kind.spelled(shown))
        declared, reference = (result, False) if not function.head or result else self._result(function, bound)
        reader.result, reader.reference = declared, reference
        for token in function.body:
            if token.text == "__shared__":
                raise NotUnderstood(
                    f"`__shared__` in {function.name}; declare it in the kernel and give its address", token.line
                )
        body = self._constructor(reader, function) if function.constructor else reader.block()
        if _BY_VALUE in modes[:1] and function.owner and not function.static and not function.constructor:
            body = f" {{ {own.pointer('').spelled('this_')} = &self_; {body.lstrip()} }}"
            if reference:
                raise NotUnderstood(f"{function.name} of a value that is computed; make it a variable", function.line)
        made_result = self._found(function, declared, reference, reader.returned)
        made = _Instance(name, made_result, reference)
        head = f"__device__ {made_result.spelled()} {name}({', '.join(texts)})"
        self.pending.append(f"\n#line {function.body[0].line}\n{head} {body.lstrip()}\n")
        self._instances[key] = made
        return made

    def _constructor(self, reader: Statements, function: Function) -> str:
        own = function.owner
        before = f"{own} made_; {own}* this_ = &made_;"
        for name, tokens in function.begins:
            kind = self.structures[own].fields.get(name)
            if kind is None:
                raise NotUnderstood(f"{name} in a constructor of {own}, which is no field", function.line)
            inner = Statements(self, [*tokens], reader.bound, *reader.scopes)
            inner.owner = own
            given = []
            while inner.peek().kind:
                given.append(inner.assignment())
                inner.ask(",")
            if self.is_structure(kind):
                value = self.constructed(inner, "", kind, given).text
            elif len(given) > 1 or kind.dims:
                raise NotUnderstood(f"{name} of several values in a constructor; assign them", function.line)
            else:
                value = given[0].text if given else "0"
            before += f" this_->{name} = {value.strip()};"
        if any(t.text == "return" for t in function.body):
            raise NotUnderstood(f"`return` in a constructor of {own}; write a function", function.line)
        body = reader.block()
        return f" {{ {before}{body} return made_; }}"

    def _result(self, function: Function, bound: Bound) -> tuple[Type, bool]:
        if function.constructor:
            return Type(function.owner), False
        tokens = function.trailing or function.head
        reader = Reader(self, tokens, dict(bound))
        kind, _, _ = reader.specifiers()
        declared = reader.declarator(kind, named=False)
        return declared.type, declared.reference

    def _found(self, function: Function, declared: Type | None, reference: bool, returned: list[Node]) -> Type:
        """The type in C of what a function returns."""
        if function.constructor:
            return Type(function.owner)
        kinds = [node.type if reference else node.value for node in returned]
        if declared is None or declared.base == "auto":
            if not kinds:
                return Type("void")
            first = kinds[0]
            if first is None or any(k is None or not k.same(first) for k in kinds):
                raise NotUnderstood(f"{function.name}, whose result's type is not known; write it", function.line)
            declared = first
        declared = replace(declared, const=declared.const and (declared.stars > 0 or reference))
        if not declared.is_pointer and not reference:
            return declared
        spaces = {
            node.space if reference else k.space if k is not None else ""
            for node, k in zip(returned, kinds, strict=True)
        }
        if len(spaces) > 1:
            raise NotUnderstood(f"{function.name}, which returns pointers to several kinds of memory", function.line)
        space = declared.space or next(iter(spaces), "")
        return declared.pointer(space) if reference else replace(declared, space=space)

    def _name(self, function: Function) -> str:
        """A name for a function in C."""
        name = function.name
        if name.startswith("operator"):
            sign = name[len("operator") :]
            known = _SIGNS.get(sign) or (_SIGNS.get(sign[:-1], "op") + "_to")
            name = f"{function.owner}_{known}" if function.owner else f"operator_{known}"
        elif function.constructor:
            name = f"made_{function.owner}"
        elif function.owner:
            name = f"{function.owner}_{name}"
        if name in self.given_names or name in self.names or name in OPENCLS or name in LIBRARY:
            return self.fresh(name)  # OpenCL has functions such as `any` and `popcount`
        self.given_names.add(name)
        return name

    def fresh(self, name: str) -> str:
        """A name for C that nothing has: this one, numbered."""
        number = 2
        while f"{name}_{number}" in self.given_names or f"{name}_{number}" in self.names:
            number += 1
        self.given_names.add(f"{name}_{number}")
        return f"{name}_{number}"

    given_names: set[str]

    def is_structure(self, kind: Type | None) -> bool:
        """Whether a value is of a structure of the text."""
        return kind is not None and not kind.stars and not kind.dims and kind.base in self.structures


def _for_constness(functions: list[Function], held: Node) -> list[Function]:
    """Of two member functions with the same parameters, the one that is meant for a const object or for another."""
    const = held.type is not None and held.type.const

    def other(f: Function) -> bool:
        return any(
            g.const is const and [t.text for t in g.parameters] == [t.text for t in f.parameters] for g in functions
        )

    return [f for f in functions if f.static or f.const is const or (f.const and not other(f))]


def _const(argument: Node) -> bool | None:
    """Whether an argument, or what it points to, is const; None for a value."""
    kind = argument.type
    if kind is None or (not argument.lvalue and not kind.stars):
        return None
    return kind.const


def _closest(found: list[Any], const: list[bool | None]) -> list[Any]:
    """Of functions that differ in `const` behind references and pointers alone, the one that adds none."""

    def drops(p: Declarator, is_const: bool | None) -> bool:
        return (p.reference or p.type.stars == 1) and not p.type.const and is_const is True

    def adds(p: Declarator, is_const: bool | None) -> bool:
        return (p.reference or p.type.stars == 1) and p.type.const and is_const is False

    marks = [[adds(p, c) for p, c in zip(parameters, const, strict=False)] for _, _, _, parameters in found]
    alike = all(
        len(f[3]) == len(found[0][3])
        and not f[1].template
        and all(a.type.same(b.type) and a.reference == b.reference for a, b in zip(f[3], found[0][3], strict=True))
        for f in found
    )
    if not alike:
        return []
    taken = [(f, m) for f, m in zip(found, marks, strict=True) if not any(map(drops, f[3], const))]
    least = [f for f, m in taken if all(all(a <= b for a, b in zip(m, other, strict=True)) for _, other in taken)]
    return least if len(least) == 1 else []


def _space(held: Node | None) -> str:
    if held is None:
        return ""
    found = re.match(r"\s*", held.text)
    return found[0] if found else ""


def _address(node: Node) -> str:
    if node.address:
        return node.address
    inside = node.text.strip()
    return inside[2:-1] if re.fullmatch(r"\(\*\w+\)", inside) else f"&({inside})"


def moved_call(text: str) -> str:
    inside = text.lstrip()
    return f"{text[: len(text) - len(inside)]}(*{inside})"
