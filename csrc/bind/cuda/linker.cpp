// The driver's linker.
#include "cuda/linker.hpp"

#include "bind/cuda/common.hpp"
#include "bind/docs/cuda_linker.hpp"

namespace devarray::cuda {
namespace {

/// A linker, and who is told how it went.
struct ToldLinker {
  Linker linker;
  py::object handler;

  template <class Work>
  auto told(const Work& work) {
    try {
      return work();
    } catch (const Error&) {
      tell(false);
      throw;
    }
  }
  void tell(bool success) {
    if (handler.is_none()) return;
    const Module::JitResult said = linker.messages();
    handler(success, said.info, said.error);
  }
};

std::unique_ptr<ToldLinker> make_linker(const py::object& handler, const py::object& options, bool verbose) {
  JitOptions::Pairs pairs = jit_pairs(options.is_none() ? py::tuple() : options);
  if (verbose) pairs.emplace_back(CU_JIT_LOG_VERBOSE, 1);
  return std::unique_ptr<ToldLinker>(new ToldLinker{{Context::current(), pairs}, handler});
}

}  // namespace

void bind_linker(py::module_& m) {
  py::class_<ToldLinker>(m, "Linker", docs::kLinker)
      .def(py::init(&make_linker), py::arg("message_handler") = py::none(), py::arg("link_options") = py::none(),
           py::arg("log_verbose") = false)
      .def(
          "add_data",
          [](ToldLinker& self, const py::object& data, int type, const std::string& name) {
            std::string image = image_of(data, "Linker.add_data");
            self.told([&] {
              GilRelease release;
              self.linker.add_data(type, std::move(image), name);
            });
          },
          py::arg("data"), py::arg("input_type"), py::arg("name") = "unknown", docs::kLinkerAddData)
      .def(
          "add_file",
          [](ToldLinker& self, const std::string& path, int type) {
            self.told([&] {
              GilRelease release;
              self.linker.add_file(type, path);
            });
          },
          py::arg("filename"), py::arg("input_type"), docs::kLinkerAddFile)
      .def(
          "link_module",
          [](ToldLinker& self) {
            std::shared_ptr<Module> module = self.told([&] {
              GilRelease release;
              return self.linker.link();
            });
            self.tell(true);
            return module;
          },
          docs::kLinkerLinkModule);
}

}  // namespace devarray::cuda
