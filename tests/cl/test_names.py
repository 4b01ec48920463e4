"""Every name of PyOpenCL's pages is there, has the page's signature, is in a test, and docs/opencl.md says which."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_names_signatures_tests_and_page():
    command = [sys.executable, "-P", ROOT / "tools" / "make_driver_docs.py", "--check", "opencl"]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p or "." for p in sys.path)}
    result = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert result.returncode == 0, result.stderr
