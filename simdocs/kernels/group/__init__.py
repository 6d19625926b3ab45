"""Groups: which documents are kept, and which go under them."""
