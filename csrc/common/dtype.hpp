// The element types that kernels compute with, and NumPy 2's promotion between them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace devarray {

enum class DType : std::uint8_t {
  bool_,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  float32,
  float64,
  complex64,
  complex128
};
inline constexpr int kDTypes = 14;
/// Bytes without arithmetic: structured dtypes and the like. Stored, moved and viewed, never computed with.
inline constexpr DType kOpaque = static_cast<DType>(255);

enum class Kind : char { boolean = 'b', integer = 'i', unsigned_ = 'u', real = 'f', complex = 'c', opaque = 'V' };

struct DTypeInfo {
  const char* name;   ///< NumPy's
  std::uint8_t size;  ///< bytes
  Kind kind;
};

inline constexpr DTypeInfo kDTypeInfo[kDTypes] = {
    {"bool", 1, Kind::boolean},      {"int8", 1, Kind::integer},       {"int16", 2, Kind::integer},
    {"int32", 4, Kind::integer},     {"int64", 8, Kind::integer},      {"uint8", 1, Kind::unsigned_},
    {"uint16", 2, Kind::unsigned_},  {"uint32", 4, Kind::unsigned_},   {"uint64", 8, Kind::unsigned_},
    {"float16", 2, Kind::real},      {"float32", 4, Kind::real},       {"float64", 8, Kind::real},
    {"complex64", 8, Kind::complex}, {"complex128", 16, Kind::complex}};

constexpr const DTypeInfo& info(DType t) { return kDTypeInfo[static_cast<int>(t)]; }
constexpr std::size_t size_of(DType t) { return info(t).size; }
constexpr Kind kind_of(DType t) { return info(t).kind; }
constexpr const char* name_of(DType t) { return info(t).name; }
/// Bytes of which addresses must be multiples: kernels read numbers, and the two parts of complex ones, one by one.
constexpr std::int64_t alignment_of(DType t) { return kind_of(t) == Kind::complex ? size_of(t) / 2 : size_of(t); }

constexpr int kind_rank(Kind k) {
  return k == Kind::boolean ? 0 : k == Kind::unsigned_ || k == Kind::integer ? 1 : k == Kind::real ? 2 : 3;
}
/// Signed or not; bool is none.
constexpr bool is_integer(DType t) { return kind_rank(kind_of(t)) == 1; }

/// The least of the kind's dtypes with at least `bytes` (of one component for complex).
constexpr DType sized(Kind kind, int bytes) {
  switch (kind) {
    case Kind::boolean: return DType::bool_;
    case Kind::integer:
      return bytes <= 1 ? DType::int8 : bytes <= 2 ? DType::int16 : bytes <= 4 ? DType::int32 : DType::int64;
    case Kind::unsigned_:
      return bytes <= 1 ? DType::uint8 : bytes <= 2 ? DType::uint16 : bytes <= 4 ? DType::uint32 : DType::uint64;
    case Kind::real: return bytes <= 2 ? DType::float16 : bytes <= 4 ? DType::float32 : DType::float64;
    default: return bytes <= 4 ? DType::complex64 : DType::complex128;
  }
}

/// Bytes of float that hold every value of an integer dtype as NumPy counts it: 1 -> 2, 2 -> 4, 4 and 8 -> 8.
constexpr int float_bytes_for(DType t) {
  switch (kind_of(t)) {
    case Kind::boolean: return 2;
    case Kind::integer:
    case Kind::unsigned_: return size_of(t) == 1 ? 2 : size_of(t) == 2 ? 4 : 8;
    case Kind::real: return static_cast<int>(size_of(t));
    default: return static_cast<int>(size_of(t)) / 2;
  }
}

/// np.promote_types(a, b).
constexpr DType promote(DType a, DType b) {
  if (a == b) return a;
  const Kind ka = kind_of(a), kb = kind_of(b);
  if (ka == Kind::boolean) return b;
  if (kb == Kind::boolean) return a;
  const int ra = kind_rank(ka), rb = kind_rank(kb);
  if (ra == 1 && rb == 1) {
    if (ka == kb) return size_of(a) >= size_of(b) ? a : b;
    const DType s = ka == Kind::integer ? a : b, u = ka == Kind::integer ? b : a;
    if (size_of(s) > size_of(u)) return s;
    return size_of(u) == 8 ? DType::float64 : sized(Kind::integer, static_cast<int>(size_of(u)) * 2);
  }
  const int bytes = float_bytes_for(a) > float_bytes_for(b) ? float_bytes_for(a) : float_bytes_for(b);
  return sized(ra > 2 || rb > 2 ? Kind::complex : Kind::real, bytes);
}

/// The dtype of `array op scalar` for a Python bool ('b'), int ('i'), float ('f') or complex ('c') scalar.
constexpr DType promote_weak(DType array, Kind scalar) {
  const Kind k = kind_of(array);
  if (kind_rank(scalar) <= kind_rank(k)) return array;
  if (scalar == Kind::integer) return DType::int64;  // bool array
  if (scalar == Kind::real) return DType::float64;   // bool and integer arrays
  return k == Kind::real ? (size_of(array) <= 4 ? DType::complex64 : DType::complex128) : DType::complex128;
}

}  // namespace devarray
