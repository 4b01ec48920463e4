"""dask.array's own tests, which its package ships, over NumPy's chunks and over devarray's: counts and causes.

    python tools/dask_suite.py                                   all kinds, all files
    python tools/dask_suite.py devarray test_reductions.py       one of them, some files; -v names every failure

Kinds of chunks:

numpy      As Dask runs its tests.
devarray   Arrays of NumPy's that a test gives to Dask become device arrays, what Dask makes is made on the device, and
           results are compared on the host. What devarray has no dtype for (strings, dates, objects, records, masked
           arrays) stays NumPy's.
as-cupy    Dask's tests of CuPy's chunks, ``test_cupy_*.py``, in which ``import cupy`` gives devarray. Without a GPU
           this is the comparison with CuPy: CuPy passes them, but for those that Dask marks.
cupy       The same files with CuPy itself, where it is installed and finds a GPU.
"""

from __future__ import annotations

import collections
import importlib.util
import os
import re
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FILES = """api array_core array_function array_utils atop chunk creation dispatch fft gufunc image linalg map_blocks
    numpy_compat optimization overlap percentiles random rechunk reductions reshape routines shuffle slicing stats ufunc
    wrap xarray"""
OF_CUPY = "core creation gufunc linalg overlap percentile random reductions routines slicing"
KINDS = ("numpy", "devarray", "as-cupy", "cupy")
PLUGIN = "dask_suite"
RESULT = "RESULT\t"


def pytest_configure(config: Any) -> None:
    """As a plugin of pytest, in the child process of :func:`run`: devarray below dask.array."""
    kind = config.getoption("--chunks")
    if kind == "devarray":
        _put_devarray_below()
    if kind == "as-cupy":
        sys.modules["cupy"] = _devarray_as_cupy()


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--chunks", default="numpy", choices=KINDS)


def pytest_runtest_logreport(report: Any) -> None:
    """A line for each test, and with a failure the whole message, which pytest's own summary cuts."""
    if report.when == "call" or report.outcome != "passed":
        crash = getattr(report.longrepr, "reprcrash", None) if report.failed else None
        message = crash.message if crash else str(report.longrepr) if report.failed else ""
        outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        print(f"\n{RESULT}{outcome}\t{report.nodeid.rpartition('/')[2]}\t{' '.join(message.split())[:400]}")


@pytest.fixture
def xfail(request: Any) -> Callable[[str], None]:
    """Dask's, which its package does not ship: marks the running test as one that is known to fail."""
    return lambda reason: request.node.add_marker(pytest.mark.xfail(reason=reason, strict=False))


def _devarray_as_cupy() -> types.ModuleType:
    """A module whose names are devarray's, and CuPy's where devarray has others."""
    import devarray as da
    import devarray.dask
    from devarray.dask.random import BitGenerator

    class CuPy(types.ModuleType):
        def __getattr__(self, name: str) -> Any:
            return getattr(da, name)

    cupy = CuPy("cupy")
    da.Array.get = da.Array.copy_to_host  # type: ignore[attr-defined]
    cupy.ndarray, cupy.asnumpy, cupy.__version__ = da.Array, da.Array.copy_to_host, "14.0"
    cupy.random = types.SimpleNamespace(
        RandomState=devarray.dask.RandomState, default_rng=da.random.default_rng, XORWOW=BitGenerator
    )
    return cupy


def _put_devarray_below() -> None:
    import dask
    import dask.array as dsk
    import numpy as np
    from dask.array import core, utils

    import devarray as da
    import devarray.dask

    da.config.fallback = "allow"  # tests look at what they get by NumPy's functions
    dsk.backends.array_creation_dispatch.register_backend("devarray", devarray.dask.Backend())
    dask.config.set({"array.backend": "devarray"})
    from_array, computed = core.from_array, utils._get_dt_meta_computed

    def from_any(x: Any, *args: Any, **kwargs: Any) -> Any:
        if type(x) is np.ndarray and x.dtype.kind in "biufc" and x.dtype.itemsize <= 16 and x.dtype.isnative:
            kwargs.setdefault("name", None)
            x = da.asarray(x) if x.dtype.char not in "gG" else x
        return from_array(x, *args, **kwargs)

    def on_host(x: Any, *args: Any, **kwargs: Any) -> Any:
        value, dtype, *_ = computed(x, *args, **kwargs)
        return (value.copy_to_host() if isinstance(value, da.Array) else value), dtype, None, None

    core.from_array = dsk.from_array = from_any
    utils._get_dt_meta_computed = on_host


def run(chunks: str, file: str, seconds: float = 900) -> tuple[collections.Counter[str], dict[str, str]]:
    """Counts of a file's tests by outcome, and the failures' messages by test; what hangs is ended and is one."""
    tests = Path(str(importlib.util.find_spec("dask.array").origin)).parent / "tests"
    command = [sys.executable, "-P", "-m", "pytest", "-p", PLUGIN, "-p", "no:cacheprovider", "-W", "ignore", "-qs"]
    command += ["--tb=short", "--chunks", chunks, "--rootdir", str(tests), str(tests / file)]
    path = os.pathsep.join(filter(None, (str(Path(__file__).parent), os.environ.get("PYTHONPATH"))))
    env = {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
    try:
        text = subprocess.run(command, capture_output=True, text=True, env=env, check=False, timeout=seconds).stdout
        late: dict[str, str] = {}
    except subprocess.TimeoutExpired as expired:
        text, late = (expired.stdout or b"").decode(), {file: "does not end"}
    results = [line.split("\t")[1:] for line in text.splitlines() if line.startswith(RESULT)]
    counts = collections.Counter(outcome for outcome, *_ in results)
    counts["failed"] += len(late)
    return counts, {name: message for outcome, name, message in results if outcome == "failed"} | late


CAUSES = {
    r"numpy\.(ndarray|float64|generic|int)'|np\.(ndarray|float64|generic)\b|== 'ndarray'|chunktype=numpy|MaskedArray": (
        "the test asks for NumPy's class"
    ),
    r"HighLevelGraph|DataNode|original-array|data_producer|dict_keys|slice\(|'str' and 'tuple'|called is wrap": (
        "the test looks into the graph, where NumPy's arrays have a place of their own"
    ),
    r"DID NOT WARN|DID NOT RAISE \w*Warning": "no warning: devices do not report overflow and empty slices",
    r"dtype .* is not supported|structured arrays|dtype object|would drop imaginary": "a dtype or cast devices lack",
    r"out of bounds in index": "assignment by Dask arrays of indices: Dask's place-holders reach the device",
    r"Truth of Delayed": "Delayed operands: Dask asks a Delayed for its truth",
    r"differ by more than": "rounding: NumPy's bits of float32 are expected",
    r"fixture '": "a fixture that Dask's package does not ship",
}


def cause_of(message: str) -> str:
    """What a failure's message says, in words; else the message, where numbers and names do not count."""
    for pattern, words in CAUSES.items():
        if re.search(pattern, message):
            return words
    return re.sub(r"\d+(\.\d+)?|0x\w+|'[^']*'", "~", message)[:110]


def files_of(kind: str) -> list[str]:
    """The files that tell about a kind of chunks."""
    names, prefix = (OF_CUPY, "cupy_") if "cupy" in kind else (FILES, "")
    return [f"test_{prefix}{name}.py" for name in names.split()]


def main(arguments: list[str]) -> None:
    kinds = [a for a in arguments if a in KINDS] or [k for k in KINDS if k != "cupy" or importlib.util.find_spec(k)]
    given = [a for a in arguments if a.endswith(".py")]
    of_numpy: set[str] = set()
    for kind in kinds:
        total: collections.Counter[str] = collections.Counter()
        failures: dict[str, str] = {}
        for file in given or files_of(kind):
            counts, failed = run(kind, file)
            print(f"{kind:9} {file:28}", dict(counts), flush=True)
            total += counts
            failures |= failed
        own = {name: message for name, message in failures.items() if name not in of_numpy}
        print(f"{kind:9} {'all':28}", dict(total), f"{len(own)} that do not fail over NumPy's chunks")
        of_numpy = set(failures) if kind == "numpy" else of_numpy
        for words, count in collections.Counter(map(cause_of, own.values())).most_common():
            print(f"{count:5} {words}")
        if "-v" in arguments:
            print(*(f"{name}\t{message}" for name, message in own.items()), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
