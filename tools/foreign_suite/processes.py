"""Runs of pytest in processes of their own: one that dies or hangs is followed by another, behind the test at fault."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

__all__ = ["run_pytest"]

HERE = Path(__file__).resolve().parent
_BETWEEN = 600
"""Seconds that collecting tests may take, and ending the process."""
_ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
"""What a test does must not depend on the plug-ins that happen to be installed."""


def run_pytest(arguments: list[str], folder: Path, env: dict[str, str], timeout: int) -> list[dict[str, Any]]:
    """The rows that `foreign_plugin` writes of the tests that `arguments` name, run in `folder`.

    A test is stopped after `timeout` seconds. Where pytest runs no test, or ends in another way than by its tests'
    outcomes, a row with the outcome ``broken`` has what it said.
    """
    rows: list[dict[str, Any]] = []
    begun = 0
    while True:
        lines, ended, said = _process(arguments, folder, env | {"FOREIGN_BEHIND": str(begun)}, timeout)
        rows += [line for line in lines if "id" in line]
        started = [line["start"] for line in lines if "start" in line]
        begun += len(started)
        if ended in ("0", "1") or (ended == "5" and begun):
            return rows
        if not started:
            error = f"pytest ran no test (exit status {ended}): {said}"
            return [*rows, {"id": arguments[-1], "outcome": "broken", "error": error, "touched": True}]
        # A process that dies between its tests is no test's failure.
        outcome = "broken" if any(row["id"] == started[-1] for row in rows) else "failed"
        rows.append({"id": started[-1], "outcome": outcome, "error": f"process ended: {ended}", "touched": True})


def search_path(*folders: Path | str) -> str:
    """PYTHONPATH with these before what it has here."""
    return os.pathsep.join([*map(str, folders), *filter(None, [os.environ.get("PYTHONPATH")])])


def _process(
    arguments: list[str], folder: Path, env: dict[str, str], timeout: int
) -> tuple[list[dict[str, Any]], str, str]:
    """The lines of one process, its exit status or that it hung, and the last of what it said."""
    with tempfile.TemporaryDirectory(prefix="foreign-") as place:
        results, output = Path(place) / "results.jsonl", Path(place) / "output"
        results.touch()
        more = {"FOREIGN_RESULTS": str(results), "PYTHONPATH": search_path(HERE, folder)}
        command = [sys.executable, "-P", "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider"]
        with output.open("wb") as said:
            child = subprocess.Popen(
                [*command, "-p", "foreign_plugin", *arguments],
                env=os.environ | _ALONE | env | more,
                cwd=folder,
                stdout=said,
                stderr=subprocess.STDOUT,
            )
            hung = _watched(child, results, timeout)
        lines = [json.loads(line) for line in results.read_text().splitlines()]
        status = "killed, for nothing happened for too long" if hung else str(child.returncode)
        return lines, status, _gist(output.read_text(errors="replace").splitlines())


def _gist(said: list[str]) -> str:
    """Pytest's lines about an error where there is one, else its last lines."""
    error = [line[1:].strip() for line in said if line.startswith("E ")]
    return " | ".join(error[:6] or [line for line in said if line.strip()][-6:])


def _watched(child: subprocess.Popen[bytes], results: Path, timeout: int) -> bool:
    """Wait until the process ends; one that hangs, in a test or between them, is killed, which returns True."""
    size, since, limit = 0, time.monotonic(), _BETWEEN
    while child.poll() is None:
        time.sleep(0.05)
        if (now := results.stat().st_size) != size:
            size, since = now, time.monotonic()
            limit = timeout if _in_a_test(results) else _BETWEEN
        elif time.monotonic() - since > limit:
            child.kill()
            child.wait()
            return True
    return False


def _in_a_test(results: Path) -> bool:
    return results.read_text().rpartition("\n")[0].rpartition("\n")[2].startswith('{"start"')
