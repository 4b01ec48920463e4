#ifdef DEVARRAY_X86_LOOPS
#define DEVARRAY_LOOP_SET avx2_loops
#include "engine/host/loops.inl"
#endif
