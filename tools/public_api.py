"""Every public name with its signature, a line each: what programs rely on.

    python tools/public_api.py            prints it
    python tools/public_api.py write      writes it to tests/public_api.txt

A test compares. A line that goes or changes is a change of the public interface: CHANGELOG.md says so.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAMESPACES = (
    "devarray",
    "devarray.alloc",
    "devarray.array",
    "devarray.cl",
    "devarray.cl.tools",
    "devarray.cuda",
    "devarray.dask",
    "devarray.errors",
    "devarray.fft",
    "devarray.lib",
    "devarray.lib.stride_tricks",
    "devarray.linalg",
    "devarray.random",
    "devarray.testing",
)
OWN = {"devarray.array": ("Array",)}
PATH = Path(__file__).resolve().parents[1] / "tests" / "public_api.txt"


def signature_of(thing: Any) -> str:
    """The parameters' names, kinds and defaults; nothing for what has none."""
    if not callable(thing) or isinstance(
        thing, enum.EnumType
    ):  # an enumeration's call is Python's, and changes with it
        return ""
    if typing.get_origin(thing) is not None:  # a type by another name: what signature it has depends on Python
        return "(...)"
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(inspect.Signature(bare))


def members(name: str, cls: type) -> Iterator[str]:
    """The public attributes of a class and NumPy's protocol methods; not those that Python or NumPy gives it."""
    for key in sorted(dir(cls)):
        if key.startswith("_") and not key.startswith(("__array", "__dlpack", "__cuda")):
            continue
        if not hasattr(cls, key):  # a name of other libraries', whose error says what to use
            continue
        owner = next(base for base in cls.__mro__ if key in vars(base))
        if not owner.__module__.startswith("devarray"):
            continue
        member = inspect.getattr_static(cls, key)
        if isinstance(member, staticmethod | classmethod):
            member = member.__func__
        yield f"{name}.{key}{signature_of(member)}"


def lines() -> Iterator[str]:
    """All of it, in the order of the namespaces."""
    for namespace in NAMESPACES:
        module = importlib.import_module(namespace)
        names = OWN.get(namespace) or getattr(module, "__all__", None) or [n for n in dir(module) if n[0] != "_"]
        for name in sorted(set(names)):
            thing = getattr(module, name)
            yield f"{namespace}.{name}{signature_of(thing)}"
            if inspect.isclass(thing) and (thing.__module__ or "").startswith("devarray"):
                yield from members(f"{namespace}.{name}", thing)


if __name__ == "__main__":
    text = "\n".join(lines()) + "\n"
    if sys.argv[1:] == ["write"]:
        PATH.write_text(text)
    else:
        print(text, end="")
