"""Bands, buckets and candidates."""
