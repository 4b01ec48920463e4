"""How a reduction kernel accumulates: the statements that take one more value, and that join two accumulated ones."""

from __future__ import annotations

from devarray.codegen.kernels.reduction_spec import ReductionSpec, combine, identity
from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, REAL_OF

__all__ = ["Accumulation"]


class Accumulation:
    """Statements on accumulators of one reduction.

    Names in them: `v` the value of an element at the reduced index `i`; `sum` and `err` a lane's value and what its
    rounding lost, `at` its position, `held` blocks that are added up; `...s[mine]` where a lane has several outputs.
    """

    v = "v"
    tag = ""  # behind names that several reductions of one walk have
    counts = False  # whether blocks know how many elements they are of

    def __init__(self, spec: ReductionSpec, dialect: Dialect) -> None:
        self.spec = spec
        self.dialect = dialect
        self.acc = CTYPE[spec.acc_dtype]
        self.careful = spec.op == "sum" and KIND[spec.acc_dtype] in "fc"
        mine = "s[mine]" if spec.tile > 1 else ""
        self.sum, self.err, self.at, self.held = f"sum{mine}", f"err{mine}", f"at{mine}", f"held{mine}"

    @property
    def block_type(self) -> str:
        """C type of a block's accumulators."""
        return self.acc

    @property
    def lane_type(self) -> str:
        """C type of a lane's value, which is joined with other lanes'."""
        return self.acc

    def of_output(self) -> list[tuple[str, str, str]]:
        """What a lane has of each output: C type, attribute with the name, first value."""
        held = [(self.lane_type, "sum", self.literal())]
        if self.careful:
            held.append((self.acc, "err", self.literal()))
        return held

    def of_lane(self) -> list[str]:
        """Declarations of what a lane has besides."""
        return []

    def block_literal(self) -> str:
        return self.literal()

    def literal(self) -> str:
        return self.dialect.literal(identity(self.spec.op, self.spec.acc_dtype), self.spec.acc_dtype)

    def better(self, a: str, b: str) -> str:
        """Whether `a` comes before `b` for argmin or argmax; a NaN comes before every number."""
        if KIND[self.spec.acc_dtype] == "c":
            first, second = (a, b) if self.spec.op == "argmin" else (b, a)
            less, isnan = f"less_{self.acc}", f"isnan_{self.acc}"
            return f"({less}({first}, {second}) || ({isnan}({a}) && !{isnan}({b})))"
        sign = "<" if self.spec.op == "argmin" else ">"
        if KIND[self.spec.acc_dtype] != "f":
            return f"({a} {sign} {b})"
        return f"(!({a} {'>=' if sign == '<' else '<='} {b}) & ({b} == {b}))"

    def take(self, acc: str, place: str, step: str) -> list[str]:
        """The value `v` of step `step` into a block's accumulator, which began with the identity at the first step.

        Where nothing is better than the identity, everything equals it, and the first step is right.
        """
        if not self.spec.indexed:
            return [f"{acc} = {combine(self.spec.op, self.spec.acc_dtype, acc, self.v)};"]
        return [f"if ({self.better(self.v, acc)}) {{", f"  {acc} = {self.v};", f"  {place} = {step};", "}"]

    def first_block(self, step: int, most: int) -> str:
        """Elements of all lanes up to which a block is one, of a step and more."""
        return str(most)

    def taken(self) -> list[str]:
        """What follows when all outputs of a lane have taken their values of an element."""
        return []

    def rest_begin(self) -> list[str]:
        """Declarations before the elements behind the last block."""
        return []

    def rest_taken(self) -> list[str]:
        """As `taken`, for those."""
        return []

    def rest_end(self) -> list[str]:
        """What follows behind those."""
        return []

    def join_accumulators(self, a: str, b: str) -> list[str]:
        """The block's accumulator `b` into `a`."""
        return self.fold(a, "", b, "")

    def weigh(self, count: str) -> list[str]:
        """Declarations for `close_block` of so many elements."""
        return []

    def more_shuffles(self) -> str:
        """Definitions of shuffles of a lane's value, beside those of the accumulator's dtype."""
        return ""

    def total(self) -> str:
        """The accumulated value, when all lanes are joined."""
        return self.at if self.spec.indexed else self.sum

    def take_careful(self, position: str) -> list[str]:
        if self.careful:
            return self.add_careful(self.v)
        # What is left comes behind all blocks, but lanes and accumulators have seen them out of order.
        return self.fold(self.sum, self.at, self.v, f"({position}i)")

    def fold(self, a: str, at_a: str, b: str, at_b: str) -> list[str]:
        """The accumulated value `b` into `a`; of equals the first stays."""
        if not self.spec.indexed:
            return [f"{a} = {combine(self.spec.op, self.spec.acc_dtype, a, b)};"]
        # No short circuits: Intel's compiler would not make vectors of kernels that have them.
        condition = f"{self.better(b, a)} | (!{self.better(a, b)} & ({at_b} < {at_a}))"
        return [f"if ({condition}) {{", f"  {a} = {b};", f"  {at_a} = {at_b};", "}"]

    def parts(self) -> list[str]:
        return [".re", ".im"] if KIND[self.spec.acc_dtype] == "c" else [""]

    def add_careful(self, x: str) -> list[str]:
        """Knuth's two-sum of `x` into `sum`; what rounding loses is kept in `err`."""
        real = CTYPE[REAL_OF.get(self.spec.acc_dtype, self.spec.acc_dtype)]
        lines = []
        for part in self.parts():
            s, e = f"{self.sum}{part}", f"{self.err}{part}"
            lines += [
                "{",
                f"  const {real} y = {s} + {x}{part}, z = y - {s};",
                f"  {e} += ({s} - (y - z)) + ({x}{part} - z);",
                f"  {s} = y;",
                "}",
            ]
        return lines

    def add_errors(self) -> list[str]:
        """The errors kept go back in, unless the sum is not finite: they mean nothing then."""
        return [
            f"if ({self.err}{part} - {self.err}{part} == 0) {self.sum}{part} += {self.err}{part};"
            for part in self.parts()
        ]
