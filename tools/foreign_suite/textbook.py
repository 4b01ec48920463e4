"""The programs of "From Python to NumPy", from a checkout that the user has: unchanged, and with the import changed.

Each program runs in a process of its own, without windows and with three frames of each animation. It is usable where
NumPy runs it within the time allowed, and passes where it ends without an error.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_IMPORT = re.compile(r"^(\s*(?:import|from) )numpy\b", re.M)
_FEW_FRAMES = """
import matplotlib.animation as _animation
_animation.FuncAnimation.save = lambda self, *args, **kwargs: None
_make = _animation.FuncAnimation.__init__
def _few(self, fig, func, frames=None, *args, **kwargs):
    _make(self, fig, func, frames, *args, **kwargs)
    for frame, _ in zip(self.new_frame_seq(), range(3)):
        func(frame, *kwargs.get("fargs", ()))
    self._draw_was_started = True
_animation.FuncAnimation.__init__ = _few
"""
_WAYS = {"numpy": "", "import changed": "raise", "import changed, fallback allow": "allow", "devarray run": ""}


def _run(way: str, program: Path, timeout: int) -> str:
    """Empty where the program runs, else the last line of what it says."""
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder) / "code"
        shutil.copytree(program.parent, code, ignore=shutil.ignore_patterns("experiments", "__pycache__"))
        shutil.copytree(program.parent.parent / "data", Path(folder) / "data", dirs_exist_ok=True)
        if way.startswith("import"):
            for path in code.glob("*.py"):
                path.write_text(_IMPORT.sub(r"\1devarray", path.read_text()))
        (code / "sitecustomize.py").write_text(_FEW_FRAMES)
        env = os.environ | {"MPLBACKEND": "Agg", "PYTHONPATH": str(code)}
        if _WAYS[way]:
            env["DEVARRAY_FALLBACK"] = _WAYS[way]
        run = ["-m", "devarray", "run"] if way == "devarray run" else []
        command = [sys.executable, "-W", "ignore", *run, str(code / program.name)]
        try:
            done = subprocess.run(
                command, cwd=code, env=env, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired:
            return f"takes more than {timeout} s"
    said = done.stderr.strip().splitlines()
    return "" if done.returncode == 0 else (said[-1] if said else f"exit status {done.returncode}")


def run_textbook(checkout: Path, only: list[str], jobs: int, timeout: int) -> dict[str, Any]:
    """Counts and failures by way of running."""
    programs = [p for p in sorted((checkout / "code").glob("*.py")) if not only or p.stem in only]
    found: dict[str, Any] = {}
    with ThreadPoolExecutor(jobs) as pool:
        errors = {way: list(pool.map(lambda p, way=way: _run(way, p, timeout), programs)) for way in _WAYS}
    usable = [not error for error in errors.pop("numpy")]
    for way, said in errors.items():
        failures = [
            {"id": p.name, "error": error} for p, ok, error in zip(programs, usable, said, strict=True) if ok and error
        ]
        found[f"From Python to NumPy, {way}"] = {
            "numpy": sum(usable),
            "passed": sum(usable) - len(failures),
            "failed": len(failures),
            "unusable": len(programs) - sum(usable),
            "failures": failures,
        }
    return found
