"""devarray.dask.DeviceThreads for CuPy's chunks, so that cluster.py compares libraries and not schedulers."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import cupy
from dask import threaded
from dask._task_spec import DataNode, NestedContainer, Task

from devarray.dask.threads import block_indices, placed


class CupyThreads:
    """Dask's threads over several GPUs, for arrays of CuPy."""

    def __init__(self, numbers: list[int], threads_per_device: int = 2) -> None:
        self.numbers = numbers
        self.num_workers = threads_per_device * len(numbers)

    def __call__(self, dsk: Any, keys: Any, **kwargs: Any) -> Any:
        return threaded.get(placed(dsk, self), keys, num_workers=self.num_workers, **kwargs)

    def run(self, node: Any, values: Any) -> Any:
        """Run a task where most bytes of its operands lie, the others copied there."""
        held: Counter[int] = Counter()
        for x in found(list(values.values())):
            held[x.device.id] += x.nbytes
        most = max(held.values(), default=0)
        tied = [n for n in self.numbers if held[n] == most]
        with cupy.cuda.Device(tied[sum(block_indices(node.key)) % len(tied)]) as device:
            return here(node, device.id)({key: here(value, device.id) for key, value in values.items()})


def found(x: Any) -> list[Any]:
    """The arrays in a value."""
    if isinstance(x, cupy.ndarray):
        return [x]
    if isinstance(x, (list, tuple)):
        return [array for part in x for array in found(part)]
    return found(list(x.values())) if isinstance(x, dict) else []


def copied(x: Any) -> Any:
    """A copy on the current device, ordered behind the array's work and before that of its memory's next owner."""
    mine = cupy.cuda.get_current_stream()
    with x.device:
        theirs = cupy.cuda.get_current_stream()
        behind = theirs.record()
    mine.wait_event(behind)
    result = x.copy()
    done = mine.record()
    with x.device:
        theirs.wait_event(done)
    return result


def here(x: Any, number: int) -> Any:
    """A value, or a task, with its arrays on the current device."""
    if isinstance(x, cupy.ndarray):
        return x if x.device.id == number else copied(x)
    if isinstance(x, list):
        return [here(part, number) for part in x]
    if isinstance(x, tuple) and not hasattr(x, "_fields"):
        return tuple(here(part, number) for part in x)
    if isinstance(x, dict):
        return {key: here(part, number) for key, part in x.items()}
    if isinstance(x, partial):
        return partial(x.func, *here(x.args, number), **here(x.keywords, number))
    if isinstance(x, DataNode):
        return DataNode(x.key, here(x.value, number))
    if isinstance(x, Task) and not isinstance(x, NestedContainer):
        made = x.copy()
        made.func, made.args, made.kwargs = here(x.func, number), here(x.args, number), here(x.kwargs, number)
        return made
    return x
