"""Warnings about directories and patterns that lead to no documents, which is most likely not what was meant."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from simdocs.errors import mention
from simdocs.model.names import display_name

_BELOW = "a pattern with a slash is compared with the path below the directory"


def no_documents(directory: bytes) -> str:
    """The warning about a directory in which no document was found: a disk may not be mounted."""
    return f"{display_name(directory)}: no documents were found in this directory"


def includes_nothing(patterns: Sequence[str]) -> str:
    """The warning that no file matches the patterns of `include`, with what is most likely wrong with them."""
    shown = " or ".join(repr(pattern) for pattern in patterns)
    hint = ""
    if any("/" in pattern for pattern in patterns):
        hint = f": {_BELOW}"
    elif endings := [pattern for pattern in patterns if not set("*?[") & set(pattern)]:
        hint = f": to match the end of a name, write {'*.' + endings[0].lstrip('.')!r}"
    return f"no file matches {mention('include')} {shown}{hint}"


def excludes_nothing(unmatched: Iterable[str], arguments: Sequence[bytes]) -> Iterator[str]:
    """Yield a warning for each unmatched pattern of `exclude` that is a path as it is printed.

    Others are not worth a warning: it is normal that nothing is there to be left out.
    """
    above = [os.fsdecode(name).rstrip("/") + "/" for name in arguments]
    for pattern in unmatched:
        if begun := [directory for directory in above if pattern.startswith(directory)]:
            right = pattern.removeprefix(max(begun, key=len)).strip("/")
            yield f"nothing matches {mention('exclude')} {pattern!r}: {_BELOW}: write {'/' + right!r}"
