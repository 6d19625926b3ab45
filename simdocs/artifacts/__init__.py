"""Artifacts: their formats, and how they are written, opened, recognised and checked."""
