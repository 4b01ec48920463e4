"""Rows on CPUs with leaves that are read shifted along them, as `roll` does.

An index that begins anew at the end of a row is no row of elements to compilers: they gather. Most groups of work-items
have no such end in any leaf, and read there as from any other view, in a quarter of the time.
"""

from __future__ import annotations

from collections.abc import Sequence

from devarray.codegen.kernels.elementwise_body import Kernel, Walk, indent
from devarray.codegen.kernels.operands import Operand
from devarray.codegen.language.dialect import CTYPE
from devarray.ops.dtypes import KIND, SIZE

__all__ = ["has_two_texts", "row_in_groups"]

_MOST = 64
"""Nodes of a kernel that has them twice: of more it is arithmetic that takes the time, and compilers take longer."""


def has_two_texts(k: Kernel) -> bool:
    """Whether a kernel has its text twice; rows are cut into more groups for it (csrc/engine/launch_geometry.cpp)."""
    shifted = [leaf for leaf in k.leaves if leaf.shifted.endswith("1")]
    return (
        k.dialect.strategy == "cpu"
        and bool(shifted)
        and len(k.spec.nodes) <= _MOST
        and all(KIND[leaf.dtype] != "c" for leaf in shifted)
    )


def row_in_groups(k: Kernel, names: Sequence[str], before: Sequence[str], bounds: str) -> list[str]:
    """The statements for an element, once for groups without the end of any leaf's row and once for all others.

    Parameters
    ----------
    k : Kernel
        With at least one leaf shifted along the last dim.
    names : sequence of str
        Of the element's indices.
    before : sequence of str
        Statements that both begin with.
    bounds : str
        What holds for work-items that have an element, where others may run.
    """
    dim, first, lines = len(names) - 1, "GROUP_ID(0) * LOCAL_SIZE(0)", []
    whole = ["GROUP_ID(0) + 1 < GROUPS(0)"]  # the last one may be short, or have work-items without an element
    if dim and not k.dialect.exact_launches:
        whole.append("(GROUP_ID(1) + 1) * LOCAL_SIZE(1) <= rows")
    for number in sorted({k.like_shift[leaf.number, dim] for leaf in k.leaves if leaf.shifted.endswith("1")}):
        shift = k.operands[number].shift(dim)
        lines.append(f"const i64 begin{number} = {first} + {shift};")
        lines.append(f"const i64 shift{number} = begin{number} >= columns ? {shift} - columns : {shift};")
        whole.append(f"(begin{number} >= columns || begin{number} + LOCAL_SIZE(0) <= columns)")
    otherwise = "} else {" if k.dialect.exact_launches else f"}} else if ({bounds}) {{"
    return [
        *lines,
        "const i64 nothing = columns >> 63;",
        f"if ({' && '.join(whole)}) {{",
        *indent([*before, *_Straight(k, names).element()]),
        otherwise,
        *indent([*before, *_Around(k, names).element()]),
        "}",
    ]


class _Straight(Walk):
    """In a group whose work-items all read before the end of a row, or all behind it."""

    def around(self, name: str, operand: Operand, dim: int) -> list[str]:
        if dim + 1 < len(self.names):
            return super().around(name, operand, dim)
        return [f"const {self.k.itype} {name} = {self.names[dim]} + shift{operand.number};"]


class _Around(Walk):
    """In any group. The values pass a bitwise "or" with zero, which compilers do not know to be zero: they would make
    one text of both otherwise, with chosen indices, which are gathered again.
    """

    def load(self, leaf: Operand) -> str:
        pointer, index = self.pointer(leaf)
        value = self.k.dialect.load(leaf.dtype, pointer, index)
        if leaf.shifted.endswith("1"):
            value = _or_nothing(leaf.dtype, value)
        return f"const {CTYPE[leaf.dtype]} a{leaf.number} = {value};"


def _or_nothing(dtype: str, value: str) -> str:
    if KIND[dtype] == "f":
        bits = 64 if SIZE[dtype] == 8 else 32  # float16 is computed in float32
        return f"AS_F{bits}(AS_U{bits}({value}) | (u{bits})nothing)"
    return f"({CTYPE[dtype]})({value} | ({CTYPE[dtype]})nothing)"
