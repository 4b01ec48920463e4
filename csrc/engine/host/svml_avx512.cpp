#ifdef DEVARRAY_X86_LOOPS
#define DEVARRAY_SVML_WIDTH 64
#define DEVARRAY_SVML_FIND find_svml_avx512
#include "engine/host/svml.inl"
#endif
