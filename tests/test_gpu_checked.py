"""docs/gpu-checked.md and the scripts that write and read it."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOL = runpy.run_path(str(ROOT / "tools" / "gpu_checked.py"))
HEAD = "| date | commit | device | drivers | steps |\n|---|---|---|---|---|\n"
LINE = "| 2026-01-02 | 0123abc | NVIDIA H200 | CUDA 13.0 driver 580.1 | test-cuda: 8985 passed; fuzz-cuda: ok |"


def test_every_line_of_the_page_is_a_run() -> None:
    page = (ROOT / "docs" / "gpu-checked.md").read_text()
    assert HEAD in page
    assert [line for line in page.split(HEAD)[1].splitlines() if not TOOL["RUN"].fullmatch(line)] == []


def test_lines_are_appended_and_the_last_one_counts(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(HEAD)
    assert TOOL["last_commit"](page.read_text()) is None
    TOOL["add"](LINE, page)
    TOOL["add"](LINE.replace("0123abc", "4567def"), page)
    assert page.read_text() == f"{HEAD}{LINE}\n{LINE.replace('0123abc', '4567def')}\n"
    assert TOOL["last_commit"](page.read_text()) == "4567def"
    with pytest.raises(SystemExit, match="no line of"):
        TOOL["add"]("step rc s", page)


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_commits_that_touch_the_sources_are_named(tmp_path: Path) -> None:
    def git(*arguments: str) -> str:
        who = ("-c", "user.name=n", "-c", "user.email=n@n", "-c", "commit.gpgsign=false")
        return subprocess.run(
            ["git", "-C", str(tmp_path), *who, *arguments], check=True, text=True, capture_output=True
        ).stdout.strip()

    git("init", "-q")
    for place in ("csrc/a.cpp", "docs/a.md", "devarray/a.py"):
        path = tmp_path / place
        path.parent.mkdir()
        path.write_text(place)
        git("add", ".")
        git("commit", "-q", "-m", place)
    first = git("rev-list", "--max-parents=0", "HEAD")
    assert [line.split()[1] for line in TOOL["commits_since"](first, tmp_path)] == ["devarray/a.py"]
    assert [line.split()[1] for line in TOOL["commits_since"](None, tmp_path)] == ["devarray/a.py", "csrc/a.cpp"]
    assert TOOL["commits_since"]("HEAD", tmp_path) == []
    with pytest.raises(SystemExit, match="git knows no 0000000"):
        TOOL["commits_since"]("0000000", tmp_path)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_the_check_says_what_it_saw(tmp_path: Path) -> None:
    """Where there is no GPU the tests that it runs fail or are skipped; the line says so all the same."""
    python = tmp_path / "python"  # stands in for the interpreter: what is looked at is the script's own work
    python.write_text(
        '#!/bin/sh\ncase "$*" in\n*pytest*) echo "3 failed, 40 passed, 2 skipped in 1.50s (0:00:01)"; exit 1;;\n'
        '*fuzz.py*) echo "120 programs";;\n*xdist*) exit 1;;\n*) echo "NVIDIA H200 | CUDA 13.0 driver 580.1";;\nesac\n'
    )
    python.chmod(0o755)
    done = subprocess.run(
        ["bash", str(ROOT / "tools" / "gpu_check.sh"), "test-cuda", "fuzz", "abacus"], check=False, text=True,
        env={**os.environ, "PYTHON": str(python), "OUT": str(tmp_path / "out"), "COMMIT": "0123abc"},
        capture_output=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2
    assert "no step named abacus" in done.stderr
    line = (tmp_path / "out" / "gpu-checked-line.txt").read_text().strip()
    assert line in done.stdout
    assert TOOL["RUN"].fullmatch(line)
    assert line.split(" | ")[1:] == [
        "0123abc",
        "NVIDIA H200",
        "CUDA 13.0 driver 580.1",
        "test-cuda: 3 failed, 40 passed, 2 skipped, rc 1; fuzz-cuda: ok; fuzz-opencl: ok |",
    ]
