"""Normalised texts, and the units of every script."""
