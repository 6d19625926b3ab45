"""The twin of shingles and their tokens."""

from __future__ import annotations

import struct
from collections import Counter

import mmh3

from simdocs.options.families import UNITS
from simdocs.options.families import stop_words as stop_words_of
from tests import strategies as some
from tests.twins import text as texts
from tests.twins import units

UNITS_OF = {"char": units.chars, "word": units.words, "line": units.lines, "stopword": units.words}


def whole_units(text: str, unit: str) -> list[str]:
    """Return all units of a normalised text."""
    assert unit in UNITS_OF, f"the unit {unit} needs a twin: write it in tests/twins/units.py, and name it in UNITS_OF"
    return UNITS_OF[unit](text)


def hash32(data: bytes, seed: int) -> int:
    """Return MurmurHash3_x86_32 of the bytes."""
    return mmh3.hash(data, seed, signed=False)


def hash_of_numbers(numbers: list[int], seed: int) -> int:
    """Return the hash of numbers of 4 bytes each, little-endian, in order."""
    return hash32(struct.pack(f"<{len(numbers)}I", *numbers), seed)


def text_of(data: bytes, shingling: some.Shingling) -> str:
    """Return the text of a document, normalised as its unit needs it."""
    return texts.normalised(data, shingling.normalisation, lines=UNITS[shingling.unit].by_lines)


def stop_words(shingling: some.Shingling) -> set[str]:
    """Return the stop words as they occur in normalised texts. If case is kept, each has three spellings."""
    spellings = set(shingling.stop_word_list.split() or stop_words_of()[shingling.language])
    if shingling.normalisation.keep_case:
        spellings |= {word.capitalize() for word in spellings} | {word.upper() for word in spellings}
    entries = (texts.normalised(word.encode(), shingling.normalisation) for word in spellings)
    return {word for entry in entries for word in units.words(entry)}


def units_of(text: str, shingling: some.Shingling) -> list[str]:
    """Return the units of a normalised text of which shingles are made."""
    found = whole_units(text, shingling.unit)
    if UNITS[shingling.unit].may_ignore_stop_words and shingling.ignore_stop_words:
        stops = stop_words(shingling)
        return [word for word in found if word not in stops]
    return found


def shingles(text: str, shingling: some.Shingling) -> list[list[str]]:
    """Return the shingles of a normalised text, in text order, each as a list of units."""
    found = units_of(text, shingling)
    runs = [found[at : at + shingling.k] for at in range(len(found) - shingling.k + 1)]
    if UNITS[shingling.unit].begins_at_stop_words:
        stops = stop_words(shingling)
        runs = [run for run in runs if run[0] in stops]
    if not runs and found:
        return [found]
    return runs


def token(shingle: list[str], shingling: some.Shingling) -> int:
    """Return the token of a shingle."""
    if shingling.unit == "char":
        return hash32(texts.encoded("".join(shingle)), shingling.seed)
    return hash_of_numbers([hash32(texts.encoded(unit), shingling.seed) for unit in shingle], shingling.seed)


def tokens(data: bytes, shingling: some.Shingling) -> list[int]:
    """Return the tokens of a document, in text order, with repeats, or as a multiset if that is asked for."""
    found = [token(shingle, shingling) for shingle in shingles(text_of(data, shingling), shingling)]
    return multiset(found, shingling.seed) if shingling.multiset else found


def multiset(found: list[int], seed: int) -> list[int]:
    """Return the tokens, with the i-th occurrence (i >= 2) of each replaced by the hash of the token and i."""
    so_far: Counter[int] = Counter()
    out = []
    for number in found:
        so_far[number] += 1
        i = so_far[number]
        out.append(number if i == 1 else hash_of_numbers([number, i], seed))
    return out


def token_set(found: list[int]) -> list[int]:
    """Return the distinct tokens, ascending."""
    return sorted(set(found))
