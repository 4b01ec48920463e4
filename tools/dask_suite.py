"""dask.array's own tests, which its package ships, over NumPy's chunks and over devarray's: counts and causes.

    python tools/dask_suite.py                                   both, all files
    python tools/dask_suite.py devarray test_reductions.py       one of them, some files

Arrays of NumPy's that a test gives to Dask become device arrays, what Dask makes is made on the device, and results are
compared on the host. What devarray has no dtype for (strings, dates, objects, records, masked arrays) stays NumPy's.
"""

from __future__ import annotations

import collections
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

FILES = """api array_core array_function array_utils atop chunk creation dispatch fft gufunc image linalg map_blocks
    numpy_compat optimization overlap percentiles random rechunk reductions reshape routines shuffle slicing stats ufunc
    wrap xarray"""
PLUGIN = "dask_suite"


def pytest_configure(config: Any) -> None:
    """As a plugin of pytest, in the child process of :func:`run`: devarray below dask.array."""
    if config.getoption("--chunks") == "devarray":
        _put_devarray_below()


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--chunks", default="numpy", choices=("numpy", "devarray"))


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


def run(chunks: str, file: str, seconds: float = 240) -> tuple[collections.Counter[str], list[str]]:
    """Counts of a file's tests by outcome, and a line for each failure; what hangs is ended and counted as such."""
    path = Path(str(importlib.util.find_spec("dask.array").origin)).parent / "tests" / file
    command = [sys.executable, "-P", "-m", "pytest", "-p", PLUGIN, "-p", "no:cacheprovider", "-W", "ignore", "-v"]
    command += ["--tb=line", "-rfE", "--chunks", chunks, "--rootdir", str(path.parent), str(path)]
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parent), "OPENBLAS_NUM_THREADS": "1"}
    try:
        text = subprocess.run(command, capture_output=True, text=True, env=env, check=False, timeout=seconds).stdout
        late: list[str] = []
    except subprocess.TimeoutExpired as expired:
        text = (expired.stdout or b"").decode()
        late = [f"FAILED {file}::{text.rsplit('::', 1)[-1].split()[0]} - does not end"]
    counts = collections.Counter(
        re.findall(r"^\S+::.* (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)\b", text, re.MULTILINE)
    )
    counts["FAILED"] += len(late)
    return counts, [line for line in text.splitlines() if line.startswith(("FAILED", "ERROR"))] + late


def causes(failures: list[str]) -> collections.Counter[str]:
    """How many failures have a message in common; numbers and names in it do not count."""
    messages = (line.partition(" - ")[2] or line for line in failures)
    return collections.Counter(re.sub(r"\d+(\.\d+)?|0x\w+|'[^']*'", "~", message)[:110] for message in messages)


def main(arguments: list[str]) -> None:
    kinds = [a for a in arguments if a in ("numpy", "devarray")] or ["numpy", "devarray"]
    files = [a for a in arguments if a.endswith(".py")] or [f"test_{name}.py" for name in FILES.split()]
    of_numpy: set[str] = set()
    for kind in kinds:
        total: collections.Counter[str] = collections.Counter()
        failures: list[str] = []
        for file in files:
            counts, failed = run(kind, file)
            print(f"{kind:9} {file:28}", dict(counts), flush=True)
            total += counts
            failures += failed
        names = {line.partition(" - ")[0] for line in failures}
        print(f"{kind:9} {'all':28}", dict(total), f"{len(names - of_numpy)} that do not fail over NumPy's chunks")
        own = [line for line in failures if line.partition(" - ")[0] not in of_numpy]
        of_numpy = names if kind == "numpy" else of_numpy
        for message, count in causes(own).most_common():
            print(f"{count:5} {message}")
        if "-v" in arguments:
            print(*own, sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
