/* A stand-in for an OpenCL runtime with one CPU device, whose compiler does what FAKE_OPENCL says: "refuse" fails with
 * the log of a compiler that does not know the CPU, "abort" ends the process, "hang" never returns.
 *
 * Objects start with a pointer to the table of entry points, whose order Khronos fixed (cl_khr_icd). */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define ENTRIES 160

enum { PLATFORM_VERSION = 0x0901, PLATFORM_NAME = 0x0902 };
enum { DEVICE_TYPE = 0x1000, DEVICE_NAME = 0x102B, DEVICE_VENDOR, DRIVER_VERSION, DEVICE_PROFILE, DEVICE_VERSION,
       DEVICE_EXTENSIONS, DEVICE_PLATFORM, DEVICE_C_VERSION = 0x103D, DEVICE_PARENT = 0x1042 };
enum { CONTEXT_DEVICES = 0x1081, BUILD_LOG = 0x1183, DEVICE_NOT_FOUND = -1, BUILD_PROGRAM_FAILURE = -11 };

typedef struct { void** table; } object;
static void* table[ENTRIES];
static object platform = {table}, device = {table}, context = {table}, queue = {table}, memory = {table}, program = {table};

static int give(const void* value, size_t bytes, size_t room, void* out, size_t* size) {
  if (size) *size = bytes;
  if (out) memcpy(out, value, bytes < room ? bytes : room);
  return 0;
}

static int give_text(const char* text, size_t room, void* out, size_t* size) {
  return give(text, strlen(text) + 1, room, out, size);
}

static int succeed(void) { return 0; }

static int platform_info(object* p, unsigned what, size_t room, void* out, size_t* size) {
  if (what == PLATFORM_NAME) return give_text("Stand-in", room, out, size);
  if (what == PLATFORM_VERSION) return give_text("OpenCL 1.2 stand-in", room, out, size);
  return give_text("", room, out, size);
}

static int device_ids(object* p, uint64_t type, unsigned room, object** out, unsigned* count) {
  if (!(type & 3)) return DEVICE_NOT_FOUND; /* neither the default device nor a CPU */
  if (count) *count = 1;
  if (out) *out = &device;
  return 0;
}

static int device_info(object* d, unsigned what, size_t room, void* out, size_t* size) {
  const uint64_t cpu = 2, some = 64;
  const void* nothing = NULL;
  const void* owner = &platform;
  switch (what) {
    case DEVICE_TYPE: return give(&cpu, 8, room, out, size);
    case DEVICE_NAME: return give_text("a CPU of tomorrow", room, out, size);
    case DEVICE_VERSION: return give_text("OpenCL 1.2 stand-in", room, out, size);
    case DEVICE_C_VERSION: return give_text("OpenCL C 1.2", room, out, size);
    case DEVICE_VENDOR: case DRIVER_VERSION: case DEVICE_PROFILE: case DEVICE_EXTENSIONS:
      return give_text("", room, out, size);
    case DEVICE_PLATFORM: return give(&owner, sizeof owner, room, out, size);
    case DEVICE_PARENT: return give(&nothing, sizeof nothing, room, out, size);
    default: return give(&some, room && room < 8 ? room : 8, room, out, size);
  }
}

static object* create_context(void* p, unsigned n, object** d, void* f, void* x, int* code) {
  if (code) *code = 0;
  return &context;
}

static int context_info(object* c, unsigned what, size_t room, void* out, size_t* size) {
  const void* first = &device;
  const unsigned one = 1;
  if (what == CONTEXT_DEVICES) return give(&first, sizeof first, room, out, size);
  return give(&one, sizeof one, room, out, size);
}

static object* create_queue(object* c, object* d, uint64_t p, int* code) {
  if (code) *code = 0;
  return &queue;
}

static int queue_info(object* q, unsigned what, size_t room, void* out, size_t* size) {
  const void* owner = what == 0x1090 ? (void*)&context : (void*)&device;
  return give(&owner, sizeof owner, room, out, size);
}

static object* create_buffer(object* c, uint64_t flags, size_t bytes, void* host, int* code) {
  if (code) *code = 0;
  return &memory;
}

static object* create_program(object* c, unsigned n, const char** text, const size_t* lengths, int* code) {
  if (code) *code = 0;
  return &program;
}

static int build(object* p) {
  const char* how = getenv("FAKE_OPENCL");
  if (how && !strcmp(how, "abort")) abort();
  while (how && !strcmp(how, "hang")) pause();
  return BUILD_PROGRAM_FAILURE;
}

static int build_info(object* p, object* d, unsigned what, size_t room, void* out, size_t* size) {
  const int failed = -2;
  if (what == BUILD_LOG) return give_text("1 error generated\nerror: unknown target CPU 'tomorrow'", room, out, size);
  return give(&failed, sizeof failed, room, out, size);
}

static int platform_ids(unsigned room, object** out, unsigned* count) {
  for (int i = 0; i < ENTRIES; ++i) table[i] = (void*)succeed;
  table[0] = (void*)platform_ids;
  table[1] = (void*)platform_info;
  table[2] = (void*)device_ids;
  table[3] = (void*)device_info;
  table[4] = (void*)create_context;
  table[8] = (void*)context_info;
  table[9] = (void*)create_queue;
  table[12] = (void*)queue_info;
  table[14] = (void*)create_buffer;
  table[26] = (void*)create_program;
  table[30] = (void*)build;
  table[33] = (void*)build_info;
  if (count) *count = 1;
  if (out) *out = &platform;
  return 0;
}

EXPORT void* clGetExtensionFunctionAddress(const char* name) {
  return strcmp(name, "clIcdGetPlatformIDsKHR") ? NULL : (void*)platform_ids;
}
