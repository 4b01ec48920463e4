"""Expressions of C++ in C, with their types as far as they are known."""

from __future__ import annotations

from dataclasses import replace

from devarray.codegen.language.cplusplus.constants import Constant, constant_of
from devarray.codegen.language.cplusplus.nodes import Node, moved_node
from devarray.codegen.language.cplusplus.reader import Reader, Variable, moved
from devarray.codegen.language.cplusplus.types import RANKS, Type, arithmetic, function_type, limit, number_type

__all__ = ["Expressions", "Node"]

_LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"],
           ["*", "/", "%"]]  # fmt: skip
_LEVEL = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
_TRUTH = frozenset(("||", "&&", "==", "!=", "<", ">", "<=", ">="))
_ASSIGN = frozenset(("=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="))
_CASTS = frozenset(("static_cast", "reinterpret_cast", "const_cast"))
_REFUSED = {
    "new": "memory on the heap; declare an array of a fixed size",
    "delete": "memory on the heap; declare an array of a fixed size",
    "dynamic_cast": "`dynamic_cast`; structures have no virtual members here",
    "throw": "an exception; return a value that says it",
    "try": "an exception; return a value that says it",
    "typeid": "`typeid`; name the type",
    "co_await": "a coroutine",
}


class Expressions(Reader):
    """Reads expressions; `scopes` are the variables that they see, the innermost last."""

    scopes: list[dict[str, Variable]]
    owner: str = ""
    """The structure whose member function is read."""

    def variable(self, name: str) -> Variable | None:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def known_constant(self, text: str) -> Constant | None:
        """The value of a constant by its name in C."""
        for scope in reversed(self.scopes):
            for variable in scope.values():
                if variable.text == text:
                    return variable.constant
        found: Constant | None = self.unit.constants.get(text)
        return found

    def this(self) -> Node:
        """The object whose member function is read."""
        variable = self.variable("*this")
        assert variable is not None
        return Node(variable.text, variable.type, True, variable.space)

    def expression(self) -> Node:
        left = self.assignment()
        while self.peek().text == ",":
            comma = self.take()
            right = self.assignment()
            left = Node(f"{left.text}{comma}{right.text}", right.type)
        return left

    def assignment(self) -> Node:
        left = self.conditional()
        sign = self._sign()
        if sign not in _ASSIGN:
            return left
        text = self._take_sign(sign)
        left = left.placed()
        right = self.initializer(left.type) if sign == "=" and self.peek().text == "{" else self.assignment()
        same = right.type is None or (left.type is not None and right.type.same(left.type))
        if self.unit.is_structure(left.type) and not (sign == "=" and same):
            if called := self.unit.operator(self, sign, [left, right]):
                return called
            if sign != "=":
                self.fail(f"`{sign}` of {left.type.base}, which has no such operator")  # type: ignore[union-attr]
            right = self.unit.constructed(self, " ", left.type, [right])
        return Node(f"{left.text}{text}{right.text}", left.type, assigned=self.unit.is_structure(left.type))

    def _sign(self) -> str:
        """The next operator; `>` and `>` side by side are one, as are `>` and `>=`."""
        token, after = self.peek(), self.peek(1)
        if token.kind != "sign":
            return ""
        if token.text == ">" and not after.space and after.text in (">", ">="):
            return ">" + after.text
        return token.text

    def _take_sign(self, sign: str) -> str:
        made = str(self.take())
        while len(made.lstrip()) < len(sign) and not made.rstrip().endswith(sign):
            made += str(self.take())
        return made

    def conditional(self) -> Node:
        test = self.binary(0)
        if self.peek().text != "?":
            return test
        mark = self.take()
        first = self.expression() if self.peek().text != ":" else self.fail("`?:` without a value")
        colon = self.need(":")
        second = self.assignment()
        kind = first.value
        if kind is None or second.value is None:
            kind = None
        elif kind.is_number and second.value.is_number:
            kind = kind if kind == second.value else arithmetic(kind, second.value)
        made = Node(f"{test.text}{mark}{first.text}{colon}{second.text}", kind)
        a, b = first.type, second.type
        if first.lvalue and second.lvalue and a is not None and b is not None and a.same(b) and not a.dims:
            if first.space != second.space:
                return made
            left, right = (n.address or f"&({n.text})" for n in (first, second))
            made = replace(made, type=replace(a, const=a.const or b.const), lvalue=True, space=first.space)
            made.address = f"({test.text.strip()}{mark}{left}{colon}{right})"
        return made

    def binary(self, lowest: int) -> Node:
        left = self.unary()
        while True:
            sign = self._sign()
            level = _LEVEL.get(sign, -1)
            if level < lowest:
                return left
            text = self._take_sign(sign)
            left = self.joined(left, sign, text, self.binary(level + 1))

    def joined(self, left: Node, sign: str, text: str, right: Node) -> Node:
        if self.unit.is_structure(left.type) or self.unit.is_structure(right.type):
            called = self.unit.operator(self, sign, [left, right])
            if called is None:
                kinds = " and ".join(t.spelled() if t else "something" for t in (left.type, right.type))
                self.fail(f"`{sign}` of {kinds}, for which the text has no operator")
            return called
        a, b = left.value, right.value
        if sign in _TRUTH:
            kind: Type | None = Type("bool")
        elif sign in ("<<", ">>"):
            kind = arithmetic(a, a)
        elif a is not None and a.is_pointer and sign in "+-":
            kind = Type("long") if b is not None and b.is_pointer else a
        elif b is not None and b.is_pointer and sign == "+":
            kind = b
        else:
            kind = arithmetic(a, b) or (a if a is not None and a == b else None)
        return Node(f"{left.text}{text}{right.text}", kind)

    def unary(self) -> Node:
        token = self.peek()
        if token.kind == "sign" and token.text in ("-", "+", "!", "~", "++", "--", "*", "&"):
            self.take()
            inner = self.unary().placed()
            if self.unit.is_structure(inner.type) and token.text not in ("*", "&"):
                called = self.unit.operator(self, token.text, [inner])
                return called or self.fail(f"`{token.text}` of {inner.type.base}, which has no such operator")  # type: ignore[union-attr]
            text = f"{token}{inner.text}"
            kind = inner.value
            if token.text == "*":
                if kind is not None and kind.is_pointer:
                    return Node(text, kind.element(), True, kind.space)
                return Node(text, None, True)
            if token.text == "&":
                return Node(text, inner.type.pointer(inner.space) if inner.type and not inner.type.dims else None)
            if token.text == "!":
                return Node(text, Type("bool"))
            if token.text in ("++", "--"):
                return Node(text, kind, True, inner.space)
            return Node(text, arithmetic(kind, kind))
        if token.text == "sizeof":
            return self._sizeof()
        if token.text == "(" and (cast := self._cast()):
            return cast
        return self.postfix(self.primary())

    def _sizeof(self) -> Node:
        word = self.take()
        if self.peek().text == "(" and self.names_type(1):
            bracket = self.take()
            kind = self.type_alone()
            return Node(f"{word}{bracket}{replace(kind, space='').spelled()}{self.need(')')}", Type("unsigned long"))
        inner = self.unary()
        if inner.type is not None and inner.type.is_number:  # C has an int where C++ has a bool or a char
            return Node(f"{word}({inner.type.base})", Type("unsigned long"))
        return Node(f"{word}{inner.text}", Type("unsigned long"))

    def type_alone(self) -> Type:
        kind, _, _ = self.specifiers()
        return self.declarator(kind, named=False).type

    def _cast(self) -> Node | None:
        """`(T)x`, or None where the bracket holds no type."""
        start = self.at
        bracket = self.take()
        if not (self.names_type() or self.peek().text in self.unit.namespaces):
            self.at = start
            return None
        kind = self.type_alone()
        if not self.ask(")"):
            self.at = start
            return None
        if self.peek().text == "{":  # a compound literal
            return self.initializer(kind, moved(bracket.space + "(", "{}") + kind.spelled() + ")")
        inner = self.unary()
        return self.converted(bracket.space, kind, inner, brackets=False)

    def converted(self, space: str, kind: Type, inner: Node, *, brackets: bool = True) -> Node:
        """An expression as one of another type."""
        if kind.is_pointer and not kind.space and inner.value is not None and inner.value.is_pointer:
            kind = replace(kind, space=inner.value.space)
        if self.unit.is_structure(kind):
            if inner.type is not None and inner.type.same(kind):
                return replace(inner, text=f"{space}({inner.text})", lvalue=False)
            return self.unit.constructed(self, space, kind, [inner])
        if self.unit.is_structure(inner.type):
            self.fail(f"a conversion of {inner.type.base} to {kind.base}; write a function")  # type: ignore[union-attr]
        text = f"{space}(({kind.spelled()})({inner.text}))" if brackets else f"{space}({kind.spelled()}){inner.text}"
        return Node(text, kind.plain())

    def arguments(self) -> list[Node]:
        made: list[Node] = []
        self.need("(")
        while not self.ask(")"):
            made.append(self.initializer(None) if self.peek().text == "{" else self.assignment())
            if not self.ask(",") and self.peek().text != ")":
                self.fail(f"`{self.peek().text}` among the arguments of a function")
        return made

    def primary(self) -> Node:
        token = self.peek()
        if token.kind == "number":
            return Node(
                str(self.take()), number_type(token.text) or self.fail(f"`{token.text}`, which is no number here")
            )
        if token.kind == "text":
            return Node(str(self.take()), Type("char") if token.text[0] == "'" else Type("char", 1, space="constant"))
        if token.text == "(":
            self.take()
            inner = self.expression()
            return replace(inner, text=f"{token}{inner.text}{self.need(')')}")
        if token.text == "[":
            self.fail("a lambda that is no variable; write `auto f = [&](...) { ... };` and call f")
        if token.text == "::" or token.text in self.unit.namespaces:
            space = token.space
            self.skip_namespaces()
            return moved_node(self.primary(), space)
        if token.kind != "name":
            self.fail(f"`{token.text or 'the end'}` where a value is awaited")
        return self._name()

    def _name(self) -> Node:
        token = self.take()
        name, space = token.text, token.space
        after = self.peek().text
        if name in _REFUSED:
            self.at -= 1
            self.fail(_REFUSED[name])
        if name in _CASTS:
            self.need("<")
            kind = self.type_alone()
            self.need(">")
            self.need("(")
            inner = self.expression()
            self.need(")")
            return self.converted(space, kind, inner)
        if name == "numeric_limits":
            self.need("<")
            kind = self.type_alone()
            self.need(">")
            self.need("::")
            return self.limit(space, kind, self.take().text)
        if self.owner and not any(name in scope for scope in self.scopes[1:]):
            member = self.unit.member(self.owner, name)
            if member is not None:
                return moved_node(
                    member if isinstance(member, Node) else self._member(self.this(), name, member), space
                )
        known = self.variable(name)
        if known is None and isinstance(value := self.bound.get(name), str):
            number = constant_of(value, self.unit.constants.get)
            return Node(space + value, number[1] if number else None)
        if name == "this" and self.owner:
            return Node(f"{space}this_", Type(self.owner, 1, space=self.this().space))
        if name in ("true", "false"):
            return Node(str(token), Type("bool"))
        if known is None and self.is_type(token):
            self.at -= 1
            return self._of_type(space)
        if known is not None and known.lambda_ is None and after != "(":
            return Node(space + known.text, known.type, True, known.space)
        given = None
        if known is None and after == "<" and self.unit.is_template(name):
            given = self.template_arguments()
            after = self.peek().text
        elif known is None and after == "<" and self.is_type(self.peek(1)):
            return self._of_library(space, name)
        if after == "(":
            arguments = self.arguments()
            if known is not None and known.lambda_ is not None:
                return self.unit.call_lambda(self, space, known.lambda_, arguments)
            if known is not None and self.unit.is_structure(known.type):
                return moved_node(
                    self.unit.method(self, Node(known.text, known.type, True, known.space), "operator()", arguments),
                    space,
                )
            if known is None and self.unit.has_function(name, arguments):
                return self.unit.call(self, space, name, given, arguments)
            inside = ",".join(a.text for a in arguments)
            return Node(f"{token}({inside})", function_type(name, [a.value for a in arguments]))
        if self.unit.functions.get(name) and known is None:
            self.at -= 1
            self.fail(f"the function {name} as a value; call it where it is wanted")
        if known is not None:
            self.at -= 1
            self.fail(f"the lambda {name} as a value; call it where it is wanted")
        if name in ("threadIdx", "blockIdx", "blockDim", "gridDim") and self.peek().text == ".":
            return Node(f"{token}{self.take()}{self.take()}", Type("unsigned int"))
        return Node(str(token), *((Type("int"),) if known is None and name in self.unit.constants else (None, True)))

    def _of_library(self, space: str, name: str) -> Node:
        """`max<float>(a, b)` and its like, of CUDA's library."""
        given = self.template_arguments()
        kind = given[0]
        if (
            len(given) != 1
            or not isinstance(kind, Type)
            or self.peek().text != "("
            or name not in ("min", "max", "abs")
        ):
            self.fail(f"the template {name}, which the text does not have")
        inside = ", ".join(self.converted("", kind, a).text for a in self.arguments())
        return Node(f"{space}{name}({inside})", kind)

    def _of_type(self, space: str) -> Node:
        """`T(x)`, `T{x}`, `T()`, or a member of a type."""
        kind, _, _ = self.specifiers()
        if self.ask("::"):
            return self.unit.static_member(self, space, kind, self.take().text)
        if self.peek().text == "{":
            return self.initializer(kind, f"{space}({kind.plain().spelled()})", whole=True)
        if self.peek().text != "(":
            self.fail(f"the type {kind.base} where a value is awaited")
        given = self.arguments()
        if self.unit.is_structure(kind):
            if len(given) == 1 and given[0].type is not None and given[0].type.same(kind):
                return replace(given[0], text=f"{space}({given[0].text})", lvalue=False)
            return self.unit.constructed(self, space, kind, given)
        if not given:
            return Node(f"{space}(({kind.spelled()})0)", kind.plain())
        if len(given) > 1:
            self.fail(f"{kind.base} of {len(given)} values")
        return self.converted(space, kind, given[0])

    def limit(self, space: str, kind: Type, name: str) -> Node:
        """A member of `std::numeric_limits`."""
        if self.ask("("):
            self.need(")")
        value = limit(kind.base, name)
        if value is None:
            self.fail(f"`std::numeric_limits<{kind.base}>::{name}`; write the number")
        return Node(f"{space}(({kind.base}){value})", kind.plain())

    def initializer(self, kind: Type | None, prefix: str = "", *, whole: bool = False) -> Node:
        """What stands in braces: `prefix` makes a value of it."""
        brace = self.need("{")
        parts: list[Node] = []
        while not self.ask("}"):
            if "#" in self.peek().space:
                self.fail("a directive within braces")
            if self.peek().text == ".":  # .name = value
                label = f"{self.take()}{self.take()}{self.need('=')}"
                value = self.assignment()
                if kind is not None and any(self.unit.has_constructor(f) for f in self._fields(kind)):
                    self.fail(f"a value by its name in {kind.base}, parts of which have constructors; leave it out")
                parts.append(replace(value, text=label + value.text))
            else:
                inner = self._part_of(kind, len(parts))
                value = self.initializer(inner) if self.peek().text == "{" else self.assignment()
                parts.append(self._as_part(value, kind, inner))
            if not self.ask(",") and self.peek().text != "}":
                self.fail(f"`{self.peek().text}` in an initializer")
        space = prefix[: len(prefix) - len(prefix.lstrip())] if prefix else brace.space
        if kind is not None and not kind.dims and self.unit.has_constructor(kind):
            return self.unit.constructed(self, space, kind, parts)
        inside = ",".join(p.text for p in parts) or "0"
        if kind is not None and (kind.base in RANKS or kind.stars) and not kind.dims:
            if len(parts) > 1:
                self.fail(f"{kind.base} of {len(parts)} values")
            return Node(f"{space}(({kind.spelled()})({inside}))" if whole else f"{space}({inside})", kind.plain())
        return Node(f"{prefix or brace.space}{{{inside}}}", kind)

    def _fields(self, kind: Type) -> list[Type]:
        made = self.unit.structures.get(kind.base) if not kind.stars and not kind.dims else None
        return list(made.fields.values()) if made is not None else []

    def _part_of(self, kind: Type | None, place: int) -> Type | None:
        """The type of a value in braces."""
        if kind is None or (not kind.dims and not self.unit.is_structure(kind)):
            return None
        if kind.dims:
            return kind.element()
        fields = [] if self.unit.has_constructor(kind) else self._fields(kind)
        return fields[place] if place < len(fields) else None

    def _as_part(self, value: Node, kind: Type | None, wanted: Type | None) -> Node:
        """A value in braces as one of the type that is wanted there."""
        if wanted is None or value.type is None or value.text.lstrip().startswith("{"):
            return value
        if self.unit.has_constructor(wanted) and not value.type.same(wanted):
            return replace(self.unit.constructed(self, " ", wanted, [value]))
        flat = bool(wanted.dims) or (self.unit.is_structure(wanted) and not value.type.same(wanted))
        inner = replace(wanted, dims=())
        if flat and any(
            self.unit.has_constructor(f) for f in (inner, *self._fields(inner), *self._fields(kind or inner))
        ):
            self.fail("values of several parts, which have constructors, without braces; put each part in braces")
        return value

    # --- what follows a value ----------------------------------------------------------------------------------------

    def postfix(self, node: Node) -> Node:
        while True:
            token = self.peek()
            if token.kind != "sign":
                return node
            if token.text == "[":
                node = self._indexed(node)
            elif token.text in (".", "->"):
                self.take()
                self.ask("template")
                node = self._through(node, token.text, str(self.peek()), self.take().text, str(token))
            elif token.text in ("++", "--"):
                if self.unit.is_structure(node.type):
                    self.fail(f"`{token.text}` behind {node.type.base}; write it before")  # type: ignore[union-attr]
                node = Node(f"{node.placed().text}{self.take()}", node.value)
            elif token.text == "(":
                if not self.unit.is_structure(node.type):
                    self.fail("a call of what is no function's name")
                node = self.unit.method(self, node, "operator()", self.arguments())
            else:
                return node

    def _indexed(self, node: Node) -> Node:
        bracket = self.take()
        index = self.expression()
        close = self.need("]")
        if self.unit.is_structure(node.type):
            return self.unit.method(self, node, "operator[]", [index])
        text = f"{node.text}{bracket}{index.text}{close}"
        if node.type is None:
            return Node(text, None, True)
        if node.type.dims:
            return Node(text, node.type.element(), True, node.space)
        if not node.type.stars:
            self.fail(f"an index of {node.type.base}")
        return Node(text, node.type.element(), True, node.type.space)

    def _through(self, node: Node, how: str, word: str, name: str, sign: str) -> Node:
        """A member of a structure, by `.` or `->`."""
        if how == "->" and node.value is not None:
            if not node.value.is_pointer:
                self.fail(f"`->` of {node.value.spelled()}")
            held = Node(moved(node.text, "(*{})"), node.value.element(), True, node.value.space)
        else:
            held = node = node.placed()
        if how == "." or node.value is not None:
            kind = held.type
            if kind is not None and self.unit.is_structure(kind):
                member = self.unit.member(kind.base, name)
                if member is None:
                    self.fail(f"{kind.base} has no member {name}")
                return self._member(held, name, member, written=f"{node.text}{sign}{word}")
            if self.peek().text == "(":
                self.fail(f"a call of .{name} of what is no structure of the text")
        return Node(f"{node.text}{sign}{word}", self.unit.part(held.type, name), node.lvalue or how == "->", held.space)

    def _member(self, held: Node, name: str, member: Type | str | Node, written: str = "") -> Node:
        """A member by its type, a constant's value, or "method"."""
        if isinstance(member, Type):
            return Node(written or f"{held.text}.{name}", member, held.lvalue, held.space)
        if isinstance(member, Node):
            return member
        given = self.template_arguments() if self.peek().text == "<" and self.unit.is_template(name) else None
        if self.peek().text != "(":
            self.fail(f"the member function {name} as a value; call it where it is wanted")
        return self.unit.method(self, held, name, self.arguments(), given)
