"""Sentences: one file a command, or a part of one: read a noun, apply verbs, hand on a noun."""
