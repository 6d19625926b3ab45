"""Tests of shinglers, hashes and multisets."""
