"""Passages that occur in several documents of a collection."""
