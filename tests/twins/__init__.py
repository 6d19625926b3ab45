"""Twins: each kernel once more, in plain Python, as slow and obvious as its definition.

Written from the definitions, never from the kernels, and for one document, pair or bucket at a time. A text is a str
in which a byte that is not valid UTF-8 is a lone surrogate (PEP 383); tokens are ints; a batch is a list.
"""
