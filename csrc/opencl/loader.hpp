// Opens the vendors' libraries and collects their platforms. Once a process, at the first use.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "opencl/dispatch.hpp"

namespace devarray::opencl {

/// A library that may hold platforms.
struct Candidate {
  std::string library;             ///< path, or soname for the system's search path
  std::vector<std::string> needs;  ///< paths of what it depends on, in order of need; opened if it does not open alone
  std::string origin;              ///< where it was found, for the report
  std::string problem;             ///< empty, or why it must not be loaded: it does not work on this machine
};

/// What became of a candidate.
struct LoadedLibrary {
  std::string library, origin;
  std::size_t platforms = 0;
  std::string problem;  ///< empty, or why it gave none
};

/// Names the candidates, the system's before the embedded ones. Called once, before the first use.
using Finder = std::function<std::vector<Candidate>()>;
void set_finder(Finder finder);

/// In the order of the candidates. A vendor's library counts once, and so does a platform, even where the system
/// and the Python environment both have it. Empty where nothing was found.
const std::vector<cl_platform_id>& platform_ids();
const std::vector<LoadedLibrary>& loaded_libraries();

/// Which candidate the platform came from, or null for one that another library of this process loaded.
const LoadedLibrary* library_of(cl_platform_id platform);

}  // namespace devarray::opencl
