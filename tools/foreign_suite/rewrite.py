"""A foreign source with its imports of NumPy led to the stand-in."""

from __future__ import annotations

import ast
from typing import Any

_HOOK = "__foreign__"  # a builtin that the plugin sets


class _Imports(ast.NodeTransformer):
    def __init__(self, packages: tuple[str, ...]) -> None:
        self.packages = packages

    def _foreign(self, name: str | None) -> bool:
        return name is not None and name.split(".")[0] in self.packages

    def visit_Import(self, node: ast.Import) -> Any:
        made: list[ast.stmt] = []
        for alias in node.names:
            if not self._foreign(alias.name):
                made.append(ast.Import([alias]))
                continue
            name = alias.name if alias.asname else alias.name.split(".")[0]
            made.append(_assign(alias.asname or name, "module", name))
        return made

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        if node.level or not self._foreign(node.module) or node.names[0].name == "*":
            return node
        return [_assign(alias.asname or alias.name, "pick", node.module, alias.name) for alias in node.names]


def _assign(target: str, function: str, *arguments: Any) -> ast.stmt:
    call = f"{target} = {_HOOK}.{function}({', '.join(map(repr, arguments))})"
    return ast.parse(call).body[0]


def rewritten(source: str, packages: tuple[str, ...] = ("numpy",)) -> str:
    """The source with what it imports from the packages taken from the stand-in."""
    tree = _Imports(packages).visit(ast.parse(source))
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
