"""What PyOpenCL and PyCUDA share: names of dtypes in C, and strides. For libraries that generate kernels (loopy)."""
