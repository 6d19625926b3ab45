"""Finding and reading other people's files."""
