// NVRTC has no host headers. What kernels use of this one, size_t, it declares by itself.
#pragma once
#ifndef NULL
#define NULL 0
#endif
#ifndef offsetof
#define offsetof(type, member) __builtin_offsetof(type, member)
#endif
