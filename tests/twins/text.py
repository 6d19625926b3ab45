"""The twin of normalisation."""

from __future__ import annotations

import re
import unicodedata

from tests import strategies as some

PLAIN = some.normalisation()

IGNORED = {
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x200B, 0x200E, 0x200F),
    *(*range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0),
    *(*range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)),
}
"""The default-ignorable code points, but U+200C and U+200D."""

LETTERS = {"Æ": "AE", "Ð": "D", "Ø": "O", "Þ": "TH", "Đ": "D", "Ħ": "H", "Ł": "L", "Œ": "OE", "Ŧ": "T", "ẞ": "SS"}
LETTERS |= {letter.lower(): plain.lower() for letter, plain in LETTERS.items()} | {"ı": "i", "\u0640": ""}
"""What accents are stripped to where Unicode has no decomposition."""


def normalised(data: bytes, switches: some.Normalisation = PLAIN, *, lines: bool = False) -> str:
    """Return the normalised text of a document. With `lines`, it consists of the lines that are not empty."""
    text = "".join(c for c in data.decode("utf-8", "surrogateescape") if ord(c) not in IGNORED)
    if switches.nfkc:
        text = unicodedata.normalize("NFKC", text)
    if not switches.keep_case:
        text = text.casefold()
    if switches.strip_accents:
        bare = [c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn"]
        text = "".join(LETTERS.get(c, c) for c in unicodedata.normalize("NFC", "".join(bare)))
    if switches.strip_punctuation:
        text = "".join(" " if unicodedata.category(c)[0] in "PS" else c for c in text)
    if switches.mask_digits:
        text = "".join("0" if unicodedata.category(c) == "Nd" else c for c in text)
    if lines:
        return "\n".join(filter(None, map(one_spaced, re.split("\r\n|\r|\n", text))))
    return one_spaced(text)


def one_spaced(text: str) -> str:
    """Return the text with each run of whitespace replaced by one space, and none at the ends."""
    spaced = "".join(" " if c.isspace() else c for c in text)
    return re.sub(" +", " ", spaced).strip(" ")


def encoded(text: str) -> bytes:
    """Return the UTF-8 bytes of a text. An invalid byte becomes itself."""
    return text.encode("utf-8", "surrogateescape")
