// Sums of products of a short row that slides along a longer one, each added up in the order of the kernels' taps.
#pragma once

#include <cstdint>

namespace devarray::host {

/// out[k] = sum over i of row[k + i - before] * taps[i], by rising i, over the elements that the row has, of float or
/// double. All lie densely.
template <class T>
void slide(const T* row, std::int64_t size, std::int64_t before, const T* taps, std::int64_t count_of_taps, T* out,
           std::int64_t count);

extern template void slide(const float*, std::int64_t, std::int64_t, const float*, std::int64_t, float*, std::int64_t);
extern template void slide(const double*, std::int64_t, std::int64_t, const double*, std::int64_t, double*,
                           std::int64_t);

}  // namespace devarray::host
