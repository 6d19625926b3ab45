"""The results of dedupe: groups of near-duplicates, or all pairs of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from simdocs.model.answers import NAMES, Block, Look, TableHead
from simdocs.model.figures import counted, size
from simdocs.model.groups import Members
from simdocs.model.ragged import Index
from simdocs.model.search_result import GROUPS, MEMBERS, NESTED, PAIRS, PairRow, SearchResult
from simdocs.names import display_name
from simdocs.options.families import LISTS, UNITS

if TYPE_CHECKING:
    from simdocs.model.saved_answer import SavedAnswer

_LOOSEST = 10
"""Components that the summary names."""


class ComponentFacts(NamedTuple):
    """How loosely one connected component hangs together.

    kept: the name of its kept document.
    documents: the number of its documents.
    smallest_to_kept: the smallest similarity of a document to the kept one; None if it is unknown.
    smallest_of_two: the smallest similarity of any two documents; None if it is unknown.
    all_compared: whether all pairs of its distinct texts were compared.
    """

    kept: bytes
    documents: int
    smallest_to_kept: float | None
    smallest_of_two: float | None
    all_compared: bool

    def in_words(self) -> str:
        """The line of a summary."""

        def figure(value: float | None) -> str:
            return "unknown" if value is None else f"{value:.6f}"

        return (
            f"component of {display_name(self.kept)}: {self.documents:,} documents; smallest similarity to it"
            f" {figure(self.smallest_to_kept)}, of any two {figure(self.smallest_of_two)}"
            + ("" if self.all_compared else " or less (not all were compared)")
        )


class WrittenRows(NamedTuple):
    """Rows of documents' files that were written.

    parameter: the parameter that asked for it.
    path: the path of the file or directory that has them.
    rows: how many they are.
    files: how many files a directory has; None: it is one file.
    unjudged: how many of the kept rows could not be compared.
    files_lost: how many files are read of which nothing could be read, so that it has none of their rows.
    """

    parameter: str
    path: bytes
    rows: int
    files: int | None
    unjudged: int = 0
    files_lost: int = 0

    def in_words(self) -> str:
        """The line of a summary."""
        where = (
            display_name(self.path)
            if self.files is None
            else f"{counted(self.files, 'file')} in {display_name(self.path)}"
        )
        of_these = f", of these {self.unjudged:,} that could not be compared" if self.unjudged else ""
        lost = f", without any of {counted(self.files_lost, 'file')} that cannot be read" if self.files_lost else ""
        return f"{self.parameter.replace('_', ' ')}: {self.rows:,}{of_these}, written to {where}{lost}"


def _facts_of_written(written: tuple[WrittenRows, ...]) -> dict[str, Any]:
    """What was written, as values that JSON has."""
    return {
        one.parameter: {
            "path": display_name(one.path),
            "rows": one.rows,
            "files": one.files,
            "files_lost": one.files_lost,
        }
        for one in written
    }


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Deduplication(SearchResult):
    """Which documents are kept and which are duplicates.

    documents: the documents that were given.
    pairs: the rows of each kept document (left) and its duplicate (right), in the order of the answer. With an index to
        compare against, row r of the index is len(documents) + r.
    names: the names of both documents of each pair.
    kept: the rows of the documents that are no duplicates and not in the index.
    groups: the number of kept documents that have duplicates.
    known: the number of documents that are in the index already.
    against_index: whether the documents were compared with those of an index.
    largest: the name of the kept document with the most duplicates, and their number; None if there are no duplicates.
    duplicate_bytes: the size of the text of the duplicates, after decompression.
    duplicate_files: the number of duplicates that are files, and not lines or texts in memory.
    freed_bytes: the space on disk that deleting these files would free.
    unlike_lengths: the number of duplicates with more than 1 / threshold times as many units as their kept documents,
        or fewer than threshold times as many, because shingles are repeated.
    components: how loosely each connected component hangs together; None for other groups.
    advice: lines for people if k does not suit the documents, or if many of them may share only a template.
    written: the rows of the documents' files that were written.
    save: makes the answer that is saved.
    """

    LISTINGS = ("kept", "duplicates", "groups")
    COMMAND = "dedupe"

    kept: Index
    groups: int
    known: int = 0
    against_index: bool = False
    largest: tuple[bytes, int] | None = None
    duplicate_bytes: int = 0
    duplicate_files: int = 0
    freed_bytes: int = 0
    unlike_lengths: int = 0
    components: tuple[ComponentFacts, ...] | None = None
    written: tuple[WrittenRows, ...] = ()
    save: Callable[[], SavedAnswer] | None = None

    @property
    def saved(self) -> SavedAnswer:
        """The answer with digests, stamps and directories of its documents, as a .answer file has it."""
        assert self.save is not None
        return self.save()

    @property
    def head(self) -> TableHead:
        """The columns of the pairs."""
        return GROUPS

    @property
    def found(self) -> int:
        """The number of duplicates."""
        return len(self.pairs)

    @property
    def is_found(self) -> bool:
        """Whether there are duplicates."""
        return self.found > 0

    @property
    def members(self) -> Members:
        """The documents that were judged, each with its group, in their order."""
        return Members.of(self.pairs, self.kept).below(len(self.documents))

    @property
    def labels(self) -> Index:
        """The number of each document's group, in the order of the documents: int64 (N,).

        Groups are numbered from 0, in the order of their kept documents; those of documents of an index come last. A
        document without duplicates has a group of its own. -1: the document was not judged, because it is in the index
        already, is gone or has changed, or because with `changed` it is neither new nor similar to a new one.
        """
        return self.members.labels(len(self.documents))

    def group_rows(self) -> Iterator[PairRow]:
        """The name of each judged document, its group, the kept document's name, and the similarity of both.

        The similarity is NaN for the kept document, and where it was not computed. The pairs must be held.
        """
        members, names = self.members, self.documents.every_name()
        of_index = dict(zip(self.pairs.left.tolist(), self._named(0), strict=True)) if self.against_index else {}
        for row, kept, number, jaccard in zip(*(column.tolist() for column in members), strict=True):
            yield names[row], number, names[kept] if kept < len(names) else of_index[kept], jaccard

    def blocks(self, look: Look) -> Iterator[Block]:
        """Yield the pairs; or names, or documents with their groups, if those are listed."""
        listed = LISTS[look.listing] if look.listing is not None and look.listing in LISTS else None
        if listed is None:
            yield from super().blocks(look)
        elif listed.groups:
            yield Block(MEMBERS, list(self.group_rows()))
        else:
            names = self.names_of_matched() if listed.duplicates else self.kept_names
            yield Block(NAMES, [(name,) for name in names])

    @property
    def kept_names(self) -> list[Any]:
        """The names of the documents that are kept."""
        names = self.documents.every_name()
        return [names[row] for row in self.kept.tolist()]

    @property
    def duplicate_names(self) -> list[Any]:
        """The names of the duplicates."""
        return list(self._named(1))

    def _why_so_few(self, needed: int) -> str:
        return super()._why_so_few(1 if self.against_index else needed)

    def _facts_of_answer(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"duplicates": self.found, "groups": self.groups, "kept": len(self.kept)}
        facts["duplicate_bytes"] = self.duplicate_bytes
        facts |= {"duplicate_files": self.duplicate_files, "freed_bytes": self.freed_bytes}
        facts["unlike_lengths"] = self.unlike_lengths
        if self.largest is not None:
            facts["largest_group"] = {"kept": display_name(self.largest[0]), "duplicates": self.largest[1]}
        if self.components is not None:
            facts["components"] = [one._asdict() | {"kept": display_name(one.kept)} for one in self.components]
        return facts | _facts_of_written(self.written)

    def lines(self, seconds: float, *, verbose: bool = False) -> Iterator[str]:
        """Yield the lines of the summary, and one for each of the loosest components and for rows that were written."""
        yield from super().lines(seconds, verbose=verbose)
        yield from (one.in_words() for one in self.written)
        yield from (component.in_words() for component in (self.components or ())[:_LOOSEST])

    def _outcome(self, took: str) -> Iterator[str]:
        if not self.found:
            yield f"no duplicates, {took}"
            return
        duplicates = f"{counted(self.found, 'duplicate')} of {counted(self.groups, 'document')}"
        kept = f"{len(self.kept):,} {'kept' if self.comparison.changed is None else 'new or changed ones kept'}"
        yield f"{duplicates}, {kept}, {took}; {self._taken()}"
        if self.unlike_lengths:
            shingling, least = self.comparison.recipe.shingling, self.comparison.threshold
            bounds = f"more than {1 / least:.4g} or fewer than {least:g} times as many {UNITS[shingling.unit].plural}"
            remedy = "" if shingling.multiset else ": --multiset counts repeated shingles"
            count = f"{counted(self.unlike_lengths, 'duplicate')} {'has' if self.unlike_lengths == 1 else 'have'}"
            yield f"{count} {bounds} as the kept document{remedy}"

    def _taken(self) -> str:
        """The space that deleting the duplicates would free, and the size of their text if it differs."""
        text = f"{size(self.duplicate_bytes)} of text"
        if not self.duplicate_files:
            return f"the duplicates have {text}"
        if self.duplicate_files < self.found:
            return f"deleting those that are files frees {size(self.freed_bytes)}, all duplicates have {text}"
        freed = f"deleting the duplicates frees {size(self.freed_bytes)}"
        return freed if self.freed_bytes == self.duplicate_bytes else f"{freed}, they have {text}"

    def __repr__(self) -> str:
        return f"<Deduplication: documents={len(self.documents)}, groups={self.groups}, duplicates={self.found}>"


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SimilarPairs(SearchResult):
    """Every pair of near-duplicates.

    pairs, names: the same as of Deduplication; empty if the pairs were handed over in blocks.
    found: the number of pairs that are listed.
    left_out: the number of similar pairs that are not, because copies of one text are listed as a chain.
    """

    found: int
    left_out: int = 0

    COMMAND = "pairs"

    @property
    def head(self) -> TableHead:
        """The columns of the pairs."""
        return NESTED if self.comparison.measure == "containment" else PAIRS

    @property
    def is_found(self) -> bool:
        """Whether there are similar pairs."""
        return self.found > 0

    def _facts_of_answer(self) -> dict[str, Any]:
        return {"pairs": self.found, "pairs_left_out": self.left_out}

    def _outcome(self, took: str) -> Iterator[str]:
        kind, least = "similar pair", ""
        if self.comparison.measure == "containment":
            kind, least = "pair", f" with a containment of {self.comparison.threshold:g} or more"
        yield f"{counted(self.found, kind)}{least}, {took}"
        if self.left_out:
            yield (
                f"identical texts are listed as a chain, which leaves out {counted(self.left_out, 'pair')}"
                f" (--all-copies lists every pair)"
            )

    def __repr__(self) -> str:
        return f"<SimilarPairs: documents={len(self.documents)}, pairs={self.found}>"
