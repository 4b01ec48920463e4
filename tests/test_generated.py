"""Files that are written from the op table are what the table gives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_elementwise_functions_are_those_of_the_table() -> None:
    script = ROOT / "tools" / "make_elementwise.py"
    result = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
