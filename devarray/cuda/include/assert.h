// NVRTC has no host headers. What kernels use of this one, assert, it declares by itself.
