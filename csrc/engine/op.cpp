#include "engine/op.hpp"

#include "common/error.hpp"

namespace devarray {

OpId OpTable::add(Op op) {
  ops_.push_back(std::move(op));
  return static_cast<OpId>(ops_.size() - 1);
}

OpId OpTable::find(const std::string& name) const {
  for (std::size_t i = 0; i < ops_.size(); ++i)
    if (ops_[i].name == name) return static_cast<OpId>(i);
  throw Error("no operation is named " + name);
}

}  // namespace devarray
