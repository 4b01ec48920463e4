"""Whether OpenCL runtimes work: one tiny kernel is built and run on their CPU devices, in a process of its own.

A runtime may know no CPU of the machine's kind and compile nothing, or end the process where it tries. So each library
is tried where that does no harm, before this process loads it; what came of it is kept in the folder of compiled
kernels, for as long as library and CPU stay the same.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from devarray._runtime import install
from devarray._runtime.settings import cache_dir

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

# subprocess, tempfile, time and zlib are imported where they are used: mostly, all answers are known.

__all__ = ["examine"]

Candidate = tuple[str, list[str], str]
Examined = tuple[str, list[str], str, str]

SECONDS = 60
"""Time for all libraries to load, compile and run. Those that take longer are left out in this process."""

_SCHEMA = "1"
_KEPT = 50  # answers: machines that share a folder each have their own
_BEGIN, _END = "devarray-probe-begins", "devarray-probe-ends"  # what the child prints
_FILE = "runtimes"
_NOT_TRIED = ("libOpenCL.", "libnvidia-opencl.")  # what loads the others; what has no CPU device
_CHILD = """
import sys
sys.path[:] = {path!r}
print({begin!r}, flush=True)
from devarray.cl import _probe_child
_probe_child.try_library({library!r}, {needs!r})
print({end!r}, flush=True)
"""
_MARK = "PROBED_BY_DEVARRAY"  # in the child's environment: what it starts by itself tries nothing
_OF_RUNTIMES = ("POCL_", "CL_CONFIG_")  # the environment variables of PoCL and of Intel's runtime
_answers: dict[str, str] = {}


def examine(candidates: list[Candidate]) -> list[Examined]:
    """The candidates, each with what is wrong with it; the empty text where nothing is known to be."""
    if not _can_try():
        return [(*candidate, "") for candidate in candidates]
    tried = [candidate for candidate in candidates if not os.path.basename(candidate[0]).startswith(_NOT_TRIED)]
    keys = {library: _key(library) for library, _, _ in tried}
    known = {**_read(), **_answers}
    unknown = [candidate for candidate in tried if keys[candidate[0]] not in known]
    verdicts = _try_all(unknown) if unknown else {}
    lasting = {keys[library]: problem for library, (problem, lasts) in verdicts.items() if lasts}
    _answers.update(lasting)
    if lasting:
        _write(lasting)
    found = {library: known.get(key, "") for library, key in keys.items()}
    found |= {library: problem for library, (problem, _) in verdicts.items()}
    return _with_problems(candidates, found)


def _can_try() -> bool:
    """Not where a child would be this program again: a frozen one, one that embeds Python, a child."""
    python = os.path.basename(sys.executable or "").startswith(("python", "pypy"))
    return python and not hasattr(sys, "frozen") and _MARK not in os.environ


def _with_problems(candidates: list[Candidate], found: dict[str, str]) -> list[Examined]:
    result: list[Examined] = []
    registered = ""  # a library that the system's ICD loader would load
    for library, needs, origin in candidates:
        problem = found.get(library, "")
        if os.path.basename(library).startswith("libOpenCL.") and registered:
            problem = f"left alone, since it loads {registered}"
        if problem and origin.endswith((".icd", "OCL_ICD_FILENAMES", "OCL_ICD_VENDORS")):
            registered = registered or library
        result.append((library, needs, origin, problem))
    return result


# --- in the parent -----------------------------------------------------------------------------------------------


def _try_all(candidates: list[Candidate]) -> dict[str, tuple[str, bool]]:
    """What is wrong with each library, and whether that lasts; all are tried at once."""
    import subprocess
    import time

    environment = {name: text for name, text in os.environ.items() if not name.startswith("DEVARRAY_")}
    processes = {}
    for library, needs, _ in candidates:
        program = _CHILD.format(path=sys.path, begin=_BEGIN, end=_END, library=library, needs=needs)
        with contextlib.suppress(OSError):  # no process may be started here: untried
            processes[library] = subprocess.Popen(
                [sys.executable, "-P", "-c", program], env={**environment, "DEVARRAY_CACHE_DIR": "", _MARK: "1"},
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                encoding="utf-8", errors="replace",
            )  # fmt: skip
    end = time.monotonic() + SECONDS
    return {library: _outcome(process, max(0.1, end - time.monotonic())) for library, process in processes.items()}


def _outcome(process: subprocess.Popen[str], seconds: float) -> tuple[str, bool]:
    import subprocess

    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"it took more than {SECONDS} s to build and run one small kernel", False
    lines = out.splitlines()
    if _BEGIN not in lines:  # it did not come so far as to try: that says nothing of the library
        return "", False
    if _END in lines:
        failed = [line.split("\t") for line in lines if "\t" in line]
        return "; ".join(_explain(platform, error, err) for platform, error in failed), True
    end = f"signal {-process.returncode}" if process.returncode < 0 else f"status {process.returncode}"
    lasts = process.returncode < 0 and process.returncode != -9  # 9: ended from outside
    said = [line.strip() for line in err.splitlines() if line.strip()]
    problem = f"it ended the process by {end} when it built and ran one small kernel"
    return ": ".join([problem, *said[-1:]]), lasts


def _explain(platform: str, error: str, err: str) -> str:
    printed = [line.strip() for line in err.splitlines() if "error" in line.lower()]
    if error.startswith("opencl: ") and printed:  # no log; PoCL prints what is wrong
        error = printed[0]
    if "PoCL" in platform or "Portable" in platform:
        helps = f"install the system's PoCL (apt-get install pocl-opencl-icd) or Intel's ({install.command('cpu')})"
    else:
        helps = f"install another runtime ({install.command('cpu')} or {install.command('pocl')})"
    return f"{platform} compiles nothing for this CPU ({error}): {helps}"


# --- what is known -----------------------------------------------------------------------------------------------


def _key(library: str) -> str:
    """Library, CPU and the runtimes' own settings, as one line."""
    own = sorted((name, text) for name, text in os.environ.items() if name.startswith(_OF_RUNTIMES))
    parts = [_SCHEMA, os.path.realpath(library) if "/" in library else library, _stamp(library), _cpu(), *map(str, own)]
    return "|".join(parts).translate({ord("\t"): " ", ord("\n"): " "})


def _stamp(library: str) -> str:
    """Changes where the file does; for a name that the system resolves, where anything was installed."""
    resolved = "/" in library
    try:
        status = os.stat(library if resolved else "/etc/ld.so.cache")
    except OSError:
        return "none"
    stamp = f"{status.st_size} {status.st_mtime_ns}"
    return stamp if resolved else f"{stamp} {os.environ.get('LD_LIBRARY_PATH', '')}"


def _cpu() -> str:
    """The first CPU's model and features."""
    try:
        with open("/proc/cpuinfo", "rb", buffering=0) as file:
            text = file.read(4096)  # one CPU's; the whole file takes long on machines of many
    except OSError:
        import platform

        return platform.processor()
    import zlib

    first = text.split(b"\n\n")[0]
    kept = (b"vendor_id", b"cpu family", b"model", b"stepping", b"flags", b"Features", b"CPU ")
    return f"{zlib.crc32(b''.join(line for line in first.splitlines() if line.startswith(kept))):08x}"


def _file() -> Path | None:
    folder = cache_dir()
    return None if folder is None else folder / _FILE


def _read() -> dict[str, str]:
    path = _file()
    if path is None:
        return {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    rows = [line.split("\t") for line in lines]
    return {row[0]: row[1] for row in rows if len(row) == 2}


def _write(answers: dict[str, str]) -> None:
    """Add answers to the file; a folder that cannot be written only costs that they are kept."""
    path = _file()
    if path is None:
        return
    import tempfile

    lines = [f"{key}\t{' '.join(problem.split())}\n" for key, problem in {**_read(), **answers}.items()]
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.writelines(lines[-_KEPT:])
        os.replace(temporary, path)
