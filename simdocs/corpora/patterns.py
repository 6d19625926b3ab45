"""The patterns of include and exclude, by which walks take files, and the paths that walks could not look at."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import translate

_Match = Callable[[str], object]


class Patterns:
    """Decides which files walks take: those that match include, if any pattern is given, and do not match exclude."""

    def __init__(self, include: Sequence[str], exclude: Sequence[str]) -> None:
        self._include = either(include) if include else None
        excluded = {pattern: pattern.rstrip("/") or "/" for pattern in exclude}
        self._exclude = either(list(excluded.values())) if exclude else None
        self._unmatched_include = {given: either([given]) for given in include}
        self._unmatched = {given: either([pattern]) for given, pattern in excluded.items() if "/" in pattern}

    def __bool__(self) -> bool:
        """Whether there are any patterns."""
        return self._include is not None or self._exclude is not None

    @property
    def unmatched(self) -> tuple[str, ...]:
        """The patterns of exclude with a slash that have matched nothing."""
        return tuple(self._unmatched)

    @property
    def unmatched_include(self) -> tuple[str, ...]:
        """The patterns of include that have matched no file of a walk."""
        return tuple(self._unmatched_include)

    def leave_out(self, relative: bytes, is_directory: bool) -> bool:
        """Whether to leave out the file or directory at this path, which is relative to the root of the walk."""
        path = relative.decode("utf-8", "surrogateescape")
        if self._exclude is not None and self._exclude(path):
            self._unmatched = {pattern: match for pattern, match in self._unmatched.items() if not match(path)}
            return True
        if self._include is None or is_directory:
            return False
        if self._unmatched_include:
            unmatched = self._unmatched_include.items()
            self._unmatched_include = {pattern: match for pattern, match in unmatched if not match(path)}
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


class Unread:
    """Files and directories that exist, but whose status or entries cannot be read.

    patterns, hidden: which files the walks take.
    """

    def __init__(self, patterns: Patterns | None = None, hidden: bool = False) -> None:
        self.patterns, self.hidden = Patterns((), ()) if patterns is None else patterns, hidden
        self.argument = 0
        """The number of the argument that is looked at now."""
        self._paths: dict[bytes, tuple[int, int]] = {}
        """For each path, without slashes at its end: its argument, and how many bytes are the root of the walk."""

    def __bool__(self) -> bool:
        """Whether there is any such path."""
        return bool(self._paths)

    def add(self, path: bytes, below: int) -> None:
        """Add a path. below: how many bytes of the names of its files are the root of the walk."""
        self._paths.setdefault(path.rstrip(b"/"), (self.argument, below))

    def place_of(self, name: bytes) -> tuple[int, bytes] | None:
        """The first argument with a path at or above a file, and a prefix of the file's name.

        No file was found whose name is between the prefix and the name. None if there is no path at or above the file,
        or if a walk would leave it out.
        """
        found = list[tuple[int, int, int]]()
        end = len(name)
        while end >= 0:
            if (met := self._paths.get(name[:end])) is not None:
                found.append((*met, end))
            end = name.rfind(b"/", 0, end)
        for argument, below, end in sorted(found):
            if not self._is_left_out(name[below:]):
                return argument, name[: end + 1]
        return None

    def _is_left_out(self, relative: bytes) -> bool:
        """Whether a walk leaves out the file with this path below its root. Empty: it is the argument itself."""
        if not relative:
            return False
        ends = [at for at, byte in enumerate(relative) if byte == _SLASH]
        if not self.hidden and any(relative.startswith(b".", at) for at in (0, *(end + 1 for end in ends))):
            return True
        directories = any(self.patterns.leave_out(relative[:end], True) for end in ends)
        return directories or self.patterns.leave_out(relative, False)


_SLASH = ord("/")
