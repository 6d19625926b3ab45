"""Other people's files: found, read, told apart."""
