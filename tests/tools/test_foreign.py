"""Foreign suites: what became of every test is told, of those of processes that die and of files that do not begin."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "foreign_suite"))

import changed_side  # noqa: E402
from processes import run_pytest  # noqa: E402
from textbook import Output, difference, run_textbook  # noqa: E402

TROUBLED = """
import os, time, pytest
def test_first(): pass
@pytest.mark.parametrize("n", range(3))
def test_dies(n):
    if n == 1: os._exit(7)
def test_hangs(): time.sleep(600)
def test_fails(): assert 1 == 2, "one is not two"
def test_leaves_out(): pytest.skip("not here")
def test_last(): pass
"""


def run(folder: Path, text: str, timeout: int = 60) -> list[dict[str, Any]]:
    (folder / "test_some.py").write_text(text)
    return run_pytest(["test_some.py"], folder, {"FOREIGN_SIDE": "numpy"}, timeout)


def test_a_process_that_dies_or_hangs_is_followed_by_another(tmp_path: Path) -> None:
    rows = run(tmp_path, TROUBLED, timeout=2)
    assert [(row["id"].partition("::")[2], row["outcome"]) for row in rows] == [
        ("test_first", "passed"),
        ("test_dies[0]", "passed"),
        ("test_dies[1]", "failed"),
        ("test_dies[2]", "passed"),
        ("test_hangs", "failed"),
        ("test_fails", "failed"),
        ("test_leaves_out", "skipped"),
        ("test_last", "passed"),
    ]
    assert rows[2]["error"] == "process ended: 7"
    assert "killed" in rows[4]["error"]
    assert "one is not two" in rows[5]["error"]


@pytest.mark.parametrize(
    ("text", "said"), [("import no_such_package", "No module named 'no_such_package'"), ("", "no tests ran")]
)
def test_a_file_without_a_run_says_why(tmp_path: Path, text: str, said: str) -> None:
    (row,) = run(tmp_path, text)
    assert row["outcome"] == "broken"
    assert said in row["error"]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Tests of a library `json` that ours, `ast`, stands in for."""
    (tmp_path / "test").mkdir()
    names = ("test_names", "test_nothing", "test_theirs")
    side = changed_side.Side("json", "test", names, ((r"\bimport json as", "import ast as"),))
    monkeypatch.setitem(changed_side.SIDES, "json", side)
    head = "import json as library\n"
    texts = (
        "def test_both(): library.__name__\ndef test_one(): library.dumps(1)\ndef test_none(): library.parse(1)\n",
        "def test_none(): library.nothing(1)\n",
        "library.dumps(1)\ndef test_both(): pass\n",
    )
    for name, text in zip(names, texts, strict=True):
        (tmp_path / "test" / f"{name}.py").write_text(head + text)
    return tmp_path


def test_counts_beside_the_library(checkout: Path) -> None:
    found = changed_side.run_changed("json", checkout, [], 60, [])
    counts = {name: (row["passed"], row["failed"], row["unusable"]) for name, row in found.items()}
    assert counts == {"test_names": (1, 1, 1), "test_nothing": (0, 0, 1), "test_theirs": (0, 1, 0)}
    (failure,) = found["test_names"]["failures"]
    assert failure["id"] == "test_names::test_one 1"
    assert "has no attribute 'dumps'" in failure["error"]
    (nothing,) = found["test_nothing"]["failures"]
    assert nothing["outcome"] == "broken"
    assert "no test is usable: AttributeError: module 'json' has no attribute 'nothing'" in nothing["error"]
    missing, broken = found["test_theirs"]["failures"]
    assert missing["error"] == "not collected"
    assert broken["outcome"] == "broken"
    assert broken["error"].startswith("devarray: pytest ran no test")


@pytest.mark.parametrize(
    ("mine", "wanted", "said"),
    [
        ("array([1., 2.])", "array([1.0000001, 2.])", ""),
        ("Array([1., 2.], dtype=float64, device='opencl:0')", "array([1., 2.])", ""),
        ("array(3)", "np.int64(3)", ""),
        ("nan 1e-12", "nan 0", ""),
        ("[1 2]", "[1 2 3]", "prints"),
        ("[1 2]", "[1 3]", "prints"),
        ("a 1", "b 1", "prints"),
    ],
)
def test_what_programs_print_is_compared_but_for_roundings(mine: str, wanted: str, said: str) -> None:
    assert difference(Output("", mine), Output("", wanted)).startswith(said) is True
    assert bool(difference(Output("", mine), Output("", wanted))) is bool(said)


PROGRAMS = {
    "figure": "import matplotlib.pyplot as plt\nplt.imshow(np.add.outer(np.arange(9), np.arange(9)))\nplt.show()",
    "lottery": "np.random.seed(7)\nprint(np.random.random(3))",
    "host": "import numpy.polynomial as p, math\nprint(np.array(['a', 'b'])[np.argsort([2, 1])])",
    "wrong": "raise SystemExit('no')",
}


@pytest.mark.slow
def test_programs_of_a_checkout_run_by_each_way(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name, text in PROGRAMS.items():
        (tmp_path / f"{name}.py").write_text(f"import numpy as np\n{text}\n")
    found = run_textbook(tmp_path, [], 1, 60)
    rows = {way.partition(", ")[2]: (row["passed"], row["numpy"], row["unusable"]) for way, row in found.items()}
    assert rows == {
        "import changed": (2, 3, 1),
        "import changed, fallback allow": (3, 3, 1),
        "devarray run": (3, 3, 1),
    }
    (failure,) = found[f"{tmp_path.name}, import changed"]["failures"]
    assert failure["id"] == "host.py"
    assert "forbids" in failure["error"]
