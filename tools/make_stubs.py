"""Write devarray/_core/cl.pyi and cuda.pyi from the compiled modules: names, signatures and types.

    python tools/make_stubs.py [--check]

pybind11 says of each function what it takes and returns. Where that is only ``object``, the sections Parameters and
Returns of the docstring say more: what they say of results is taken over, and of parameters what is made of numbers,
texts and events, since elsewhere more is taken than can be written as a type. With --check nothing is written: the
exit status is 1 where a file is not current.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
HEAD = '''"""The raw driver's bound names, of devarray/{name}/. Written by tools/make_stubs.py."""

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np

from devarray import _core

'''

TABLES = {
    "kPlatform": "Platform", "kDevice": "Device", "kContext": "Context", "kQueue": "CommandQueue", "kEvent": "Event",
    "kProfiling": "ProfilingInfo", "kMemory": "MemoryObject", "kImage": "Image", "kPipe": "Pipe",
    "kSampler": "Sampler", "kProgram": "Program", "kKernel": "Kernel",
}  # fmt: skip
"""The classes behind the tables of attributes in csrc/opencl/info.cpp."""
INFO_TYPES = {
    "text": "str", "boolean": "bool", "int32": "int", "version": "int", "uint32": "int", "uint64": "int",
    "float32": "float", "size": "int", "pointer": "int", "sizes": "list[int]", "properties": "list[int]",
    "versions": "list[NameVersion]", "platform": "Platform", "device": "Device", "devices": "list[Device]",
    "context": "Context", "queue": "CommandQueue | None", "memory": "MemoryObject | None", "program": "Program",
    "image_format": "ImageFormat", "topology": "tuple[int, int, int]", "binaries": "list[bytes]",
}  # fmt: skip
"""What an attribute of an info type is in Python."""
NONE_TOO = ("PARENT_DEVICE",)

PLAIN = {
    "int": "int", "float": "float", "str": "str", "bool": "bool", "bytes": "bytes", "None": "None", "Event": "Event",
    "memoryview": "memoryview", "numpy.ndarray": "np.ndarray[Any, Any]",
}  # fmt: skip
SPELLINGS = (
    ("typing.SupportsInt | typing.SupportsIndex", "int"),
    ("typing.SupportsFloat | typing.SupportsIndex", "float"),
    ("collections.abc.Buffer", "Any"),  # of Python 3.12 on
    ("collections.abc.", ""),
    ("typing_extensions.Buffer", "Any"),
    ("typing.", ""),
    ("(anonymous namespace)::", ""),
)
"""What pybind11 writes, and what a stub has in its place."""
SPECIAL = (
    "__init__",
    "__call__",
    "__getitem__",
    "__getattr__",
    "__enter__",
    "__exit__",
    "__len__",
    "__int__",
    "__index__",
)


class Writer:
    """Makes the stub of one module.

    Parameters
    ----------
    name : str
        ``"cl"`` or ``"cuda"``.
    module : module
    """

    def __init__(self, name: str, module: ModuleType) -> None:
        self.name, self.module = name, module
        self.attributes = _attributes() if name == "cl" else {}
        self.classes = {key: value for key, value in vars(module).items() if isinstance(value, type)}

    def text(self) -> str:
        """The whole file."""
        lines: list[str] = []
        seen: dict[int, str] = {}
        for key, value in vars(self.module).items():
            if key.startswith("__"):
                continue
            if id(value) in seen:
                lines.append(f"{key} = {seen[id(value)]}\n")
            elif isinstance(value, type):
                seen[id(value)] = key
                lines += self._class(key, value)
            elif callable(value):
                seen[id(value)] = key
                lines += self._function(key, value, "", False)
            else:
                lines.append(
                    f"{key}: {'dict[str, dict[str, int]]' if isinstance(value, dict) else type(value).__name__}\n"
                )
        return HEAD.format(name=self.name) + "".join(lines)

    def _class(self, name: str, cls: type) -> Iterator[str]:
        bases = [self._type(f"{base.__module__}.{base.__name__}") for base in cls.__bases__]
        bases = [base for base in bases if base != "Any" and not base.startswith("pybind11_builtins")]
        yield f"class {name}({', '.join(bases)}):\n" if bases else f"class {name}:\n"
        body: list[str] = []
        if "__dict__" in vars(cls):
            body.append("    def __setattr__(self, name: str, value: Any) -> None: ...\n")
        for key, raw in vars(cls).items():
            if isinstance(raw, property):
                body += self._property(name, key, raw)
            elif callable(getattr(cls, key)) and (not key.startswith("_") or key in SPECIAL):
                if key == "__init__" and not (raw.__doc__ or "").startswith("__init__("):
                    continue  # made by other functions alone
                body += self._function(key, getattr(cls, key), "    ", not isinstance(raw, staticmethod))
        yield from body or ["    ...\n"]
        yield "\n"

    def _property(self, owner: str, key: str, raw: property) -> Iterator[str]:
        line = (raw.fget.__doc__ or "").strip().split("\n")[0]
        result = self._type(line.partition(" -> ")[2])
        result = self.attributes.get((owner, key), result)
        yield f"    @property\n    def {key}(self) -> {result}: ...\n"
        if raw.fset:
            yield f"    @{key}.setter\n    def {key}(self, value: {result}) -> None: ...\n"

    def _function(self, key: str, function: Any, indent: str, method: bool) -> Iterator[str]:
        doc = function.__doc__ or ""
        signatures = re.findall(rf"^(?:\d+\. )?{re.escape(key)}(\(.*\))(?: -> (.*))?$", doc, re.MULTILINE)
        if doc.startswith(f"{key}(*args, **kwargs)"):
            signatures = signatures[1:]
        else:
            signatures = signatures[:1] if doc.startswith(f"{key}(") else []
        if not signatures:
            signatures = [(_introspected(function), "object" if _section(doc, "Returns") else "None")]
        for parameters, result in signatures:
            given = list(self._parameters(parameters, doc, method))
            returned = self._type(result) if result else "None"
            if re.fullmatch(r"Any|list\[Any\]|tuple\[Any, \.\.\.\]|_core\.\w+", returned):
                told = self._told(_section(doc, "Returns"), results=True)
                returned = returned if told == "Any" else told
            if len(signatures) > 1:
                yield f"{indent}@overload\n"
            elif not method and indent:
                yield f"{indent}@staticmethod\n"
            yield f"{indent}def {key}({', '.join(given)}) -> {returned}: ...\n"

    def _parameters(self, text: str, doc: str, method: bool) -> Iterator[str]:
        if method:
            yield "self"
        told = _parameter_types(doc)
        for number, part in enumerate(_split(text[1:-1])):
            left, has_default, _ = part.partition(" = ") if " = " in part else part.partition("=")
            name, _, kind = left.partition(": ")
            if method and number == 0 and name in ("self", "arg0", "$self"):
                continue
            if name in ("*", "/"):
                yield name
                continue
            plain = self._type(kind) if kind else "Any"
            if plain == "Any" and name in told:
                plain = self._told(told[name], results=False)
            if has_default and part.endswith("= None") and plain != "Any" and "None" not in plain:
                plain += " | None"
            yield f"{name}: {plain}" + (" = ..." if has_default else "")

    def _type(self, text: str) -> str:
        """A type as pybind11 writes it, as a stub has it."""
        text = text.strip()
        for old, new in (*SPELLINGS, (f"devarray._core.{self.name}.", "")):
            text = text.replace(old, new)
        text = re.sub(r"(?:std::\w+<)?devarray::(?:\w+::)*(\w+)>?", lambda found: self._bound(found[1]), text)
        text = re.sub(r"\bdevarray\._core\.(\w+)", r"_core.\1", text)
        text = re.sub(r"\bobject\b", "Any", text)
        text = re.sub(r"\blist\b(?!\[)", "list[Any]", text)
        text = re.sub(r"\btuple\b(?!\[)", "tuple[Any, ...]", text)
        text = re.sub(r"\bdict\b(?!\[)", "dict[Any, Any]", text)
        text = re.sub(r"\bCallable\b(?!\[)", "Callable[..., Any]", text)
        text = re.sub(r"\bSequence\b(?!\[)", "Sequence[Any]", text)
        return text if text and "::" not in text else "Any"

    def _bound(self, name: str) -> str:
        """A class of C++ that pybind11 did not know yet when it wrote the signature."""
        return next((known for known in (name, name.removeprefix("Cl")) if known in self.classes), "Any")

    def _told(self, text: str, results: bool) -> str:
        """A type as a docstring has it: a number, a text, an event or, of results, a class of the module."""
        text = text.partition(", default")[0]
        optional = text.endswith(", optional")
        parts = [self._part(part.strip(), results) for part in text.removesuffix(", optional").split(" or ")]
        if "Any" in parts:
            return "Any"
        return " | ".join(dict.fromkeys(parts + ["None"] * optional))

    def _part(self, text: str, results: bool) -> str:
        if text in PLAIN:
            return PLAIN[text]
        if results and text in self.classes:
            return text
        pair = re.fullmatch(r"tuple of \((.*)\)", text)
        if pair:
            return f"tuple[{', '.join(self._part(part, results) for part in pair[1].split(', '))}]"
        for word, form in (("sequence", "Sequence[{}]"), ("list", "list[{}]"), ("tuple", "tuple[{}, ...]")):
            if text.startswith(f"{word} of "):
                inner = self._part(text.removeprefix(f"{word} of "), results)
                return form.format(inner) if inner != "Any" else "Any"
        return "Any"


def _attributes() -> dict[tuple[str, str], str]:
    """Types of the attributes that the info tables give, by class and name."""
    source = (ROOT / "csrc" / "opencl" / "info.cpp").read_text()
    found = {}
    for table, rows in re.findall(r"InfoRow (\w+)\[\] = \{(.*?)\n\};", source, re.DOTALL):
        for name, other, kind in re.findall(r'(?:ROW\((\w+), |\{"(\w+)", \w+, )(\w+)[)}]', rows):
            word = name or other
            if table in TABLES and kind in INFO_TYPES:
                suffix = " | None" if word in NONE_TOO else ""
                found[TABLES[table], word.lower()] = INFO_TYPES[kind] + suffix
    return found


def _introspected(function: Any) -> str:
    """The parameters of a function that pybind11 did not bind."""
    try:
        text = str(inspect.signature(function))
    except (TypeError, ValueError):
        return "(*args, **kwargs)"
    return text.replace(", /", "").replace("(/, ", "(").replace("(/)", "()")


def _split(text: str) -> Iterator[str]:
    """Parameters apart: commas in brackets, or in a default, do not count."""
    depth, start = 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "[(<{") - (letter in "])>}")
        if letter == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()


def _section(doc: str, title: str) -> str:
    """The first line of a section."""
    found = re.search(rf"^{title}\n-+\n(.*)$", doc, re.MULTILINE)
    return found[1] if found else ""


def _parameter_types(doc: str) -> dict[str, str]:
    found = re.search(r"^Parameters\n-+\n(.*?)(?=\n\n\w+\n-+\n|\Z)", doc, re.MULTILINE | re.DOTALL)
    lines = found[1].split("\n") if found else []
    pairs = [line.partition(" : ") for line in lines if " : " in line and not line.startswith(" ")]
    return {name: kind for name, _, kind in pairs}


def main() -> int:
    from devarray import _core

    failed = False
    for name in ("cl", "cuda"):
        path = ROOT / "devarray" / "_core" / f"{name}.pyi"
        text = Writer(name, getattr(_core, name)).text()
        if "--check" not in sys.argv:
            path.write_text(text)
        elif text != path.read_text():
            print(f"{path.relative_to(ROOT)} is not current: run python tools/make_stubs.py", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
