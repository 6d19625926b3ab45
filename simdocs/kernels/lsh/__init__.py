"""Locality-sensitive hashing (LSH): from signatures to candidate pairs."""
