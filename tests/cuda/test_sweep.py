"""Every public function and method, on the stand-in driver, which GPUs' code paths see as a GPU."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SWEEP = Path(__file__).parents[2] / "tools" / "sweep.py"


def sweep(library, compiler, *arguments):
    """Run tools/sweep.py, and return what it printed."""
    path = os.pathsep.join([compiler, *(p or "." for p in sys.path)])
    environment = {**os.environ, "PYTHONPATH": path, "DEVARRAY_CACHE_DIR": "", "FAKE_CUDA_FILL": "0"}
    command = [sys.executable, str(SWEEP), "--device", "cuda", "--library", library, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)


@pytest.mark.slow
def test_every_function_and_method_once_for_each_layout(fake_library, fake_compiler):
    done = sweep(fake_library, fake_compiler, "--pairs", "6")
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    names, calls = map(int, re.search(r"(\d+) names on cuda: (\d+) calls done", done.stdout).groups())
    assert names > 600 and calls > 4000


def test_a_call_that_ends_its_process_is_named(fake_library, fake_compiler, monkeypatch):
    monkeypatch.setenv("FAKE_CUDA_ABORT", "cuLaunchKernel")
    done = sweep(fake_library, fake_compiler, "--pairs", "1", "--names", "Array.__neg__")
    assert done.returncode == 1
    assert "Array.__neg__: -x of () " in done.stdout and "the process ended with status -6" in done.stdout
