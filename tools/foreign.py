"""Foreign suites on device arrays: tests and examples of NumPy, tests of CuPy, PyOpenCL and PyCUDA, programs.

    python tools/foreign.py numpy [--only linalg] [--json FILE]
    python tools/foreign.py examples [--json FILE]
    python tools/foreign.py cupy --checkout FOLDER [--only math_tests]
    python tools/foreign.py exercises --checkout FOLDER
    PYOPENCL_TEST=intel python tools/foreign.py pyopencl --checkout FOLDER [--only clmath]
    python tools/foreign.py pycuda --checkout FOLDER [--only driver]
    python tools/foreign.py numba --checkout FOLDER
    python tools/foreign.py textbook --checkout FOLDER [--timeout 90]

NumPy's test files lie in the installed package. Their imports of NumPy are led to a module in which devarray's names
stand for NumPy's; nothing else of them is changed, and nothing of them is kept. A test counts as usable where it
passes for NumPy itself by the same road, an array of the device took part, and no dtype was asked for that devices do
not hold (objects, texts, extended precision).
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent / "foreign_suite"
sys.path.insert(0, str(HERE))

from processes import run_pytest  # noqa: E402

FOLDERS = ("_core", "lib", "linalg", "fft", "random")
LEFT_OUT = {
    "test__datasource": "files and addresses",
    "test__exceptions": "NumPy's own classes of errors",
    "test__iotools": "reading text",
    "test__version": "NumPy's version",
    "test_abc": "the classes of scalars",
    "test_api": "NumPy's C interface",
    "test_argparse": "NumPy's C interface",
    "test_array_api_info": "NumPy's answers about itself",
    "test_arrayobject": "subclasses of ndarray",
    "test_casting_unittests": "NumPy's casting table, C",
    "test_cpu_dispatcher": "NumPy's builds",
    "test_cpu_features": "NumPy's builds",
    "test_custom_dtypes": "dtypes of other packages",
    "test_cython": "compiles against NumPy",
    "test_defchararray": "texts",
    "test_deprecations": "NumPy's warnings about its past",
    "test_direct": "bit generators by themselves",
    "test_dlpack": "NumPy's own exchange; ours has its tests",
    "test_extending": "compiles against NumPy",
    "test_extint128": "NumPy's C integers",
    "test_getlimits": "finfo and iinfo, NumPy's",
    "test_hashtable": "NumPy's C code",
    "test_limited_api": "compiles against NumPy",
    "test_longdouble": "extended precision",
    "test_mem_policy": "NumPy's allocators",
    "test_memmap": "files as memory",
    "test_multithreading": "NumPy's locks",
    "test_nditer": "the iterator over host memory",
    "test_numpy_version": "NumPy's version",
    "test_recfunctions": "functions on records of the host",
    "test_records": "numpy.rec",
    "test_scalar_ctors": "NumPy's scalars",
    "test_scalar_methods": "NumPy's scalars",
    "test_scalarbuffer": "NumPy's scalars",
    "test_scalarinherit": "NumPy's scalars",
    "test_scalarprint": "NumPy's scalars",
    "test_simd": "NumPy's C code",
    "test_simd_module": "NumPy's C code",
    "test_stringdtype": "texts",
    "test_strings": "texts",
    "test_unicode": "texts",
    "test_user_array": "a class of NumPy's past",
    "test_utils": "NumPy's documentation helpers",
}
"""Test files that are not run, and what they are about."""


EDITS = {
    "test_ufunc": [
        ("UNARY_OBJECT_UFUNCS.remove(np.bitwise_count)", "pass"),
        ("a = a[1:].view(dtype='f8')", "a = a[:-1].view(dtype='f8')"),
    ],
    "test_umath_accuracy": [
        ('if "O->O" in uf.types', 'if "e->e" in uf.types'),
        ("UNARY_OBJECT_UFUNCS.remove(np.invert)", "pass"),
        ("UNARY_OBJECT_UFUNCS.remove(np.bitwise_count)", "pass"),
    ],
}
"""Lines of test files that fail where a file is imported: about loops for objects, and items that are not aligned."""


def test_files(only: list[str]) -> list[Path]:
    """NumPy's test files."""
    import numpy as np

    root = Path(np.__file__).parent
    found = [f for name in FOLDERS for f in sorted((root / name / "tests").glob("test_*.py"))]
    found = [f for f in found if f.stem not in LEFT_OUT]
    return [f for f in found if not only or any(word in f"{f.parent.parent.name}/{f.stem}" for word in only)]


def prepare(into: Path) -> None:
    """NumPy's test folders with their imports rewritten."""
    import numpy as np
    from rewrite import rewritten

    for name in FOLDERS:
        source, target = Path(np.__file__).parent / name / "tests", into / f"numpy_{name.strip('_')}"
        target.mkdir(parents=True)
        for path in source.iterdir():
            if path.suffix == ".py":
                text = path.read_text()
                for old, new in EDITS.get(path.stem, ()):
                    text = text.replace(old, new)
                (target / path.name).write_text(rewritten(text))
            elif path.name != "__pycache__":
                (target / path.name).symlink_to(path)


def run_file(path: Path, side: str, timeout: int, checkout: Path | None = None) -> list[dict[str, Any]]:
    """The rows of one file's tests."""
    root = path.parent.parent if checkout is None else checkout / "tests"
    env = {"FOREIGN_SIDE": side} | ({} if checkout is None else {"FOREIGN_CUPY": str(checkout)})
    arguments = ["--tb=no", "-W", "ignore", "-m", "not slow", "--noconftest"]
    return run_pytest([*arguments, "--rootdir", str(root), "-c", "/dev/null", str(path)], root, env, timeout)


def cause(row: dict[str, Any]) -> str:
    """The error without its values, to count by."""
    text = " ".join(row["error"].split())[:150]
    return re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?(e[-+]?\d+)?", "N", text)


def run_numpy(only: list[str], jobs: int, timeout: int, baseline_file: Path | None) -> dict[str, Any]:
    """Counts and rows by file, of NumPy's tests."""
    baseline = json.loads(baseline_file.read_text()) if baseline_file and baseline_file.exists() else {}
    with tempfile.TemporaryDirectory(prefix="foreign-") as folder:
        top = Path(folder)
        prepare(top)

        def both(path: Path) -> tuple[str, list[str], list[dict[str, Any]]]:
            name = f"numpy/{path.parent.parent.name}/tests/{path.name}"
            copy = top / f"numpy_{path.parent.parent.name.strip('_')}" / path.name
            if name not in baseline:
                rows = run_file(copy, "numpy", timeout)
                baseline[name] = [row["id"] for row in rows if row["outcome"] == "passed"]
            return name, baseline[name], run_file(copy, "devarray", timeout)

        with ThreadPoolExecutor(jobs) as pool:
            found = list(pool.map(both, test_files(only)))
    if baseline_file:
        baseline_file.write_text(json.dumps(baseline))
    return {name: counted(passing, rows) for name, passing, rows in found}


def run_cupy(checkout: Path, only: list[str], jobs: int, timeout: int, baseline_file: Path | None) -> dict[str, Any]:
    """Counts and rows by file, of the tests of a checkout of CuPy's in which NumPy is the oracle."""
    baseline = json.loads(baseline_file.read_text()) if baseline_file and baseline_file.exists() else {}
    tests = checkout / "tests" / "cupy_tests"
    files = [f for f in sorted(tests.rglob("test_*.py")) if not {"cuda_tests", "testing_tests"} & set(f.parts)]

    def both(path: Path) -> tuple[str, list[str], list[dict[str, Any]]]:
        name = str(path.relative_to(tests))
        if name not in baseline:
            rows = run_file(path, "numpy", timeout, checkout)
            baseline[name] = [row["id"] for row in rows if row["outcome"] == "passed"]
        return name, baseline[name], run_file(path, "devarray", timeout, checkout)

    wanted = [f for f in files if not only or any(word in str(f.relative_to(tests)) for word in only)]
    with ThreadPoolExecutor(jobs) as pool:
        found = list(pool.map(both, wanted))
    if baseline_file:
        baseline_file.write_text(json.dumps(baseline))
    return {name: counted(passing, rows) for name, passing, rows in found}


def counted(passing: list[str], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What became of the tests that NumPy passes."""
    wanted = set(passing)
    rows = [row for row in rows if row["id"] in wanted or row["outcome"] == "broken"]
    usable = [row for row in rows if row["touched"] and row["outcome"] in ("passed", "failed")]
    usable += [row for row in rows if not row["touched"] and row["outcome"] == "failed"]
    failed = [row for row in usable if row["outcome"] == "failed"]
    broken = [row for row in rows if row["outcome"] == "broken"]
    return {
        "numpy": len(wanted),
        "passed": len(usable) - len(failed),
        "failed": len(failed),
        "unusable": len(wanted) - len(usable),
        "failures": failed + broken,
    }


def report(found: dict[str, Any], most: int) -> None:
    """Print the table of files and the causes with the most failures."""
    print(f"{'file':50} {'passed':>7} {'failed':>7} {'not usable':>11}")
    for name, row in found.items():
        print(f"{name:50} {row['passed']:7} {row['failed']:7} {row['unusable']:11}")
    total = {key: sum(row[key] for row in found.values()) for key in ("passed", "failed", "unusable")}
    print(f"{'all':50} {total['passed']:7} {total['failed']:7} {total['unusable']:11}")
    usable = total["passed"] + total["failed"]
    print(f"{100 * total['passed'] / max(usable, 1):.1f} % of {usable} usable tests pass\n")
    causes = Counter(cause(row) for each in found.values() for row in each["failures"])
    for text, count in causes.most_common(most):
        print(f"{count:6}  {text}")


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    suites = ("numpy", "examples", "cupy", "exercises", "pyopencl", "pycuda", "numba", "textbook", "files")
    parser.add_argument("suite", choices=suites)
    parser.add_argument("--only", nargs="*", default=[], help="words; files or names that have one of them")
    parser.add_argument(
        "--without", nargs="*", default=[], help="words; pyopencl's, pycuda's and numba-cuda's tests that have one"
    )
    parser.add_argument("--jobs", type=int, default=1, help="processes beside each other")
    parser.add_argument("--timeout", type=int, default=60, help="seconds for a test")
    parser.add_argument("--causes", type=int, default=40, help="how many causes of failures to list")
    parser.add_argument("--json", type=Path, help="where to write counts and failures")
    parser.add_argument("--baseline", type=Path, help="file that keeps what NumPy itself passes, between runs")
    parser.add_argument(
        "--checkout",
        type=Path,
        help="a clone of cupy, numpy-100, pyopencl, pycuda or numba-cuda, or a textbook's programs",
    )
    options = parser.parse_args()
    if options.suite == "files":
        print(*test_files(options.only), sep="\n")
        print(*(f"left out: {name}: {why}" for name, why in LEFT_OUT.items()), sep="\n")
        return 0
    if options.suite == "examples":
        from examples import run_examples

        found = run_examples(options.only)
    elif options.suite in ("cupy", "exercises", "pyopencl", "pycuda", "numba", "textbook") and options.checkout is None:
        parser.error(f"{options.suite} needs --checkout FOLDER, a checkout of its repository")
    elif options.suite == "exercises":
        from exercises import run_exercises

        found = run_exercises(options.checkout.resolve())
    elif options.suite in ("pyopencl", "pycuda", "numba"):
        from changed_side import run_changed

        found = run_changed(options.suite, options.checkout.resolve(), options.only, options.timeout, options.without)
    elif options.suite == "textbook":
        from textbook import run_textbook

        found = run_textbook(options.checkout.resolve(), options.only, options.jobs, options.timeout)
    elif options.suite == "cupy":
        limits = options.only, options.jobs, options.timeout, options.baseline
        found = run_cupy(options.checkout.resolve(), *limits)
    else:
        found = run_numpy(options.only, options.jobs, options.timeout, options.baseline)
    report(found, options.causes)
    if options.json:
        options.json.write_text(json.dumps(found, indent=1))
    broken = [row for each in found.values() for row in each["failures"] if row.get("outcome") == "broken"]
    print(*(f"not run to its end: {row['id']}: {row['error']}" for row in broken), sep="\n", end="\n" if broken else "")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
