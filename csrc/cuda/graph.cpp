#include "cuda/graph.hpp"

namespace devarray::cuda {

void Graph::begin_capture(Stream& stream, CUstreamCaptureMode mode) {
  Current current(*stream.context());
  api().cuStreamBeginCapture_v2(stream.raw(), mode);
}

std::shared_ptr<Graph> Graph::end_capture(Stream& stream) {
  Current current(*stream.context());
  CUgraph graph = nullptr;
  api().cuStreamEndCapture(stream.raw(), &graph);
  return std::make_shared<Graph>(stream.context(), graph);
}

bool Graph::capturing(const Stream& stream) {
  Current current(*stream.context());
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  api().cuStreamIsCapturing(stream.raw(), &status);
  return status != CU_STREAM_CAPTURE_STATUS_NONE;
}

Graph::~Graph() {
  if (CurrentForRelease current(*context_); current) api().cuGraphDestroy.status(graph_);
}

std::size_t Graph::node_count() const {
  Current current(*context_);
  std::size_t count = 0;
  api().cuGraphGetNodes(graph_, nullptr, &count);
  return count;
}

void Graph::write_dot(const std::string& path) const {
  Current current(*context_);
  api().cuGraphDebugDotPrint(graph_, path.c_str(), 0);
}

std::shared_ptr<GraphExec> Graph::instantiate() const {
  Current current(*context_);
  CUgraphExec exec = nullptr;
  api().cuGraphInstantiateWithFlags(&exec, graph_, 0);
  return std::make_shared<GraphExec>(context_, exec);
}

GraphExec::~GraphExec() {
  if (CurrentForRelease current(*context_); current) api().cuGraphExecDestroy.status(exec_);
}

void GraphExec::launch(CUstream stream) const {
  Current current(*context_);
  api().cuGraphLaunch(exec_, stream);
}

void GraphExec::upload(CUstream stream) const {
  Current current(*context_);
  api().cuGraphUpload(exec_, stream);
}

bool GraphExec::update(const Graph& graph) const {
  Current current(*context_);
  CUgraphExecUpdateResultInfo info{};
  const CUresult result = api().cuGraphExecUpdate_v2.status(exec_, graph.handle(), &info);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE) fail(result, "cuGraphExecUpdate");
  return result == CUDA_SUCCESS;
}

}  // namespace devarray::cuda
