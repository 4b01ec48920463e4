"""A text in CUDA C without what C has not, where it needs that."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise

from devarray.codegen.language.cplusplus.calls import OPENCLS
from devarray.codegen.language.cplusplus.reader import Variable, closing
from devarray.codegen.language.cplusplus.statements import Statements
from devarray.codegen.language.cplusplus.tokens import NotUnderstood, Token, plain, read
from devarray.codegen.language.cplusplus.types import Type, named
from devarray.codegen.language.cplusplus.unit import Unit

__all__ = ["lowered", "lowered_statements", "needed"]

_WORDS = frozenset(("template", "using", "namespace", "typename"))
"""Those that say C++ where a name, a bracket or `<` follows: they are names in C."""


def lowered(text: str, kernels: Mapping[str, str]) -> str:
    """A text in CUDA C without what C has not; the text itself where it needs nothing.

    Parameters
    ----------
    text : str
    kernels : dict
        Template kernels that are wanted, such as ``"f<float, 4>"``, and the names that they get.

    Raises
    ------
    NotUnderstood
        For what is not put in C.
    KeyError
        For a template that the text does not have.
    """
    return _lowered(text, tuple(kernels.items()))


@lru_cache(32)  # a module's text is asked for with each of its kernels
def _lowered(text: str, kernels: tuple[tuple[str, str], ...]) -> str:
    if not kernels and not needed(text):
        return text
    # C's compilers warn only of a pointer to another type than a reference is of.
    try:
        return (
            f'#pragma clang diagnostic error "-Wincompatible-pointer-types"\n{Unit(read(text)).program(dict(kernels))}'
        )
    except RecursionError:
        raise NotUnderstood("templates or expressions within each other, too deep", 1) from None


def lowered_statements(
    preamble: str, texts: list[str], variables: Mapping[str, str], pointers: Mapping[str, str], types: Mapping[str, str]
) -> tuple[str, list[str], bool]:
    """Definitions, and texts of statements that call them, without what C has not; whether they compute with complex
    numbers.

    Parameters
    ----------
    preamble : str
    texts : list of str
        The first ones declare variables that the others see.
    variables, pointers : dict
        Names that the statements know from elsewhere, and their types in C: pointers are to global memory.
    types : dict
        Names of types in C; ``"GLOBAL char*"`` is a pointer.

    Raises
    ------
    NotUnderstood
        For what is not put in C.
    """
    known = {}
    for name, kind in types.items():
        base = kind.removeprefix("GLOBAL ")
        known[name] = Type(named(base.rstrip("*")), base.count("*"), space="GLOBAL" if base != kind else "")
    unit = Unit(read(preamble), known)
    before = unit.definitions()
    outer = {name: Variable(name, Type(named(kind))) for name, kind in variables.items()}
    outer |= {name: Variable(name, Type(named(kind), 1, space="GLOBAL")) for name, kind in pointers.items()}
    made = []
    for text in texts:
        reader = Statements(unit, read(f"{text}\n;"), dict(known), unit.variables, outer)
        made.append(reader.body().rstrip()[:-1])
    return before + "".join(unit.pending) + "\n", made, unit.computes_complex


def needed(text: str) -> bool:
    """Whether a text has what C has not.

    Beside words of C++: `::`; a lambda; a function's name with two bodies; `&` or a default value in a function's
    parameters; a structure with functions; a reference as a variable.
    """
    macros = frozenset(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.M))
    try:
        return _needed(plain(text), macros)
    except NotUnderstood:  # brackets that a condition of the preprocessor opens twice
        return False


def _needed(tokens: list[Token], macros: frozenset[str]) -> bool:
    depth, names, start = 0, set(), 0
    # C has functions of one name by an attribute, and one of two by a condition of the preprocessor.
    one_by_one = any(t.text == "overloadable" or "#if" in t.space.replace(" ", "") for t in tokens)
    for at, token in enumerate(tokens):
        before, after = tokens[at - 1].text if at else "", tokens[at + 1].text if at + 1 < len(tokens) else ""
        if token.text == "::":
            return True
        follows = tokens[at + 1].kind == "name" if at + 1 < len(tokens) else False
        if token.kind == "name" and token.text in _WORDS and (follows or _opens(before, token.text, after)):
            return True
        if token.text == "operator" and (tokens[at - 1].kind == "name" or before in ("&", "*", ">")):
            third = tokens[min(at + 2, len(tokens) - 1)].text
            if third in ("(", "]", ")", after) or (after not in ("=", "[", ";", ",", ")") and third == "="):
                return True
        if token.text == "complex" and after == "<" and tokens[min(at + 3, len(tokens) - 1)].text == ">":
            return True
        if token.kind != "sign":
            continue
        if token.text == "[" and (before in ("=", "(", "return") or (before == "," and after in ("&", "=", "]"))):
            return True
        if token.text == "&" and after and _begins(tokens, at) and tokens[at + 2].text in ("=", ":"):
            return True
        if token.text == ":" and depth == 0 and at > 1 and tokens[at - 2].text in ("struct", "class"):
            return True
        if token.text == "(" and depth == 0:
            end = closing(tokens, at)
            if tokens[end + 1].text == "{" and at and tokens[at - 1].kind == "name" and before not in macros:
                twice = before in names and not one_by_one
                if twice or before in OPENCLS or any(t.text in ("&", "=") for t in tokens[at:end]):
                    return True
                names.add(before)
        if token.text == "{":
            if depth == 0 and any(t.text == "struct" for t in tokens[start:at]) and before not in (")", "="):
                inside = tokens[at : closing(tokens, at)]
                if any(a.text == ")" and b.text in ("{", "const", ":") for a, b in pairwise(inside)):
                    return True
                enumerates = any(t.text == "enum" for t in inside)
                if any(t.text == "constexpr" or (t.text == "=" and not enumerates) for t in inside):
                    return True
            depth += 1
        elif token.text == "}":
            depth -= 1
        if depth == 0 and token.text in (";", "}"):
            start = at + 1
    return False


def _opens(before: str, word: str, after: str) -> bool:
    """Whether a word of C++ before a sign is no name of C."""
    if word == "template":
        return after == "<" and before in ("", ";", "{", "}", ")", ">", ",")
    return word == "namespace" and after == "{"


def _begins(tokens: list[Token], at: int) -> bool:
    """Whether what stands before `at` is a type that begins a statement."""
    place = at - 1
    while place >= 0 and tokens[place].kind == "name":
        place -= 1
    first = tokens[place + 1].text
    if first in ("case", "return", "goto"):
        return False
    return place < at - 1 and (place < 0 or tokens[place].text in (";", "{", "}", "("))
