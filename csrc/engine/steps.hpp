// Steps that a graph repeats: the time steps, iterations and rounds of a program.
#pragma once

#include <span>
#include <vector>

#include "engine/kernel_spec.hpp"
#include "engine/node.hpp"

namespace devarray {

/// For each node what it adds to the length of a kernel's text, where a GPU's kernel has a loop for steps that repeat
/// (devarray/codegen/kernels/loops.py): nothing for what does the same as the node one step before. Nodes as they were
/// recorded; `kept[i]` says whether something else needs the i-th value, so that no loop goes beyond it.
std::vector<int> weights_of_steps(std::span<Node* const> nodes, const std::vector<bool>& kept);

/// Whether steps choose between a new value and that of the step before, so that a GPU's loop of them may end early
/// (devarray/codegen/kernels/loop_ends.py): elements then take their time each, and are best handled one by one.
bool may_end_early(const ExpressionSpec& body);

}  // namespace devarray
