"""Write docs/opencl.md and docs/cuda.md: every name of the pages that the raw layers follow, its place and its tests.

    python tools/make_driver_docs.py [--check] [opencl] [cuda]

The names stand in tests/cl/names.txt and tests/cuda/names.txt, which say how they are written. A test exercises a name
where it, or a helper of its file, mentions it; a member only together with its class, or with what gives objects of
it; an attribute that stands for a constant also where the test goes through the constant's class.
tests/*/seen.json says on which runtimes each test was seen to pass: a test run adds to it where SEEN_JSON=1.
With --check nothing is written: the exit status is 1 where a name is missing or a page is not current.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Name:
    """One line of a list.

    Attributes
    ----------
    module, section : str
    owner : Name or None
        The class of a member.
    name : str
    parameters : str or None
        As the page gives them, without parentheses; None for what is not called.
    hints : set of str
        For a class: what gives its objects.
    table : str or None
        For an attribute that stands for a constant: the constant's class.
    members : list of str
        Of a class of constants.
    """

    module: str
    section: str
    owner: Name | None
    name: str
    parameters: str | None
    hints: set[str] = field(default_factory=set)
    table: str | None = None
    members: list[str] = field(default_factory=list)

    @property
    def dotted(self) -> str:
        return f"{self.owner.name}.{self.name}" if self.owner else self.name

    def find(self) -> Any:
        """The object; AttributeError where there is none."""
        module = importlib.import_module(self.module)
        if self.owner is None:
            return getattr(module, self.name)
        cls = getattr(module, self.owner.name)
        if any(self.name in inspect.get_annotations(base) for base in cls.__mro__):
            return None  # an attribute that each object sets
        return getattr(cls, self.name)


def read_names(path: Path) -> list[Name]:
    """The names of a list; see its head for how it is written."""
    names: list[Name] = []
    module = section = ""
    owner: Name | None = None
    for line in path.read_text().splitlines():
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if text.startswith("= "):
            module, section = text[2:].split("  ", 1)
            owner = None
        elif text.startswith("* "):
            constants = getattr(importlib.import_module(module), text[2:])
            members = [member for member in vars(constants) if not member.startswith("_") and member.isupper()]
            names += [Name(module, section, owner, member.lower(), None, table=text[2:]) for member in members]
        elif ": " in text:
            word, _, members = text.partition(": ")
            names.append(Name(module, section, None, word, None, members=members.split()))
        else:
            text, _, hints = text.partition(" < ")
            word, parenthesis, rest = text.partition("(")
            found = Name(module, section, None, word, rest[:-1] if parenthesis else None, set(hints.split()))
            if line[0] == " ":
                found.owner = owner
            else:
                owner = found
            names.append(found)
    return names


# --- what the code has -------------------------------------------------------------------------------------------


def missing(names: list[Name]) -> list[str]:
    """The names that the code lacks."""
    lacking = []
    for name in names:
        try:
            found = name.find()
        except AttributeError:
            lacking.append(f"{name.module}.{name.dotted}")
            continue
        lacking += [f"{name.module}.{name.name}.{member}" for member in name.members if not hasattr(found, member)]
    return lacking


Parameters = list[tuple[str, str | None]]
"""Names and the text of their defaults."""


def wanted_parameters(text: str) -> Parameters:
    """Those of a list's line; ``*`` alone is left out."""
    arguments = ast.parse(f"def f({text}): ...").body[0].args  # type: ignore[attr-defined]
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + [ast.unparse(d) for d in arguments.defaults]
    result = list(zip([a.arg for a in plain], defaults, strict=True))
    return result + [
        (a.arg, None if d is None else ast.unparse(d))
        for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    ]


def found_parameters(function: Any) -> list[Parameters]:
    """Those of a function, a method or a class: of each overload where it is compiled. Without ``self``."""
    if inspect.isclass(function):
        function = function.__init__ if function.__new__ is object.__new__ or "__init__" in vars(function) else function
    try:
        signatures = [list(inspect.signature(function).parameters.values())]
        if [p.kind for p in signatures[0]] != [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
            named = [
                [(p.name, None if p.default is p.empty else repr(p.default)) for p in parameters]
                for parameters in [
                    [p for p in one if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)] for one in signatures
                ]
            ]
            return [[p for p in one if p[0] != "self"] for one in named]
    except (TypeError, ValueError):
        pass
    lines = re.findall(r"^(?:\d+\. )?\w+\((.*)\)(?: -> .*)?$", inspect.getdoc(function) or "", re.MULTILINE)
    return [_documented(line) for line in lines]


def _documented(text: str) -> Parameters:
    """The parameters in a line that pybind11 wrote: ``self: Type, size: int = 0``."""
    found: Parameters = []
    for part in re.split(r",\s*(?=\*{0,2}\w+(?:[:=]|$|,)|\*,|/,)", text):
        match = re.match(r"(\w+)(?::[^=]*)?(?:\s*=\s*(.*))?$", part.strip(), re.DOTALL)
        if match and match[1] not in ("self", "arg0"):
            found.append((match[1], match[2]))
    return found


def differences(name: Name) -> str | None:
    """What a signature lacks of the page's: each parameter, by its name, in its place, with its default."""
    if name.parameters is None:
        return None
    wanted, overloads = wanted_parameters(name.parameters), found_parameters(name.find())
    if not overloads or any(_offers(found, wanted) for found in overloads):
        return None if overloads or not wanted else "its signature is not known"
    return f"({name.parameters}) is wanted; there is {overloads}"


def _offers(found: Parameters, wanted: Parameters) -> bool:
    if len(found) < len(wanted):
        return False
    for (name, default), (wanted_name, wanted_default) in zip(found, wanted, strict=False):
        if name != wanted_name or (wanted_default is not None and not _same(default, wanted_default)):
            return False
    return all(default is not None for _, default in found[len(wanted) :])


def _same(found: str | None, wanted: str) -> bool:
    """Whether defaults agree: an empty list with an empty tuple, None with a page's way to say so, enums by number."""
    if found is None:
        return False
    plain = found.strip("'\"<>")
    return (
        found in (wanted, "None")
        or {found, wanted} == {"()", "[]"}
        or plain.startswith((wanted.strip("'\""), "class "))
    )


# --- what the tests exercise -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Test:
    """A test function.

    Attributes
    ----------
    place : str
        ``file.py::function``.
    words : frozenset of str
        Every name and attribute in it, in the helpers and fixtures of its file that it uses, and in code that it
        holds as text.
    line : int
    """

    place: str
    words: frozenset[str]
    line: int


def read_tests(*patterns: str) -> list[Test]:
    """The tests of all files below tests/ that match."""
    return [test for pattern in patterns for path in sorted((ROOT / "tests").glob(pattern)) for test in _tests_of(path)]


def _tests_of(path: Path) -> Iterator[Test]:
    tree = ast.parse(path.read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    texts = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    place = path.relative_to(ROOT / "tests").as_posix()

    @cache
    def own_words(name: str) -> frozenset[str]:
        return _words(functions.get(name) or texts[name])

    def words(name: str) -> frozenset[str]:
        found, left = set(), [name]
        while left:
            found.add(left.pop())
            helpers = {word for part in found for word in own_words(part) if word in functions or word in texts}
            left = [word for word in helpers - found if not word.startswith("test_")]
        return frozenset().union(*(own_words(part) for part in found))

    for name, node in functions.items():
        if name.startswith("test_"):
            yield Test(f"{place}::{name}", words(name), node.lineno)


def _words(node: ast.AST) -> frozenset[str]:
    found: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Attribute):
            found.add(part.attr)
        elif isinstance(part, ast.arg):
            found.add(part.arg)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            found.update(re.findall(r"\w+", part.value))
    return frozenset(found | _spoken(node))


def _spoken(node: ast.AST) -> set[str]:
    """The special methods behind syntax."""
    kinds = {ast.With: ("__enter__", "__exit__"), ast.Subscript: ("__getitem__",), ast.Call: ("__call__",)}
    found = {
        word for part in ast.walk(node) for kind, words in kinds.items() if isinstance(part, kind) for word in words
    }
    for part in ast.walk(node):
        if isinstance(part, ast.Compare):
            found |= {"__eq__"} if any(isinstance(op, ast.Eq) for op in part.ops) else set()
            found |= {"__ne__"} if any(isinstance(op, ast.NotEq) for op in part.ops) else set()
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            found |= {"hash": {"__hash__"}, "repr": {"__repr__"}, "int": {"__int__"}, "set": {"__hash__"}}.get(
                part.func.id, set()
            )
    return found


def exercising(name: Name, tests: list[Test]) -> list[Test]:
    """The tests that mention a name; a member together with its class or what gives its objects."""
    found = [test for test in tests if name.name in test.words or name.table in test.words]
    if name.owner is None:
        return found
    family = {name.owner.name} | name.owner.hints
    return [test for test in found if test.words & family]


# --- the pages ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Page:
    """One page to write."""

    title: str
    path: Path
    names: Path
    seen: Path
    tests: tuple[str, ...]
    text: str


PAGES = {
    "opencl": Page(
        "OpenCL: every name and its tests",
        ROOT / "docs" / "opencl.md",
        ROOT / "tests" / "cl" / "names.txt",
        ROOT / "tests" / "cl" / "seen.json",
        ("cl/test_*.py", "memory/test_pyopencl_names.py"),
        "`devarray.cl`, `devarray.cl.tools` and `devarray.cl.characterize` follow PyOpenCL's pages on memory, "
        "on tools, and what a program needs around them: what imports PyOpenCL for these runs with the import changed.",
    ),
    "cuda": Page(
        "CUDA: every name and its tests",
        ROOT / "docs" / "cuda.md",
        ROOT / "tests" / "cuda" / "names.txt",
        ROOT / "tests" / "cuda" / "seen.json",
        ("cuda/test_*.py",),
        "`devarray.cuda` follows pycuda.driver's page, `devarray.cuda.compiler` pycuda.compiler's, and the top level "
        "of devarray numba.cuda's page on memory.",
    ),
}


def write(page: Page) -> str:
    """The text of a page."""
    names, tests = read_names(page.names), read_tests(*page.tests)
    seen: dict[str, list[str]] = json.loads(page.seen.read_text()) if page.seen.exists() else {}
    lines = [
        f"# {page.title}",
        "",
        page.text,
        "",
        f"Written by `python tools/make_driver_docs.py` from `{page.names.relative_to(ROOT)}`. The tests are those "
        "that mention the name; the last column says on which runtimes at least one of them was seen to pass.",
    ]
    section = None
    for name in names:
        if (name.module, name.section) != section:
            section = (name.module, name.section)
            lines += ["", f"## {name.section}: `{name.module}`", "", "| name | tests | seen on |", "|---|---|---|"]
        lines.append(_row(name, exercising(name, tests), seen))
    return "\n".join(lines) + "\n"


def _row(name: Name, tests: list[Test], seen: dict[str, list[str]]) -> str:
    shown = ", ".join(f"`{test.place.split('/')[-1]}`" for test in tests[:2]).replace(".py::", ": ")
    more = f" and {len(tests) - 2} more" if len(tests) > 2 else ""
    runtimes = sorted({runtime for test in tests for runtime in seen.get(test.place, [])})
    call = "" if name.parameters is None else f"({name.parameters})"
    constants = f" ({len(name.members)} constants)" if name.members else ""
    return f"| `{name.dotted}{call}`{constants} | {shown}{more} | {', '.join(runtimes)} |"


def problems(page: Page) -> list[str]:
    """Names that are missing, differ from the page, or are in no test."""
    names = read_names(page.names)
    lacking = missing(names)
    if lacking:
        return [f"{name} is missing" for name in lacking]
    tests = read_tests(*page.tests)
    found = [f"{name.module}.{name.dotted}: {text}" for name in names if (text := differences(name))]
    return found + [f"{name.module}.{name.dotted} is in no test" for name in names if not exercising(name, tests)]


def main() -> int:
    chosen = [word for word in sys.argv[1:] if word != "--check"] or list(PAGES)
    check, failed = "--check" in sys.argv, False
    for page in (PAGES[word] for word in chosen):
        wrong = problems(page)
        text = write(page) if not any("missing" in line for line in wrong) else ""
        if check and text != (page.path.read_text() if page.path.exists() else ""):
            wrong.append(f"{page.path.relative_to(ROOT)} is not current: run python tools/make_driver_docs.py")
        if not check and text:
            page.path.write_text(text)
        for line in wrong:
            print(line, file=sys.stderr)
        failed = failed or bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
