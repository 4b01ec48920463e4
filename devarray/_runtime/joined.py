"""Several kernels' sources joined into one program, which CPU compilers compile sooner than one program a kernel: most
of their time goes by the program, whatever it holds.

Each source is rendered as a program of its own, so their declarations repeat; each declaration is kept once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

__all__ = ["joined"]

_SLOTS = "struct Slots {"  # the first line of a rendered kernel; before it stand the declarations that it needs


def joined(sources: Mapping[str, str]) -> str | None:
    """Join programs of one kernel each into one program.

    Parameters
    ----------
    sources : mapping of str to str
        Rendered programs (`Dialect.program`), each with one kernel, "k", by the names that the kernels get.

    Returns
    -------
    str or None
        None where a source has another form, or two sources define a macro differently. Functions of one name that
        differ are not looked for: the compiler refuses them.

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
            defined = [line.split()[1] for line in declaration.splitlines() if line.startswith("#define")]
            if any(macros.setdefault(macro, declaration) != declaration for macro in defined):
                return None
            parts[declaration] = None
        text = (mark + kernel).replace("struct Slots", f"struct Slots_{name}").replace(" void k(", f" void {name}(")
        parts[text.rstrip()] = None
    return "\n".join(parts)


def _declarations(text: str) -> Iterator[str]:
    """The declarations and directives of a text, one after the other; what stands under a condition is one with it."""
    lines: list[str] = []
    depth = conditions = 0
    for line in text.splitlines():
        if not lines and not line.strip():
            continue
        lines.append(line)
        depth += line.count("{") - line.count("}")
        conditions += line.startswith("#if") - line.startswith("#endif")
        if conditions or line.endswith("\\"):
            continue
        if depth == 0 and (lines[0].startswith("#") or line.rstrip().endswith((";", "}"))):
            yield "\n".join(lines)
            lines = []
    if lines:
        yield "\n".join(lines)
