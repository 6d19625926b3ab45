"""Estimates from samples: how similar all pairs are, and how many similar pairs the bands find and miss."""
