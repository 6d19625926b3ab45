"""Read the texts of documents of a saved answer again, if they are still what they were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from simdocs.corpora.containers.container import ContainerFile, container
from simdocs.corpora.containers.line_blocks import digests_of, has_blocks
from simdocs.corpora.containers.names import named
from simdocs.corpora.containers.recognise import format_of_document
from simdocs.corpora.decode import as_utf8
from simdocs.corpora.files import read
from simdocs.corpora.identity import NO_FILE, Stamp, content_digest
from simdocs.errors import MissingExtraError
from simdocs.model.saved_answer import SavedAnswer, SavedDocument
from simdocs.model.skipped import DocumentSkipped, in_short
from simdocs.names import display_name

_Key = tuple[bytes, int]
"""The name of a document, and the number of the directory below which it was found."""

SavedTexts = dict[_Key, bytes | str]
"""The text of each document as UTF-8, or why it cannot be shown."""

_MOST = 1 << 62


def texts_of(answer: SavedAnswer, wanted: Iterable[SavedDocument], held: Mapping[bytes, bytes]) -> SavedTexts:
    """The texts of these documents. Each file is read once, and must have the digest that it had.

    held: contents of files that are in memory, by the names of their documents.
    """
    of_files = dict[tuple[bytes, int], list[SavedDocument]]()
    for document in wanted:
        of_files.setdefault((document.file, document.root), []).append(document)
    texts: SavedTexts = {}
    for documents in of_files.values():
        texts.update(_of_file(answer, documents, held))
    return texts


def _of_file(
    answer: SavedAnswer, documents: Sequence[SavedDocument], held: Mapping[bytes, bytes]
) -> Iterator[tuple[_Key, bytes | str]]:
    """Yield the texts of these documents of one file."""
    first = documents[0]
    content = None if first.inode else held.get(first.name)
    if not first.inode and content is None:
        for document in documents:
            yield (document.name, document.root), f"{display_name(document.name)} came from no file"
        return
    try:
        found = _rows(answer, documents, content) if first.container else _text(answer, first, content)
    except (DocumentSkipped, OSError, MissingExtraError) as error:
        why, shown = _why(error), display_name(first.file)
        yield from (((document.name, document.root), f"{shown} {why}") for document in documents)
        return
    for document in documents:
        missing = f"{display_name(document.name)} has changed"
        yield (document.name, document.root), found.get(document.name, missing)


def _why(error: Exception) -> str:
    if isinstance(error, DocumentSkipped):
        return "is gone" if error.reason == "vanished" else error.detail or in_short(error.reason)
    return "is gone" if isinstance(error, FileNotFoundError) else str(error)


def _text(answer: SavedAnswer, document: SavedDocument, held: bytes | None) -> dict[bytes, bytes]:
    """The text of a file that is one document; nothing if it has changed. DocumentSkipped: it cannot be read."""
    if held is not None:
        return {document.name: as_utf8(held)[0]}
    data, _ = read(answer.path(document), _MOST)
    return {document.name: as_utf8(data)[0]} if content_digest(data).hex() == document.content else {}


def _rows(answer: SavedAnswer, documents: Sequence[SavedDocument], held: bytes | None) -> dict[bytes, bytes]:
    """The texts of rows of a data set; nothing if it has changed. DocumentSkipped: it cannot be read."""
    file, path, fields = documents[0].file, answer.path(documents[0]), answer.recipe.sequences
    name = format_of_document(file, fields)
    kind, wanted, found = container(name), {each.name for each in documents}, dict[bytes, bytes]()
    stamp, digests = Stamp.at(path) or NO_FILE, list[bytes]()
    of_lines = held is None and has_blocks(name, path, stamp.mtime_ns)
    if of_lines:
        digests += [digest for _, digest in digests_of(path, stamp.size)]
    for part in kind.parts(ContainerFile(path, _MOST, held=held), fields):
        if not of_lines:
            digests.append(part.digest)
        rows = kind.documents(part, fields)
        names = named(file, rows.ids, (where.number for where in rows.locators))
        for row, text in zip(names, rows.texts, strict=True):
            if row in wanted:
                found.setdefault(row, as_utf8(text)[0])
    same = held is not None or content_digest(*digests).hex() == documents[0].content
    return found if same else {}
