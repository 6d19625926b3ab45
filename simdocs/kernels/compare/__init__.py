"""Similarities of pairs of documents."""
