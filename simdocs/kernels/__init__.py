"""Kernels: functions from arrays to arrays.

They use no files, clocks, globals or logs, and have no loop over documents, tokens or shingles.
"""
