"""Makes a failing program small: fewer statements, then simpler ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from fuzzing.program import CHECK, NAME, Program, Statement

Fails = Callable[[Program], bool]


def shrink(program: Program, fails: Fails) -> Program:
    """The smallest program found that still fails.

    Parameters
    ----------
    program : Program
    fails : callable
        Whether a program fails in the way that is looked for.
    """
    size = 0
    while size != _weight(program):
        size = _weight(program)
        program = _fewer(program, fails)
        program = _simpler(program, fails)
    return program


def _weight(program: Program) -> int:
    return sum(len(s.text) for s in program)


def _fewer(program: Program, fails: Fails) -> Program:
    """Without whatever stretch of statements is not needed, the longest first."""
    length = max(len(program) // 2, 1)
    while length:
        start = max(len(program) - length, 0)
        while start >= 0:
            shorter = program[:start] + program[start + length :]
            if shorter and fails(shorter):
                program = shorter
            start -= length
        length //= 2
    return program


def _simpler(program: Program, fails: Fails) -> Program:
    for changed in _everywhere(program):
        if changed != program and fails(changed):
            return _simpler(changed, fails)
    line = 0
    while line < len(program):
        for statement in _variants(program, line):
            changed = [*program[:line], statement, *program[line + 1 :]]
            if _weight(changed) <= _weight(program) and fails(changed):
                program = changed
                break
        line += 1
    return program


def _everywhere(program: Program) -> Iterator[Program]:
    """Changes that must be made in all statements at once: sizes and dtypes."""
    text = "\n".join(s.text for s in program)
    sizes = sorted(
        {int(n) for shape in re.findall(r"data\('\w+', \(([\d, ]*)\)", text) for n in re.findall(r"\d+", shape)}
    )
    for size in reversed(sizes):
        for smaller in (1, 2, 3):
            if smaller < size:
                yield _all(program, rf"(?<![\w.-]){size}(?![\w.])", str(smaller))
    for dtype in sorted(set(re.findall(r"'((?:u?int|float|complex)\d+)'", text))):
        for simpler in ("int64", "float64"):
            if dtype != simpler and dtype not in ("int64", "float64"):
                yield _all(program, f"'{dtype}'", f"'{simpler}'")


def _all(program: Program, pattern: str, new: str) -> Program:
    return [s.mapped(lambda text: re.sub(pattern, new, text)) for s in program]


def _variants(program: Program, line: int) -> Iterator[Statement]:
    """Simpler texts of one statement, which read no less and so stay under the same rule."""
    statement = program[line]
    if statement.text == CHECK:
        return
    for pattern, new in (
        (r"(data\(.*?\)), \d, \d\)", r"\1)"),
        (r"'(?:bits|special|small)'\)", "'count')"),
        (r"\b\d+, 'count'\)", "0, 'count')"),
        (r"(v\d+)\[[^\[\]]*\]", r"\1[...]"),
        (r"(v\d+)\[[^\[\]]*\]", r"\1"),
        (r", axis=(-?\d+|None)", ""),
        (r", keepdims=True", ""),
    ):
        for match in re.finditer(pattern, statement.text):
            replaced = match.expand(new)
            yield statement.mapped(lambda text, m=match[0], r=replaced: text.replace(m, r))
    earlier = [name for s in program[:line] for name in s.binds]
    bound = statement.binds
    for name in dict.fromkeys(NAME.findall(statement.text)):
        if name not in bound:
            for other in earlier:
                if other != name and other not in bound:
                    yield statement.mapped(lambda text, a=name, b=other: re.sub(rf"\b{a}\b", b, text))
