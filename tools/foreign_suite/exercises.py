"""The exercises of numpy-100, from a checkout that the user has, with the import changed, the same with the
way to the host allowed, or by ``devarray run``.

Each exercise is one case: its program in a process's fresh namespace. It passes where it runs, and prints what it
prints under NumPy, if that is the same twice; with the import changed, also from other seeds, since random numbers
are others there. How an array's repr() names its class, dtype and device does not count. Exercises that NumPy itself
does not run are left out.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

_TITLE = re.compile(r"^#### (\d+)\. (.*)$", re.M)
_CODE = re.compile(r"^```python\n(.*?)^```", re.M | re.S)


def exercises(checkout: Path) -> list[tuple[str, str]]:
    """Titles and programs."""
    text = (checkout / "100_Numpy_exercises_with_solutions.md").read_text()
    titles = list(_TITLE.finditer(text))
    found = []
    for at, title in enumerate(titles):
        part = text[title.end() : titles[at + 1].start() if at + 1 < len(titles) else len(text)]
        code = "\n".join(_CODE.findall(part))
        if code.strip() and "%run" not in code:
            found.append((f"{title[1]}. {title[2]}", code.replace("%timeit ", "")))
    return found


def run_all(cases: list[tuple[str, str]], before: str, seed: int) -> list[tuple[str, str]]:
    """What each program prints, and its error."""
    found = []
    for _, code in cases:
        printed, error = io.StringIO(), ""
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            names: dict[str, Any] = {"__name__": "exercise", "__builtins__": __builtins__}
            try:
                exec(before, names)
                names["np"].random.seed(seed)
                exec(code, names)
            except Exception as caught:
                error = f"{type(caught).__name__}: {caught}"
        found.append((printed.getvalue(), error))
    return found


def _in_process(side: str, cases: list[tuple[str, str]], seed: int = 1) -> list[list[str]]:
    """The same in a process of its own: under NumPy, with the import changed, or unchanged by ``devarray run``."""
    with tempfile.TemporaryDirectory() as folder:
        script, given, answer = (Path(folder) / name for name in ("script.py", "cases.json", "answer.json"))
        changed = side.startswith("import changed")
        texts = [(title, re.sub(r"\bnumpy\b", "devarray", code) if changed else code) for title, code in cases]
        given.write_text(json.dumps(texts))
        source = Path(__file__).read_text().replace("from __future__ import annotations\n", "")
        before = "import devarray as np" if changed else "import numpy as np"
        script.write_text(
            f"{source}\ncases = json.loads(Path({str(given)!r}).read_text())\n"
            f"Path({str(answer)!r}).write_text(json.dumps(run_all(cases, {before!r}, {seed})))\n"
        )
        run = ["-m", "devarray", "run"] if side == "devarray run" else []
        env = os.environ | ({"DEVARRAY_FALLBACK": "allow"} if side.endswith("allow") else {})
        done = subprocess.run(
            [sys.executable, "-P", *run, str(script)], cwd=folder, env=env, capture_output=True, text=True
        )
        if not answer.exists():
            raise SystemExit(done.stderr)
        return json.loads(answer.read_text())


def _text(printed: str) -> str:
    """What was printed, without what only tells an array of one class from that of another."""
    text = re.sub(r", (dtype=\w+|device='[^']*')", "", printed)
    return " ".join(
        re.sub(r"(?:np\.\w+|Array|array)\(([^(),\[\]]*)\)", r"\1", text).replace("Array(", "array(").split()
    )


def run_exercises(checkout: Path) -> dict[str, Any]:
    """Counts and failures by way of running."""
    cases = exercises(checkout)
    first, again, *seeded = (_in_process("numpy", cases, seed) for seed in (1, 1, 2, 3, 4))
    others = [next((run for run in runs if run[0] != a[0]), a) for a, *runs in zip(first, *seeded, strict=True)]
    found: dict[str, Any] = {}
    for side, second in (
        ("import changed", others),
        ("import changed, fallback allow", others),
        ("devarray run", again),
    ):
        row: dict[str, Any] = {"numpy": 0, "passed": 0, "failed": 0, "unusable": 0, "failures": []}
        for (title, _), a, b, mine in zip(cases, first, second, _in_process(side, cases), strict=True):
            if a[1]:
                row["unusable"] += 1
                continue
            row["numpy"] += 1
            same = a[0] != b[0] or _text(a[0]) == _text(mine[0])
            error = mine[1] or ("" if same else f"prints {mine[0]!r}, not {a[0]!r}")
            row["failed" if error else "passed"] += 1
            if error:
                row["failures"].append({"id": title, "error": error})
        found[f"numpy-100, {side}"] = row
    return found
