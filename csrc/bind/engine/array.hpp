// The Python type of arrays. Its slots are the hot path, so it is written against Python's C API, not pybind11.
#pragma once

#include "bind/python/bind.hpp"
#include "engine/kernel_spec.hpp"
#include "engine/place.hpp"
#include "engine/record.hpp"

namespace devarray {

struct ArrayObject {
  PyObject_HEAD Node* node;  ///< owned
  PyObject* weakrefs;
  bool value;  ///< without axes, as NumPy's scalars: never written, in-place operators bind a new one, it has a hash
};

/// Objects of the Python side that the C++ side needs. Set once, when devarray/array.py is imported.
struct PythonHooks {
  PyTypeObject* array_class = nullptr;   ///< devarray.Array
  PyObject* warn_of_parts = nullptr;     ///< () where an assignment discards imaginary parts
  PyObject* of_scalars = nullptr;        ///< (operation's name, *scalars) for operations without an array
  PyObject* advanced_getitem = nullptr;  ///< (array, key) for keys beyond basic indexing
  PyObject* advanced_setitem = nullptr;  ///< (array, key, value)
  PyObject* to_array = nullptr;          ///< (object, like) host object -> array where `like` lives
  PyObject* to_operand = nullptr;        ///< (object, like) operand of an operator -> array, scalar or NotImplemented
  PyObject* refused = nullptr;           ///< (operation's name, left, right) of an operator -> result or NotImplemented
  PyObject* default_place = nullptr;     ///< () -> (queue, allocator)
  PyObject* build_elementwise = nullptr;  ///< (device, spec tuple) -> Kernel
  PyObject* build_reduction = nullptr;
  PyObject* build_rows = nullptr;
  PyObject* build_stencil_chain = nullptr;
  PyObject* explain_access = nullptr;    ///< (number) -> which access of which kernel
  PyObject* tall_product = nullptr;      ///< (left, right) of is_tall_product() -> array
  PyObject* row_product = nullptr;       ///< (left, right) of is_row_product() -> array
  PyObject* numpy_generic = nullptr;     ///< numpy.generic
  PyObject* numpy_dtype = nullptr;       ///< numpy.dtype
  PyObject* dtypes[kDTypes] = {};        ///< numpy.dtype instances
  PyObject* scalar_types[kDTypes] = {};  ///< numpy.float32 and its kind
};
inline PythonHooks& hooks() {
  static constinit PythonHooks h;
  return h;
}
/// Keeps objects of devarray.Array that are gone for the next ones: they come and go with each operation.
void keep_objects_of(PyTypeObject* type);

bool is_array(PyObject* o);
/// The value of an array that is known to be one.
inline Node& node_of(PyObject* o) { return *reinterpret_cast<ArrayObject*>(o)->node; }
/// A new Array. Steals nothing.
PyObject* wrap(NodeRef node);
inline py::object wrapped(NodeRef node) { return py::reinterpret_steal<py::object>(wrap(std::move(node))); }
/// Records an operation on one to three operands; of scalars alone, NumPy's value. Null with an error set.
PyObject* apply_operation(OpId op, PyObject* const* operands, int count);
/// The array of an operation's result: a value where it has no axes.
PyObject* wrap_result(NodeRef node);
/// The matrix product of two arrays on the host (host_product.cpp). Null without an error: it is none of the common.
PyObject* host_product(PyObject* a, PyObject* b);
/// Makes an array that nobody else has a value, where it has no axes.
void make_value(PyObject* array);
/// The array of a view of `of`. Of a value it is a copy, as NumPy's are, but where it has no axes either.
py::object view_of(py::handle of, NodeRef view);
inline bool is_value(PyObject* array) { return reinterpret_cast<ArrayObject*>(array)->value; }
/// Throws DTypeError where `o` is no array.
Node& require_array(py::handle o);
/// Gives an array another value. Not for values that views share.
void rebind(PyObject* array, NodeRef node);

/// Reads an operand. False where the object is none that arithmetic takes.
bool read_operand(PyObject* o, RecordArg& arg);
/// Operands of which one is an array; lists and their like are converted beside it. False where one is no operand.
bool read_operands(PyObject* const* objects, RecordArg* args, int n);
/// A list or its like as an operand beside the array `like`: an array, a scalar, or NotImplemented.
py::object convert_operand(PyObject* o, PyObject* like);
/// A numpy dtype, type or name as ours; throws DTypeError.
DType read_dtype(py::handle o);
py::object dtype_object(DType t);
/// Integers of 64 bits. `what` names them in errors: DTypeError for what is no int, ShapeError beyond 64 bits.
std::int64_t read_int(py::handle o, const char* what);
/// An int or a sequence of at most kMaxDims ints.
Dims read_ints(py::handle o, const char* what);
/// read_ints() of a shape, of which an array may be to find a size itself: no truths.
Dims read_new_shape(py::handle o);
/// A shape: read_new_shape() and none of them negative.
Dims read_sizes(py::handle o);
py::tuple dims_tuple(const Dims& d);

/// x[key] for ints, slices, Ellipsis and None, as a view. Null where the key is none of these.
NodeRef basic_index(const NodeRef& n, PyObject* key);

/// The pending value of an array that only the caller's temporary holds, by its references; null for all else. Other
/// callers in C and Python 3.14's borrowed locals look the same, so that the value must stay right. By the strategy of
/// CPUs.
const Node* last_use(PyObject* array);
/// Stores a value in an array: by rebinding where nothing else sees its memory, else by writing. `last`: as assign()
/// takes it.
void store(PyObject* array, const NodeRef& value, const Node* last = nullptr);

/// Stores a value in all of an array by rebinding, array[:] = value. False, and nothing done, where that is to be
/// written.
bool replace(PyObject* array, const NodeRef& value);

/// Tells of imaginary parts that a store drops, at the line of the program, as NumPy does.
void warn_of_parts(const Node& from, const Node& to);

PyTypeObject* make_array_type(py::module_& m);

/// The values of a sequence of arrays. Throws DTypeError where an item is none.
std::vector<NodeRef> nodes_of(const py::sequence& arrays);

/// empty(shape, dtype=None, queue=None, allocator=None, order="C"), by Python's fast calling convention. Without a
/// dtype float64, or float32 on a device without it.
PyObject* empty_array(PyObject* module, PyObject* const* argv, Py_ssize_t argc);
/// An array of one value at the default place; the dtype is that of empty_array(), or null. Null with an error.
PyObject* filled_array(PyObject* shape, PyObject* dtype, PyObject* value);
/// The matrix product of two arrays, quickly: on CPU devices by NumPy's BLAS; of matrices, stacks of as many, and
/// vectors by cuBLAS, where it runs; with vectors on other GPUs, and of two vectors, by a reduction. Null without an
/// error for everything else.
PyObject* common_product(PyObject* a, PyObject* b, bool a_dies = false, bool b_dies = false);
/// Waits for a queue's work, and raises what was wrong in it. Called with the GIL.
void wait_until_done(const QueuePtr& queue);
/// The matrix product of small arrays whose memory the host sees. Null without an error where they are none.
PyObject* small_product(PyObject* a, PyObject* b);
/// The first argument of the call of a QuickFunction that runs, where nobody but its caller holds it; else null. To be
/// compared with, not read. Another thread's call may forget it: that costs time alone.
inline PyObject* last_argument = nullptr;
/// A reduction of all elements, as the method has it that is called without arguments. Null without an error for the
/// array by which references are measured.
PyObject* reduce_all(PyObject* array, const char* kind);
/// function(*arguments) by a function of NumPy's that has our parameters, where the arrays have few elements that the
/// host may read now, and all else means the same to both. Null without an error otherwise, and where it raises.
PyObject* small_call(PyObject* function, PyObject* const* argv, Py_ssize_t positional, PyObject* names);
/// Whether NumPy computes a product whatever the queue is doing, with one result: OpenBLAS does so on the caller's
/// thread. Of more it wakes its own threads, which then stand in the way of kernels: host_product() shares it
/// otherwise.
bool is_small_product(const Node& x, const Node& y);
/// Where the elements of an evaluated array lie that the host may read.
inline char* memory_of(const Node& n) { return static_cast<char*>(n.storage->block->host()) + n.offset; }
/// A NumPy view of such an array, for the time of a call: it holds no reference to the memory.
py::object borrowed_view(const Node& n, bool writable = false);
/// The array of what NumPy gave, where `place` is. Null without an error for what no array is made of.
PyObject* array_of_result(PyObject* result, const PlaceRef& place);
/// Whether the bools of such an array are 0 or 1: NumPy counts and sorts them by their bytes.
bool are_truths(const Node& n);
/// x[key] of few elements that the host may read now, by NumPy, for a key with lists, index arrays or masks. Null
/// without an error for all else, and where NumPy raises: the usual way then says what is wrong.
PyObject* small_item(PyObject* x, PyObject* key);
/// x[key] = value by NumPy, likewise. False where nothing was done.
bool small_store(PyObject* x, PyObject* key, PyObject* value);
/// x[index] of few elements that the host may read now. Null without an error for all else.
PyObject* small_gather(const NodeRef& x, const NodeRef& index);
/// x[mask] of few elements, where the mask has x's shape. Null without an error for all else.
PyObject* small_select(const NodeRef& x, const NodeRef& mask);
/// x[index] = values and x[mask] = values of few elements that the host may write now: an array of x's dtype, or a
/// scalar. False, and nothing done, for all else.
bool small_scatter(const NodeRef& x, const NodeRef& index, const NodeRef& values);
bool small_place(const NodeRef& x, const NodeRef& mask, const NodeRef& values);
/// The array of a plain C-ordered ndarray's values, at the default place. Null, without an error, for anything else.
PyObject* upload_plain(PyObject* host);
/// The array of a list or tuple of Python's numbers, or of such lists, at the default place; of a dtype, unless that is
/// null or None. Null, without an error, for anything else.
PyObject* array_of_list(PyObject* list, PyObject* dtype);
/// The values of an array of few elements as nested lists. Null, without an error, for larger ones.
PyObject* list_of_array(PyObject* array);
void make_quick_type(py::module_& m);

/// The fields of devarray/codegen/kernels/spec.py's ElementwiseSpec.
py::dict spec_fields(const ElementwiseSpec& spec);

void bind_engine_attributes(py::module_& m);
void bind_engine_build();
void bind_engine_create(py::module_& m);
void bind_engine_launch(py::module_& m);
void bind_engine_operations(py::module_& m);
void bind_known_calls(py::module_& m);
void bind_formulas(py::module_& m);
void bind_engine_moves(py::module_& m);
void bind_engine_places(py::module_& m);
void bind_engine_views(py::module_& m);
void bind_engine_library(py::module_& m);
void bind_engine_dlpack(py::module_& m);
void bind_engine_dlpack_import(py::module_& m);
void bind_engine_host(py::module_& m);
void bind_engine_host_call(py::module_& m);
void bind_engine_sliding(py::module_& m);
void bind_engine_host_sort(py::module_& m);
void bind_engine_host_gather(py::module_& m);
void bind_engine_transfer(py::module_& m);
void bind_engine_profile(py::module_& m);
void bind_engine_explain(py::module_& m);

}  // namespace devarray
