"""The only room that changes a disk."""
