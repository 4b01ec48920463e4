#!/usr/bin/env python3
"""What GPUs have run, and what they have not: docs/gpu-checked.md.

    python tools/gpu_checked.py               commits since the last line that touch csrc/ or devarray/
    python tools/gpu_checked.py add FILE      append the line that tools/gpu_check.sh left

Exit status of the first: 1 where there are such commits.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = ROOT / "docs" / "gpu-checked.md"
RUN = re.compile(r"\| \d{4}-\d\d-\d\d \| (\w+) \| [^|]+ \| [^|]+ \| [^|]+ \|")
SOURCES = ("csrc", "devarray")


def last_commit(table: str) -> str | None:
    """The commit of the last line; None where there is no line."""
    commits = [found[1] for found in map(RUN.fullmatch, table.splitlines()) if found]
    return commits[-1] if commits else None


def commits_since(commit: str | None, root: Path = ROOT) -> list[str]:
    """One line for each commit of HEAD's history that a commit's has not, and that touches the sources."""
    span = "HEAD" if commit is None else f"{commit}..HEAD"
    command = ["git", "-C", str(root), "log", "--oneline", span, "--", *SOURCES]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(f"git knows no {commit}: {done.stderr.strip()}")
    return done.stdout.splitlines()


def add(line: str, table: Path = TABLE) -> None:
    """Append a run's line."""
    if not RUN.fullmatch(line):
        raise SystemExit(f"this is no line of {table.name}: {line!r}")
    with table.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["add"] and len(arguments) == 2:
        add(Path(arguments[1]).read_text(encoding="utf-8").strip())
        return 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    commit = last_commit(TABLE.read_text(encoding="utf-8"))
    unseen = commits_since(commit)
    print(f"{len(unseen)} commits that no GPU has run, since {commit or 'the beginning'}", *unseen, sep="\n")
    return 1 if unseen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
