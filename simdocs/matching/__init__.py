"""Matching: candidates become verified pairs and groups."""
