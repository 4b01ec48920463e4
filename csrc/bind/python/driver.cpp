// The driver-neutral classes: Device, Queue, Event, Program, Kernel, Allocation.
#include "common/driver.hpp"

#include "bind/python/bind.hpp"
#include "engine/mirror.hpp"

namespace devarray {
namespace {

py::dict caps_dict(const Capabilities& c) {
  using namespace py::literals;
  return py::dict("name"_a = c.name, "vendor"_a = c.vendor, "platform"_a = c.platform, "version"_a = c.version,
                  "driver_version"_a = c.driver_version, "fingerprint"_a = c.fingerprint, "fp64"_a = c.fp64,
                  "fp16"_a = c.fp16, "host_unified"_a = c.host_unified, "int64_atomics"_a = c.int64_atomics,
                  "partial_groups"_a = c.partial_groups, "max_work_group_size"_a = c.max_work_group_size,
                  "compute_units"_a = c.compute_units, "local_memory"_a = c.local_memory,
                  "global_memory"_a = c.global_memory, "max_allocation"_a = c.max_allocation,
                  "max_parameter_bytes"_a = c.max_parameter_bytes, "simd_width"_a = c.simd_width,
                  "compute_capability"_a = py::make_tuple(c.compute_major, c.compute_minor));
}

}  // namespace

void bind_driver(py::module_& m) {
  py::class_<Event, EventPtr>(m, "Event", R"(A point in a queue's work: the host can wait for it, and other queues can.

Examples
--------
>>> import devarray as da
>>> x = da.ones(3) + 1
>>> event = x.evaluate().queue.record()
>>> event.wait()
>>> event.done
True)")
      .def_property_readonly("done", py::cpp_function(&Event::done, release_gil()),
                             "Whether the work before this point is finished.")
      .def("wait", &Event::wait, release_gil(), R"(Block until the work before this point is finished.

Raises
------
DriverError
    Where the driver reports that the work failed.

Examples
--------
>>> import devarray as da
>>> da.queue().record().wait())");

  py::class_<Kernel, KernelPtr>(m, "Kernel", "A compiled kernel.")
      .def_property_readonly("name", &Kernel::name)
      .def("take_use", &Kernel::take_use, "Whether it was used since the last call of this.")
      .def_property_readonly("max_work_group_size", &Kernel::max_work_group_size);

  py::class_<Program, ProgramPtr>(m, "Program", "A compiled program.")
      .def("kernel", &Program::kernel, py::arg("name"))
      .def_property_readonly("binary", [](Program& p) { return py::bytes(p.binary()); })
      .def_property_readonly("log", &Program::log);

  py::class_<Allocation, AllocationPtr>(m, "Allocation", "A piece of driver memory.")
      .def_property_readonly("kind", [](Allocation& a) { return name_of(a.kind()); })
      .def_property_readonly("nbytes", &Allocation::size)
      .def_property_readonly(
          "handle", [](Allocation& a) { return reinterpret_cast<std::uintptr_t>(a.handle()); },
          "The cl_mem, or the address, as an integer.");

  py::class_<Queue, QueuePtr>(m, "Queue", R"(An in-order queue of a device: a command queue on OpenCL, a stream on CUDA.

Examples
--------
>>> import devarray as da
>>> queue = da.queue()
>>> x = da.ones(3, queue=queue)
>>> x.queue is queue
True)")
      .def_property_readonly("device", &Queue::device, "The Device whose work it orders.")
      .def_property_readonly(
          "handle",
          [](const Queue& q) {
            stop_mirrors();
            q.settle();
            return q.handle();
          },
          "The driver's handle as an integer.")
      .def_property_readonly("_handle", &Queue::handle, "The same for calls of ours.")
      .def_property_readonly("serial", &Queue::serial, "A number that no other queue of this process has or had.")
      .def_property_readonly("idle", py::cpp_function(&Queue::idle, release_gil()),
                             "Whether all work enqueued so far is done.")
      .def("record", &Queue::record, release_gil(), R"(An event behind all work enqueued so far.

Returns
-------
Event
    Done when that work is.

Examples
--------
>>> import devarray as da
>>> event = da.queue().record()
>>> event.wait())")
      .def(
          "auto_synchronize",
          [](const py::object& self) {
            (void)self.cast<const Queue&>();  // what has no driver's object is refused here, not at the end
            return py::module_::import("devarray._runtime.synchronization").attr("auto_synchronize")(self);
          },
          R"(A context manager at whose end the host waits for the work that was enqueued.

Returns
-------
context manager
    Its value is the queue. An error that leaves it is passed on without a wait.

Notes
-----
numba.cuda's ``Stream.auto_synchronize``.

Examples
--------
>>> import numpy as np
>>> import devarray as da
>>> with da.queue().auto_synchronize() as queue:
...     x = da.to_device(np.arange(3), stream=queue)
>>> queue.idle
True)")
      .def("wait_event", &Queue::wait_event, py::arg("event"), release_gil(),
           R"(Make work that is enqueued from now on wait for an event. The host does not wait.

Parameters
----------
event : Event
    Of this queue or another one.

Examples
--------
>>> import devarray as da
>>> first, second = da.queue(), da.queue()
>>> second.wait_event(first.record()))")
      .def("flush", &Queue::flush, release_gil(), R"(Hand the work enqueued so far to the device, without waiting.

Examples
--------
>>> import devarray as da
>>> da.queue().flush())")
      .def("finish", &Queue::finish, release_gil(),
           R"(Block until all work enqueued so far is done. Pending arrays are not evaluated by it.

Raises
------
DriverError
    Where the driver reports that the work failed.

Examples
--------
>>> import devarray as da
>>> queue = da.queue()
>>> queue.finish()
>>> queue.idle
True)");

  py::class_<Device, DevicePtr>(m, "Device", R"(A device that arrays can live on. :func:`devarray.devices` lists them.

Examples
--------
>>> import devarray as da
>>> device = da.device("cpu")
>>> device.type, device.driver
('cpu', 'opencl'))")
      .def_property_readonly(
          "driver", [](Device& d) { return name_of(d.driver()); }, "'opencl' or 'cuda'.")
      .def_property_readonly(
          "type", [](Device& d) { return name_of(d.type()); }, "'cpu', 'gpu' or 'accelerator'.")
      .def_property_readonly(
          "strategy", [](Device& d) { return name_of(d.strategy()); },
          "How its work is cut up, 'cpu' or 'gpu': its type's way, unless DEVARRAY_STRATEGY says otherwise.")
      .def_property_readonly("index", &Device::index, "Its number among the devices of its driver, as in 'opencl:0'.")
      .def_property_readonly("serial", &Device::serial, "A number that no other device of this process has or had.")
      .def_property_readonly(
          "name", [](Device& d) { return d.caps().name; }, "What its driver calls it.")
      .def_property_readonly(
          "fp64", [](Device& d) { return d.caps().fp64; }, "Whether it computes in float64.")
      .def_property_readonly(
          "caps", [](Device& d) { return caps_dict(d.caps()); }, "What the device can do, a dict.")
      .def_property_readonly(
          "memory_kinds",
          [](Device& d) {
            py::tuple kinds(d.memory_kinds().size());
            size_t i = 0;
            for (MemoryKind k : d.memory_kinds()) kinds[i++] = py::str(name_of(k));
            return kinds;
          },
          "Names of the memory kinds it offers, the preferred one first.")
      .def(
          "memory_info",
          [](Device& d) {
            auto i = d.memory_info();
            return py::make_tuple(i.free, i.total);
          },
          R"(How much memory the device has, and how much of it is free.

Returns
-------
free, total : int
    Bytes; -1 where the driver does not say.

Examples
--------
>>> import devarray as da
>>> free, total = da.device().memory_info()
>>> free <= total
True)")
      .def("create_queue", &Device::create_queue, release_gil(), R"(A new in-order queue of the device.

Returns
-------
Queue
    A queue that nothing else uses yet.

Examples
--------
>>> import devarray as da
>>> isinstance(da.device().create_queue(), da.Queue)
True)")
      .def_property_readonly("default_queue", py::cpp_function(&Device::default_queue, release_gil()),
                             "The queue of arrays for which none is given.")
      .def(
          "build",
          [](Device& d, const std::string& source, const std::string& options) {
            const GilRelease unlocked(GilRelease::HeldBack::stays);  // what comes next may be joined with it
            return d.build(source, options);
          },
          py::arg("source"), py::arg("options") = "",
          R"(A program compiled from source: OpenCL C, or CUDA C++.

Parameters
----------
source : str
    The source.
options : str
    For the compiler, separated by spaces. Empty by default.

Returns
-------
Program
    The compiled program.

Raises
------
CompileError
    Where the compiler reports an error.
MissingDriverError
    On CUDA, where there is no NVRTC.

Examples
--------
>>> import devarray as da
>>> program = da.device("cpu").build("kernel void nothing(void) {}")
>>> program.kernel("nothing").name
'nothing')")
      .def(
          "load",
          [](Device& d, const py::bytes& binary, const std::string& options) {
            std::string b = binary;
            const GilRelease unlocked(GilRelease::HeldBack::stays);
            return d.load(b, options);
          },
          py::arg("binary"), py::arg("options") = "",
          R"(A program from the binary of a compiled one.

Parameters
----------
binary : bytes
    ``Program.binary`` of a program of such a device.
options : str
    For the linker, separated by spaces. Empty by default.

Returns
-------
Program
    The program.

Raises
------
CompileError
    Where the device does not take the binary.

Examples
--------
>>> import devarray as da
>>> device = da.device("cpu")
>>> binary = device.build("kernel void nothing(void) {}").binary
>>> device.load(binary).kernel("nothing").name
'nothing')")
      .def(
          "__reduce__",
          [](const py::object& d) { return py::module_::import("devarray._runtime.devices").attr("reduce_device")(d); },
          "By name: it is unpickled as the device of that name where it arrives.")
      .def("__repr__", [](Device& d) { return "<devarray.Device " + d.label() + ">"; })
      .def("__str__", &Device::label);

  m.def("live_devices", &Device::live, "The serial numbers of the devices that there are.");
  m.def(
      "take_cpus_for_gpus", [] { set_strategy_of_cpus(Strategy::gpu); },
      "CPU devices that are made from now on take the GPUs' strategy.");
}

}  // namespace devarray
