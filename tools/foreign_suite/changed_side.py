"""PyOpenCL's and PyCUDA's own tests with the import changed, beside the library itself where that is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

__all__ = ["run_changed"]

_PYOPENCL = (
    (r"\bimport pyopencl\.(\w+) as", r"import devarray.cl.\1 as"),
    (r"^(\s*)import pyopencl as cl\b", r"\1import devarray.cl as cl"),
    (r"^(\s*)import pyopencl$", r"\1import devarray.cl as pyopencl"),
    (r"\bfrom pyopencl(\.\w+)? import", r"from devarray.cl\1 import"),
    (r"\bcl\._PYPY\b", "False"),  # which Python it is
)
_PYCUDA = (
    (r"\bimport pycuda\.driver as", r"import devarray.cuda as"),
    (r"\bfrom pycuda\.driver import", r"from devarray.cuda import"),
    (r"\bimport pycuda\.(\w+) as", r"import devarray.cuda.\1 as"),
    (r"^(\s*)import pycuda\.(\w+)", r"\1import devarray.cuda.\2, devarray.cuda as pycuda"),
    (r"\bfrom pycuda(\.\w+)? import", r"from devarray.cuda\1 import"),
)
SIDES = {
    "pyopencl": (
        ("test_wrapper", "test_array", "test_clmath", "test_clrandom", "test_algorithm", "test_enqueue_copy"),
        _PYOPENCL,
    ),
    "pycuda": (("test_driver", "test_gpuarray", "test_cumath"), _PYCUDA),
}
"""For each library its files of tests, and what is changed in them so that the imports lead to ours."""


def _changed(text: str, changes: tuple[tuple[str, str], ...]) -> str:
    for pattern, replacement in changes:
        text = re.sub(pattern, replacement, text, flags=re.M)
    return text


def run_changed(library: str, checkout: Path, only: list[str], timeout: int, without: list[str]) -> dict[str, Any]:
    """Counts and failures of each file; PyOpenCL's on the platform that ``PYOPENCL_TEST`` names in the environment.

    Usable is what the library itself passes there; all that was collected, where it is not installed. Tests with one of
    the words `without` in their names are left out.
    """
    found: dict[str, Any] = {}
    files, changes = SIDES[library]
    for name in files:
        if only and not any(word in name for word in only):
            continue
        ours = _outcomes(checkout / "test", name, changes, timeout, without)
        theirs = _outcomes(checkout / "test", name, (), timeout, without) if find_spec(library) else {}
        usable = [test for test, (outcome, _) in (theirs or ours).items() if outcome == "passed" or not theirs]
        usable = [test for test in usable if theirs or ours[test][0] != "skipped"]
        failures = [
            {"id": f"{name}::{test}", "error": ours.get(test, ("missing", "not collected"))[1]}
            for test in usable
            if ours.get(test, ("missing", ""))[0] != "passed"
        ]
        found[name] = {
            "passed": len(usable) - len(failures),
            "failed": len(failures),
            "unusable": len(theirs or ours) - len(usable),
            "failures": failures,
        }
    return found


def _outcomes(
    folder: Path, name: str, changes: tuple[tuple[str, str], ...], timeout: int, without: list[str]
) -> dict[str, tuple[str, str]]:
    """The outcome of each test, and the first line of its error."""
    with tempfile.TemporaryDirectory() as place:
        for file in folder.iterdir():
            if file.suffix == ".py":
                text = file.read_text()
                (Path(place) / file.name).write_text(_changed(text, changes))
            elif file.is_file():
                (Path(place) / file.name).write_bytes(file.read_bytes())
        report = Path(place) / "report.xml"
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider"]
        command += [f"--junitxml={report}", f"--timeout={timeout}", f"{name}.py"]
        command += ["-k", " and ".join(f"not {word}" for word in without)] if without else []
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
