"""Stop words of twelve languages: frequent function words, for `stopword` shingles.

A `stopword` shingle is a stop word and the k-1 words after it. Running prose is full of
stop words, while advertisements, menus and captions have few, so these shingles find the
prose of a news page among what surrounds it: Theobald, Siddharth and Paepcke,
"SpotSigs: robust and efficient near duplicate detection in large web collections",
SIGIR 2008; Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", section 3.2.4.

The lists never change: adding or removing a word would change the shingles, and so the
signatures, of every document. They contain articles, pronouns, prepositions, conjunctions,
auxiliary verbs and common adverbs. Each entry is one lower-case run of word characters in
NFC. Words written with an apostrophe are listed in pieces ("l", "dell", "qu", "ll").
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

_LISTS = files("simdocs.options").joinpath("stop_words.txt").read_text("utf-8").split("\n\n")
"""The lists of all languages. Each begins with the code of its language."""

STOP_WORDS: Mapping[str, tuple[str, ...]] = {language: tuple(words) for language, *words in map(str.split, _LISTS)}
"""The stop words of each language."""
