// Steps that a graph repeats: the time steps, iterations and rounds of a program.
#pragma once

#include <span>
#include <vector>

#include "engine/node.hpp"

namespace devarray {

/// For each node what it adds to the length of a kernel's text, where a GPU's kernel has a loop for steps that repeat
/// (devarray/codegen/kernels/loops.py): nothing for what does the same as the node one step before. Nodes as they were
/// recorded; `kept[i]` says whether something else needs the i-th value, so that no loop goes beyond it.
std::vector<int> weights_of_steps(std::span<Node* const> nodes, const std::vector<bool>& kept);

}  // namespace devarray
