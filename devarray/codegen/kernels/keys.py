"""Elements as unsigned keys in the order of the elements: what radix sort counts the digits of.

NaNs are the greatest. Where indices are sorted, -0 and 0 have one key. Where values are, each keeps its own, so that
the value can be made from it again; `canonical` makes them equal for whoever looks at digits.
"""

from __future__ import annotations

from devarray.codegen.language.dialect import CTYPE, Dialect
from devarray.ops.dtypes import KIND, REAL_OF, SIZE

__all__ = ["canonical", "element_key", "element_of", "key_dtype"]


def key_dtype(dtype: str) -> str:
    """Dtype of the keys of a dtype's elements, or of the parts of complex numbers."""
    return f"uint{8 * SIZE[REAL_OF.get(dtype, dtype)]}"


def element_key(dialect: Dialect, dtype: str, part: str, signed_zeros: bool, descending: bool) -> list[str]:
    """Statements that declare `key` for the element at the byte address `from`.

    `part` is "whole", or of complex numbers "re", "im", or "class": 0, 1 with a NaN for imaginary part, 2 with a NaN
    for real part, as NumPy orders them.
    """
    key = CTYPE[key_dtype(dtype)]
    if KIND[dtype] != "c":
        return _key(dialect, key, dtype, f"*(GLOBAL const {dialect.storage(dtype)}*)from", signed_zeros, descending)
    real = REAL_OF[dtype]
    parts = f"((GLOBAL const {CTYPE[real]}*)from)"
    lines = [f"const {CTYPE[real]} re = {parts}[0], im = {parts}[1];"]
    if part != "class":
        return lines + _key(dialect, key, real, part, signed_zeros, descending)
    order = "re != re ? 2 : im != im ? 1 : 0"
    return [*lines, f"const {key} key = ({key})({f'2 - ({order})' if descending else order});"]


def _key(dialect: Dialect, key: str, dtype: str, element: str, signed_zeros: bool, descending: bool) -> list[str]:
    """`element` is the storage of an element, or the value of a complex number's part."""
    width = 8 * SIZE[dtype]
    top = f"(({key})1 << {width - 1})"
    if KIND[dtype] == "b":
        lines = [f"{key} key = {dialect.from_storage(dtype, element)};"]
    elif KIND[dtype] == "u":
        lines = [f"{key} key = ({key})({element});"]
    elif KIND[dtype] == "i":
        lines = [f"{key} key = ({key})({element}) ^ {top};"]
    else:
        bits = {"float16": element, "float32": f"AS_U32({element})", "float64": f"AS_U64({element})"}[dtype]
        infinity = {16: "0x7c00u", 32: "0x7f800000u", 64: "0x7ff0000000000000UL"}[width]
        nan = {16: "0x7e00u", 32: "0x7fc00000u", 64: "0x7ff8000000000000UL"}[width]
        lines = [
            f"{key} key = ({key})({bits});",
            f"if (({key})(key & ({key})~{top}) > {infinity}) key = ({key}){nan};",
            *([] if signed_zeros else [f"if (key == {top}) key = 0;"]),
            f"key = key & {top} ? ({key})~key : ({key})(key | {top});",
        ]
    return [*lines, *([f"key = ({key})~key;"] if descending else [])]


def canonical(dtype: str, signed_zeros: bool, key: str) -> str:
    """C text of the key that equal elements share.

    The keys of -0 and 0 are neighbours in the middle, in either order.
    """
    if KIND[dtype] != "f" or not signed_zeros:
        return key
    text = CTYPE[key_dtype(dtype)]
    middle = f"({text})~(({text})1 << {8 * SIZE[dtype] - 1})"
    return f"({text})({key} + ({key} == {middle} ? 1 : 0))"


def element_of(dialect: Dialect, dtype: str, key: str, descending: bool) -> str:
    """C text of the storage element that a key with signed zeros was made from."""
    text = CTYPE[key_dtype(dtype)]
    top = f"(({text})1 << {8 * SIZE[dtype] - 1})"
    if descending:
        key = f"({text})~{key}"
    if KIND[dtype] == "i":
        key = f"(({key}) ^ {top})"
    elif KIND[dtype] == "f":
        key = f"(({key}) & {top} ? ({text})(({key}) ^ {top}) : ({text})~({key}))"
    return {"float32": f"AS_F32({key})", "float64": f"AS_F64({key})"}.get(dtype, f"({dialect.storage(dtype)})({key})")
