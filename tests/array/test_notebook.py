"""What notebooks show of an array: nothing that waits, evaluates or moves much."""

from __future__ import annotations

import pytest

import devarray as da


def test_an_array_in_memory(device: da.Device) -> None:
    x = da.asarray([[1, 2], [3, 4]], dtype="i2").evaluate()
    da.synchronize()
    text = x._repr_html_()
    facts = ("(2, 2)", "int16", str(device), x.allocator.kind, "in memory", "[[1 2]\n [3 4]]")
    assert all(fact in text for fact in facts)


@pytest.mark.usefixtures("device", "deferred")
def test_a_pending_array_stays_pending() -> None:
    x = da.ones((3, 4)) + 1
    before = da.stats()
    text = x._repr_html_()
    assert "pending" in text and "<pre>" not in text
    assert x.pending and da.stats() == before


def test_many_values_are_not_fetched(device: da.Device) -> None:
    x = da.ones(10_000).evaluate()
    da.synchronize()
    before = da.stats()
    assert "80,000" in (text := x._repr_html_()) and "<pre>" not in text
    assert da.stats() == before


def test_nothing_is_fetched_where_waits_are_forbidden(device: da.Device, monkeypatch: pytest.MonkeyPatch) -> None:
    x = da.ones(3).evaluate()
    monkeypatch.setattr(da.config, "forbid_waits", True)
    assert "<pre>" not in x._repr_html_()
