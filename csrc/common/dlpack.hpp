// The C structures of DLPack 1.3: what other libraries read and write, byte for byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "common/error.hpp"
#include "common/shape.hpp"

namespace devarray::dlpack {

inline constexpr const char* kLegacyName = "dltensor";
inline constexpr const char* kLegacyUsedName = "used_dltensor";
inline constexpr const char* kVersionedName = "dltensor_versioned";
inline constexpr const char* kVersionedUsedName = "used_dltensor_versioned";
inline constexpr const char* kExchangeName = "dlpack_exchange_api";

struct Version {
  std::uint32_t major, minor;
};
inline constexpr Version kVersion{1, 3};

/// The device types that devarray meets.
enum DeviceType : std::int32_t { kCpu = 1, kCuda = 2, kCudaHost = 3, kOpenCL = 4, kCudaManaged = 13 };

struct Device {
  std::int32_t type;
  std::int32_t id;
};

enum Code : std::uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };

struct DataType {
  std::uint8_t code;
  std::uint8_t bits;    ///< of the whole element: 128 for complex128, 8 for bool
  std::uint16_t lanes;  ///< 1 for everything that is no vector type
};

struct Tensor {
  void* data;  ///< an address, or the cl_mem on OpenCL; null where there are no elements
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; before 1.2 null stood for C order
  std::uint64_t byte_offset;
};

/// What a capsule named "dltensor" points to.
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

enum Flag : std::uint64_t { kReadOnly = 1, kIsCopied = 2 };

/// What a capsule named "dltensor_versioned" points to. Everything up to `flags` is the same in every version.
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  std::uint64_t flags;
  Tensor tensor;
};

struct ExchangeHeader {
  Version version;
  ExchangeHeader* previous;  ///< an older table, or null
};

using SetError = void (*)(void* context, const char* kind, const char* message);

/// What `type(x).__dlpack_c_exchange_api__` points to. Every function returns 0, or -1 with an error set.
struct ExchangeApi {
  ExchangeHeader header;
  int (*allocate)(Tensor* prototype, ManagedVersioned** out, void* error_context, SetError set_error);
  int (*from_object)(void* object, ManagedVersioned** out);
  int (*to_object)(ManagedVersioned* tensor, void** out);
  int (*borrow_from_object)(void* object, Tensor* out);  ///< may be null
  int (*current_stream)(DeviceType type, std::int32_t id, void** out);
};

/// The sizes of another library's tensor. Throws ValueError where ndim or the pointer make none; the sizes may be any.
inline Dims shape_of(const Tensor& t) {
  if (t.ndim < 0 || t.ndim > static_cast<std::int32_t>(kMaxDims))
    throw ValueError("the DLPack tensor has " + std::to_string(t.ndim) + " dimensions; 0 to " +
                     std::to_string(kMaxDims) + " are wanted");
  if (t.ndim > 0 && !t.shape)
    throw ValueError("the DLPack tensor has " + std::to_string(t.ndim) + " dimensions and no shape");
  return Dims(t.shape, t.shape + t.ndim);
}

static_assert(sizeof(Tensor) == 48 && offsetof(Tensor, byte_offset) == 40);
static_assert(sizeof(Managed) == 64 && sizeof(ManagedVersioned) == 80 && offsetof(ManagedVersioned, tensor) == 32);

}  // namespace devarray::dlpack
