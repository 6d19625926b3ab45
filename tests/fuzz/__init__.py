"""Trees, bytes, names and options that nobody thought of: see `make fuzz`."""
