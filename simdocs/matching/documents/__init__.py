"""The documents that are compared: prepared, those of an artifact or two, and their distinct texts."""
