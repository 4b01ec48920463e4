#ifdef DEVARRAY_X86_LOOPS
#define DEVARRAY_SVML_WIDTH 32
#define DEVARRAY_SVML_FIND find_svml_avx2
#include "engine/host/svml.inl"
#endif
