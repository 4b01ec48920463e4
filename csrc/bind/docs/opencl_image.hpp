// Docstrings of what bind/opencl/image.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kImageFormat = R"(
Order and type of an image's channels.

Parameters
----------
channel_order : int, default 0
    Of `channel_order`.
channel_type : int, default 0
    Of `channel_type`.

Notes
-----
Stands for a ``cl_image_format``.

Examples
--------
>>> cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8).itemsize
4
)";

constexpr const char* kGetSupportedImageFormats = R"(List the formats that images of a type may have.

Parameters
----------
context : Context
    Where the images are.
flags : int
    Of `mem_flags`.
image_type : int
    Of `mem_object_type`.

Returns
-------
list of ImageFormat
    Empty where there are no such images.

Notes
-----
Calls ``clGetSupportedImageFormats``.

Examples
--------
>>> formats = cl.get_supported_image_formats(ctx, cl.mem_flags.READ_ONLY, cl.mem_object_type.IMAGE2D)
>>> cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT) in formats
True
)";

constexpr const char* kImage = R"(
A memory object of pixels.

Each ``image_info`` is an attribute in lower case: ``width``, ``height``, ``element_size`` (bytes).

Parameters
----------
context : Context
    Where it is.
flags : int
    Of `mem_flags`.
format : ImageFormat
    Of its pixels.
shape : sequence of int, optional
    Pixels: width, height, depth; the shape of `hostbuf` by default, as it is, as in PyOpenCL.
pitches : sequence of int, optional
    Bytes from row to row and from slice to slice of `hostbuf`; those of a dense array by default.
hostbuf : object with the buffer protocol, optional
    Pixels that are copied (COPY_HOST_PTR) or used in place (USE_HOST_PTR).
is_array : bool, default False
    Whether the last of `shape` counts layers.
buffer : Buffer, optional
    Memory of a one-dimensional image.

Raises
------
ValueError
    If there is no shape, or `hostbuf` is too small for it.

Notes
-----
Calls ``clCreateImage``.

Examples
--------
>>> format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
>>> image = cl.Image(ctx, cl.mem_flags.READ_WRITE, format, shape=(8, 4))
>>> image.width, image.height, image.element_size
(8, 4, 16)
)";

constexpr const char* kPipe = R"(
A queue of packets between kernels.

Each ``pipe_info`` is an attribute in lower case: ``packet_size``, ``max_packets``.

Parameters
----------
context : Context
    Where it is.
flags : int
    Of `mem_flags`.
packet_size : int
    Bytes.
max_packets : int
    Packets that it holds at once.
properties : sequence, optional
    OpenCL defines none.

Raises
------
ValueError
    If `properties` are given.
LogicError
    If the device has no pipes.

Notes
-----
Calls ``clCreatePipe``.

Examples
--------
>>> pipe = cl.Pipe(ctx, cl.mem_flags.READ_WRITE | cl.mem_flags.HOST_NO_ACCESS, 4, 16)
>>> pipe.packet_size, pipe.max_packets
(4, 16)
)";

constexpr const char* kSampler = R"(
How kernels read images.

It is made of the three values, or of a list of properties: ``Sampler(context, properties)``. Each ``sampler_info``
is an attribute in lower case.

Parameters
----------
context : Context
    Where it is.
normalized_coords : bool
    Whether coordinates run from 0 to 1.
addressing_mode : int
    Of `addressing_mode`: what is read outside the image.
filter_mode : int
    Of `filter_mode`: the nearest pixel, or a mean of those around.

Notes
-----
Calls ``clCreateSamplerWithProperties``, or ``clCreateSampler`` before OpenCL 2.0.

Examples
--------
>>> sampler = cl.Sampler(ctx, False, cl.addressing_mode.CLAMP_TO_EDGE, cl.filter_mode.NEAREST)
>>> sampler.normalized_coords
False
)";

constexpr const char* kEnqueueFillImage = R"(Set the pixels of a region to one colour.

Parameters
----------
queue : CommandQueue
    Where it is enqueued.
mem : Image
    What is filled.
color : object with the buffer protocol
    Four float32, int32 or uint32, as the channels are.
origin : sequence of int
    First pixel: x, y, z; 0 where left out.
region : sequence of int
    Pixels: width, height, depth; 1 where left out.
wait_for : sequence of Event, optional
    What the command waits for.

Returns
-------
Event
    Of the fill.

Raises
------
ValueError
    If `color` does not have 16 bytes.

Notes
-----
Calls ``clEnqueueFillImage``.

Examples
--------
>>> format = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.FLOAT)
>>> image = cl.Image(ctx, cl.mem_flags.READ_WRITE, format, shape=(2, 1))
>>> event = cl.enqueue_fill_image(queue, image, np.array([1, 2, 3, 4], np.float32), (0, 0), (2, 1))
>>> pixels = np.empty((1, 2, 4), np.float32)
>>> event = cl.enqueue_copy(queue, pixels, image, origin=(0, 0), region=(2, 1))
>>> pixels[0, 1]
array([1., 2., 3., 4.], dtype=float32)
)";

}  // namespace devarray::docs
