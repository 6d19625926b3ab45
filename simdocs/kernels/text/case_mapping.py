"""From bytes to code points in which all that one character decides is done: case, white space, and two switches.

ASCII takes a path on bytes. Other text is decoded, and each code point looked up. What is decided by more than one
character goes through str: a final sigma, the forms of Unicode, accents, and bytes that are not valid UTF-8.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from functools import cache, partial

import numpy as np

from simdocs.kernels.text import characters, unicode_forms
from simdocs.kernels.text.codepoints import from_codepoints, to_codepoints
from simdocs.kernels.text.whitespace import NEWLINE, SPACE
from simdocs.model.ragged import Ragged, count_true_in_rows
from simdocs.parameters import Normalisation

_SEPARATORS = bytes([*range(9), *range(14, 28), 127])
"""Control characters that no step touches, joins to or moves: one that no text holds sets texts apart."""

_KNOWN, _CONTEXT, _POINT = 1 << 30, 1 << 31, (1 << 21) - 1
"""Flags of an entry of the table: it is filled; str is to be asked. And where in it the code point is."""

SIGMA = "Σ"
"""The one character whose lower case depends on others."""

WITHOUT_CONTEXT = re.compile(rb"[\x00-\x7f\xc0-\xff]")
"""Bytes before which a text can be cut, when the code points are all that counts: none goes on a character."""

WITH_CONTEXT = re.compile(
    rb"[\t\n\r ,;()0-9\xe4-\xe9]|\xe0\xb8[\x81-\xae]|\xf0\x9f[\x90-\xab]"
    rb"|(?<=[0-9A-Za-z])[A-Za-z]|(?<=[\xd0\xd1][\x80-\xbf])[\xd0\xd1]"
)
"""Bytes before which a text can be cut so that str makes the same of the parts: they begin characters that join to
none before them, in any form of Unicode, and past which no sigma looks. (Ideographs are U+4000 to U+9FFF, or e4 to e9;
consonants of Thai follow: both scripts are written without spaces; then faces and other pictures.) In the second line,
letters of Latin and Cyrillic with another before them: at a letter alone a sigma before it would end its word."""


def depends_on_context(data: memoryview, switches: Normalisation) -> bool:
    """Whether what becomes of a character may depend on those around it."""
    if switches.nfkc or switches.strip_accents:
        return True
    return not switches.keep_case and re.search(SIGMA.encode(), data) is not None


def map_characters(raw: Ragged, switches: Normalisation, *, lines: bool) -> list[Ragged]:
    """The code points of texts given as UTF-8 bytes (Ragged uint8), one row a text in which all white space is SPACE
    or, with `lines`, NEWLINE: Ragged uint8 if all are ASCII, else uint32, in parts, in order. A row that is not the
    only one may have a space more than its text at the end."""
    data = raw.values.tobytes()
    if data.isascii():
        return [Ragged(np.frombuffer(data.translate(_ascii_table(switches, lines)), np.uint8), raw.offsets)]
    if not (switches.nfkc or switches.strip_accents):
        decoded = _decoded(raw, data)
        if decoded is not None:
            codes = _table(switches, lines)(decoded.values)
            if codes.max(initial=0) < _CONTEXT:
                codes &= np.uint32(_POINT)
                return [Ragged(codes, decoded.offsets)]
    return _through_str(raw, data, switches, lines)


@cache
def _ascii_table(switches: Normalisation, lines: bool) -> bytes:
    return bytes(_entry(code, switches, lines) & 0x7F for code in range(128)) + bytes(128)


@cache
def _table(switches: Normalisation, lines: bool) -> characters.Lookup:
    return characters.Lookup(partial(_entry, switches=switches, lines=lines), np.uint32)


def _entry(point: int, switches: Normalisation, lines: bool) -> int:
    """What becomes of a code point, and flags."""
    character = chr(point)
    if not switches.keep_case:
        character = character.lower()
        if len(character) > 1 or point == ord(SIGMA):
            return _KNOWN | _CONTEXT
    kinds = characters.kind(ord(character))
    if lines and character in "\n\r":
        return _KNOWN | NEWLINE
    if kinds & characters.SPACE or (switches.strip_punctuation and kinds & characters.PUNCTUATION):
        return _KNOWN | SPACE
    if switches.mask_digits and kinds & characters.DIGIT:
        return _KNOWN | ord("0")
    return _KNOWN | ord(character)


def _decoded(raw: Ragged, data: bytes) -> Ragged | None:
    """Code points of texts that are all valid UTF-8 and not all ASCII; None if any is not."""
    try:
        codes = to_codepoints(data.decode())
    except UnicodeDecodeError:
        return None
    if len(raw) == 1:
        return Ragged(codes, np.array([0, len(codes)]))
    leads = (raw.values & 0xC0) != 0x80
    if not leads[raw.offsets[:-1][raw.lengths > 0]].all():
        return None  # halves of a character in two texts
    return Ragged.from_lengths(codes, count_true_in_rows(leads, raw.offsets))


def _through_str(raw: Ragged, data: bytes, switches: Normalisation, lines: bool) -> list[Ragged]:
    """The same by str, which has all texts in one piece, set apart by a character that none holds."""
    separator = next((chr(code) for code in _SEPARATORS if code not in data), None) if len(raw) > 1 else ""
    if separator is None:
        half = len(raw) // 2
        cut = raw.offsets[half]
        left = Ragged(raw.values[:cut], raw.offsets[: half + 1])
        right = Ragged(raw.values[cut:], raw.offsets[half:] - cut)
        return map_characters(left, switches, lines=lines) + map_characters(right, switches, lines=lines)
    if separator:
        data = np.insert(raw.values, raw.offsets[1:], ord(separator)).tobytes()
    codes = to_codepoints(_switched(data.decode("utf-8", "surrogateescape"), switches))
    ends = np.flatnonzero(codes == ord(separator)) + 1 if separator else np.array([len(codes)])
    codes = _table(replace(switches, keep_case=True), lines)(codes) & np.uint32(_POINT)
    if separator:
        codes[ends - 1] = SPACE
    return [Ragged(codes, np.concatenate((np.zeros(1, np.int64), ends)))]


def _switched(text: str, switches: Normalisation) -> str:
    """The text after the steps that str does."""
    if switches.nfkc:
        text = unicode_forms.to_normal_form("NFKC", text)
    if not switches.keep_case:
        text = text.lower()
    if switches.strip_accents:
        codes = to_codepoints(unicode_forms.to_normal_form("NFD", text))
        codes = codes[(characters.kinds(codes) & characters.NONSPACING) == 0]
        text = unicodedata.normalize("NFC", from_codepoints(codes))  # marks are in order already
    return text
