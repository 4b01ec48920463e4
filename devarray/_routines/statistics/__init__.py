"""Reductions, order statistics, histograms."""
