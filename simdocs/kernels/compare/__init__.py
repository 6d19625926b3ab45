"""The similarities of pairs of documents."""
