"""C's arithmetic on numbered values: tokens, types, conversions, and the operations of the table that they become."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from devarray.errors import Error
from devarray.ops.dtypes import INTEGERS, KIND, SIZE

__all__ = ["TYPES", "NotPlain", "Steps", "Value", "constant", "folded", "held", "literal", "promoted", "tokens"]


class NotPlain(Error):
    """A text that is more than arithmetic; the message says what stopped the reader."""


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression gives, of a dtype: a numbered value of each element, a constant, or a scalar argument."""

    dtype: str
    number: int = -1
    constant: Any = None  # NumPy's scalar of the dtype
    argument: int = -1

    @property
    def is_array(self) -> bool:
        return self.number >= 0


# --- tokens ----------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[fFuUlL]*)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign><<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/&|^]=|[-+*/%&|^~!<>=?:;,.(){}]))"
)


def tokens(text: str) -> list[tuple[str, str]]:
    """The text's numbers, names and signs with their kinds, without comments."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S).rstrip()
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise NotPlain(f"{text[at:].strip()[:1]!r}")
        found.append((str(match.lastgroup), match[match.lastgroup or 0]))
        at = match.end()
    return found


TYPES = {
    "bool": "bool", "float": "float32", "double": "float64", "int": "int32", "unsigned": "uint32", "uint": "uint32",
    "short": "int16", "long": "int64", "long long": "int64", "unsigned long": "uint64", "unsigned long long": "uint64",
    "unsigned int": "uint32", "ulong": "uint64", "complex64": "complex64", "complex128": "complex128",
    "complex < float >": "complex64", "complex < double >": "complex128",
    **{f"{name}_t": name for name in INTEGERS},
}  # fmt: skip
"""C types by name: those that have one meaning everywhere."""


# --- C's types -------------------------------------------------------------------------------------------------------


def held(dtype: str) -> str:
    """What a variable of the dtype is."""
    return "float32" if dtype == "float16" else dtype


def promoted(dtype: str) -> str:
    """C's integer promotion."""
    return "int32" if KIND[dtype] in "biu" and SIZE[dtype] < 4 else dtype


def _common(a: str, b: str) -> str:
    """C's usual arithmetic conversions; of a complex number and a real one, the complex number that holds the float."""
    a, b = promoted(a), promoted(b)
    if "c" in KIND[a] + KIND[b]:
        return "complex128" if {"complex128", "float64"} & {a, b} else "complex64"
    for kind in ("float64", "float32"):
        if kind in (a, b):
            return kind
    wide = a if SIZE[a] > SIZE[b] else b
    return wide if SIZE[a] != SIZE[b] else a if KIND[a] == "u" else b


def literal(text: str, real: str) -> Value:
    """A number; `real` is the type of floats without a suffix."""
    body, suffix = re.fullmatch(r"(0[xX][0-9a-fA-F]+|[^fFuUlL]+)([fFuUlL]*)", text).groups()  # type: ignore[union-attr]
    suffix = suffix.lower()
    hexadecimal = body[:2] in ("0x", "0X")
    if not hexadecimal and re.search(r"[.eE]", body):
        if suffix not in ("", "f"):
            raise NotPlain(text)
        return constant("float32" if suffix else real, float(body))
    if "f" in suffix or (len(body) > 1 and body[0] == "0" and not hexadecimal):  # octal, too
        raise NotPlain(text)
    value, wide = int(body, 0), "l" in suffix
    unsigned = ("uint32", "uint64") if "u" in suffix or hexadecimal else ()
    for dtype in ("int32", "uint32", "int64", "uint64"):
        fits = np.iinfo(dtype).min <= value <= np.iinfo(dtype).max
        taken = dtype in unsigned if "u" in suffix else KIND[dtype] == "i" or dtype in unsigned
        if fits and taken and (SIZE[dtype] == 8 or not wide):
            return constant(dtype, value)
    raise NotPlain(text)


def constant(dtype: str, value: float) -> Value:
    """A constant."""
    return Value(dtype, constant=np.dtype(dtype).type(value))


# --- steps -----------------------------------------------------------------------------------------------------------


class Steps:
    """Operations that were read, numbered behind the parameters."""

    def __init__(self, parameters: int) -> None:
        self.first = parameters
        self.made: list[tuple[str, str, tuple[Value, ...]]] = []  # operation, dtype of a cast, operands

    def add(self, op: str, dtype: str, *operands: Value, to: str = "") -> Value:
        if not any(x.is_array for x in operands):
            raise NotPlain("arithmetic of scalars alone")
        self.made.append((op, to, operands))
        return Value(dtype, self.first + len(self.made) - 1)

    def cast(self, x: Value, dtype: str) -> Value:
        """C's conversion."""
        if x.dtype == dtype:
            return x
        if KIND[x.dtype] == "c" and KIND[dtype] != "c":
            raise NotPlain("a part of a complex number")
        if x.is_array:
            return self.add("astype", dtype, x, to=dtype)
        if x.constant is not None:
            return Value(dtype, constant=_converted(x.constant, dtype))
        if not np.can_cast(x.dtype, dtype, "safe"):
            raise NotPlain("a scalar argument that is converted")
        return Value(dtype, argument=x.argument)

    def truth(self, x: Value) -> Value:
        if x.dtype == "bool":
            return x
        return self.add("not_equal", "bool", x, constant(x.dtype, 0))

    def pair(self, a: Value, b: Value) -> tuple[str, Value, Value]:
        """Two operands in their common type."""
        dtype = _common(a.dtype, b.dtype)
        return dtype, self.cast(a, dtype), self.cast(b, dtype)

    def choose(self, condition: Value, a: Value, b: Value) -> Value:
        dtype, a, b = (a.dtype, a, b) if a.dtype == b.dtype else self.pair(a, b)
        return self.add("where", dtype, self.truth(condition), a, b)


def _converted(value: Any, dtype: str) -> Any:
    kind = np.dtype(dtype).type
    if KIND[dtype] in "fbc":
        return kind(value)
    whole = int(value) if np.isfinite(value) else None
    if whole is None or not np.iinfo(dtype).min <= whole <= np.iinfo(dtype).max:
        raise NotPlain("a constant beyond its type")
    return kind(whole)


def folded(dtype: str, function: Callable[[Any, Any], Any], a: Any, b: Any) -> Value:
    """What a function gives of two constants of the dtype."""
    if KIND[dtype] not in "fc":
        return Value(dtype, constant=_converted(function(int(a), int(b)), dtype))
    with np.errstate(all="ignore"):
        return Value(dtype, constant=np.dtype(dtype).type(function(a, b)))
