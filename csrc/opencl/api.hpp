// Calls, errors, reference-counted handles and info queries: what every file of this folder builds on.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/driver.hpp"
#include "opencl/dispatch.hpp"

namespace devarray::opencl {

/// A failed OpenCL call. `kind` follows PyOpenCL's error classes.
class ClError : public DriverError {
 public:
  enum class Kind : unsigned char { memory, logic, runtime };
  ClError(const char* call, cl_int code, const std::string& hint = {});
  Kind kind;
};
/// An argument of a kernel is of no type that kernels take.
class ArgumentTypeError final : public ClError {
 public:
  using ClError::ClError;
};

/// "INVALID_VALUE" for CL_INVALID_VALUE; "UNKNOWN" where Khronos names none.
const char* status_name(cl_int code) noexcept;

[[noreturn]] void raise_status(const char* call, cl_int code);
inline void check(cl_int code, const char* call) {
  if (code != CL_SUCCESS) [[unlikely]]
    raise_status(call, code);
}

/// The platform lacks an entry point: too old, or the feature is optional and it does not have it.
[[noreturn]] void raise_missing(const char* call);
template <class Function>
Function* present(Function* function, const char* call) {
  if (!function) [[unlikely]]
    raise_missing(call);
  return function;
}

/// Calls an entry point that returns a status code, through the table of `object`.
#define DEVARRAY_CL(object, function, ...) \
  ::devarray::opencl::check(               \
      ::devarray::opencl::present(::devarray::opencl::table(object).function, #function)(__VA_ARGS__), #function)

/// Calls an entry point that creates an object and leaves its status in its last argument, `&status`.
#define DEVARRAY_CL_CREATE(object, function, ...)                                                                 \
  [&] {                                                                                                           \
    cl_int status = CL_SUCCESS;                                                                                   \
    auto created =                                                                                                \
        ::devarray::opencl::present(::devarray::opencl::table(object).function, #function)(__VA_ARGS__, &status); \
    ::devarray::opencl::check(status, #function);                                                                 \
    return created;                                                                                               \
  }()

template <class Raw>
struct HandleTraits;
#define DEVARRAY_CL_HANDLE(Raw, Name)                                    \
  template <>                                                            \
  struct HandleTraits<Raw> {                                             \
    static void retain(Raw h) { DEVARRAY_CL(h, clRetain##Name, h); }     \
    static void release(Raw h) noexcept { table(h).clRelease##Name(h); } \
  }
DEVARRAY_CL_HANDLE(cl_context, Context);
DEVARRAY_CL_HANDLE(cl_command_queue, CommandQueue);
DEVARRAY_CL_HANDLE(cl_mem, MemObject);
DEVARRAY_CL_HANDLE(cl_sampler, Sampler);
DEVARRAY_CL_HANDLE(cl_program, Program);
DEVARRAY_CL_HANDLE(cl_kernel, Kernel);
DEVARRAY_CL_HANDLE(cl_event, Event);
DEVARRAY_CL_HANDLE(cl_device_id, Device);
#undef DEVARRAY_CL_HANDLE

/// Owns one reference of a driver object.
template <class Raw>
class Handle {
 public:
  Handle() = default;
  /// Takes over a reference that the caller owns.
  static Handle adopt(Raw raw) noexcept {
    Handle h;
    h.raw_ = raw;
    return h;
  }
  /// Adds a reference.
  static Handle share(Raw raw) {
    if (raw) HandleTraits<Raw>::retain(raw);
    return adopt(raw);
  }
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      raw_ = std::exchange(other.raw_, nullptr);
    }
    return *this;
  }
  ~Handle() { reset(); }
  void reset() noexcept {
    if (raw_ && !shutting_down()) HandleTraits<Raw>::release(raw_);
    raw_ = nullptr;
  }
  /// Hands the reference to the caller.
  Raw detach() noexcept { return std::exchange(raw_, nullptr); }
  Raw get() const noexcept { return raw_; }
  explicit operator bool() const noexcept { return raw_ != nullptr; }

 private:
  Raw raw_ = nullptr;
};

/// Reads an attribute of variable size with an info function: `query(size, destination, &needed) -> status`.
template <class Query>
std::string info_bytes(Query&& query, const char* call) {
  std::size_t bytes = 0;
  check(query(0, nullptr, &bytes), call);
  std::string value(bytes, '\0');
  if (bytes) check(query(bytes, value.data(), nullptr), call);
  return value;
}

/// Cuts the terminating zero, and the blanks that some drivers pad names with.
std::string trimmed(std::string text);

template <class T, class Query>
T info_value(Query&& query, const char* call) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value{};
  check(query(sizeof(T), &value, nullptr), call);
  return value;
}

/// The value, or `otherwise` where the driver does not know the attribute.
template <class T, class Query>
T info_value_or(Query&& query, T otherwise) {
  T value{};
  return query(sizeof(T), &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

template <class T, class Query>
std::vector<T> info_array(Query&& query, const char* call) {
  const std::string bytes = info_bytes(query, call);
  const T* first = reinterpret_cast<const T*>(bytes.data());
  return std::vector<T>(first, first + bytes.size() / sizeof(T));
}

/// Binds an info function to its object and attribute for the functions above.
#define DEVARRAY_CL_INFO(function, object, ...)                                                \
  [&](std::size_t bytes, void* destination, std::size_t* needed) {                             \
    return ::devarray::opencl::present(::devarray::opencl::table(object).function, #function)( \
        object, __VA_ARGS__, bytes, destination, needed);                                      \
  }

}  // namespace devarray::opencl
