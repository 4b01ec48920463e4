"""Expressions of a function that is followed, with calls of its frame for what Python would decide by itself."""

from __future__ import annotations

import ast
import types
from functools import lru_cache
from typing import Any

__all__ = ["expression"]

_CHECKED = {
    ast.MatMult: "matmul", ast.Pow: "pow", ast.LShift: "lshift", ast.RShift: "rshift", ast.Add: "add", ast.Sub: "sub",
    ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
}  # fmt: skip
"""Operators that may do with arrays what they do not do with each element."""
_UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert"}


class _Names(ast.NodeTransformer):
    """Puts what Python decides by truth, and what may differ between arrays and elements, in the words of a frame."""

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        test, body, other = (self.visit(part) for part in (node.test, node.body, node.orelse))
        return _apply("__choose", test, _delayed(body), _delayed(other))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        name = "__and" if isinstance(node.op, ast.And) else "__or"
        values = [self.visit(value) for value in node.values]
        return _apply(name, values[0], *(_delayed(value) for value in values[1:]))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return _apply("__not", operand)
        if isinstance(operand, ast.Constant):
            return ast.UnaryOp(node.op, operand)
        return _apply("__unary", ast.Constant(_UNARY[type(node.op)]), operand)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        sides = [node.left, *node.comparators]
        pairs: list[ast.expr] = [
            ast.Compare(left, [op], [right]) for left, op, right in zip(sides, node.ops, sides[1:], strict=False)
        ]
        return _apply("__and", pairs[0], *(_delayed(pair) for pair in pairs[1:]))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return ast.Call(ast.Name("__call", ast.Load()), [node.func, *node.args], node.keywords)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        return _apply("__attribute", node.value, ast.Constant(node.attr))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.slice, ast.Slice | ast.Tuple):
            node.slice = _apply("__index", node.slice)
        node.value = _apply("__indexed", node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        name = _CHECKED.get(type(node.op))
        return node if name is None else _apply("__binary", ast.Constant(name), node.left, node.right)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self.generic_visit(node)
        node.value = _apply("__text", node.value)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.generic_visit(node)
        return node


def _apply(name: str, *args: Any) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(args), [])


def _delayed(node: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), node)


@lru_cache(4096)
def expression(node: ast.expr) -> types.CodeType:
    """The code of an expression in which a frame decides what Python decides by truth.

    Parameters
    ----------
    node : ast.expr
        Of the function's source.
    """
    made = ast.fix_missing_locations(ast.Expression(_Names().visit(node)))
    return compile(made, "<followed>", "eval")
