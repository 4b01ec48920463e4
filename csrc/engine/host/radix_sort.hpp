// Stable sorts of long rows of numbers in host memory, on several threads.
#pragma once

#include <cstdint>

namespace devarray::host {

/// The elements of a row: NumPy's kind, of `b`, `i`, `u` and `f`, and their bytes, 1 to 8.
struct Elements {
  char kind;
  std::int64_t itemsize;
};

/// Whether the sorts below take such elements.
bool sorts_by_digits(Elements elements) noexcept;

/// Sorts each of `rows` rows of `length` elements, which lie densely, into `out`, elsewhere in memory. Equal elements
/// keep their order, -0 equals 0, and NaN come last, or first where the order descends. Takes locks: release the GIL
/// first. Throws std::bad_alloc.
void sort_by_digits(Elements elements, const void* in, void* out, std::int64_t rows, std::int64_t length,
                    bool descending);
/// The places of the sorted elements, counted within each row.
void argsort_by_digits(Elements elements, const void* in, std::int64_t* out, std::int64_t rows, std::int64_t length,
                       bool descending);

}  // namespace devarray::host
