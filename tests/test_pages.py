"""The pages of docs/: their examples run and print what they say, and names that they compare are there."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path
from typing import Any

import pytest

import devarray as da
from devarray import errors

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
WITH_EXAMPLES = [page for page in PAGES if "```pycon" in page.read_text()]
COMPARISONS = [page for page in sorted((DOCS / "coming-from").glob("*.md")) if page.name != "index.md"]
OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def name_of(page: Path) -> str:
    return page.relative_to(DOCS).with_suffix("").as_posix()


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
@pytest.mark.usefixtures("device", "deferred")
@pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning")
def test_examples_run(page: Path) -> None:
    """Those of one page are one program; `...` stands for any text, and an error's name alone counts."""
    text = page.read_text()
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    names: dict[str, Any] = {}
    report: list[str] = []
    for block in re.finditer(r"^```pycon\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        line = text.count("\n", 0, block.start()) + 1
        test = parser.get_doctest(block[1], names, f"{page.name}", str(page), line)
        runner.run(test, out=report.append, clear_globs=False)
        names = test.globs
    assert runner.tries and not runner.failures, "".join(report)


def columns(page: Path) -> list[tuple[str, str]]:
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in page.read_text().splitlines() if line.startswith("|")]
    return [(row[0].strip(), row[1].strip()) for row in rows[2:]]


def find(name: str) -> Any:
    """What a name of a right column stands for: `x` is an array, `cl` and `cuda` are devarray's drivers."""
    if name.startswith("import "):
        return importlib.import_module(name.removeprefix("import ")) if "autoinit" not in name else da.cuda
    first, *rest = name.split(".")
    here: Any = {"da": da, "x": da.Array, "cl": da.cl, "cuda": da.cuda}[first]
    for at, part in enumerate(rest):
        try:
            here = getattr(here, part)
        except AttributeError:
            here = importlib.import_module(".".join(["devarray", first, *rest[: at + 1]]))
    return here


@pytest.mark.parametrize("page", COMPARISONS, ids=name_of)
def test_names_beside_others_are_there(page: Path) -> None:
    wrong, looked_up = [], 0
    for theirs, ours in columns(page):
        assert theirs.startswith("`") or not ours, f"{page.name}: {theirs}"
        for name in re.findall(r"`([^`]+)`", ours):
            try:
                find(name)
            except (AttributeError, KeyError, ImportError):
                wrong.append(name)
            looked_up += 1
    assert not wrong
    assert looked_up >= 15


def test_every_error_says_what_to_do() -> None:
    silent = [name for name in errors.__all__ if "What to do:" not in (getattr(errors, name).__doc__ or "")]
    assert not silent
