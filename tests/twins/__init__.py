"""Twins: slow and obvious versions of each kernel and of the program, in plain Python.

They were written from the definitions, not from the kernels, and handle a single document, pair or bucket at a time. A
text is a str in which a byte that is not valid UTF-8 is a lone surrogate (PEP 383). Tokens are ints. A batch is a list.
"""
