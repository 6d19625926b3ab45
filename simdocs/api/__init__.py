"""What Python callers can ask. `ask` answers any request; the other files have the public functions by theme."""
