// Shared by the binders: pybind11 and the GIL's rules.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string_view>

#include "bind/python/gil.hpp"
#include "common/driver.hpp"
#include "common/gil.hpp"
#include "memory/resource.hpp"

namespace py = pybind11;

namespace devarray {

/// Throws TypeError for an object whose __init__ has not run: `cls.__new__(cls)`, or a subclass before
/// super().__init__().
void require_initialised(const py::detail::value_and_holder& object);
void require_initialised(py::handle object);

}  // namespace devarray

namespace pybind11::detail {

/// Whether T is a class of this project, bound with class_, and no template: holders have casters of their own. Told by
/// its name, which compilers shorten only by the namespace around this function.
template <class T>
consteval bool is_own_class() {
  if (!std::is_class_v<T>) return false;
  std::string_view name = __PRETTY_FUNCTION__;
  name = name.substr(name.find("T = ") + 4);
  name = name.substr(0, name.find_first_of(";]"));
  return name.starts_with("devarray::") && name.find('<') == name.npos;
}
static_assert(is_own_class<devarray::Queue>() && !is_own_class<std::string>() &&
              !is_own_class<devarray::Ref<devarray::Block>>());

/// pybind11 answers an object that was never initialised with fresh memory that nobody constructed; here it is refused.
template <class T>
class type_caster<T, enable_if_t<is_own_class<T>()>> : public type_caster_base<T> {
  using base = type_caster_base<T>;

 public:
  using base::base;
  bool load(handle source, bool convert) { return base::template load_impl<type_caster>(source, convert); }

 protected:
  friend class type_caster_generic;
  void load_value(value_and_holder&& object) {
    devarray::require_initialised(object);
    base::load_value(std::move(object));
  }
  bool try_implicit_casts(handle source, bool convert) {
    devarray::require_initialised(source);
    return base::try_implicit_casts(source, convert);
  }
};

/// None for a null pointer, told first. pybind11 comes to it last, after a second round over all arguments and an
/// attribute that it looks for on None: the AttributeError that it raises and drops costs more than most calls do.
template <class T>
struct nullable_caster : copyable_holder_caster<T, std::shared_ptr<T>> {
  bool load(handle source, bool convert) {
    return source.is_none() || copyable_holder_caster<T, std::shared_ptr<T>>::load(source, convert);
  }
};
template <>
class type_caster<devarray::DevicePtr> : public nullable_caster<devarray::Device> {};
template <>
class type_caster<devarray::QueuePtr> : public nullable_caster<devarray::Queue> {};
template <>
class type_caster<devarray::ResourcePtr> : public nullable_caster<devarray::MemoryResource> {};

}  // namespace pybind11::detail

namespace devarray {

void bind_error(py::module_& m);
void bind_driver(py::module_& m);
py::object bind_opencl(py::module_& m);
py::object bind_cuda(py::module_& m);
void bind_memory(py::module_& m);
void bind_engine(py::module_& m);

using release_gil = py::call_guard<GilRelease>;

/// The items of any iterable, held by a list of their own: what a loop over handles must go over. The iterators of a
/// py::sequence give items that may die with the expression (NumPy makes them as it is asked for them).
inline py::list items_of(py::handle iterable) {
  PyObject* list = PySequence_List(iterable.ptr());
  if (!list) throw py::error_already_set();
  return py::reinterpret_steal<py::list>(list);
}

/// Makes a module's classes safe to be misused: methods refuse None for `self`, which pybind11 takes for a null pointer
/// where no parameter has a name, and objects that stand for something of the driver's refuse to be pickled or copied.
/// Called when all classes of the module are bound.
void finish_classes(const py::module_& m);

/// Whether objects of pybind11 lie in memory as recycle.hpp and quick.hpp expect it. Found out once, by an object made
/// for it; false sends all calls the public way. A test may say so, too.
inline bool private_layout_in_use = false;
inline bool private_layout() noexcept { return private_layout_in_use; }
void bind_layout(py::module_& m);

/// Sets the Python error for a C++ exception, or throws it again where it is none of its own.
using ErrorTranslator = void(std::exception_ptr);
void add_error_translator(ErrorTranslator* translator);

/// Sets the Python error for the exception now being handled. For code that is called by Python without pybind11.
void set_python_error() noexcept;

}  // namespace devarray
