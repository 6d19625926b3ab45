"""The Python API. `ask` answers any request, and `functions` has the public functions."""
