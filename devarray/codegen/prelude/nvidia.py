"""Functions of integers as PTX, which CUDA and NVIDIA's OpenCL take alike.

Shifts: PTX counts a shift by more than the width as one by the width, as NumPy does, where C needs a test that costs
more than the shift.

Negation and maxima, which NVIDIA's assembler is kept from compiling wrongly: for Hopper and Blackwell it makes one
instruction of two maxima, and may drop the minus of an operand: the maximum of -a over rows then has an `a` among them
(CUDA 12.8 to 13.3, and drivers of that time; pytorch issue 190973). So a negation is written as a complement and an
addition, and a maximum as a comparison and a selection, which the compiler before the assembler does not turn back.
"""

from __future__ import annotations

__all__ = ["NVIDIA"]

_PTX = {"i": "s", "u": "u"}
"""PTX's letters for kinds of integers."""
_NEGATIVE = """
FN T negative_T(const T a) {
  U complement;
  asm("not.b32 %0, %1;" : "=r"(complement) : "r"((U)a));
  return (T)(complement + 1u);
}"""
_CHOICE = """
FN T NAME_T(const T a, const T b) {
  PLAIN made;
  asm("{.reg .pred p; setp.ORDER.KIND32 p, %1, %2; selp.b32 %0, %1, %2, p;}"
      : "=r"(made) : "r"((PLAIN)a), "r"((PLAIN)b));
  return (T)made;
}"""

_SHIFT = """
FN T NAME_T(const T a, const T b) {
  PLAIN made;
  asm("INSTRUCTION %0, %1, %2;" : "=r"(made) : "r"((PLAIN)a), "r"((u32)b));
  return (T)made;
}"""


def _texts() -> dict[tuple[str, str], str]:
    made = {}
    for suffix in ("i8", "i16", "i32", "u8", "u16", "u32"):
        kind = suffix[0]
        made["negative", suffix] = _NEGATIVE
        for name, instruction in (("left_shift", "shl.b32"), ("right_shift", f"shr.{_PTX[kind]}32")):
            text = _SHIFT.replace("NAME", name).replace("INSTRUCTION", instruction)
            made[name, suffix] = text.replace("PLAIN", f"{kind}32")
        for name, order in (("larger", "gt"), ("smaller", "lt")):
            text = _CHOICE.replace("NAME", name).replace("ORDER", order)
            made[name, suffix] = text.replace("KIND", _PTX[kind]).replace("PLAIN", f"{kind}32")
    return made


NVIDIA: dict[tuple[str, str], str] = _texts()
"""Texts by name and type, for the layer "nvidia"."""
