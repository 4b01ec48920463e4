/* A stand-in for libcuda: host memory for device memory, and a few kernels known by name. It lets the call sequences
 * of the CUDA layer run where there is no GPU. It checks what a driver would refuse: contexts, double frees, bounds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is used of cuda.h, which the machine that runs the tests need not have. */
typedef int CUresult, CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
typedef struct CUfunc_st* CUfunction;
typedef struct CUmod_st* CUmodule;
typedef int CUdevice_attribute, CUlimit, CUfunc_cache, CUjit_option, CUfunction_attribute;
typedef struct {
  size_t srcXInBytes, srcY;
  int srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  void* srcArray;
  size_t srcPitch, dstXInBytes, dstY;
  int dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  void* dstArray;
  size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;
typedef struct {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType;
  const void* srcHost;
  CUdeviceptr srcDevice;
  void *srcArray, *reserved0;
  size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void* dstHost;
  CUdeviceptr dstDevice;
  void *dstArray, *reserved1;
  size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
enum {
  CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_CONTEXT = 201, CUDA_ERROR_INVALID_PTX = 218, CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_NOT_READY = 600, CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1, CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10, CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0, CU_FUNC_CACHE_PREFER_L1 = 2,
  CU_EVENT_DISABLE_TIMING = 2, CU_MEMORYTYPE_HOST = 1, CU_JIT_INFO_LOG_BUFFER = 3, CU_JIT_ERROR_LOG_BUFFER = 5
};
#define CU_STREAM_LEGACY ((CUstream)1)
#define CU_STREAM_PER_THREAD ((CUstream)2)

#define API __attribute__((visibility("default"))) CUresult
enum { MAX_ALLOCATIONS = 4096, DEVICES = 2, STACK = 16 };

struct CUctx_st { int device, users, primary; };
struct CUstream_st { int alive; unsigned flags; int priority; CUcontext context; };
struct CUevent_st { unsigned flags; double time; };
struct CUfunc_st { const char* name; int count; size_t sizes[8]; };
struct CUmod_st { int loaded; char variable[64]; };

static struct { char* base; size_t size; int kind, shared; } allocations[MAX_ALLOCATIONS];
static int allocation_count, live_contexts, launches, sticky;
static struct CUctx_st primaries[DEVICES] = {{0, 0, 1}, {1, 0, 1}};
static __thread CUcontext stack[STACK];
static __thread int depth;
static double clock_now;

static struct CUfunc_st functions[] = {
    {"doublify", 1, {8}}, {"count", 1, {8}}, {"axpy", 4, {8, 8, 4, 4}}, {"slots", 2, {8, 32}}, {"complex", 2, {8, 8}}, {"crash", 0, {0}},
    {"k", 0, {0}}}; /* what the engine generates: does nothing */

/* FAKE_CUDA_FAIL="cuMemAlloc=2" makes that call fail, FAKE_CUDA_ABORT="cuMemAlloc" end the process. */
static int forced(const char* call) {
  if (getenv("FAKE_CUDA_ABORT") && !strcmp(getenv("FAKE_CUDA_ABORT"), call)) abort();
  const char* wish = getenv("FAKE_CUDA_FAIL");
  size_t n = strlen(call);
  return wish && strncmp(wish, call, n) == 0 && wish[n] == '=' ? atoi(wish + n + 1) : 0;
}

#define CURRENT() do { if (!depth || !stack[depth - 1]) return CUDA_ERROR_INVALID_CONTEXT; if (sticky) return sticky; } while (0)
#define FORCED(name) do { int f = forced(name); if (f) return f; } while (0)

static int inside(const void* p, size_t bytes) {
  for (int i = 0; i < allocation_count; ++i)
    if (allocations[i].base && (char*)p >= allocations[i].base && (char*)p + bytes <= allocations[i].base + allocations[i].size) return 1;
  return 0;
}

/* The driver refuses copies from and to memory of which a part is page-locked. */
static int partly_locked(const char* p, size_t bytes) {
  for (int i = 0; i < allocation_count; ++i) {
    const char *from = allocations[i].base, *to = from + allocations[i].size;
    if (allocations[i].kind == 4 && p < to && p + bytes > from && !(p >= from && p + bytes <= to)) return 1;
  }
  return 0;
}

/* Memory that other processes open by its handle, which is its name: with FAKE_CUDA_SHARED=1. */
static const char* shared_name(int number) {
  static char name[64];
  snprintf(name, sizeof name, "/devarray-fake-%d-%d", (int)getpid(), number);
  return name;
}
static void* map_shared(const char* name, int flags, size_t* bytes) {
  int file = shm_open(name, flags, 0600);
  struct stat found;
  if (file < 0 || (*bytes && ftruncate(file, *bytes)) || fstat(file, &found)) return NULL;
  *bytes = found.st_size;
  void* p = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return p == MAP_FAILED ? NULL : p;
}
__attribute__((destructor)) static void unlink_shared(void) {
  for (int i = 0; i < allocation_count; ++i)
    if (allocations[i].shared > 0) shm_unlink(shared_name(allocations[i].shared));
}

/* New memory is 0xAA, or with FAKE_CUDA_FILL=N the number N as int64: what results are counted as where no kernel writes. */
static void fill(char* p, size_t bytes) {
  long long number = getenv("FAKE_CUDA_FILL") ? atoll(getenv("FAKE_CUDA_FILL")) : (long long)0xAAAAAAAAAAAAAAAAull;
  for (size_t i = 0; i < bytes; i += sizeof number) memcpy(p + i, &number, bytes - i < sizeof number ? bytes - i : sizeof number);
}

static CUresult allocate(void** p, size_t bytes, int kind) {
  static int number;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > (1ull << 30) || allocation_count == MAX_ALLOCATIONS) return CUDA_ERROR_OUT_OF_MEMORY;
  size_t mapped = bytes;
  int shared = kind == 1 && getenv("FAKE_CUDA_SHARED") ? ++number : 0;
  *p = shared ? map_shared(shared_name(shared), O_CREAT | O_RDWR, &mapped) : aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  fill(*p, bytes);
  allocations[allocation_count].shared = shared;
  allocations[allocation_count].base = *p;
  allocations[allocation_count].size = bytes;
  allocations[allocation_count++].kind = kind;
  return CUDA_SUCCESS;
}

static CUresult release(void* p, int kind) {
  for (int i = 0; i < allocation_count; ++i)
    if (allocations[i].base == p && (allocations[i].kind & kind)) {
      if (allocations[i].shared > 0) shm_unlink(shared_name(allocations[i].shared));
      if (allocations[i].shared) munmap(p, allocations[i].size); else free(p);
      allocations[i] = allocations[--allocation_count];
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

__attribute__((visibility("default"))) int fake_live_allocations(void) { return allocation_count; }
__attribute__((visibility("default"))) int fake_live_contexts(void) { return live_contexts; }
__attribute__((visibility("default"))) int fake_launches(void) { return launches; }
/* Of the last launch over several layers how many, and as many bytes of its first argument as a test asks for; of the
   last launch its groups and their work-items. */
static struct { unsigned bytes, layers; char argument[4096]; unsigned sizes[6]; } layered;
__attribute__((visibility("default"))) void* fake_layered(void) { return &layered; }

API cuInit(unsigned flags) { FORCED("cuInit"); return flags ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }
API cuDriverGetVersion(int* v) { *v = 13000; return CUDA_SUCCESS; }
API cuGetErrorName(CUresult r, const char** s) {
  *s = r == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : r == 100 ? "CUDA_ERROR_NO_DEVICE" : r == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
     : r == 201 ? "CUDA_ERROR_INVALID_CONTEXT" : r == 500 ? "CUDA_ERROR_NOT_FOUND" : "CUDA_ERROR_INVALID_VALUE";
  return CUDA_SUCCESS;
}
API cuGetErrorString(CUresult r, const char** s) { *s = r ? "words of the driver" : "no error"; return CUDA_SUCCESS; }

API cuDeviceGetCount(int* n) { *n = DEVICES; return CUDA_SUCCESS; }
API cuDeviceGet(CUdevice* d, int i) { *d = i; return i >= 0 && i < DEVICES ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }
API cuDeviceGetName(char* s, int n, CUdevice d) { snprintf(s, n, "Fake %d", d); return CUDA_SUCCESS; }
API cuDeviceTotalMem_v2(size_t* b, CUdevice d) { (void)d; *b = 1ull << 30; return CUDA_SUCCESS; }
API cuDeviceGetPCIBusId(char* s, int n, CUdevice d) { snprintf(s, n, "0000:%02X:00.0", d + 1); return CUDA_SUCCESS; }
API cuDeviceGetByPCIBusId(CUdevice* d, const char* s) {
  *d = s[6] - '1';
  return *d >= 0 && *d < DEVICES ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
API cuDeviceCanAccessPeer(int* yes, CUdevice a, CUdevice b) { *yes = a != b; return CUDA_SUCCESS; }
/* FAKE_CUDA_ATTRIBUTES="16=132,75=8": what the device says of itself, by the attributes' numbers in cuda.h. */
static int wished(CUdevice_attribute a, int* v) {
  for (const char* wish = getenv("FAKE_CUDA_ATTRIBUTES"); wish && *wish; wish = (wish = strchr(wish, ',')) ? wish + 1 : NULL)
    if (atoi(wish) == a) return *v = atoi(strchr(wish, '=') + 1), 1;
  return 0;
}
API cuDeviceGetAttribute(int* v, CUdevice_attribute a, CUdevice d) {
  (void)d;
  if (wished(a, v)) return CUDA_SUCCESS;
  switch ((int)a) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *v = 9; break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR: case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *v = 32; break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *v = 1024; break;
    case 8: *v = 49152; break;  // bytes of shared memory a block
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH: *v = 0x7fffffff; break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *v = 4; break;
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY: *v = 1; break;
    default: *v = 0;
  }
  return a < 140 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

API cuDevicePrimaryCtxRetain(CUcontext* c, CUdevice d) { primaries[d].users++; *c = &primaries[d]; return CUDA_SUCCESS; }
API cuDevicePrimaryCtxRelease_v2(CUdevice d) { primaries[d].users--; return CUDA_SUCCESS; }
API cuCtxCreate_v2(CUcontext* c, unsigned flags, CUdevice d) {
  (void)flags;
  *c = calloc(1, sizeof **c);
  (*c)->device = d; stack[depth++] = *c; live_contexts++;
  return CUDA_SUCCESS;
}
API cuCtxDestroy_v2(CUcontext c) {
  if (depth && stack[depth - 1] == c) depth--;
  free(c); live_contexts--;
  return CUDA_SUCCESS;
}
API cuCtxGetCurrent(CUcontext* c) { *c = depth ? stack[depth - 1] : NULL; return CUDA_SUCCESS; }
API cuCtxSetCurrent(CUcontext c) { if (!depth) depth = 1; stack[depth - 1] = c; return CUDA_SUCCESS; }
API cuCtxPushCurrent_v2(CUcontext c) { stack[depth++] = c; return CUDA_SUCCESS; }
API cuCtxPopCurrent_v2(CUcontext* c) { if (!depth) return CUDA_ERROR_INVALID_CONTEXT; *c = stack[--depth]; return CUDA_SUCCESS; }
API cuCtxGetDevice(CUdevice* d) { CURRENT(); *d = stack[depth - 1]->device; return CUDA_SUCCESS; }
API cuCtxSynchronize(void) { CURRENT(); return CUDA_SUCCESS; }
API cuCtxGetLimit(size_t* v, CUlimit l) { CURRENT(); *v = 1000 + l; return CUDA_SUCCESS; }
API cuCtxGetCacheConfig(CUfunc_cache* c) { CURRENT(); *c = CU_FUNC_CACHE_PREFER_L1; return CUDA_SUCCESS; }
API cuCtxGetStreamPriorityRange(int* a, int* b) { CURRENT(); *a = 0; *b = -5; return CUDA_SUCCESS; }

API cuStreamCreateWithPriority(CUstream* s, unsigned flags, int priority) {
  CURRENT();
  *s = calloc(1, sizeof **s);
  (*s)->alive = 1; (*s)->flags = flags; (*s)->priority = priority; (*s)->context = stack[depth - 1];
  return CUDA_SUCCESS;
}
API cuStreamDestroy_v2(CUstream s) { CURRENT(); if (!s->alive) return CUDA_ERROR_INVALID_HANDLE; s->alive = 0; free(s); return CUDA_SUCCESS; }
static int good(CUstream s) { return !s || s == CU_STREAM_LEGACY || s == CU_STREAM_PER_THREAD || s->alive; }
#define STREAM(s) do { CURRENT(); if (!good(s)) return CUDA_ERROR_INVALID_HANDLE; } while (0)
static CUstream captured;  /* the one stream whose work becomes a graph */
API cuStreamBeginCapture_v2(CUstream s, int mode) { STREAM(s); (void)mode; captured = s; return CUDA_SUCCESS; }
API cuStreamIsCapturing(CUstream s, int* status) { STREAM(s); *status = s && s == captured ? 1 : 0; return CUDA_SUCCESS; }
API cuStreamQuery(CUstream s) { STREAM(s); return s && s == captured ? 900 /* CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED */ : CUDA_SUCCESS; }
API cuStreamSynchronize(CUstream s) { STREAM(s); return CUDA_SUCCESS; }
API cuStreamWaitEvent(CUstream s, CUevent e, unsigned f) { STREAM(s); return e && !f ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
API cuStreamGetPriority(CUstream s, int* p) { STREAM(s); *p = s ? s->priority : 0; return CUDA_SUCCESS; }
API cuStreamAttachMemAsync(CUstream s, CUdeviceptr p, size_t n, unsigned f) { STREAM(s); return n == 0 && f && inside((void*)p, 1) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
API cuEventCreate(CUevent* e, unsigned flags) { CURRENT(); *e = calloc(1, sizeof **e); (*e)->flags = flags; return CUDA_SUCCESS; }
API cuEventDestroy_v2(CUevent e) { CURRENT(); free(e); return CUDA_SUCCESS; }
API cuEventRecord(CUevent e, CUstream s) { STREAM(s); e->time = ++clock_now; return CUDA_SUCCESS; }
API cuEventQuery(CUevent e) { CURRENT(); return e->time > 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY; }
API cuEventSynchronize(CUevent e) { (void)e; CURRENT(); return CUDA_SUCCESS; }
API cuEventElapsedTime(float* ms, CUevent a, CUevent b) {
  CURRENT();
  if ((a->flags | b->flags) & CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
  *ms = (float)(b->time - a->time);
  return CUDA_SUCCESS;
}

API cuMemGetInfo_v2(size_t* f, size_t* t) { CURRENT(); *f = 1000; *t = 1ull << 30; return CUDA_SUCCESS; }
API cuMemAlloc_v2(CUdeviceptr* p, size_t n) { CURRENT(); FORCED("cuMemAlloc"); return allocate((void**)p, n, 1); }
API cuMemAllocPitch_v2(CUdeviceptr* p, size_t* pitch, size_t w, size_t h, unsigned e) {
  CURRENT();
  if (e != 4 && e != 8 && e != 16) return CUDA_ERROR_INVALID_VALUE;
  *pitch = (w + 511) / 512 * 512;
  return allocate((void**)p, *pitch * h, 1);
}
API cuMemAllocManaged(CUdeviceptr* p, size_t n, unsigned f) { CURRENT(); return f == 1 || f == 2 ? allocate((void**)p, n, 1) : CUDA_ERROR_INVALID_VALUE; }
API cuMemFree_v2(CUdeviceptr p) { CURRENT(); return release((void*)p, 1); }
API cuMemHostAlloc(void** p, size_t n, unsigned f) { (void)f; CURRENT(); return allocate(p, n, 2); }
API cuMemFreeHost(void* p) { CURRENT(); return release(p, 2); }
API cuMemHostGetDevicePointer_v2(CUdeviceptr* d, void* h, unsigned f) { CURRENT(); *d = (CUdeviceptr)h; return f ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS; }
API cuMemHostGetFlags(unsigned* f, void* p) { CURRENT(); *f = 2; return inside((const void*)p, 1) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
typedef struct { char name[64]; } CUipcHandle;
API cuIpcGetMemHandle(CUipcHandle* h, CUdeviceptr p) {
  CURRENT();
  for (int i = 0; i < allocation_count; ++i)
    if (allocations[i].base == (char*)p && allocations[i].shared > 0) {
      memset(h, 0, sizeof *h);
      strcpy(h->name, shared_name(allocations[i].shared));
      return CUDA_SUCCESS;
    }
  memset(h, 2, sizeof *h); /* a handle that nobody can open */
  return inside((const void*)p, 1) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
API cuIpcOpenMemHandle_v2(CUdeviceptr* p, CUipcHandle h, unsigned flags) {
  CURRENT();
  size_t bytes = 0;
  char* base = h.name[0] == '/' ? map_shared(h.name, O_RDWR, &bytes) : NULL;
  if (flags != 1 || !base) return CUDA_ERROR_INVALID_VALUE;
  allocations[allocation_count].base = base;
  allocations[allocation_count].size = bytes;
  allocations[allocation_count].shared = -1;
  allocations[allocation_count++].kind = 8;
  *p = (CUdeviceptr)base;
  return CUDA_SUCCESS;
}
API cuIpcCloseMemHandle(CUdeviceptr p) { CURRENT(); return release((void*)p, 8); }
API cuIpcGetEventHandle(CUipcHandle* h, CUevent e) { CURRENT(); if (e->flags != 6) return CUDA_ERROR_INVALID_VALUE; memset(h, 1, sizeof *h); return CUDA_SUCCESS; }
API cuIpcOpenEventHandle(CUevent* e, CUipcHandle h) { CURRENT(); if (h.name[0] != 1) return CUDA_ERROR_INVALID_VALUE; *e = calloc(1, sizeof **e); (*e)->flags = 6; (*e)->time = ++clock_now; return CUDA_SUCCESS; }

static int peers; /* bit 2 * a + b: context of device a reaches device b */
__attribute__((visibility("default"))) int fake_peers(void) { return peers; }
API cuCtxEnablePeerAccess(CUcontext other, unsigned flags) {
  CURRENT();
  FORCED("cuCtxEnablePeerAccess");
  int bit = 1 << (2 * stack[depth - 1]->device + other->device);
  if (other->device == stack[depth - 1]->device) return CUDA_ERROR_INVALID_CONTEXT;
  if (flags || peers & bit) return 704;
  peers |= bit;
  return CUDA_SUCCESS;
}
API cuMemHostRegister_v2(void* p, size_t n, unsigned f) {
  CURRENT();
  (void)f;
  allocations[allocation_count].shared = 0;
  allocations[allocation_count].base = p;
  allocations[allocation_count].size = n;
  allocations[allocation_count++].kind = 4;
  return CUDA_SUCCESS;
}
API cuMemHostUnregister(void* p) {
  CURRENT();
  for (int i = 0; i < allocation_count; ++i)
    if (allocations[i].base == p && allocations[i].kind == 4) { allocations[i] = allocations[--allocation_count]; return CUDA_SUCCESS; }
  return CUDA_ERROR_INVALID_VALUE;
}
API cuMemGetAddressRange_v2(CUdeviceptr* b, size_t* s, CUdeviceptr p) {
  for (int i = 0; i < allocation_count; ++i)
    if ((char*)p >= allocations[i].base && (char*)p < allocations[i].base + allocations[i].size) {
      if (b) *b = (CUdeviceptr)allocations[i].base;
      if (s) *s = allocations[i].size;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

static CUresult move(void* d, const void* s, size_t n, int d_device, int s_device) {
  CURRENT();
  if (d_device && !inside(d, n)) return CUDA_ERROR_INVALID_VALUE;
  if (s_device && !inside(s, n)) return CUDA_ERROR_INVALID_VALUE;
  if (partly_locked(d, n) || partly_locked(s, n)) return CUDA_ERROR_INVALID_VALUE;
  memmove(d, s, n);
  return CUDA_SUCCESS;
}
API cuMemcpyAsync(CUdeviceptr d, CUdeviceptr s, size_t n, CUstream q) { STREAM(q); return move((void*)d, (void*)s, n, 0, 0); }
API cuMemcpyHtoD_v2(CUdeviceptr d, const void* s, size_t n) { return move((void*)d, s, n, 1, 0); }
API cuMemcpyDtoH_v2(void* d, CUdeviceptr s, size_t n) { return move(d, (void*)s, n, 0, 1); }
API cuMemcpyDtoD_v2(CUdeviceptr d, CUdeviceptr s, size_t n) { return move((void*)d, (void*)s, n, 1, 1); }
API cuMemcpyHtoDAsync_v2(CUdeviceptr d, const void* s, size_t n, CUstream q) { STREAM(q); return move((void*)d, s, n, 1, 0); }
API cuMemcpyDtoHAsync_v2(void* d, CUdeviceptr s, size_t n, CUstream q) { STREAM(q); return move(d, (void*)s, n, 0, 1); }
API cuMemcpyDtoDAsync_v2(CUdeviceptr d, CUdeviceptr s, size_t n, CUstream q) { STREAM(q); return move((void*)d, (void*)s, n, 1, 1); }
API cuMemcpyPeer(CUdeviceptr d, CUcontext dc, CUdeviceptr s, CUcontext sc, size_t n) { return dc && sc ? move((void*)d, (void*)s, n, 1, 1) : CUDA_ERROR_INVALID_CONTEXT; }
API cuMemcpyPeerAsync(CUdeviceptr d, CUcontext dc, CUdeviceptr s, CUcontext sc, size_t n, CUstream q) { STREAM(q); return dc && sc ? move((void*)d, (void*)s, n, 1, 1) : CUDA_ERROR_INVALID_CONTEXT; }

static CUresult copy3d(const CUDA_MEMCPY3D* c) {
  CURRENT();
  const char* s = c->srcMemoryType == CU_MEMORYTYPE_HOST ? c->srcHost : (char*)c->srcDevice;
  char* d = c->dstMemoryType == CU_MEMORYTYPE_HOST ? c->dstHost : (char*)c->dstDevice;
  if (!s || !d || c->srcPitch < c->WidthInBytes || c->dstPitch < c->WidthInBytes) return CUDA_ERROR_INVALID_VALUE;
  for (size_t z = 0; z < c->Depth; ++z)
    for (size_t y = 0; y < c->Height; ++y)
      memcpy(d + ((z + c->dstZ) * c->dstHeight + y + c->dstY) * c->dstPitch + c->dstXInBytes,
             s + ((z + c->srcZ) * c->srcHeight + y + c->srcY) * c->srcPitch + c->srcXInBytes, c->WidthInBytes);
  return CUDA_SUCCESS;
}
static CUresult copy2d(const CUDA_MEMCPY2D* c) {
  CUDA_MEMCPY3D a = {0};
  a.srcXInBytes = c->srcXInBytes; a.srcY = c->srcY; a.srcMemoryType = c->srcMemoryType; a.srcHost = c->srcHost;
  a.srcDevice = c->srcDevice; a.srcPitch = c->srcPitch; a.dstXInBytes = c->dstXInBytes; a.dstY = c->dstY;
  a.dstMemoryType = c->dstMemoryType; a.dstHost = c->dstHost; a.dstDevice = c->dstDevice; a.dstPitch = c->dstPitch;
  a.WidthInBytes = c->WidthInBytes; a.Height = c->Height; a.Depth = 1;
  return copy3d(&a);
}
API cuMemcpy2D_v2(const CUDA_MEMCPY2D* c) { return copy2d(c); }
API cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* c) { return copy2d(c); }
API cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* c, CUstream q) { STREAM(q); return copy2d(c); }
API cuMemcpy3D_v2(const CUDA_MEMCPY3D* c) { return copy3d(c); }
API cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* c, CUstream q) { STREAM(q); return copy3d(c); }

static CUresult set(CUdeviceptr d, size_t pitch, const void* unit, size_t bytes, size_t width, size_t height) {
  CURRENT();
  if (d % bytes || (width && height && !inside((void*)d, pitch * (height - 1) + width * bytes))) return CUDA_ERROR_INVALID_VALUE;
  for (size_t y = 0; y < height; ++y)
    for (size_t x = 0; x < width; ++x) memcpy((char*)d + y * pitch + x * bytes, unit, bytes);
  return CUDA_SUCCESS;
}
#define MEMSET(bits, type) \
  API cuMemsetD##bits##_v2(CUdeviceptr d, type v, size_t n) { return set(d, 0, &v, sizeof v, n, 1); } \
  API cuMemsetD##bits##Async(CUdeviceptr d, type v, size_t n, CUstream q) { STREAM(q); return set(d, 0, &v, sizeof v, n, 1); } \
  API cuMemsetD2D##bits##_v2(CUdeviceptr d, size_t p, type v, size_t w, size_t h) { return set(d, p, &v, sizeof v, w, h); } \
  API cuMemsetD2D##bits##Async(CUdeviceptr d, size_t p, type v, size_t w, size_t h, CUstream q) { STREAM(q); return set(d, p, &v, sizeof v, w, h); }
MEMSET(8, unsigned char)
MEMSET(16, unsigned short)
MEMSET(32, unsigned)

API cuModuleLoadDataEx(CUmodule* m, const void* image, unsigned n, CUjit_option* keys, void** values) {
  CURRENT();
  for (unsigned i = 0; i < n; ++i)
    if (keys[i] == CU_JIT_INFO_LOG_BUFFER && strncmp(image, "bad", 3)) strcpy(values[i], "linked");
    else if (keys[i] == CU_JIT_ERROR_LOG_BUFFER && !strncmp(image, "bad", 3)) strcpy(values[i], "line 1: bad PTX");
  if (!strncmp(image, "bad", 3)) return CUDA_ERROR_INVALID_PTX;
  *m = calloc(1, sizeof **m);
  return CUDA_SUCCESS;
}
/* A linker: what it makes is what it was given, one after the other. */
typedef struct { char* data; size_t size; char *info, *error; } *CUlinkState;
static CUresult link_more(CUlinkState s, const char* data, size_t n) {
  if (n >= 3 && !strncmp(data, "bad", 3)) { if (s->error) strcpy(s->error, "undefined symbol"); return CUDA_ERROR_INVALID_PTX; }
  s->data = realloc(s->data, s->size + n + 1);
  memcpy(s->data + s->size, data, n);
  s->data[s->size += n] = 0;
  if (s->info) strcpy(s->info, "added");
  return CUDA_SUCCESS;
}
API cuLinkCreate_v2(unsigned n, CUjit_option* keys, void** values, CUlinkState* s) {
  CURRENT();
  *s = calloc(1, sizeof **s);
  for (unsigned i = 0; i < n; ++i)
    if (keys[i] == CU_JIT_INFO_LOG_BUFFER) (*s)->info = values[i];
    else if (keys[i] == CU_JIT_ERROR_LOG_BUFFER) (*s)->error = values[i];
  return CUDA_SUCCESS;
}
API cuLinkAddData_v2(CUlinkState s, int type, void* data, size_t n, const char* name, unsigned c, void* k, void* v) {
  (void)name, (void)c, (void)k, (void)v;
  CURRENT();
  return type < 0 || type > 5 ? CUDA_ERROR_INVALID_VALUE : link_more(s, data, n);
}
API cuLinkAddFile_v2(CUlinkState s, int type, const char* path, unsigned c, void* k, void* v) {
  (void)type, (void)c, (void)k, (void)v;
  CURRENT();
  FILE* f = fopen(path, "rb");
  if (!f) return 301; /* CUDA_ERROR_FILE_NOT_FOUND */
  char bytes[64];
  size_t n = fread(bytes, 1, sizeof bytes, f);
  fclose(f);
  return link_more(s, bytes, n);
}
API cuLinkComplete(CUlinkState s, void** image, size_t* n) { CURRENT(); *image = s->data; *n = s->size; return s->size ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
API cuLinkDestroy(CUlinkState s) { CURRENT(); free(s->data); free(s); return CUDA_SUCCESS; }
API cuModuleUnload(CUmodule m) { CURRENT(); free(m); return CUDA_SUCCESS; }
API cuModuleGetFunction(CUfunction* f, CUmodule m, const char* name) {
  (void)m;
  CURRENT();
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; ++i)
    if (!strcmp(functions[i].name, name)) { *f = &functions[i]; return CUDA_SUCCESS; }
  return CUDA_ERROR_NOT_FOUND;
}
API cuModuleGetGlobal_v2(CUdeviceptr* p, size_t* n, CUmodule m, const char* name) {
  CURRENT();
  *p = (CUdeviceptr)m->variable;
  *n = sizeof m->variable;
  return strcmp(name, "variable") ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
API cuFuncGetAttribute(int* v, CUfunction_attribute a, CUfunction f) { (void)f; CURRENT(); *v = a == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 10 + a; return CUDA_SUCCESS; }
API cuFuncGetParamInfo(CUfunction f, size_t i, size_t* offset, size_t* size) {
  if ((int)i >= f->count) return CUDA_ERROR_INVALID_VALUE;
  *offset = 0;
  *size = f->sizes[i];
  return CUDA_SUCCESS;
}
API cuOccupancyMaxActiveBlocksPerMultiprocessor(int* n, CUfunction f, int block, size_t shared) { (void)f; (void)shared; CURRENT(); *n = 2048 / block; return CUDA_SUCCESS; }

API cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, CUstream q, void** args, void** extra) {
  STREAM(q);
  FORCED("cuLaunchKernel");
  if (!gx || !gy || !gz || !bx || !by || !bz || bx * by * bz > 1024 || shared > 49152) return CUDA_ERROR_INVALID_VALUE;
  void* unpacked[8];
  if (extra) {
    if (args || extra[0] != (void*)1 || extra[2] != (void*)2 || extra[4]) return CUDA_ERROR_INVALID_VALUE;
    size_t offset = 0;
    for (int i = 0; i < f->count; ++i) {
      offset = (offset + f->sizes[i] - 1) / f->sizes[i] * f->sizes[i];
      unpacked[i] = (char*)extra[1] + offset;
      offset += f->sizes[i];
    }
    if (*(size_t*)extra[3] != offset) return CUDA_ERROR_INVALID_VALUE;
    args = unpacked;
  }
  size_t n = (size_t)gx * gy * gz * bx * by * bz;
  launches++, memcpy(layered.sizes, (unsigned[]){gx, gy, gz, bx, by, bz}, sizeof layered.sizes);
  if (!strcmp(f->name, "doublify") || !strcmp(f->name, "count")) {
    float* a = *(float**)args[0];
    if (!inside(a, n * sizeof *a)) return sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    for (size_t i = 0; i < n; ++i) a[i] = *f->name == 'd' ? 2 * a[i] : (float)i;
  } else if (!strcmp(f->name, "axpy")) {
    float *y = *(float**)args[0], *x = *(float**)args[1], a = *(float*)args[2];
    for (int i = 0; i < *(int*)args[3]; ++i) y[i] += a * x[i];
  } else if (!strcmp(f->name, "slots") || !strcmp(f->name, "complex")) {
    memcpy(*(char**)args[0], args[1], f->sizes[1]);
  } else if (!strcmp(f->name, "k")) { /* its first argument is memory; null where that is empty */
    if (*(char**)args[0] && !inside(*(char**)args[0], 1)) return sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    if (gz > 1) memcpy(layered.argument, args[0], layered.bytes), layered.layers = gz;
  } else {
    sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  return CUDA_SUCCESS;
}
