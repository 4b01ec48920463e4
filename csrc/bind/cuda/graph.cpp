// Graphs, the profiler, and the driver's own streams.
#include "cuda/graph.hpp"

#include "bind/cuda/common.hpp"
#include "bind/docs/cuda_graph.hpp"

namespace devarray::cuda {

void bind_graphs(py::module_& m) {
  py::class_<Graph, std::shared_ptr<Graph>>(m, "Graph", docs::kGraph)
      .def("instantiate", &Graph::instantiate, release_gil(), docs::kGraphInstantiate)
      .def("__len__", &Graph::node_count)
      .def("write_dot", &Graph::write_dot, py::arg("path"), docs::kGraphWriteDot)
      .def_property_readonly("handle", [](const Graph& g) { return reinterpret_cast<std::uintptr_t>(g.handle()); });
  py::class_<GraphExec, std::shared_ptr<GraphExec>>(m, "GraphExec", docs::kGraphExec)
      .def(
          "launch", [](const GraphExec& g, const py::object& stream) { g.launch(stream_handle(stream)); },
          py::arg("stream") = py::none(), docs::kGraphExecLaunch)
      .def(
          "upload", [](const GraphExec& g, const py::object& stream) { g.upload(stream_handle(stream)); },
          py::arg("stream") = py::none(), docs::kGraphExecUpload)
      .def("update", &GraphExec::update, py::arg("graph"), docs::kGraphExecUpdate)
      .def_property_readonly("handle", [](const GraphExec& g) { return reinterpret_cast<std::uintptr_t>(g.handle()); });

  m.def("start_profiler", [] { api().profiler_start(); }, docs::kStartProfiler);
  m.def("stop_profiler", [] { api().profiler_stop(); }, docs::kStopProfiler);
  m.def(
      "initialize_profiler",
      [](const std::string& config, const std::string& output, int mode) {
        const CUresult result = api().profiler_initialize.status(config.c_str(), output.c_str(), mode);
        if (result != CUDA_SUCCESS)
          fail(result, "cuProfilerInitialize",
               "CUDA 12 removed the built-in profiler: run the program under nsys or ncu, and use start_profiler and "
               "stop_profiler");
      },
      py::arg("config_file"), py::arg("output_file"), py::arg("output_mode"), docs::kInitializeProfiler);
}

}  // namespace devarray::cuda
