// Docstrings of what bind/opencl/kernel.cpp binds. tests/test_docstrings_drivers.py runs the examples.
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

constexpr const char* kKernelCaptureCall = R"(Write a program of Python that repeats a call of the kernel.

It holds the program's source, its options, and the values of all arguments: what a report of a driver's error needs.
Its ``main()`` runs the call and returns the arguments. The kernel is not run, and nothing is written to.

Parameters
----------
output_file : str or text file
    Where the program is written.
queue : CommandQueue
    By which the buffers are read.
global_size, local_size, *args, g_times_l, allow_empty_ndrange, global_offset : object
    As of a call of the kernel. Arguments are buffers, arrays, `LocalMemory`, numbers and None.
wait_for : sequence of Event, optional
    What is waited for before the buffers are read.

Raises
------
ValueError
    If the program was made of a binary.
TypeError
    For arguments of other classes.

Examples
--------
>>> import io
>>> captured = io.StringIO()
>>> cl.Kernel(prg, "twice").capture_call(captured, queue, ones.shape, None, buf)
>>> captured.getvalue().splitlines()[0].split(",")[0]
'"""A call of the kernel twice'
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

}  // namespace devarray::docs
