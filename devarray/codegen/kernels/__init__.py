"""Kernel sources and their launches, one module a family."""
