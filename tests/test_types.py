"""The stub of the compiled core names what the core has."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from devarray import _core

ONLY_IN_THE_STUB = {"_Pooled"}  # what two classes share
FOLDER = Path(__file__).resolve().parents[1] / "devarray" / "_core"
STUB = [node for name in ("__init__", "memory") for node in ast.parse((FOLDER / f"{name}.pyi").read_text()).body]
CLASSES = [node for node in STUB if isinstance(node, ast.ClassDef)]


def names_in(body: list[ast.stmt]) -> set[str]:
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    fields = {node.target.id for node in body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}
    return functions | fields


def test_functions_and_classes() -> None:
    assert _core.cl and _core.cuda  # a driver's names come with its first use
    private = {"testing"}  # a mock driver for the tests of memory resources
    there = {name for name in dir(_core) if not name.startswith("__")} - {"cl", "cuda"} - private
    assert names_in(STUB) - ONLY_IN_THE_STUB == there


@pytest.mark.parametrize(
    "node", [node for node in CLASSES if node.name not in ONLY_IN_THE_STUB], ids=lambda node: node.name
)
def test_members(node: ast.ClassDef) -> None:
    missing = {name for name in names_in(node.body) if not hasattr(getattr(_core, node.name), name)}
    assert missing <= {"__getattr__"}
