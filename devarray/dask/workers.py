"""Who runs a task of Dask: threads, or at once the one that schedules.

Most tasks on devices only enqueue work and take a fraction of a millisecond. Given to another thread, such a task takes
several times as long: the threads wait for one another and for Python's lock. What waits (for a file, a device, a
compiler) is what threads are for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from dask.utils import key_split

__all__ = ["Habits", "Workers"]

_QUICK_SECONDS = 1e-3
_WAITING_SECONDS = 0.3e-3  # of a task that a thread runs alone: neither computing nor done
_TRIED_AGAIN = 16  # tasks of a kind that were given to threads

Batch = list[tuple[Any, ...]]


@dataclass
class _Habit:
    quick: bool
    given: int = 0  # to threads, since one was tried


class Habits:
    """Which tasks only enqueue work: those of a name, by what the last one took.

    Parameters
    ----------
    works_on_devices : callable
        Whether there is a device array in what it is given: a task and its operands.
    """

    def __init__(self, works_on_devices: Callable[[Any], bool]) -> None:
        self._on_devices = works_on_devices
        self._known: dict[str, _Habit] = {}

    def is_quick(self, key: Any, task: Any, operands: Mapping[Any, Any]) -> bool:
        """Whether the task is to be run at once. Of an unknown one: whether it has operands on devices.

        Parameters
        ----------
        key : object
            Of the task.
        task : object
            The task, into which Dask may have fused chunks.
        operands : mapping
            What else it is given.

        Returns
        -------
        bool
            What was seen of tasks of its name; now and then those that took long are tried again, since a kernel is
            compiled but once.
        """
        name = key_split(key)
        habit = self._known.get(name)
        if habit is None:
            habit = self._known[name] = _Habit(self._on_devices([task, *operands.values()]))
        if habit.quick:
            return True
        habit.given += 1
        if habit.given < _TRIED_AGAIN:
            return False
        habit.given = 0
        return True

    def note(self, key: Any, seconds: float, waited: float) -> None:
        """Remember what a task took.

        Parameters
        ----------
        key : object
            Of the task.
        seconds : float
            From its begin to its end.
        waited : float
            Of these, those in which its thread did nothing.
        """
        self._known[key_split(key)].quick = seconds < _QUICK_SECONDS and waited < _WAITING_SECONDS


class Workers:
    """What Dask's ``threaded.get`` takes as its pool: threads, and the thread that asks for tasks that are quick.

    Parameters
    ----------
    threads : concurrent.futures.ThreadPoolExecutor
        For the others.
    count : int
        How many tasks run at once.
    habits : Habits
        Which are quick.
    """

    def __init__(self, threads: ThreadPoolExecutor, count: int, habits: Habits) -> None:
        self._threads, self._habits = threads, habits
        self._max_workers = count

    def submit(self, run: Callable[[Batch], Any], batch: Batch) -> Future[Any]:
        """Run a batch of tasks.

        Parameters
        ----------
        run : callable
            Of Dask.
        batch : list
            Of tuples, which begin with the task's key, and the task and what it depends on.

        Returns
        -------
        concurrent.futures.Future
            The results, done where the tasks were quick.
        """
        quick = [self._habits.is_quick(key, task, values) for key, (task, values), *_ in batch]
        if not all(quick):
            return self._threads.submit(self._timed, run, batch)
        done: Future[Any] = Future()
        try:
            begin = time.thread_time()
            seconds, found = self._run(run, batch)
            self._note(batch, seconds, seconds - (time.thread_time() - begin))
            done.set_result(found)
        except BaseException as error:  # as a pool hands it on
            done.set_exception(error)
        return done

    def _timed(self, run: Callable[[Batch], Any], batch: Batch) -> Any:
        seconds, found = self._run(run, batch)
        self._note(batch, seconds, 0.0)  # in threads beside others a task also waits for Python's lock
        return found

    def _run(self, run: Callable[[Batch], Any], batch: Batch) -> tuple[float, Any]:
        begin = time.perf_counter()
        found = run(batch)
        return time.perf_counter() - begin, found

    def _note(self, batch: Batch, seconds: float, waited: float) -> None:
        for key, *_ in batch:
            self._habits.note(key, seconds / len(batch), waited / len(batch))
