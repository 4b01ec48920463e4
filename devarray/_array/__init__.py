"""The parts of :class:`devarray.Array`: its operations, memory, transfers, methods and reductions."""
