"""Similarities."""
