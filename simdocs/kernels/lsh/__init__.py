"""Locality-sensitive hashing: from signatures to candidate pairs."""
