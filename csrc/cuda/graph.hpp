// CUDA graphs: work captured from a stream once, launched many times.
#pragma once

#include "cuda/stream.hpp"

namespace devarray::cuda {

class GraphExec;

class Graph {
 public:
  /// What is enqueued on the stream from now on is recorded instead of run.
  static void begin_capture(Stream& stream, CUstreamCaptureMode mode);
  static std::shared_ptr<Graph> end_capture(Stream& stream);
  static bool capturing(const Stream& stream);

  Graph(ContextPtr context, CUgraph graph) : context_(std::move(context)), graph_(graph) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::size_t node_count() const;
  /// Writes the graph as a Graphviz file.
  void write_dot(const std::string& path) const;
  std::shared_ptr<GraphExec> instantiate() const;
  CUgraph handle() const noexcept { return graph_; }
  const ContextPtr& context() const noexcept { return context_; }

 private:
  ContextPtr context_;
  CUgraph graph_;
};

/// A graph made ready to run.
class GraphExec {
 public:
  GraphExec(ContextPtr context, CUgraphExec exec) : context_(std::move(context)), exec_(exec) {}
  ~GraphExec();
  GraphExec(const GraphExec&) = delete;
  GraphExec& operator=(const GraphExec&) = delete;

  void launch(CUstream stream) const;
  void upload(CUstream stream) const;
  /// Takes over the arguments of a graph of the same shape; false when its shape differs.
  bool update(const Graph& graph) const;
  CUgraphExec handle() const noexcept { return exec_; }

 private:
  ContextPtr context_;
  CUgraphExec exec_;
};

}  // namespace devarray::cuda
