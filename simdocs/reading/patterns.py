"""The patterns of include and exclude, by which walks take files, and the paths that walks could not look at."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Sequence
from fnmatch import translate

_Match = Callable[[str], object]


class Patterns:
    """Decides which files walks take: those that match include, if any pattern is given, and do not match exclude."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        self._include = either(include) if include else None
        self._exclude = either([pattern.rstrip("/") or "/" for pattern in exclude]) if exclude else None
        self.unmatched = {given: either([given]) for given in include}
        """The patterns of include that have matched no file of a walk."""

    def leave_out(self, relative: bytes, is_directory: bool) -> bool:
        """Whether to leave out the file or directory at this path, which is relative to the root of the walk."""
        path = relative.decode("utf-8", "surrogateescape")
        if self._exclude is not None and self._exclude(path):
            return True
        if self._include is None or is_directory:
            return False
        if self.unmatched:
            self.unmatched = {pattern: match for pattern, match in self.unmatched.items() if not match(path)}
        return not self._include(path)


def either(patterns: Sequence[str]) -> _Match:
    """A function that matches what any of the patterns matches.

    A pattern with a slash is compared with the whole path, any other one with the last component.
    """
    whole = _compiled([pattern.removeprefix("/") for pattern in patterns if "/" in pattern])
    last = _compiled([pattern for pattern in patterns if "/" not in pattern])
    return lambda path: whole(path) or last(path.rpartition("/")[2])


def _compiled(patterns: Sequence[str]) -> _Match:
    if not patterns:
        return lambda _: None
    return re.compile("|".join(f"(?:{translate(pattern)})" for pattern in patterns)).match


_BELOW = "a pattern with a slash is compared with the path below the directory"


def includes_nothing(patterns: Collection[str]) -> str:
    """The warning that no file matches these patterns of `include`, with what is most likely wrong with them."""
    shown = " or ".join(repr(pattern) for pattern in patterns)
    hint = ""
    if paths := [pattern for pattern in patterns if os.path.isfile(pattern)]:
        ending = os.path.splitext(paths[0])[1]
        hint = f": this is a file; the shell may have expanded a pattern: quote it, as in {'*' + ending!r}"
    elif any("/" in pattern for pattern in patterns):
        hint = f": {_BELOW}"
    elif endings := [pattern for pattern in patterns if not set("*?[") & set(pattern)]:
        hint = f": to match the end of a name, write {'*.' + endings[0].lstrip('.')!r}"
    return f"no file matches --include {shown}{hint}"
