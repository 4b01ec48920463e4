"""Exchange with other libraries, and NumPy's protocols. Each module gives Array's protocol methods their functions."""

from __future__ import annotations

__all__ = ["cuda_interface", "dlpack", "namespace", "numpy_functions", "ufuncs"]
