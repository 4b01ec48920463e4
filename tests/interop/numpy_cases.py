"""Calls of NumPy's functions beyond the standard, for test_numpys_chapters.py: under devarray and under NumPy."""

from __future__ import annotations

import cases_of_shapes
import cases_of_values
from case_registry import CASES, WRONG, Body, after

__all__ = ["CASES", "WRONG", "Body", "after", "cases_of_shapes", "cases_of_values"]
