#ifdef DEVARRAY_AVX2_LOOPS
#define DEVARRAY_LOOP_SET avx2_loops
#include "engine/host/loops.inl"
#endif
