"""Candidate pairs: from shared buckets or from an exact join, verified in rounds."""
