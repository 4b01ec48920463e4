"""What work-groups of one launch need to hand data to each other: device-wide fences and atomic counters."""

from __future__ import annotations

from collections.abc import Sequence

from devarray.codegen.kernels.launches import indent
from devarray.codegen.language.dialect import Dialect

__all__ = ["cooperation", "last_group"]

# CUDA's fence is cumulative: behind a barrier, that of one work-item stands for all of its group.
_CUDA = """\
#define DEVICE_FENCE __threadfence()
#define GROUP_FENCE
FN i32 arrive(GLOBAL char* p)
{
  __threadfence();
  const i32 count = atomicAdd((i32*)p, 1);
  __threadfence();
  return count;
}
#define COUNT_UP(p) atomicAdd((i32*)(p), 1)
#define RAISE_FLAG(p, x) atomicMax((i32*)(p), (i32)(x))
"""

# OpenCL C 1.2 orders memory within a work-group only; 2.0 has a fence of device scope, NVIDIA's compiler takes PTX.
_OPENCL = """\
#if __OPENCL_C_VERSION__ >= 200 && __OPENCL_C_VERSION__ < 300
#define DEVICE_FENCE atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device)
#else
#define DEVICE_FENCE mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif
"""
_NVIDIA = '#define DEVICE_FENCE asm volatile("membar.gl;" ::: "memory")\n'
_ATOMICS = """\
#define GROUP_FENCE DEVICE_FENCE
#define arrive(p) COUNT_UP(p)
#define COUNT_UP(p) atomic_inc((volatile global i32*)(p))
#define RAISE_FLAG(p, x) atomic_max((volatile global i32*)(p), (i32)(x))
"""


def cooperation(dialect: Dialect) -> str:
    """Definitions of `DEVICE_FENCE`, `COUNT_UP(p)` (returns the old count) and `RAISE_FLAG(p, x)` (a maximum).

    Groups hand on what they wrote by `GROUP_FENCE`, a barrier, and `arrive(p)` of one work-item, which counts; and
    take over what others wrote behind `arrive`, a barrier, and `GROUP_FENCE`.
    """
    if dialect.driver == "cuda":
        return _CUDA
    nvidia = "NVIDIA" in str(dialect.caps.get("vendor", "")).upper()
    return (_NVIDIA if nvidia else _OPENCL) + _ATOMICS


def last_group(
    counters: int, partial: Sequence[str], final: Sequence[str], part: str = "GROUP_ID(1)", *, alone: bool = False
) -> list[str]:
    """Statements of groups that share results: each writes a partial one, the last to come merges all of them.

    Parameters
    ----------
    counters : int
        The number of the memory argument with the counters, one for each value of `GROUP_ID(0)`.
    partial : sequence of str
        What lane 0 does in each group, the number of which is `part`.
    final : sequence of str
        What the last group of `parts` does.
    part : str
        The number of a group's part.
    alone : bool
        Whether work-item 0 is the only one that is a lane 0: it counts its group without waiting for the others.
    """
    written = [f"  const i64 part = {part};", *indent(partial)]
    counted = [  # sets it back here: after the stores, PoCL 5 and 6 lost the results
        "  is_last = arrive(counter) == parts - 1;",
        "  if (is_last) *(GLOBAL i32*)counter = 0;",
    ]
    if alone:
        lines = ["if (lid == 0) {", *written, "  GROUP_FENCE;", *counted, "}"]
    else:
        lines = ["if (lane == 0) {", *written, "}", "GROUP_FENCE;", "BARRIER;", "if (lid == 0) {", *counted, "}"]
    return [
        "const i64 parts = GROUPS(1);",
        "LOCAL i32 is_last;",
        f"GLOBAL char* counter = m{counters} + GROUP_ID(0) * 4;",
        *lines,
        "BARRIER;",
        "if (is_last) {",
        "  GROUP_FENCE;",
        *indent(final),
        "}",
    ]
