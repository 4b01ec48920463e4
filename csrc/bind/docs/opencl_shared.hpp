// Docstrings of names that many classes of _core.cl have.
#pragma once

namespace devarray::docs {

constexpr const char* kFromIntPtr = R"(Return the object for a handle of the driver.

Parameters
----------
int_ptr_value : int
    The handle: what ``int_ptr`` gives, here or in PyOpenCL.
retain : bool, default True
    Whether to take a reference; otherwise the caller's is taken over.

Returns
-------
object
    An instance of the class, equal to every other one of that handle.

Examples
--------
>>> cl.Context.from_int_ptr(ctx.int_ptr) == ctx
True
)";

constexpr const char* kGetInfo = R"(Return the value of an attribute by its number.

Parameters
----------
param : int
    Of the class of constants that is named after the object: `context_info` for a Context.

Returns
-------
object
    What the attribute of that name in lower case gives.

Raises
------
LogicError
    If the number is none of these, or the driver does not know it.

Examples
--------
>>> ctx.get_info(cl.context_info.NUM_DEVICES) == ctx.num_devices
True
)";

}  // namespace devarray::docs
