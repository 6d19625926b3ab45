"""The twin of normalisation."""

from __future__ import annotations

import re
import unicodedata

from tests import strategies as some

PLAIN = some.normalisation()


def normalised(data: bytes, switches: some.Normalisation = PLAIN, *, lines: bool = False) -> str:
    """Return the normalised text of a document. With `lines`, it consists of the lines that are not empty."""
    text = data.decode("utf-8", "surrogateescape")
    if switches.nfkc:
        text = unicodedata.normalize("NFKC", text)
    if not switches.keep_case:
        text = text.lower()
    if switches.strip_accents:
        bare = [c for c in unicodedata.normalize("NFD", text) if unicodedata.category(c) != "Mn"]
        text = unicodedata.normalize("NFC", "".join(bare))
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
