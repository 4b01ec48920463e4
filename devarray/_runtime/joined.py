"""One program of several kernels, each rendered as a program of its own: CPU compilers take most of their time for a
program, whatever it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

__all__ = ["joined"]

_SLOTS = "struct Slots {"  # where a rendered kernel begins; what it needs stands before


def joined(sources: Mapping[str, str]) -> str | None:
    """Join programs.

    Parameters
    ----------
    sources : mapping of str to str
        By the new names of their kernels, rendered programs (`Dialect.program`) with one kernel "k" each.

    Returns
    -------
    str or None
        None where they are of another form, or give a macro two meanings. Functions with one name and two texts remain;
        the compiler refuses them.

    Examples
    --------
    >>> from devarray._runtime.joined import joined
    >>> one = "typedef int i32;\\nstruct Slots { long v[1]; };\\nkernel void k(const struct Slots s)\\n{\\n}"
    >>> print(joined({"a": one, "b": one}))
    typedef int i32;
    struct Slots_a { long v[1]; };
    kernel void a(const struct Slots_a s)
    {
    }
    struct Slots_b { long v[1]; };
    kernel void b(const struct Slots_b s)
    {
    }
    """
    parts: dict[str, None] = {}
    macros: dict[str, str] = {}
    for name, source in sources.items():
        head, mark, kernel = source.partition(_SLOTS)
        if not mark or kernel.count(" void k(") != 1 or "#define" in kernel or "#undef" in source:
            return None
        for declaration in _declarations(head):
            if (
                declaration.startswith("#define")
                and macros.setdefault(declaration.split()[1], declaration) != declaration
            ):
                return None
            parts[declaration] = None
        text = (mark + kernel).replace("struct Slots", f"struct Slots_{name}").replace(" void k(", f" void {name}(")
        parts[text.rstrip()] = None
    return "\n".join(parts)


def _declarations(text: str) -> Iterator[str]:
    """The declarations and directives of a text, one after the other."""
    lines: list[str] = []
    depth = 0
    for line in text.splitlines():
        if not lines and not line.strip():
            continue
        lines.append(line)
        depth += line.count("{") - line.count("}")
        if line.endswith("\\"):
            continue
        if depth == 0 and (lines[0].startswith("#") or line.rstrip().endswith((";", "}"))):
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)
