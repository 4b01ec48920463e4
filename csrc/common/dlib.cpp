#include "common/dlib.hpp"

#include <dlfcn.h>
#include <link.h>

namespace devarray {

DynamicLibrary DynamicLibrary::open(const std::vector<std::string>& candidates, LinkScope scope, std::string* why) {
  DynamicLibrary library;
  for (const std::string& candidate : candidates) {
    const int visibility = scope == LinkScope::global ? RTLD_GLOBAL : RTLD_LOCAL;
    library.handle_ = dlopen(candidate.c_str(), RTLD_NOW | visibility);
    if (library.handle_) {
      library.name_ = candidate;
      return library;
    }
    const char* reason = dlerror();
    if (why) {
      if (!why->empty()) *why += "; ";
      *why += reason ? reason : candidate + ": cannot be opened";
    }
  }
  return library;
}

DynamicLibrary DynamicLibrary::loaded(const std::string& soname) {
  DynamicLibrary library;
  library.handle_ = dlopen(soname.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library.handle_) library.name_ = soname;
  return library;
}

std::string DynamicLibrary::path() const {
  link_map* map = nullptr;
  if (handle_ && dlinfo(handle_, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] != '\0') return map->l_name;
  return name_;
}

void* DynamicLibrary::address(const char* symbol_name) const noexcept {
  return handle_ ? dlsym(handle_, symbol_name) : nullptr;
}

}  // namespace devarray
