#include "engine/host/sliding.hpp"

namespace devarray::host {

template <class T>
void slide(const T* row, const T* taps, std::int64_t count_of_taps, T* out, std::int64_t count) {
  for (std::int64_t k = 0; k < count; ++k) out[k] = row[k] * taps[0];
  for (std::int64_t i = 1; i < count_of_taps; ++i)
    for (std::int64_t k = 0; k < count; ++k) out[k] += row[k + i] * taps[i];
}

template void slide(const float*, const float*, std::int64_t, float*, std::int64_t);
template void slide(const double*, const double*, std::int64_t, double*, std::int64_t);

}  // namespace devarray::host
