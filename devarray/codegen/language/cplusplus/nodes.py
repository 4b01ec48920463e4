"""What is known of an expression."""

from __future__ import annotations

from dataclasses import dataclass, replace

from devarray.codegen.language.cplusplus.types import Type

__all__ = ["Node", "moved_node"]


@dataclass(slots=True)
class Node:
    """An expression: its text in C, its type or None where it is unknown, whether `&` takes its address, and where
    that then points; its address where C has that of a part of it alone, and whether it is what a structure was
    assigned."""

    text: str
    type: Type | None = None
    lvalue: bool = False
    space: str = ""
    address: str = ""
    assigned: bool = False

    def placed(self) -> Node:
        """What C can assign to."""
        space = self.text[: len(self.text) - len(self.text.lstrip())]
        return replace(self, text=f"{space}(*{self.address})", address="") if self.address else self

    @property
    def value(self) -> Type | None:
        """The type of its value: an array's is a pointer."""
        if self.type is not None and self.type.dims:
            return self.type.element().pointer(self.space)
        return self.type.plain() if self.type else None


def moved_node(node: Node, space: str) -> Node:
    """A node with blanks before it."""
    return replace(node, text=space + node.text.lstrip(" "))
