"""DocumentSkipped: raised for a document that is not compared."""

from __future__ import annotations

from simdocs.model.skipped import Skip, explanation

REPLACED = "replaced after it was found"
"""The detail of the reason `changed` if another file, or a link, has the name of the file that a walk met."""


class DocumentSkipped(Exception):  # noqa: N818  (the run goes on without the document)
    """A document is skipped. reason: one of those in model/skipped.py. detail: what exactly is wrong, or empty."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason, self.detail = reason, detail

    @property
    def leaves_content_open(self) -> bool:
        """Whether it is not known what the file holds now. What is too large is not wanted, and so not kept either."""
        return self.reason in ("unreadable", "changed")

    def of_kept(self, name: bytes) -> Skip:
        """The skip of a file with this name whose documents are kept."""
        return Skip("kept", name, self.detail or explanation(self.reason))

    @classmethod
    def of(cls, error: OSError) -> DocumentSkipped:
        """The exception for an error in opening or reading a file. The reason is vanished or unreadable."""
        if isinstance(error, (FileNotFoundError, NotADirectoryError)):
            return cls("vanished")
        return cls("unreadable", error.strerror or str(error))
