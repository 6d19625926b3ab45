"""Read the documents of one task, in a worker: files, a part of a container, or a block of a file of lines."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.containers.recognise import flag_of, format_of_document
from simdocs.corpora.decode import as_utf8, refuse_binary
from simdocs.corpora.files import STAMPS, each_ahead, read, read_small, too_large
from simdocs.corpora.identity import Stamp, content_digest
from simdocs.corpora.read_tasks import Files
from simdocs.model.documents import DOCUMENT, FILE, NUMBERED, ONE_TEXT, STAMP_FIELDS, WIDE
from simdocs.model.ragged import BlockPlaces
from simdocs.model.skipped import FIRST, DocumentSkipped, Skip
from simdocs.options.texts import Sequences

if TYPE_CHECKING:
    from simdocs.corpora.containers.container import Part
    from simdocs.corpora.containers.line_blocks import LineBlock

WorkerTask: TypeAlias = "Files | Part | LineBlock"
"""What is read in one task."""


@dataclass(slots=True, kw_only=True)
class Read:
    """The documents that were read in a task, and what was missed of the others.

    places: the places of the files in the task, or the numbers of the documents in their container.
    names: the names of the documents.
    facts: their facts, (n,) DOCUMENT.
    files: the records of their files: (n,) FILE, or (1,) for the container.
    missed: what was not read.
    raws: their texts as UTF-8.
    digests: the digests of the parts or blocks of a container, in order; None: the task is files.
    known: the places, in these lists, of documents with the probable content, which have no raw text and no facts.
    unusable_ids: as in PartDocuments.
    numbers: how many numbers a block has. Its documents are numbered from 1.
    trouble: why a block, and what comes after it, cannot be read.
    """

    places: list[int]
    names: list[bytes]
    facts: NDArray[np.void]
    files: NDArray[np.void]
    missed: Missed
    raws: list[bytes] = field(default_factory=list)
    digests: list[bytes] | None = None
    known: BlockPlaces = field(default_factory=lambda: np.empty(0, np.int64))
    unusable_ids: Skip | None = None
    numbers: int = 0
    trouble: DocumentSkipped | None = None

    def move(self, down: int, path: bytes) -> None:
        """Add to the numbers of documents that were counted from the beginning of a block. path: that of its file."""
        if not down:
            return
        from simdocs.corpora.containers.names import renamed

        self.facts["line"] += down
        self.places = [number + down for number in self.places]
        self.names = renamed(self.names, self.facts, path, moved=True)
        self.missed = self.missed.moved(down)
        if self.unusable_ids is not None and self.unusable_ids.line:
            self.unusable_ids = self.unusable_ids._replace(line=self.unusable_ids.line + down)


def nothing(trouble: DocumentSkipped | None = None) -> Read:
    """A Read without documents. trouble: see Read."""
    facts, files = np.zeros(0, DOCUMENT), np.zeros(0, FILE)
    return Read(places=[], names=[], facts=facts, files=files, missed=Missed(0, []), trouble=trouble)


def read_task(task: WorkerTask, sequences: Sequences, *, with_digests: bool = True) -> Read:
    """Read the documents of a task. Those that are not text or cannot be read are skipped.

    with_digests: record the digests of files and of parts of containers, by which they are recognised later. Those that
    are not recorded are 0. Files that have a probable content are always compared with its digest.
    """
    if isinstance(task, Files):
        return _files(task, sequences, with_digests or task.likely is not None)
    from simdocs.corpora.containers.container import Part

    if isinstance(task, Part):
        return _part(task, sequences, task.digest if with_digests else _NO_DIGEST)
    return _block(task, sequences, with_digests)


_NO_DIGEST = bytes(16)


def _files(task: Files, sequences: Sequences, with_digests: bool) -> Read:
    places, known = list[int](), list[int]()
    raws, sizes, flags, contents, skips = [], [], [], [], []
    likely = None if task.likely is None else task.likely.tobytes()
    on_disk = [b"" if place in task.held else name for place, name in enumerate(task.names)]
    small, stamps = read_small(on_disk, task.limit, task.follow)

    def opened(place: int) -> bytes:
        data = small[place]
        if data is None:
            data = task.held.get(place)
        if data is None:
            data, stamps[place] = read(task.names[place], task.limit, follow=bool(task.follow[place]))
        return data

    for place, (name, contents_of) in enumerate(zip(task.names, each_ahead(task.names, opened), strict=True)):
        probable = None if likely is None else likely[16 * place : 16 * place + 16]
        try:
            data = contents_of()
            if not task.texts:
                refuse_binary(data, name)
            if task.named_like_tables and not _is_one_text(data, name, task.limit, sequences):
                raise DocumentSkipped("changed")
            content = content_digest(data) if with_digests else _NO_DIGEST
        except DocumentSkipped as skip:
            skips.append(Skip(skip.reason, name, skip.detail))
            continue
        if content == probable:
            known.append(len(places))
            data = b""
        raw, wide = as_utf8(data)
        places.append(place)
        raws.append(raw)
        sizes.append(len(data))
        flags.append(WIDE * wide + (0 if task.texts or sequences.plain else flag_of(raw)))
        contents.append(content)
    names = [task.names[place] for place in places]
    facts = np.zeros(len(places), DOCUMENT)
    facts["size"], facts["flags"] = sizes, flags
    if task.named_like_tables:
        facts["flags"] |= ONE_TEXT
    return Read(
        places=places,
        names=names,
        facts=facts,
        files=file_records(stamps[places], contents),
        raws=raws,
        missed=Missed(len(names), skips),
        known=np.array(known, np.int64),
    )


def file_records(stamps: NDArray[np.void] | Sequence[Stamp], contents: Sequence[bytes]) -> NDArray[np.void]:
    """The records of files, (n,) FILE, with their stamps, (n,) STAMPS, and the digests of their contents."""
    files = np.zeros(len(stamps), FILE)
    files[list(STAMP_FIELDS)] = np.array(stamps, STAMPS)
    files["content"] = np.frombuffer(b"".join(contents), "<u8").reshape(-1, 2)
    return files


def _is_one_text(data: bytes, name: bytes, limit: int, sequences: Sequences) -> bool:
    """Whether a file that was no table when its task was made still is none, now that it was read."""
    from simdocs.corpora.containers.container import ContainerFile, is_one_text

    return is_one_text(format_of_document(name, sequences), ContainerFile(name, limit, held=data), sequences)


def _part(part: Part, sequences: Sequences, digest: bytes) -> Read:
    from simdocs.corpora.containers.container import container
    from simdocs.corpora.containers.names import named

    rows = container(part.container).documents(part, sequences)
    facts = np.zeros(len(rows.texts), DOCUMENT)
    facts["size"] = [len(text) for text in rows.texts]
    located = np.array(rows.locators, np.int64).reshape(-1, 3)
    facts["start"], facts["extent"], facts["line"] = located.T
    facts["container"] = len(part.name)
    facts["flags"] = [NUMBERED * (its_id is None) for its_id in rows.ids]
    numbers = located[:, 2].tolist()
    textless = Textless(rows.textless, rows.fields, rows.remedy, rows.has_text_field)
    return Read(
        places=numbers,
        names=named(part.name, rows.ids, numbers),
        facts=facts,
        files=file_records([part.stamp], [_NO_DIGEST]),
        raws=[as_utf8(text)[0] for text in rows.texts],
        digests=[digest],
        missed=Missed(len(rows.texts), rows.skips, textless),
        unusable_ids=rows.unusable_ids,
        numbers=part.count,
    )


def _block(block: LineBlock, sequences: Sequences, with_digests: bool) -> Read:
    from simdocs.corpora.containers.line_blocks import read_block

    try:
        part, too_long, data = read_block(block, sequences)
    except DocumentSkipped as trouble:
        return nothing(trouble)
    read = _part(part, sequences, content_digest(data) if with_digests else _NO_DIGEST)
    if skip := too_large(too_long, block.file.limit):
        read.missed.skips.append(Skip(skip.reason, block.file.name, skip.detail, part.count))
    return read


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
