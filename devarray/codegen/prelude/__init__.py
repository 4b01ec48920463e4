"""C functions that kernels call, one module a family."""
