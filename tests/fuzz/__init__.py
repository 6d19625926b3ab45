"""Tests with random trees, bytes, names and options. `make fuzz` runs many of them."""
