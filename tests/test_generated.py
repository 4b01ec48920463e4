"""Files that are written by a command are what the command gives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("tool", ["make_elementwise.py", "make_stubs.py"])
def test_it_is_current(tool: str) -> None:
    script = ROOT / "tools" / tool
    result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
