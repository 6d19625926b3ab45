"""Changes that may happen to files after an artifact was made of them."""

from __future__ import annotations

from pathlib import Path

CHANGES = ("none", "none", "touched", "copied", "rewritten", "replaced", "removed")


def change(path: Path, what: str, data: bytes) -> None:
    """Change a file. A file that is rewritten or replaced gets this data."""
    if what in ("copied", "replaced"):
        path.with_name("another").write_bytes(path.read_bytes() if what == "copied" else data)
        path.with_name("another").replace(path)
    elif what == "rewritten":
        path.write_bytes(data)
    elif what == "touched":
        path.touch()
    elif what == "removed":
        path.unlink()


STANDING = ("none", "touched", "copied")
"""The changes that leave the text of a document as it was."""
