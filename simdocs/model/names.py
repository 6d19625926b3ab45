"""Names of documents: as text that keeps every byte, and as text that is safe to display."""

from __future__ import annotations

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def name_to_text(name: bytes) -> str:
    """The name as text, the same in every locale: as UTF-8, with a lone surrogate for each byte that is not valid."""
    return name.decode("utf-8", "surrogateescape")


def text_to_name(text: str) -> bytes:
    """The name that `name_to_text` turned into this text. UnicodeEncodeError: no name becomes this text."""
    return text.encode("utf-8", "surrogateescape")


def no_option(path: bytes) -> bytes:
    """The path, spelled so that no program takes it for an option. `-` itself is standard input and stays."""
    return b"./" + path if path.startswith(b"-") and path != b"-" else path


def display_name(name: bytes) -> str:
    """The name for a terminal or a message: one line, with controls (C0, C1, DEL, bidi) and invalid bytes escaped."""
    return escape_controls(name.decode("utf-8", "backslashreplace")) or "''"


def escape_controls(text: str, *, json: bool = False) -> str:
    """The text with an escape for each character that could move the cursor or change the direction of writing.

    json: write the escapes as JSON does.
    """
    return "".join(character if _harmless(character) else _escaped(character, json) for character in text)


def _harmless(character: str) -> bool:
    code = ord(character)
    return not (code < 0x20 or 0x7F <= code < 0xA0 or code in (0x2028, 0x2029) or character in _BIDI)


def _escaped(character: str, json: bool) -> str:
    return f"\\u{ord(character):04x}" if json else character.encode("unicode_escape").decode("ascii")
