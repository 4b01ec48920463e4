#include "cuda/nvrtc.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

#include "common/dlib.hpp"
#include "common/error.hpp"
#include "cuda/api.hpp"

namespace devarray::cuda {

// NVRTC's C interface. Declared here because not every set of CUDA headers has nvrtc.h.
using Result = int;
using Handle = struct OpaqueProgram*;
constexpr Result kSuccess = 0, kCompilationError = 6;

struct Nvrtc::Functions {
  const char* (*error_string)(Result) = nullptr;
  Result (*version)(int*, int*) = nullptr;
  Result (*arch_count)(int*) = nullptr;
  Result (*archs)(int*) = nullptr;
  Result (*create)(Handle*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
  Result (*destroy)(Handle*) = nullptr;
  Result (*compile)(Handle, int, const char* const*) = nullptr;
  Result (*log_size)(Handle, std::size_t*) = nullptr;
  Result (*log)(Handle, char*) = nullptr;
  Result (*ptx_size)(Handle, std::size_t*) = nullptr;
  Result (*ptx)(Handle, char*) = nullptr;
  Result (*cubin_size)(Handle, std::size_t*) = nullptr;
  Result (*cubin)(Handle, char*) = nullptr;

  explicit Functions(const DynamicLibrary& library) {
    find(library, "nvrtcGetErrorString", error_string);
    find(library, "nvrtcVersion", version);
    find(library, "nvrtcGetNumSupportedArchs", arch_count);
    find(library, "nvrtcGetSupportedArchs", archs);
    find(library, "nvrtcCreateProgram", create);
    find(library, "nvrtcDestroyProgram", destroy);
    find(library, "nvrtcCompileProgram", compile);
    find(library, "nvrtcGetProgramLogSize", log_size);
    find(library, "nvrtcGetProgramLog", log);
    find(library, "nvrtcGetPTXSize", ptx_size);
    find(library, "nvrtcGetPTX", ptx);
    find(library, "nvrtcGetCUBINSize", cubin_size);
    find(library, "nvrtcGetCUBIN", cubin);
  }

  void check(Result result, const char* call) const {
    if (result != kSuccess) throw DriverError("nvrtc", call, result, error_string(result));
  }

 private:
  template <class F>
  static void find(const DynamicLibrary& library, const char* name, F& function) {
    function = library.symbol<F>(name);
    if (!function)
      throw MissingDriverError(library.path() + " has no " + name +
                               ": devarray needs NVRTC of CUDA 12 or newer (pip install 'devarray[cuda12]')");
  }
};

namespace {

constexpr const char* kSourceName = "kernel.cu";

std::mutex nvrtc_mutex;
std::atomic<const Nvrtc*> loaded_nvrtc{nullptr};
std::function<std::vector<std::string>()> finder;

// The N of libnvrtc.so.N, 0 where the name does not say.
int major_of(const std::string& path) {
  static const std::string stem = "libnvrtc.so.";
  const std::size_t at = path.rfind(stem);
  return at == std::string::npos ? 0 : std::atoi(path.c_str() + at + stem.size());
}

void add_system_candidates(std::vector<std::string>& candidates) {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* home = std::getenv(variable)) candidates.push_back(std::string(home) + "/lib64/libnvrtc.so");
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so"})
    candidates.emplace_back(name);
}

// The driver's own major version first, then older ones (newest first), then newer ones: a driver loads cubins of
// older compilers, but not of a newer major version.
void sort_for_driver(std::vector<std::string>& candidates) {
  const Api* a = loaded_api();
  const int driver = a ? a->driver_version / 1000 : 99;  // without a driver the newest of all
  auto rank = [&](const std::string& path) {
    const int major = major_of(path);
    return major == 0 ? 500 : major <= driver ? driver - major : 2000 + major;
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
}

// The first error of a log, with the line of the source it points at.
std::string first_error(const std::string& log, const std::string& source) {
  // "kernel.cu(12): error: ..."
  std::size_t at = log.find("): error");
  if (at == std::string::npos) at = log.find("): catastrophic error");
  const std::size_t open = at == std::string::npos ? at : log.rfind('(', at);
  if (open == std::string::npos) return log.substr(0, log.find('\n'));
  const int number = std::atoi(log.c_str() + open + 1);
  const std::size_t line_start = log.rfind('\n', at) + 1;  // npos + 1 is the log's start
  // A text may stand behind lines that were put before it.
  static const std::string first = "#line 1\n";
  const std::size_t start = source.find(first);
  std::size_t begin = start == std::string::npos ? 0 : start + first.size();
  for (int line = number; line > 1 && begin != std::string::npos; --line) {
    begin = source.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  std::string text = log.substr(line_start, log.find('\n', at) - line_start);
  if (begin != std::string::npos) text += "\n    " + source.substr(begin, source.find('\n', begin) - begin);
  return text;
}

bool names_real_architecture(const std::vector<std::string>& options) {
  return std::any_of(options.begin(), options.end(), [](const std::string& o) {
    return (o.rfind("-arch", 0) == 0 || o.rfind("--gpu-architecture", 0) == 0 || o.rfind("sm_", 0) == 0) &&
           o.find("sm_") != std::string::npos;
  });
}

// NVRTC opens its builtins by name when it compiles. They lie beside it, where not every release looks (that of
// CUDA 13.0 does not): those that are open are found.
void open_builtins(const std::string& path, int major, int minor) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return;
  const std::string version = std::to_string(major) + "." + std::to_string(minor);
  DynamicLibrary::open({path.substr(0, slash + 1) + "libnvrtc-builtins.so." + version});
}

}  // namespace

std::unique_ptr<Nvrtc> load_nvrtc() {
  std::vector<std::string> candidates = finder ? finder() : std::vector<std::string>();
  add_system_candidates(candidates);
  sort_for_driver(candidates);
  std::string why;
  const DynamicLibrary library = DynamicLibrary::open(candidates, LinkScope::local, &why);
  if (!library)
    throw MissingDriverError(
        "NVRTC, CUDA's run-time compiler, was not found. Install it with: pip install 'devarray[cuda13]' (or "
        "'devarray[cuda12]' for a driver of CUDA 12). Tried: " +
        why);
  auto compiler = std::make_unique<Nvrtc>();
  auto functions = std::make_shared<const Nvrtc::Functions>(library);
  functions->check(functions->version(&compiler->major_, &compiler->minor_), "nvrtcVersion");
  open_builtins(library.path(), compiler->major_, compiler->minor_);
  int count = 0;
  functions->check(functions->arch_count(&count), "nvrtcGetNumSupportedArchs");
  compiler->archs_.resize(static_cast<std::size_t>(count));
  functions->check(functions->archs(compiler->archs_.data()), "nvrtcGetSupportedArchs");
  std::sort(compiler->archs_.begin(), compiler->archs_.end());
  compiler->path_ = library.path();
  compiler->functions_ = functions;
  return compiler;
}

const Nvrtc& nvrtc() {
  if (const Nvrtc* n = loaded_nvrtc.load(std::memory_order_acquire)) return *n;
  // The finder may wait for Python's lock, so it runs before ours is taken; a second thread's result is dropped.
  auto candidate = load_nvrtc();
  std::lock_guard lock(nvrtc_mutex);
  if (!loaded_nvrtc.load(std::memory_order_acquire)) loaded_nvrtc.store(candidate.release(), std::memory_order_release);
  return *loaded_nvrtc.load(std::memory_order_acquire);
}

void set_nvrtc_finder(std::function<std::vector<std::string>()> f) { finder = std::move(f); }

std::string Nvrtc::arch_option(int capability) const {
  auto above = std::upper_bound(archs_.begin(), archs_.end(), capability);
  if (above == archs_.begin())
    throw CompileError("NVRTC " + version() + " (" + path_ + ") no longer compiles for sm_" +
                           std::to_string(capability) + "; install an older one: pip install 'devarray[cuda12]'",
                       "", "");
  const int best = *std::prev(above);
  return (best == capability ? "-arch=sm_" : "-arch=compute_") + std::to_string(best);
}

CompiledCode Nvrtc::compile(const std::string& source, const std::vector<std::string>& options) const {
  const Functions& f = *functions_;
  Handle program = nullptr;
  f.check(f.create(&program, source.c_str(), kSourceName, 0, nullptr, nullptr), "nvrtcCreateProgram");
  const std::unique_ptr<Handle, std::function<void(Handle*)>> cleanup(&program, [&f](Handle* p) { f.destroy(p); });

  std::vector<const char*> arguments;
  for (const std::string& option : options)
    if (option != "--minimal" || takes_minimal()) arguments.push_back(option.c_str());
  const Result result = f.compile(program, static_cast<int>(arguments.size()), arguments.data());

  CompiledCode code;
  std::size_t size = 0;
  if (f.log_size(program, &size) == kSuccess && size > 1) {
    code.log.resize(size);
    f.check(f.log(program, code.log.data()), "nvrtcGetProgramLog");
    code.log.resize(size - 1);  // without the terminating zero
  }
  if (result == kCompilationError &&
      takes_minimal()) {  // a user's function within our text may ask for what is left out
    std::vector<std::string> all = options;
    if (std::erase(all, "--minimal")) return compile(source, all);
  }
  if (result != kSuccess) {
    std::string words = first_error(code.log, source);
    if (result != kCompilationError) {
      words = std::string(f.error_string(result)) + ": " + words + "; the options were";
      for (const std::string& option : options) words += " " + option;
    }
    throw CompileError("a CUDA kernel does not compile (NVRTC " + version() + "): " + words, code.log, source);
  }
  const bool cubin = names_real_architecture(options);
  f.check((cubin ? f.cubin_size : f.ptx_size)(program, &size), cubin ? "nvrtcGetCUBINSize" : "nvrtcGetPTXSize");
  code.image.resize(size);
  f.check((cubin ? f.cubin : f.ptx)(program, code.image.data()), cubin ? "nvrtcGetCUBIN" : "nvrtcGetPTX");
  return code;
}

std::vector<std::string> split_options(const std::string& options) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool open = false;
  for (const char c : options) {
    if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (open) words.push_back(word);
      word.clear();
      open = false;
    } else {
      word += c;
      open = true;
    }
  }
  if (quote) throw ValueError("compiler options with an open quote: " + options);
  if (open) words.push_back(word);
  return words;
}

}  // namespace devarray::cuda
