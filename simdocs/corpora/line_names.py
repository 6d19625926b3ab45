"""Names of lines, PATH#ID, that are also paths: of a file, a link or a directory, which is not the line."""

from __future__ import annotations

import os


class LineNames:
    """Looks up names of lines as paths. It lists the last directory once, since hardly any name needs more."""

    def __init__(self) -> None:
        self._directory: bytes | None = None
        self._may_be_paths = False

    def is_path(self, name: bytes, container: int) -> bool:
        """Whether something has the path `name`, of which the first `container` bytes are the file of the line.

        An id may have slashes, so that the path may lead anywhere.
        """
        directory = name[: name.rfind(b"/", 0, container) + 1]
        if directory != self._directory:
            self._directory, self._may_be_paths = directory, _has_number_sign(directory or b".")
        return self._may_be_paths and os.path.lexists(name)


def _has_number_sign(directory: bytes) -> bool:
    """Whether any name in a directory has a #, as the first part of every such path has; True if it is unreadable."""
    try:
        with os.scandir(directory) as entries:
            return any(b"#" in entry.name for entry in entries)
    except OSError:
        return True
