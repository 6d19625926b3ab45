"""Normalised texts: lower case, whitespace runs made one space, and the switches.

A batch of ASCII takes a path on bytes; any other goes through str once, as one string of all its texts. The two
give the same for ASCII, and a property test says so.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np

from simdocs.kernels import characters
from simdocs.model.ragged import Array, Bytes, Index, Mask, Ragged, offsets_of, true_in_rows
from simdocs.model.texts import Texts
from simdocs.parameters import Normalisation

_SPACE, _NEWLINE = 32, 10
_SEPARATORS = bytes([*range(9), *range(14, 28), 127])
"""Control characters that no step touches, joins to or moves: one that no text holds sets texts apart."""


def normalise(raw: Ragged, switches: Normalisation, *, lines: bool = False) -> Texts:
    """The texts of N documents, given as bytes (Ragged uint8, UTF-8), normalised.

    Bytes that are not valid UTF-8 are kept as units of their own (PEP 383). With `lines`, line ends (LF, CR, CR LF)
    are kept: a whitespace run that holds one becomes one LF. Never fails.
    """
    data = raw.values.tobytes()
    if data.isascii():
        table = _ascii_table(switches, lines)
        codes = np.frombuffer(data.translate(table), np.uint8)
        folded = _fold(codes, _is_space(codes, lines), raw.offsets, lines)
        return Texts(folded, folded)
    separator = _free(data)
    if separator is not None:
        return _through_str(raw, separator, switches, lines)
    if len(raw) == 1:
        return _through_str(raw, "", switches, lines)
    half = len(raw) // 2
    rows = np.arange(len(raw))
    parts = (raw.take(rows[:half]), raw.take(rows[half:]))
    return _concat([normalise(part, switches, lines=lines) for part in parts])


@cache
def _ascii_table(switches: Normalisation, lines: bool) -> bytes:
    return bytes(_ascii(chr(code), switches, lines) for code in range(128)) + bytes(128)


def _ascii(character: str, switches: Normalisation, lines: bool) -> int:
    kinds = characters.kind(ord(character))
    if lines and character in "\n\r":
        return _NEWLINE
    if kinds & characters.SPACE or (switches.strip_punctuation and kinds & characters.PUNCTUATION):
        return _SPACE
    if switches.mask_digits and kinds & characters.DIGIT:
        return ord("0")
    return ord(character if switches.keep_case else character.lower())


def _is_space(codes: Array, lines: bool) -> Mask:
    space: Mask = codes == _SPACE
    if lines:
        space |= codes == _NEWLINE
    return space


def _fold(codes: Array, space: Mask, offsets: Index, lines: bool) -> Ragged:
    """Each run of spaces made one, ends stripped; what every row becomes."""
    starts, nonempty = offsets[:-1], np.diff(offsets) > 0
    after = np.empty(len(codes), bool)  # what follows a space, or begins a row
    after[:1] = True
    after[1:] = space[:-1]
    after[starts[nonempty]] = True
    if lines:
        codes = _break(codes, space, after, starts[nonempty])
    keep = np.logical_and(space, after, out=after)
    np.logical_not(keep, out=keep)
    values = codes[keep]
    kept = true_in_rows(keep, offsets)
    if not len(values):
        return Ragged.of(values, kept)
    ends = offsets_of(kept)[1:]
    last = (kept > 0) & _is_space(values[np.maximum(ends, 1) - 1], lines)
    return Ragged.of(np.delete(values, ends[last] - 1), kept - last)


def _break(codes: Array, space: Mask, after: Mask, starts: Index) -> Array:
    """Codes in which the first of every run of spaces is a line feed if any in the run is."""
    first = space & ~after
    first[starts] = space[starts]
    run = np.cumsum(first)
    breaks = np.zeros(int(run[-1]) + 1 if len(run) else 1, bool)
    breaks[run[codes == _NEWLINE]] = True
    codes = codes.copy()
    codes[first] = np.where(breaks[1:], _NEWLINE, _SPACE)
    return codes


def _free(data: bytes) -> str | None:
    """A control character that data does not hold."""
    return next((chr(code) for code in _SEPARATORS if code not in data), None)


def _through_str(raw: Ragged, separator: str, switches: Normalisation, lines: bool) -> Texts:
    joined = raw.values
    if separator:
        joined = np.insert(joined, raw.offsets[1:], ord(separator))
    text = joined.tobytes().decode("utf-8", "surrogateescape")
    codes = _switched(text, switches)
    ends = np.flatnonzero(codes == ord(separator)) + 1 if separator else np.array([len(codes)])
    kinds = characters.kinds(codes)
    space = (kinds & characters.SPACE) != 0
    if switches.strip_punctuation:
        space |= (kinds & characters.PUNCTUATION) != 0
    if switches.mask_digits:
        codes[(kinds & characters.DIGIT) != 0] = ord("0")
    newline = (codes == _NEWLINE) | (codes == ord("\r")) if lines else None
    codes[space] = _SPACE
    if newline is not None:
        codes[newline] = _NEWLINE
    if separator:
        space[ends - 1] = True
        codes[ends - 1] = _SPACE
    offsets = np.concatenate((np.zeros(1, np.int64), ends))
    return _encoded(_fold(codes, space, offsets, lines))


def _switched(text: str, switches: Normalisation) -> Array:
    """Code points (uint32, writable) after the steps that str does."""
    if switches.nfkc:
        text = unicodedata.normalize("NFKC", text)
    if not switches.keep_case:
        text = text.lower()
    if switches.strip_accents:
        codes = _points(unicodedata.normalize("NFD", text))
        codes = codes[(characters.kinds(codes) & characters.NONSPACING) == 0]
        text = unicodedata.normalize("NFC", _string(codes))
    return _points(text).copy()


def _points(text: str) -> Array:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _string(codes: Array) -> str:
    return codes.astype("<u4", copy=False).tobytes().decode("utf-32-le", "surrogatepass")


def _encoded(points: Ragged) -> Texts:
    codes = points.values
    data = np.frombuffer(_string(codes).encode("utf-8", "surrogateescape"), np.uint8)
    if len(data) == len(codes) and not (codes > 127).any():
        ascii_points = Ragged(data, points.offsets)
        return Texts(ascii_points, ascii_points)
    starts = offsets_of(_widths(codes))
    return Texts(Ragged(data, starts[points.offsets]), points, starts)


def _widths(codes: Array) -> Bytes:
    """Bytes of each code point in UTF-8 (uint8); an escaped byte is one."""
    widths = (codes > 0x7F).astype(np.uint8)
    widths += codes > 0x7FF
    widths += codes > 0xFFFF
    widths += np.uint8(1)
    widths[(codes >= 0xDC80) & (codes <= 0xDCFF)] = 1
    return widths


def _concat(parts: list[Texts]) -> Texts:
    encoded = Ragged.concat([part.encoded for part in parts], np.uint8)
    if all(part.starts is None for part in parts):
        return Texts(encoded, encoded)
    codes = [Ragged(part.points.values.astype(np.uint32), part.points.offsets) for part in parts]
    points = Ragged.concat(codes, np.uint32)
    return Texts(encoded, points, offsets_of(_widths(points.values)))
