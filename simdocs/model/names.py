"""Names: those of documents, fit to be shown, and that of our drafts."""

from __future__ import annotations

DRAFT_PREFIX = ".simdocs-tmp-"
"""How the names of our drafts begin: files that are being written, or were when their writer was killed."""

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def text_of(name: bytes) -> str:
    """The name as JSON holds it, the same in every locale: as UTF-8, each byte that is not as a lone surrogate."""
    return name.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """The name that such a text stands for. UnicodeEncodeError: it stands for none."""
    return text.encode("utf-8", "surrogateescape")


def shown(name: bytes) -> str:
    """A name for a terminal or a message: one line, without controls (C0, C1, DEL), bidi controls or raw bytes."""
    return harmless_text(name.decode("utf-8", "backslashreplace")) or "''"


def harmless_text(text: str, *, json: bool = False) -> str:
    """The text with an escape for all that moves a cursor, starts an escape sequence or turns the way of writing."""
    return "".join(character if _harmless(character) else _escaped(character, json) for character in text)


def _harmless(character: str) -> bool:
    code = ord(character)
    return not (code < 0x20 or 0x7F <= code < 0xA0 or code in (0x2028, 0x2029) or character in _BIDI)


def _escaped(character: str, json: bool) -> str:
    return f"\\u{ord(character):04x}" if json else character.encode("unicode_escape").decode("ascii")


def is_manifest(head: bytes) -> bool:
    """Whether a file that begins so is the manifest of one of our artifacts: by it a directory is known for one."""
    return head.startswith(b'{\n "format": "simdocs.')
