// Docstrings of what bind/opencl/program.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

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
