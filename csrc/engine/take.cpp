#include "engine/take.hpp"

#include "engine/evaluate.hpp"
#include "engine/index_flags.hpp"
#include "engine/record.hpp"

namespace devarray {
namespace {

/// A leaf whose kernels get the address of its first element.
NodeRef read_anywhere(const Node& n) {
  NodeRef seen = Node::view(n, n.dtype, {}, {}, n.offset);
  seen->reach = std::make_unique<const Extent>(n.extent());
  return seen;
}

}  // namespace

NodeRef taken(const NodeRef& table, const NodeRef& places, const std::string& what) {
  static const OpId take = ops().find("take");
  if (places->dtype != DType::int64)
    throw DTypeError(std::string("places of elements are int64, not ") + name_of(places->dtype));
  evaluate(*table);
  const NodeRef inputs[] = {read_anywhere(*table), places, read_anywhere(*index_flag(table->place, what))};
  return record_as(take, table->dtype, table->dtype, places->shape, table->place, inputs, 3);
}

}  // namespace devarray
