// Platforms, devices and contexts.
#include "bind/docs/opencl_platform.hpp"
#include "bind/opencl/opencl.hpp"

namespace devarray::opencl {
namespace {

using ClDevicePtr = std::shared_ptr<ClDevice>;

std::vector<cl_device_id> ids_of(const std::vector<ClDevicePtr>& devices) {
  std::vector<cl_device_id> ids;
  for (const ClDevicePtr& device : devices) ids.push_back(item_of(device, "devices").get());
  return ids;
}

std::vector<ClDevicePtr> wrapped(const std::vector<cl_device_id>& ids) {
  std::vector<ClDevicePtr> devices;
  for (cl_device_id id : ids) devices.push_back(std::make_shared<ClDevice>(id));
  return devices;
}

std::vector<ClDevicePtr> sub_devices(const ClDevice& device, std::vector<cl_device_partition_property> properties) {
  if (properties.empty() || properties.back() != 0) properties.push_back(0);
  cl_uint count = 0;
  DEVARRAY_CL(device.get(), clCreateSubDevices, device.get(), properties.data(), 0, nullptr, &count);
  std::vector<cl_device_id> ids(count);
  DEVARRAY_CL(device.get(), clCreateSubDevices, device.get(), properties.data(), count, ids.data(), nullptr);
  std::vector<ClDevicePtr> parts;
  for (cl_device_id id : ids) parts.push_back(std::make_shared<ClDevice>(Handle<cl_device_id>::adopt(id)));
  return parts;
}

std::string text_of(const ClDevice& device, cl_device_info what) {
  return trimmed(device_info_bytes(device.get(), what));
}

void bind_platforms(py::module_& m) {
  py::class_<Platform> cls(m, "Platform", docs::kPlatform);
  cls.def(
      "get_devices", [](const Platform& p, cl_device_type type) { return wrapped(p.devices(type)); },
      py::arg("device_type") = cl_device_type{CL_DEVICE_TYPE_ALL}, release_gil(), docs::kPlatformGetDevices);
  cls.def_static(
      "from_int_ptr", [](std::uintptr_t p, bool) { return Platform(reinterpret_cast<cl_platform_id>(p)); },
      py::arg("int_ptr_value"), py::arg("retain") = true, docs::kFromIntPtr);
  cls.def("_get_cl_version", [](const Platform& p) { return version_pair(p.version()); });
  cls.def("__repr__",
          [](const Platform& p) { return "<devarray.cl.Platform '" + p.name() + "' at 0x" + hex(p.get()) + ">"; });
  def_info(cls, platform_table(), DEVARRAY_CL_READER(Platform, clGetPlatformInfo));
  def_identity(cls);
  m.def(
      "get_platforms",
      [] {
        std::vector<Platform> found = platforms();
        if (found.empty()) throw MissingDriverError(missing_runtime_message());
        return found;
      },
      release_gil(), docs::kGetPlatforms);
}

/// OpenCL 3.0 made timers and device queues optional: a device without them need not have the entry points.
void require_timers(cl_device_id device, const char* call) {
  const cl_platform_id platform = device_info(device)->platform;
  const cl_ulong resolution =
      device_info(device)->device_version < 210
          ? 0
          : info_value_or<cl_ulong>(DEVARRAY_CL_INFO(clGetPlatformInfo, platform, CL_PLATFORM_HOST_TIMER_RESOLUTION),
                                    0);
  if (!resolution) raise_missing(call);
}

void require_device_queues(cl_device_id device) {
  const cl_uint most =
      device_info(device)->device_version < 210
          ? 0
          : info_value_or<cl_uint>(DEVARRAY_CL_INFO(clGetDeviceInfo, device, CL_DEVICE_MAX_ON_DEVICE_QUEUES), 0);
  if (!most) raise_missing("clSetDefaultDeviceCommandQueue");
}

void bind_devices(py::module_& m) {
  py::class_<ClDevice, ClDevicePtr> cls(m, "Device", docs::kDevice);
  cls.def("create_sub_devices", &sub_devices, py::arg("properties"), release_gil(), docs::kDeviceCreateSubDevices);
  cls.def_static(
      "from_int_ptr",
      [](std::uintptr_t p, bool retain) {
        const auto id = reinterpret_cast<cl_device_id>(p);
        return std::make_shared<ClDevice>(retain ? Handle<cl_device_id>::share(id) : Handle<cl_device_id>::adopt(id));
      },
      py::arg("int_ptr_value"), py::arg("retain") = true, docs::kFromIntPtr);
  cls.def_property_readonly("hashable_model_and_version_identifier", [](const ClDevice& d) {
    return py::make_tuple(
        "v1", text_of(d, CL_DEVICE_VENDOR),
        info_value<cl_uint>(DEVARRAY_CL_INFO(clGetDeviceInfo, d.get(), CL_DEVICE_VENDOR_ID), "clGetDeviceInfo"),
        text_of(d, CL_DEVICE_NAME), text_of(d, CL_DEVICE_VERSION));
  });
  cls.def_property_readonly("persistent_unique_id", [](const py::object& self) {
    if (PyErr_WarnEx(PyExc_DeprecationWarning,
                     "Device.persistent_unique_id tells no two devices of one model apart: "
                     "use hashable_model_and_version_identifier",
                     1) < 0)
      throw py::error_already_set();
    return self.attr("hashable_model_and_version_identifier");
  });
  cls.def(
      "device_and_host_timer",
      [](const ClDevice& d) {
        require_timers(d.get(), "clGetDeviceAndHostTimer");
        cl_ulong device_time = 0, host_time = 0;
        DEVARRAY_CL(d.get(), clGetDeviceAndHostTimer, d.get(), &device_time, &host_time);
        return py::make_tuple(device_time, host_time);
      },
      docs::kDeviceDeviceAndHostTimer);
  cls.def(
      "host_timer",
      [](const ClDevice& d) {
        require_timers(d.get(), "clGetHostTimer");
        cl_ulong host_time = 0;
        DEVARRAY_CL(d.get(), clGetHostTimer, d.get(), &host_time);
        return host_time;
      },
      docs::kDeviceHostTimer);
  cls.def("_get_cl_version", [](const ClDevice& d) { return version_pair(device_info(d.get())->device_version); });
  cls.def("__repr__", [](const ClDevice& d) {
    const auto platform = Platform(device_info(d.get())->platform);
    return "<devarray.cl.Device '" + text_of(d, CL_DEVICE_NAME) + "' on '" + platform.name() + "' at 0x" +
           hex(d.get()) + ">";
  });
  def_info(cls, device_table(), DEVARRAY_CL_READER(ClDevice, clGetDeviceInfo));
  def_identity(cls);
}

ContextProperties properties_of(const py::object& given) {
  ContextProperties list;
  if (given.is_none()) return list;
  for (py::handle pair : items_of(given)) {
    const auto fields = pair.cast<py::sequence>();
    list.push_back(fields[0].cast<cl_context_properties>());
    const py::object value = fields[1];
    list.push_back(py::isinstance<Platform>(value)
                       ? reinterpret_cast<cl_context_properties>(value.cast<const Platform&>().get())
                       : value.cast<cl_context_properties>());
  }
  return list;
}

/// The platform that the properties name, or the first one.
Platform platform_for(const ContextProperties& properties) {
  for (std::size_t i = 0; i + 1 < properties.size(); i += 2)
    if (properties[i] == CL_CONTEXT_PLATFORM) return Platform(reinterpret_cast<cl_platform_id>(properties[i + 1]));
  const std::vector<Platform> all = platforms();
  if (all.empty()) throw MissingDriverError(missing_runtime_message());
  return all.front();
}

ContextPtr make_context(const std::optional<std::vector<ClDevicePtr>>& devices, const py::object& properties,
                        std::optional<cl_device_type> type) {
  if (devices && type) throw ValueError("give devices or dev_type, not both");
  const ContextProperties list = properties_of(properties);
  GilRelease release;
  if (devices) return Context::create(ids_of(*devices), list);
  const Platform platform = platform_for(list);
  const auto ids = platform.devices(type.value_or(CL_DEVICE_TYPE_DEFAULT));
  if (ids.empty()) throw ClError("clCreateContextFromType", CL_DEVICE_NOT_FOUND, platform.name());
  return Context::create(ids, list);
}

void bind_contexts(py::module_& m) {
  py::class_<Context, ContextPtr> cls(m, "Context", docs::kContext);
  cls.def(py::init(&make_context), py::arg("devices") = py::none(), py::arg("properties") = py::none(),
          py::arg("dev_type") = py::none());
  cls.def_static(
      "from_int_ptr",
      [](std::uintptr_t p, bool retain) {
        const auto context = reinterpret_cast<cl_context>(p);
        return std::make_shared<Context>(retain ? Handle<cl_context>::share(context)
                                                : Handle<cl_context>::adopt(context));
      },
      py::arg("int_ptr_value"), py::arg("retain") = true, docs::kFromIntPtr);
  cls.def(
      "engine_device",
      [](const Context& c, const ClDevice* device) { return c.engine(device ? device->get() : nullptr); },
      py::arg("device") = py::none(), docs::kContextEngineDevice);
  cls.def(
      "set_default_device_command_queue",
      [](const Context& c, const ClDevice& device, std::uintptr_t queue) {
        require_device_queues(device.get());
        DEVARRAY_CL(c.get(), clSetDefaultDeviceCommandQueue, c.get(), device.get(),
                    reinterpret_cast<cl_command_queue>(queue));
      },
      py::arg("dev"), py::arg("queue"), docs::kContextSetDefaultDeviceCommandQueue);
  cls.def("_get_cl_version",
          [](const Context& c) { return version_pair(device_info(c.devices().front())->platform_version); });
  cls.def("__repr__", [](const Context& c) {
    std::string names;
    for (cl_device_id id : c.devices()) names += (names.empty() ? "" : ", ") + text_of(ClDevice(id), CL_DEVICE_NAME);
    return "<devarray.cl.Context at 0x" + hex(c.get()) + " on " + names + ">";
  });
  def_info(cls, context_table(), DEVARRAY_CL_READER(Context, clGetContextInfo));
  def_identity(cls);
}

}  // namespace

void bind_platform(py::module_& m) {
  bind_platforms(m);
  bind_devices(m);
  bind_contexts(m);
}

}  // namespace devarray::opencl
