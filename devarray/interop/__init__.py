"""Exchange with other libraries, and NumPy's protocols."""
