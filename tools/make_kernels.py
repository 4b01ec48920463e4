"""Compile the kernels of common functions for CUDA devices, to be installed with the package.

    python tools/make_kernels.py --core FILE --out FOLDER [--architectures 75,80,90 | native]
                                 [--dtypes float32,int64] [--jobs N]

No GPU is needed: a stand-in for NVIDIA's driver (tests/cuda/fake_cuda.c) says what devices of an architecture are like,
devarray/_warmup.py's common functions run on it, and NVRTC compiles the kernels that they ask for. FILE is the compiled
core; each architecture's kernels become one zip file (devarray/_runtime/prebuilt.py), the same bytes each time.
"native" stands for the architectures of this machine's GPUs; then whatever is missing (a GPU, NVRTC, NumPy, a C
compiler) is said, and nothing is written. What is asked for by number must be made.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

ROOT = Path(__file__).resolve().parents[1]
UNITS = {75: 40, 80: 108, 86: 82, 89: 128, 90: 132, 100: 148, 120: 170}
"""Compute units of an architecture's usual device: plans of reductions depend on them, by powers of two."""
USUAL_UNITS = 132
SHARED_MEMORY = 49152
MULTIPROCESSORS, SHARED, MAJOR, MINOR = 16, 8, 75, 76  # numbers of attributes in cuda.h
STAND_IN = "libfakecuda.so"
TIME_LIMIT = 900  # seconds, of one process
DTYPES = ("float32", "float64", "int64")
TABLES = ((100_000, 3), (100_000, 10), (1_000_000, 16), (10_000, 100), (8192, 1024), (1000, 1000), (100, 10_000))
"""Shapes whose rows and columns are reduced, too: how many work-items share a row depends on it."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--core", type=Path, required=True, help="the compiled core")
    parser.add_argument("--out", type=Path, required=True, help="the folder for the files")
    parser.add_argument("--architectures", default="native", help="90 for sm_90, or native")
    parser.add_argument("--dtypes", default=",".join(DTYPES), help="what the functions compute in")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    options = parser.parse_args()
    asked = options.architectures != "native"
    architectures = sorted(set(map(int, options.architectures.split(",")))) if asked else native()
    try:
        for path in options.out.glob("cuda-*.zip"):  # an earlier build's
            path.unlink()
        if not architectures:
            raise Missing("no GPU is here")
        with tempfile.TemporaryDirectory() as work:
            make(Path(work), options.core.resolve(), architectures, options.dtypes.split(","), options.jobs)
            options.out.mkdir(parents=True, exist_ok=True)
            for name, kernels in collected(Path(work)).items():
                write(options.out / name, kernels)
    except Exception as problem:  # whatever it is: an installation that did not ask for them ends well without
        if asked and not isinstance(problem, Missing):
            raise
        print(f"kernels of common functions are not compiled ahead of time: {problem}")
        return int(asked)
    return 0


class Missing(Exception):
    """Why kernels cannot be made here."""


def native() -> list[int]:
    """The architectures of this machine's GPUs, as their driver says."""
    driver, count, found = usable_driver(), ctypes.c_int(), set()
    if driver is None or driver.cuDeviceGetCount(ctypes.byref(count)):
        return []
    for index in range(count.value):
        device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        driver.cuDeviceGet(ctypes.byref(device), index)
        driver.cuDeviceGetAttribute(ctypes.byref(major), MAJOR, device)
        driver.cuDeviceGetAttribute(ctypes.byref(minor), MINOR, device)
        found.add(major.value * 10 + minor.value)
    return sorted(found)


def driver_version() -> int:
    """The driver's, as 13000 for CUDA 13.0; 0 where there is none."""
    driver, version = usable_driver(), ctypes.c_int()
    return 0 if driver is None or driver.cuDriverGetVersion(ctypes.byref(version)) else version.value


def usable_driver() -> ctypes.CDLL | None:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    return None if driver.cuInit(0) else driver


def has_system_compiler() -> bool:
    """Whether the system has an NVRTC where the library looks for one."""
    homes = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    for name in (
        "libnvrtc.so.13",
        "libnvrtc.so.12",
        *(f"{home}/lib64/libnvrtc.so" for home in [*homes, "/usr/local/cuda"]),
    ):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return True
    return False


# --- one process for each architecture and dtype ------------------------------------------------------------------


def make(work: Path, core: Path, architectures: Iterable[int], dtypes: Iterable[str], jobs: int) -> None:
    """Files of kernels in a folder."""
    if find_spec("numpy") is None:
        raise Missing("NumPy is not installed where the package is built")
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc")
    if compiler is None:
        raise Missing("no C compiler was found")
    package = work / "site" / "devarray"
    package.mkdir(parents=True)
    shutil.copy(core, package)
    source = ROOT / "tests" / "cuda" / "fake_cuda.c"
    build = [compiler, "-shared", "-fPIC", "-O1", "-fvisibility=hidden", source, "-o", work / STAND_IN]
    if (done := subprocess.run(build, capture_output=True, text=True)).returncode:
        raise Missing(f"the stand-in for a driver does not compile: {done.stderr}")
    parts = [(architecture, dtype) for dtype in dtypes for architecture in architectures]
    with ThreadPoolExecutor(jobs) as pool:
        for part, told in zip(parts, pool.map(lambda part: run_part(work, *part), parts), strict=True):
            print("sm_{}, {}: {}".format(*part, told))


def run_part(work: Path, architecture: int, dtype: str) -> str:
    """One architecture's kernels of one dtype, in a process of its own; what there is to tell."""
    attributes = {
        MULTIPROCESSORS: UNITS.get(architecture, USUAL_UNITS), SHARED: SHARED_MEMORY,
        MAJOR: architecture // 10, MINOR: architecture % 10,
    }  # fmt: skip
    ours = [str(ROOT), str(work / "site"), str(ROOT / "tools")]
    path = [*ours, *(entry for entry in sys.path if entry not in ("", *ours))]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("DEVARRAY_")},
        "PYTHONPATH": os.pathsep.join(path),
        "FAKE_CUDA_ATTRIBUTES": ",".join(f"{key}={value}" for key, value in attributes.items()),
        "FAKE_CUDA_FILL": "999",  # a plausible count, of whatever a kernel would have counted
        "DEVARRAY_CACHE_DIR": str(work / f"{architecture}-{dtype}"),
        "DEVARRAY_DEVICE": "cuda:0",
        "OCL_ICD_VENDORS": os.devnull,  # no other devices
    }
    program = f"import make_kernels; make_kernels.compile_part({str(work)!r}, {architecture}, {dtype!r})"
    command = [sys.executable, "-P", "-c", program]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        raise Missing(f"those for sm_{architecture} were not compiled after {TIME_LIMIT} s") from None
    if done.returncode:
        raise Missing(f"those for sm_{architecture}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def compile_part(work: str, architecture: int, dtype: str) -> None:
    """What a process does: run common functions on the stand-in, and save the kernels."""
    from devarray import _core

    _core.cuda._use_library(os.path.join(work, STAND_IN))
    import devarray as da
    from devarray import _warmup
    from devarray._runtime import compiler_waits, prebuilt
    from devarray.cuda import libraries

    libraries.candidates = lambda name, driver_major: []  # cuBLAS would ask a driver for a GPU
    compiler_waits.silence()
    da.config.kernels = _warmup.EVERY_KERNEL
    prebuilt.FOLDER = ""  # those of an earlier build
    stopped, device = [], da.device("cuda:0")
    with da.use(device=device):
        for call in [*_warmup.common_work(device, dtype), *further_work(da, dtype)]:
            try:
                _warmup.evaluate(call())
            except da.errors.MissingDriverError as problem:
                raise SystemExit(str(problem)) from None
            except da.errors.CompileError:
                raise
            except Exception as problem:  # values are what lies in memory, since the stand-in computes nothing
                stopped.append(str(problem))
        da.synchronize()
    name = prebuilt.file_name(divmod(architecture, 10), prebuilt.compiler_of(device.caps))
    counts = da.compiler.save_kernels(os.path.join(work, f"{name}-{dtype}"))
    print(f"{counts['binaries']} kernels", *(f"(a function stopped: {problem})" for problem in stopped))


def further_work(da, dtype):
    """What programs do with tables of several shapes, and what stops at the stand-in's values."""
    for rows, columns in TABLES:
        x = da.zeros((rows, columns), dtype=dtype).evaluate()
        for axis in (0, 1):
            for function in (da.sum, da.mean, da.max, da.min):
                yield lambda x=x, axis=axis, function=function: function(x, axis=axis)
        if dtype != "int64":
            yield from (partial(function, da, x) for function in (centred, standardised, softmax, normalised, products))
    yield lambda: da.histogram(x.ravel(), bins=50, range=(0, 10))


def centred(da, x):
    return x - x.mean(0), x[0] * 0 + 1


def standardised(da, x):
    return (x - x.mean(0)) / x.std(0), (x @ x[0]).std(), x.var(1)


def softmax(da, x):
    e = da.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def normalised(da, x):
    """Rows of mean 0 and deviation 1, scaled and shifted by columns: a layer's normalisation."""
    centre = x - x.mean(-1, keepdims=True)
    return centre / da.sqrt((centre * centre).mean(-1, keepdims=True) + 1e-5) * x[0] + x[1]


def products(da, x):
    """A table and vectors, as regressions and power iterations multiply them; what these do with the vectors."""
    w = (x[0] + 1).evaluate()
    y = (x @ w).evaluate()
    slope = (x.T @ (y - x[:, 0])).evaluate()
    unit = w / da.sqrt((w * w).sum())
    return (
        x.T @ y, unit, w - 0.1 * slope, (x * x).sum(), da.cumsum(w), 1 / (1 + da.exp(-y)), (y * y).mean(), x.T @ x,
        da.sqrt(((x - w) ** 2).sum(1)), y / y.sum(), (y > 0).sum(),
    )  # fmt: skip


# --- the files ----------------------------------------------------------------------------------------------------


def collected(work: Path) -> dict[str, dict[str, bytes]]:
    """Names of files, each with kernels by their names in it."""
    sys.path[:0] = [str(ROOT), str(work / "site")]
    from devarray._runtime import kernel_file, prebuilt
    from devarray.codegen.language.dialect import dialect_for

    usual = dialect_for("cuda", {}).generated_options
    files: dict[str, dict[str, bytes]] = {}
    for path in sorted(work.glob("*.zip-*")):
        file = files.setdefault(path.name.rpartition("-")[0], {})
        for kernel in kernel_file.read(str(path)):
            if kernel.binary is not None:
                file[prebuilt.member(kernel.options or usual, kernel.source)] = kernel.binary
    return files


def write(path: Path, kernels: dict[str, bytes]) -> None:
    with ZipFile(path, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(kernels):
            archive.writestr(ZipInfo(name), kernels[name], ZIP_DEFLATED)
    print(f"{path.name}: {len(kernels)} kernels, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    sys.exit(main())
