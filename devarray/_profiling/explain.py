"""What evaluation will do: ``devarray.explain(x)``, the pending graph, its kernels and why it is cut into them."""

from __future__ import annotations

import html
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from devarray import _core
from devarray._profiling.plan import PlannedKernel, Value, counted, size_text
from devarray._profiling.profile import Line
from devarray._runtime.devices import Device
from devarray.array import Array

__all__ = ["Explanation", "explain"]

_LIMITS = {
    "nodes": "operations (those of long code count four times)",
    "leaves": "arrays to read",
    "scalars": "scalars",
    "extra_outputs": "values to write beside the result",
    "live_bytes": "bytes of an element to keep between operations",
    "parameter_bytes": "bytes of arguments",
}
_SHOWN = 24  # operations of a kernel that the text shows


class Explanation:
    """What :func:`explain` gives; ``print()`` shows it, notebooks draw it.

    Attributes
    ----------
    value : Value
        What was asked for.
    pending : bool
        Whether it is not evaluated yet. Else there is nothing to launch.
    device : Device
        Where it is.
    values : tuple of Value
        Of the whole pending graph: inputs before what reads them.
    kernels : tuple of PlannedKernel
        In the order of their launches.
    stays_pending : tuple of Value
        Operations that were recorded and are not evaluated with it.
    """

    def __init__(self, array: Array) -> None:
        values, kernels, result = _core.plan(array)
        self.values = _named(values)
        self.value = self.values[result]
        self.device: Device = array.device
        self.pending = self.value.kind == "operation"
        self.kernels = tuple(_kernel(kernel, self.values, self.value) for kernel in kernels)
        evaluated = {id(value) for kernel in self.kernels for value in kernel.operations}
        again = {id(value) for kernel in self.kernels for value in kernel.recomputed}
        self.stays_pending = tuple(
            value for value in self.values
            if value.kind == "operation" and (id(value) not in evaluated or id(value) in again) and value.nbytes
        )  # fmt: skip

    @property
    def launches(self) -> int:
        """The number of kernels that are launched: all but those that the host does itself."""
        return sum(not kernel.on_host for kernel in self.kernels)

    @property
    def read(self) -> int:
        """Bytes that the kernels read."""
        return sum(kernel.read for kernel in self.kernels)

    @property
    def written(self) -> int:
        """Bytes that the kernels write."""
        return sum(kernel.written for kernel in self.kernels)

    @property
    def bytes(self) -> int:
        """Read and written."""
        return self.read + self.written

    def text(self, operations: int = _SHOWN) -> str:
        """The graph and its kernels as text.

        Parameters
        ----------
        operations : int
            Operations and arrays of a kernel that are listed; the rest is counted. 24 by default.

        Returns
        -------
        str

        Examples
        --------
        >>> import devarray as da
        >>> x = da.ones(1000, dtype="float32").evaluate()
        >>> print(da.explain(da.sqrt(x * x + 1)).text())
        float32 (1000,), pending: 1 kernel of 3 operations, 4.00 kB to read, 4.00 kB to write
        <BLANKLINE>
        kernel 1: multiply add sqrt, over 1000 elements
          ends here: it is what is asked for
          reads   a: float32 (1000,), 4.00 kB
          v1 = multiply(a, a)
          v2 = add(v1, 1)
          v3 = sqrt(v2)
          writes  v3, 4.00 kB: what is asked for
        """
        blocks = ["\n".join(self._kernel_lines(n, kernel, operations)) for n, kernel in enumerate(self.kernels, 1)]
        if self.stays_pending:
            names = ", ".join(value.name for value in self.stays_pending[:8])
            more = len(self.stays_pending) - 8
            blocks.append(f"stays pending: {names}{f' and {more} more' if more > 0 else ''}")
        return "\n\n".join([self.summary, *blocks])

    @property
    def summary(self) -> str:
        """The first line of the text."""
        what = f"{self.value.dtype} {self.value.shape}"
        if not self.pending:
            return f"{what}, in memory: nothing to run"
        count = sum(len(kernel.operations) for kernel in self.kernels)
        work = f"{counted(len(self.kernels), 'kernel')} of {counted(count, 'operation')}"
        return f"{what}, pending: {work}, {size_text(self.read)} to read, {size_text(self.written)} to write"

    def _kernel_lines(self, number: int, kernel: PlannedKernel, operations: int) -> list[str]:
        place = ", by the host itself" if kernel.on_host else ""
        lines = [f"kernel {number}: {kernel.name}, over {counted(kernel.elements, 'element')}{place}"]
        lines.append(f"  ends here: {kernel.why}")
        for value, read in list(zip(kernel.inputs, kernel.input_bytes, strict=True))[:operations]:
            lines.append(f"  reads   {value.text if value.kind == 'array' else value.name}, {size_text(read)}")
        if len(kernel.inputs) > operations:
            rest = size_text(sum(kernel.input_bytes[operations:]))
            lines.append(f"  ... {len(kernel.inputs) - operations} more, {rest}")
        listed = kernel.operations[:operations]
        width = min(max((len(value.text) for value in listed), default=0), 48)
        for value in listed:
            line = f"  {value.line}  {value.line.text}" if value.line else ""
            lines.append(f"  {value.text:<{width}}{line}".rstrip())
        if len(kernel.operations) > operations:
            lines.append(f"  ... {len(kernel.operations) - operations} more operations")
        lines += [f"  writes  {value.name}, {size_text(value.nbytes)}: {self._purpose(kernel, value)}"
                  for value in kernel.outputs]  # fmt: skip
        lines += [f"  not stored  {value.name}: it is computed again where it is needed" for value in kernel.recomputed]
        return lines

    def _purpose(self, kernel: PlannedKernel, value: Value) -> str:
        why = "what is asked for" if value is self.value else "an array has it" if value.held else "read later"
        taken = value in kernel.donated
        return f"{why}, in the place of an input that nothing else needs" if taken else why

    def svg(self) -> str:
        """The picture, as the text of an SVG file.

        Returns
        -------
        str

        Examples
        --------
        >>> import devarray as da
        >>> da.explain(da.ones(3) + 1).svg()[:4]
        '<svg'
        """
        from devarray._profiling.graph_picture import draw

        return draw(self.summary, self.kernels, len(self.stays_pending))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to an SVG file.

        Parameters
        ----------
        path : path
            Of the file.

        Examples
        --------
        >>> import tempfile, devarray as da
        >>> da.explain(da.ones(3) + 1).save(tempfile.mktemp(suffix=".svg"))
        """
        Path(path).write_text(self.svg(), encoding="utf-8")

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<devarray.Explanation: {self.summary}>"

    def _repr_svg_(self) -> str:
        return self.svg()

    def _repr_html_(self) -> str:
        return f"{self.svg()}<details><summary>as text</summary><pre>{html.escape(self.text())}</pre></details>"


def explain(x: Array) -> Explanation:
    """Show what evaluating an array will do, without doing it.

    The plan is that of evaluation itself, made on a copy of the pending graph: nothing is launched, allocated, compiled
    or counted, and the array stays pending. What a kernel's ``registers`` and ``local_bytes`` ask for is compiled.

    Parameters
    ----------
    x : Array
        Pending, or evaluated: then there are no kernels.

    Returns
    -------
    Explanation
        ``print()`` gives the text, ``svg()`` and notebooks the picture; ``kernels`` has the kernels with their
        ``source``, ``operations``, ``inputs``, ``outputs``, bytes, and ``why`` the graph is cut there.

    Raises
    ------
    DTypeError
        Where `x` is nothing that makes an array.

    Examples
    --------
    >>> import devarray as da
    >>> x = da.ones((1000, 3)).evaluate()
    >>> y = da.exp(x) * da.exp(da.sin(x[0]) + 1)
    >>> plan = da.explain(y)
    >>> [kernel.name for kernel in plan.kernels], plan.launches
    (['sin add exp', 'exp multiply'], 2)
    >>> plan.kernels[0].why
    'its value of shape (3,) is repeated over what reads it, and is computed once'
    >>> y.pending
    True
    """
    return Explanation(x)


def _letters(number: int) -> str:
    """a ... z, aa, ab ..."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("a") + rest) + text
    return text


def _named(entries: Sequence[tuple[Any, ...]]) -> tuple[Value, ...]:
    lines = [Line(*entry) for entry in _core.profile_lines()]
    values: list[Value] = []
    count = Counter[str]()
    for kind, operation, dtype, shape, inputs, scalar, owners, line, _ in entries:
        name = repr(scalar) if kind == "scalar" else f"v{count[kind] + 1}"
        if kind == "array":
            name = _letters(count[kind])
        count[kind] += 1
        at = lines[line - 1] if line else None
        operands = tuple(values[i] for i in inputs)
        values.append(Value(name, kind, operation, dtype, shape, operands, scalar, owners > 0, at))
    return tuple(values)


def _kernel(entry: tuple[Any, ...], values: Sequence[Value], result: Value) -> PlannedKernel:
    device, name, spec, sizes, operations, inputs, read_of, outputs, not_stored, read, written, reason, on_host = entry

    def some(numbers: Sequence[int]) -> tuple[Value, ...]:
        return tuple(values[i] for i in numbers)

    written_values = some([output[0] for output in outputs])
    return PlannedKernel(
        device, name, sizes, spec["mode"], some(operations), some(inputs), read_of, written_values,
        some([output[0] for output in outputs if output[2]]), some(not_stored), read, written,
        _why(reason, written_values, result), on_host, spec,
    )  # fmt: skip


def _why(reason: tuple[Any, ...], outputs: Sequence[Value], result: Value) -> str:
    kind, (limit, wanted, most), connected, fitting, taken, (next_limit, *_), cost, cost_of_longest = reason
    if kind == "shape":
        return f"its value of shape {outputs[-1].shape} is repeated over what reads it, and is computed once"
    if kind == "whole":
        return "values in it are read by others, too: one kernel takes all that share them"
    if kind != "limit":
        return "it is what is asked for"
    over = f"{wanted} {_LIMITS[limit]} are more than the {most} of a kernel" if limit in _LIMITS else "no room is left"
    if taken == connected:
        return f"{over}; this is the rest of them" if any(value is result for value in outputs) else over
    first = f"of {connected} operations the first {fitting} fit"
    if next_limit in _LIMITS:
        first += f" ({_LIMITS[next_limit]})"
    if taken == fitting:
        return f"{over}; {first}"
    cheaper = f"after {taken} the fewest bytes cross, {cost:.3g} instead of {cost_of_longest:.3g} an operation"
    return f"{over}; {first}, and {cheaper} and element"
