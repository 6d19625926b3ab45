"""Tokens: from normalised texts to token sets."""
