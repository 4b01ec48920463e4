"""What an OpaqueArray gives where NumPy gives a scalar."""

from __future__ import annotations

from typing import Any

from devarray._primitives.opaque_dtypes import is_plain
from devarray._primitives.opaque_texts import is_text
from devarray.array import Array

__all__ = ["element", "text_or_array"]


def text_or_array(found: Any) -> Any:
    """What was found at an index or as a field; of one text NumPy's value, since no device knows texts. Waits."""
    return found.copy_to_host()[()] if is_text(found.dtype) and not found.ndim else found


def element(found: Any) -> Any:
    """What was found at the index of one element, or as a field of one: values of what computes.

    A record is a view, to whose fields can be written, as of NumPy's; its fields are values in their turn.
    """
    if isinstance(found, Array):
        return found[()]
    if is_plain(found.dtype) or found.dtype.kind in "mM":
        return found._numbers()[()]
    if is_text(found.dtype):
        return text_or_array(found)
    found.is_element = True
    return found
