"""Documents become token sets, signatures and an index."""
