"""Comparison of two texts: their measures, and where they differ."""
