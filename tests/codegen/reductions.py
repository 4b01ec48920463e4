"""Plain reduction kernels, run on host arrays."""

from __future__ import annotations

from copy import copy
from math import prod

import numpy as np
from launching import run
from runtimes import Runtime

from devarray.codegen.kernels.reduction import ReductionSpec, accumulator_dtype, partial_bytes, render
from devarray.codegen.language.dialect import dialect_for

ROW = {"layout": "row", "outs": 1, "lanes": 16, "tile": 1, "unroll": 4, "pack": 1}


def spec_for(op: str, dtype: str, nkept: int, nreduced: int, access: str = "unit", **geometry: object) -> ReductionSpec:
    """The plain reduction of one leaf."""
    acc = accumulator_dtype(op, dtype)
    result = {"min": dtype, "max": dtype, "argmin": "int64", "argmax": "int64"}.get(op, acc)
    if dtype == "float16" and op in ("sum", "prod"):
        result = "float16"
    choice = {**ROW, "flat": False, "wide": True, "split": False, "vectors": False, **geometry}
    return ReductionSpec(
        nkept=nkept, nreduced=nreduced, leaves=((dtype, access),), scalars=(), nodes=(), outputs=(), op=op,
        acc_dtype=acc, value=0, post_scalars=(), post=(), result=(0, result), **choice,
    )  # fmt: skip


class Problem:
    """Arrays that share a space whose dims are kept, then reduced."""

    def __init__(self, spec: ReductionSpec, arrays: list[np.ndarray], scalars: list[int] | None = None) -> None:
        self.spec, self.arrays, self.scalars = spec, arrays, scalars or []
        shape = arrays[0].shape
        self.kept, self.reduced = shape[: spec.nkept], shape[spec.nkept :]

    def run(self, runtime: Runtime, parts: int = 1) -> tuple[np.ndarray, list[np.ndarray]]:
        """The result, and the extra outputs."""
        spec = self.spec
        buffers, slots = [], [*self.kept, *self.reduced]
        operands = zip(self.arrays, (access for _, access in spec.leaves), strict=True)
        for array, access in operands:
            base, offset = _buffer(array)
            buffers.append(base)
            slots += [offset, *(array.strides if access != "uniform" else ())]
        extras = [np.zeros(self.kept + self.reduced, dtype) for _, dtype, _ in spec.outputs]
        for extra in extras:
            buffers.append(extra)
            slots += [0, *extra.strides]
        result = np.zeros(self.kept, spec.result[1])
        slots += [0, *result.strides, *self.scalars]
        if spec.layout == "row":
            groups = -(-prod(self.kept) // spec.outs)
        else:
            groups = -(-self.kept[-1] // (spec.outs * spec.tile)) * prod(self.kept[:-1])
        memory = [*buffers, result]
        if spec.split:
            chunk = max(1, -(-prod(self.reduced) // parts))
            parts = max(1, -(-prod(self.reduced) // chunk))
            slots.append(chunk)
            scratch = groups * parts * spec.outs * spec.tile * partial_bytes(spec.op, spec.acc_dtype)
            memory += [np.zeros(scratch, np.uint8), np.zeros(groups, np.int32)]
        run(
            runtime,
            render(spec, runtime.dialect),
            "k",
            memory,
            slots,
            (groups, parts),
            1 if spec.vectors else spec.outs * spec.lanes,
        )
        if spec.split:
            assert not memory[-1].any(), "the counters were not set back"
        return result, extras


def _buffer(array: np.ndarray) -> tuple[np.ndarray, int]:
    """The bytes that an array lies in, and its offset there."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    data = np.ascontiguousarray(base.T if base.flags.f_contiguous else base).reshape(-1).view(np.uint8)
    offset = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return data if data.size else np.zeros(1, np.uint8), offset


def on_gpus(runtime: Runtime) -> Runtime:
    """The same device, with the texts that GPUs get."""
    gpu = copy(runtime)
    gpu.dialect = dialect_for("opencl", {**runtime.dialect.caps, "strategy": "gpu"})
    return gpu
