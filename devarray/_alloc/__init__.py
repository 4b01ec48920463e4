"""The parts of :mod:`devarray.alloc` that are written in Python."""
