"""devarray: NumPy-compatible arrays on OpenCL and CUDA devices."""
