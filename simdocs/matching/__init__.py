"""Candidates become verified pairs and groups."""
