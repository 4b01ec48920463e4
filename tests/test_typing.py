"""Type checkers in their strict modes take typical uses."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
USES = ROOT / "tests" / "typing" / "uses.py"


def _run(module: str, *options: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    command = [sys.executable, "-m", module, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_takes_them() -> None:
    _run("mypy", "--config-file=", "--strict", "--follow-imports=silent", "--no-warn-unused-ignores", str(USES))


def test_pyright_takes_them() -> None:
    _run("basedpyright", "-p", str(USES.parent), "--pythonpath", sys.executable)
