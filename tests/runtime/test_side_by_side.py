"""Jobs that a caller has done in several threads."""

from __future__ import annotations

import threading

import pytest

from devarray._runtime.side_by_side import do_side_by_side


def test_jobs_run_at_the_same_time_and_the_caller_takes_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    meeting, threads = threading.Barrier(3, timeout=30), set()

    def job() -> None:
        threads.add(threading.get_ident())
        meeting.wait()

    do_side_by_side([job] * 6)
    assert len(threads) == 3
    assert threading.get_ident() in threads


def test_all_are_done_where_some_fail_and_the_first_error_is_raised() -> None:
    done = []

    def job(number: int) -> None:
        done.append(number)
        if number in (2, 4):
            raise ValueError(f"job {number}")

    with pytest.raises(ValueError, match="job 2"):
        do_side_by_side([lambda i=i: job(i) for i in range(7)])  # type: ignore[misc]
    assert sorted(done) == list(range(7))
    do_side_by_side([])
