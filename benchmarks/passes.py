"""One pass over memory, by hand-written kernels: what the budgets of docs/design.md count in."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import devarray as da
from devarray import compiler

__all__ = ["empty_launch", "memory_pass"]

_GROUP = 256
_CHUNKS = 4  # of 16 bytes, for each work-item of a GPU that only reads
_STRIP = 64  # vectors of 16 floats, one work-item's on a CPU, in the second of its variants
_NEVER = "-1.0f"  # the arrays hold numbers from 0 to 1


@dataclass(frozen=True)
class _Variant:
    """One way to write the pass: the kernel's body, and the elements that a work-group and its items handle."""

    body: str
    local: int
    per_group: int
    unit: int  # elements that slot 0 counts in
    guarded: bool = True  # whether items beyond the end do nothing


def _operands(reads: int, ctype: str) -> tuple[list[str], str]:
    """Typed pointers to the arrays that are read, and to the one that is written."""
    pointers = [f"((GLOBAL {'const ' * (i < reads)}{ctype}*)(m{i} + s.v[{i + 1}]))" for i in range(reads + 1)]
    return pointers[:-1], pointers[-1]


def _element(device: da.Device, reads: int, writes: int) -> _Variant:
    """A CPU's work-item does one element; the compiler makes vectors of neighbours."""
    inputs, out = _operands(reads, "f32")
    value = " + ".join(f"{pointer}[i]" for pointer in inputs) or "1.0f"
    store = f"{out}[i] = {value};" if writes else f"if ({value} == {_NEVER}) {out}[0] = 1.0f;"
    local = min(4096, device.caps["max_work_group_size"])
    return _Variant(f"  const i64 i = GLOBAL_ID(0);\n  if (i < s.v[0]) {{ {store} }}", local, local, 1)


def _strip(device: da.Device, reads: int, writes: int) -> _Variant:
    """A CPU's work-item does a strip by explicit vectors. What is left over behind the last strip is left out."""
    inputs, out = _operands(reads, "f32x16")
    value = " + ".join(f"{pointer}[i]" for pointer in inputs) or "(f32x16)(1.0f)"
    lines = [f"  const i64 first = GLOBAL_ID(0) * {_STRIP};", "  f32x16 total = (f32x16)(0.0f);"]
    lines.append(f"  for (i64 i = first; i < first + {_STRIP}; i++)")
    lines.append(f"    {f'{out}[i]' if writes else 'total'} {'=' if writes else '+='} {value};")
    if not writes:
        lines.append(f"  if (total.s0 + total.s7 == {_NEVER}) {out}[0] = total;")  # 64 bytes: the output has as many
    return _Variant("\n".join(lines), 1, 16 * _STRIP, 16, guarded=False)


def _chunked(device: da.Device, reads: int, writes: int) -> _Variant:
    """A GPU's work-item moves 16 bytes at a time, several times where it only reads."""
    lane = compiler.dialect(device).lane
    inputs, out = _operands(reads, "f32x4")
    chunks = 1 if writes else _CHUNKS
    lines = [f"  const i64 first = GROUP_ID(0) * {_GROUP * chunks} + LOCAL_ID(0);", "  f32 total = 0;"]
    for chunk in range(chunks):
        lines.append(f"  {{ const i64 i = first + {chunk * _GROUP}; if (i < s.v[0]) {{")
        lines += [f"    const f32x4 v{i} = {pointer}[i];" for i, pointer in enumerate(inputs)]
        sums = [" + ".join(f"v{i}.{lane(part)}" for i in range(reads)) or "1.0f" for part in range(4)]
        if writes:
            lines.append("    f32x4 r;")
            lines += [f"    r.{lane(part)} = {text};" for part, text in enumerate(sums)]
            lines.append(f"    {out}[i] = r;")
        else:
            lines.append(f"    total += {' + '.join(sums)};")
        lines.append("  } }")
    if not writes:
        lines.append(f"  if (total == {_NEVER}) {out}[0].{lane(0)} = total;")
    return _Variant("\n".join(lines), _GROUP, 4 * _GROUP * chunks, 4)


def memory_pass(device: da.Device, elements: int, reads: int, writes: int) -> Callable[[], None]:
    """A function that enqueues one pass: read so many float32 arrays, write so many (0 or 1).

    Where a pass can be written in several ways, it is the way that is fastest on the device.
    """
    arrays = [da.full(elements, 0.25, dtype=np.float32) for _ in range(reads)]
    arrays.append(da.empty(elements if writes else 16, dtype=np.float32))
    offsets = [da._core.byte_offset(x) for x in arrays]
    dialect = compiler.dialect(device)

    def enqueuer(variant: _Variant) -> Callable[[], None]:
        source = dialect.program(dialect.kernel("k", "r" * reads + "w", reads + 2, variant.body))
        kernel = compiler.get(device, source)
        groups = -(-elements // variant.per_group) if variant.guarded else elements // variant.per_group
        slots = (elements // variant.unit, *offsets)
        return lambda: da._core.launch(kernel, (groups,), (variant.local,), arrays, slots, 1 << reads)

    def seconds(enqueue: Callable[[], None]) -> float:
        times = []
        for _ in range(4):
            begin = time.perf_counter()
            enqueue()
            device.default_queue.finish()
            times.append(time.perf_counter() - begin)
        return min(times)

    makers = (_element, _strip) if device.type == "cpu" else (_chunked,)
    return min((enqueuer(make(device, reads, writes)) for make in makers), key=seconds)


def empty_launch(device: da.Device) -> Callable[[], None]:
    """A function that enqueues a kernel that does nothing, of three arrays."""
    dialect = compiler.dialect(device)
    kernel = compiler.get(device, dialect.program(dialect.kernel("k", "rrw", 4, "")))
    arrays = [da.empty(16, dtype=np.float32) for _ in range(3)]
    launch = da._core.launch

    def enqueue() -> None:
        launch(kernel, (1,), (16,), arrays, (0, 0, 0, 0), 4)

    return enqueue
