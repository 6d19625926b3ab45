"""Candidates become answers."""
