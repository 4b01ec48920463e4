"""Template kernels of users, specialised in the text: OpenCL C has no templates, and NVRTC's names need no lowering."""

from __future__ import annotations

import re

__all__ = ["matching", "signature", "specialise", "with_linkage", "without_linkage"]


def matching(text: str, start: int) -> int:
    """Where the bracket at `start` closes; -1 where it does not."""
    pairs = {"(": ")", "{": "}", "<": ">", "[": "]"}
    opening, closing, depth = text[start], pairs[text[start]], 0
    for at in range(start, len(text)):
        depth += (text[at] == opening) - (text[at] == closing)
        if depth == 0:
            return at
    return -1


def specialise(text: str, expressions: dict[str, str]) -> str:
    """A text with each template kernel replaced by its specialisations.

    Parameters
    ----------
    text : str
    expressions : dict
        Names such as ``"f<float, 4>"``, and the plain C names that their kernels get.

    Raises
    ------
    KeyError
        For the name of a template that the text does not have.
    """
    wanted: dict[str, list[tuple[list[str], str]]] = {}
    for expression, plain in expressions.items():
        name, _, rest = expression.partition("<")
        if rest:
            wanted.setdefault(name.strip().rpartition("::")[2], []).append((_arguments(rest.rstrip()[:-1]), plain))
    for name, uses in wanted.items():
        found = re.search(
            rf"template\s*<([^<>]*)>\s*((?:[\w\s]|\([^()]*\))*?\b__global__\b[^;{{}}()]*?\bvoid\s+(?:__launch_bounds__\s*\([^()]*\)\s*)?){re.escape(name)}\s*\(",
            text,
        )
        if found is None:
            raise KeyError(name)
        close = matching(text, found.end() - 1)
        brace = text.index("{", close)
        end = matching(text, brace) + 1
        declared = [p.partition("=") for p in found[1].split(",")]
        parameters, values = [p.split()[-1] for p, _, _ in declared], [value.strip() for _, _, value in declared]
        signature, body, lines = text[found.end() - 1 : brace], text[brace:end], text[: found.start()].count("\n") + 1
        made = []
        for arguments, plain in uses:
            arguments = [*arguments, *values[len(arguments) :]]
            if len(arguments) != len(parameters) or "" in arguments:
                raise KeyError(f"{name}<{', '.join(arguments)}>")
            meaning = dict(zip(parameters, arguments, strict=True))

            def put(match: re.Match[str], meaning: dict[str, str] = meaning) -> str:
                return meaning.get(match[0], match[0])

            inside = re.sub(r"\b[A-Za-z_]\w*\b", put, signature + body)
            head = found[2] if 'extern "C"' in found[2] else f'extern "C" {found[2].lstrip()}'
            made.append(f"\n#line {lines}\n{head}{plain}{inside}\n")
        after = lines + text[found.start() : end].count("\n")
        text = f"{text[: found.start()]}{''.join(made)}\n#line {after}\n{text[end:]}"
    return text


def _arguments(text: str) -> list[str]:
    """The arguments between the angles of a name."""
    parts, depth, last = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            parts.append(text[last:at].strip())
            last = at + 1
    return [*parts, text[last:].strip()]


def with_linkage(text: str) -> str:
    """A CUDA text whose kernels, templates apart, have the names that they are written with."""

    def put(match: re.Match[str]) -> str:
        before = text[: match.start()].rstrip()
        line = before.rpartition("\n")[2].lstrip()
        first = not before or before[-1] in ";{}" or line.startswith(("#", "//")) or before.endswith("*/")
        return 'extern "C" __global__' if first else match[0]

    return re.sub(r"\b__global__\b", put, text)


def signature(text: str, name: str) -> list[str] | None:
    """The parameters of a kernel as they are written; None where the text does not show them."""
    flat = re.sub(r"//[^\n]*|/\*.*?\*/|\\\n", " ", text, flags=re.S)
    found = re.search(rf"\bvoid\s+(?:__launch_bounds__\s*\([^()]*\)\s*)?{re.escape(name)}\s*\(", flat)
    if found is None:
        return None
    close = matching(flat, found.end() - 1)
    inside = flat[found.end() : close].strip()
    return [] if inside in ("", "void") else [" ".join(p.split()) for p in inside.split(",")]


def without_linkage(text: str) -> str:
    """A text without blocks of ``extern "C" { ... }``, whose lines stay where they were."""
    while found := re.search(r'\bextern\s+"C"\s*\{', text):
        end = matching(text, found.end() - 1)
        text = text[: found.start()] + text[found.end() : end] + text[end + 1 :]
    return text
