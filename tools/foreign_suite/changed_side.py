"""Own tests of PyOpenCL, PyCUDA and numba-cuda with the import changed, beside the library where it is installed."""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from processes import run_pytest

__all__ = ["run_changed"]

Changes = tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...]
"""Regular expressions, and what stands for their matches."""

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
_NUMBA = (  # its names for memory are at devarray's top level; its compiler stays its own
    (r"^from numba import cuda$", "import devarray as cuda\nfrom numba import cuda as numba_cuda"),
    (r"(?<![.\w])cuda\.(jit|grid|default_stream|cudadrv)\b", r"numba_cuda.\1"),
    (r"(?<![.\w])cuda\.stream\(", "cuda.queue("),
)


class Side(NamedTuple):
    """A library's tests: their folder in its checkout, the files, what leads their imports to ours, and fixtures."""

    package: str
    folder: str
    files: tuple[str, ...]
    changes: Changes
    conftest: str | None = None


SIDES = {
    "pyopencl": Side(
        "pyopencl",
        "test",
        ("test_wrapper", "test_array", "test_clmath", "test_clrandom", "test_algorithm", "test_enqueue_copy"),
        _PYOPENCL,
    ),
    "pycuda": Side("pycuda", "test", ("test_driver", "test_gpuarray", "test_cumath"), _PYCUDA),
    "numba": Side(
        "numba.cuda",
        "numba_cuda/numba/cuda/tests",
        (
            "cudadrv/test_array_attr",
            "cudadrv/test_cuda_array_slicing",
            "cudadrv/test_cuda_auto_context",
            "cudadrv/test_cuda_ndarray",
            "cudadrv/test_host_alloc",
            "cudadrv/test_managed_alloc",
            "cudadrv/test_pinned",
            "cudadrv/test_streams",
            "cudapy/test_cuda_array_interface",
        ),
        _NUMBA,
        "testing/conftest.py",
    ),
}


def _changed(text: str, changes: Changes) -> str:
    for pattern, replacement in changes:
        text = re.sub(pattern, replacement, text, flags=re.M)
    return text


def run_changed(library: str, checkout: Path, only: list[str], timeout: int, without: list[str]) -> dict[str, Any]:
    """Counts and failures of each file; PyOpenCL's on the platform that ``PYOPENCL_TEST`` names in the environment.

    Usable is what the library itself passes there; all that was collected, where it is not installed. Tests with one of
    the words `without` in their names are left out.
    """
    side = SIDES[library]
    beside = _is_installed(side.package)
    with tempfile.TemporaryDirectory(prefix="foreign-") as registered:
        env = _registration(Path(registered)) if library == "pyopencl" and beside else {}
        found: dict[str, Any] = {}
        for file in side.files:
            if only and not any(word in file for word in only):
                continue
            path = checkout / side.folder / file
            fixtures = [checkout / side.conftest] if side.conftest else []
            ours = _outcomes(path, fixtures, side.changes, timeout, without, env)
            theirs = _outcomes(path, fixtures, (), timeout, without, env) if beside else None
            found[path.name] = _compared(path.name, library, ours, theirs)
        return found


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:  # of what is before the dot
        return False


Outcomes = dict[str, tuple[str, str]]
"""The outcome of each test, and the first line of its error."""


def _compared(name: str, library: str, ours: Outcomes, theirs: Outcomes | None) -> dict[str, Any]:
    """Counts and failures of one file."""
    if theirs is None:
        usable = [test for test, (outcome, _) in ours.items() if outcome in ("passed", "failed")]
    else:
        usable = [test for test, (outcome, _) in theirs.items() if outcome == "passed"]
    failures = [
        {"id": f"{name}::{test}", "error": ours.get(test, ("missing", "not collected"))[1]}
        for test in usable
        if ours.get(test, ("missing", ""))[0] != "passed"
    ]
    failed = len(failures)
    for side, outcomes in (("devarray", ours), (library, theirs or {})):
        failures += [
            {"id": f"{name}::{test}", "outcome": "broken", "error": f"{side}: {error}"}
            for test, (outcome, error) in outcomes.items()
            if outcome == "broken"
        ]
    if not usable and len(failures) == failed:
        said = next((error for _, error in (theirs or ours).values() if error), "there are none")
        failures.append({"id": name, "outcome": "broken", "error": f"no test is usable: {said}"})
    seen = [test for test, (outcome, _) in (ours if theirs is None else theirs).items() if outcome != "broken"]
    return {
        "passed": len(usable) - failed,
        "failed": failed,
        "unusable": len(seen) - len(usable),
        "failures": failures,
    }


def _registration(folder: Path) -> dict[str, str]:
    """An environment in which PyOpenCL's loader finds the OpenCL libraries that devarray does.

    PyOpenCL finds by itself what is installed into its own folder, and nothing that pip installed elsewhere.
    """
    import devarray as da

    libraries = [library for library, _, platforms, _ in da._core.cl.libraries() if platforms]
    for number, library in enumerate(libraries):
        if "pyopencl" not in Path(library).parts:
            (folder / f"{number}.icd").write_text(f"{library}\n")
    return {} if "OCL_ICD_VENDORS" in os.environ else {"OCL_ICD_VENDORS": str(folder)}


def _outcomes(
    path: Path, fixtures: list[Path], changes: Changes, timeout: int, without: list[str], env: dict[str, str]
) -> Outcomes:
    with tempfile.TemporaryDirectory(prefix="foreign-") as place:
        for file in (*path.parent.iterdir(), *fixtures):
            if file.suffix == ".py":
                text = file.read_text()
                (Path(place) / file.name).write_text(_changed(text, changes))
            elif file.is_file():
                (Path(place) / file.name).write_bytes(file.read_bytes())
        arguments = ["-k", " and ".join(f"not {word}" for word in without)] if without else []
        rows = run_pytest([*arguments, f"{path.name}.py"], Path(place), env | {"FOREIGN_SIDE": "numpy"}, timeout)
    found: Outcomes = {}
    count: Counter[str] = Counter()
    for row in rows:
        # The two sides print a device differently: tests of one function are told apart by their order.
        base = row["id"] if row["outcome"] == "broken" else row["id"].partition("::")[2].partition("[")[0]
        count[base] += 1
        first = (row["error"].splitlines() or [""])[0]
        found[f"{base} {count[base]}"] = row["outcome"], first
    return found
