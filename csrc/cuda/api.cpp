#include "cuda/api.hpp"

#include <mutex>

#include "common/dlib.hpp"

namespace devarray::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

std::mutex load_mutex;
std::atomic<const Api*> loaded{nullptr};
std::string library_path = kLibrary;

// What the user can do about an error, where the driver's own words do not say it.
const char* advice(CUresult result) {
  switch (result) {
    case CUDA_ERROR_INVALID_CONTEXT:
      return "no context is current in this thread: import devarray.cuda.autoprimaryctx, or use Device.make_context()";
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ASSERT:
      return "a kernel launched earlier failed and its context is lost; only a new process can use this device again";
    case CUDA_ERROR_NO_BINARY_FOR_GPU: return "the binary was not compiled for this device's compute capability";
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
      return "the PTX comes from a compiler newer than the driver: compile for sm_XX, or update the driver";
    default: return nullptr;
  }
}

OutOfMemoryError out_of_memory(const char* call) {
  OutOfMemoryError::Figures figures;
  std::size_t free = 0, total = 0;
  const Api* a = loaded_api();
  std::string message = std::string("cuda: ") + call + " ran out of memory";
  if (a && a->cuMemGetInfo_v2.status(&free, &total) == CUDA_SUCCESS) {
    figures.free = static_cast<long long>(free);
    figures.total = static_cast<long long>(total);
    message += ": " + std::to_string(free) + " of the device's " + std::to_string(total) + " bytes are free";
  }
  return OutOfMemoryError(message, figures);
}

const Api* load() {
  auto a = std::make_unique<Api>(library_path);
  a->cuDriverGetVersion.status(&a->driver_version);
  const CUresult result = a->cuInit.status(0);
  if (result == CUDA_SUCCESS) {
    loaded.store(a.get(), std::memory_order_release);
    return a.release();  // kept to the end: objects with static lifetime may still call the driver
  }
  const char *name = nullptr, *text = nullptr;
  a->cuGetErrorName.status(result, &name);
  a->cuGetErrorString.status(result, &text);
  throw MissingDriverError("the CUDA driver " + a->path + " cannot be used: cuInit failed with " +
                           (name ? name : "an unknown error") + " (" + std::to_string(result) +
                           "): " + (text ? text : "no text") +
                           ". Check with nvidia-smi that the driver sees a GPU, or use an OpenCL device");
}

}  // namespace

Api::Api(const std::string& library_path) {
  std::string why;
  const DynamicLibrary library = DynamicLibrary::open({library_path}, LinkScope::local, &why);
  if (!library)
    throw MissingDriverError("no CUDA driver found (" + why +
                             "). On a machine with an NVIDIA GPU install NVIDIA's driver; without one use an OpenCL "
                             "device: pip install 'devarray[cpu]'");
  path = library.path();
#define DEVARRAY_ENTRY(name) name.function_ = library.symbol<decltype(name)::Function>(name.name_);
  DEVARRAY_CUDA_ENTRY_POINTS(DEVARRAY_ENTRY)
#undef DEVARRAY_ENTRY
#define DEVARRAY_ENTRY(member, symbol_name, signature) \
  member.function_ = library.symbol<decltype(member)::Function>(symbol_name);
  DEVARRAY_CUDA_LEGACY_ENTRY_POINTS(DEVARRAY_ENTRY)
#undef DEVARRAY_ENTRY
  if (!cuInit || !cuMemAlloc_v2 || !cuLaunchKernel)
    throw MissingDriverError(path + " is not a CUDA driver: it exports no cuInit. Install NVIDIA's driver");
}

const Api& api() {
  if (const Api* a = loaded.load(std::memory_order_acquire)) [[likely]]
    return *a;
  std::lock_guard lock(load_mutex);
  if (const Api* a = loaded.load(std::memory_order_acquire)) return *a;
  return *load();
}

const Api* loaded_api() noexcept { return loaded.load(std::memory_order_acquire); }

void use_library(const std::string& path) {
  std::lock_guard lock(load_mutex);
  if (loaded.load(std::memory_order_acquire))
    throw ValueError("the CUDA driver is loaded already; choose its library before the first use");
  library_path = path;
}

std::string error_name(CUresult result) {
  const char* name = nullptr;
  if (const Api* a = loaded_api()) a->cuGetErrorName.status(result, &name);
  return name ? name : "CUDA_ERROR_" + std::to_string(static_cast<int>(result));
}

std::string error_text(CUresult result) {
  const char* text = nullptr;
  if (const Api* a = loaded_api()) a->cuGetErrorString.status(result, &text);
  return text ? text : "an error this driver has no words for";
}

void fail(CUresult result, const char* call, const std::string& hint) {
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw out_of_memory(call);
  std::string words = error_text(result);
  if (!hint.empty()) words += "; " + hint;
  if (const char* a = advice(result)) words += std::string("; ") + a;
  throw DriverError("cuda", call, static_cast<long>(result), error_name(result), words);
}

void fail_missing(const char* call) {
  const Api* a = loaded_api();
  throw MissingDriverError("the CUDA driver " +
                           (a ? a->path + " (CUDA " + std::to_string(a->driver_version / 1000) + "." +
                                    std::to_string(a->driver_version % 1000 / 10) + ")"
                              : std::string()) +
                           " has no " + call + ": install a driver of another version");
}

}  // namespace devarray::cuda
