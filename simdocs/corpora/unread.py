"""Paths that could not be looked at when files were found, below which there may be files that an earlier run read."""

from __future__ import annotations

from dataclasses import dataclass, field

from simdocs.corpora.patterns import Patterns


@dataclass(slots=True)
class Unread:
    """Files and directories that exist, but whose status or entries cannot be read.

    patterns, hidden: which files the walks take. argument: the number of the argument that is looked at now.
    """

    patterns: Patterns = field(default_factory=lambda: Patterns((), ()))
    hidden: bool = False
    argument: int = 0
    _paths: dict[bytes, tuple[int, int]] = field(default_factory=dict)
    """Each path without slashes at its end: its argument, and how many bytes lead to the root of the walk."""

    def __bool__(self) -> bool:
        """Whether there is any such path."""
        return bool(self._paths)

    def add(self, path: bytes, below: int) -> None:
        """Add a path. below: how many bytes of the names of its files lead to the root of the walk."""
        self._paths.setdefault(path.rstrip(b"/"), (self.argument, below))

    def place_of(self, name: bytes) -> tuple[int, bytes] | None:
        """Where a file belongs that is at or below one of the paths: the first such argument, and a prefix of the name.

        No file was found whose name is between the prefix and the name. None if the file is at none of the paths, or if
        a walk would leave it out.
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
