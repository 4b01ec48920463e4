// NVRTC has no host headers. What kernels use of this one, size_t, it declares by itself.
#pragma once
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
// NVRTC 13.0 has no __builtin_offsetof.
#define offsetof(type, member) ((size_t)__INTADDR__(&((type*)0)->member))
#endif
