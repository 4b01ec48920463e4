"""The constants of ``devarray.cuda``, by PyCUDA's names with the values of cuda.h. They are ints."""

from __future__ import annotations

from enum import IntEnum, IntFlag

from .device_attributes import device_attribute

__all__ = [
    "TRSA_OVERRIDE_FORMAT",
    "TRSF_NORMALIZED_COORDINATES",
    "TRSF_READ_AS_INTEGER",
    "TR_DEFAULT",
    "address_mode",
    "array3d_flags",
    "array_cubemap_face",
    "array_format",
    "compute_mode",
    "ctx_flags",
    "device_attribute",
    "event_flags",
    "filter_mode",
    "func_cache",
    "function_attribute",
    "host_alloc_flags",
    "ipc_mem_flags",
    "jit_fallback",
    "jit_input_type",
    "jit_option",
    "jit_target",
    "limit",
    "mem_advise",
    "mem_attach_flags",
    "mem_host_register_flags",
    "memory_type",
    "pointer_attribute",
    "profiler_output_mode",
    "shared_config",
    "stream_capture_mode",
    "stream_flags",
]


class ctx_flags(IntFlag):
    """Flags of ``Device.make_context``."""

    SCHED_AUTO = 0
    SCHED_SPIN = 1
    SCHED_YIELD = 2
    SCHED_BLOCKING_SYNC = 4
    BLOCKING_SYNC = 4
    SCHED_MASK = 7
    MAP_HOST = 8
    LMEM_RESIZE_TO_MAX = 16
    COREDUMP_ENABLE = 32
    USER_COREDUMP_ENABLE = 64
    SYNC_MEMOPS = 128
    FLAGS_MASK = 255


class event_flags(IntFlag):
    """Flags of ``Event``."""

    DEFAULT = 0
    BLOCKING_SYNC = 1
    DISABLE_TIMING = 2
    INTERPROCESS = 4


class stream_flags(IntFlag):
    """Flags of ``Stream``."""

    DEFAULT = 0
    NON_BLOCKING = 1


class pointer_attribute(IntEnum):
    """What ``pointer_get_attribute`` answers."""

    CONTEXT = 1
    MEMORY_TYPE = 2
    DEVICE_POINTER = 3
    HOST_POINTER = 4
    P2P_TOKENS = 5
    SYNC_MEMOPS = 6
    BUFFER_ID = 7
    IS_MANAGED = 8
    DEVICE_ORDINAL = 9
    IS_LEGACY_CUDA_IPC_CAPABLE = 10
    RANGE_START_ADDR = 11
    RANGE_SIZE = 12
    MAPPED = 13
    ALLOWED_HANDLE_TYPES = 14
    IS_GPU_DIRECT_RDMA_CAPABLE = 15
    ACCESS_FLAGS = 16
    MEMPOOL_HANDLE = 17
    MAPPING_SIZE = 18
    MAPPING_BASE_ADDR = 19
    MEMORY_BLOCK_ID = 20
    IS_HW_DECOMPRESS_CAPABLE = 21
    LOCALITY_DOMAIN_ORDINAL = 22


class profiler_output_mode(IntEnum):
    """Formats of the profiler of CUDA 11 and older."""

    KEY_VALUE_PAIR = 0
    CSV = 1


class function_attribute(IntEnum):
    """Attributes for ``Function.get_attribute``; each also reads as ``function.lower_case_name``."""

    MAX_THREADS_PER_BLOCK = 0
    SHARED_SIZE_BYTES = 1
    CONST_SIZE_BYTES = 2
    LOCAL_SIZE_BYTES = 3
    NUM_REGS = 4
    PTX_VERSION = 5
    BINARY_VERSION = 6
    CACHE_MODE_CA = 7
    MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
    PREFERRED_SHARED_MEMORY_CARVEOUT = 9
    CLUSTER_SIZE_MUST_BE_SET = 10
    REQUIRED_CLUSTER_WIDTH = 11
    REQUIRED_CLUSTER_HEIGHT = 12
    REQUIRED_CLUSTER_DEPTH = 13
    NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14
    CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15
    DEVICE_NODE_UPDATE_SUPPORTED = 16
    SHARED_MEMORY_MODE = 17
    MAX = 18


class func_cache(IntEnum):
    """Shared memory against L1 cache, for ``set_cache_config``."""

    PREFER_NONE = 0
    PREFER_SHARED = 1
    PREFER_L1 = 2
    PREFER_EQUAL = 3


class shared_config(IntEnum):
    """Widths of shared memory banks. Without effect since Volta."""

    DEFAULT_BANK_SIZE = 0
    FOUR_BYTE_BANK_SIZE = 1
    EIGHT_BYTE_BANK_SIZE = 2


class array_format(IntEnum):
    """Types of the elements of an ``Array``."""

    UNSIGNED_INT8 = 1
    UNSIGNED_INT16 = 2
    UNSIGNED_INT32 = 3
    SIGNED_INT8 = 8
    SIGNED_INT16 = 9
    SIGNED_INT32 = 10
    HALF = 16
    FLOAT = 32


class address_mode(IntEnum):
    """What a texture answers outside its extent."""

    WRAP = 0
    CLAMP = 1
    MIRROR = 2
    BORDER = 3


class filter_mode(IntEnum):
    """How a texture answers between its elements."""

    POINT = 0
    LINEAR = 1


class memory_type(IntEnum):
    """Where an address lies."""

    HOST = 1
    DEVICE = 2
    ARRAY = 3
    UNIFIED = 4


class compute_mode(IntEnum):
    """Who may use a device."""

    DEFAULT = 0
    PROHIBITED = 2
    EXCLUSIVE_PROCESS = 3


class jit_input_type(IntEnum):
    """What is given to a ``Linker``."""

    CUBIN = 0
    PTX = 1
    FATBINARY = 2
    OBJECT = 3
    LIBRARY = 4
    NVVM = 5


class jit_option(IntEnum):
    """Options of ``module_from_buffer`` and of a ``Linker``."""

    MAX_REGISTERS = 0
    THREADS_PER_BLOCK = 1
    WALL_TIME = 2
    INFO_LOG_BUFFER = 3
    INFO_LOG_BUFFER_SIZE_BYTES = 4
    ERROR_LOG_BUFFER = 5
    ERROR_LOG_BUFFER_SIZE_BYTES = 6
    OPTIMIZATION_LEVEL = 7
    TARGET_FROM_CUCONTEXT = 8
    TARGET = 9
    FALLBACK_STRATEGY = 10
    GENERATE_DEBUG_INFO = 11
    LOG_VERBOSE = 12
    GENERATE_LINE_INFO = 13
    CACHE_MODE = 14
    NEW_SM3X_OPT = 15
    FAST_COMPILE = 16
    GLOBAL_SYMBOL_NAMES = 17
    GLOBAL_SYMBOL_ADDRESSES = 18
    GLOBAL_SYMBOL_COUNT = 19
    LTO = 20
    FTZ = 21
    PREC_DIV = 22
    PREC_SQRT = 23
    FMA = 24
    REFERENCED_KERNEL_NAMES = 25
    REFERENCED_KERNEL_COUNT = 26
    REFERENCED_VARIABLE_NAMES = 27
    REFERENCED_VARIABLE_COUNT = 28
    OPTIMIZE_UNUSED_DEVICE_VARIABLES = 29
    POSITION_INDEPENDENT_CODE = 30
    MIN_CTA_PER_SM = 31
    MAX_THREADS_PER_BLOCK = 32
    OVERRIDE_DIRECTIVE_VALUES = 33
    SPLIT_COMPILE = 34
    BINARY_LOADER_THREAD_COUNT = 35


class jit_target(IntEnum):
    """Values of ``jit_option.TARGET``."""

    COMPUTE_10 = 10
    COMPUTE_11 = 11
    COMPUTE_12 = 12
    COMPUTE_13 = 13
    COMPUTE_20 = 20
    COMPUTE_21 = 21
    COMPUTE_30 = 30
    COMPUTE_32 = 32
    COMPUTE_35 = 35
    COMPUTE_37 = 37
    COMPUTE_50 = 50
    COMPUTE_52 = 52
    COMPUTE_53 = 53
    COMPUTE_60 = 60
    COMPUTE_61 = 61
    COMPUTE_62 = 62
    COMPUTE_70 = 70
    COMPUTE_72 = 72
    COMPUTE_75 = 75
    COMPUTE_80 = 80
    COMPUTE_86 = 86
    COMPUTE_87 = 87
    COMPUTE_89 = 89
    COMPUTE_90 = 90
    COMPUTE_100 = 100
    COMPUTE_110 = 110
    COMPUTE_103 = 103
    COMPUTE_107 = 107
    COMPUTE_120 = 120
    COMPUTE_121 = 121
    COMPUTE_90A = 0x10000 + 90
    COMPUTE_100A = 0x10000 + 100
    COMPUTE_103A = 0x10000 + 103
    COMPUTE_107A = 0x10000 + 107
    COMPUTE_110A = 0x10000 + 110
    COMPUTE_120A = 0x10000 + 120
    COMPUTE_121A = 0x10000 + 121


class jit_fallback(IntEnum):
    """Values of ``jit_option.FALLBACK_STRATEGY``."""

    PREFER_PTX = 0
    PREFER_BINARY = 1


class host_alloc_flags(IntFlag):
    """Flags of page-locked allocations."""

    PORTABLE = 1
    DEVICEMAP = 2
    WRITECOMBINED = 4


class mem_attach_flags(IntFlag):
    """Who sees managed memory."""

    GLOBAL = 1
    HOST = 2
    SINGLE = 4


class mem_host_register_flags(IntFlag):
    """Flags of ``register_host_memory``."""

    PORTABLE = 1
    DEVICEMAP = 2
    IOMEMORY = 4
    READ_ONLY = 8


class mem_advise(IntEnum):
    """Advice for ``ManagedAllocation.advise``."""

    SET_READ_MOSTLY = 1
    UNSET_READ_MOSTLY = 2
    SET_PREFERRED_LOCATION = 3
    UNSET_PREFERRED_LOCATION = 4
    SET_ACCESSED_BY = 5
    UNSET_ACCESSED_BY = 6


class limit(IntEnum):
    """Limits for ``Context.get_limit`` and ``Context.set_limit``."""

    STACK_SIZE = 0
    PRINTF_FIFO_SIZE = 1
    MALLOC_HEAP_SIZE = 2
    DEV_RUNTIME_SYNC_DEPTH = 3
    DEV_RUNTIME_PENDING_LAUNCH_COUNT = 4
    MAX_L2_FETCH_GRANULARITY = 5
    PERSISTING_L2_CACHE_SIZE = 6
    SHMEM_SIZE = 7
    CIG_ENABLED = 8
    CIG_SHMEM_FALLBACK_ENABLED = 9
    PER_BLOCK_MEMORY_SIZE = 10


class ipc_mem_flags(IntFlag):
    """Flags of ``IPCMemoryHandle``."""

    LAZY_ENABLE_PEER_ACCESS = 1


class stream_capture_mode(IntEnum):
    """Which calls a stream capture forbids, and to whom."""

    GLOBAL = 0
    THREAD_LOCAL = 1
    RELAXED = 2


class array_cubemap_face(IntEnum):
    """Layers of a cube map's ``Array``, one a face."""

    POSITIVE_X = 0
    NEGATIVE_X = 1
    POSITIVE_Y = 2
    NEGATIVE_Y = 3
    POSITIVE_Z = 4
    NEGATIVE_Z = 5


# "2DARRAY" is a name in PyCUDA but no identifier, which only this form of definition takes.
array3d_flags = IntFlag(
    "array3d_flags",
    {
        "LAYERED": 0x01,
        "2DARRAY": 0x01,
        "ARRAY_2D": 0x01,
        "ARRAY3D_LAYERED": 0x01,
        "ARRAY3D_2DARRAY": 0x01,
        "SURFACE_LDST": 0x02,
        "CUBEMAP": 0x04,
        "TEXTURE_GATHER": 0x08,
        "DEPTH_TEXTURE": 0x10,
    },
)
array3d_flags.__doc__ = "Flags of an ``ArrayDescriptor3D``."

TRSA_OVERRIDE_FORMAT = 0x01
TRSF_READ_AS_INTEGER = 0x01
TRSF_NORMALIZED_COORDINATES = 0x02
TR_DEFAULT = -1
