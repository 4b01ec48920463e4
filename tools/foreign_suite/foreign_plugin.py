"""The pytest plugin: puts the stand-in in place, and writes a line of JSON for each test.

A line has the test's name, its outcome, the first line of its error, and whether any array of the device took part.
"""

from __future__ import annotations

import builtins
import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
import standin

builtins.__foreign__ = standin  # type: ignore[attr-defined]
if "FOREIGN_CUPY" in os.environ:
    import cupy_side

    cupy_side.put_in_place(os.environ["FOREIGN_CUPY"])

NOT_OURS = re.compile(
    r"cannot live on a device|dtype object|dtype\('O'\)|dtype [<|>=]?[US]\d*|longdouble|clongdouble|float128|"
    r"complex256|not a type that devices"
)
"""Errors that say that a dtype has no place on devices: objects, texts, extended precision."""

_out = open(os.environ["FOREIGN_RESULTS"], "a", buffering=1)  # noqa: SIM115 - open as long as the process


def _uses() -> tuple[int, ...]:
    if standin.SIDE != "devarray":
        return ()
    import devarray as da

    seen = da.stats()
    keys = ("recorded", "launches", "host_runs", "transfers_to_device", "transfers_to_host")
    return tuple(seen[key] for key in keys)


def _is_given_arrays(item: Any) -> bool:
    """Whether a parameter of the test is an array of the device, made where the file was imported."""
    if standin.SIDE != "devarray":
        return False
    import devarray as da

    parameters = getattr(getattr(item, "callspec", None), "params", {})
    return any(isinstance(value, da.Array | da.OpaqueArray) for value in parameters.values())


def pytest_configure(config: pytest.Config) -> None:
    for marker in ("slow", "leaks_references", "parametrize", "thread_unsafe", "usefixtures"):
        config.addinivalue_line("markers", f"{marker}: NumPy's")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    del items[: int(os.environ.get("FOREIGN_BEHIND", "0"))]  # those that processes before this one began


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: Any, nextitem: Any) -> Iterator[None]:
    _out.write(json.dumps({"start": item.nodeid}) + "\n")
    item.foreign_uses = _uses()
    item.foreign_made = standin.made_on_host
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Iterator[Any]:
    report = yield
    if report.when == "call" or (report.when == "setup" and not report.passed):
        error, line = call.excinfo, ""
        if error is not None:
            line = f"{error.typename}: {error.value}"[:1500]
        outcome = report.outcome
        if hasattr(report, "wasxfail"):
            outcome = "skipped"
        if outcome == "failed" and (NOT_OURS.search(line) or standin.made_on_host > item.foreign_made):
            outcome = "unusable"
        row = {"id": item.nodeid, "outcome": outcome, "error": line}
        row["touched"] = _uses() != item.foreign_uses or _is_given_arrays(item)
        row["where"] = _where(error)
        _out.write(json.dumps(row) + "\n")
    return report


def _where(error: Any) -> str:
    """The last line of ours that the error passed."""
    if error is None:
        return ""
    ours = [entry for entry in error.traceback if "/devarray/" in str(entry.path)]
    return f"{str(ours[-1].path).split('/devarray/')[-1]}:{ours[-1].lineno + 1}" if ours else ""
