"""Read the texts of documents of a saved answer again, if they are still what they were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from simdocs.errors import MissingExtraError
from simdocs.model.saved_answer import SavedAnswer, SavedDocument
from simdocs.model.skipped import DocumentSkipped, in_short
from simdocs.names import display_name
from simdocs.reading.decode import as_utf8
from simdocs.reading.files import Source, read
from simdocs.reading.formats import format_of_document, reader_of
from simdocs.reading.formats.batch import named
from simdocs.reading.formats.lines import digests_of
from simdocs.reading.identity import content_digest

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
    if not first.inode:
        for document in documents:
            text = held.get(document.name)
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


def _why(error: Exception) -> str:
    if isinstance(error, DocumentSkipped):
        return "is gone" if error.reason == "vanished" else error.detail or in_short(error.reason)
    return "is gone" if isinstance(error, FileNotFoundError) else str(error)


def _text(answer: SavedAnswer, document: SavedDocument) -> dict[bytes, bytes]:
    """The text of a file that is one document; nothing if it has changed. DocumentSkipped: it cannot be read."""
    data, _ = read(answer.path(document), _MOST)
    text = as_utf8(data, answer.recipe.sequences.encoding)[0]
    return {document.name: text} if content_digest(data).hex() == document.content else {}


def _rows(answer: SavedAnswer, documents: Sequence[SavedDocument]) -> dict[bytes, bytes]:
    """The texts of rows of a data set; nothing if it has changed. DocumentSkipped: it cannot be read."""
    file, path, fields = documents[0].file, answer.path(documents[0]), answer.recipe.sequences
    wanted, found, form = {each.name for each in documents}, dict[bytes, bytes](), format_of_document(file, fields)
    with Source(path, _MOST) as source:
        if content_digest(*digests_of(path, form, source.stamp)).hex() != documents[0].content:
            return {}
        for batch in reader_of(form)(source, form, fields, None):
            for name, text in zip(named(file, batch.ids, batch.numbers), batch.texts, strict=True):
                if name in wanted:
                    found.setdefault(name, text)
    return found
