"""The exact join: which sets can be similar, so that no similar pair is missed."""
