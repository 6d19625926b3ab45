"""Signatures: from token sets to K numbers each."""
