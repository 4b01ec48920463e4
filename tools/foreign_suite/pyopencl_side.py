"""PyOpenCL's own tests with the import changed, beside PyOpenCL itself on the same runtime."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from typing import Any

__all__ = ["run_pyopencl"]

FILES = ("test_wrapper", "test_array", "test_clmath", "test_clrandom", "test_algorithm", "test_enqueue_copy")
_CHANGES = (
    (r"\bimport pyopencl\.(\w+) as", r"import devarray.cl.\1 as"),
    (r"^(\s*)import pyopencl as cl\b", r"\1import devarray.cl as cl"),
    (r"^(\s*)import pyopencl$", r"\1import devarray.cl as pyopencl"),
    (r"\bfrom pyopencl(\.\w+)? import", r"from devarray.cl\1 import"),
    (r"\bcl\._PYPY\b", "False"),  # which Python it is
)


def changed(text: str) -> str:
    """A test file whose imports of PyOpenCL lead to ``devarray.cl``."""
    for pattern, replacement in _CHANGES:
        text = re.sub(pattern, replacement, text, flags=re.M)
    return text


def run_pyopencl(checkout: Path, only: list[str], timeout: int) -> dict[str, Any]:
    """Counts and failures of each file, on the platform that ``PYOPENCL_TEST`` names in the environment.

    Usable is what PyOpenCL passes there.
    """
    found: dict[str, Any] = {}
    for name in FILES:
        if only and not any(word in name for word in only):
            continue
        theirs, ours = (_outcomes(checkout / "test", name, side, timeout) for side in ("pyopencl", "devarray"))
        usable = [test for test, (outcome, _) in theirs.items() if outcome == "passed"]
        failures = [
            {"id": f"{name}::{test}", "error": ours.get(test, ("missing", "not collected"))[1]}
            for test in usable
            if ours.get(test, ("missing", ""))[0] != "passed"
        ]
        found[name] = {
            "passed": len(usable) - len(failures),
            "failed": len(failures),
            "unusable": len(theirs) - len(usable),
            "failures": failures,
        }
    return found


def _outcomes(folder: Path, name: str, side: str, timeout: int) -> dict[str, tuple[str, str]]:
    """The outcome of each test, and the first line of its error."""
    with tempfile.TemporaryDirectory() as place:
        for file in folder.iterdir():
            if file.suffix == ".py":
                text = file.read_text()
                (Path(place) / file.name).write_text(changed(text) if side == "devarray" else text)
            elif file.is_file():
                (Path(place) / file.name).write_bytes(file.read_bytes())
        report = Path(place) / "report.xml"
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider"]
        command += [f"--junitxml={report}", f"--timeout={timeout}", f"{name}.py"]
        subprocess.run(command, cwd=place, env={**os.environ}, capture_output=True, check=False)
        if not report.exists():  # the process ended
            return {}
        found: dict[str, tuple[str, str]] = {}
        count: Counter[str] = Counter()
        for case in ElementTree.parse(report).iter("testcase"):
            # The two sides print a device differently: tests of one function are told apart by their order.
            base = case.attrib["name"].partition("[")[0]
            count[base] += 1
            found[f"{base} {count[base]}"] = _outcome(case)
        return found


def _outcome(case: ElementTree.Element) -> tuple[str, str]:
    for outcome in ("failure", "error", "skipped"):
        found = case.find(outcome)
        if found is not None:
            return outcome, (found.attrib.get("message", "").splitlines() or [""])[0]
    return "passed", ""
