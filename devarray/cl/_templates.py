"""Texts of kernels with names of types and values that are given later: what PyOpenCL's templates have in common."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from devarray._kernels.pointers import Argument, arguments_of
from devarray._runtime.records import is_record
from devarray.cl.tools import ScalarArg, dtype_to_c_struct, dtype_to_ctype, get_or_register_dtype
from devarray.errors import ValueError

if TYPE_CHECKING:
    from devarray._typing import DTypeLike

__all__ = ["KernelTemplate", "Rendered"]

_PROCESSORS = ("none", "printf", "mako")
_MARK = re.compile(r"//CL(?::(\w+))?//")
"""What a text begins with that has a processor of its own."""


class KernelTemplate:
    """Base of the templates: how their texts become a kernel's."""

    def __init__(self, template_processor: str | None) -> None:
        if template_processor is not None and template_processor not in _PROCESSORS:
            raise ValueError(f"template_processor is None, 'none', 'printf' or 'mako', not {template_processor!r}")
        self.template_processor = template_processor

    def _rendered(self, type_aliases: Any, var_values: Any) -> Rendered:
        types = dict(type_aliases.items() if isinstance(type_aliases, Mapping) else type_aliases)
        values = dict(var_values.items() if isinstance(var_values, Mapping) else var_values)
        return Rendered(self.template_processor, {name: np.dtype(dtype) for name, dtype in types.items()}, values)


class Rendered:
    """Texts of a template with the names of types and values replaced."""

    def __init__(self, processor: str | None, types: dict[str, np.dtype], values: dict[str, Any]) -> None:
        self.processor = processor
        self.types = types
        self.values = values
        aliases = "|".join(re.escape(name) for name in sorted(types, key=len, reverse=True))
        self._aliases = re.compile(rf"\b(?:{aliases})\b" if types else "(?!)")

    def type(self, alias: str) -> np.dtype:
        """What a name stands for that a template needs.

        Raises
        ------
        ValueError
            If nothing was said of it.
        """
        if alias not in self.types:
            raise ValueError(f"type_aliases says nothing of {alias}, a type that the template needs")
        return self.types[alias]

    def text(self, given: str | None) -> Any:
        """A text of the template as the kernel has it; None stays."""
        if given is None:
            return None
        mark = _MARK.match(given)
        processor = (mark and mark[1]) or self.processor
        if mark:
            given = given[mark.end() :]
        if processor == "printf":
            given = given % self.values
        elif processor == "mako":
            mako = import_module("mako.template")  # which need not be installed
            given = mako.Template(given, strict_undefined=True).render(**self.values)
        elif processor not in (None, "none"):
            raise ValueError(f"{processor!r} is no template processor: 'none', 'printf' and 'mako' are")
        return self._aliases.sub(lambda found: dtype_to_ctype(self.types[found[0]]), given)

    def arguments(self, *lists: Any) -> list[Argument]:
        """The arguments of lists of C declarators, of arguments, and of (type, name) for numbers."""
        made: list[Argument] = []
        for given in lists:
            if isinstance(given, str):
                made += arguments_of(re.sub(r"/\*.*?\*/", "", self.text(given), flags=re.S))
                continue
            for part in given:
                made += self._argument(part)
        return made

    def _argument(self, part: Any) -> Iterable[Argument]:
        if isinstance(part, tuple):
            kind, name = part
            return arguments_of([ScalarArg(self._dtype(kind), name)])
        return arguments_of(self.text(part)) if isinstance(part, str) else arguments_of([part])

    def _dtype(self, kind: DTypeLike) -> np.dtype:
        if isinstance(kind, str):
            return self.types[kind] if kind in self.types else get_or_register_dtype(kind)
        return np.dtype(kind)

    def preamble(self, arguments: Sequence[Argument], declared: Sequence[Any], *texts: str) -> str:
        """The texts, behind those of the structures that the kernel meets and that they do not define themselves."""
        own = "\n".join(self.text(text) for text in texts)
        met = [*map(self._dtype, declared), *(a.item for a in arguments if a.record), *self.types.values()]
        found: dict[str, str] = {}
        for dtype in met:
            _declare(dtype, found)
        missing = [text for name, text in found.items() if not re.search(rf"\}}\s*{re.escape(name)}\s*;", own)]
        return "".join(missing) + own


def _declare(dtype: np.dtype, found: dict[str, str]) -> None:
    """Add a structure's text to `found`, behind those of the structures in it."""
    if not is_record(dtype):
        return
    for kind, *_ in (dtype.fields or {}).values():
        _declare(kind.subdtype[0] if kind.subdtype else kind, found)
    if text := dtype_to_c_struct(None, dtype):
        found.setdefault(dtype_to_ctype(dtype), text)
