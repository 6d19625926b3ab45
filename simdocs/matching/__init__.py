"""Matching: how candidates become answers."""
