"""Values of constant expressions of integers, as C++ computes them: template arguments are told apart by them."""

from __future__ import annotations

from collections.abc import Callable

from devarray.codegen.language.cplusplus.tokens import NotUnderstood, Token, plain
from devarray.codegen.language.cplusplus.types import INTEGERS, RANKS, Type, arithmetic, named, number_type

__all__ = ["Constant", "constant", "constant_of", "literal", "wrapped"]

Constant = tuple[int, Type]
"""A value, and its type."""
_BITS = {"bool": 1, "char": 8, "short": 16, "int": 32, "long": 64, "long long": 64}
_LEVELS = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39, '"': 34, "a": 7, "b": 8, "f": 12, "v": 11}


class _Unknown(Exception):
    """What is no constant of integers, or none that is known."""


def wrapped(value: int, kind: Type) -> Constant:
    """A value as one of a type of integers."""
    unsigned = kind.base.startswith("unsigned ")
    bits = _BITS[kind.base.removeprefix("unsigned ").removeprefix("signed ")]
    if bits == 1:
        return int(value != 0), kind
    value &= (1 << bits) - 1
    return (value if unsigned or value < 1 << bits - 1 else value - (1 << bits)), kind


def literal(value: int, kind: Type) -> str:
    """A value as C writes it."""
    if kind.base == "int":
        least = -(1 << 31)
        return str(value) if value >= 0 else f"({value})" if value > least else f"({value + 1} - 1)"
    if kind.base == "unsigned int":
        return f"{value}u"
    if value == -(1 << 63):
        return f"((({kind.base})({value + 1})) - 1)"
    return f"(({kind.base}){literal(value, Type('int')) if abs(value) < 1 << 31 else f'({value})'})"


def constant_of(text: str, known: Callable[[str], Constant | None]) -> Constant | None:
    """The value of an expression in C, or None where it is not known."""
    try:
        return constant(plain(text), known)
    except NotUnderstood:
        return None


def constant(tokens: list[Token], known: Callable[[str], Constant | None]) -> Constant | None:
    """The value of an expression, the last of whose tokens is empty."""
    reader = _Evaluation(tokens, known)
    try:
        value = reader.conditional()
    except (_Unknown, ValueError):
        return None
    return value if not reader.peek().kind else None


class _Evaluation:
    def __init__(self, tokens: list[Token], known: Callable[[str], Constant | None]) -> None:
        self.tokens, self.known, self.at = tokens, known, 0

    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def take(self, text: str = "") -> Token:
        token = self.peek()
        if text and token.text != text:
            raise _Unknown
        self.at += 1
        return token

    def conditional(self) -> Constant:
        test = self.binary(1)
        if self.peek().text != "?":
            return test
        self.take()
        first = self.conditional()
        self.take(":")
        second = self.conditional()
        kind = first[1] if first[1] == second[1] else arithmetic(first[1], second[1])
        assert kind is not None
        return wrapped((first if test[0] else second)[0], kind)

    def binary(self, lowest: int) -> Constant:
        left = self.unary()
        while True:
            sign = self.peek().text
            if sign == ">" and self.peek(1).text == ">":
                sign = ">>"
            level = _LEVELS.get(sign, 0)
            if level < lowest or not self.peek().kind:
                return left
            self.at += 2 if sign == ">>" else 1
            left = _joined(left, sign, self.binary(level + 1))

    def unary(self) -> Constant:
        token = self.take()
        if token.text in ("-", "+", "~", "!") and token.kind == "sign":
            value, kind = self.unary()
            if token.text == "!":
                return int(not value), Type("bool")
            own = arithmetic(kind, kind)
            assert own is not None
            return wrapped({"-": -value, "+": value, "~": ~value}[token.text], own)
        if token.text == "(":
            words = 0
            while self.peek(words).kind == "name":
                words += 1
            base = named(" ".join(self.peek(n).text for n in range(words)))
            if words and self.peek(words).text == ")" and base in INTEGERS:
                self.at += words + 1
                return wrapped(self.unary()[0], Type(base))
            inner = self.conditional()
            self.take(")")
            return inner
        if token.kind == "number":
            found_kind = number_type(token.text)
            if found_kind is None or found_kind.base not in INTEGERS:
                raise _Unknown
            kind = found_kind
            low = token.text.lower().rstrip("ul")
            return wrapped(int(low, 8) if low.isdigit() and low.startswith("0") else int(low, 0), kind)
        if token.kind == "text" and token.text[0] == "'":
            inside = token.text[1:-1]
            if len(inside) == 1:
                return wrapped(ord(inside), Type("char"))
            if len(inside) == 2 and inside[1] in _ESCAPES:
                return _ESCAPES[inside[1]], Type("char")
        if token.text in ("true", "false"):
            return int(token.text == "true"), Type("bool")
        if token.text == "sizeof":
            return self._sizeof()
        found = self.known(token.text) if token.kind == "name" else None
        if found is None:
            raise _Unknown
        return found

    def _sizeof(self) -> Constant:
        self.take("(")
        words = []
        while self.peek().kind == "name":
            words.append(self.take().text)
        self.take(")")
        base = named(" ".join(words))
        if base not in RANKS:
            raise _Unknown
        bits = {"half": 16, "float": 32, "double": 64, "bool": 8}.get(base) or _BITS[base.split("signed ")[-1]]
        return bits // 8, Type("unsigned long")


def _joined(left: Constant, sign: str, right: Constant) -> Constant:
    (a, own), (b, other) = left, right
    if sign in ("&&", "||"):
        return int((a and b) != 0 if sign == "&&" else bool(a or b)), Type("bool")
    if sign in ("<<", ">>"):
        kind = arithmetic(own, own)
        assert kind is not None
        if not 0 <= b < 64:
            raise _Unknown
        a = wrapped(a, kind)[0]
        return wrapped(a << b if sign == "<<" else a >> b, kind)
    kind = arithmetic(own, other)
    assert kind is not None
    a, b = wrapped(a, kind)[0], wrapped(b, kind)[0]
    if sign in ("==", "!=", "<", ">", "<=", ">="):
        truth = {"==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}
        return int(truth[sign]), Type("bool")
    if sign in ("/", "%"):
        if b == 0:
            raise _Unknown
        whole = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)  # towards zero
        return wrapped(whole if sign == "/" else a - whole * b, kind)
    return wrapped({"+": a + b, "-": a - b, "*": a * b, "|": a | b, "&": a & b, "^": a ^ b}[sign], kind)
