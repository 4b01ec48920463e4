"""Programs of textbooks, from a checkout that the user has: unchanged, and with the import changed.

Each program runs in a process of its own, without windows and with three frames of each animation. It is usable where
NumPy runs it within the time allowed. It passes where it ends without an error, prints what it prints under NumPy and
draws the same figures. Where NumPy's output depends on random numbers, only ``devarray run`` is compared, which draws
the same ones; where it differs from run to run, nothing is.
"""

from __future__ import annotations

import functools
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from processes import search_path

_IMPORT = re.compile(r"^(\s*(?:import|from) )numpy\b(?!\.distutils)", re.M)
_IMPORT_AS_IS = re.compile(r"^(\s*import )devarray(?=\s*(?:$|,|#))", re.M)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|\bnan\b|\binf\b)", re.I)
_LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", "*.pdf", "*.mp4", "figures", "pdf", "tex", "images")
_RUN = ["-m", "devarray", "run"]
_WAYS = {"import changed": "raise", "import changed, fallback allow": "allow", "devarray run": ""}
_START = Path(__file__).with_name("program_start.py")


@dataclass
class Output:
    """What a program printed and drew; `error` is the last line of what it said where it failed."""

    error: str
    printed: str = ""
    figures: list[Any] = field(default_factory=list)


@dataclass(frozen=True)
class Trees:
    """Copies of the checkout, one of them with the imports changed."""

    plain: Path
    changed: Path
    timeout: int

    def run(self, way: str, program: Path, further: int = 0) -> Output:
        """Run `program`, a path inside the checkout, in that way; all seeds of NumPy's are `further`."""
        path = (self.changed if way.startswith("import") else self.plain) / program
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(_START, Path(folder) / "sitecustomize.py")
            env = os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": search_path(folder, path.parent)}
            env |= {"FOREIGN_FIGURES": folder, "FOREIGN_FURTHER": str(further)}
            if _WAYS.get(way):
                env["DEVARRAY_FALLBACK"] = _WAYS[way]
            command = [sys.executable, "-W", "ignore", *(_RUN if way == "devarray run" else []), str(path)]
            try:
                done = subprocess.run(
                    command,
                    cwd=path.parent,
                    env=env,
                    capture_output=True,
                    timeout=self.timeout,
                    stdin=subprocess.DEVNULL,
                )
            except subprocess.TimeoutExpired:
                return Output(f"takes more than {self.timeout} s")
            figures = [np.load(file) for file in sorted(Path(folder).glob("*.npy"))]
        said = done.stderr.decode(errors="replace").strip().splitlines()
        if done.returncode:
            return Output(said[-1] if said else f"exit status {done.returncode}")
        return Output("", done.stdout.decode(errors="replace"), figures)


def _with_import_changed(text: str) -> str:
    return _IMPORT_AS_IS.sub(r"\1devarray as numpy", _IMPORT.sub(r"\1devarray", text))


def _words(printed: str) -> tuple[list[str], list[float]]:
    """What was printed apart from its numbers, and those. How an array's repr() names its class does not count."""
    text = re.sub(r", (dtype=\w+|device='[^']*')", "", printed)
    text = re.sub(r"\b(?:np\.\w+|Array|array)\(([^(),\[\]]*)\)", r"\1", text).replace("Array(", "array(")
    return re.sub(r"\s+", "", _NUMBER.sub("#", text)).split("#"), [float(n) for n in _NUMBER.findall(text)]


def _near(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-5, abs_tol=1e-9) or (math.isnan(a) and math.isnan(b))


def difference(mine: Output, wanted: Output) -> str:
    """Empty where both printed and drew the same, but for roundings."""
    (words, numbers), (their_words, their_numbers) = _words(mine.printed), _words(wanted.printed)
    if words != their_words or not all(map(_near, numbers, their_numbers)):
        return f"prints {mine.printed!r}, not {wanted.printed!r}"
    if len(mine.figures) != len(wanted.figures):
        return f"draws {len(mine.figures)} figures, not {len(wanted.figures)}"
    for number, (a, b) in enumerate(zip(mine.figures, wanted.figures, strict=True)):
        if a.shape != b.shape:
            return f"figure {number} has the shape {a.shape}, not {b.shape}"
        others = (np.abs(a.astype(int) - b) > 8).any(-1).mean()
        if others > 1e-3:
            return f"figure {number} differs in {100 * others:.1f} % of its pixels"
    return ""


def _outcomes(trees: Trees, program: Path) -> dict[str, str] | None:
    """What is wrong, by way; nothing where NumPy does not run the program."""
    wanted = trees.run("numpy", program)
    if wanted.error:
        return None
    again = functools.cache(lambda further: not difference(wanted, trees.run("numpy", program, further)))
    said: dict[str, str] = {}
    for way in _WAYS:
        if way.endswith("allow") and not said["import changed"]:
            said[way] = ""
            continue
        mine = trees.run(way, program)
        other = "" if mine.error else difference(mine, wanted)
        said[way] = mine.error or (other if other and again(0 if way == "devarray run" else 1) else "")
    return said


def programs(checkout: Path, only: list[str]) -> list[Path]:
    """The programs that import NumPy, by their paths inside the checkout."""
    found = sorted(path for path in checkout.rglob("*.py") if _IMPORT.search(path.read_text(errors="replace")))
    inside = [path.relative_to(checkout) for path in found]
    return [path for path in inside if not only or any(word in str(path) for word in only)]


def run_textbook(checkout: Path, only: list[str], jobs: int, timeout: int) -> dict[str, Any]:
    """Counts and failures by way of running."""
    chosen = programs(checkout, only)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        trees = Trees(Path(folder) / "plain", Path(folder) / "changed", timeout)
        for tree in (trees.plain, trees.changed):
            shutil.copytree(checkout, tree, ignore=_LEFT_OUT)
        for path in trees.changed.rglob("*.py"):
            path.write_text(_with_import_changed(path.read_text(errors="replace")))
        one: Callable[[Path], dict[str, str] | None] = lambda program: _outcomes(trees, program)  # noqa: E731
        said = dict(zip(chosen, pool.map(one, chosen), strict=True))
    usable = {program: ways for program, ways in said.items() if ways is not None}
    found: dict[str, Any] = {}
    for way in _WAYS:
        failures = [{"id": str(program), "error": ways[way]} for program, ways in usable.items() if ways[way]]
        found[f"{checkout.name}, {way}"] = {
            "numpy": len(usable),
            "passed": len(usable) - len(failures),
            "failed": len(failures),
            "unusable": len(said) - len(usable),
            "failures": failures,
        }
    return found
