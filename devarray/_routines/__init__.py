"""The public functions, by NumPy's chapters."""
