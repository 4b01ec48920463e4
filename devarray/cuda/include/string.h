// NVRTC has no host headers. What kernels use of this one, memcpy and memset, it declares by itself.
