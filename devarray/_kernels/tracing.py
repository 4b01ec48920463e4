"""Python functions of elements, followed statement by statement: what is done with arrays is recorded.

A function runs on whole arrays, whose operators record operations, so that it becomes part of fused kernels. Where a
branch depends on values, both sides are followed, and `where` chooses.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import operator
import textwrap
import types
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from devarray._kernels.per_element import ATTRIBUTES, PURE, holds_rows, is_known, overflows
from devarray._kernels.pythons import TraceError, is_traced, translated
from devarray._kernels.spelled import expression
from devarray._routines.math import elementwise as ew
from devarray.array import Array

__all__ = ["TraceError", "call", "call_by_element", "is_traceable"]

_PATHS = 256
"""The most ways through a function that are followed."""


@lru_cache(512)
def _definition(code: types.CodeType) -> tuple[ast.FunctionDef | ast.Lambda, int] | None:
    """The syntax tree of a function, and the line before its first; None where there is no source.

    By its code, which keeps nothing alive: a function has its globals.
    """
    kind: Any = ast.Lambda if code.co_name == "<lambda>" else ast.FunctionDef
    try:
        tree, indent, before = _parsed(code)
    except (OSError, TypeError, SyntaxError):
        return None
    names = code.co_varnames[: code.co_argcount]
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, kind)
        and tuple(a.arg for a in (*node.args.posonlyargs, *node.args.args)) == names
        and (before or code.co_firstlineno in (node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))))
    ]
    if kind is ast.Lambda and len(found) > 1:  # several of a line: by where in it their code stands
        columns = {p[2] for p in code.co_positions() if p[2] is not None}
        found = [
            node
            for node in found
            if any(node.body.col_offset + indent <= c <= (node.end_col_offset or 0) + indent for c in columns)
        ]
    return (found[0], before) if len(found) == 1 or (found and kind is ast.FunctionDef) else None


def _parsed(code: types.CodeType) -> tuple[ast.AST, int, int]:
    """The syntax tree of a function's lines, their indent, and the lines before them; of lines that are no whole
    statement, as those of a lambda within a list, the tree of all of the file."""
    lines, first = inspect.getsourcelines(code)
    try:
        tree = ast.parse(textwrap.dedent("".join(lines)).strip())
    except SyntaxError:
        return ast.parse("".join(inspect.findsource(code)[0])), 0, 0
    return tree, len(lines[0]) - len(lines[0].lstrip()), first - 1


def is_traceable(function: object) -> bool:
    """Whether a function's source is known."""
    return isinstance(function, types.FunctionType) and _definition(function.__code__) is not None


def call(function: Callable[..., Any], *args: object, **kwargs: object) -> Any:
    """What a function gives for arrays, each element by itself.

    Raises
    ------
    TraceError
        Where its control flow depends on values; it names the line.
    """
    if not isinstance(function, types.FunctionType):
        return _plain(function, args, kwargs)
    known = _definition(function.__code__)
    if known is None:
        return _plain(function, args, kwargs)
    tree, before = known
    return _Frame(function, tree, before).run(args, kwargs)


def call_by_element(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], numbers: bool = False
) -> Any:
    """What a function of numbers gives for each element of arrays; truths are `numbers` where asked, as Python's are.

    Raises
    ------
    TraceError
        Where it is not known to do with arrays what it does with each element, or its control flow cannot be followed.
    """
    if isinstance(function, types.FunctionType):
        known = _definition(function.__code__)
        if known is None:
            raise TraceError(f"{function.__name__} cannot be followed, for its source is not known")
        return _Frame(function, *known, by_element=True, numbers=numbers).run(args, kwargs)
    done, value = translated(function, args, kwargs)
    if done:
        return value
    if not is_known(function, True):
        raise TraceError(f"{getattr(function, '__name__', function)!s} is not known to work element by element")
    return function(*args, **kwargs)


def _plain(function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A call that is not followed: its operators record."""
    try:
        return function(*args, **kwargs)
    except (ValueError, TypeError) as error:
        name = getattr(function, "__name__", repr(function))
        raise TraceError(
            f"{name} cannot be followed, for its source is not known, and does not take arrays: {error}"
        ) from error


class _Return:
    def __init__(self, value: object) -> None:
        self.value = value


class _Frame:
    """One call of a function."""

    def __init__(
        self,
        function: types.FunctionType,
        tree: ast.FunctionDef | ast.Lambda,
        before: int,
        by_element: bool = False,
        numbers: bool = False,
    ) -> None:
        self.function, self.tree, self.before = function, tree, before
        self.by_element, self.numbers = by_element, numbers
        self.paths = 0
        closure = inspect.getclosurevars(function)
        if by_element and holds_rows((*closure.nonlocals.values(), *closure.globals.values())):
            raise TraceError(f"{self.name} reads an array that is not one of its arguments")
        self.globals: dict[str, Any] = {
            **function.__globals__,
            **closure.nonlocals,
            "__builtins__": builtins,
            "__choose": self.choose,
            "__and": self.both,
            "__or": self.either,
            "__not": self.negated,
            "__call": self.called,
            "__text": self.text,
            "__attribute": self.attribute,
            "__index": self.index,
            "__indexed": self.index,
            "__binary": self.binary,
            "__unary": self.unary,
        }

    def run(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        bound = inspect.signature(self.function).bind(*args, **kwargs)
        bound.apply_defaults()
        env = dict(bound.arguments)
        if isinstance(self.tree, ast.Lambda):
            return self.value(self.tree.body, env)
        done = self.block(self.tree.body, env)
        if done is None:
            raise TraceError(f"{self.name} returns nothing for some elements: every way through it ends in a return")
        return done.value

    @property
    def name(self) -> str:
        return self.function.__name__

    def refuse(self, node: ast.AST, why: str) -> TraceError:
        line = getattr(node, "lineno", 1) + self.before
        text = ast.unparse(node).splitlines()[0]
        return TraceError(f"{self.name}, line {line}: `{text}`: {why}")

    # Expressions

    def value(self, node: ast.expr, env: dict[str, Any]) -> Any:
        try:
            # Names of the frame are globals of the code, so that what is delayed sees them.
            return eval(expression(node), {**self.globals, **env})
        except TraceError:
            raise
        except (ValueError, TypeError) as error:
            if "truth value" in str(error):
                raise self.refuse(node, "what it does depends on values; use where()") from error
            raise

    def choose(self, test: Any, body: Callable[[], Any], other: Callable[[], Any]) -> Any:
        if not is_traced(test):
            return body() if test else other()
        return _where(test, body(), other())

    def both(self, first: Any, *others: Callable[[], Any]) -> Any:
        for other in others:
            if not is_traced(first):
                if not first:
                    return first
                first = other()
            else:
                second = other()
                first = ew.logical_and(first, second) if _are_bools(first, second) else _where(first, second, first)
        return first

    def either(self, first: Any, *others: Callable[[], Any]) -> Any:
        for other in others:
            if not is_traced(first):
                if first:
                    return first
                first = other()
            else:
                second = other()
                first = ew.logical_or(first, second) if _are_bools(first, second) else _where(first, first, second)
        return first

    @staticmethod
    def negated(value: Any) -> Any:
        return ew.logical_not(value) if is_traced(value) else not value

    def text(self, value: object) -> Any:
        """What a formatted string holds."""
        if is_traced(value):
            raise TraceError(f"{self.name}: the text of an array is not that of each element")
        return value

    def attribute(self, value: Any, name: str) -> Any:
        if self.by_element and is_traced(value) and name not in ATTRIBUTES:
            raise TraceError(f"{self.name}: `{name}` of an array is not that of each element")
        return getattr(value, name)

    def index(self, value: Any) -> Any:
        """What is indexed, or an index."""
        if self.by_element and is_traced(value):
            raise TraceError(f"{self.name}: an element, or what an element is the index of, is not looked up")
        return value

    def binary(self, name: str, a: Any, b: Any) -> Any:
        if self.by_element and (is_traced(a) or is_traced(b)) and (name == "matmul" or overflows(name, a, b)):
            raise TraceError(f"{self.name}: {name} of arrays is not that of each element")
        return getattr(operator, name)(self.number(a), self.number(b))

    def unary(self, name: str, a: Any) -> Any:
        return getattr(operator, name)(self.number(a))

    def number(self, value: Any) -> Any:
        """Truths are numbers to Python's operators, whose arrays have others for them."""
        truths = self.numbers and is_traced(value) and value.dtype == np.bool_
        return value.astype("int64") if truths else value

    def called(self, function: Any, *args: Any, **kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if (function is min or function is max) and isinstance(args[0], list | tuple):
            given = tuple(args[0])
        traced = any(map(is_traced, given))
        if self.by_element and function is round and traced and len(given) > 1:
            raise TraceError(f"{self.name}: round() to digits is that of Python's numbers")
        if traced:
            done, value = translated(function, args, kwargs)
            if done:
                return value
            if getattr(function, "__module__", None) == "math":
                raise TraceError(f"{self.name}: math.{function.__name__} has no operation on arrays")
        own = isinstance(function, types.FunctionType) and not (function.__module__ or "").startswith(
            ("devarray", "numpy")
        )
        if self.by_element:
            return self.called_by_element(function, args, kwargs, traced, own)
        return call(function, *args, **kwargs) if own and traced else function(*args, **kwargs)

    def called_by_element(
        self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], traced: bool, own: bool
    ) -> Any:
        if own:
            return call_by_element(function, args, kwargs, self.numbers)
        if not is_known(function, traced):
            name = getattr(function, "__name__", repr(function))
            raise TraceError(f"{self.name}: {name}() is not known to work element by element")
        made = function(*args, **kwargs)
        if not traced and function not in PURE and holds_rows([made]):
            raise TraceError(f"{self.name}: an array beside those of its arguments")
        return made

    # Statements

    def block(self, body: Sequence[ast.stmt], env: dict[str, Any]) -> _Return | None:
        """Follows statements; what they return, or None where they come to their end."""
        for place, node in enumerate(body):
            if isinstance(node, ast.If):
                test = self.value(node.test, env)
                if is_traced(test):
                    return self.branch(test, node, body[place + 1 :], env)
                done = self.block(node.body if test else node.orelse, env)
            else:
                done = self.statement(node, env)
            if done is not None:
                return done
        return None

    def branch(self, test: Array, node: ast.If, rest: Sequence[ast.stmt], env: dict[str, Any]) -> _Return | None:
        """Both ways of an `if` on values, then what follows."""
        self.paths += 1
        if self.paths > _PATHS:
            raise self.refuse(node, f"there are more than {_PATHS} ways through the function")
        if not any(
            isinstance(part, ast.Return) for branch in (node.body, node.orelse) for s in branch for part in ast.walk(s)
        ):
            ours, theirs = dict(env), dict(env)
            self.block(node.body, ours)
            self.block(node.orelse, theirs)
            env.clear()
            env.update(_merged(test, ours, theirs))
            return self.block(rest, env)
        first = self.block([*node.body, *rest], dict(env))
        second = self.block([*node.orelse, *rest], dict(env))
        if first is None or second is None:
            raise self.refuse(node, "one of its ways ends without a return")
        return _Return(_where(test, first.value, second.value))

    def statement(self, node: ast.stmt, env: dict[str, Any]) -> _Return | None:
        match node:
            case ast.Return():
                return _Return(None if node.value is None else self.value(node.value, env))
            case ast.Assign():
                value = self.value(node.value, env)
                for target in node.targets:
                    self.assign(target, value, env)
            case ast.AnnAssign():
                if node.value is not None:
                    self.assign(node.target, self.value(node.value, env), env)
            case ast.AugAssign() if isinstance(node.target, ast.Name):
                made = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
                env[node.target.id] = self.value(ast.copy_location(made, node), env)
            case ast.Expr():
                if not isinstance(node.value, ast.Constant):
                    self.value(node.value, env)
            case ast.Pass():
                pass
            case ast.For():
                return self.loop(node, env)
            case ast.While():
                return self.while_loop(node, env)
            case _:
                raise self.refuse(node, "such a statement cannot be followed")
        return None

    def loop(self, node: ast.For, env: dict[str, Any]) -> _Return | None:
        items = self.value(node.iter, env)
        if is_traced(items):
            raise self.refuse(node, "a loop over an array's values")
        self.refuse_jumps(node)
        for item in items:
            self.assign(node.target, item, env)
            if (done := self.block(node.body, env)) is not None:
                return done
        return self.block(node.orelse, env)

    def while_loop(self, node: ast.While, env: dict[str, Any]) -> _Return | None:
        self.refuse_jumps(node)
        while True:
            test = self.value(node.test, env)
            if is_traced(test):
                raise self.refuse(node, "how often it runs depends on values; use a fixed number of rounds and where()")
            if not test:
                return self.block(node.orelse, env)
            if (done := self.block(node.body, env)) is not None:
                return done

    def refuse_jumps(self, node: ast.stmt) -> None:
        jump = next((part for part in ast.walk(node) if isinstance(part, ast.Break | ast.Continue)), None)
        if jump is not None:
            raise self.refuse(jump, "loops are followed without break and continue; use where()")
        ends = any(isinstance(part, ast.Return) for part in ast.walk(node))
        if ends:
            raise self.refuse(node, "a return inside of a loop cannot be followed; use where()")

    def assign(self, target: ast.expr, value: Any, env: dict[str, Any]) -> None:
        if isinstance(target, ast.Name):
            env[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List) and not any(isinstance(t, ast.Starred) for t in target.elts):
            values = list(value)
            if len(values) != len(target.elts):
                raise self.refuse(target, f"{len(values)} values for {len(target.elts)} names")
            for inner, item in zip(target.elts, values, strict=True):
                self.assign(inner, item, env)
        else:
            raise self.refuse(target, "only names are assigned to")


def _are_bools(*values: Any) -> bool:
    return all(v.dtype == np.bool_ if is_traced(v) else isinstance(v, bool | np.bool_) for v in values)


def _where(test: Array, first: Any, second: Any) -> Any:
    """A choice by values between what two ways gave."""
    if first is second:
        return first
    if isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
        return tuple(_where(test, a, b) for a, b in zip(first, second, strict=True))
    if first is None or second is None or isinstance(first, tuple) or isinstance(second, tuple):
        raise TraceError(
            f"two ways give {type(first).__name__} and {type(second).__name__}: no where() chooses between them"
        )
    return ew.where(test if test.dtype == np.bool_ else test != 0, first, second)


def _merged(test: Array, ours: dict[str, Any], theirs: dict[str, Any]) -> dict[str, Any]:
    """The names after an `if`; those of one side alone are gone."""
    return {name: _where(test, ours[name], theirs[name]) for name in ours if name in theirs}
