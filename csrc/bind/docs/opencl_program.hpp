// What help() says of the names that opencl_program.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kLocalMemory = R"(
Local memory of a work-group, as a kernel argument.

Parameters
----------
size : int
    Bytes.

Examples
--------
>>> cl.LocalMemory(1024).size
1024
)";

constexpr const char* kKernel = R"(
A function of a program.

Each ``kernel_info`` is an attribute in lower case: ``function_name``, ``num_args``.

Parameters
----------
program : Program
    A built one.
name : str
    Of the function. ``program.name`` gives the same kernel.

Raises
------
LogicError
    If the program has no kernel of that name.

Notes
-----
Calls ``clCreateKernel``.

Examples
--------
>>> kernel = cl.Kernel(prg, "twice")
>>> kernel.function_name, kernel.num_args
('twice', 1)
)";

constexpr const char* kKernelCall = R"(Set all arguments and enqueue the kernel.

Parameters
----------
queue : CommandQueue
    Where it is enqueued.
global_size : int or sequence of int
    Work-items along up to three axes.
local_size : int or sequence of int or None
    Work-items of a group; None leaves it to the driver.
*args : object
    One for each parameter: memory objects, SVM pointers, `LocalMemory`, samplers, None (a null pointer), or
    anything with the buffer protocol, such as NumPy scalars.
global_offset : sequence of int, optional
    The first work-item's id.
wait_for : sequence of Event, optional
    What the kernel waits for.
g_times_l : bool, default False
    Whether `global_size` counts groups.
allow_empty_ndrange : bool, default False
    Whether a size of 0 enqueues a marker instead of an error.

Returns
-------
Event
    Of the kernel.

Raises
------
TypeError
    If the number or the type of the arguments does not fit.
LogicError
    If the driver refuses the sizes.

Notes
-----
Calls ``clSetKernelArg`` and ``clEnqueueNDRangeKernel``.

Examples
--------
>>> event = prg.twice(queue, ones.shape, None, buf)
>>> event = cl.enqueue_copy(queue, ones, buf)
>>> ones
array([2., 2., 2., 2.], dtype=float32)
)";

constexpr const char* kKernelSetArg = R"(Set one argument.

Parameters
----------
index : int
    Its place, from 0.
arg : object
    What the kernel's call takes.

Raises
------
LogicError
    If the kernel has no such argument, or its size does not fit.

Notes
-----
Calls ``clSetKernelArg`` or ``clSetKernelArgSVMPointer``.

Examples
--------
>>> kernel = cl.Kernel(prg, "twice")
>>> kernel.set_arg(0, buf)
>>> event = cl.enqueue_nd_range_kernel(queue, kernel, (4,), None)
)";

constexpr const char* kKernelSetArgs = R"(set_args($self, /, *args)
--

Set all arguments, as the kernel's call does.

Parameters
----------
*args : object
    One for each parameter.

Raises
------
TypeError
    If the number or the type of the arguments does not fit.

Notes
-----
Calls ``clSetKernelArg``.

Examples
--------
>>> kernel = cl.Kernel(prg, "twice")
>>> kernel.set_args(buf)
>>> event = cl.enqueue_nd_range_kernel(queue, kernel, (4,), None)
)";

constexpr const char* kKernelSetScalarArgDtypes =
    R"(Say which arguments are scalars: Python numbers are converted to their dtypes.

Parameters
----------
arg_dtypes : sequence of dtype or None
    One for each argument, None for those that are no scalars.

Raises
------
ValueError
    If their number is not that of the arguments.

Examples
--------
>>> fill = cl.Program(ctx, "kernel void fill(global float* a, float x) { a[get_global_id(0)] = x; }").build().fill
>>> fill.set_scalar_arg_dtypes([None, np.float32])
>>> event = fill(queue, (4,), None, buf, 3)
)";

constexpr const char* kKernelSetArgTypes = R"(Say which arguments are scalars: the same as `set_scalar_arg_dtypes`.

Parameters
----------
arg_types : sequence of dtype or None
    One for each argument, None for those that are no scalars.

Raises
------
ValueError
    If their number is not that of the arguments.

Examples
--------
>>> cl.Kernel(prg, "twice").set_arg_types([None])
)";

constexpr const char* kKernelGetWorkGroupInfo = R"(Read what a device says of the kernel's work-groups.

Parameters
----------
param : int
    Of `kernel_work_group_info`.
device : Device
    One of the program's.

Returns
-------
object
    An int (work-items or bytes), or a list of three.

Notes
-----
Calls ``clGetKernelWorkGroupInfo``.

Examples
--------
>>> prg.twice.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, ctx.devices[0]) >= 1
True
)";

constexpr const char* kKernelGetArgInfo = R"(Read what is known of one argument.

Parameters
----------
arg_index : int
    Its place, from 0.
param : int
    Of `kernel_arg_info`.

Returns
-------
object
    A str or an int.

Raises
------
LogicError
    If the program was built without ``-cl-kernel-arg-info``.

Notes
-----
Calls ``clGetKernelArgInfo``.

Examples
--------
>>> told = cl.Program(ctx, "kernel void one(global int* x) { *x = 1; }").build("-cl-kernel-arg-info").one
>>> told.get_arg_info(0, cl.kernel_arg_info.NAME)
'x'
)";

constexpr const char* kKernelGetSubGroupInfo = R"(Read what a device says of the kernel's sub-groups.

Parameters
----------
device : Device
    One of the program's.
param : int
    Of `kernel_sub_group_info`.
input_value : int or sequence of int, optional
    The local size, or the number of sub-groups, that the question is about.

Returns
-------
int or list of int
    Work-items, sub-groups, or a local size.

Raises
------
LogicError
    If the device has no sub-groups.

Notes
-----
Calls ``clGetKernelSubGroupInfo``.

Examples
--------
>>> size = cl.kernel_sub_group_info.MAX_SUB_GROUP_SIZE_FOR_NDRANGE
>>> prg.twice.get_sub_group_info(ctx.devices[0], size, (16,)) >= 1
True
)";

constexpr const char* kKernelClone = R"(Copy the kernel with the arguments that are set.

Returns
-------
Kernel
    Its arguments can be set on their own.

Raises
------
LogicError
    If the platform is older than OpenCL 2.1.

Notes
-----
Calls ``clCloneKernel``.

Examples
--------
>>> kernel = cl.Kernel(prg, "twice")
>>> kernel.set_args(buf)
>>> event = cl.enqueue_nd_range_kernel(queue, kernel.clone(), (4,), None)
)";

constexpr const char* kEnqueueNdRangeKernel =
    R"(enqueue_nd_range_kernel(queue, kernel, global_work_size, local_work_size, global_work_offset=None, wait_for=None, g_times_l=False, allow_empty_ndrange=False)
--

Enqueue a kernel whose arguments are set.

Parameters
----------
queue : CommandQueue
    Where it is enqueued.
kernel : Kernel
    What runs.
global_work_size : int or sequence of int
    Work-items along up to three axes.
local_work_size : int or sequence of int or None
    Work-items of a group; None leaves it to the driver.
global_work_offset : sequence of int, optional
    The first work-item's id.
wait_for : sequence of Event, optional
    What the kernel waits for.
g_times_l : bool, default False
    Whether `global_work_size` counts groups.
allow_empty_ndrange : bool, default False
    Whether a size of 0 enqueues a marker instead of an error.

Returns
-------
Event
    Of the kernel.

Raises
------
LogicError
    If the driver refuses the sizes, or an argument is not set.

Notes
-----
Calls ``clEnqueueNDRangeKernel``.

Examples
--------
>>> kernel = cl.Kernel(prg, "twice")
>>> kernel.set_args(buf)
>>> event = cl.enqueue_nd_range_kernel(queue, kernel, (4,), None)
)";

constexpr const char* kProgram = R"(
Kernels in source or compiled form.

It is made of OpenCL C, of SPIR-V (bytes that start with its magic number), or of binaries: ``Program(context,
devices, binaries)``. Each ``program_info`` is an attribute in lower case, and each kernel of a built program one by
its name.

Parameters
----------
context : Context
    Where it runs.
source : str or bytes
    OpenCL C or SPIR-V.

Notes
-----
Calls ``clCreateProgramWithSource``, ``clCreateProgramWithIL`` or ``clCreateProgramWithBinary``.

Examples
--------
>>> program = cl.Program(ctx, "kernel void one(global int* x) { *x = 1; }").build()
>>> again = cl.Program(ctx, program.devices, program.binaries).build()
>>> again.one.function_name
'one'
)";

constexpr const char* kProgramBuild = R"(Compile and link for the devices.

Parameters
----------
options : str or sequence of str, default ""
    Of the compiler.
devices : sequence of Device, optional
    All of the context's by default.
cache_dir : object, optional
    Taken for PyOpenCL's sake; drivers keep caches of their own.

Returns
-------
Program
    The program itself.

Raises
------
BuildError
    If it does not compile; ``log`` and ``source`` say why.

Notes
-----
Calls ``clBuildProgram``.

Examples
--------
>>> program = cl.Program(ctx, "kernel void n(global int* x) { *x = N; }")
>>> program.build("-DN=3") is program
True
)";

constexpr const char* kProgramCompile = R"(Compile without linking.

Parameters
----------
options : str or sequence of str, default ""
    Of the compiler.
devices : sequence of Device, optional
    All of the context's by default.
headers : sequence of (str, Program), default ()
    Names that the source includes, and their contents.

Returns
-------
Program
    The program itself.

Raises
------
BuildError
    If it does not compile.

Notes
-----
Calls ``clCompileProgram``.

Examples
--------
>>> part = cl.Program(ctx, "kernel void one(global int* x) { *x = 1; }").compile()
>>> cl.link_program(ctx, [part]).one.num_args
1
)";

constexpr const char* kProgramSetSpecializationConstant = R"(Set a constant of SPIR-V, before the build.

Parameters
----------
spec_id : int
    The constant's number in the module.
buffer : object with the buffer protocol
    Its value; a NumPy scalar, say.

Raises
------
LogicError
    If the program is no SPIR-V, or the platform is older than OpenCL 2.2.

Notes
-----
Calls ``clSetProgramSpecializationConstant``.

Examples
--------
>>> try:
...     cl.Program(ctx, "kernel void none() {}").set_specialization_constant(0, np.int32(1))
... except cl.Error:
...     print("only SPIR-V has them")
only SPIR-V has them
)";

constexpr const char* kProgramGetBuildInfo = R"(Read what a device says of the build.

Parameters
----------
device : Device
    One of the program's.
param : int
    Of `program_build_info`.

Returns
-------
object
    A str or an int.

Notes
-----
Calls ``clGetProgramBuildInfo``.

Examples
--------
>>> prg.get_build_info(ctx.devices[0], cl.program_build_info.STATUS)
0
)";

constexpr const char* kProgramAllKernels = R"(List the kernels of a built program.

Returns
-------
list of Kernel
    A new object for each.

Notes
-----
Calls ``clCreateKernelsInProgram``.

Examples
--------
>>> [kernel.function_name for kernel in prg.all_kernels()]
['twice']
)";

constexpr const char* kProgramGetattr = R"(Return the kernel of that name.

Parameters
----------
name : str
    Of a kernel function.

Returns
-------
Kernel
    The same one at each access.

Raises
------
AttributeError
    If the program has no such kernel.

Notes
-----
Calls ``clCreateKernel``.

Examples
--------
>>> prg.twice.function_name
'twice'
)";

constexpr const char* kLinkProgram = R"(Make one program of compiled ones.

Parameters
----------
context : Context
    Where it runs.
programs : sequence of Program
    Each one compiled by `Program.compile`.
options : str or sequence of str, default ""
    Of the linker.
devices : sequence of Device, optional
    All of the context's by default.

Returns
-------
Program
    A built one.

Raises
------
BuildError
    If they do not link.

Notes
-----
Calls ``clLinkProgram``.

Examples
--------
>>> part = cl.Program(ctx, "kernel void one(global int* x) { *x = 1; }").compile()
>>> cl.link_program(ctx, [part]).one.num_args
1
)";

constexpr const char* kCreateProgramWithBuiltInKernels =
    R"(Make a program of kernels that the devices have without source.

Parameters
----------
context : Context
    Where it runs.
devices : sequence of Device
    Of the context.
kernel_names : str or sequence of str
    Of ``Device.built_in_kernels``; in one text separated by semicolons.

Returns
-------
Program
    A built one.

Raises
------
LogicError
    If a device has no such kernel.

Notes
-----
Calls ``clCreateProgramWithBuiltInKernels``.

Examples
--------
>>> try:
...     cl.create_program_with_built_in_kernels(ctx, ctx.devices, ["no_such_kernel"])
... except cl.LogicError:
...     print("refused")
refused
)";

constexpr const char* kUnloadPlatformCompiler =
    R"(Let the platform free what its compiler holds; it may be loaded again at any time.

Parameters
----------
platform : Platform
    Whose compiler.

Notes
-----
Calls ``clUnloadPlatformCompiler``.

Examples
--------
>>> cl.unload_platform_compiler(cl.get_platforms()[0])
)";

}  // namespace devarray::docs
