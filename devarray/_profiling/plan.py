"""What a plan of evaluation consists of: the values of a pending graph, and kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from devarray._profiling.profile import Line
from devarray._runtime import compiler
from devarray._runtime.devices import Device

__all__ = ["PlannedKernel", "Value", "counted", "size_text"]


@dataclass(frozen=True)
class Value:
    """A value of the pending graph.

    Attributes
    ----------
    name : str
        As the text and the picture have it: ``"a"`` for an array in memory, ``"v1"`` for an operation.
    kind : {"array", "scalar", "operation"}
    operation : str
        Its name, ``"add"``; empty for the others.
    dtype : numpy.dtype
    shape : tuple of int
    inputs : tuple of Value
        What the operation reads.
    scalar : bool, int, float, complex or None
        Of a scalar, its value.
    held : bool
        Whether an array of the program has it.
    line : Line or None
        Of the program, which recorded the operation; None where no lines are kept (``DEVARRAY_DEBUG=1`` keeps them).
    """

    name: str
    kind: str
    operation: str
    dtype: np.dtype
    shape: tuple[int, ...]
    inputs: tuple[Value, ...] = field(repr=False)
    scalar: Any
    held: bool
    line: Line | None

    @property
    def nbytes(self) -> int:
        """Bytes that it takes in memory."""
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    @property
    def text(self) -> str:
        """``"v2 = add(v1, 1)"``; of an array its dtype and shape."""
        if self.kind == "scalar":
            return self.name
        if self.kind == "array":
            return f"{self.name}: {self.dtype} {self.shape}"
        return f"{self.name} = {self.operation}({', '.join(value.name for value in self.inputs)})"


@dataclass(frozen=True)
class PlannedKernel:
    """A kernel that evaluation would launch.

    Attributes
    ----------
    device : Device
        What it runs on.
    name : str
        Its operations, as a profile names them: ``"add multiply*3"``.
    sizes : tuple of int
        What it iterates over, after axes were joined.
    mode : {"linear", "rows", "flat", "tiles"}
        How it walks them.
    operations : tuple of Value
        In order.
    inputs : tuple of Value
        Arrays that it reads: those in memory, and what kernels before it stored.
    input_bytes : tuple of int
        Bytes that it reads of each.
    outputs : tuple of Value
        What it writes.
    donated : tuple of Value
        Outputs that take the place of an input which nothing else needs.
    recomputed : tuple of Value
        Values that others still need, and that are not written, since it costs less to compute them again.
    read, written : int
        Bytes, each element once, as ``devarray.profile()`` counts them.
    why : str
        Why the graph is cut here.
    on_host : bool
        Whether the calling thread of a CPU device does it without a launch, since it is small and nothing else is under
        way (``config.host_elements``).
    """

    device: Device
    name: str
    sizes: tuple[int, ...]
    mode: str
    operations: tuple[Value, ...] = field(repr=False)
    inputs: tuple[Value, ...] = field(repr=False)
    input_bytes: tuple[int, ...] = field(repr=False)
    outputs: tuple[Value, ...] = field(repr=False)
    donated: tuple[Value, ...] = field(repr=False)
    recomputed: tuple[Value, ...] = field(repr=False)
    read: int
    written: int
    why: str
    on_host: bool
    _spec: dict[str, Any] = field(repr=False)

    @property
    def bytes(self) -> int:
        """Read and written."""
        return self.read + self.written

    @property
    def elements(self) -> int:
        """How many it computes."""
        return int(np.prod(self.sizes, dtype=np.int64))

    @property
    def source(self) -> str:
        """The source in the device's language. Nothing is compiled."""
        from devarray.codegen.kernels import elementwise
        from devarray.codegen.kernels.spec import ElementwiseSpec

        return elementwise.render(ElementwiseSpec(**self._spec), compiler.dialect(self.device))

    @property
    def registers(self) -> int | None:
        """Registers of a thread, where the driver says so (CUDA), else None. Compiles the kernel, or loads it."""
        found = getattr(self._kernel(), "num_regs", None)
        return None if found is None else int(found)

    @property
    def local_bytes(self) -> int | None:
        """Bytes of a work-item's own memory, into which registers overflow; None where the driver does not say.
        Compiles the kernel, or loads it."""
        kernel: Any = self._kernel()
        if hasattr(kernel, "local_size_bytes"):
            return int(kernel.local_size_bytes)
        from devarray.cl import kernel_work_group_info

        device: Any = self.device
        return int(kernel.get_work_group_info(kernel_work_group_info.PRIVATE_MEM_SIZE, device.cl_device))

    @property
    def work(self) -> str:
        """What it does, in a line of figures."""
        moved = f"{size_text(self.read)} to read, {size_text(self.written)} to write"
        return f"{counted(len(self.operations), 'operation')} over {counted(self.elements, 'element')}, {moved}"

    def _kernel(self) -> Any:
        return compiler.get(self.device, self.source)


def size_text(count: int) -> str:
    """A number of bytes for people: ``"1.50 MB"``."""
    for unit, factor in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:.2f} {unit}"
    return f"{count} B"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
