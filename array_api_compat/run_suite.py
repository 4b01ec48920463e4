"""Run the public Array API conformance suite on devarray, and print its counts by file.

    python array_api_compat/run_suite.py [--device NAME] [--examples N] [--seed N ...] [--cold] [--json FILE]
                                         [-- PYTEST ARGUMENTS]

The suite's checkout is the folder that ARRAY_API_TESTS_DIR names, with its submodule; without one it is cloned, at the
commit below, into a temporary folder. It needs the packages pytest, pytest-json-report, hypothesis and ndindex, and
pytest-xdist for -n.

xfails.txt and skips.txt beside this file list known failures and tests left out. Both are empty and stay so.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

HERE = Path(__file__).resolve().parent
SOURCE = "https://github.com/data-apis/array-api-tests"
COMMIT = "55fcc60"
OUTCOMES = ("passed", "failed", "skipped", "xfailed")


def checkout(folder: Path) -> Path:
    """The suite's folder: the one that is given, or a clone in `folder`."""
    given = os.environ.get("ARRAY_API_TESTS_DIR")
    if given:
        if not (Path(given) / "array-api" / "src").is_dir():
            raise SystemExit(f"ARRAY_API_TESTS_DIR={given} has no array-api/src: check its submodule out")
        return Path(given)
    target = folder / "array-api-tests"
    subprocess.run(["git", "clone", "--quiet", SOURCE, str(target)], check=True)
    subprocess.run(["git", "-C", str(target), "checkout", "--quiet", COMMIT], check=True)
    subprocess.run(["git", "-C", str(target), "submodule", "update", "--init", "--quiet"], check=True)
    return target


def run(suite: Path, arguments: argparse.Namespace, seed: int | None, report: Path) -> float:
    """Run the suite once; seconds that it took. The report is a JUnit file."""
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-rfEs", "-p", "no:cacheprovider", "--tb=short"]
    command += ["-c", "pytest.ini", "--rootdir", "."]  # not the settings of whatever project the paths below lie in
    command += ["--disable-deadline", "--max-examples", str(arguments.examples), f"--junitxml={report}"]
    command += ["--xfails-file", str(HERE / "xfails.txt"), "--skips-file", str(HERE / "skips.txt")]
    if seed is not None:
        command += [f"--hypothesis-seed={seed}"]
    command += arguments.pytest
    if not any((suite / text.partition("::")[0]).is_file() or text == "array_api_tests" for text in arguments.pytest):
        command += [
            "array_api_tests"
        ]  # without a path pytest takes the values of options for paths, and no conftest.py
    environment = os.environ | {"ARRAY_API_TESTS_MODULE": "devarray"}
    if arguments.device:
        environment["DEVARRAY_DEVICE"] = arguments.device
    if arguments.cache:
        environment["DEVARRAY_CACHE_DIR"] = arguments.cache
    begin = time.perf_counter()
    subprocess.run(command, cwd=suite, env=environment)
    return time.perf_counter() - begin


def counts(report: Path) -> dict[str, Counter[str]]:
    """Outcomes by test file."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for case in ElementTree.parse(report).iter("testcase"):
        parts = case.get("classname", "").split(".")
        name = next((part for part in parts if part.startswith("test_")), parts[-1])
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            outcome = "failed"
        elif skipped is not None:
            outcome = "xfailed" if skipped.get("type") == "pytest.xfail" else "skipped"
        else:
            outcome = "passed"
        table[name][outcome] += 1
    return table


def show(table: dict[str, Counter[str]]) -> Counter[str]:
    """Print a table in Markdown; the sums."""
    total: Counter[str] = sum(table.values(), Counter())
    print(f"| file | {' | '.join(OUTCOMES)} |\n|---|{'---|' * len(OUTCOMES)}")
    for name in sorted(table):
        print(f"| {name} | {' | '.join(str(table[name][o]) for o in OUTCOMES)} |")
    print(f"| **all** | {' | '.join(str(total[o]) for o in OUTCOMES)} |")
    return total


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", help="as DEVARRAY_DEVICE takes it: intel, pocl, cuda, opencl, ...")
    parser.add_argument("--examples", type=int, default=200, help="of hypothesis, for each test (200)")
    parser.add_argument("--seed", type=int, nargs="*", default=[None], help="one run for each")
    parser.add_argument("--cold", action="store_true", help="begin with an empty kernel cache; count its kernels")
    parser.add_argument("--json", type=Path, help="write the counts and times there")
    parser.add_argument("pytest", nargs="*", help="further arguments of pytest, behind --")
    arguments = parser.parse_args(argv)
    failed, results = 0, []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        arguments.cache = str(folder / "kernels") if arguments.cold else None
        suite = checkout(folder)
        for seed in arguments.seed:
            report = folder / "report.xml"
            seconds = run(suite, arguments, seed, report)
            table = counts(report)
            name = arguments.device or "default"
            print(f"\ndevice {name}, {arguments.examples} examples, seed {seed}, {seconds:.0f} s\n")
            total = show(table)
            failed += total["failed"] + total["xfailed"]
            result = {"device": arguments.device, "examples": arguments.examples, "seed": seed, "seconds": seconds}
            if arguments.cold:
                result["kernels"] = sum(1 for _ in Path(arguments.cache).rglob("*.bin"))
                print(f"\n{result['kernels']} kernels in the cache")
            results.append(result | {"files": {name: dict(row) for name, row in table.items()}})
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
