"""Conversions: half precision, and floats to integers with x86-64's results, which are NumPy's, out of range."""

from __future__ import annotations

__all__ = ["CONVERT", "CONVERT_CUDA", "EXTREMES_CUDA"]

CONVERT: dict[tuple[str, str], str] = {
    # Halves: by arithmetic on the bits, because no OpenCL runtime for CPUs vectorises vload_half and vstore_half.
    ("load", "f16"): """
FN f32 load_f16(const u16 h) {
  const u32 m = h & 0x7fffu;
  const u32 f = AS_U32(AS_F32(m << 13) * 0x1p112f) | (m >= 0x7c00u ? 0x7f800000u : 0u);
  return AS_F32(f | ((u32)(h & 0x8000u) << 16));
}""",
    # `x` holds a half's value.
    ("store", "f16"): """
FN u16 store_f16(const f32 x) {
  const u32 u = AS_U32(x), a = u & 0x7fffffffu;
  u32 h = a >= 0x38800000u ? (a - 0x38000000u) >> 13 : AS_U32(AS_F32(a) + 0.5f) - 0x3f000000u;
  h = a >= 0x7f800000u ? (a > 0x7f800000u ? 0x7e00u : 0x7c00u) : h;
  return (u16)(h | (u >> 16 & 0x8000u));
}""",
    # Nearest half, ties to even, as a float. Adding 0.5 leaves of a small number what a subnormal half can hold.
    ("half", "f32"): """
FN f32 half_f32(const f32 x) {
  const u32 u = AS_U32(x), a = u & 0x7fffffffu;
  u32 r = (a + 0xfffu + (a >> 13 & 1u)) & 0xffffe000u;
  r = r >= 0x47800000u ? 0x7f800000u : r;
  r = a < 0x38800000u ? AS_U32(AS_F32(a) + 0.5f - 0.5f) : r;
  r = a > 0x7f800000u ? a : r;
  return AS_F32(r | (u & 0x80000000u));
}""",
    ("half", "f64"): """
FN f32 half_f64(const f64 x) {
  const u64 u = AS_U64(x), a = u & 0x7fffffffffffffffUL;
  u64 r = (a + 0x1ffffffffffUL + (a >> 42 & 1UL)) & 0xfffffc0000000000UL;
  r = r >= 0x40f0000000000000UL ? 0x7ff0000000000000UL : r;
  r = a < 0x3f10000000000000UL ? AS_U64(AS_F64(a) + 0x1p28 - 0x1p28) : r;
  r = a > 0x7ff0000000000000UL ? a : r;
  return (f32)AS_F64(r | (u & 0x8000000000000000UL));
}""",
    # Out of range and NaN give the least integer of 32 or 64 bits; narrower types take its low bits.
    ("to_i32", "f"): """
FN i32 to_i32_T(const T x) {
  return x > -2147483649.0_T && x < 2147483648.0_T ? (i32)x : (i32)0x80000000u;
}""",
    ("to_i64", "f"): """
FN i64 to_i64_T(const T x) {
  return x >= -0x1p63_T && x < 0x1p63_T ? (i64)x : (i64)0x8000000000000000UL;
}""",
    ("to_i8", "f"): "FN i8 to_i8_T(const T x) { return (i8)to_i32_T(x); }",
    ("to_i16", "f"): "FN i16 to_i16_T(const T x) { return (i16)to_i32_T(x); }",
    ("to_u8", "f"): "FN u8 to_u8_T(const T x) { return (u8)to_i32_T(x); }",
    ("to_u16", "f"): "FN u16 to_u16_T(const T x) { return (u16)to_i32_T(x); }",
    ("to_u32", "f"): "FN u32 to_u32_T(const T x) { return (u32)to_i64_T(x); }",
    ("to_u64", "f"): """
FN u64 to_u64_T(const T x) {
  return x >= 0x1p63_T ? (u64)to_i64_T(x - 0x1p63_T) ^ 0x8000000000000000UL : (u64)to_i64_T(x);
}""",
}

EXTREMES_CUDA: dict[tuple[str, str], str] = {
    (name, "f32"): f"""
FN f32 {name}_f32(const f32 a, const f32 b) {{
#if __CUDA_ARCH__ >= 800
  f32 made;
  asm("{instruction}.NaN.f32 %0, %1, %2;" : "=f"(made) : "f"(a), "f"(b));
  return made;
#else
  return {plain}_f32(a, b);
#endif
}}"""
    for name, instruction, plain in (("largest", "max", "maximum"), ("least", "min", "minimum"))
}
"""One instruction, where a comparison of numbers that may be NaN takes three."""

CONVERT_CUDA: dict[tuple[str, str], str] = {
    ("load", "f16"): """
FN f32 load_f16(const u16 h) {
  f32 x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
  return x;
}""",
    ("store", "f16"): """
FN u16 store_f16(const f32 x) {
  u16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
  return h;
}""",
    ("half", "f32"): "FN f32 half_f32(const f32 x) { return load_f16(store_f16(x)); }",
    ("half", "f64"): """
FN f32 half_f64(const f64 x) {
  u16 h;
  asm("cvt.rn.f16.f64 %0, %1;" : "=h"(h) : "d"(x));
  return load_f16(h);
}""",
}
