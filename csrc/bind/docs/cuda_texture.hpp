// Docstrings of what bind/cuda/texture.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kArray = R"(
Memory in the order that textures and surfaces read.

Parameters
----------
descriptor : ArrayDescriptor or ArrayDescriptor3D
    Extent and element type.

Raises
------
MemoryError
    If there is not that much memory.

Notes
-----
Calls ``cuArrayCreate`` or ``cuArray3DCreate``.

Examples
--------
>>> flat = cuda.ArrayDescriptor()
>>> flat.width, flat.height, flat.format, flat.num_channels = 8, 4, cuda.array_format.FLOAT, 1
>>> cuda.Array(flat).get_descriptor().height
4
)";

constexpr const char* kArrayFree = R"(Give the memory back now, not when the last reference goes.

Raises
------
ValueError
    If it was freed before.

Notes
-----
Calls ``cuArrayDestroy``.

Examples
--------
>>> cuda.np_to_array(np.zeros((4, 8), np.float32), "C").free()
)";

constexpr const char* kArrayGetDescriptor = R"(Return extent and element type, of the first two axes.

Returns
-------
ArrayDescriptor
    A copy.

Examples
--------
>>> cuda.np_to_array(np.zeros((4, 8), np.float32), "C").get_descriptor().width
8
)";

constexpr const char* kArrayGetDescriptor3d = R"(Return extent and element type.

Returns
-------
ArrayDescriptor3D
    A copy.

Examples
--------
>>> cuda.np_to_array(np.zeros((2, 4, 8), np.float32), "C").get_descriptor_3d().depth
2
)";

constexpr const char* kTextureObject = R"(
A texture as an argument of a kernel, of type ``cudaTextureObject_t``.

Parameters
----------
array : Array
    What it reads; kept alive.
address_mode : address_mode or sequence of it, default 1
    What is read outside the array, along each axis; CLAMP by default.
filter_mode : filter_mode, default 0
    POINT by default, or LINEAR between elements.
flags : int, default 0
    TRSF_READ_AS_INTEGER, TRSF_NORMALIZED_COORDINATES.
border_color : sequence of float, default ()
    Up to four channels of what is read outside, with ``address_mode.BORDER``; 0 where left out.

Notes
-----
Calls ``cuTexObjectCreate``.

Examples
--------
>>> texture = cuda.TextureObject(cuda.np_to_array(np.zeros((4, 8), np.float32), "C"))
>>> int(texture) == texture.handle
True
)";

constexpr const char* kTextureObjectFromLinear = R"(Make a texture over consecutive elements of device memory.

Parameters
----------
devptr : DeviceAllocation or int
    What it reads; kept alive.
bytes : int
    Its size.
format : array_format
    Of a channel.
num_channels : int, default 1
    Of an element: 1, 2 or 4.
flags : int, default 0
    TRSF_READ_AS_INTEGER.

Returns
-------
TextureObject
    For ``tex1Dfetch``.

Raises
------
ValueError
    If the memory is known to have less.

Notes
-----
Calls ``cuTexObjectCreate``.

Examples
--------
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> texture = cuda.TextureObject.from_linear(memory, 16, cuda.array_format.FLOAT)
)";

constexpr const char* kTextureObjectFromPitched = R"(Make a texture over rows of device memory.

Parameters
----------
devptr : DeviceAllocation or int
    What it reads; kept alive.
descr : ArrayDescriptor
    Extent and element type.
pitch : int
    Bytes from row to row.
address_mode : address_mode or sequence of it, default 1
    As for `TextureObject`.
filter_mode : filter_mode, default 0
    As for `TextureObject`.
flags : int, default 0
    As for `TextureObject`.
border_color : sequence of float, default ()
    As for `TextureObject`.

Returns
-------
TextureObject
    For ``tex2D``.

Notes
-----
Calls ``cuTexObjectCreate``.

Examples
--------
>>> memory, pitch = cuda.mem_alloc_pitch(32, 4, 4)
>>> flat = cuda.ArrayDescriptor()
>>> flat.width, flat.height, flat.format, flat.num_channels = 8, 4, cuda.array_format.FLOAT, 1
>>> texture = cuda.TextureObject.from_pitched(memory, flat, pitch)
)";

constexpr const char* kSurfaceObject = R"(
A surface as an argument of a kernel, of type ``cudaSurfaceObject_t``.

Parameters
----------
array : Array
    What it reads and writes, made with ``array3d_flags.SURFACE_LDST``; kept alive.

Notes
-----
Calls ``cuSurfObjectCreate``.

Examples
--------
>>> surface = cuda.SurfaceObject(cuda.np_to_array(np.zeros((4, 8), np.float32), "C", allowSurfaceBind=True))
>>> int(surface) == surface.handle
True
)";

constexpr const char* kTextureReference = R"(
A texture reference of a module compiled before CUDA 12; made by `Module.get_texref`.

CUDA 12 removed them from its compilers: `TextureObject` replaces them.

Notes
-----
Stands for a ``CUtexref``.
)";

constexpr const char* kTextureReferenceSetArray = R"(Bind an array.

Parameters
----------
array : Array
    Kept alive.

Notes
-----
Calls ``cuTexRefSetArray``.
)";

constexpr const char* kTextureReferenceGetArray = R"(Return the array that is bound.

Returns
-------
Array or None
    None where memory of another kind is bound.
)";

constexpr const char* kTextureReferenceSetAddress = R"(Bind linear memory.

Parameters
----------
devptr : DeviceAllocation or int
    What is bound.
bytes : int
    Its size.
allow_offset : bool, default False
    Whether an address that is not aligned may be bound at a lower one.

Returns
-------
int
    Bytes by which what is bound starts lower.

Raises
------
ValueError
    If the address is not aligned, and that is not allowed.

Notes
-----
Calls ``cuTexRefSetAddress``.
)";

constexpr const char* kTextureReferenceSetAddress2d = R"(Bind rows of memory.

Parameters
----------
devptr : DeviceAllocation or int
    What is bound.
descr : ArrayDescriptor
    Extent and element type.
pitch : int
    Bytes from row to row.

Notes
-----
Calls ``cuTexRefSetAddress2D``.
)";

constexpr const char* kTextureReferenceSetFormat = R"(Set the type of the elements.

Parameters
----------
fmt : array_format
    Of a channel.
num_components : int
    Channels of an element.

Notes
-----
Calls ``cuTexRefSetFormat``.
)";

constexpr const char* kTextureReferenceGetFormat = R"(Return the type of the elements.

Returns
-------
tuple of (array_format, int)
    The type of a channel, and the channels of an element.

Notes
-----
Calls ``cuTexRefGetFormat``.
)";

constexpr const char* kTextureReferenceSetAddressMode = R"(Set what is read outside the memory.

Parameters
----------
dim : int
    The axis.
am : address_mode
    What is read.

Notes
-----
Calls ``cuTexRefSetAddressMode``.
)";

constexpr const char* kTextureReferenceGetAddressMode = R"(Return what is read outside the memory.

Parameters
----------
dim : int
    The axis.

Returns
-------
address_mode
    What is read.

Notes
-----
Calls ``cuTexRefGetAddressMode``.
)";

constexpr const char* kTextureReferenceSetFilterMode = R"(Set whether elements are interpolated.

Parameters
----------
fm : filter_mode
    POINT or LINEAR.

Notes
-----
Calls ``cuTexRefSetFilterMode``.
)";

constexpr const char* kTextureReferenceGetFilterMode = R"(Return whether elements are interpolated.

Returns
-------
filter_mode
    POINT or LINEAR.

Notes
-----
Calls ``cuTexRefGetFilterMode``.
)";

constexpr const char* kTextureReferenceSetFlags = R"(Set how the texture is read.

Parameters
----------
flags : int
    TRSF_READ_AS_INTEGER, TRSF_NORMALIZED_COORDINATES.

Notes
-----
Calls ``cuTexRefSetFlags``.
)";

constexpr const char* kTextureReferenceGetFlags = R"(Return how the texture is read.

Returns
-------
int
    TRSF_READ_AS_INTEGER, TRSF_NORMALIZED_COORDINATES.

Notes
-----
Calls ``cuTexRefGetFlags``.
)";

constexpr const char* kSurfaceReference = R"(
A surface reference of a module compiled before CUDA 12; made by `Module.get_surfref`.

CUDA 12 removed them from its compilers: `SurfaceObject` replaces them.

Notes
-----
Stands for a ``CUsurfref``.
)";

constexpr const char* kSurfaceReferenceSetArray = R"(Bind an array.

Parameters
----------
array : Array
    Kept alive.
flags : int, default 0
    Must be 0.

Notes
-----
Calls ``cuSurfRefSetArray``.
)";

constexpr const char* kSurfaceReferenceGetArray = R"(Return the array that is bound.

Returns
-------
Array or None
    None where none is.
)";

}  // namespace devarray::docs
