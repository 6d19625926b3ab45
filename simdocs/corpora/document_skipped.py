"""DocumentSkipped: raised for a document that is not compared."""

from __future__ import annotations


class DocumentSkipped(Exception):  # noqa: N818  (the run goes on without the document)
    """A document is skipped. reason: one of model/skipped.py. detail: what exactly is wrong; may be empty."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail

    @classmethod
    def of(cls, error: OSError) -> DocumentSkipped:
        """The skip that an error of opening or reading stands for: vanished or unreadable."""
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return cls("vanished")
        return cls("unreadable", error.strerror or str(error))
