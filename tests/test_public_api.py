"""The public names and their signatures are those of tests/public_api.txt: see tools/public_api.py."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import public_api  # noqa: E402


@pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="devarray.dask is public, and needs distributed"
)
def test_the_public_interface_is_the_one_that_is_written_down() -> None:
    written, here = public_api.PATH.read_text().splitlines(), list(public_api.lines())
    gone, new = sorted(set(written) - set(here)), sorted(set(here) - set(written))
    assert not gone, f"gone or changed: {gone[:20]}; if that is meant, run python tools/public_api.py write"
    assert not new, f"new: {new[:20]}; run python tools/public_api.py write"


def test_a_changed_default_is_another_line() -> None:
    def one(x: int, axis: int = 0) -> None: ...

    def two(x: float, axis: int = 1) -> None: ...

    assert public_api.signature_of(one) == "(x, axis=0)" != public_api.signature_of(two)
