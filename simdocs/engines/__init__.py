"""Engines: they run the work, in this process or in others."""
