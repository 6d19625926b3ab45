"""The steps of normalisation that look at one character at a time, from UTF-8 bytes to code points.

These steps are lower-casing, `strip_punctuation`, `mask_digits`, and the mapping of all whitespace to one character.
ASCII text is translated as bytes. Other text is decoded, and each code point is looked up in a table. Steps in which a
character depends on its neighbours go through Python's str: a final sigma, the normal forms of Unicode, stripped
accents, and bytes that are not valid UTF-8.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, partial
from typing import Literal

import numpy as np

from simdocs.kernels import characters as kinds
from simdocs.kernels.characters import CodepointTable, from_codepoints, one_by_one, to_codepoints
from simdocs.model.ragged import Array, Bytes, Index, Mask, Ragged, count_true_in_rows, offsets_of
from simdocs.options.texts import Normalisation

Form = Literal["NFKC", "NFD"]

_STRIDE = 32
"""Distance between the code points that are tested for being a mark. A run of twice as many marks shows at two
neighbouring tests. Shorter runs are left to `unicodedata`, which takes at most 16 steps for each of their marks."""

_STARTER = 1
"""The value in the table of _classes for a character that is not a mark."""


def to_normal_form(form: Form, text: str) -> str:
    """The text in this normal form: equals unicodedata.normalize(form, text)."""
    seen = _classes(form)(to_codepoints(text[::_STRIDE])) != _STARTER
    return unicodedata.normalize(form, _with_sorted_marks(form, text) if (seen[1:] & seen[:-1]).any() else text)


def _with_sorted_marks(form: Form, text: str) -> str:
    """The text with each long run of marks in the order that this form gives it."""
    text = _with_decomposed_marks(form, text)
    codepoints = to_codepoints(text)
    classes = _classes(form)(codepoints)
    edges = np.flatnonzero(np.diff(classes != _STARTER, prepend=False, append=False))
    starts, stops = edges[::2], edges[1::2]
    long = stops - starts > _STRIDE
    for start, stop in zip(starts[long].tolist(), stops[long].tolist(), strict=True):
        run = codepoints[start:stop]
        run[:] = run[np.argsort(classes[start:stop], kind="stable")]
    return from_codepoints(codepoints)


def _with_decomposed_marks(form: Form, text: str) -> str:
    """The text with those few marks decomposed that stand for several marks."""
    decomposition: Literal["NFKD", "NFD"] = "NFKD" if form == "NFKC" else "NFD"
    decomposed = {character: unicodedata.normalize(decomposition, character) for character in set(text)}
    marks = {
        ord(character): whole
        for character, whole in decomposed.items()
        if whole != character and unicodedata.combining(whole[0])
    }
    return text.translate(marks) if marks else text


@cache
def _classes(form: Form) -> CodepointTable:
    """For each code point, 1 + the combining class of the first character of its normal form: uint8."""
    return CodepointTable(
        one_by_one(lambda point: 1 + unicodedata.combining(unicodedata.normalize(form, chr(point))[0])), np.uint8
    )


SPACE, NEWLINE = 32, 10


def is_space(codepoints: Array, lines: bool) -> Mask:
    """Which of these mapped code points (n,) are SPACE or, with `lines`, NEWLINE: bool (n,).

    No other whitespace is left once the characters are mapped.
    """
    space: Mask = codepoints == SPACE
    if lines:
        space |= codepoints == NEWLINE
    return space


def collapse_whitespace(codepoints: Array, space: Mask, offsets: Index, lines: bool) -> Ragged:
    """N rows of code points with each run of whitespace made one character, and none at the ends of a row.

    codepoints (T,) are the rows end to end, offsets (N+1,) say where they begin, and space (T,) is
    `is_space(codepoints, lines)`. A run becomes SPACE or, with `lines`, NEWLINE if it contains one. The result has the
    dtype of `codepoints`.
    """
    starts, nonempty = offsets[:-1], np.diff(offsets) > 0
    after = np.empty(len(codepoints), bool)  # follows a space, or begins a row
    after[:1] = True
    after[1:] = space[:-1]
    after[starts[nonempty]] = True
    if lines:
        codepoints = _with_newlines_first(codepoints, space, after, starts[nonempty])
    keep = np.logical_and(space, after, out=after)
    np.logical_not(keep, out=keep)
    ends = offsets[1:][nonempty] - 1
    keep[ends] &= ~space[ends]  # most texts end with one line feed, which then need not be deleted below
    values = codepoints[keep]
    kept = count_true_in_rows(keep, offsets)
    if not len(values):
        return Ragged.from_lengths(values, kept)
    ends = offsets_of(kept)[1:]
    last = (kept > 0) & is_space(values[np.maximum(ends, 1) - 1], lines)
    if last.any():
        values = np.delete(values, ends[last] - 1)
    return Ragged.from_lengths(values, kept - last)


def _with_newlines_first(codepoints: Array, space: Mask, after: Mask, starts: Index) -> Array:
    """The code points with NEWLINE at the beginning of every whitespace run that contains a NEWLINE."""
    first = space & ~after
    first[starts] = space[starts]
    late = np.flatnonzero((codepoints == NEWLINE) & ~first)
    if not len(late):
        return codepoints
    runs = np.flatnonzero(first)
    codepoints = codepoints.copy()
    codepoints[runs[np.searchsorted(runs, late, side="right") - 1]] = NEWLINE
    return codepoints


_SEPARATORS = bytes([*range(9), *range(14, 28), 127])
"""Control characters that no step changes, moves or combines with others. One that occurs in no text of a batch can
separate the texts of that batch."""

_KNOWN, _CONTEXT, _CODEPOINT = 1 << 30, 1 << 31, (1 << 21) - 1
"""The parts of a table entry: a flag for "computed", a flag for "depends on context", a mask of the code point."""

SIGMA = "Σ"
"""The only character whose lower case depends on its neighbours."""

_MEDIAL_SIGMA = "σ"
"""The lower case of a sigma that a letter follows. At the end of a word, it is ς."""

CODEPOINT_CUTS = re.compile(rb"[\x00-\x7f\xc0-\xff]")
"""Bytes that begin a code point. A text can be cut before them if every code point is mapped by itself."""

_LETTER = rb"(?:[A-Za-z]|[\xd0\xd1][\x80-\xbf]|\xce[\x91-\xa1\xa3-\xa9\xb1-\xbf]|\xcf[\x80-\x89])"
"""Letters of Latin, Cyrillic (U+0400 to U+047F) and Greek (without accents). All are cased."""

_AFTER_LETTER_OR_DIGIT = (
    rb"(?:(?<=[0-9A-Za-z])|(?<=[\xd0\xd1][\x80-\xbf])|(?<=\xce[\x91-\xa1\xa3-\xa9\xb1-\xbf])|(?<=\xcf[\x80-\x89]))"
)

CONTEXT_FREE_CUTS = re.compile(
    rb"[\t\n\r ,;()0-9\xe4-\xe9]|\xe0\xb8[\x81-\xae]|\xf0\x9f[\x90-\xab]|\xef\xb7[\xb0-\xbb]"
    rb"|(" + _AFTER_LETTER_OR_DIGIT + rb"(?!\xce\xa3(?!" + _LETTER + rb"))" + _LETTER + rb")"
)
"""Bytes before which a text can be cut so that str maps the parts as it maps the whole.

The characters that begin here do not combine with the character before them in any form of Unicode, and a sigma before
them does not look past them. The first line has ASCII, ideographs (U+4000 to U+9FFF, whose first byte is e4 to e9),
Thai consonants (like ideographs, they are written without spaces), pictures such as faces, and
Arabic words in one character, of which U+FDFA becomes 18. The second line, a group, has letters that follow another
letter: before a letter that stands alone, a sigma would be cut off from the rest of its word. A sigma is among them
only if a letter follows it, so that it is not a final one. If the letter before the cut is a sigma, it is not a final
one either, but would be in its part, so call `with_medial_sigma`."""


def depends_on_context(data: memoryview, switches: Normalisation) -> bool:
    """Whether the mapping of a character of this text (UTF-8 bytes) may depend on the characters around it."""
    if switches.nfkc or switches.strip_accents:
        return True
    return not switches.keep_case and re.search(_SIGMA, data) is not None


def mapped_by_character(text: bytes, switches: Normalisation) -> bool:
    """Whether each character of a text can be mapped by itself, which is faster. False: it may be, or not."""
    if switches.nfkc or switches.strip_accents:
        return False
    if not switches.keep_case and (_SIGMA in text or _DOTTED_I in text):
        return False
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


_SIGMA, _DOTTED_I = SIGMA.encode(), "İ".encode()
"""The characters that depend on their neighbours, or become two."""


def with_medial_sigma(part: Bytes) -> Bytes:
    """This part of a text, which a letter follows in the text; a copy with a lower-case sigma if a sigma is its end."""
    if part[-2:].tobytes() != _SIGMA:
        return part
    return np.concatenate((part[:-2], np.frombuffer(_MEDIAL_SIGMA.encode(), np.uint8)))


def map_characters(raw: Ragged, switches: Normalisation, *, lines: bool) -> list[Ragged]:
    """The mapped code points of N texts given as UTF-8 bytes (Ragged uint8): N rows in one or more parts, in order.

    Each part is Ragged uint8 if all its texts are ASCII, and Ragged uint32 otherwise. All whitespace becomes SPACE, but
    with `lines`, line feeds and carriage returns become NEWLINE. If there are several rows, a row may end with one
    extra SPACE. Never fails: a byte that is not valid UTF-8 becomes a lone surrogate (PEP 383).
    """
    data = raw.values.tobytes()
    if data.isascii():
        return [Ragged(np.frombuffer(data.translate(ascii_table(switches, lines)), np.uint8), raw.offsets)]
    if not (switches.nfkc or switches.strip_accents):
        decoded = _decoded(raw, data)
        if decoded is not None:
            mapped = character_table(switches, lines)(decoded.values)
            if mapped.max(initial=0) < _CONTEXT:
                mapped &= np.uint32(_CODEPOINT)
                return [Ragged(mapped, decoded.offsets)]
    return _map_with_str(raw, data, switches, lines)


@cache
def ascii_table(switches: Normalisation, lines: bool) -> bytes:
    """The byte that each of 256 bytes becomes. Those that are not ASCII become 0."""
    return (_entries(np.arange(128), switches, lines) & 0x7F).astype(np.uint8).tobytes() + bytes(128)


@cache
def character_table(switches: Normalisation, lines: bool) -> CodepointTable:
    """The code point that each becomes, and flags: uint32. It cannot be used for `nfkc` and `strip_accents`."""
    return CodepointTable(partial(_entries, switches=switches, lines=lines), np.uint32)


def _entries(codepoints: Index, switches: Normalisation, lines: bool) -> Array:
    """The table entries of code points: the code point that each becomes, and flags. uint32 (n,)."""
    mapped, in_context = codepoints.astype(np.uint32), np.zeros(len(codepoints), bool)
    if not switches.keep_case:
        lowered = [chr(codepoint).lower() for codepoint in codepoints.tolist()]
        mapped = np.array([ord(character[0]) for character in lowered], np.uint32)
        in_context = (codepoints == ord(SIGMA)) | (np.fromiter(map(len, lowered), np.int64, len(lowered)) > 1)
    found = kinds.kinds_of(mapped)
    becomes = mapped.copy()
    if switches.mask_digits:
        becomes[found & kinds.DIGIT != 0] = ord("0")
    becomes[found & (kinds.SPACE | kinds.PUNCTUATION * switches.strip_punctuation) != 0] = SPACE
    if lines:
        becomes[(mapped == ord("\n")) | (mapped == ord("\r"))] = NEWLINE
    becomes[in_context] = _CONTEXT
    return becomes | np.uint32(_KNOWN)


def _decoded(raw: Ragged, data: bytes) -> Ragged | None:
    """The code points of texts that are valid UTF-8 and not all ASCII (Ragged uint32), or None if one is not valid."""
    try:
        codepoints = to_codepoints(data.decode())
    except UnicodeDecodeError:
        return None
    if len(raw) == 1:
        return Ragged(codepoints, np.array([0, len(codepoints)]))
    leads = (raw.values & 0xC0) != 0x80
    if not leads[raw.offsets[:-1][raw.lengths > 0]].all():
        return None  # a character is split between two texts
    return Ragged.from_lengths(codepoints, count_true_in_rows(leads, raw.offsets))


def _map_with_str(raw: Ragged, data: bytes, switches: Normalisation, lines: bool) -> list[Ragged]:
    """The same as map_characters, by way of str. All texts are joined by a separator that occurs in none of them."""
    separator = next((chr(byte) for byte in _SEPARATORS if byte not in data), None) if len(raw) > 1 else ""
    if separator is None:
        half = len(raw) // 2
        cut = raw.offsets[half]
        left = Ragged(raw.values[:cut], raw.offsets[: half + 1])
        right = Ragged(raw.values[cut:], raw.offsets[half:] - cut)
        return map_characters(left, switches, lines=lines) + map_characters(right, switches, lines=lines)
    if separator:
        data = np.insert(raw.values, raw.offsets[1:], ord(separator)).tobytes()
    codepoints = to_codepoints(after_str_steps(data.decode("utf-8", "surrogateescape"), switches))
    ends = np.flatnonzero(codepoints == ord(separator)) + 1 if separator else np.array([len(codepoints)])
    codepoints = character_table(switches.but(keep_case=True), lines)(codepoints) & np.uint32(_CODEPOINT)
    if separator:
        codepoints[ends - 1] = SPACE
    return [Ragged(codepoints, np.concatenate((np.zeros(1, np.int64), ends)))]


def after_str_steps(text: str, switches: Normalisation) -> str:
    """The text after the steps that need str: `nfkc`, lower-casing and `strip_accents`, in this order."""
    if switches.nfkc:
        text = to_normal_form("NFKC", text)
    if not switches.keep_case:
        text = text.lower()
    if switches.strip_accents:
        codepoints = to_codepoints(to_normal_form("NFD", text))
        codepoints = codepoints[(kinds.character_kinds(codepoints) & kinds.NONSPACING) == 0]
        text = unicodedata.normalize("NFC", from_codepoints(codepoints))  # the marks are in order already
    return text
