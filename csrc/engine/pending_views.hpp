// Views of values that are not evaluated yet (rule 5 in docs/design.md). Such a view is a pending node whose only input
// is the value, never another such view. It becomes a leaf on the value's memory as soon as that has some. Kernels that
// read the view alone compute it from views of what the value is computed from instead, where that costs no more.
#pragma once

#include <vector>

#include "engine/node.hpp"
#include "engine/survey.hpp"

namespace devarray {

/// Whether views of `n` wait: it is pending, has axes and elements, and no deep graph below it. What the host can
/// compute at once is evaluated.
bool views_wait(Node& n);

/// Whether an operation's result, which is still to be computed, will lie in C order: any steps make views of it.
bool lands_in_c_order(const Node& n);

/// How elements of a value whose views wait lie in the value that a view of it is a view of, in elements.
Placement pending_placement(const Node& n);

/// A view of a value whose views wait, by its placement among the same elements. Null where it has no axes, or a step
/// leaves an axis: then the value is to be evaluated first.
NodeRef view_of_pending(const NodeRef& n, const Dims& shape, const Placement& placement);

/// What is pending below `root` and cannot be computed in its kernel: views are made expressions over views, or are
/// evaluated with their values, as costs less; what has another shape than `space` is evaluated.
void evaluate_what_differs(Node& root, const Dims& space);
/// The same below several, which one kernel is to compute.
void evaluate_what_differs(const std::vector<NodeRef>& roots, const Dims& space);

/// Whether a view's operations can be done on views of its value's operands.
bool views_can_be_made(const Survey& found, const Node& base, const Node& view);

/// Values of all pairs that `root` repeats along its last axis, by views with an axis of one element there, become part
/// of its expression, though arrays may hold them. For a reader that computes once what does not differ along that
/// axis.
void take_in_repeated(Node& root);

/// The value of a pending view for a reader that wants it as an expression, such as a reduction: one that nobody else
/// has, or the view itself, evaluated. `dies`: only the caller's temporary holds the view.
NodeRef expression_of_view(const NodeRef& view, bool dies);

}  // namespace devarray
