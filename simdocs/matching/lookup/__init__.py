"""Lookup: the documents of an index that are similar to others, or contain them."""
