// Scalars that stay the same from one launch to the next, as constants of a kernel that is made for them.
//
// A kernel does not depend on its scalars' values: it loads them, each element anew where there are many. Where a
// launch is repeated with the same ones, a kernel that has them in its code is compiled in the background, and takes
// over.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/kernel_spec.hpp"

namespace devarray {

/// Of one planned launch. Under the engine's lock.
class Constants {
 public:
  /// Null where it would not pay, or where no scalar may be one: a compiler that knows an operand of `exp` or `pow` may
  /// give other bits than the device does.
  static std::shared_ptr<Constants> of(const ElementwiseSpec& spec, const SmallVector<std::int64_t, 64>& slots,
                                       std::size_t first_scalar, std::int64_t elements);

  /// Takes note of a launch's slots. The kernel that has their values in it, if there is one.
  KernelPtr kernel_for(const SmallVector<std::int64_t, 64>& slots);
  /// Has that kernel made where scalars stay the same. Python runs: others may, too.
  void ask(Device& device);

  /// Of the kernel that kernel_for() gave last, or that is being made.
  const std::vector<SpecConstant>& values() const { return spec_.constants; }

  std::size_t bytes() const {
    return sizeof(Constants) + sizeof(Scalar) * scalars_.size() + 8 * spec_.body.nodes.size();
  }

 private:
  struct Scalar {
    std::uint16_t number;  ///< in the spec
    std::uint32_t slot;
    std::int64_t value;
    unsigned same = 0;  ///< launches since it was another
    bool constant = false;
  };
  bool choose();
  void forget();

  ElementwiseSpec spec_;
  std::vector<Scalar> scalars_;
  std::weak_ptr<Kernel> kernel_;  ///< the kernel cache decides how long it lives
  unsigned chosen_ = 0;           ///< how often
};

}  // namespace devarray
