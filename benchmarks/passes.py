"""One pass over memory, by hand-written kernels: what the budgets of docs/design.md count in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import devarray as da
from devarray import compiler

__all__ = ["empty_launch", "memory_pass"]

_GROUP = 256
_CHUNKS = 4  # of 16 bytes, for each work-item of a GPU that only reads
_NEVER = "-1.0f"  # the arrays hold numbers from 0 to 1


def _cpu_source(dialect: object, reads: int, writes: int) -> str:
    terms = [f"((GLOBAL const f32*)(m{i} + s.v[{i + 1}]))[i]" for i in range(reads)]
    out = f"((GLOBAL f32*)(m{reads} + s.v[{reads + 1}]))"
    value = " + ".join(terms) or "1.0f"
    store = f"{out}[i] = {value};" if writes else f"if ({value} == {_NEVER}) {out}[0] = 1.0f;"
    body = f"  const i64 i = GLOBAL_ID(0);\n  if (i < s.v[0]) {{ {store} }}"
    return dialect.kernel("k", "r" * reads + "w", reads + 2, body)  # type: ignore[attr-defined]


def _gpu_source(dialect: object, reads: int, writes: int) -> str:
    chunks = 1 if writes else _CHUNKS
    lanes = [dialect.lane(i) for i in range(4)]  # type: ignore[attr-defined]
    lines = [f"  const i64 first = GROUP_ID(0) * {_GROUP * chunks} + LOCAL_ID(0);"]
    if not writes:
        lines.append("  f32 total = 0;")
    for chunk in range(chunks):
        lines.append(f"  {{ const i64 i = first + {chunk * _GROUP}; if (i < s.v[0]) {{")
        for i in range(reads):
            lines.append(f"    const f32x4 v{i} = ((GLOBAL const f32x4*)(m{i} + s.v[{i + 1}]))[i];")
        if writes:
            lines.append("    f32x4 r;")
            for lane in lanes:
                lines.append(f"    r.{lane} = {' + '.join(f'v{i}.{lane}' for i in range(reads)) or '1.0f'};")
            lines.append(f"    ((GLOBAL f32x4*)(m{reads} + s.v[{reads + 1}]))[i] = r;")
        else:
            lines.append(f"    total += {' + '.join(f'v{i}.{lane}' for i in range(reads) for lane in lanes)};")
        lines.append("  } }")
    if not writes:
        lines.append(f"  if (total == {_NEVER}) ((GLOBAL f32*)(m{reads} + s.v[{reads + 1}]))[0] = total;")
    return dialect.kernel("k", "r" * reads + "w", reads + 2, "\n".join(lines))  # type: ignore[attr-defined]


def memory_pass(device: da.Device, elements: int, reads: int, writes: int) -> Callable[[], None]:
    """A function that enqueues one pass: read so many float32 arrays, write so many (0 or 1)."""
    dialect = compiler.dialect(device)
    gpu = device.type != "cpu"
    source = (_gpu_source if gpu else _cpu_source)(dialect, reads, writes)
    kernel = compiler.get(device, dialect.program(source))
    arrays = [da.full(elements, 0.25, dtype=np.float32) for _ in range(reads)]
    arrays.append(da.empty(elements if writes else 16, dtype=np.float32))
    offsets = [da._core.byte_offset(x) for x in arrays]
    if gpu:
        count, local = elements // 4, _GROUP
        groups = -(-count // (_GROUP * (1 if writes else _CHUNKS)))
    else:
        count, local = elements, min(4096, device.caps["max_work_group_size"])
        groups = -(-count // local)

    def enqueue() -> None:
        da._core.launch(kernel, (groups,), (local,), arrays, (count, *offsets), 1 << reads)

    return enqueue


def empty_launch(device: da.Device) -> Callable[[], None]:
    """A function that enqueues a kernel that does nothing, of three arrays."""
    dialect = compiler.dialect(device)
    kernel = compiler.get(device, dialect.program(dialect.kernel("k", "rrw", 4, "")))
    arrays = [da.empty(16, dtype=np.float32) for _ in range(3)]
    launch = da._core.launch

    def enqueue() -> None:
        launch(kernel, (1,), (16,), arrays, (0, 0, 0, 0), 4)

    return enqueue
