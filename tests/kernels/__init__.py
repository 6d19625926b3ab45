"""Kernels, each compared with a slow, obvious twin."""
