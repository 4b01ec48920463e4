#include "engine/host/sliding.hpp"

#include <algorithm>

namespace devarray::host {

template <class T>
void slide(const T* row, std::int64_t size, std::int64_t before, const T* taps, std::int64_t count_of_taps, T* out,
           std::int64_t count) {
  std::fill_n(out, count, T(-0.0));  // what changes no first addend
  for (std::int64_t i = 0; i < count_of_taps; ++i) {
    const std::int64_t first = std::max<std::int64_t>(0, before - i), last = std::min(count, size + before - i);
    for (std::int64_t k = first; k < last; ++k) out[k] += row[k + i - before] * taps[i];
  }
}

template void slide(const float*, std::int64_t, std::int64_t, const float*, std::int64_t, float*, std::int64_t);
template void slide(const double*, std::int64_t, std::int64_t, const double*, std::int64_t, double*, std::int64_t);

}  // namespace devarray::host
