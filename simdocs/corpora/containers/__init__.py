"""Containers: files that hold many documents, and texts that only look like them."""
