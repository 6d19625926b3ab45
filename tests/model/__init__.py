"""The nouns."""
