"""Save an answer: digests and stamps of its documents, and the directories in which they are."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from itertools import accumulate
from math import isnan
from typing import Any

import numpy as np

from simdocs.commands.standing import given_of
from simdocs.matching.corpus import Corpus
from simdocs.matching.groups import Decision
from simdocs.model.documents import NAMED, Documents
from simdocs.model.groups import Pairs
from simdocs.model.ragged import Rows
from simdocs.model.saved_answer import SavedAnswer, SavedDocument, SavedPair, SavedRoot
from simdocs.names import text_to_name
from simdocs.options.recipes import SignatureRecipe
from simdocs.pipeline.prepare import Intake
from simdocs.version import __version__

_Arguments = tuple[tuple[bytes, int], ...]
"""The name of each argument, and how many documents it gave."""

_AT_ONCE = 1 << 13
"""Pairs whose names and facts are taken out at once."""


def saved(
    decision: Decision,
    intake: Intake,
    known: Corpus | None,
    documents: Documents,
    facts: Mapping[str, Any],
    kept: Rows,
) -> SavedAnswer:
    """The answer of a decision, to be saved. Its pairs are made when they are asked for.

    known: the documents of an index that are always kept, if there is one. documents: those that were given. facts:
    the summary. kept: the rows of those that are kept.
    """
    corpus, pairs = decision.corpus, decision.pairs
    assert isinstance(corpus.recipe, SignatureRecipe)
    arguments = _arguments(intake, documents)
    ours = _absolute(corpus.root if corpus.parts is None else corpus.parts[1].root)
    theirs = None if known is None else _absolute(known.root)
    index = None if known is None else known.index
    of_index = () if index is None else _of_build(index.run, index.n_documents)
    places = _Places(documents, arguments, (ours, theirs or ours), of_index)
    return SavedAnswer(
        root=ours,
        index_root=theirs,
        recipe=corpus.recipe,
        parameters=facts["parameters"],
        threshold=facts["threshold"],
        probability=facts["probability"],
        ignored=corpus.ignored,
        documents=len(documents),
        changed=facts.get("changed"),
        kept=len(kept),
        groups=decision.groups,
        duplicates=len(pairs),
        skipped=facts["skipped"],
        arguments=arguments,
        roots=places.roots(corpus, pairs),
        simdocs=__version__,
        source=lambda: _pairs(decision, places),
    )


def _absolute(root: bytes) -> bytes:
    return os.path.abspath(root) if root else os.getcwdb()


def _arguments(intake: Intake, documents: Documents) -> _Arguments:
    """The arguments, each with the number of its documents; those of the build, if an artifact has the documents."""
    of_build = () if intake.artifact is None else _of_build(intake.artifact.run, len(documents))
    given = given_of(intake, documents.counts, len(documents))
    if sum(count for _, count in given) != len(documents):
        given = [["", len(documents)]]
    return of_build or tuple((text_to_name(word), count) for word, count in given)


def _of_build(run: Mapping[str, Any], documents: int) -> _Arguments:
    """The arguments that run.json records; none if it holds something else, because no checksum covers it."""
    try:
        each = tuple((text_to_name(word), count) for word, count in run["given"])
    except (LookupError, TypeError, ValueError, AttributeError):
        return ()
    possible = all(type(count) is int and count >= 0 for _, count in each)
    return each if possible and sum(count for _, count in each) == documents else ()


class _Places:
    """Finds the directory below which each document was found, and gives each directory a number."""

    def __init__(
        self,
        documents: Documents,
        arguments: _Arguments,
        bases: tuple[bytes, bytes],
        of_index: _Arguments,
    ) -> None:
        """bases: the directories in which names are found, of the documents and of an index. The same for arguments."""
        self._given, self._met, self._bases = len(documents), documents.met, bases
        self._words = arguments, of_index
        self._ends = [list(accumulate(count for _, count in words)) for words in self._words]
        self._numbers: dict[tuple[bytes, int, int | None], int] = {}

    def roots(self, corpus: Corpus, pairs: Pairs) -> tuple[SavedRoot, ...]:
        """The directories of the documents of all pairs."""
        rows = np.union1d(pairs.left, pairs.right)
        for at in range(0, len(rows), _AT_ONCE):
            some = rows[at : at + _AT_ONCE]
            containers, given = corpus.containers(some).tolist(), corpus.given_rows(some).tolist()
            for name, container, row in zip(corpus.names(some), containers, given, strict=True):
                self.number(name[:container] if container else name, row)
        return tuple(SavedRoot(path, named, _inode(path), argument) for path, named, argument in self._numbers)

    def number(self, file: bytes, row: int) -> int:
        """The number of the directory below which this file was found. row: of its document, as it was given."""
        of_index = row >= self._given
        word, argument = self._argument(row - self._given if of_index else row, of_index)
        walked = 0 if of_index or self._met is None else int(self._met["walked"][row])
        named = _named(file, walked, word)
        path = os.path.join(self._bases[of_index], file[:named])
        if not path.endswith(b"/"):
            path += b"/"
        return self._numbers.setdefault((path, named, argument), len(self._numbers))

    def _argument(self, row: int, of_index: bool) -> tuple[bytes, int | None]:
        """The argument of a document, and its number; None: of an index."""
        place = bisect_right(self._ends[of_index], row)
        words = self._words[of_index]
        word = words[place][0] if place < len(words) else b""
        return word, None if of_index else place


def _named(file: bytes, walked: int, word: bytes) -> int:
    """How many bytes of the name of a file are that of the directory below which no link is followed.

    walked: what is known of how it was found: see MET. word: its argument. If neither tells, it is as little as
    possible: nothing, or the slash that an absolute name begins with.
    """
    if walked > 0:
        return walked
    within = word.rstrip(b"/") + b"/"
    if walked == NAMED or word == file:
        found = file.rfind(b"/") + 1
    elif word and file.startswith(within):
        found = len(within)
    else:
        found = 1 if file.startswith(b"/") else 0
    # No component of the rest may lead up or nowhere.
    parts, at, end = file[found:].split(b"/"), found, found
    for part in parts:
        at += len(part) + 1
        if part in (b"", b".", b".."):
            end = at
    return min(end, len(file))


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
        rows = zip(
            _documents(corpus, some.left, places),
            _documents(corpus, some.right, places),
            some.jaccard.tolist(),
            some.estimate.tolist(),
            groups[at : at + _AT_ONCE].tolist(),
            strict=True,
        )
        for kept, duplicate, jaccard, estimate, group in rows:
            yield SavedPair(kept, duplicate, None if isnan(jaccard) else jaccard, estimate, group)


def _documents(corpus: Corpus, rows: Rows, places: _Places) -> Iterator[SavedDocument]:
    facts, given = corpus.facts(rows), corpus.given_rows(rows).tolist()
    for name, fact, row in zip(corpus.names(rows), facts, given, strict=True):
        container = int(fact["container"])
        yield SavedDocument(
            name=name,
            root=places.number(name[:container] if container else name, row),
            container=container,
            size=int(fact["size"]),
            file_size=int(fact["file_size"]),
            mtime_ns=int(fact["mtime_ns"]),
            ctime_ns=int(fact["ctime_ns"]),
            inode=int(fact["inode"]),
            content=fact["content"].astype("<u8").tobytes().hex(),
        )
