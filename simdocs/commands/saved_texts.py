"""Read the texts of documents of a saved answer again, if they are still what they were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from simdocs.corpora.containers.container import ContainerFile, container
from simdocs.corpora.containers.line_blocks import digests_of, has_blocks
from simdocs.corpora.containers.names import named
from simdocs.corpora.containers.recognise import format_of, format_of_document
from simdocs.corpora.decode import as_utf8
from simdocs.corpora.files import read
from simdocs.corpora.identity import content_digest
from simdocs.corpora.stamp import NO_FILE, Stamp
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

    held: texts that are in memory, by name.
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
    if not first.inode:
        for document in documents:
            text = _held(answer, document, held)
            missing = f"{display_name(document.name)} came from no file"
            yield (document.name, document.root), missing if text is None else as_utf8(text)[0]
        return
    try:
        found = _rows(answer, documents) if first.container else _text(answer, first)
    except (DocumentSkipped, OSError, MissingExtraError) as error:
        why, shown = _why(error), display_name(first.file)
        yield from (((document.name, document.root), f"{shown} {why}") for document in documents)
        return
    for document in documents:
        missing = f"{display_name(document.name)} has changed"
        yield (document.name, document.root), found.get(document.name, missing)


def _held(answer: SavedAnswer, document: SavedDocument, held: Mapping[bytes, bytes]) -> bytes | None:
    """The text of a document that is in memory; None if it is not. A row is held as it was read."""
    found, fields = held.get(document.name), answer.recipe.sequences
    if found is None or not document.container:
        return found
    return container(format_of_document(document.file, fields)).text_of(found, fields)


def _why(error: Exception) -> str:
    if isinstance(error, DocumentSkipped):
        return "is gone" if error.reason == "vanished" else error.detail or in_short(error.reason)
    return "is gone" if isinstance(error, FileNotFoundError) else str(error)


def _text(answer: SavedAnswer, document: SavedDocument) -> dict[bytes, bytes]:
    """The text of a file that is one document; nothing if it has changed. DocumentSkipped: it cannot be read."""
    data, _ = read(answer.path(document), _MOST)
    return {document.name: as_utf8(data)[0]} if content_digest(data).hex() == document.content else {}


def _rows(answer: SavedAnswer, documents: Sequence[SavedDocument]) -> dict[bytes, bytes]:
    """The texts of rows of a data set; nothing if it has changed. DocumentSkipped: it cannot be read."""
    file, path, fields = documents[0].file, answer.path(documents[0]), answer.recipe.sequences
    kind, wanted, found = container(format_of(file, fields)), {each.name for each in documents}, dict[bytes, bytes]()
    stamp, digests = Stamp.at(path) or NO_FILE, list[bytes]()
    of_lines = has_blocks(format_of(file, fields), path, stamp.mtime_ns)
    if of_lines:
        digests += [digest for _, digest in digests_of(path, stamp.size)]
    for part in kind.parts(ContainerFile(path, _MOST), fields):
        if not of_lines:
            digests.append(part.digest)
        rows = kind.documents(part, fields)
        names = named(file, rows.ids, (where.number for where in rows.locators))
        for name, text in zip(names, rows.texts, strict=True):
            if name in wanted:
                found.setdefault(name, as_utf8(text)[0])
    return found if content_digest(*digests).hex() == documents[0].content else {}
