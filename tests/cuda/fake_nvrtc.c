/* A stand-in for NVRTC, for the stand-in driver: takes any source, and answers an image that fake_cuda.c loads. */
#include <stddef.h>
#include <string.h>

#define API __attribute__((visibility("default"))) int
static const char image[] = "an image without code";

__attribute__((visibility("default"))) const char* nvrtcGetErrorString(int r) { (void)r; return "words of the compiler"; }
API nvrtcVersion(int* major, int* minor) { *major = 13; *minor = 0; return 0; }
API nvrtcGetNumSupportedArchs(int* n) { *n = 1; return 0; }
API nvrtcGetSupportedArchs(int* archs) { *archs = 90; return 0; }
API nvrtcCreateProgram(void** p, const char* source, const char* name, int n, const char* const* headers, const char* const* names) {
  (void)name; (void)n; (void)headers; (void)names;
  *p = (void*)image;
  return source ? 0 : 1;
}
API nvrtcDestroyProgram(void** p) { *p = NULL; return 0; }
API nvrtcCompileProgram(void* p, int n, const char* const* options) { (void)n; (void)options; return p ? 0 : 1; }
API nvrtcGetProgramLogSize(void* p, size_t* n) { *n = 1; return p ? 0 : 1; }
API nvrtcGetProgramLog(void* p, char* log) { *log = 0; return p ? 0 : 1; }
API nvrtcGetCUBINSize(void* p, size_t* n) { *n = sizeof image; return p ? 0 : 1; }
API nvrtcGetCUBIN(void* p, char* code) { memcpy(code, image, sizeof image); return p ? 0 : 1; }
API nvrtcGetPTXSize(void* p, size_t* n) { return nvrtcGetCUBINSize(p, n); }
API nvrtcGetPTX(void* p, char* code) { return nvrtcGetCUBIN(p, code); }
