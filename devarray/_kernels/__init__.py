"""Kernels of the user's own, from one source on both drivers."""
