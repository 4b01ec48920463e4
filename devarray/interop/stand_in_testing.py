"""numpy.testing and pytest, for a program that runs unmodified: its assertions take device arrays."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from devarray._primitives.opaque import OpaqueArray
from devarray.array import Array
from devarray.testing import compares, comparing_on_host

__all__ = ["teach", "teach_pytest", "teach_rewriting"]


def teach() -> Callable[[], None]:
    """Let NumPy's assertions compare arrays of the device on the host; returns what undoes it."""
    module = importlib.import_module("numpy.testing")
    plain = {name: found for name, found in vars(module).items() if callable(found) and compares(name, found)}
    plain = {name: found for name, found in plain.items() if not hasattr(found, "__wrapped__")}  # taught before
    for name, found in plain.items():
        setattr(module, name, comparing_on_host(found))

    def undo() -> None:
        for name, found in plain.items():
            setattr(module, name, found)

    return undo


def teach_pytest() -> Callable[[], None]:
    """The same, and let ``pytest.approx`` take arrays, and values, which it asks for a length."""
    undo, pytest = teach(), sys.modules["pytest"]
    plain = pytest.approx

    @functools.wraps(plain)
    def approx(expected: Any, *args: Any, **kwargs: Any) -> Any:
        return plain(_numbers(expected), *args, **kwargs)

    pytest.approx = approx  # type: ignore[attr-defined]

    def undo_both() -> None:
        pytest.approx = plain  # type: ignore[attr-defined]
        undo()

    return undo_both


def _numbers(x: Any) -> Any:
    if isinstance(x, Array | OpaqueArray):
        return x.copy_to_host()[()]
    if type(x) in (list, tuple):
        return type(x)(map(_numbers, x))
    return {key: _numbers(value) for key, value in x.items()} if type(x) is dict else x


def teach_rewriting(give_names: Callable[[ModuleType], None]) -> Callable[[], None]:
    """Let the modules whose assertions pytest rewrites have the program's builtins; returns what undoes it.

    Parameters
    ----------
    give_names : callable
        Of a module that is about to run.
    """
    hook: Any = sys.modules["_pytest.assertion.rewrite"].AssertionRewritingHook
    plain = hook.exec_module

    @functools.wraps(plain)
    def exec_module(self: Any, module: ModuleType) -> None:
        give_names(module)
        plain(self, module)

    hook.exec_module = exec_module

    def undo() -> None:
        hook.exec_module = plain

    return undo
