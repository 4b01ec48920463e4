// Docstrings of what bind/cuda/linker.cpp binds. tests/test_docstrings_drivers.py runs the examples.
#pragma once

namespace devarray::docs {

constexpr const char* kLinker = R"(
The driver's linker: relocatable device code, PTX and libraries become one module.

Cubins are compiled with ``-rdc=true``.

Parameters
----------
message_handler : callable, optional
    ``message_handler(success, info, error)`` gets what the linker said.
link_options : sequence of (jit_option, int), optional
    For the linker.
log_verbose : bool, default False
    Say more.

Notes
-----
pycuda.driver's class of that name; stands for a ``CUlinkState``. The current context is its own.

Examples
--------
>>> from devarray.cuda.compiler import compile
>>> linker = cuda.Linker()
>>> linker.add_data(compile("__global__ void count(int* n) { ++*n; }", options=["-rdc=true"]), cuda.jit_input_type.CUBIN)
>>> linker.link_module().get_function("count")
<devarray.cuda.Function count>
)";

constexpr const char* kLinkerAddData = R"(Add code.

Parameters
----------
data : bytes or str
    A cubin, PTX, a fatbin, an object or an archive of them.
input_type : jit_input_type
    Which of them.
name : str, default "unknown"
    For messages.

Raises
------
LogicError
    If the linker refuses it; the text has what it said.
ValueError
    If the module is linked, or there is no code.

Notes
-----
Calls ``cuLinkAddData``.

Examples
--------
>>> ptx = cuda.compiler.compile("__global__ void count(int* n) { ++*n; }", target="ptx")
>>> cuda.Linker().add_data(ptx, cuda.jit_input_type.PTX, "count.ptx")
)";

constexpr const char* kLinkerAddFile = R"(Add a file of code.

Parameters
----------
filename : str
    Of a cubin, PTX, a fatbin, an object or a library.
input_type : jit_input_type
    Which of them.

Raises
------
LogicError
    If there is no such file, or the linker refuses it.
ValueError
    If the module is linked.

Notes
-----
Calls ``cuLinkAddFile``.

Examples
--------
>>> try:
...     cuda.Linker().add_file("/no/such/file.a", cuda.jit_input_type.LIBRARY)
... except cuda.Error:
...     print("no such file")
no such file
)";

constexpr const char* kLinkerLinkModule = R"(Link what was added, and load it.

Returns
-------
Module
    Of the linker's context. The linker is done.

Raises
------
LogicError
    If a symbol is missing; the text has what the linker said.
ValueError
    If it is linked already.

Notes
-----
Calls ``cuLinkComplete`` and ``cuModuleLoadDataEx``.

Examples
--------
>>> from devarray.cuda.compiler import compile
>>> linker = cuda.Linker()
>>> linker.add_data(compile("__global__ void count(int* n) { ++*n; }", options=["-rdc=true"]), cuda.jit_input_type.CUBIN)
>>> isinstance(linker.link_module(), cuda.Module)
True
)";

}  // namespace devarray::docs
