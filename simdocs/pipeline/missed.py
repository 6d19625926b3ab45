"""What was not read of containers and files: skips, and documents without a text, which may be held back."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from typing import NamedTuple

from simdocs.corpora.containers.recognise import format_of_document
from simdocs.model.skipped import FIRST, Skip
from simdocs.options.texts import Sequences


class Textless(NamedTuple):
    """Documents of a part without the text field.

    skips: their skips.
    fields, remedy: for a message, as in PartDocuments.
    any_text: whether another document of the part has the text field.
    """

    skips: list[Skip]
    fields: str
    remedy: str
    any_text: bool


class Missed(NamedTuple):
    """What was not read of a part, or of some files.

    documents: how many were read. skips: what was skipped. textless: documents of a container without the text field.
    """

    documents: int
    skips: list[Skip]
    textless: Textless | None = None

    def moved(self, down: int) -> Missed:
        """The same with this number added to the numbers of the documents."""
        if self.textless is None or not (self.skips or self.textless.skips):
            return self
        skips, without = (
            [skip._replace(line=skip.line + down) for skip in each] for each in (self.skips, self.textless.skips)
        )
        return Missed(self.documents, skips, self.textless._replace(skips=without))


class HeldBack:
    """Skips of documents without the text field, held back until another document of their container has it.

    Only the first ones are held in full.
    """

    def __init__(self, fields: Sequences) -> None:
        self._of_texts = fields
        self.any_text, self.is_empty = False, True
        """Whether a document of the file has the field, and whether no document was met, not even one to skip."""
        self._fields = self._remedy = ""
        """The fields of the first document, and what to do."""
        self._first: list[Skip] = []
        self._more = array("q")
        """The numbers of the documents after the first ones."""

    def add(self, textless: Textless) -> None:
        """Hold back these skips."""
        room = FIRST - len(self._first)
        self._first += textless.skips[:room]
        self._more.extend(skip.line for skip in textless.skips[room:])
        self._fields, self._remedy = self._fields or textless.fields, self._remedy or textless.remedy
        self.any_text |= textless.any_text
        self.is_empty &= not textless.skips

    def released(self) -> Iterator[Skip]:
        """Yield the skips that were held back, and forget them."""
        first, more = self._first, self._more
        self._first, self._more = [], array("q")
        yield from first
        yield from (first[-1]._replace(line=number) for number in more)

    def as_file(self) -> Skip | None:
        """The skip of a file of which no document has the field; None if none was held back."""
        if not self._first:
            return None
        from simdocs.corpora.containers.container import container
        from simdocs.corpora.containers.fields import no_text

        name = self._first[0].name
        noun = container(format_of_document(name, self._of_texts)).noun
        return Skip("malformed", name, no_text(noun, self._of_texts, self._fields, self._remedy))

    def forget(self) -> None:
        """Begin another file."""
        self.any_text, self.is_empty, self._fields, self._remedy = False, True, "", ""
        self._first, self._more = [], array("q")
