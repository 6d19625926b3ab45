"""Advice about parameters that do not suit the documents. The caller decides who sees it."""
