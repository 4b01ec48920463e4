// Matrix products with vectors by kernels of the engine's own.
#pragma once

#include "engine/node.hpp"

namespace devarray {

/// A matrix as it is; a vector as a row where it stands on the left, as a column on the right. Of evaluated values.
NodeRef as_matrix(const NodeRef& n, bool left);

/// Whether a matrix, of two factors one of which is a vector, has long columns or rows, and few of them.
bool is_narrow(const Node& x, const Node& y);

/// Whether `x @ y` adds up the rows of two tall matrices of few columns, x.T and y, whose elements lie side by side, on
/// a GPU: a kernel planned in Python is for them (codegen/kernels/tall_product.py). Evaluates those that may be.
bool is_tall_product(Node& x, Node& y);

/// Whether `x @ y` has many rows of few elements times a small matrix, on a GPU: a kernel planned in Python is for it
/// (codegen/kernels/row_product.py). Evaluates both then.
bool is_row_product(Node& x, Node& y);

/// The product of a matrix and a vector, or of two vectors, that fit each other: a reduction that absorbs the
/// multiplication. It reads the matrix once, at the memory's speed, which a tiled product of one row does not. Products
/// with short rows may wait (reduce_rows.hpp), for what is computed from them.
/// The vector of the two is not stored beside the product where it dies: where nothing else will ask for it.
NodeRef product_with_vector(const NodeRef& x, const NodeRef& y, bool x_dies = false, bool y_dies = false);

/// Whether two stacks of matrices are so small that a kernel of ours is quicker, which has no tiles. NumPy's matmul
/// shapes that fit each other, of one dtype.
bool are_small(const Node& x, const Node& y);
/// Their products: a sum of products that waits, as sums over short axes do.
NodeRef product_of_small(const NodeRef& x, const NodeRef& y);

}  // namespace devarray
