"""Rows of answers: row numbers become names, some at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from simdocs.errors import InputError
from simdocs.matching.corpus import Corpus
from simdocs.model.documents import Documents
from simdocs.model.groups import Members, Pairs
from simdocs.model.ragged import Array, Index, Mask, Rows, distinct
from simdocs.model.result import AT_ONCE, Row
from simdocs.model.skipped import Skip, Skipped
from simdocs.names import display_name, name_to_text

if TYPE_CHECKING:
    from simdocs.engines.engine import Run


def names_for(run: Run, documents: Documents, known: Corpus | None = None) -> DocumentNames:
    """The names of documents as the answer of a run has them.

    documents: those that were given. known: the documents of an index beside these.
    """
    if run.look is not None:
        return PrintedNames(run.skipped)
    return RecordedNames(documents, {} if known is None or known.index is None else known.index.given_names)


class PrintedNames:
    """Names to print. A line whose name is also the path of something else is reported, and not printed."""

    def __init__(self, skipped: Skipped) -> None:
        self._skipped = skipped
        self._reported = set[bytes]()

    def of(self, documents: Corpus, rows: Array, *, kept: bool = False) -> tuple[list[bytes], Mask]:
        """The names of these rows, and which of them can be printed.

        kept: nobody removes these documents. Then standard input can always be printed, although a file may be called
        `-`, too.
        """
        every = distinct(np.asarray(rows, np.int64))
        printed = documents.printed_names(every)
        fit = np.ones(len(printed), bool)
        if places := [place for place, path in enumerate(printed) if b"#" in path or path == b"-"]:
            rows_of_files = documents.containers(every[places]) > 0
            for place, is_row in zip(places, rows_of_files.tolist(), strict=True):
                path = printed[place]
                if (is_row or (path == b"-" and not kept)) and os.path.lexists(path):
                    fit[place] = False
                    self._report(path)
        at = np.searchsorted(every, rows)
        return [printed[place] for place in at.tolist()], fit[at]

    def _report(self, path: bytes) -> None:
        if path not in self._reported:
            self._reported.add(path)
            self._skipped.add(Skip("malformed", path, "is also the name of a file, so no answer has it"))


class RecordedNames:
    """Names for Python: as they were given for texts in memory, or else as str."""

    def __init__(self, documents: Documents, index_names: Mapping[int, Any]) -> None:
        """See `names_for`."""
        self._documents, self._index_names = documents, index_names

    def of(self, documents: Corpus, rows: Array, *, kept: bool = False) -> tuple[list[Any], Mask]:  # noqa: ARG002
        """The names of these rows, and that each of them has one. kept: makes no difference."""
        names: list[Any] = list(map(name_to_text, documents.names(rows)))
        given, of_index = self._documents.given_names, self._index_names
        if given or of_index:
            places = documents.given_rows(rows).tolist()
            first = len(self._documents)
            names = [
                given.get(place, name) if place < first else of_index.get(place - first, name)
                for place, name in zip(places, names, strict=True)
            ]
        return names, np.ones(len(names), bool)


DocumentNames: TypeAlias = PrintedNames | RecordedNames


def pair_rows(documents: Corpus, pairs: Pairs, names: DocumentNames) -> Iterator[list[Row]]:
    """Yield pairs as rows, if the names of both documents can be printed: see `Pairs.named`."""
    for at in range(0, len(pairs), AT_ONCE):
        some = pairs.take(np.arange(at, min(at + AT_ONCE, len(pairs))))
        left, left_fit = names.of(documents, some.left, kept=True)
        right, right_fit = names.of(documents, some.right)
        fit = np.flatnonzero(left_fit & right_fit)
        if len(fit) < len(some):
            left, right = [left[place] for place in fit], [right[place] for place in fit]
        yield list(some.take(fit).named(left, right))


def group_rows(documents: Corpus, members: Members, names: DocumentNames) -> Iterator[list[Row]]:
    """Yield each member of a group as a row, if both names can be printed: document, group, kept one, similarity."""
    for at in range(0, len(members.row), AT_ONCE):
        row, kept, number, jaccard = members.cut(at, at + AT_ONCE)
        (of_row, fit), (of_kept, kept_fit) = names.of(documents, row), names.of(documents, kept, kept=True)
        rows = zip(of_row, number.tolist(), of_kept, jaccard.tolist(), strict=True)
        yield [each for each, fits in zip(rows, (fit & kept_fit).tolist(), strict=True) if fits]


def name_rows(documents: Corpus, rows: Index, names: DocumentNames) -> Iterator[list[Row]]:
    """Yield the names of these documents, if they can be printed."""
    for at in range(0, len(rows), AT_ONCE):
        found, fit = names.of(documents, rows[at : at + AT_ONCE])
        yield [(name,) for name, fits in zip(found, fit.tolist(), strict=True) if fits]


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
