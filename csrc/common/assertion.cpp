#include "common/assertion.hpp"

#include <cstring>
#include <string>

#include "common/error.hpp"

namespace devarray {

void assertion_failed(const char* expression, const char* file, int line) {
  const char* below = std::strstr(file, "csrc/");  // where it was built is nobody's business
  throw Error("an internal check of devarray failed: " + std::string(expression) + " at " + (below ? below : file) +
              ":" + std::to_string(line) + "; please report what led here");
}

}  // namespace devarray
