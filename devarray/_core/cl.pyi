"""The raw driver: see devarray/cl/ for its names."""

from typing import Any

def __getattr__(name: str) -> Any: ...
