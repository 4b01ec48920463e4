"""Shapes, axes, joining, splitting and padding."""
