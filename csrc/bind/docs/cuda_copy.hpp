// Docstrings of what bind/cuda/copy.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kSetSrcContext = R"(Set the context of the source.

Parameters
----------
ctx : Context
    It is kept alive.

Examples
--------
>>> copy = cuda.Memcpy3DPeer()
>>> copy.set_src_context(cuda.Context.get_current())
)";

constexpr const char* kSetDstContext = R"(Set the context of the destination.

Parameters
----------
ctx : Context
    It is kept alive.

Examples
--------
>>> copy = cuda.Memcpy3DPeer()
>>> copy.set_dst_context(cuda.Context.get_current())
)";

constexpr const char* kMemcpyDtoa = R"(Copy from device memory into a one-dimensional array.

Parameters
----------
ary : Array
    Where to.
index : int
    Bytes from its start.
src : DeviceAllocation or int
    Where from.
len : int
    Bytes.

Notes
-----
Calls ``cuMemcpyDtoA``.

Examples
--------
>>> line = cuda.ArrayDescriptor()
>>> line.width, line.height, line.format, line.num_channels = 4, 0, cuda.array_format.FLOAT, 1
>>> cuda.memcpy_dtoa(cuda.Array(line), 0, cuda.to_device(np.ones(4, np.float32)), 16)
)";

constexpr const char* kMemcpyAtod = R"(Copy from a one-dimensional array into device memory.

Parameters
----------
dest : DeviceAllocation or int
    Where to.
ary : Array
    Where from.
index : int
    Bytes from its start.
len : int
    Bytes.

Notes
-----
Calls ``cuMemcpyAtoD``.

Examples
--------
>>> line = cuda.ArrayDescriptor()
>>> line.width, line.height, line.format, line.num_channels = 4, 0, cuda.array_format.FLOAT, 1
>>> cuda.memcpy_atod(cuda.mem_alloc(16), cuda.Array(line), 0, 16)
)";

constexpr const char* kMemcpyHtoa = R"(Copy from host memory into a one-dimensional array.

Parameters
----------
ary : Array
    Where to.
index : int
    Bytes from its start.
src : object with the buffer protocol
    Contiguous; all of it is copied.

Notes
-----
Calls ``cuMemcpyHtoA``.

Examples
--------
>>> line = cuda.ArrayDescriptor()
>>> line.width, line.height, line.format, line.num_channels = 4, 0, cuda.array_format.FLOAT, 1
>>> cuda.memcpy_htoa(cuda.Array(line), 0, np.ones(4, np.float32))
)";

constexpr const char* kMemcpyAtoh = R"(Copy from a one-dimensional array into host memory.

Parameters
----------
dest : object with the buffer protocol
    Contiguous and writable; all of it is filled.
ary : Array
    Where from.
index : int
    Bytes from its start.

Notes
-----
Calls ``cuMemcpyAtoH``.

Examples
--------
>>> line = cuda.ArrayDescriptor()
>>> line.width, line.height, line.format, line.num_channels = 4, 0, cuda.array_format.FLOAT, 1
>>> array, ones = cuda.Array(line), np.ones(4, np.float32)
>>> cuda.memcpy_htoa(array, 0, 3 * ones)
>>> cuda.memcpy_atoh(ones, array, 0)
>>> ones
array([3., 3., 3., 3.], dtype=float32)
)";

constexpr const char* kMemcpyAtoa = R"(Copy between one-dimensional arrays.

Parameters
----------
dest : Array
    Where to.
dest_index : int
    Bytes from its start.
src : Array
    Where from.
src_index : int
    Bytes from its start.
len : int
    Bytes.

Notes
-----
Calls ``cuMemcpyAtoA``.

Examples
--------
>>> line = cuda.ArrayDescriptor()
>>> line.width, line.height, line.format, line.num_channels = 4, 0, cuda.array_format.FLOAT, 1
>>> cuda.memcpy_atoa(cuda.Array(line), 0, cuda.Array(line), 0, 16)
)";

}  // namespace devarray::docs
