// devarray.profile(): records to Python, and lines of the user's program from its frames.
#include "engine/profile.hpp"

#include <unordered_map>

#include "bind/engine/array.hpp"
#include "bind/engine/making_error.hpp"
#include "bind/python/call.hpp"
#include "engine/naming_lines.hpp"
#include "engine/ranges.hpp"
#include "memory/block_record.hpp"

namespace devarray {
namespace {

/// The lines met so far. What is asked for by a frame of devarray's own belongs to the nearest caller outside of it.
class Lines {
 public:
  SourceLine of_current_frame() {
    const auto [code, line, ours] = caller();
    if (!code) return 0;
    const auto [at, fresh] = numbers_.try_emplace({code.ptr(), line}, static_cast<SourceLine>(entries_.size() + 1));
    if (fresh) entries_.push_back({code, line});  // keeps the code object, so that its address stays its own
    return at->second;
  }

  /// The function of devarray's that the program called; empty where none is on the stack.
  std::string asked_function() {
    const Caller found = caller();
    return found.ours ? found.ours.attr("co_name").cast<std::string>() : "";
  }

  py::list entries() const {
    py::list out;
    for (const Entry& e : entries_)
      out.append(py::make_tuple(e.code.attr("co_filename"), e.line, e.code.attr("co_qualname")));
    return out;
  }

  void set_package(const std::string& folder) { package_ = folder; }

 private:
  struct Caller {
    py::object code;  // of the nearest frame that is not devarray's own; null where there is none
    int line = 0;
    py::object ours;  // of the frame that it called
  };

  Caller caller() {
    Caller found;
    for (auto* frame = PyThreadState_GetFrame(PyThreadState_Get()); frame;) {
      auto here = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
      if (!is_ours(here)) {
        found.code = std::move(here);
        found.line = PyFrame_GetLineNumber(frame);
        Py_DECREF(frame);
        break;
      }
      found.ours = std::move(here);
      auto* back = PyFrame_GetBack(frame);
      Py_DECREF(frame);
      frame = back;
    }
    return found;
  }

  struct Entry {
    py::object code;
    int line;
  };
  struct Key {
    const PyObject* code;
    int line;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const noexcept {
      return std::hash<const void*>()(k.code) ^ (static_cast<std::size_t>(k.line) * 0x9e3779b97f4a7c15u);
    }
  };

  bool is_ours(const py::object& code) {
    const char* file = PyUnicode_AsUTF8(reinterpret_cast<PyCodeObject*>(code.ptr())->co_filename);
    if (!file) PyErr_Clear();
    return file && !package_.empty() && std::string_view(file).substr(0, package_.size()) == package_;
  }

  std::string package_;
  std::vector<Entry> entries_;
  std::unordered_map<Key, SourceLine, Hash> numbers_;
};

Lines& lines() {
  static auto* all = new Lines();  // not torn down after Python
  return *all;
}

SourceLine line_of_python() noexcept {
  if (!PyGILState_Check()) return 0;
  const py::error_scope kept;
  try {
    return lines().of_current_frame();
  } catch (const std::exception&) {  // a profile's line is not worth an error
    return 0;
  }
}

std::string function_of_python() noexcept {
  if (!PyGILState_Check()) return "";
  const py::error_scope kept;
  try {
    return lines().asked_function();
  } catch (const std::exception&) {
    return "";
  }
}

/// Runs a function of no arguments on the host, and notes it by a name where a profile is taken.
py::object timed_on_host(const std::string& name, const py::object& function) {
  const auto timer = timer_of(Activity::host);
  py::object made = call_python(function);
  if (timer) timer->done({.name = name});
  return made;
}

/// Adds a note to the error that is being handled, where it is a CompileError of Python's.
void name_lines_in_python_error(const std::vector<SourceLine>& wanted) {
  try {
    throw;
  } catch (const MakingError& e) {
    if (wanted.empty() || !e.raised.matches(py::module_::import("devarray.errors").attr("CompileError"))) return;
    const py::list entries = lines().entries();
    std::string note = "the kernel's operations were recorded at";
    for (SourceLine line : wanted) {
      const auto entry = entries[line - 1].cast<py::tuple>();
      note += "\n  " + entry[0].cast<std::string>() + ":" + std::to_string(entry[1].cast<int>()) + ", in " +
              entry[2].cast<std::string>();
    }
    e.raised.value().attr("add_note")(note);
  } catch (...) {  // others have no note
  }
}

const char* name_of(Activity activity) {
  switch (activity) {
    case Activity::kernel: return "kernel";
    case Activity::library: return "library";
    case Activity::to_device: return "to_device";
    case Activity::to_host: return "to_host";
    case Activity::wait: return "wait";
    case Activity::compilation: return "compilation";
    case Activity::host: return "host";
  }
  return "";
}

py::list stop() {
  std::vector<ActivityRecord> records;
  {
    GilRelease unlocked;
    records = stop_profile();
  }
  py::list out;
  for (const ActivityRecord& r : records) {
    py::list ids;
    for (SourceLine line : r.lines)
      if (line) ids.append(line);
    out.append(py::make_tuple(name_of(r.activity), r.name, r.device, r.queue, r.begin, r.end, r.read, r.written,
                              r.operations, ids));
  }
  return out;
}

}  // namespace

void bind_engine_profile(py::module_& m) {
  set_line_source(line_of_python);
  set_function_source(function_of_python);
  set_block_line_source(line_of_python);
  name_lines_in_error = name_lines_in_python_error;
  m.def("profile_start", &start_profile);
  m.def("profile_stop", &stop, "profile_stop(): the records since profile_start(), once their work is done.");
  m.def("profile_lines", [] { return lines().entries(); }, "profile_lines(): (file, line, function) of each number.");
  m.def("timed_on_host", &timed_on_host, py::arg("name"), py::arg("function"));
  m.def("steady_seconds", &steady_seconds, "steady_seconds(): of the clock that a profile's times are of.");
  m.def(
      "profile_ranges",
      [](std::uintptr_t push, std::uintptr_t pop) {
        set_range_functions({reinterpret_cast<int (*)(const char*)>(push), reinterpret_cast<int (*)()>(pop)});
      },
      "profile_ranges(push, pop): addresses of nvtxRangePushA and nvtxRangePop; zeros for none.");
  m.def("profile_package", [](const std::string& folder) { lines().set_package(folder); });
}

}  // namespace devarray
