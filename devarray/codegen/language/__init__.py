"""The dialects: OpenCL C and CUDA C."""
