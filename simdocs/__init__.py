"""simdocs: which of these documents are nearly the same?"""

__version__ = "0.1.0"
