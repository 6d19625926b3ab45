"""Save an answer: digests and stamps of its documents, and their directories; and read their texts again later."""

from __future__ import annotations

import os
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import isnan
from typing import Any

import numpy as np

from simdocs.commands.standing import given_of, recorded_arguments
from simdocs.errors import MissingExtraError
from simdocs.matching.corpus import Corpus
from simdocs.matching.groups import Decision
from simdocs.model.documents import NAMED, Documents
from simdocs.model.groups import FORMAT, VERSION, Pairs, SavedAnswer, SavedDocument, SavedPair
from simdocs.model.ragged import Rows
from simdocs.model.skipped import DocumentSkipped, in_short
from simdocs.names import display_name, name_for_json, text_to_name
from simdocs.options.recipes import SignatureRecipe
from simdocs.pipeline.reading import Intake
from simdocs.reading.batches import named
from simdocs.reading.decode import as_utf8
from simdocs.reading.file_list import format_of_document
from simdocs.reading.files import Source, content_digest, read
from simdocs.reading.formats import reader_of
from simdocs.reading.formats.lines import digests_of
from simdocs.version import __version__

_Arguments = tuple[tuple[bytes, int], ...]
"""The name of each argument, and how many documents it gave."""

_AT_ONCE = 1 << 13
"""Pairs whose names and facts are taken out at once."""


def saved(
    decision: Decision, intake: Intake, known: Corpus | None, documents: Documents, facts: Mapping[str, Any], kept: Rows
) -> SavedAnswer:
    """The answer of a decision, to be saved. Its pairs are made when they are asked for.

    known: the documents of an index that are always kept, if there is one. documents: those that were given. facts:
    the summary. kept: the rows of those that are kept.
    """
    corpus, pairs = decision.corpus, decision.pairs
    assert isinstance(corpus.recipe, SignatureRecipe)
    # Those of the build, if an artifact has the documents.
    arguments = () if intake.artifact is None else _of_build(intake.artifact.run, len(documents))
    if not arguments:
        given = given_of(intake, documents)
        if sum(count for _, count in given) != len(documents):
            given = [["", len(documents)]]
        arguments = tuple((text_to_name(word), count) for word, count in given)
    ours = _absolute(corpus.root if corpus.parts is None else corpus.parts[1].root)
    theirs = None if known is None else _absolute(known.root)
    index = None if known is None else known.index
    of_index = () if index is None else _of_build(index.run, index.n_documents)
    places = _Places(documents, arguments, (ours, theirs or ours), of_index)
    head = {
        "format": FORMAT,
        "version": VERSION,
        "simdocs": __version__,
        **name_for_json("root", ours),
        **({"index_root": None} if theirs is None else name_for_json("index_root", theirs)),
        "unicode": corpus.recipe.unicode,
        "threshold": facts["threshold"],
        "probability": facts["probability"],
        "parameters": facts["parameters"],
        "ignored": b64encode(corpus.ignored.astype("<u4").tobytes()).decode("ascii"),
        "documents": len(documents),
        "kept": len(kept),
        "groups": decision.groups,
        "duplicates": len(pairs),
        "changed": facts.get("changed"),
        "skipped": facts["skipped"],
        "arguments": [{**name_for_json("name", name), "documents": count} for name, count in arguments],
        "roots": list(places.roots(corpus, pairs)),
    }
    return SavedAnswer(head, corpus.recipe, lambda: _pairs(decision, places))


def _absolute(root: bytes) -> bytes:
    return os.path.abspath(root) if root else os.getcwdb()


def _of_build(run: Mapping[str, Any], documents: int) -> _Arguments:
    """The arguments that run.json records; none if they did not give so many documents: no checksum covers it."""
    each = tuple((text_to_name(word), count) for word, count in recorded_arguments(run))
    return each if sum(count for _, count in each) == documents else ()


class _Places:
    """Finds the directory below which each document was found, and gives each directory a number."""

    def __init__(
        self, documents: Documents, arguments: _Arguments, bases: tuple[bytes, bytes], of_index: _Arguments
    ) -> None:
        """bases: the directories in which names are found, of the documents and of an index. The same for arguments."""
        self._given, self._met, self._bases = len(documents), documents.met, bases
        self._words = arguments, of_index
        self._ends = [list(accumulate(count for _, count in words)) for words in self._words]
        self._numbers: dict[tuple[bytes, int, int | None], int] = {}

    def roots(self, corpus: Corpus, pairs: Pairs) -> Iterator[dict[str, Any]]:
        """Yield the directories of the documents of all pairs, as the head of an answer has them."""
        rows = np.union1d(pairs.left, pairs.right)
        for at in range(0, len(rows), _AT_ONCE):
            some = rows[at : at + _AT_ONCE]
            containers, given = corpus.containers(some).tolist(), corpus.given_rows(some).tolist()
            for name, container, row in zip(corpus.names(some), containers, given, strict=True):
                self.number(name[:container] if container else name, row)
        for path, of_name, argument in self._numbers:
            yield {**name_for_json("path", path), "named": of_name, "inode": _inode(path), "argument": argument}

    def number(self, file: bytes, row: int) -> int:
        """The number of the directory below which this file was found. row: of its document, as it was given."""
        of_index = row >= self._given
        place, words = bisect_right(self._ends[of_index], row - self._given * of_index), self._words[of_index]
        word, argument = words[place][0] if place < len(words) else b"", None if of_index else place
        walked = 0 if of_index or self._met is None else int(self._met["walked"][row])
        named = _named(file, walked, word)
        path = os.path.join(self._bases[of_index], file[:named], b"")
        return self._numbers.setdefault((path, named, argument), len(self._numbers))


def _named(file: bytes, walked: int, word: bytes) -> int:
    """How many bytes of the name of a file are that of the directory below which no link is followed.

    walked: what is known of how it was found: see MET. word: its argument. If neither tells, it is the file's own
    directory.
    """
    within = word.rstrip(b"/") + b"/"
    if walked > 0 or (word and walked != NAMED and file.startswith(within)):
        return walked if walked > 0 else len(within)
    return file.rfind(b"/") + 1


def _inode(path: bytes) -> int:
    """The inode of a directory; 0 if it cannot be looked at."""
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def _pairs(decision: Decision, places: _Places) -> Iterator[SavedPair]:
    corpus, pairs = decision.corpus, decision.pairs
    groups = np.cumsum(np.concatenate(([0], pairs.left[1:] != pairs.left[:-1]))) if len(pairs) else pairs.left
    for at in range(0, len(pairs), _AT_ONCE):
        some = pairs.take(np.arange(at, min(at + _AT_ONCE, len(pairs))))
        sides = (_documents(corpus, rows, places) for rows in (some.left, some.right))
        figures = (each.tolist() for each in (some.jaccard, some.estimate, groups[at : at + _AT_ONCE]))
        for kept, duplicate, jaccard, estimate, group in zip(*sides, *figures, strict=True):
            yield SavedPair(kept, duplicate, None if isnan(jaccard) else jaccard, estimate, group)


def _documents(corpus: Corpus, rows: Rows, places: _Places) -> Iterator[SavedDocument]:
    facts, given = corpus.facts(rows), corpus.given_rows(rows).tolist()
    for name, fact, row in zip(corpus.names(rows), facts, given, strict=True):
        container = int(fact["container"])
        yield SavedDocument(
            name=name,
            root=places.number(name[:container] if container else name, row),
            container=container,
            **{name: int(fact[name]) for name in ("size", "file_size", "mtime_ns", "ctime_ns", "inode")},
            content=fact["content"].astype("<u8").tobytes().hex(),
        )


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
        shown, why = display_name(first.file), str(error)
        if isinstance(error, FileNotFoundError) or (isinstance(error, DocumentSkipped) and error.reason == "vanished"):
            why = "is gone"
        elif isinstance(error, DocumentSkipped):
            why = error.detail or in_short(error.reason)
        yield from (((document.name, document.root), f"{shown} {why}") for document in documents)
        return
    for document in documents:
        missing = f"{display_name(document.name)} has changed"
        yield (document.name, document.root), found.get(document.name, missing)


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
        for rows in reader_of(form)(source, form, fields, None):
            batch = rows.batch(fields)
            for name, text in zip(named(file, batch.ids, batch.numbers), batch.texts, strict=True):
                if name in wanted:
                    found.setdefault(name, text)
    return found
