"""Groups: which documents are kept, and which are removed in their favour."""
