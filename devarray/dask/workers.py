"""Who runs a task of Dask: threads, or at once the one that schedules.

Most tasks on devices only enqueue work and take a fraction of a millisecond. Given to another thread, such a task takes
several times as long: the threads wait for one another and for Python's lock. What waits (for a file, a device, a
compiler) is what threads are for.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from dask.sizeof import sizeof
from dask.utils import key_split

__all__ = ["Habit", "Habits", "Workers"]

_QUICK_SECONDS = 1e-3
_WAITING_SECONDS = 0.3e-3  # of a task that a thread runs alone: neither computing nor done
_FIRST_PATIENCE = 16
_ALIKE_BITS = 4  # operands of sizes up to 16 to 1 are about as large

Batch = list[tuple[Any, ...]]


@dataclass
class Habit:
    """Of tasks of one name, on operands of about one size."""

    quick: bool
    given: int = 0  # to threads, since one was tried
    patience: int = _FIRST_PATIENCE  # how many are given to threads until one is tried again

    def is_quick(self) -> bool:
        """Whether the next task is to be run at once.

        Returns
        -------
        bool
            What was seen. Those that took long are tried again, ever later, since a kernel is compiled but once.
        """
        if self.quick:
            return True
        self.given += 1
        if self.given < self.patience:
            return False
        self.given, self.patience = 0, 2 * self.patience
        return True

    def note(self, seconds: float, waited: float) -> None:
        """Remember what a task took.

        Parameters
        ----------
        seconds : float
            From its begin to its end.
        waited : float
            Of these, those in which its thread did nothing.
        """
        self.quick = seconds < _QUICK_SECONDS and waited < _WAITING_SECONDS


class Habits:
    """Which tasks only enqueue work: by their names and the size of their operands, and by what the last one took.

    Size counts: the QR of a small matrix only enqueues work, that of a tall one waits for what it finds on its way. Run
    by the thread that schedules, it would leave the other devices without work.

    Parameters
    ----------
    arrays_in : callable
        The device arrays in what it is given: a task and its operands.
    """

    def __init__(self, arrays_in: Callable[[Any], Sequence[Any]]) -> None:
        self._arrays_in = arrays_in
        self._known: dict[tuple[str, int], Habit] = {}

    def of(self, key: Any, task: Any, operands: Mapping[Any, Any]) -> Habit:
        """What is known of tasks like this one.

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
        Habit
            Of unknown ones: quick where they have operands on devices.
        """
        arrays = self._arrays_in([task, *operands.values()])
        largest = max((sizeof(x) for x in arrays), default=0)
        name = key_split(key), largest.bit_length() // _ALIKE_BITS
        found = self._known.get(name)
        if found is None:
            found = self._known[name] = Habit(bool(arrays))
        return found


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
        habits = [self._habits.of(key, task, values) for key, (task, values), *_ in batch]
        if not all(habit.is_quick() for habit in habits):
            return self._threads.submit(self._timed, run, batch, habits)
        done: Future[Any] = Future()
        try:
            begin = time.thread_time()
            seconds, found = self._run(run, batch)
            self._note(habits, seconds, seconds - (time.thread_time() - begin))
            done.set_result(found)
        except BaseException as error:  # as a pool hands it on
            done.set_exception(error)
        return done

    def _timed(self, run: Callable[[Batch], Any], batch: Batch, habits: Sequence[Habit]) -> Any:
        seconds, found = self._run(run, batch)
        self._note(habits, seconds, 0.0)  # in threads beside others a task also waits for Python's lock
        return found

    def _run(self, run: Callable[[Batch], Any], batch: Batch) -> tuple[float, Any]:
        begin = time.perf_counter()
        found = run(batch)
        return time.perf_counter() - begin, found

    def _note(self, habits: Sequence[Habit], seconds: float, waited: float) -> None:
        for habit in habits:
            habit.note(seconds / len(habits), waited / len(habits))
