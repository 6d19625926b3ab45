"""Nouns: what travels between the stages. Flat arrays with offsets, never an object per document."""
