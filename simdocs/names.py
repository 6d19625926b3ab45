"""Names of documents: as text that keeps every byte, and as text that is safe to display."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any
from unicodedata import category

STORES = (b"s3://", b"s3a://", b"gs://", b"gcs://", b"hdfs://", b"viewfs://")
"""How the names of objects in stores begin. A file whose path begins like this is named `./s3:/...`."""


def is_uri(name: bytes) -> bool:
    """Whether this is the name of an object in a store, or of a prefix of objects."""
    return name.startswith(STORES)


NO_OPTIONS: Mapping[str, object] = MappingProxyType({})

_SHOWN = ("Zs", "Co")
"""Categories that a terminal can show, although Python does not call them printable: spaces and private use."""


def name_to_text(name: bytes) -> str:
    """The name as text, the same in every locale: as UTF-8, with a lone surrogate for each byte that is not valid."""
    return name.decode("utf-8", "surrogateescape")


def text_to_name(text: str) -> bytes:
    """The name that `name_to_text` turned into this text. UnicodeEncodeError: no name becomes this text."""
    return text.encode("utf-8", "surrogateescape")


def path_from(root: bytes, name: bytes) -> bytes:
    """The path of a name that is relative to a directory. The name of an object in a store is the same everywhere."""
    return name if not root or is_uri(name) else os.path.join(root, name)


def is_absolute(name: bytes) -> bool:
    """Whether a name means the same in every working directory."""
    return name.startswith(b"/") or is_uri(name)


def no_option(path: bytes) -> bytes:
    """The path, spelled so that no program takes it for an option. `-` itself is standard input and stays."""
    return b"./" + path if path.startswith(b"-") and path != b"-" else path


def from_here(path: bytes) -> bytes:
    """An absolute path, relative to the working directory if it lies below it."""
    here = os.path.join(os.getcwdb(), b"")
    return no_option(path.removeprefix(here)) if path.startswith(here) else path


def display_name(name: bytes) -> str:
    """The name for a terminal or a message: one line, with what `escape_controls` escapes and invalid bytes escaped."""
    return escape_controls(name.decode("utf-8", "backslashreplace")) or "''"


def escape_controls(text: str, *, json: bool = False) -> str:
    """The text with an escape for each character that could move the cursor, turn the direction of writing, or hide.

    Those are controls, line separators, lone surrogates, all format characters of Unicode (also those of no width), and
    unassigned characters, which may become such. json: write the escapes as JSON does.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() or category(each) in _SHOWN else _escaped(each, json) for each in text)


def _escaped(character: str, json: bool) -> str:
    if not json:
        return character.encode("unicode_escape").decode("ascii")
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def shell_word(word: str) -> str:
    """A word as a shell reads it. Bytes that a terminal would not show are escapes, as bash, zsh and ksh know them."""
    from shlex import quote

    if word.isprintable():
        return quote(word)
    escaped = ("".join(f"\\x{byte:02x}" for byte in text_to_name(mark)) for mark in word)
    return (
        "$'"
        + "".join(
            escape if not mark.isprintable() or mark in "\\'" else mark
            for mark, escape in zip(word, escaped, strict=True)
        )
        + "'"
    )


def flag(option: str) -> str:
    """How the command line spells an option: `--num-perm` for num_perm."""
    return _SHORT.get(option) or f"--{option.replace('_', '-')}"


_SHORT = {"k": "-k", "itself": "--self", "nul": "-0", "output": "-o", "jobs": "-j", "quiet": "-q", "verbose": "-v"}
"""Options that messages do not spell with two dashes and their name."""


def command_line(command: str, arguments: Sequence[str], options: Mapping[str, object] = NO_OPTIONS) -> str:
    """A command of simdocs as it can be pasted into a shell. options: the values of options by name; True: a flag."""
    words = ["simdocs", command, *map(shell_word, arguments)]
    for name, value in options.items():
        for each in value if isinstance(value, list | tuple) else (value,):
            words += [flag(name), *(() if each is True else (shell_word(str(each)),))]
    return " ".join(words)


def name_for_json(key: str, name: bytes) -> dict[str, str]:
    """A name under its key; a name that is not UTF-8 in base64, under the key and `_b64`."""
    try:
        return {key: name.decode("utf-8")}
    except UnicodeDecodeError:
        import base64

        return {f"{key}_b64": base64.b64encode(name).decode("ascii")}


def name_from_json(values: Mapping[str, Any], key: str) -> bytes:
    """The name that `name_for_json` put there. ValueError, LookupError, TypeError: there is none, or it has NUL."""
    if key in values:
        name = text_to_name(values[key])
    else:
        import base64

        name = base64.b64decode(values[f"{key}_b64"], validate=True)
    if b"\0" in name:
        raise ValueError("NUL in a name")
    return name


DRAFT_PREFIX = ".simdocs-tmp-"
"""The beginning of the name of a draft: a file or directory that is being written, or that a killed run left behind."""


SUCCESS = "_SUCCESS"
"""The name of an empty file that only says that its directory or prefix is complete, as Hadoop writes it."""

MANIFEST = "manifest.json"
"""The file of an artifact that says what the others hold."""


def is_manifest(head: bytes) -> bool:
    """Whether a file that begins with these bytes is the manifest of an artifact."""
    return head.startswith(b'{\n "format": "simdocs.')
