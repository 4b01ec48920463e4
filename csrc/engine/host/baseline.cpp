#define DEVARRAY_LOOP_SET baseline_loops
#include "engine/host/loops.inl"
