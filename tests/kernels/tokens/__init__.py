"""Shinglers, hashes and multisets."""
