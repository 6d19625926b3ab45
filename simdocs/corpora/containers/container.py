"""Containers, files that hold many documents, such as JSON Lines: the interface of the family, and its messages.

A member is one file in this directory and one entry in `CONTAINERS` of `file_formats.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Literal, NamedTuple, Protocol

from simdocs.corpora.identity import Stamp, content_digest
from simdocs.model.ragged import Index
from simdocs.model.skipped import DocumentSkipped, Skip
from simdocs.options.file_formats import CONTAINERS
from simdocs.options.texts import Sequences


class ContainerFile(NamedTuple):
    """A file to read.

    name: its path.
    limit: the largest size of a document, in bytes.
    follow: whether the name may be that of a link: see `open_file`.
    held: its content, if it can be read only once, such as standard input.
    wanted: the numbers of the documents that will be read, ascending; others may be left out. None: all of them.
    """

    name: bytes
    limit: int
    follow: bool = True
    held: bytes | None = None
    wanted: Index | None = None


class Locator(NamedTuple):
    """The location of a document in its file, in terms that only its container understands. Artifacts record it.

    start, extent: an interval in bytes that has at least a third of the bytes of the text in UTF-8; or, if documents
        are counted, the number of the document and 1. The intervals of a file's documents ascend, do not overlap, and
        lie in those of their parts.
    number: the number of the document in its file, from 1, skipped ones included. It names a document without an id.
    """

    start: int
    extent: int
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Consecutive documents of one file. One worker reads a part.

    container: the name of the container in the family.
    name: the path of the file.
    data: the bytes that hold the documents.
    start, extent: the interval of the file that it covers: see Locator.
    first, count: the number of its first document, and how many numbers it covers.
    stamp: the stamp of the file when it was opened.
    limit: the largest size of a document, in bytes.
    read_to: how many bytes of the file were read up to its end, for progress.
    wanted: the numbers of the documents to read; None: all of them.
    """

    container: str
    name: bytes
    data: bytes
    start: int
    extent: int
    first: int
    count: int
    stamp: Stamp
    limit: int
    read_to: int
    wanted: frozenset[int] | None = None

    kind: ClassVar[Literal["part"]] = "part"

    @property
    def digest(self) -> bytes:
        """A digest of its data and of where they are. Parts with the same digest have the same documents."""
        return content_digest(b"%d " % self.start, self.data)


@dataclass(slots=True)
class PartDocuments:
    """The documents of a part, as lists with an entry for each, and the skips of the others.

    ids: their ids, or None.
    texts: UTF-8, with lone surrogates as three bytes.
    skips: malformed and oversized documents, by number.
    textless: documents without the text field, by number.
    fields: the fields of the first document that lacks the text field or the id, for a message.
    remedy: what to do if no document of the file has it; empty: name another field.
    has_text_field: whether any document has the text field, whatever is in it.
    unusable_ids: the first document that is named by its number although it has the usual field of ids, and why, as a
        skip; its number is 0 if all are.
    """

    locators: list[Locator] = field(default_factory=list)
    ids: list[bytes | None] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    textless: list[Skip] = field(default_factory=list)
    fields: str = ""
    remedy: str = ""
    has_text_field: bool = False
    unusable_ids: Skip | None = None


class WithoutTexts(DocumentSkipped):
    """A file holds no texts where they are wanted. If it was named, and nothing else has texts, this is an error."""


class OneText(WithoutTexts):
    """A file is named like a container, but is no table with the text field: it has one text, if it is a text.

    It is read as one text if a walk found it; if it was named itself, it is malformed.

    why: what is wrong with it. remedy: what to do, beside reading it as one text; may be empty.
    """

    def __init__(self, why: str, remedy: str = "") -> None:
        plain = "give --input-format text to read it as one text"
        super().__init__("malformed", f"{why}: {remedy}, or {plain}" if remedy else f"{why}: {plain}")


class NoTextField(OneText):
    """A file is a table, but no row has the text fields."""


class Container(Protocol):
    """A format of files that hold many documents.

    noun: what messages call a document, such as `line`. It stands before numbers, too: `line 3`.
    """

    noun: str

    def parts(self, file: ContainerFile, fields: Sequences) -> Iterator[Part]:
        """Cut a file into parts: at least one, every document in exactly one, the same ones each time.

        Holds at most a few parts and one document in memory. Raises DocumentSkipped after all parts that could be
        read: vanished, unreadable, special, changed, malformed. Raises OneText before the first part.
        """

    def documents(self, part: Part, fields: Sequences) -> PartDocuments:
        """Read the documents of a part. Never fails. Each skip has the number of its document, and the noun."""


def container(name: str) -> Container:
    """The container with this name in the family."""
    found: Container = CONTAINERS[name].load()
    return found


def is_one_text(format_name: str, file: ContainerFile, fields: Sequences) -> bool:
    """Whether a file named like a container is no table with the text field. Raises DocumentSkipped as `parts` does."""
    try:
        next(container(format_name).parts(file, fields))
    except OneText:
        return True
    return False
