"""Reductions: one kernel that evaluates an element-wise expression, accumulates it and finishes the result.

The iteration space has `nkept` kept and `nreduced` reduced dims, both outermost first. csrc/engine/reduce_plan.cpp
chooses the geometry; the kernel's contract with it is the following.

**Memory arguments**: leaves, extra outputs, result, and with `split` the partial results and the counters.
Extra outputs must not share memory with leaves: an element may be evaluated twice.

**Slots**: the kept sizes, the reduced sizes; for each leaf, then each extra output, its byte offset, followed (unless
its access is `uniform`) by its byte strides over the kept, then over the reduced dims; the result's byte offset and its
kept strides; the scalars of the absorbed expression; the scalars of the post expression; with `split` the number of
reduced elements for a group, which on GPUs is there in any case unless `wide`, and has in bit 32 whether the groups run
from the last one to the first.

**Groups**: of `outs * lanes` work-items. `outs` outputs lie side by side in a group, `lanes` work-items share each.

====== ============================================== =====================================================
layout dimension 0 of the launch                      inside a group
====== ============================================== =====================================================
row    ceil(outputs / outs) groups                    neighbouring work-items share an output
column ceil(inner / (outs * tile)) groups or more,    neighbouring work-items own neighbouring outputs of the
       inner being the last kept size, times the      last kept dim, and up to `tile` of them each, as many as
       number of outputs over the other kept dims     spread `inner` evenly over the groups (`tile > 1` needs
                                                      `inner >= outs`, and one lane on CPUs)
====== ============================================== =====================================================

Outputs of a work-item lie `outs` apart on CPUs, whose neighbouring work-items are one vector, and side by side on GPUs.
There, in row layout, `pack` of a lane's `unroll` accumulators take elements that lie side by side; those of the other
accumulators are `lanes` apart, or so many packs.

Dimension 1 counts the groups that share an output (1 unless `split`). Each writes a partial result; the last one to
count itself merges them and sets the counter back to 0, so that counters need to be cleared only once.

**Accesses** tell of the innermost reduced dim in row layout, of the innermost kept dim in column layout: `unit`, `row`
(stride 0), `strided`, or `uniform` (one element for all). On GPUs `fixed:` before one of the first three says that the
operand stays where it is along all reduced dims, so that it is loaded once for each output, and `packed:` before
`unit` that the elements which a work-item takes side by side, `pack` or `tile`, are aligned: one access loads them. The
order of the elements does not depend on it.

**Accuracy of float and complex sums**: a lane adds at most 16 elements to an accumulator, adds its `unroll`
accumulators as a tree, and keeps the error of what it sums from then on (Knuth's two-sum), so that the length of a row
does not matter; with `tile` > 1 an output adds up `unroll` elements, and in strips 16 - `unroll` such sums where that
is more than one, before it does so. Lanes are added as a tree, `parts` partial results in `parts / lanes` steps. The
relative error against the sum of magnitudes is at most
(20 + log2(unroll) + log2(lanes) + parts / lanes) units in the last place, with the plans of reduce_plan.cpp below
NumPy's pairwise bound (about 16 + log2(n / 128)) for all but short rows, where both are at the level of one sequential
block, and below its sequential bound over outer axes.
"""

from __future__ import annotations

from devarray.codegen.kernels.cooperation import cooperation, last_group
from devarray.codegen.kernels.deviation import Deviation
from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.reduction_loops import NO_INDEX, Loops
from devarray.codegen.kernels.reduction_spec import (
    DEVIATION,
    REDUCTIONS,
    ReductionSpec,
    accumulator_dtype,
    combine,
    identity,
    partial_bytes,
)
from devarray.codegen.kernels.reduction_vectors import VectorRows
from devarray.codegen.kernels.statements import user_functions
from devarray.codegen.kernels.warps import WARP, across, has_warps, peers
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, REAL_OF, SIZE

__all__ = ["REDUCTIONS", "ReductionSpec", "accumulator_dtype", "combine", "identity", "partial_bytes", "render"]


_MOST_AT_ONCE = 256
"""Bytes of all operands that a lane loads at once: those of more leave a compute unit registers for one group."""

_RESIDENT = 4
"""Groups of column layout that run on a compute unit, as csrc/engine/reduce_plan.cpp counts on."""

# Other groups' partial results, of which a lane of a GPU's last group has several loads under way.
_PARTS_AHEAD = 4
"""Those that a lane of one output loads before it adds them up."""
_PARTS_UNROLLED, _BYTES_UNROLLED = 8, 128
"""Turns of a loop, each of one part of all of a lane's outputs, that compilers are to unroll; at most, and in bytes."""


def render(spec: ReductionSpec, dialect: Dialect) -> str:
    """Source of the kernel "k" that computes `spec`."""
    kernel = VectorRows if spec.vectors else DeviationKernel if spec.op == DEVIATION else Kernel
    return dialect.program(user_functions(dialect, spec.nodes) + kernel(spec, dialect).source())


class Kernel(Loops):
    """A reduction kernel's text: work-items that share outputs, or have several.

    Names in it: `q0` ... addresses of operands at the output's place, `i` the reduced index, `x` the index in the last
    kept dim (column layout), `u` counts a lane's outputs, `k` its accumulators; `acc` the accumulators of a block,
    `sum` and `err` a lane's value and what its rounding lost, `at` positions.
    """

    shared = "shared"  # lanes' values in local memory
    resident = 0  # groups that shall fit on a compute unit; 0: the compiler's choice

    def __init__(self, spec: ReductionSpec, dialect: Dialect) -> None:
        super().__init__(spec, dialect)
        together = sum(SIZE[leaf.dtype] for leaf in self.packed)
        if self.rolled and spec.outs == 1 and not self.column and not spec.indexed:
            while self.piece > 2 and self.piece * together > _MOST_AT_ONCE:
                self.piece //= 2

    def source(self) -> str:
        spec = self.spec
        exchange = [f"LOCAL {self.acc} exchange[{spec.lanes * spec.pack}];"]
        body = [
            *(exchange if self.piece < spec.pack else []),
            *self.scalars(),
            *self.uniform(),
            *self.place(),
            *self.state(),
            *self.walk(),
            *self.close_lane(),
            *self.merge_lanes(),
            *(self.merge_parts() if spec.split else self.store()),
        ]
        written = "".join("w" if operand.written else "r" for operand in self.operands) + "w" + "ww" * spec.split
        text, group = "\n".join(indent(body)), spec.outs * spec.lanes
        kernel = self.dialect.kernel("k", written, self.slots, text, group=group, resident=self.resident)
        shuffles = across(self.dialect, [spec.acc_dtype]) + self.more_shuffles() if self.shuffled_lanes else ""
        return shuffles + (cooperation(self.dialect) if spec.split else "") + kernel

    @property
    def shuffled_lanes(self) -> int:
        """Lanes whose values are joined by shuffles: those of a row in one warp, on NVIDIA's GPUs."""
        spec = self.spec
        beside = not self.column and spec.tile == 1 and spec.outs * spec.lanes % WARP == 0
        return (
            min(spec.lanes, WARP) if beside and spec.lanes > 1 and not spec.indexed and has_warps(self.dialect) else 0
        )

    def merge_lanes(self) -> list[str]:
        """The lanes' values as a tree, into `sum` of lane 0 and of no other."""
        spec = self.spec
        if spec.lanes == 1:
            return []
        size = spec.outs * spec.lanes * spec.tile
        local = [f"LOCAL {self.lane_type} {self.shared}[{size}];"] if spec.lanes > self.shuffled_lanes else []
        local += [f"LOCAL i64 places[{size}];"] if spec.indexed else []
        return [*local, *self.joined_lanes()]

    def joined_lanes(self) -> list[str]:
        """The tree in local memory, down to what shuffles join."""
        if not self.shuffled_lanes:
            return self.tree()
        lines = self.tree(self.shuffled_lanes) if self.spec.lanes > self.shuffled_lanes else []
        lines.append(f"const u32 peers = {peers(self.shuffled_lanes)};")
        h = self.shuffled_lanes // 2
        while h:
            other = f"const {self.lane_type} z = across_{self.lane_type}({self.sum}, {h}, peers);"
            lines += ["{", *indent([other, *self.fold(self.sum, "", "z", "")]), "}"]
            h //= 2
        return ["{", *indent(lines), "}"]

    def tree(self, last: int = 1) -> list[str]:
        """The lanes' values as a tree in local memory, until `last` values are left: those of the first lanes."""
        spec = self.spec
        own = "lid" if spec.tile == 1 else f"mine * {spec.outs * spec.lanes} + lid"
        other = f"{own} + h * {spec.outs if self.column else 1}"
        fold = self.fold(f"{self.shared}[{own}]", f"places[{own}]", f"{self.shared}[{other}]", f"places[{other}]")
        held = [(self.shared, self.sum), *([("places", self.at)] if spec.indexed else [])]
        return [
            *self.outputs([f"{name}[{own}] = {value};" for name, value in held]),
            "BARRIER;",
            f"for (i32 h = {spec.lanes // 2}; h > {last // 2}; h /= 2) {{",
            "  if (lane < h) {",
            *indent(self.outputs(fold), 2),
            "  }",
            "  BARRIER;",
            "}",
            *self.outputs([f"{value} = {name}[{own}];" for name, value in held]),
        ]

    def merge_parts(self) -> list[str]:
        """A partial result of each group to scratch memory; the last group to come merges all of them."""
        spec = self.spec
        scratch, counters = self.result.number + 1, self.result.number + 2
        width = "wide" if self.column else str(spec.outs)
        own = self.own() if spec.tile == 1 else f"{self.own()} * {spec.tile} + mine" if self.narrow else "mine"
        record = f"(GROUP_ID(0) * parts + part) * {width} + {own}"
        start = [f"{self.sum} = {self.literal()};", *([f"{self.at} = {NO_INDEX};"] if spec.indexed else [])]
        if self.narrow:  # all outputs' loads are under way together
            step = [*self.read_partial(f"m{scratch}", record), *self.fold(self.sum, self.at, "v", "v_at")]
            loop = [*self.ahead(spec.tile), f"for (i64 part = lane; part < parts; part += {spec.lanes}) {{"]
            final = [*self.outputs(start), *loop, *indent(self.outputs(step)), "}"]
        else:
            final = self.outputs([*start, *self.merged_partials(f"m{scratch}", record)])
        final += self.joined_lanes() if spec.lanes > 1 else []
        partial = self.outputs(self.write_partial(f"m{scratch}", record))
        alone = spec.outs == 1 and not self.column
        return last_group(counters, partial, [*final, *self.store()], self.group(1), alone=alone)

    def merged_partials(self, begin: str, record: str) -> list[str]:
        """A lane's partial results into its value, in order; on GPUs the loads of several are under way together."""
        lanes = self.spec.lanes
        read, fold = self.read_partial(begin, record), self.fold(self.sum, self.at, "v", "v_at")
        if self.dialect.strategy != "gpu" or self.spec.indexed:
            return [f"for (i64 part = lane; part < parts; part += {lanes}) {{", *indent([*read, *fold]), "}"]
        return [
            "#pragma unroll 1",  # a turn's loads wait for the one before: repeated text only takes compilers longer
            f"for (i64 lead = lane; lead < parts; lead += {lanes * _PARTS_AHEAD}) {{",
            f"  {self.lane_type} ahead[{_PARTS_AHEAD}];",
            "  #pragma unroll",
            f"  for (i32 k = 0; k < {_PARTS_AHEAD}; ++k) {{",
            f"    const i64 part = lead + k * {lanes};",
            "    if (part < parts) {",
            *indent([*read, "ahead[k] = v;"], 3),
            "    }",
            "  }",
            "  #pragma unroll",
            f"  for (i32 k = 0; k < {_PARTS_AHEAD}; ++k) {{",
            f"    if (lead + k * {lanes} < parts) {{",
            f"      const {self.lane_type} v = ahead[k];",
            *indent(fold, 3),
            "    }",
            "  }",
            "}",
        ]

    def ahead(self, outputs: int) -> list[str]:
        """Has a GPU's compiler put the loads of several parts before their sums."""
        size = outputs * partial_bytes(self.spec.op, self.spec.acc_dtype)
        parts = min(_PARTS_UNROLLED, _BYTES_UNROLLED // size)
        return [f"#pragma unroll {parts}"] if parts > 1 and self.dialect.strategy == "gpu" else []

    def partial_places(self) -> list[tuple[str, str, str]]:
        """(C type, suffix, byte offset) of the pieces of a partial result."""
        if KIND[self.spec.acc_dtype] == "c":
            real = REAL_OF[self.spec.acc_dtype]
            return [(CTYPE[real], ".re", "0"), (CTYPE[real], ".im", str(SIZE[real]))]
        return [(self.acc, "", "0")]

    def write_partial(self, begin: str, record: str) -> list[str]:
        size = partial_bytes(self.spec.op, self.spec.acc_dtype)
        lines = [f"GLOBAL char* partial = {begin} + ({record}) * {size};"]
        for ctype, suffix, offset in self.partial_places():
            lines.append(f"*(volatile GLOBAL {ctype}*)(partial + {offset}) = {self.sum}{suffix};")
        if self.spec.indexed:
            lines.append(f"*(volatile GLOBAL i64*)(partial + {size - 8}) = {self.at};")
        return lines

    def read_partial(self, begin: str, record: str) -> list[str]:
        size = partial_bytes(self.spec.op, self.spec.acc_dtype)
        lines = [f"GLOBAL char* partial = {begin} + ({record}) * {size};", f"{self.lane_type} v;"]
        for ctype, suffix, offset in self.partial_places():
            lines.append(f"v{suffix} = *(volatile GLOBAL {ctype}*)(partial + {offset});")
        if self.spec.indexed:
            lines.append(f"const i64 v_at = *(volatile GLOBAL i64*)(partial + {size - 8});")
        return lines


class DeviationKernel(Deviation, Kernel):
    """The text of a reduction to the sum of squared distances from the mean."""

    def __init__(self, spec: ReductionSpec, dialect: Dialect) -> None:
        super().__init__(spec, dialect)
        self.resident = _RESIDENT if self.column else 0
