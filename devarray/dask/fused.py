"""Tasks that Dask made of several: their parts, one after the other.

Dask finds an order for all parts of such a task each time it runs, as for a graph of thousands. That takes longer than
to enqueue what the parts do on a device: here each part is run as soon as one behind it needs its value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from dask._task_spec import GraphNode, Task

__all__ = ["Placed", "run"]


class Placed(GraphNode):
    """A task that something else runs: ``threads.run(node, values)``.

    Parameters
    ----------
    node : dask._task_spec.GraphNode
        The task.
    threads : object
        What runs it.
    """

    __slots__ = ("node", "threads")

    def __init__(self, node: Any, threads: Any) -> None:
        self.key, self._dependencies = node.key, node.dependencies
        self.node, self.threads = node, threads

    def __call__(self, values: Any = ()) -> Any:
        """Run it.

        Parameters
        ----------
        values : mapping
            What it depends on.

        Returns
        -------
        object
            Its value.
        """
        return self.threads.run(self.node, dict(values))


def run(node: GraphNode, values: Mapping[Any, Any]) -> Any:
    """What a task computes, as ``node(values)``.

    Parameters
    ----------
    node : dask._task_spec.GraphNode
        The task.
    values : mapping
        What it depends on.

    Returns
    -------
    object
        Its value.
    """
    if not (isinstance(node, Task) and node.has_subgraph()):
        return node(values)
    made = node.copy()
    made.func = _last_of
    return made(values)


def _last_of(parts: Mapping[Any, GraphNode], last: Any, given: Sequence[Any], *operands: Any) -> Any:
    """The value of the part `last`; `given` names the `operands`. A value that no further part reads is dropped."""
    values = dict(zip(given, operands, strict=True))
    reads = Counter(key for part in parts.values() for key in part.dependencies)
    waiting = [last]
    while waiting:
        part = parts[waiting[-1]] if waiting[-1] not in values else None
        missing = [key for key in part.dependencies if key not in values] if part is not None else []
        if missing:
            waiting += missing
            continue
        key = waiting.pop()
        if part is None:
            continue
        values[key] = run(part, values)
        for read in part.dependencies:
            reads[read] -= 1
            if not reads[read]:
                del values[read]
    return values[last]
