"""What ran and how long: the profiler, the benchmark of a function."""
