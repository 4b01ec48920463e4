"""What a reduction kernel is to compute, and the operations that reduce."""

from __future__ import annotations

from dataclasses import dataclass

from devarray.codegen.kernels.spec import Leaf, Node, Output
from devarray.codegen.kernels.statements import expression
from devarray.codegen.language.dialect import CTYPE
from devarray.ops.dtypes import INTEGERS, KIND, SIZE
from devarray.ops.table import OPS

__all__ = [
    "DEVIATION",
    "REDUCTION",
    "REDUCTIONS",
    "ReductionSpec",
    "Step",
    "accumulator_dtype",
    "combine",
    "identity",
    "partial_bytes",
]

REDUCTION = "reduction"
"""The name of a reduction among nodes; its argument is the value that it reduces."""

Step = tuple[int, str, str, int, tuple[str, ...], tuple[Node, ...], tuple[int, str]]
"""A reduction among nodes: (value id of its node, op, accumulator's dtype, value id of what is reduced, post scalars,
post nodes, (post value id, dtype) of the result), as in a ReductionSpec."""

DEVIATION = "deviation"
"""The sum of the squared distances from the mean, deviation.py."""

REDUCTIONS = ("sum", "prod", "min", "max", "any", "all", "argmin", "argmax", "count_nonzero")


@dataclass(frozen=True, slots=True)
class ReductionSpec:
    """One reduction kernel.

    Value ids of the absorbed expression count leaves first, then `scalars`, then `nodes`; those of the post expression
    count the accumulated value first (id 0), then `post_scalars`, then `post`.

    Attributes
    ----------
    layout : {"row", "column"}
    nkept, nreduced : int
        Dims of the collapsed space; `nreduced` is at least 1.
    flat : bool
        Whether every reduced index is taken apart into all reduced dims (innermost reduced dim too short for a loop of
        its own); otherwise the innermost dim is a loop inside the others.
    wide : bool
        Whether indices need 64 bits. CPU kernels always use 64.
    split : bool
        Whether several groups share an output.
    vectors : bool
        Whether a row is one work-item's, in vectors of `lanes` elements, see reduction_vectors.py.
    outs, lanes, tile, unroll, pack : int
        Geometry of a group, see devarray/codegen/kernels/reduction.py; `unroll` accumulators for each output and lane,
        of which `pack` take elements side by side.
    leaves : tuple of (dtype, access)
    scalars : tuple of dtype
    nodes : tuple of (op, compute dtype, result dtype, args)
    outputs : tuple of (value id, dtype, access)
        Interior nodes to be written, over the whole space.
    op : str
        One of `REDUCTIONS`, or `DEVIATION` in a float dtype on GPUs.
    acc_dtype : str
        What to accumulate in: `accumulator_dtype(op, dtype)`, or a wider dtype.
    value : int
        Value id of what is reduced.
    post_scalars : tuple of dtype
    post : tuple of (op, compute dtype, result dtype, args)
    result : (post value id, dtype)
        What is stored; `argmin`, `argmax` and `count_nonzero` have an accumulated value of dtype int64.
    steps : tuple of Step
        Reductions of whole rows among the nodes, see devarray/codegen/kernels/row_columns.py and row_neighbours.py.
    columns : tuple of int
        Three numbers each, where a work-item has all columns: a leaf with one element for all of them, a leaf of which
        it is one column, and which.
    """

    layout: str
    nkept: int
    nreduced: int
    flat: bool
    wide: bool
    split: bool
    vectors: bool
    outs: int
    lanes: int
    tile: int
    unroll: int
    pack: int
    leaves: tuple[Leaf, ...]
    scalars: tuple[str, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Output, ...]
    op: str
    acc_dtype: str
    value: int
    post_scalars: tuple[str, ...]
    post: tuple[Node, ...]
    result: tuple[int, str]
    steps: tuple[Step, ...] = ()
    columns: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.op not in (*REDUCTIONS, DEVIATION):
            raise ValueError(f"unknown reduction {self.op!r}; there are {', '.join(REDUCTIONS)}")
        if self.layout not in ("row", "column"):
            raise ValueError(f"unknown layout {self.layout!r} of a reduction; there are row, column")
        if self.layout == "column" and self.nkept == 0:
            raise ValueError("layout 'column' needs a kept dim; there is none")
        if self.tile > 1 and self.layout == "row":
            raise ValueError(f"tile = {self.tile} needs layout 'column', not 'row'")
        if self.unroll % self.pack or (self.pack > 1 and (self.layout == "column" or self.vectors)):
            raise ValueError(
                f"pack = {self.pack} needs layout 'row' without vectors, and divides unroll, which is {self.unroll}"
            )
        for name in ("outs", "lanes", "unroll"):
            number = getattr(self, name)
            added_in_order = name == "unroll" and self.tile > 1
            if number < 1 or (number & (number - 1) and not added_in_order):
                raise ValueError(f"{name} of a reduction must be a power of two, not {number}")

    def value_dtypes(self) -> list[str]:
        """Dtype of every value id of the absorbed expression."""
        return [dtype for dtype, _ in self.leaves] + list(self.scalars) + [node[2] for node in self.nodes]

    @property
    def indexed(self) -> bool:
        """Whether the position of a value is accumulated with it."""
        return self.op in ("argmin", "argmax")

    @property
    def accumulated_dtype(self) -> str:
        """Dtype of post value id 0."""
        return "int64" if self.indexed else self.acc_dtype


def accumulator_dtype(op: str, dtype: str) -> str:
    """The dtype that a reduction of values of `dtype` accumulates in.

    >>> accumulator_dtype("sum", "int16"), accumulator_dtype("sum", "float16"), accumulator_dtype("max", "uint8")
    ('int64', 'float32', 'uint8')
    """
    if op == "count_nonzero":
        return "int64"
    if op in ("any", "all"):
        return "bool"
    if dtype == "float16":
        return "float32"
    if op in ("sum", "prod") and KIND[dtype] in "biu":
        return "uint64" if KIND[dtype] == "u" else "int64"
    return dtype


def identity(op: str, dtype: str) -> complex:
    """The value that changes nothing in a reduction accumulated in `dtype`."""
    if op in ("sum", "count_nonzero", "any"):
        return 0
    if op in ("prod", "all"):
        return 1
    least = op in ("max", "argmax")
    if dtype in INTEGERS:
        bits = 8 * SIZE[dtype]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if KIND[dtype] == "i" else (0, (1 << bits) - 1)
        return low if least else high
    if dtype == "bool":
        return 0 if least else 1
    infinity = float("-inf") if least else float("inf")
    return complex(infinity, infinity) if KIND[dtype] == "c" else infinity


_OPERATION = {
    "sum": "add", "prod": "multiply", "min": "minimum", "max": "maximum",
    "any": "logical_or", "all": "logical_and", "count_nonzero": "add",
}  # fmt: skip


def combine(op: str, dtype: str, a: str, b: str, ordered: bool = False) -> str:
    """C text of two accumulated values made one; with `ordered` the second one, of zeros of both signs."""
    if op in ("min", "max") and KIND[dtype] == "f" and not ordered:
        return f"{'least' if op == 'min' else 'largest'}_{CTYPE[dtype]}({a}, {b})"
    text = expression(OPS[_OPERATION[op]], dtype, [a, b])
    return text if KIND[dtype] == "c" else f"({CTYPE[dtype]})({text})"  # C computes narrow integers as int


def partial_bytes(op: str, acc_dtype: str) -> int:
    """Bytes of one partial result in scratch memory."""
    value = SIZE[acc_dtype] if acc_dtype != "float16" else 4
    if op == DEVIATION:
        return 4 * value  # moments_f32 and its like
    return max(value, 8) + 8 if op in ("argmin", "argmax") else value  # the value, and its position behind it
