// Docstrings of what bind/cuda/old_calls.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kSetSharedSize =
    R"(Set the bytes of shared memory of later launches. Deprecated: give ``shared=`` to the call.

Parameters
----------
bytes : int
    Of dynamic shared memory for each block.

Notes
-----
PyCUDA's call of that name.

Examples
--------
>>> mod.get_function("doublify").set_shared_size(0)
)";

constexpr const char* kSetBlockShape =
    R"(Set the threads of a block of later launches. Deprecated: give ``block=`` to the call.

Parameters
----------
x : int
    Threads along the first axis.
y : int
    Along the second.
z : int
    Along the third.

Notes
-----
PyCUDA's call of that name.

Examples
--------
>>> mod.get_function("doublify").set_block_shape(4, 1, 1)
)";

constexpr const char* kParamSet = R"(Set all arguments of later launches. Deprecated: give the arguments to the call.

Parameters
----------
*args : object
    NumPy scalars, device memory or addresses, each aligned to its size.

Raises
------
TypeError
    If one of them is an `In`, `Out` or `InOut`.

Notes
-----
PyCUDA's call of that name.

Examples
--------
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> kernel = mod.get_function("doublify")
>>> kernel.set_block_shape(4, 1, 1)
>>> kernel.param_set(memory)
>>> kernel.launch()
>>> cuda.from_device(memory, 4, np.float32)
array([2., 2., 2., 2.], dtype=float32)
)";

constexpr const char* kParamSetSize = R"(Set the bytes of all arguments. Deprecated: the call knows the size.

Parameters
----------
bytes : int
    The size of the parameter buffer.

Notes
-----
PyCUDA's call of that name.

Examples
--------
>>> mod.get_function("doublify").param_set_size(8)
)";

constexpr const char* kParamSeti =
    R"(Set four bytes of the arguments to an integer. Deprecated: give ``numpy.uint32`` arguments to the call.

Parameters
----------
offset : int
    Bytes into the parameter buffer.
value : int
    From 0 to 2**32 - 1.

Notes
-----
PyCUDA's call of that name.

Examples
--------
>>> mod.get_function("doublify").param_seti(0, 1)
)";

constexpr const char* kParamSetf =
    R"(Set four bytes of the arguments to a float32. Deprecated: give ``numpy.float32`` arguments to the call.

Parameters
----------
offset : int
    Bytes into the parameter buffer.
value : float
    Rounded to float32.

Notes
-----
PyCUDA's call of that name.

Examples
--------
>>> mod.get_function("doublify").param_setf(0, 1.5)
)";

constexpr const char* kParamSetv = R"(Copy bytes into the arguments. Deprecated: give the buffer to the call.

Parameters
----------
offset : int
    Bytes into the parameter buffer.
buffer : object with the buffer protocol
    What is copied.

Notes
-----
PyCUDA's call of that name.

Examples
--------
>>> mod.get_function("doublify").param_setv(0, np.uint64(0))
)";

constexpr const char* kParamSetTexref = R"(Bind a texture reference to the kernel.

Parameters
----------
texref : TextureReference
    Of a module compiled before CUDA 12.

Notes
-----
Calls ``cuParamSetTexRef``.
)";

constexpr const char* kLaunch =
    R"(Launch one block with the arguments and the block shape that were set. Deprecated: call the function.

Notes
-----
PyCUDA's call of that name.

Examples
--------
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> kernel = mod.get_function("doublify")
>>> kernel.set_block_shape(4, 1, 1)
>>> kernel.param_set(memory)
>>> kernel.launch()
)";

constexpr const char* kLaunchGrid =
    R"(Launch blocks with the arguments and the block shape that were set. Deprecated: call the function.

Parameters
----------
width : int
    Blocks along the first axis.
height : int
    Along the second.

Notes
-----
PyCUDA's call of that name.

Examples
--------
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> kernel = mod.get_function("doublify")
>>> kernel.set_block_shape(4, 1, 1)
>>> kernel.param_set(memory)
>>> kernel.launch_grid(1, 1)
)";

constexpr const char* kLaunchGridAsync = R"(Launch blocks on a stream with what was set. Deprecated: call the function.

Parameters
----------
width : int
    Blocks along the first axis.
height : int
    Along the second.
stream : Stream or int or None
    None is the default stream.

Notes
-----
PyCUDA's call of that name.

Examples
--------
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> kernel = mod.get_function("doublify")
>>> kernel.set_block_shape(4, 1, 1)
>>> kernel.param_set(memory)
>>> kernel.launch_grid_async(1, 1, cuda.Stream())
)";

}  // namespace devarray::docs
