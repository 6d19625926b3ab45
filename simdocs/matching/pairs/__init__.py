"""Similar pairs: all of them in order, or as a graph."""
