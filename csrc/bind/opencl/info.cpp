// Info attributes as Python objects, and the numbers behind the constant classes.
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "bind/docs/opencl_info.hpp"
#include "bind/opencl/opencl.hpp"

namespace devarray::opencl {
namespace {

template <class T>
T as(const std::string& bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

template <class T, class Convert>
py::list each(const std::string& bytes, Convert convert) {
  py::list items;
  for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    items.append(convert(value));
  }
  return items;
}

/// A driver's handle as an object that holds a reference of its own, or None.
template <class Raw, class Wrap>
py::object shared(const std::string& bytes, Wrap wrap) {
  const Raw raw = as<Raw>(bytes);
  return raw ? py::cast(wrap(raw)) : py::none();
}

py::object platform_object(const std::string& bytes) {
  const auto id = as<cl_platform_id>(bytes);
  return id ? py::cast(Platform(id)) : py::none();
}

struct NameVersion {
  std::string name;
  cl_version version;
};

}  // namespace

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

py::object info_object(InfoType type, const std::string& bytes) {
  switch (type) {
    case InfoType::text: return py::str(bytes.c_str());
    case InfoType::boolean: return py::bool_(as<cl_bool>(bytes) != CL_FALSE);
    case InfoType::int32: return py::int_(as<cl_int>(bytes));
    case InfoType::version:
    case InfoType::uint32: return py::int_(as<cl_uint>(bytes));
    case InfoType::uint64: return py::int_(as<cl_ulong>(bytes));
    case InfoType::float32: return py::float_(as<cl_float>(bytes));
    case InfoType::size: return py::int_(as<std::size_t>(bytes));
    case InfoType::pointer: return py::int_(as<std::uintptr_t>(bytes));
    case InfoType::sizes: return each<std::size_t>(bytes, [](std::size_t v) { return py::int_(v); });
    case InfoType::properties: return each<std::intptr_t>(bytes, [](std::intptr_t v) { return py::int_(v); });
    case InfoType::versions:
      return each<cl_name_version>(bytes,
                                   [](const cl_name_version& v) { return py::cast(NameVersion{v.name, v.version}); });
    case InfoType::platform: return platform_object(bytes);
    case InfoType::device:
      return shared<cl_device_id>(bytes, [](cl_device_id id) { return std::make_shared<ClDevice>(id); });
    case InfoType::devices:
      return each<cl_device_id>(bytes, [](cl_device_id id) { return py::cast(std::make_shared<ClDevice>(id)); });
    case InfoType::context: return shared<cl_context>(bytes, &Context::share);
    case InfoType::queue: {
      const auto queue = as<cl_command_queue>(bytes);
      return queue ? py::cast(share_queue(Handle<cl_command_queue>::share(queue))) : py::none();
    }
    case InfoType::memory: {
      const auto memory = as<cl_mem>(bytes);
      return memory ? memory_object(Handle<cl_mem>::share(memory)) : py::none();
    }
    case InfoType::program: return shared<cl_program>(bytes, &ClProgram::share);
    case InfoType::image_format: return py::cast(as<cl_image_format>(bytes));
    case InfoType::topology: {
      const auto raw = as<std::array<std::uint8_t, 24>>(bytes);  // cl_device_topology_amd: bus, device, function last
      return py::module_::import("devarray.cl._topology").attr("DeviceTopologyAmd")(raw[21], raw[22], raw[23]);
    }
    default: return py::bytes(bytes);
  }
}

void bind_info(py::module_& m) {
  py::class_<NameVersion>(m, "NameVersion", docs::kNameVersion)
      .def(py::init<std::string, cl_version>(), py::arg("name"), py::arg("version"))
      .def_readonly("name", &NameVersion::name)
      .def_readonly("version", &NameVersion::version)
      .def("__repr__", [](const NameVersion& v) {
        return "NameVersion('" + v.name + "', " + std::to_string(CL_VERSION_MAJOR(v.version)) + "." +
               std::to_string(CL_VERSION_MINOR(v.version)) + "." + std::to_string(CL_VERSION_PATCH(v.version)) + ")";
      });
  const std::pair<const char*, InfoTable> tables[] = {{"platform_info", platform_table()},
                                                      {"device_info", device_table()},
                                                      {"context_info", context_table()},
                                                      {"command_queue_info", queue_table()},
                                                      {"event_info", event_table()},
                                                      {"profiling_info", profiling_table()},
                                                      {"mem_info", memory_table()},
                                                      {"image_info", image_table()},
                                                      {"pipe_info", pipe_table()},
                                                      {"sampler_info", sampler_table()},
                                                      {"program_info", program_table()},
                                                      {"program_build_info", program_build_table()},
                                                      {"kernel_info", kernel_table()},
                                                      {"kernel_arg_info", kernel_arg_table()},
                                                      {"kernel_work_group_info", kernel_work_group_table()},
                                                      {"kernel_sub_group_info", kernel_sub_group_table()}};
  py::dict classes;
  for (const auto& [name, table] : tables) {
    py::dict numbers;
    for (const InfoRow& row : table) numbers[row.name] = row.code;
    classes[name] = numbers;
  }
  m.attr("info_constants") = classes;
  m.def("status_name", &status_name, py::arg("code"));
}

}  // namespace devarray::opencl
