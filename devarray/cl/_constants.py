"""The constant classes: OpenCL's numbers under PyOpenCL's names."""

from __future__ import annotations

from typing import Any

from .. import _core

__all__ = [
    "addressing_mode",
    "channel_order",
    "channel_type",
    "command_execution_status",
    "command_queue_info",
    "command_queue_properties",
    "command_type",
    "context_info",
    "context_properties",
    "device_affinity_domain",
    "device_atomic_capabilities",
    "device_device_enqueue_capabilities",
    "device_exec_capabilities",
    "device_fp_config",
    "device_info",
    "device_local_mem_type",
    "device_mem_cache_type",
    "device_partition_property",
    "device_svm_capabilities",
    "device_topology_type_amd",
    "device_type",
    "event_info",
    "filter_mode",
    "image_info",
    "kernel_arg_access_qualifier",
    "kernel_arg_address_qualifier",
    "kernel_arg_info",
    "kernel_arg_type_qualifier",
    "kernel_info",
    "kernel_sub_group_info",
    "kernel_work_group_info",
    "khronos_vendor_id",
    "map_flags",
    "mem_flags",
    "mem_info",
    "mem_migration_flags",
    "mem_object_type",
    "pipe_info",
    "pipe_properties",
    "platform_info",
    "profiling_info",
    "program_binary_type",
    "program_build_info",
    "program_info",
    "program_kind",
    "queue_properties",
    "sampler_info",
    "sampler_properties",
    "status_code",
    "svm_mem_flags",
    "version_bits",
]


class Constants:
    """Base of the constant classes: their members are plain numbers."""

    @classmethod
    def to_string(cls, value: int, default_format: str | None = None) -> str:
        """Return the name of a number.

        Parameters
        ----------
        value : int
            A member's, or any other number.
        default_format : str, optional
            What is applied to a number that has no name: ``"%d"``.

        Returns
        -------
        str
            The first member of that value.

        Raises
        ------
        ValueError
            Where `value` has no name and no format is given.

        Examples
        --------
        >>> from devarray import cl
        >>> cl.device_type.to_string(cl.device_type.GPU)
        'GPU'
        """
        for name, number in vars(cls).items():
            if not name.startswith("_") and number == value:
                return name
        if default_format is None:
            raise ValueError(f"{cls.__name__} has no member of value {value}")
        return default_format % value


def _of(name: str, **members: int) -> Any:
    first = next(iter(members))
    doc = (
        f"Numbers of cl_{name}.\n\nExamples\n--------\n>>> from devarray import cl\n"
        f">>> cl.{name}.to_string(cl.{name}.{first})\n{first!r}\n"
    )
    return type(name, (Constants,), {"__doc__": doc, "__module__": "devarray.cl", **members})


def _info(name: str) -> Any:
    """A class over the table that the info queries themselves use."""
    return _of(name, **_core.cl.info_constants[name])


platform_info = _info("platform_info")
device_info = _info("device_info")
context_info = _info("context_info")
command_queue_info = _info("command_queue_info")
event_info = _info("event_info")
profiling_info = _info("profiling_info")
mem_info = _info("mem_info")
image_info = _info("image_info")
pipe_info = _info("pipe_info")
sampler_info = _info("sampler_info")
program_info = _info("program_info")
program_build_info = _info("program_build_info")
kernel_info = _info("kernel_info")
kernel_arg_info = _info("kernel_arg_info")
kernel_work_group_info = _info("kernel_work_group_info")
kernel_sub_group_info = _info("kernel_sub_group_info")

device_type = _of("device_type", DEFAULT=1, CPU=2, GPU=4, ACCELERATOR=8, CUSTOM=16, ALL=0xFFFFFFFF)
device_fp_config = _of(
    "device_fp_config",
    DENORM=1,
    INF_NAN=2,
    ROUND_TO_NEAREST=4,
    ROUND_TO_ZERO=8,
    ROUND_TO_INF=16,
    FMA=32,
    SOFT_FLOAT=64,
    CORRECTLY_ROUNDED_DIVIDE_SQRT=128,
)
device_mem_cache_type = _of("device_mem_cache_type", NONE=0, READ_ONLY_CACHE=1, READ_WRITE_CACHE=2)
device_local_mem_type = _of("device_local_mem_type", LOCAL=1, GLOBAL=2)
device_exec_capabilities = _of("device_exec_capabilities", KERNEL=1, NATIVE_KERNEL=2)
device_svm_capabilities = _of(
    "device_svm_capabilities", COARSE_GRAIN_BUFFER=1, FINE_GRAIN_BUFFER=2, FINE_GRAIN_SYSTEM=4, ATOMICS=8
)
device_partition_property = _of(
    "device_partition_property", EQUALLY=0x1086, BY_COUNTS=0x1087, BY_COUNTS_LIST_END=0, BY_AFFINITY_DOMAIN=0x1088
)
device_affinity_domain = _of(
    "device_affinity_domain", NUMA=1, L4_CACHE=2, L3_CACHE=4, L2_CACHE=8, L1_CACHE=16, NEXT_PARTITIONABLE=32
)
device_atomic_capabilities = _of(
    "device_atomic_capabilities",
    ORDER_RELAXED=1,
    ORDER_ACQ_REL=2,
    ORDER_SEQ_CST=4,
    SCOPE_WORK_ITEM=8,
    SCOPE_WORK_GROUP=16,
    SCOPE_DEVICE=32,
    SCOPE_ALL_DEVICES=64,
)
device_device_enqueue_capabilities = _of("device_device_enqueue_capabilities", SUPPORTED=1, REPLACEABLE_DEFAULT=2)
device_topology_type_amd = _of("device_topology_type_amd", PCIE=1)
context_properties = _of(
    "context_properties",
    PLATFORM=0x1084,
    GL_CONTEXT_KHR=0x2008,
    EGL_DISPLAY_KHR=0x2009,
    GLX_DISPLAY_KHR=0x200A,
    WGL_HDC_KHR=0x200B,
    CGL_SHAREGROUP_KHR=0x200C,
)
khronos_vendor_id = _of("khronos_vendor_id", CODEPLAY=0x10004)
command_queue_properties = _of(
    "command_queue_properties",
    OUT_OF_ORDER_EXEC_MODE_ENABLE=1,
    PROFILING_ENABLE=2,
    ON_DEVICE=4,
    ON_DEVICE_DEFAULT=8,
)
queue_properties = _of("queue_properties", PROPERTIES=0x1093, SIZE=0x1094, DEVICE_DEFAULT=0x1095)
mem_flags = _of(
    "mem_flags",
    READ_WRITE=1,
    WRITE_ONLY=2,
    READ_ONLY=4,
    USE_HOST_PTR=8,
    ALLOC_HOST_PTR=16,
    COPY_HOST_PTR=32,
    HOST_WRITE_ONLY=128,
    HOST_READ_ONLY=256,
    HOST_NO_ACCESS=512,
    KERNEL_READ_AND_WRITE=4096,
)
svm_mem_flags = _of(
    "svm_mem_flags", READ_WRITE=1, WRITE_ONLY=2, READ_ONLY=4, SVM_FINE_GRAIN_BUFFER=1024, SVM_ATOMICS=2048
)
mem_migration_flags = _of("mem_migration_flags", HOST=1, CONTENT_UNDEFINED=2)
map_flags = _of("map_flags", READ=1, WRITE=2, WRITE_INVALIDATE_REGION=4)
mem_object_type = _of(
    "mem_object_type",
    BUFFER=0x10F0,
    IMAGE2D=0x10F1,
    IMAGE3D=0x10F2,
    IMAGE2D_ARRAY=0x10F3,
    IMAGE1D=0x10F4,
    IMAGE1D_ARRAY=0x10F5,
    IMAGE1D_BUFFER=0x10F6,
    PIPE=0x10F7,
)
channel_order = _of(
    "channel_order",
    R=0x10B0,
    A=0x10B1,
    RG=0x10B2,
    RA=0x10B3,
    RGB=0x10B4,
    RGBA=0x10B5,
    BGRA=0x10B6,
    ARGB=0x10B7,
    INTENSITY=0x10B8,
    LUMINANCE=0x10B9,
    Rx=0x10BA,
    RGx=0x10BB,
    RGBx=0x10BC,
    DEPTH=0x10BD,
    sRGB=0x10BF,
    sRGBx=0x10C0,
    sRGBA=0x10C1,
    sBGRA=0x10C2,
    ABGR=0x10C3,
)
channel_type = _of(
    "channel_type",
    SNORM_INT8=0x10D0,
    SNORM_INT16=0x10D1,
    UNORM_INT8=0x10D2,
    UNORM_INT16=0x10D3,
    UNORM_SHORT_565=0x10D4,
    UNORM_SHORT_555=0x10D5,
    UNORM_INT_101010=0x10D6,
    SIGNED_INT8=0x10D7,
    SIGNED_INT16=0x10D8,
    SIGNED_INT32=0x10D9,
    UNSIGNED_INT8=0x10DA,
    UNSIGNED_INT16=0x10DB,
    UNSIGNED_INT32=0x10DC,
    HALF_FLOAT=0x10DD,
    FLOAT=0x10DE,
    UNORM_INT_101010_2=0x10E0,
)
addressing_mode = _of(
    "addressing_mode", NONE=0x1130, CLAMP_TO_EDGE=0x1131, CLAMP=0x1132, REPEAT=0x1133, MIRRORED_REPEAT=0x1134
)
filter_mode = _of("filter_mode", NEAREST=0x1140, LINEAR=0x1141)
sampler_properties = _of("sampler_properties", NORMALIZED_COORDS=0x1152, ADDRESSING_MODE=0x1153, FILTER_MODE=0x1154)
pipe_properties = _of("pipe_properties", PACKET_SIZE=0x1120, MAX_PACKETS=0x1121)
program_binary_type = _of("program_binary_type", NONE=0, COMPILED_OBJECT=1, LIBRARY=2, EXECUTABLE=4)
program_kind = _of("program_kind", UNKNOWN=0, SOURCE=1, BINARY=2, IL=3)
kernel_arg_address_qualifier = _of(
    "kernel_arg_address_qualifier", GLOBAL=0x119B, LOCAL=0x119C, CONSTANT=0x119D, PRIVATE=0x119E
)
kernel_arg_access_qualifier = _of(
    "kernel_arg_access_qualifier", READ_ONLY=0x11A0, WRITE_ONLY=0x11A1, READ_WRITE=0x11A2, NONE=0x11A3
)
kernel_arg_type_qualifier = _of("kernel_arg_type_qualifier", NONE=0, CONST=1, RESTRICT=2, VOLATILE=4, PIPE=8)
command_execution_status = _of("command_execution_status", COMPLETE=0, RUNNING=1, SUBMITTED=2, QUEUED=3)
version_bits = _of(
    "version_bits",
    MAJOR_BITS=10,
    MINOR_BITS=10,
    PATCH_BITS=12,
    MAJOR_MASK=1023,
    MINOR_MASK=1023,
    PATCH_MASK=4095,
)

#: In the order of their numbers, from 0x11F0.
_COMMANDS = """
    NDRANGE_KERNEL TASK NATIVE_KERNEL READ_BUFFER WRITE_BUFFER COPY_BUFFER READ_IMAGE WRITE_IMAGE COPY_IMAGE
    COPY_IMAGE_TO_BUFFER COPY_BUFFER_TO_IMAGE MAP_BUFFER MAP_IMAGE UNMAP_MEM_OBJECT MARKER ACQUIRE_GL_OBJECTS
    RELEASE_GL_OBJECTS READ_BUFFER_RECT WRITE_BUFFER_RECT COPY_BUFFER_RECT USER BARRIER MIGRATE_MEM_OBJECTS
    FILL_BUFFER FILL_IMAGE SVM_FREE SVM_MEMCPY SVM_MEMFILL SVM_MAP SVM_UNMAP SVM_MIGRATE_MEM
"""
command_type = _of("command_type", **{name: 0x11F0 + i for i, name in enumerate(_COMMANDS.split())})


def _status_codes() -> dict[str, int]:
    named = {_core.cl.status_name(code): code for code in [*range(0, -80, -1), -1001]}
    return {name: code for name, code in named.items() if name != "UNKNOWN"}


status_code = _of("status_code", **_status_codes())
