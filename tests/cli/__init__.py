"""The installed program, in a process of its own, as shells and terminals meet it."""
