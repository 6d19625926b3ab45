"""From verified pairs to groups: which documents are kept, and which are duplicates of them."""
