"""Tests of how candidates become answers."""
