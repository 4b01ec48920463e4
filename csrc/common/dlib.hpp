// A shared library opened at run time. Drivers are never linked against, only opened.
#pragma once

#include <string>
#include <vector>

namespace devarray {

/// local: the library's symbols stay its own. global: libraries opened later may use them, which embedded runtimes
/// need of the libraries they depend on when no search path leads to those.
enum class LinkScope : bool { local, global };

/// An open shared library. Copies share the handle. Never closed: drivers keep threads and exit handlers of their own
/// and do not survive being unloaded.
class DynamicLibrary {
 public:
  DynamicLibrary() = default;

  /// The first of `candidates` (paths, or sonames for the system's search path) that opens; an empty object when none
  /// does, then `why` (if given) tells for each candidate what the loader said.
  static DynamicLibrary open(const std::vector<std::string>& candidates, LinkScope scope = LinkScope::local,
                             std::string* why = nullptr);

  /// One that the process has loaded already, by its soname; an empty object where it has not.
  static DynamicLibrary loaded(const std::string& soname);

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  /// The candidate that opened, as it was given.
  const std::string& name() const noexcept { return name_; }
  /// The file that the loader found for it, or name() where it does not say.
  std::string path() const;

  /// The address of an exported symbol, or null. `T` is the function's pointer type.
  template <class T>
  T symbol(const char* symbol_name) const noexcept {
    return reinterpret_cast<T>(address(symbol_name));
  }

 private:
  void* address(const char* symbol_name) const noexcept;
  void* handle_ = nullptr;
  std::string name_;
};

}  // namespace devarray
