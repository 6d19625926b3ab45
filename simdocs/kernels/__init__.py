"""Verbs: arrays in, arrays out. No files, clocks, globals or logging, and no loop per document, token or shingle."""
