"""The raw driver: see devarray/cuda/ for its names."""

from typing import Any

def __getattr__(name: str) -> Any: ...
