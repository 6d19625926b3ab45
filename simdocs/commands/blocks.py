"""Answers in blocks: row numbers become names, some at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simdocs.errors import InputError
from simdocs.matching.corpus import Corpus
from simdocs.model.answers import NAMES, Block, TableHead
from simdocs.model.byte_strings import joined
from simdocs.model.documents import Documents
from simdocs.model.groups import Members, Pairs
from simdocs.model.ragged import Array, Index, Mask, Ragged, Rows
from simdocs.model.search_result import MEMBERS
from simdocs.model.skipped import Skip, Skipped
from simdocs.names import display_name

if TYPE_CHECKING:
    from simdocs.corpora.containers.names import LineNames
    from simdocs.matching.groups import Decision


_REMEMBERED = 1 << 22
"""Bytes of names, with their objects, that are remembered: 20,000 names of 60 bytes."""

_OBJECTS = 150
"""Bytes that a remembered name takes in addition to its own."""


class PrintedNames:
    """Names to print. A line whose name is also the path of something else is reported, and not printed.

    A document of many pairs is looked up once, unless very many others come between.
    """

    def __init__(self, skipped: Skipped) -> None:
        self._skipped = skipped
        self._lines: LineNames | None = None
        self._reported = set[bytes]()
        self._documents: Corpus | None = None
        self._known: tuple[_KnownNames, _KnownNames] = (_KnownNames(), _KnownNames())

    def of(self, documents: Corpus, rows: Array, *, kept: bool = False) -> tuple[list[bytes], Mask]:
        """The names of these rows, and which of them can be printed.

        kept: nobody removes these documents. Then standard input can always be printed, although a file may be called
        `-`, too.
        """
        if self._documents is not documents:
            self._documents, self._known = documents, (_KnownNames(), _KnownNames())
        known, places = self._known[kept], np.asarray(rows).tolist()
        if missing := known.missing(places):
            known.add(missing, *self._looked_up(documents, np.array(missing), kept=kept))
        return known.of(places)

    def _looked_up(self, documents: Corpus, rows: Rows, *, kept: bool) -> tuple[list[bytes], Mask]:
        names = documents.names(rows)
        printed = documents.printed_names(rows, names)
        fit = np.ones(len(printed), bool)
        if places := [place for place, path in enumerate(printed) if b"#" in path or path == b"-"]:
            paths, containers = self._names_of_lines(), documents.containers(rows[places]).tolist()
            each = list(zip(places, [names[place] for place in places], containers, strict=True))
            files = {printed[place][: len(printed[place]) - len(name) + end] for place, name, end in each if end}
            if all(map(paths.are_no_paths, files)):  # nearly always
                each = [(place, name, end) for place, name, end in each if not end]
            for place, name, container in each:
                path = printed[place]
                if container:
                    fit[place] = not paths.is_path(path, len(path) - len(name) + container)
                elif path == b"-" and not kept:
                    fit[place] = not os.path.lexists(path)
                if not fit[place]:
                    self._report(path)
        return printed, fit

    def _names_of_lines(self) -> LineNames:
        if self._lines is None:
            from simdocs.corpora.containers.names import LineNames

            self._lines = LineNames()
        return self._lines

    def _report(self, path: bytes) -> None:
        if path not in self._reported:
            self._reported.add(path)
            self._skipped.add(Skip("malformed", path, "is also the name of a file, so no answer has it"))


class _KnownNames:
    """The names of some rows, and which of these cannot be printed."""

    def __init__(self) -> None:
        self._names, self._unfit, self._bytes = dict[int, bytes](), set[int](), 0

    def missing(self, rows: list[int]) -> list[int]:
        """Those of these rows to look up, each once. All other names are forgotten if there are too many."""
        missing = [row for row in dict.fromkeys(rows) if row not in self._names]
        if missing and self._bytes > _REMEMBERED:
            self._names, self._unfit, self._bytes = {}, set(), 0
            missing = list(dict.fromkeys(rows))
        return missing

    def add(self, rows: list[int], names: list[bytes], fit: Mask) -> None:
        """Remember the names of these rows, and which of them can be printed."""
        self._names.update(zip(rows, names, strict=True))
        self._unfit.update(row for row, fits in zip(rows, fit.tolist(), strict=True) if not fits)
        self._bytes += sum(map(len, names)) + _OBJECTS * len(names)

    def of(self, rows: list[int]) -> tuple[list[bytes], Mask]:
        """The names of these rows, and which of them can be printed."""
        fit = np.ones(len(rows), bool)
        if self._unfit:
            fit[:] = [row not in self._unfit for row in rows]
        return list(map(self._names.__getitem__, rows)), fit


def given_names_of(known: Corpus | None) -> Mapping[int, Any]:
    """The names of documents of an index that Python callers gave and that are neither str nor bytes, by row."""
    return {} if known is None or known.index is None else known.index.given_names


class RecordedNames:
    """Names for Python: as they were recorded, or as they were given for texts in memory."""

    def __init__(self, documents: Documents, index_names: Mapping[int, Any]) -> None:
        """documents: those that were given. index_names: the given names of documents of an index, by row."""
        self._documents, self._index_names = documents, index_names

    def of(self, documents: Corpus, rows: Array, *, kept: bool = False) -> tuple[list[Any], Mask]:  # noqa: ARG002
        """The names of these rows, and that each of them has one. kept: makes no difference."""
        names, given, of_index = documents.names(rows), self._documents.given_names, self._index_names
        if given or of_index:
            places = documents.given_rows(rows).tolist()
            first = len(self._documents)
            names = [
                given.get(place, name) if place < first else of_index.get(place - first, name)
                for place, name in zip(places, names, strict=True)
            ]
        return names, np.ones(len(names), bool)


_AT_ONCE = 1 << 13
"""Rows of an answer in one block."""


def shown_pairs(documents: Corpus, pairs: Pairs, head: TableHead, printed: PrintedNames) -> Iterator[Block]:
    """Yield pairs with the names of their documents, if both can be printed."""
    for at in range(0, len(pairs), _AT_ONCE):
        some = pairs.take(np.arange(at, min(at + _AT_ONCE, len(pairs))))
        left, left_fit = printed.of(documents, some.left, kept=True)
        right, right_fit = printed.of(documents, some.right)
        fit = np.flatnonzero(left_fit & right_fit)
        if len(fit) < len(some):
            left, right = [left[place] for place in fit], [right[place] for place in fit]
        yield Block(head, list(some.take(fit).named(left, right)))


def group_blocks(decision: Decision, given_documents: int, printed: PrintedNames) -> Iterator[Block]:
    """Yield each document that was judged with its group, if the names of both documents can be printed.

    given_documents: how many documents were given. The rows of an index to compare against come after them, and so do
    the groups of its documents.
    """
    corpus = decision.corpus
    given = corpus.given_rows(np.arange(len(corpus)))
    members = Members.of(decision.pairs.renumbered(corpus.given_rows), corpus.given_rows(decision.kept()))
    members = members.below(given_documents)
    order = np.argsort(given, kind="stable")
    row, kept = (order[np.searchsorted(given[order], rows)] for rows in (members.row, members.kept))
    yield Block(MEMBERS, [])
    for at in range(0, len(row), _AT_ONCE):
        cut = slice(at, at + _AT_ONCE)
        (names, fit), (of_kept, kept_fit) = printed.of(corpus, row[cut]), printed.of(corpus, kept[cut], kept=True)
        rows = zip(names, members.number[cut].tolist(), of_kept, members.jaccard[cut].tolist(), strict=True)
        yield Block(MEMBERS, [each for each, fits in zip(rows, (fit & kept_fit).tolist(), strict=True) if fits])


def name_blocks(documents: Corpus, rows: Index, printed: PrintedNames) -> Iterator[Block]:
    """Yield the names of these rows, if they can be printed."""
    for at in range(0, len(rows), _AT_ONCE):
        names, fit = printed.of(documents, rows[at : at + _AT_ONCE])
        yield Block(NAMES, [(name,) for name, fits in zip(names, fit.tolist(), strict=True) if fits])


def names_of_pairs(documents: Corpus, pairs: Pairs) -> tuple[Ragged, Ragged]:
    """The recorded names of both documents of each pair: two Ragged uint8."""
    return joined(documents.names(pairs.left)), joined(documents.names(pairs.right))


def rows_named(corpus: Corpus, names: Sequence[bytes]) -> Rows:
    """The rows of the documents with these names, as recorded or as paths that work here. InputError: there is none."""
    recorded = {name: row for row, name in enumerate(corpus.names(np.arange(len(corpus))))}
    rows = list[int]()
    for name in names:
        below = os.path.relpath(os.path.abspath(name), os.path.abspath(corpus.root))
        row = recorded.get(name, recorded.get(os.path.normpath(name), recorded.get(below)))
        if row is None:
            raise InputError(f"{display_name(name)}: {corpus.artifact_name} has no document of this name")
        rows.append(row)
    return np.array(rows, np.int64)
