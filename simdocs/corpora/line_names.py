"""Names of lines, PATH#ID, that are also paths: of a file, a link or a directory, which is not the line."""

from __future__ import annotations

import os

_MOST_DIRECTORIES = 1 << 16
_MOST_NAMES = 1 << 10
"""What is remembered: directories, and names with a # in each. Beyond these, every name of a line is looked up."""


class LineNames:
    """Looks up names of lines as paths. Directories are listed once, since hardly any file has a # in its name."""

    def __init__(self) -> None:
        self._directories = dict[bytes, frozenset[bytes] | None]()

    def is_path(self, name: bytes, container: int) -> bool:
        """Whether something has the path `name`, of which the first `container` bytes are the file of the line.

        An id may have slashes, so the path may lead anywhere, but always by way of a name in the file's directory.
        """
        start = name.rfind(b"/", 0, container) + 1
        there = self._names_in(name[:start])
        if there is not None:
            if not there:
                return False
            end = name.find(b"/", container)
            first = name[start:] if end < 0 else name[start:end]
            if first.isascii() and first.lower() not in there:
                return False
        return os.path.lexists(name)

    def are_no_paths(self, file: bytes) -> bool:
        """Whether it is certain that no name of a line of this file is a path."""
        there = self._names_in(file[: file.rfind(b"/") + 1])
        return there is not None and not there

    def _names_in(self, directory: bytes) -> frozenset[bytes] | None:
        """The names in a directory that have a #; None if that is not known."""
        if directory not in self._directories:
            if len(self._directories) >= _MOST_DIRECTORIES:
                return None
            self._directories[directory] = _names_with_number_sign(directory or b".")
        return self._directories[directory]


def _names_with_number_sign(directory: bytes) -> frozenset[bytes] | None:
    """The names in a directory that have a #, in lower case, since a file system may ignore case.

    None if the directory cannot be read, if there are many, or if one is not ASCII, since a file system may also ignore
    how characters are composed.
    """
    names = set[bytes]()
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                if b"#" in entry.name:
                    names.add(entry.name.lower())
                    if len(names) > _MOST_NAMES or not entry.name.isascii():
                        return None
    except OSError:
        return None
    return frozenset(names)
