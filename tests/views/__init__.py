"""How results are drawn."""
