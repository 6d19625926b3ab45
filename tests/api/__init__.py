"""The Python API, from outside."""
