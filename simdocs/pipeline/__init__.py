"""The stages: documents become token sets, signatures and an index."""
