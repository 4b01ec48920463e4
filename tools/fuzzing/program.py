"""Statements, and what both libraries make of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from fuzzing import prelude
from fuzzing.bounds import EXACT, RULES, Bound, Unfit, difference, epsilon

NAME = re.compile(r"\bv\d+\b")
CHECK = "check"


@dataclass(frozen=True)
class Statement:
    """One line of a program.

    Attributes
    ----------
    text : str
        Python for both libraries: `xp` is either, `lib` what prelude.py has for it. CHECK compares all arrays.
    rule : str
        How exact the result is: a name of bounds.RULES.
    operands : tuple of str
        Expressions of what the rule looks at.
    writes : str
        Expression of the memory that is written to.
    """

    text: str
    rule: str = "exact"
    operands: tuple[str, ...] = ()
    writes: str = ""

    @property
    def binds(self) -> tuple[str, ...]:
        """Names that get a new value."""
        head, equals, _ = self.text.partition(" = ")
        return tuple(NAME.findall(head)) if equals and re.fullmatch(r"v\d+(, v\d+)*,?", head) else ()

    def mapped(self, change: Any) -> Statement:
        """With a change of every text."""
        return replace(
            self, text=change(self.text), operands=tuple(map(change, self.operands)), writes=change(self.writes)
        )


Program = list[Statement]


@lru_cache(maxsize=4096)
def compiled(text: str) -> CodeType:
    return compile(text, text, "exec")


class Reference:
    """NumPy's side: values, and how far ours may be from them."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.space = {"np": np, "xp": np, "lib": prelude.Numpys(), "data": prelude.data}
        self._bounds: dict[int, tuple[Any, Bound]] = {}  # by what owns the memory, which is kept

    def step(self, statement: Statement) -> Exception | None:
        """Run one; returns what NumPy raised. Unfit where results could not be compared; nothing was changed then."""
        if statement.text == CHECK:
            return None
        operands = [self.value(text) for text in statement.operands]
        bounds = [self.bound(x) for x in operands]
        written = [self.value(statement.writes)] if statement.writes else []
        undo = self._write(written[0], self._after(statement, operands, bounds, written)) if written else None
        before = dict(self.names)
        try:
            exec(compiled(statement.text), self.space, self.names)
        except (NameError, SyntaxError) as error:  # shrinking tries what is no program
            raise Unfit(str(error)) from None
        except Exception as error:
            if "read-only" in str(error):
                raise Unfit("read-only views are NumPy's alone") from None
            return error
        try:
            if undo and np.isnan(written[0]).any():
                raise Unfit("the bits of a NaN")
            made = [self.names[name] for name in statement.binds]
            if not all(isinstance(x, np.ndarray) for x in made):
                raise Unfit("no array")
            after = EXACT if written else self._after(statement, operands, bounds, made)
            if any(after.widest(self.bound(x)) != EXACT and self._reinterpreted(x) for x in made):
                raise Unfit("inexact numbers seen through two dtypes")
        except Unfit:
            self.names.clear()
            self.names.update(before)
            if undo:
                undo()
            raise
        for x in made:
            self._bounds.setdefault(id(owner(x)), (owner(x), after))
        return None

    def bound(self, x: np.ndarray) -> Bound:
        memory = owner(x)
        return self._bounds.get(id(memory), (memory, EXACT))[1]

    def value(self, expression: str) -> np.ndarray:
        """Of an operand's text; Unfit where it has none."""
        try:
            return np.asarray(eval(expression, self.space, self.names))
        except Exception as error:
            raise Unfit(f"{expression}: {error}") from None

    def _after(self, statement: Statement, operands: list[Any], bounds: list[Bound], results: list[Any]) -> Bound:
        loop = []  # of a function of integers that is written into wider floats
        if statement.writes and any(x.dtype.kind in "fc" for x in results):
            loop = [np.empty(0, np.result_type(np.float16, *(x.dtype for x in operands if x.ndim)))]
        bound = RULES[statement.rule](operands, bounds, epsilon(*operands, *results, *loop))
        if bound != EXACT and any(x.dtype.kind not in "fc" for x in results):
            if any(x.dtype.kind not in "fc" for x in operands) and not any(b != EXACT for b in bounds):
                return EXACT  # integers of integers
            raise Unfit("inexact numbers would be cut off")
        return bound

    def _write(self, target: np.ndarray, bound: Bound) -> Callable[[], None] | None:
        """Notes the bound of what is written; returns what takes it back where a NaN's bits could be seen."""
        memory = owner(target)
        bound = bound.widest(self.bound(target))
        undo = None
        if self._reinterpreted(target):
            if bound != EXACT:
                raise Unfit("inexact numbers seen through two dtypes")
            if target.dtype.kind in "fc":
                undo = partial(np.copyto, memory, memory.copy())
        self._bounds[id(memory)] = memory, bound
        return undo

    def _reinterpreted(self, x: np.ndarray) -> bool:
        """Whether a living array sees the memory through another dtype."""
        memory = owner(x)
        return any(owner(y) is memory and y.dtype != x.dtype for y in self.names.values())


def owner(x: Any) -> Any:
    """The array whose memory x shows."""
    while getattr(x, "base", None) is not None:
        x = x.base
    return x


@dataclass
class Outcome:
    """What a run came to.

    Attributes
    ----------
    kind : {"same", "mismatch", "invalid"}
    message : str
    line : int
        Of the statement that was found wrong.
    comparisons : int
    """

    kind: str
    message: str = ""
    line: int = -1
    comparisons: int = 0
    statements: int = 0
    compiled: int = 0

    @property
    def sort(self) -> str:
        """What stays the same while a program is made smaller."""
        raised = re.search(r"raised \w+", self.message)
        words = re.search(r"dtype|shape|differ", self.message)
        return f"{self.kind}: {raised[0] if raised else words[0] if words else self.message}"


FAMILIES = (IndexError, TypeError, ValueError, OverflowError, ZeroDivisionError, MemoryError)


def run(program: Program, xp: Any, lib: Any) -> Outcome:
    """A program under both libraries; ends at the first difference."""
    reference, names = Reference(), {}
    space = {"np": np, "xp": xp, "lib": lib, "data": prelude.data}
    outcome = Outcome("same", statements=len(program))
    for line, statement in enumerate([*program, Statement(CHECK)]):
        try:
            wanted = reference.step(statement)
        except Unfit as error:
            return Outcome("invalid", str(error), line)
        raised = None
        if statement.text != CHECK:
            try:
                exec(compiled(statement.text), space, names)
            except Exception as error:
                raised = error
            message = _unlike(raised, wanted)
        else:
            message = _differences(reference, names, lib, outcome)
        if message:
            return Outcome("mismatch", message, line, outcome.comparisons, statements=line + 1)
    return outcome


def _unlike(raised: Exception | None, wanted: Exception | None) -> str:
    if raised is None and wanted is None:
        return ""
    shown = [f"{type(e).__name__}: {str(e)[:200]}" if e is not None else "nothing" for e in (raised, wanted)]
    alike = raised is not None and any(isinstance(raised, f) and isinstance(wanted, f) for f in FAMILIES)
    # Of two faults, a dtype's and a shape's, either may be found first.
    alike = alike or (isinstance(raised, TypeError | ValueError) and isinstance(wanted, TypeError | ValueError))
    return "" if alike else f"raised {shown[0]}, wanted {shown[1]}"


def _differences(reference: Reference, names: dict[str, Any], lib: Any, outcome: Outcome) -> str:
    for name, wanted in reference.names.items():
        outcome.comparisons += 1
        try:
            ours = lib.host(names[name])
        except Exception as error:
            return f"{name}: raised {type(error).__name__}: {str(error)[:300]}"
        message = difference(ours, wanted, reference.bound(wanted))
        if message:
            return f"{name}: {message}"
    return ""


def script(program: Program, heading: str) -> str:
    """A script of its own that runs a program under both libraries and shows every array that differs."""
    lines = [f'"""{heading}"""', "", Path(prelude.__file__).read_text(), "", "def program(xp, lib, show):"]
    for statement in program:
        text = "show(locals())" if statement.text == CHECK else statement.text
        lines += ["    try:", f"        {text}", "    except Exception as error:", "        show(error)"]
    return "\n".join([*lines, "    show(locals())", _ENDING])


_ENDING = """

def seen(xp, lib):
    found = []

    def show(what):
        if isinstance(what, Exception):
            return found.append(f"{type(what).__mro__[-3].__name__}: {what}")
        arrays = {name: lib.host(x) for name, x in what.items() if name[0] == "v"}
        found.append({name: (x.dtype, x.shape, x.tolist()) for name, x in arrays.items()})

    with np.errstate(all="ignore"):
        program(xp, lib, show)
    return found


if __name__ == "__main__":
    import devarray

    for ours, wanted in zip(seen(devarray, Ours()), seen(np, Numpys()), strict=False):
        if isinstance(ours, dict) and isinstance(wanted, dict):
            for name in wanted:
                if str(ours.get(name)) != str(wanted[name]):
                    print(f"{name}: devarray {ours.get(name)}\\n{' ' * len(name)}  numpy    {wanted[name]}")
        elif str(ours) != str(wanted):
            print(f"devarray {ours}\\nnumpy    {wanted}")
"""
