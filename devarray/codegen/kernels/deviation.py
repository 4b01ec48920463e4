"""Sums of squared distances from the mean, in one pass over the elements: what variances are made of.

A lane has the count, the mean and the sum of squares of its elements so far (`moments_f32`, prelude/moments.py). To
these it adds a block: the distances of the next elements from the mean so far are added up, and their squares, in as
many accumulators and as long as sums are added up plainly. The block's own mean and squares follow from both. The first
element stands for the mean of none, and the first block has one element for each accumulator. Lanes and groups are
joined two by two, in the order of sums.

**Accuracy**: n elements whose squares about the mean of k others are S, and whose own mean is d from that, add
S - n d**2 n / (n + k) to the result, which is S k / (n + k) at least, since n d**2 is at most S. The first block has
`unroll` elements, whose squares about one of them are at most 1 + `unroll` times those about their mean; the next ones
have at most 16 times as many elements as there were before. So wherever the mean lies, what is added up is at most 17
times the result, at worst, and about the result for most data: the relative error is that of a sum of positive numbers
(reduction.py), where two passes have the square of what rounding takes from the mean besides. NaN exactly where an
element is infinite or NaN.
"""

from __future__ import annotations

from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.reduction_loops import Loops

__all__ = ["Deviation"]

_PARTS = ("count", "mean", "low", "squares")
"""Of a lane's moments."""


class Deviation(Loops):
    """What is other than in the kernel of sums that this is mixed into.

    Names of its own: `fresh` whether the lane has seen no element, `seen` how many its moments know of, `bad` 0, or NaN
    where an element is not finite; `rest` and `left` the elements behind the last block, and how many they are.
    """

    checks = False  # the mean is that of the first element, which must not change when a block is computed again
    counts = True

    @property
    def block_type(self) -> str:
        return f"distances_{self.acc}"

    @property
    def lane_type(self) -> str:
        return f"moments_{self.acc}"

    def literal(self) -> str:
        return f"no_moments_{self.acc}()"

    def block_literal(self) -> str:
        return f"no_distances_{self.acc}()"

    @property
    def bad(self) -> str:
        return "bads[mine]" if self.spec.tile > 1 else f"bad{self.tag}"

    def of_output(self) -> list[tuple[str, str, str]]:
        return [(self.lane_type, "sum", self.literal()), (self.acc, "err", "0"), (self.acc, "bad", "0")]

    def of_lane(self) -> list[str]:
        return [f"b8 fresh{self.tag} = 1;", f"{self.acc} seen{self.tag} = 0;"]

    def take(self, acc: str, place: str, step: str) -> list[str]:
        first = [f"{self.sum}.mean = {self.v};", *([f"fresh{self.tag} = 0;"] if self.spec.tile == 1 else [])]
        return [
            f"if (fresh{self.tag}) {{",
            *indent(first),
            "}",
            "{",
            f"  const {self.acc} d = {self.v} - {self.sum}.mean;",
            f"  {acc}.first += d;",
            f"  {acc}.second = fma(d, d, {acc}.second);",
            f"  {self.bad} = fma({self.v}, ({self.acc})0, {self.bad});",
            "}",
        ]

    def first_block(self, step: int, most: int) -> str:
        return f"(fresh ? {step} : {most})"

    def taken(self) -> list[str]:
        return [f"fresh{self.tag} = 0;"] if self.spec.tile > 1 else []

    def join_accumulators(self, a: str, b: str) -> list[str]:
        return [f"{a}.{sum_of} += {b}.{sum_of};" for sum_of in ("first", "second")]

    def weigh(self, count: str) -> list[str]:
        real, seen = self.acc, f"seen{self.tag}"
        return [
            f"const {real} count = ({real})({count}), before = {seen};",
            f"const {real} each = 1 / count, share = count / (before + count);",
            f"{seen} += count;",
        ]

    def close_block(self, acc: str, place: str) -> list[str]:
        return [f"take_distances_{self.acc}(&{self.sum}, &{self.err}, {acc}, each, share, before);"]

    def rest_begin(self) -> list[str]:
        size = f"[{self.spec.tile}]" if self.spec.tile > 1 else ""
        empty = self.outputs([f"{self.rest} = {self.block_literal()};"])
        return [f"{self.block_type} rest{self.tag}{size};", f"i32 left{self.tag} = 0;", *empty]

    @property
    def rest(self) -> str:
        return "rest[mine]" if self.spec.tile > 1 else f"rest{self.tag}"

    def take_careful(self, position: str) -> list[str]:
        return self.take(self.rest, "", "")

    def rest_taken(self) -> list[str]:
        return [*self.taken(), f"++left{self.tag};"]

    def rest_end(self) -> list[str]:
        closing = [*self.weigh(f"left{self.tag}"), *self.outputs(self.close_block(self.rest, ""))]
        return [f"if (left{self.tag} > 0) {{", *indent(closing), "}"]

    def close_lane(self) -> list[str]:
        total = f"{self.sum}.squares"
        return self.outputs(
            [
                f"{self.sum}.count = seen{self.tag};",
                f"if ({self.err} - {self.err} == 0) {total} += {self.err};",
                f"{total} += {self.bad};",
            ]
        )

    def fold(self, a: str, at_a: str, b: str, at_b: str) -> list[str]:
        return [f"{a} = join_moments_{self.acc}({a}, {b});"]

    def total(self) -> str:
        return f"{self.sum}.squares"

    def partial_places(self) -> list[tuple[str, str, str]]:
        size = 8 if self.acc == "f64" else 4
        return [(self.acc, f".{name}", str(size * place)) for place, name in enumerate(_PARTS)]

    def more_shuffles(self) -> str:
        """`across_moments_f32` and its like: see warps.across."""
        each = [f"y.{name} = across_{self.acc}(x.{name}, h, peers);" for name in _PARTS]
        moments = self.lane_type
        return "\n".join(
            [
                f"FN {moments} across_{moments}(const {moments} x, const i32 h, const u32 peers)",
                "{",
                *indent([f"{moments} y;", *each, "return y;"]),
                "}\n",
            ]
        )
