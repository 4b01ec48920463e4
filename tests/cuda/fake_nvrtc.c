/* A stand-in for NVRTC, for the stand-in driver: takes any source, and answers an image that fake_cuda.c loads. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default"))) int
static const char image[] = "an image without code";

__attribute__((visibility("default"))) const char* nvrtcGetErrorString(int r) { (void)r; return "words of the compiler"; }
/* FAKE_NVRTC=old: version 12.3, which does not know --minimal. FAKE_NVRTC=refuses: a text that --minimal is too little for.
   FAKE_NVRTC=builtins: version 13.77, whose builtins no machine has, opens them by name, as NVRTC does. */
static int is(const char* what) { const char* asked = getenv("FAKE_NVRTC"); return asked && strcmp(asked, what) == 0; }
static int compilations, minimal_ones;
__attribute__((visibility("default"))) int fake_compilations(void) { return compilations; }
__attribute__((visibility("default"))) int fake_minimal_ones(void) { return minimal_ones; }
API nvrtcVersion(int* major, int* minor) { *major = is("old") ? 12 : 13; *minor = is("old") ? 3 : is("builtins") ? 77 : 0; return 0; }
API nvrtcGetNumSupportedArchs(int* n) { *n = 1; return 0; }
API nvrtcGetSupportedArchs(int* archs) { *archs = 90; return 0; }
API nvrtcCreateProgram(void** p, const char* source, const char* name, int n, const char* const* headers, const char* const* names) {
  (void)name; (void)n; (void)headers; (void)names;
  *p = (void*)image;
  return source ? 0 : 1;
}
API nvrtcDestroyProgram(void** p) { *p = NULL; return 0; }
API nvrtcCompileProgram(void* p, int n, const char* const* options) {
  int minimal = 0;
  for (int i = 0; i < n; ++i) minimal |= strcmp(options[i], "--minimal") == 0;
  ++compilations;
  minimal_ones += minimal;
  if (is("builtins") && !dlopen("libnvrtc-builtins.so.13.77", RTLD_NOW)) return 7;
  if (minimal && is("old")) return 5;
  if (minimal && is("refuses")) return 6;
  return p ? 0 : 1;
}
API nvrtcGetProgramLogSize(void* p, size_t* n) { *n = 1; return p ? 0 : 1; }
API nvrtcGetProgramLog(void* p, char* log) { *log = 0; return p ? 0 : 1; }
API nvrtcGetCUBINSize(void* p, size_t* n) { *n = sizeof image; return p ? 0 : 1; }
API nvrtcGetCUBIN(void* p, char* code) { memcpy(code, image, sizeof image); return p ? 0 : 1; }
API nvrtcGetPTXSize(void* p, size_t* n) { return nvrtcGetCUBINSize(p, n); }
API nvrtcGetPTX(void* p, char* code) { return nvrtcGetCUBIN(p, code); }
