#include "engine/constants.hpp"

namespace devarray {
namespace {

/// Fewer operations, or elements, are memory's work or the launch's.
constexpr std::size_t kLeastOperations = 8;
constexpr std::int64_t kLeastElements = std::int64_t{1} << 16;
/// Further launches with the same value after which a scalar is taken for a constant.
constexpr unsigned kLaunches = 2;
/// Kernels that are made for one plan: what changes again and again is no constant.
constexpr unsigned kMostKernels = 3;

bool is_exact(const SpecNode& n) {
  const Kind kind = kind_of(n.compute);
  return kind != Kind::complex && (kind != Kind::real || has_flag(n.op, Op::exact));
}

}  // namespace

std::shared_ptr<Constants> Constants::of(const ElementwiseSpec& spec, const SmallVector<std::int64_t, 64>& slots,
                                         std::size_t first_scalar, std::int64_t elements) {
  const ExpressionSpec& body = spec.body;
  if (body.nodes.size() < kLeastOperations || elements < kLeastElements) return nullptr;
  static const OpId divide = ops().find("divide");
  std::vector<bool> may(body.scalars.size(), true), divides(body.scalars.size(), false);
  for (const SpecNode& n : body.nodes)
    for (int i = 0; i < n.nargs; ++i)
      if (const std::size_t at = n.args[i] - body.leaves.size(); n.args[i] >= body.leaves.size() && at < may.size()) {
        divides[at] = divides[at] || (n.op == divide && i == 1);
        may[at] = may[at] && is_exact(n);
      }
  auto made = std::make_shared<Constants>();
  std::size_t slot = first_scalar;
  for (std::size_t i = 0; i < may.size(); ++i) {
    const bool one_slot = body.scalars[i] != DType::complex128;
    // Instructions have no room for 64 bits: two more would make a constant, where one loads it.
    const bool pays = body.scalars[i] != DType::float64 || divides[i];
    if (may[i] && one_slot && pays)
      made->scalars_.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint32_t>(slot), slots[slot]});
    slot += one_slot ? 1 : 2;
  }
  if (made->scalars_.empty()) return nullptr;
  made->spec_ = spec;
  return made;
}

KernelPtr Constants::kernel_for(const SmallVector<std::int64_t, 64>& slots) {
  bool fits = true;
  for (Scalar& s : scalars_) {
    if (const std::int64_t value = slots[s.slot]; value != s.value) {
      fits = fits && !s.constant;
      s.value = value;
      s.same = 0;
    } else {
      ++s.same;
    }
  }
  if (!fits) forget();
  return spec_.constants.empty() ? nullptr : kernel_.lock();
}

void Constants::forget() {
  for (Scalar& s : scalars_) s.constant = false;
  spec_.constants.clear();
  kernel_.reset();
}

/// Which scalars are constants from now on. False where none are.
bool Constants::choose() {
  if (!spec_.constants.empty()) return true;
  if (chosen_ == kMostKernels) return false;
  for (Scalar& s : scalars_) {
    s.constant = s.same >= kLaunches;
    if (s.constant) spec_.constants.push_back({s.number, s.value});
  }
  if (spec_.constants.empty()) return false;
  ++chosen_;
  return true;
}

void Constants::ask(Device& device) {
  if (!choose() || ask_for_kernel(device, spec_, kernel_)) return;
  chosen_ = kMostKernels;
  forget();
}

}  // namespace devarray
