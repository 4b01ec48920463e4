"""A kernel's C text as operations of the op table, where it is plain arithmetic.

`z = x * y + 2.0f` means the same in C and in the table, by C's conversions of types. Such a text needs no function of
its own: it fuses, is computed on the host where arrays are small, and has no compiler to wait for. All else, loops,
functions of the user's, quotients of integers, what depends on the element's number, is `NotPlain` and stays C.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from devarray import _core
from devarray._kernels.c_arithmetic import (
    TYPES,
    NotPlain,
    Steps,
    Value,
    constant,
    folded,
    held,
    literal,
    promoted,
    tokens,
)
from devarray.codegen.kernels.user import Body
from devarray.codegen.language.words import CONSTANTS
from devarray.ops.dtypes import DTYPES, KIND, REAL_OF
from devarray.ops.table import OPS

__all__ = ["NotPlain", "formula_of"]

_MOST_STEPS = 48
"""Operations of a text; of longer ones recording would take longer than the text's function."""

# --- functions -------------------------------------------------------------------------------------------------------

_OF_ONE = [
    "sqrt", "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "cbrt", "floor", "ceil", "trunc", "rint", "fabs",
]  # fmt: skip
_OF_REALS = {"expm1", "exp2", "log1p", "log2", "cbrt", "floor", "ceil", "trunc", "rint", "fabs"}
_PARTS = ("real", "imag", "conj")
_TESTS = ("isnan", "isinf", "isfinite", "signbit")
_OF_TWO = ["pow", "atan2", "hypot", "fmod", "copysign", "fmin", "fmax"]
_ARITHMETIC: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "+": ("add", operator.add),
    "-": ("subtract", operator.sub),
    "*": ("multiply", operator.mul),
    "/": ("divide", operator.truediv),
}
_COMPARISONS = {
    "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal", "!=": "not_equal",
}  # fmt: skip
_BITS = {"&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"}
_SHIFTS = {"<<": "bitwise_left_shift", ">>": "bitwise_right_shift"}
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", "<=", ">", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip


# --- the reader ------------------------------------------------------------------------------------------------------


class _Reader:
    """Reads statements: declarations, assignments, `if`, blocks."""

    def __init__(self, body: Body, real: str) -> None:
        self.tokens, self.at = tokens(body.operation), 0
        self.real = real  # the widest float of the device
        # float16 is computed in float32, here as in a text's function.
        self.types = {**TYPES, **{name: held(dtype) for name, dtype in body.types}}
        self.steps = Steps(len(body.inputs))
        self.inputs: dict[str, Value] = {}
        for i, p in enumerate(body.inputs):
            value = Value(p.dtype, argument=i) if p.scalar else Value(p.dtype, i)
            self.inputs[p.name] = self.steps.cast(value, held(p.dtype))
        self.declared: dict[str, str] = {body.outputs[0].name: held(body.outputs[0].dtype)}
        self.values: dict[str, Value] = {}

    # Tokens

    def next_is(self, *texts: str) -> bool:
        return self.at < len(self.tokens) and self.tokens[self.at][1] in texts

    def take(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise NotPlain("the end of the text")
        self.at += 1
        return self.tokens[self.at - 1]

    def skip(self, text: str) -> bool:
        found = self.next_is(text)
        self.at += found
        return found

    def expect(self, text: str) -> None:
        if not self.skip(text):
            raise NotPlain(f"no {text!r} at {self.tokens[self.at :][:1]}")

    def type_name(self) -> str | None:
        """The dtype of a type's name that stands here, which is taken; None, and nothing taken, for anything else."""
        for words in (4, 3, 2, 1):
            name = " ".join(text for _, text in self.tokens[self.at : self.at + words])
            if name in self.types:
                self.at += words
                return self.types[name]
        return None

    # Statements

    def read(self) -> None:
        while self.at < len(self.tokens):
            self.statement()

    def statement(self) -> None:
        if self.skip(";"):
            return
        if self.skip("{"):
            outer = dict(self.declared)
            while not self.skip("}"):
                self.statement()
            self.declared = outer
            self.values = {name: x for name, x in self.values.items() if name in outer}
        elif self.next_is("if"):
            self.branches()
        else:
            is_constant = self.skip("const")
            dtype = self.type_name()
            if dtype is not None:
                self.declaration(dtype)
            elif is_constant:
                raise NotPlain("const")
            else:
                self.assignment()
            if self.at < len(self.tokens):
                self.expect(";")

    def declaration(self, dtype: str) -> None:
        while True:
            kind, name = self.take()
            if kind != "name" or name in self.declared or name in self.inputs or name in self.types:
                raise NotPlain(f"a declaration of {name!r}")
            self.declared[name] = dtype
            if self.skip("="):
                self.values[name] = self.steps.cast(self.expression(), dtype)
            if not self.skip(","):
                return

    def assignment(self) -> None:
        _, name = self.take()
        if name not in self.declared:
            raise NotPlain(f"{name!r}")
        _, sign = self.take()
        if sign == "=":
            value = self.expression()
        elif len(sign) > 1 and sign[-1] == "=" and (sign[:-1] in _ARITHMETIC or sign[:-1] in (*_BITS, *_SHIFTS)):
            value = self.binary(sign[:-1], self.variable(name), self.expression())
        else:
            raise NotPlain(f"{name} {sign}")
        self.values[name] = self.steps.cast(value, self.declared[name])

    def branches(self) -> None:
        self.expect("if")
        self.expect("(")
        condition = self.steps.truth(self.expression())
        self.expect(")")
        before = dict(self.values)
        self.statement()
        then, self.values = self.values, before
        if self.skip("else"):
            self.statement()
        for name in set(then) | set(self.values):
            if then.get(name) != self.values.get(name):
                if name not in then or name not in self.values:
                    raise NotPlain(f"{name!r}, which one branch alone assigns")
                self.values[name] = self.steps.choose(condition, then[name], self.values[name])

    # Expressions

    def variable(self, name: str) -> Value:
        if name in self.inputs:
            return self.inputs[name]
        if name not in self.values:
            raise NotPlain(f"{name!r}")
        return self.values[name]

    def expression(self) -> Value:
        condition = self.level(0)
        if not self.skip("?"):
            return condition
        a = self.expression()
        self.expect(":")
        return self.steps.choose(condition, a, self.expression())

    def level(self, depth: int) -> Value:
        if depth == len(_LEVELS):
            return self.unary()
        value = self.level(depth + 1)
        while self.next_is(*_LEVELS[depth]):
            sign = self.take()[1]
            value = self.binary(sign, value, self.level(depth + 1))
        return value

    def binary(self, sign: str, a: Value, b: Value) -> Value:
        steps = self.steps
        if sign in ("||", "&&"):
            op = "logical_or" if sign == "||" else "logical_and"
            return steps.add(op, "bool", steps.truth(a), steps.truth(b))
        if sign in _SHIFTS:
            dtype = promoted(a.dtype)
            if not {KIND[dtype], KIND[b.dtype]} <= set("biu"):
                raise NotPlain("bits of floats")
            return steps.add(_SHIFTS[sign], dtype, steps.cast(a, dtype), steps.cast(b, dtype))
        if sign in _BITS and a.dtype == b.dtype == "bool":
            return steps.add(_BITS[sign], "bool", a, b)
        dtype, a, b = steps.pair(a, b)
        if sign in _COMPARISONS and (KIND[dtype] != "c" or sign in ("==", "!=")):
            return steps.add(_COMPARISONS[sign], "bool", a, b)
        if sign in _BITS and KIND[dtype] in "iu":
            return steps.add(_BITS[sign], dtype, a, b)
        if sign not in _ARITHMETIC or (sign == "/" and KIND[dtype] not in "fc"):
            raise NotPlain(f"{sign!r} of {dtype}")
        op, of_constants = _ARITHMETIC[sign]
        if a.constant is not None and b.constant is not None:
            return folded(dtype, of_constants, a.constant, b.constant)
        return steps.add(op, dtype, a, b)

    def unary(self) -> Value:
        steps = self.steps
        for sign in "-+~!":
            if self.skip(sign):
                x = self.unary()
                if sign == "!":
                    return steps.add("logical_not", "bool", x)
                dtype = promoted(x.dtype)
                x = steps.cast(x, dtype)
                if sign == "+":
                    return x
                if sign == "-" and x.constant is not None:
                    return folded(dtype, operator.sub, -0.0, x.constant)
                if sign == "~" and KIND[dtype] not in "iu":
                    raise NotPlain("bits of floats")
                return steps.add("negative" if sign == "-" else "bitwise_invert", dtype, x)
        value = self.primary()
        while self.skip("."):
            _, name = self.take()
            self.expect("(")
            self.expect(")")
            value = self.part(name, value)
        return value

    def part(self, name: str, x: Value) -> Value:
        """`real`, `imag` or `conj` of a complex number."""
        if name not in _PARTS or KIND[x.dtype] != "c":
            raise NotPlain(f"{name} of {x.dtype}")
        return self.steps.add(name, x.dtype if name == "conj" else REAL_OF[x.dtype], x)

    def primary(self) -> Value:
        if self.skip("("):
            dtype = self.type_name()
            if dtype is not None:
                self.expect(")")
                return self.steps.cast(self.unary(), dtype)
            value = self.expression()
            self.expect(")")
            return value
        dtype = self.type_name()
        if dtype is not None:
            self.expect("(")
            return self.steps.cast(self.arguments(1)[0], dtype)
        if self.skip("static_cast"):
            self.expect("<")
            dtype = self.type_name()
            self.expect(">")
            self.expect("(")
            if dtype is None:
                raise NotPlain("a conversion")
            return self.steps.cast(self.arguments(1)[0], dtype)
        kind, text = self.take()
        if kind == "number":
            return literal(text, self.real)
        if kind != "name":
            raise NotPlain(f"{text!r}")
        if text in ("true", "false"):
            return constant("bool", text == "true")
        if self.skip("("):
            return self.call(text)
        if text in CONSTANTS and text not in self.inputs and text not in self.declared:
            return constant(*CONSTANTS[text])
        return self.variable(text)

    def arguments(self, count: int) -> list[Value]:
        """The arguments of a call behind its parenthesis."""
        found = [self.expression()]
        while self.skip(","):
            found.append(self.expression())
        self.expect(")")
        if len(found) != count:
            raise NotPlain(f"{len(found)} arguments")
        return found

    def call(self, name: str) -> Value:
        steps = self.steps
        single = name[-1] == "f" and name[:-1] in (*_OF_ONE, *_OF_TWO)
        base = name[:-1] if single else name
        if base in _OF_ONE:
            (x,) = self.arguments(1)
            if KIND[x.dtype] == "c" and base in _OF_REALS:
                raise NotPlain(f"{name} of {x.dtype}")
            x = steps.cast(x, "float32" if single else x.dtype if KIND[x.dtype] in "fc" else self.real)
            return steps.add(base, x.dtype, x)
        if base in _OF_TWO:
            a, b = self.arguments(2)
            if "c" in KIND[a.dtype] + KIND[b.dtype]:
                raise NotPlain(f"{name} of complex numbers")
            same = a.dtype == b.dtype and KIND[a.dtype] == "f"
            dtype = "float32" if single else a.dtype if same else self.real
            return steps.add(base, dtype, steps.cast(a, dtype), steps.cast(b, dtype))
        if name in ("min", "max"):
            a, b = self.arguments(2)
            dtype, a, b = steps.pair(a, b)
            if KIND[dtype] == "c":
                raise NotPlain(f"{name} of complex numbers")
            return steps.add(f"f{name}", dtype, a, b)
        if name == "abs":
            (x,) = self.arguments(1)
            x = steps.cast(x, promoted(x.dtype))
            if KIND[x.dtype] != "u":
                return steps.add("abs", REAL_OF.get(x.dtype, x.dtype), x)
        if name in _TESTS:
            (x,) = self.arguments(1)
            if KIND[x.dtype] != "f":
                raise NotPlain(f"{name} of {x.dtype}")
            return steps.add(name, "bool", x)
        if name in _PARTS:
            return self.part(name, self.arguments(1)[0])
        raise NotPlain(f"{name}()")


# --- for the core ----------------------------------------------------------------------------------------------------

_NUMBER = {name: i for i, name in enumerate(OPS)}


def formula_of(body: Body, *, double: bool) -> Any:
    """A text's operations, for ``_core.record_formula`` and for calls that are known.

    Parameters
    ----------
    body : Body
        Of one result, without raw parameters or a loop's prologue.
    double : bool
        Whether the device has float64: numbers such as 0.5 are float32 otherwise.

    Raises
    ------
    NotPlain
        For a text that is more than arithmetic.
    """
    result = body.outputs[0]
    if body.preamble or any(p.record for p in (*body.inputs, result)):
        raise NotPlain("a preamble, or records")
    reader = _Reader(body, "float64" if double else "float32")
    reader.read()
    made = reader.steps.cast(reader.variable(result.name), result.dtype)
    if not made.is_array:
        raise NotPlain("a result that no array decides")
    if made.number < len(body.inputs):
        made = reader.steps.add("copy", made.dtype, made)
    steps, used = _live(reader.steps, made.number)
    if used != set(range(len(body.inputs))):
        raise NotPlain("an input that decides the shape alone")
    dtypes = {x.dtype for _, _, operands in reader.steps.made for x in operands}
    if not double and {"float64", "complex128"} & dtypes:
        raise NotPlain("float64")
    if len(steps) > _MOST_STEPS:
        raise NotPlain(f"{len(steps)} operations")
    return _core.formula([DTYPES.index(p.dtype) for p in body.inputs], steps)


def _live(steps: Steps, result: int) -> tuple[list[tuple[int, int, list[tuple[Any, ...]]]], set[int]]:
    """The steps that the result needs, in the core's form, and the parameters that they read."""
    wanted, used = {result}, set()
    for number in range(result, steps.first - 1, -1):
        if number in wanted:
            wanted.update(x.number for x in steps.made[number - steps.first][2] if x.is_array)
    numbers = {i: i for i in range(steps.first)}
    for number in sorted(wanted):
        if number >= steps.first:
            numbers[number] = len(numbers)
    kept = []
    for number in sorted(wanted):
        if number < steps.first:
            used.add(number)
            continue
        op, to, operands = steps.made[number - steps.first]
        used.update(x.argument for x in operands if x.argument >= 0)
        kept.append((_NUMBER[op], DTYPES.index(to) if to else -1, [_operand(x, numbers) for x in operands]))
    return kept, used


def _operand(x: Value, numbers: dict[int, int]) -> tuple[Any, ...]:
    """(number of a value,), (dtype, constant) or (dtype, None, number of a scalar argument)."""
    if x.is_array:
        return (numbers[x.number],)
    dtype = DTYPES.index(x.dtype)
    return (dtype, x.constant.item()) if x.constant is not None else (dtype, None, x.argument)
