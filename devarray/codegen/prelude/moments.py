"""Counts, means and sums of squared distances from them, and how those of two sets of elements are joined.

The formulas are those of Chan, Golub and LeVeque, "Algorithms for computing the sample variance" (1983). A mean is the
sum of two numbers, since what rounding takes from it may be as large as the elements' distances from it.
"""

from __future__ import annotations

__all__ = ["MOMENTS"]

MOMENTS: dict[tuple[str, str], str] = {
    # The mean is mean + low.
    ("moments", "f"): "typedef struct { T count, mean, low, squares; } moments_T;",
    ("no_moments", "f"): """
FN moments_T no_moments_T() {
  moments_T m;
  m.count = m.mean = m.low = m.squares = 0;
  return m;
}""",
    # Sums of some elements' distances from a number near them, and of the squares of these
    ("distances", "f"): "typedef struct { T first, second; } distances_T;",
    ("no_distances", "f"): """
FN distances_T no_distances_T() {
  distances_T d;
  d.first = d.second = 0;
  return d;
}""",
    ("move_mean", "f"): """
FN void move_mean_T(moments_T* m, const T by) {
  const T low = m->low + by, mean = m->mean + low, z = mean - m->mean;
  m->low = (m->mean - (mean - z)) + (low - z);
  m->mean = mean;
}""",
    # `count` elements, 1 / `each` of them, by their distances from the mean of those before them, of which there are
    # `seen`: `share` is count / (seen + count). The rounding errors of squares add up in `err`. Where distances are too
    # large for their squares the mean stays, of which nothing is asked any more.
    ("take_distances", "f"): """
FN void take_distances_T(moments_T* m, T* err, const distances_T d, const T each, const T share, const T seen) {
  if (d.second - d.second == 0) {
    const T by = d.first * each, apart = by - m->low;
    const T x = fma(-d.first, by, d.second) + apart * apart * (seen * share);
    const T y = m->squares + x, z = y - m->squares;
    *err += (m->squares - (y - z)) + (x - z);
    m->squares = y;
    move_mean_T(m, apart * share);
  } else {
    m->squares += d.second;
  }
}""",
    ("join_moments", "f"): """
FN moments_T join_moments_T(const moments_T a, const moments_T b) {
  if (b.count == 0) return a;
  if (a.count == 0) return b;
  moments_T m = a;
  const T apart = (b.mean - a.mean) + (b.low - a.low), share = b.count / (a.count + b.count);
  m.count = a.count + b.count;
  m.squares = a.squares + b.squares + apart * apart * (a.count * share);
  if (m.squares - m.squares == 0) move_mean_T(&m, apart * share);
  return m;
}""",
}
