// NVRTC has no host headers. What kernels use of this one, printf, it declares by itself.
