// Docstrings of what bind/cuda/function.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kModule = R"(
Code loaded on a device; made by `module_from_buffer` or `module_from_file`.

Notes
-----
Stands for a ``CUmodule``.

Examples
--------
>>> isinstance(mod.module, cuda.Module)
True
)";

constexpr const char* kModuleGetFunction = R"(Return a kernel of the module.

Parameters
----------
name : str
    As the compiler wrote it: of a function that is ``extern "C"``, or mangled.

Returns
-------
Function
    It keeps the module alive.

Raises
------
LogicError
    If there is no such kernel.

Notes
-----
Calls ``cuModuleGetFunction``.

Examples
--------
>>> mod.module.get_function("doublify")
<devarray.cuda.Function doublify>
)";

constexpr const char* kModuleGetGlobal = R"(Return where a variable of the module is.

Parameters
----------
name : str
    Of a ``__device__`` or ``__constant__`` variable.

Returns
-------
tuple of int
    (address, bytes).

Raises
------
LogicError
    If there is no such variable.

Notes
-----
Calls ``cuModuleGetGlobal``.

Examples
--------
>>> try:
...     mod.module.get_global("nothing")
... except cuda.LogicError:
...     print("it has no such variable")
it has no such variable
)";

constexpr const char* kModuleGetTexref = R"(Return a texture reference of a module compiled before CUDA 12.

Parameters
----------
name : str
    Of the reference.

Returns
-------
TextureReference
    It keeps the module alive.

Raises
------
LogicError
    If there is no such reference; `TextureObject` replaces them.

Notes
-----
Calls ``cuModuleGetTexRef``.

Examples
--------
>>> try:
...     mod.module.get_texref("nothing")
... except cuda.Error:
...     print("it has no such texture")
it has no such texture
)";

constexpr const char* kModuleGetSurfref = R"(Return a surface reference of a module compiled before CUDA 12.

Parameters
----------
name : str
    Of the reference.

Returns
-------
SurfaceReference
    It keeps the module alive.

Raises
------
LogicError
    If there is no such reference; `SurfaceObject` replaces them.

Notes
-----
Calls ``cuModuleGetSurfRef``.

Examples
--------
>>> try:
...     mod.module.get_surfref("nothing")
... except cuda.Error:
...     print("it has no such surface")
it has no such surface
)";

constexpr const char* kModuleFromBuffer = R"(Load code into the current context.

Parameters
----------
buffer : bytes or str
    A cubin, PTX or a fatbin.
options : sequence of (jit_option, int), default ()
    For the driver's compiler of PTX.
message_handler : callable, optional
    ``message_handler(success, info, error)`` gets what that compiler said.

Returns
-------
Module
    Unloaded when its last reference goes.

Raises
------
LogicError
    If the code does not fit the device; the text has what the compiler said.

Notes
-----
Calls ``cuModuleLoadDataEx``.

Examples
--------
>>> image = cuda.compiler.compile("__global__ void doublify(float* a) { a[threadIdx.x] *= 2; }")
>>> cuda.module_from_buffer(image).get_function("doublify")
<devarray.cuda.Function doublify>
)";

constexpr const char* kFunction = R"(
A kernel of a module; made by `Module.get_function`.

Its attributes say what it takes: ``num_regs`` of a thread, ``shared_size_bytes`` of a block,
``max_threads_per_block``.

Notes
-----
Stands for a ``CUfunction``.

Examples
--------
>>> doublify.max_threads_per_block > 0
True
)";

constexpr const char* kFunctionCall = R"(Launch the kernel.

Parameters
----------
*args : object
    One for each parameter: NumPy scalars, device memory or addresses, devarray's arrays, texture and surface
    objects, or host arrays in `In`, `Out` and `InOut`.
block : int or tuple of int
    Threads of a block along up to three axes. Must be given.
grid : int or tuple of int, default 1
    Blocks along up to three axes.
stream : Stream or int, optional
    The default stream if not given.
shared : int, default 0
    Bytes of dynamic shared memory of a block.
texrefs : sequence of TextureReference, optional
    Of a module compiled before CUDA 12.
time_kernel : bool, default False
    Whether to wait for the kernel and return its time.

Returns
-------
float or None
    Seconds, where `time_kernel` is set.

Raises
------
TypeError
    If an argument's type does not fit, or `block` is not given.
LaunchError
    If the kernel fails; often reported by a later call.

Notes
-----
Calls ``cuLaunchKernel``.

Examples
--------
>>> array = np.ones(4, np.float32)
>>> doublify(cuda.InOut(array), block=(4, 1, 1))
>>> array
array([2., 2., 2., 2.], dtype=float32)
)";

constexpr const char* kPreparedCall = R"(prepared_call($self, grid, block, *args, shared_size=0)
--

Launch the kernel with arguments of the types that `prepare` fixed.

Parameters
----------
grid : tuple of int
    Blocks along up to three axes.
block : tuple of int
    Threads of a block.
*args : object
    One for each type.
shared_size : int, optional
    Bytes of dynamic shared memory of a block; by default what `prepare` was given.

Raises
------
ValueError
    If the kernel was not prepared.

Notes
-----
Calls ``cuLaunchKernel``.

Examples
--------
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> doublify.prepare("P").prepared_call((1, 1), (4, 1, 1), memory)
)";

constexpr const char* kPreparedAsyncCall = R"(prepared_async_call($self, grid, block, stream, *args, shared_size=0)
--

Launch the kernel on a stream, with arguments of the types that `prepare` fixed.

Parameters
----------
grid : tuple of int
    Blocks along up to three axes.
block : tuple of int
    Threads of a block.
stream : Stream or int or None
    None is the default stream.
*args : object
    One for each type.
shared_size : int, optional
    Bytes of dynamic shared memory of a block; by default what `prepare` was given.

Raises
------
ValueError
    If the kernel was not prepared.

Notes
-----
Calls ``cuLaunchKernel``.

Examples
--------
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> doublify.prepare("P").prepared_async_call((1, 1), (4, 1, 1), cuda.Stream(), memory)
)";

constexpr const char* kFunctionPrepare = R"(Fix the types of the arguments, for launches that look at them less.

Parameters
----------
arg_types : str or sequence
    One letter of `struct` for each argument (``"P"`` for an address, ``"i"``, ``"f"``), or dtypes.
shared : int, optional
    Bytes of dynamic shared memory of a block.
texrefs : sequence of TextureReference, default ()
    Of a module compiled before CUDA 12.

Returns
-------
Function
    The function itself.

Examples
--------
>>> doublify.prepare("P") is doublify
True
)";

constexpr const char* kFunctionPreparedTimedCall = R"(Launch the prepared kernel and measure it.

Called as ``prepared_timed_call(grid, block, *args, shared_size=0)``.

Parameters
----------
*args : object
    Grid, block, and one for each type that `prepare` fixed.
**kwargs : int
    ``shared_size``: bytes of dynamic shared memory of a block.

Returns
-------
callable
    It waits for the kernel and returns its time in seconds.

Raises
------
ValueError
    If the kernel was not prepared.

Notes
-----
Calls ``cuLaunchKernel`` between two events.

Examples
--------
>>> memory = cuda.to_device(np.ones(4, np.float32))
>>> seconds = doublify.prepare("P").prepared_timed_call((1, 1), (4, 1, 1), memory)
>>> seconds() >= 0
True
)";

constexpr const char* kFunctionGetAttribute = R"(Return an attribute of the kernel.

Parameters
----------
attr : function_attribute
    Which.

Returns
-------
int
    Bytes or a number, as the attribute is.

Notes
-----
Calls ``cuFuncGetAttribute``.

Examples
--------
>>> doublify.get_attribute(cuda.function_attribute.MAX_THREADS_PER_BLOCK) == doublify.max_threads_per_block
True
)";

constexpr const char* kFunctionSetAttribute = R"(Set an attribute of the kernel.

Parameters
----------
attr : function_attribute
    MAX_DYNAMIC_SHARED_SIZE_BYTES or PREFERRED_SHARED_MEMORY_CARVEOUT.
value : int
    Bytes, or percent.

Raises
------
LogicError
    If the device does not allow it.

Notes
-----
Calls ``cuFuncSetAttribute``.

Examples
--------
>>> doublify.set_attribute(cuda.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES, 1024)
)";

constexpr const char* kFunctionSetCacheConfig = R"(Prefer more shared memory or more L1 cache for this kernel.

Parameters
----------
fc : func_cache
    The preference.

Notes
-----
Calls ``cuFuncSetCacheConfig``.

Examples
--------
>>> doublify.set_cache_config(cuda.func_cache.PREFER_L1)
)";

constexpr const char* kFunctionSetSharedConfig =
    R"(Set the bank size of shared memory for this kernel; without effect since Volta, which has one.

Parameters
----------
sc : shared_config
    The size.

Notes
-----
Calls ``cuFuncSetSharedMemConfig``.

Examples
--------
>>> doublify.set_shared_config(cuda.shared_config.FOUR_BYTE_BANK_SIZE)
)";

constexpr const char* kFunctionMaxActiveBlocksPerMultiprocessor =
    R"(Return how many blocks one multiprocessor runs at once.

Parameters
----------
block_size : int
    Threads of a block.
shared : int, default 0
    Bytes of dynamic shared memory of a block.

Returns
-------
int
    Blocks.

Notes
-----
Calls ``cuOccupancyMaxActiveBlocksPerMultiprocessor``.

Examples
--------
>>> doublify.max_active_blocks_per_multiprocessor(128) > 0
True
)";

constexpr const char* kFunctionMaxPotentialBlockSize = R"(Return the block size that occupies the device best.

Parameters
----------
shared : int, default 0
    Bytes of dynamic shared memory of a block.
block_size_limit : int, default 0
    Threads; 0 means no limit but the device's.

Returns
-------
tuple of int
    (threads of a block, least blocks of a grid).

Notes
-----
Calls ``cuOccupancyMaxPotentialBlockSize``.

Examples
--------
>>> threads, blocks = doublify.max_potential_block_size()
>>> threads > 0 and blocks > 0
True
)";

}  // namespace devarray::docs
