"""tools/abuse.py tells crashes, hangs and bare answers from proper errors."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from abusing import targets, zoo  # noqa: E402
from abusing.serve import judge  # noqa: E402
from workers import Died, Worker  # noqa: E402

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize(
    ("call", "answer"),
    [
        ("da.reshape('text', 3)", ""),
        ("da.ones(3)[7]", ""),
        ("[].ndim", "AttributeError: 'list' object has no attribute 'ndim'"),
        ("exec('assert 0')", "AssertionError"),
        ("undefined", "NameError: name 'undefined'"),
        ("Raising().__len__()", ""),
    ],
)
def test_answers_are_judged(call: str, answer: str) -> None:
    found = judge(call, dict(vars(zoo)))
    assert found.startswith(answer) if answer else found == ""


def test_everything_public_is_called() -> None:
    found = set(targets.targets())
    assert {
        "da.reshape",
        "da.linalg.solve",
        "cl.Buffer",
        "(x()).sum",
        "(new(cl.Buffer)).size",
        "cuda.mem_alloc",
    } <= found
    assert not any("from_int_ptr" in name for name in found)


def test_names_that_only_tell_what_to_use_are_not_called() -> None:
    assert "(x()).copy_to_host" in targets.targets() and "(x()).cpu" not in targets.targets()


def test_calls_are_the_same_for_a_seed() -> None:
    first = targets.calls("da.reshape", 30, 1)
    assert len(first) > 20 and first == targets.calls("da.reshape", 30, 1) != targets.calls("da.reshape", 30, 2)


def test_hostile_values_can_be_made() -> None:
    for text in [*zoo.VALUES, *zoo.live().values(), *zoo.PLAUSIBLE.values()]:
        if not text.startswith("new("):
            eval(text, dict(vars(zoo)))


def echo(connection, *arguments) -> None:  # type: ignore[no-untyped-def]
    """A child that answers, dies or hangs as it is told."""
    import os
    import time

    while True:
        request = connection.recv()
        if request == "die":
            os.abort()
        if request == "hang":
            time.sleep(1000)
        connection.send((request, arguments))


def test_a_worker_outlives_what_its_child_does() -> None:
    worker = Worker(echo, ("a",))
    assert worker.ask(1, 60) == (1, ("a",))
    died = worker.ask("die", 60)
    assert isinstance(died, Died) and died.how == "crash" and "SIGABRT" in died.message
    died = worker.ask("hang", 1)
    assert isinstance(died, Died) and died.how == "hang"
    assert worker.ask(2, 60) == (2, ("a",))
    worker.stop()


def test_a_run_counts_its_calls() -> None:
    command = [sys.executable, str(ROOT / "tools" / "abuse.py"), "--only", "da.reshape", "--calls", "20"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT / "tests")
    assert re.fullmatch(
        r"abuse: \d+ calls of 1 callables, 0 crashes, 0 hangs, 0 bare answers", done.stdout.splitlines()[-1]
    )
    assert done.returncode == 0


def test_memory_of_the_calls_before_is_not_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """A child ended by its memory is asked again from that call on; one that made no other call has found something."""
    import abuse
    from abusing.serve import Answer

    options = abuse.parse(["--only", "f"])
    for again, found in ((Answer(7, []), 0), (Died("memory", "too much"), 1)):
        answers, asked = [Answer(10, []), Died("memory", "too much"), again, Answer(6, [])], []
        lists: dict[str, list[str]] = {"crashes": [], "hangs": [], "bare answers": []}
        counts: Counter[str] = Counter()
        batch = abuse.Batch(options, lists, counts)

        def ask(request: Any, timeout: float, batch: Any = batch, answers: Any = answers, asked: Any = asked) -> Any:
            asked.append(request[::3])
            Path(batch.progress.name).write_text("3\nf(3)\n\0" if request[0] == "f" else "")
            return answers.pop(0)

        monkeypatch.setattr(batch.worker, "ask", ask)
        batch._call("e")
        batch._call("f")
        assert asked[:3] == [("e", 0), ("f", 0), ("f", 3)]
        assert len(lists["crashes"]) == found
        assert counts["calls"] == 10 + 3 + (7 if not found else 1 + 6)
