"""Complex arithmetic and functions, with the special cases of C's Annex G, which are the standard's."""

from __future__ import annotations

__all__ = ["COMPLEX"]

COMPLEX: dict[tuple[str, str], str] = {
    ("make", "c"): """
FN T make_T(const R re, const R im) {
  T z;
  z.re = re;
  z.im = im;
  return z;
}""",
}
