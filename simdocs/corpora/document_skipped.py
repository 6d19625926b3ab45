"""DocumentSkipped: the verdict on a document that is not taken."""

from __future__ import annotations


class DocumentSkipped(Exception):  # noqa: N818  (a verdict on a document, not an error of the run)
    """A document that is skipped: reason (of model/skipped.py) and detail."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail

    @classmethod
    def of(cls, error: OSError) -> DocumentSkipped:
        """The verdict that an error of opening or reading amounts to: vanished or unreadable."""
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return cls("vanished")
        return cls("unreadable", error.strerror or str(error))
