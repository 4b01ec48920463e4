"""Parameters of users' kernels in CuPy's form, ``"T x, raw float32 y"``, and their types for given arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from devarray._primitives.launch import NAMES
from devarray.array import Array
from devarray.codegen.language.words import WORD
from devarray.errors import DTypeError, ValueError
from devarray.ops.dtypes import DTYPES

__all__ = ["Declared", "Types", "declared", "parse", "resolve"]

Types = tuple[tuple[str, str], ...]
"""Type variables and their dtypes."""

_SPELLINGS = {
    "float": "float32",
    "double": "float64",
    "char": "int8",
    "short": "int16",
    "int": "int64",
    "long": "int64",
    "half": "float16",
    "complex": "complex128",
    "bool_": "bool",
}


@dataclass(frozen=True, slots=True)
class Declared:
    """A parameter as it was written.

    Attributes
    ----------
    name : str
    variable : str
        The type variable, or empty.
    dtype : str
        The dtype where it is no variable, else empty.
    raw : bool
        Whether the kernel indexes the array itself.
    record : str
        Of structures their C type; the dtype is then that of their bytes.
    """

    name: str
    variable: str
    dtype: str
    raw: bool
    record: str = ""


@lru_cache(1024)
def parse(text: str) -> tuple[Declared, ...]:
    """The parameters of a list such as ``"T x, raw float32 y"``.

    Raises
    ------
    ValueError
        For what is no such list.
    """
    if not isinstance(text, str):
        raise DTypeError(f"parameters are a text such as 'T x, raw float32 y', not {type(text).__name__}")
    declared = []
    for part in text.split(","):
        words = part.split()
        if not words:
            if text.strip():
                raise ValueError(f"an empty parameter in {text!r}")
            continue
        raw = "raw" in words[:-2]
        known = [word for word in words[:-2] if word not in ("raw", "_non_const", "const")]
        if len(words) < 2 or known or not WORD.fullmatch(words[-1]):
            raise ValueError(
                f"{part.strip()!r} is no parameter of a kernel: wanted are a type and a name such as 'float32 x', "
                "'T x' or 'raw T x'"
            )
        kind, name = words[-2:]
        if name in ("i", "n"):
            raise ValueError(f"a parameter cannot be named {name!r}: kernels have that name for the index and the size")
        variable = kind if len(kind) == 1 and kind.isalpha() else ""
        declared.append(Declared(name, variable, "" if variable else dtype_named(kind), raw))
    names = [p.name for p in declared]
    if len(set(names)) != len(names):
        raise ValueError(f"a name stands twice in {text!r}")
    return tuple(declared)


def declared(parameters: str | Sequence[Declared]) -> tuple[Declared, ...]:
    """Parameters that are given as a list, or read from a text."""
    if isinstance(parameters, tuple) and all(isinstance(p, Declared) for p in parameters):
        return parameters
    return parse(parameters)


def dtype_named(name: str) -> str:
    """A dtype's name, from NumPy's names."""
    try:
        dtype = np.dtype({"int": "int64", "long": "int64", "uint": "uint64"}.get(name, name)).name
    except TypeError:
        dtype = _SPELLINGS.get(name, "")
    if dtype not in DTYPES:
        raise DTypeError(f"{name!r} is no type of a kernel's parameter; there are {', '.join(DTYPES)}, and T")
    return dtype


def resolve(
    name: str,
    inputs: Sequence[Declared],
    outputs: Sequence[Declared],
    given: Sequence[Any],
    results: Sequence[Array] | None,
) -> Types:
    """The type variables' dtypes, from the arrays among the arguments.

    Raises
    ------
    DTypeError
        Where an array has another dtype than its parameter, two arrays want different dtypes of one variable, or none
        says what it is.
    """
    known: dict[str, str] = {}
    pairs = [*zip(outputs, results or (), strict=False), *zip(inputs, given, strict=True)]
    for p, value in pairs:
        if not isinstance(value, Array):
            continue
        dtype = NAMES[value.dtype]
        wanted = p.dtype or known.setdefault(p.variable, dtype)
        if dtype != wanted:
            kind = f"{p.variable}, which is {wanted}" if p.variable else wanted
            raise DTypeError(f"{name}: Type is mismatched: parameter {p.name} is {kind}, and the array is {dtype}")
    for p, value in pairs:
        # Of scalars alone the type is NumPy's.
        if p.variable and p.variable not in known and not isinstance(value, Array):
            found = np.asarray(value).dtype.name
            if found in DTYPES:
                known[p.variable] = found
    for p in (*inputs, *outputs):
        if p.variable and p.variable not in known:
            raise DTypeError(f"{name}: Type is unknown: no argument says what {p.variable} is")
    return tuple(sorted(known.items()))
