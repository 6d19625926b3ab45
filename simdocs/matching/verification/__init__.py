"""Verification: how similar two documents really are, from their token sets."""
