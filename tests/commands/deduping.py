"""Run dedupe in this process in two steps: first the documents are read, then they are compared."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import simdocs
from simdocs.commands.dedupe import GROUPS, grouped
from simdocs.commands.pairs import paired
from simdocs.commands.resolve import of_search
from simdocs.commands.searching import read_documents
from simdocs.model.result import Look
from simdocs.views.output import Tsv
from tests.asked import ASKED
from tests.runs import running
from tests.twins.text_answers import Text

CATCH_ALL = {"bands": 128, "rows": 1}
"""128 bands of one row: practically every pair that has any similarity becomes a candidate."""


@dataclass
class Work:
    """Documents that were read, and the plan by which they are compared. result: the result of the last answer."""

    plan: Any
    corpus: Any
    run: Any
    result: simdocs.Deduplication | simdocs.SimilarPairs | None = field(default=None)

    @property
    def skipped(self) -> Any:
        """Everything that was skipped so far."""
        return self.run.skipped

    def groups(self) -> list[Any]:
        """Return the rows of the groups."""
        return self._rows(lambda run: grouped(self.plan, self.corpus, run))

    def pairs(self, all_copies: bool = False) -> list[Any]:
        """Return the rows of all similar pairs."""
        options = self.plan.options
        given = {name: getattr(options, name) for name in ASKED["pairs"].options if hasattr(options, name)}
        pairs = ASKED["pairs"](documents=options.documents).filled(**given, all_copies=all_copies)
        return self._rows(lambda run: paired(replace(self.plan, options=pairs), self.corpus, run))

    def listed(self, listing: str) -> list[Any]:
        """Return the rows of a list."""
        plan = replace(self.plan, options=self.plan.options.filled(list=listing))
        return self._rows(lambda run: grouped(plan, self.corpus, run))

    def names(self, listing: str) -> list[Any]:
        """Return the names of a list."""
        return [name for (name,) in self.listed(listing)]

    def facts(self) -> dict[str, Any]:
        """Return the summary of the last answer as JSON, without the time that it took."""
        assert self.result is not None
        facts: dict[str, Any] = json.loads(json.dumps(self.result.summary(0.0)))
        del facts["seconds"]
        return facts

    def answer(self, what: str) -> list[Any]:
        """Return the rows of an answer of this kind."""
        return self.groups() if what in ("groups", "components") else self.pairs(what == "all_pairs")

    def decided(self) -> Any:
        """Return every duplicate with its kept document, by row."""
        self.result = grouped(self.plan, self.corpus, self.run)
        return self.result.pairs

    def _rows(self, ask: Any) -> list[Any]:
        rows: list[Any] = []
        self.run.look, self.run.draw = Look(), rows.extend
        self.result = ask(self.run)
        self.run.look = self.run.draw = None
        return rows


def plan(names: Sequence[Any], **options: Any) -> Any:
    """Return the plan for a request about these documents."""
    return of_search(ASKED["dedupe"](documents=tuple(map(encoded, names)), **options))


def encoded(name: Any) -> Any:
    """Return a path as bytes, and an artifact unchanged."""
    return os.fsencode(name) if isinstance(name, str | bytes | os.PathLike) else name


@contextmanager
def begun(asked: Any, jobs: int = 1) -> Iterator[Work]:
    """Read the documents of a plan."""
    with running(jobs) as run:
        yield Work(asked, read_documents(asked, run, linked=True), run)


@contextmanager
def sketched(names: Sequence[Any], jobs: int = 1, **options: Any) -> Iterator[Work]:
    """Read and sign documents, so that they can be compared."""
    with begun(plan(names, **options), jobs) as work:
        yield work


def answer(root: Path, what: str = "groups", jobs: int = 1, **options: Any) -> list[tuple[bytes, bytes, float]]:
    """Return the answer of dedupe about a directory: names relative to it, and the similarity."""
    with sketched([root], jobs, **options) as work:
        rows = work.answer(what)
        assert work.skipped.counts == {}
        below = len(os.fsencode(root)) + 1
        return [(row[0][below:], row[1][below:], row[2]) for row in rows]


def as_tsv(rows: Sequence[Any]) -> bytes:
    """Return these rows as the program would print them into a pipe."""
    return Tsv(GROUPS).rows(rows)


def printed(names: Sequence[bytes | str | Path], what: str = "groups", jobs: int = 1, **options: Any) -> bytes:
    """Return the answer as the program would print it into a pipe."""
    with sketched(names, jobs, **options) as work:
        return as_tsv(work.answer(what))


def write_texts(root: Path, texts: Sequence[Text]) -> list[bytes]:
    """Write documents below root, with names in their order, and return the names."""
    names = [b"%04d" % row for row in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        path = root / os.fsdecode(name)
        path.write_bytes(text.data)
        os.utime(path, ns=(text.mtime_ns, text.mtime_ns))
    return names
