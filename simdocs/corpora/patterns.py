"""--include and --exclude: shell patterns on names, or on paths below the argument if they hold a slash."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from fnmatch import translate

_Match = Callable[[bytes], object]


class Patterns:
    """What a walk takes: a file that some --include matches, if any is given, and nothing that an --exclude does."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        self._include = _compile(include)
        self._exclude = _compile(exclude)

    def leave_out(self, relative: bytes, is_directory: bool) -> bool:
        """Whether to leave out the file or directory of this path, relative to the walk's root."""
        if self._exclude is not None and self._exclude(relative):
            return True
        return self._include is not None and not is_directory and not self._include(relative)


def _compile(patterns: Sequence[str]) -> _Match | None:
    if not patterns:
        return None
    # A pattern without a slash is about the last component, wherever it stands.
    parts = [(rb"" if "/" in pattern else rb"(?:.*/)?") + _bytes(pattern) for pattern in patterns]
    return re.compile(b"|".join(b"(?:" + part + b")" for part in parts), re.DOTALL).match


def _bytes(pattern: str) -> bytes:
    return os.fsencode(translate(pattern.removeprefix("/")))
