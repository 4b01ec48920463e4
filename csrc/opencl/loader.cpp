#include "opencl/loader.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "common/dlib.hpp"
#include "opencl/api.hpp"
#include "opencl/fork.hpp"

namespace devarray::opencl {
namespace {

struct State {
  std::mutex mutex;
  Finder finder;
  bool loaded = false;
  std::vector<cl_platform_id> platforms;
  std::vector<LoadedLibrary> libraries;
  std::map<cl_platform_id, std::size_t> library_of;
};

State& state() {
  static State* s = new State;  // never destroyed: objects that outlive static destruction still look up platforms
  return *s;
}

/// "libpocl" for "/x/libpocl-21062cec.so" and "libpocl.so.2": builds of one vendor's library do not share a process.
std::string stem(const std::string& library) {
  const std::string file = library.substr(library.find_last_of('/') + 1);
  return file.substr(0, file.find_first_of("-."));
}

using GetPlatforms = cl_int(CL_API_CALL*)(cl_uint, cl_platform_id*, cl_uint*);

/// A vendor's library names its platforms through cl_khr_icd; an ICD loader (or a driver that is one itself) through
/// the plain entry point.
GetPlatforms platform_lister(const DynamicLibrary& library) {
  if (stem(library.name()) != "libOpenCL") {
    using GetExtension = void*(CL_API_CALL*)(const char*);
    if (auto extension = library.symbol<GetExtension>("clGetExtensionFunctionAddress"))
      if (void* function = extension("clIcdGetPlatformIDsKHR")) return reinterpret_cast<GetPlatforms>(function);
    if (auto direct = library.symbol<GetPlatforms>("clIcdGetPlatformIDsKHR")) return direct;
  }
  return library.symbol<GetPlatforms>("clGetPlatformIDs");
}

std::string identity(cl_platform_id p) {
  const std::string name = info_bytes(DEVARRAY_CL_INFO(clGetPlatformInfo, p, CL_PLATFORM_NAME), "clGetPlatformInfo");
  return name + info_bytes(DEVARRAY_CL_INFO(clGetPlatformInfo, p, CL_PLATFORM_VERSION), "clGetPlatformInfo");
}

DynamicLibrary open_with_needs(const Candidate& candidate, std::string* why) {
  if (DynamicLibrary library = DynamicLibrary::open({candidate.library}, LinkScope::local, why)) return library;
  if (candidate.needs.empty()) return {};
  for (const std::string& need : candidate.needs) DynamicLibrary::open({need}, LinkScope::local, nullptr);
  why->clear();
  return DynamicLibrary::open({candidate.library}, LinkScope::local, why);
}

/// Opens one candidate and adds the platforms that are new.
LoadedLibrary load(const Candidate& candidate, State& s) {
  LoadedLibrary result{candidate.library, candidate.origin, 0, {}};
  const DynamicLibrary library = open_with_needs(candidate, &result.problem);
  if (!library) return result;
  const GetPlatforms list = platform_lister(library);
  cl_uint count = 0;
  if (!list || list(0, nullptr, &count) != CL_SUCCESS || count == 0) {
    result.problem = list ? "it has no platform on this machine" : "it is not an OpenCL library";
    return result;
  }
  std::vector<cl_platform_id> found(count);
  check(list(count, found.data(), nullptr), "clIcdGetPlatformIDsKHR");
  for (cl_platform_id platform : found) {
    const bool known = std::any_of(s.platforms.begin(), s.platforms.end(), [&](cl_platform_id other) {
      return other == platform || identity(other) == identity(platform);
    });
    if (known) continue;
    s.platforms.push_back(platform);
    note_platform_for_forks(platform);
    s.library_of[platform] = s.libraries.size();
    ++result.platforms;
  }
  if (result.platforms == 0) result.problem = "its platforms are known already";
  return result;
}

void load_all(State& s, const std::vector<Candidate>& candidates) {
  std::vector<std::string> stems;
  for (const Candidate& candidate : candidates) {
    if (!candidate.problem.empty()) {  // one of the same vendor that works may follow
      s.libraries.push_back({candidate.library, candidate.origin, 0, candidate.problem});
      continue;
    }
    const std::string name = stem(candidate.library);
    if (std::find(stems.begin(), stems.end(), name) != stems.end()) {
      s.libraries.push_back({candidate.library, candidate.origin, 0, name + " is loaded already from elsewhere"});
      continue;
    }
    try {
      s.libraries.push_back(load(candidate, s));
    } catch (const DriverError& error) {  // one broken driver must not hide the others
      s.libraries.push_back({candidate.library, candidate.origin, 0, error.what()});
    }
    if (s.libraries.back().platforms) stems.push_back(name);
  }
}

State& loaded_state() {
  State& s = state();
  Finder finder;
  {
    std::lock_guard lock(s.mutex);
    if (s.loaded) return s;
    finder = s.finder;
  }
  // The finder may take the GIL, so it runs without the lock. Running it twice in a race is harmless.
  const std::vector<Candidate> candidates = finder ? finder() : std::vector<Candidate>{};
  std::lock_guard lock(s.mutex);
  if (!s.loaded) load_all(s, candidates);
  s.loaded = true;
  return s;
}

}  // namespace

void set_finder(Finder finder) {
  State& s = state();
  std::lock_guard lock(s.mutex);
  s.finder = std::move(finder);
}

const std::vector<cl_platform_id>& platform_ids() { return loaded_state().platforms; }
const std::vector<LoadedLibrary>& loaded_libraries() { return loaded_state().libraries; }

const LoadedLibrary* library_of(cl_platform_id platform) {
  State& s = loaded_state();
  const auto at = s.library_of.find(platform);
  return at == s.library_of.end() ? nullptr : &s.libraries[at->second];
}

}  // namespace devarray::opencl
