// Graphs, the profiler, and the driver's own streams.
#include "bind/cuda_common.hpp"
#include "cuda/graph.hpp"

namespace devarray::cuda {

void bind_graphs(py::module_& m) {
  py::class_<Graph, std::shared_ptr<Graph>>(m, "Graph", "Work captured from a stream.")
      .def("instantiate", &Graph::instantiate, release_gil(), "Make it ready to run.")
      .def("__len__", &Graph::node_count)
      .def("write_dot", &Graph::write_dot, py::arg("path"), "Write the graph as a Graphviz file.")
      .def_property_readonly("handle", [](const Graph& g) { return reinterpret_cast<std::uintptr_t>(g.handle()); });
  py::class_<GraphExec, std::shared_ptr<GraphExec>>(m, "GraphExec", "A graph that is ready to run.")
      .def("launch", [](const GraphExec& g, const py::object& stream) { g.launch(stream_handle(stream)); },
           py::arg("stream") = py::none(), "Run all of it on the stream.")
      .def("upload", [](const GraphExec& g, const py::object& stream) { g.upload(stream_handle(stream)); },
           py::arg("stream") = py::none(), "Bring it to the device ahead of the first launch.")
      .def("update", &GraphExec::update, py::arg("graph"),
           "Take over the arguments of a graph of the same shape; False when the shape differs.")
      .def_property_readonly("handle", [](const GraphExec& g) { return reinterpret_cast<std::uintptr_t>(g.handle()); });

  m.def("start_profiler", [] { api().profiler_start(); }, "Let profilers record from here (nsys, ncu).");
  m.def("stop_profiler", [] { api().profiler_stop(); }, "Let profilers record no more.");
  m.def("initialize_profiler", [](const std::string& config, const std::string& output, int mode) {
    const CUresult result = api().profiler_initialize.status(config.c_str(), output.c_str(), mode);
    if (result != CUDA_SUCCESS)
      fail(result, "cuProfilerInitialize",
           "CUDA 12 removed the built-in profiler: run the program under nsys or ncu, and use start_profiler and "
           "stop_profiler");
  }, py::arg("config_file"), py::arg("output_file"), py::arg("output_mode"));
}

}  // namespace devarray::cuda
