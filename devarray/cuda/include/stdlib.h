// NVRTC has no host headers. What kernels use of this one, malloc and free, it declares by itself.
