"""Every public function, class, method and property is documented: purpose, parameters, results, errors, an example."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import devarray as da

pytest.importorskip("numpydoc")
from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate

NAMESPACES = (
    "devarray",
    "devarray.emath",
    "devarray.errors",
    "devarray.linalg",
    "devarray.fft",
    "devarray.random",
    "devarray.special",
    "devarray.lib",
    "devarray.lib.stride_tricks",
    "devarray.testing",
)
"""Modules whose public names are looked at. A new one is one line here."""

OTHERS = (
    "devarray.cl.algorithm",
    "devarray.cl.array",
    "devarray.cl.bitonic_sort",
    "devarray.cl.characterize",
    "devarray.cl.clmath",
    "devarray.cl.clrandom",
    "devarray.cl.elementwise",
    "devarray.cl.reduction",
    "devarray.cl.scan",
    "devarray.cuda.cumath",
    "devarray.cuda.elementwise",
    "devarray.cuda.gpuarray",
    "devarray.cuda.reduction",
)
"""Modules under other libraries' names, of which most have their examples at the head alone."""

IGNORED = {
    "ES01": "one line is enough where it says everything",
    "GL01": "the summary stands behind the opening quotes (PEP 257)",
    "GL02": "the closing quotes of one line of text stand behind it",
    "PR08": "a description may begin with a name or a value, which has no capital letter",
    "RT02": "a NamedTuple of one field, as other tuples, has names for its fields",
    "RT04": "as PR08",
    "SA01": "a function's chapter is where its neighbours are",
    "SS02": "as PR08: `log(1 + x), exact near zero.`",
    "SS05": "a summary says what the result is, not what the function does",
    "YD01": "context managers that yield nothing",
}
"""Codes of numpydoc that are not asked for, and why."""


def public_names(module: ModuleType) -> list[str]:
    """A module's public names: ``__all__``, or what it defines itself."""
    names = getattr(module, "__all__", None)
    if names is not None:
        return list(names)
    return [
        n for n, x in vars(module).items() if not n.startswith("_") and getattr(x, "__module__", "") == module.__name__
    ]


def _members(cls: type) -> Iterator[str]:
    """Public methods and properties that a class, or a base of this package, defines."""
    ours = [base for base in cls.__mro__ if base.__module__.startswith("devarray")]
    if issubclass(cls, BaseException):
        return
    for name in dict.fromkeys(n for base in ours for n in vars(base)):
        found = inspect.getattr_static(cls, name)
        plain = getattr(found, "__func__", found)
        if not name.startswith("_") and (callable(plain) or isinstance(plain, property)):
            yield name


@cache
def documented(namespaces: tuple[str, ...] = NAMESPACES) -> dict[str, Any]:
    """The functions, classes, methods and properties of namespaces, by their full names."""
    found: dict[str, Any] = {}
    for namespace in namespaces:
        module = import_module(namespace)
        for name in public_names(module):
            thing = getattr(module, name)
            if inspect.ismodule(thing) or not callable(thing) or getattr(thing, "__module__", "").startswith("numpy"):
                continue
            full = f"{namespace}.{name}"
            found[full] = thing
            if inspect.isclass(thing):
                found.update({f"{full}.{member}": inspect.getattr_static(thing, member) for member in _members(thing)})
    return found


def _function(thing: Any) -> Any:
    """The function behind a public name."""
    return thing.fget if isinstance(thing, property) else inspect.unwrap(getattr(thing, "__func__", thing))


def _has_signature(thing: Any) -> bool:
    try:
        return bool(inspect.signature(thing))
    except (TypeError, ValueError):
        return False


def _text(thing: Any) -> str:
    """The docstring, without the line that pybind11 puts before it."""
    text = inspect.getdoc(thing) or ""
    first, _, rest = text.partition("\n\n")
    return rest if re.match(r"\w+\(.*\) -> ", first) else text


def _raised(function: Any) -> set[str]:
    """Classes of the errors that a function's own text raises."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    raised = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise))
    calls = (exc.func if isinstance(exc, ast.Call) else exc for exc in raised)
    return {call.id.lstrip("_") for call in calls if isinstance(call, ast.Name) and call.id.endswith("Error")}


def _complaints(thing: Any, ignored: set[str]) -> list[str]:
    """What numpydoc's validation finds in a docstring."""
    if isinstance(thing, property) or (inspect.isclass(thing) and issubclass(thing, BaseException)):
        ignored.add("EX01")  # the class's examples show its properties; errors are raised, not called
    if not isinstance(thing, property) and not _has_signature(thing):
        ignored.add("PR02")  # pybind11's functions have none to compare with
    document = get_doc_object(thing, doc=_text(thing))
    return [f"{code}: {text}" for code, text in validate(document)["errors"] if code not in ignored]


@pytest.mark.parametrize("name", sorted(documented()))
def test_numpydoc_finds_nothing(name: str) -> None:
    found = _complaints(documented()[name], set(IGNORED))
    assert not found, f"{name}: " + "; ".join(found)


@pytest.mark.parametrize("name", sorted(documented(OTHERS)))
def test_numpydoc_finds_nothing_under_other_names(name: str) -> None:
    found = _complaints(documented(OTHERS)[name], {*IGNORED, "EX01"})
    assert not found, f"{name}: " + "; ".join(found)


@pytest.mark.parametrize("name", sorted(name for name, x in documented().items() if inspect.isfunction(_function(x))))
def test_errors_that_a_function_raises_are_documented(name: str) -> None:
    thing = documented()[name]
    described = {
        error for entry in get_doc_object(thing)["Raises"] for error in (entry.type or entry.name).split(", ")
    }  # fmt: skip
    missing = _raised(_function(thing)) - described
    assert not missing, f"{name} raises {', '.join(sorted(missing))}, of which its docstring says nothing"


@pytest.mark.parametrize(
    "name", sorted(name for name, x in documented().items() if not inspect.isfunction(_function(x)))
)
@pytest.mark.usefixtures("deferred")
def test_examples_outside_of_modules_run(name: str, device: da.Device) -> None:
    """Those that doctest does not find in a module: of the core's classes, and of what is made when it is imported."""
    known = {"device": device, "da": da}
    test = doctest.DocTestParser().get_doctest(_text(documented()[name]), known, name, None, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)
