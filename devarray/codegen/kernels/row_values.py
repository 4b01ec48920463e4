"""Values of a space whose rows are reduced: which of them a row has one of, and the text that computes them."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from devarray.codegen.kernels.launches import indent
from devarray.codegen.kernels.operands import numbered
from devarray.codegen.kernels.reduction_spec import REDUCTION, Step
from devarray.codegen.kernels.spec import Node
from devarray.codegen.kernels.statements import node_statements
from devarray.codegen.language.dialect import CTYPE, Dialect

__all__ = ["RowValues", "braced"]


class RowValues:
    """The values of leaves, scalars and nodes, by their value ids.

    Names in the text: `a0` ... what is loaded, `c0_` ... scalars, `y5_0` ... values of rows and `t7_0` ... of elements.
    """

    def __init__(
        self,
        dialect: Dialect,
        leaves: Sequence[bool],
        scalars: int,
        nodes: Sequence[Node],
        dtypes: Sequence[str],
    ) -> None:
        """`leaves` says of each whether a row has one element of it; `dtypes` are those of all values."""
        self.dialect = dialect
        self.nodes = nodes
        self.dtypes = dtypes
        self.first_scalar, self.first_node = len(leaves), len(leaves) + scalars
        self.names = [f"a{i}" for i in range(self.first_scalar)] + numbered("c", scalars)
        self.of_rows = [*leaves, *[True] * scalars]
        for number, (op, _, _, args) in enumerate(nodes, self.first_node):
            self.of_rows.append(op == REDUCTION or all(self.of_rows[arg] for arg in args))
            self.names.append(f"y{number}_0" if self.of_rows[-1] else f"t{number}_0")

    def needed(self, wanted: Iterable[int], known: Container[int] = ()) -> list[int]:
        """The leaves and nodes that elements' values are computed from, in order, but for values of rows.

        What `known` values are computed from is not asked for.
        """
        found: set[int] = set()
        stack = list(wanted)
        while stack:
            value = stack.pop()
            if self.of_rows[value] or value in found:
                continue
            found.add(value)
            if value >= self.first_node and value not in known:
                stack += self.nodes[value - self.first_node][3]
        return sorted(found)

    def statement(self, value: int) -> list[str]:
        """The declaration of a node's value."""
        op, compute, result, args = self.nodes[value - self.first_node]
        scalars = {place for place, arg in enumerate(args) if self.first_scalar <= arg < self.first_node}
        names = [self.names[arg] for arg in args]
        dtypes = [self.dtypes[arg] for arg in args]
        node = (op, compute, result, tuple(range(len(args))))
        lines, _ = node_statements(self.dialect, [node], names, dtypes, self.names[value][:-1], scalars)
        return lines

    def cast(self, value: int, dtype: str) -> str:
        return self.dialect.cast(self.dtypes[value], dtype, self.names[value])

    def reduced(self, step: Step, name: str) -> str:
        """The declaration of the value of an element that a step reduces."""
        _, op, dtype, value, *_ = step
        wanted = "bool" if op in ("any", "all", "count_nonzero") else dtype
        return f"const {CTYPE[dtype]} {name} = {self.cast(value, wanted)};"

    def declared(self, step: Step) -> str:
        return f"{CTYPE[step[6][1]]} {self.names[step[0]]};"

    def finished(self, step: Step, total: str, slot: int) -> list[str]:
        """Statements that give a step's value of a row from the accumulated one; its scalars begin at `slot`."""
        node, _, acc_dtype, _, post_scalars, post, (which, result) = step
        dialect, scalars = self.dialect, numbered("d", len(post_scalars))
        lines = [f"const {CTYPE[acc_dtype]} z = {total};"]
        for name, dtype in zip(scalars, post_scalars, strict=True):
            lines.append(f"const {CTYPE[dtype]} {name} = {dialect.slot(slot, dtype)};")
            slot += dialect.slots_of(dtype)
        dtypes = [acc_dtype, *post_scalars]
        nodes, names = node_statements(dialect, post, ["z", *scalars], dtypes, prefix="e")
        dtypes += [made[2] for made in post]
        value = dialect.cast(dtypes[which], result, names[which])
        return [*lines, *nodes, f"{self.names[node]} = {value};"]

    def of_row(self, waiting: dict[int, list[str]]) -> list[str]:
        """The values that a row has one of, in order; those of steps by the texts given."""
        lines = []
        for value in range(self.first_node, len(self.names)):
            if value in waiting:
                lines += waiting[value]
            elif self.of_rows[value]:
                lines += self.statement(value)
        return lines


def braced(lines: Sequence[str]) -> list[str]:
    """A block of its own."""
    return ["{", *indent(lines), "}"]
