"""One driver for each library in the race: it reads files, and writes the similar pairs with their exact similarity.

A driver runs in the environment of its library, so it imports nothing of simdocs and nothing of this folder but `steps`
and `hashes`:

    PYTHON -m benchmarks.rivals.NAME DIRECTORY UNIT K THRESHOLD BANDS ROWS ANSWER HOW

`HOW` is one of the ways of this library that `benchmarks/contestants.py` lists. A line of the answer is two paths and
their similarity, separated by tabs.
"""
