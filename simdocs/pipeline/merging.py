"""Merge artifacts of one kind: their documents end to end, and their sorted tables into one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from simdocs.artifacts.npy import MappedColumn
from simdocs.engines.engine import Progress, Run, each_band
from simdocs.errors import ArtifactError, UsageError
from simdocs.kernels.buckets import bucket_tables
from simdocs.kernels.fracminhash import sketch_table
from simdocs.model.artifact import Artifact, BandIndex
from simdocs.model.columns import ByteStrings, GrowingArray, GrowingByteStrings
from simdocs.model.documents import DOCUMENT, FILE, Documents, SourceFiles
from simdocs.model.ragged import (
    NO_TOKENS,
    Array,
    Index,
    Keys,
    Mask,
    Ragged,
    Rows,
    Tokens,
    offsets_of,
    row_blocks,
)
from simdocs.model.skipped import Skip
from simdocs.names import display_name, path_from
from simdocs.options.recipes import IndexRecipe, Recipe, SignatureRecipe
from simdocs.pipeline.indexing import BucketCounter, Expectation, same_as
from simdocs.reading.identity import first_names
from simdocs.reading.row_names import SeenNames
from simdocs.reading.unchanged import EarlierFiles

_ROWS_AT_ONCE = 1 << 12
"""Signatures that are copied at once."""

_TOKENS_AT_ONCE = 1 << 20
"""Tokens that are copied at once."""

_ENTRIES_AT_ONCE = 1 << 21
"""Entries of bucket tables, and of sketches, that are merged at once. An entry of a table takes about 40 bytes."""

_NAMES_AT_ONCE = 1 << 12
"""Names that are compared at once."""


Append = Callable[[str, Array], None]
"""Adds rows to an array of the artifact that is made, by its name."""


class Inputs(Sequence[Artifact]):
    """The artifacts to merge, in order. They are opened when they are needed.

    Only the first ones stay open: each takes an open file for each of its arrays, and there may be thousands of them.

    given: what they are opened from. opening: opens one. most: how many stay open.
    Raises ArtifactError: an artifact was replaced since it was first opened. For others, see `opening`.
    """

    def __init__(self, given: Sequence[Any], opening: Callable[[Any], Artifact], most: int) -> None:
        self._given, self._opening, self._most = given, opening, most
        self._open = dict[int, Artifact]()
        self._marks = dict[int, int]()

    def __len__(self) -> int:
        return len(self._given)

    def __getitem__(self, at: Any) -> Any:
        if at in self._open:
            return self._open[at]
        artifact = self._opening(self._given[at])
        mapped = (column for column in artifact.columns.values() if isinstance(column, MappedColumn))
        mark = hash(tuple(checksum for column in mapped for checksum in column.checksums))
        if self._marks.setdefault(at, mark) != mark:
            raise ArtifactError(f"{artifact.name}: it was replaced while it was merged", "merge again")
        if len(self._open) < self._most:
            self._open[at] = artifact
        return artifact

    def __iter__(self) -> Iterator[Artifact]:
        for at in range(len(self)):
            yield self[at]


class InputRows(NamedTuple):
    """Where the documents of an input are in the artifact that is made.

    first: the row of the first of them.
    kept: (N,) which of them it has; None: all.
    """

    first: int
    kept: Mask | None

    def rows(self, then: Array) -> Rows:
        """The rows of documents that had these rows in the input; -1 if the document was left out."""
        if self.kept is None:
            return then.astype(np.int64) + self.first
        return np.where(self.kept, self.first - 1 + np.cumsum(self.kept), -1)[then]

    def of(self, rows: Rows) -> Rows:
        """The rows in the input of documents that have these rows now."""
        then = rows - self.first
        return then if self.kept is None else np.flatnonzero(self.kept)[then]


class Merged(NamedTuple):
    """The documents of several artifacts, end to end. places: where those of each artifact are."""

    documents: Documents
    places: Sequence[InputRows]


def merged_documents(inputs: Inputs, root: bytes, run: Run) -> Merged:
    """The documents of all inputs. Files that an earlier input has under another name are left out, and reported.

    root: the directory from which names are found.
    UsageError: two inputs have a document, or a container of documents, of the same name.
    ArtifactError: what is recorded in an input contradicts itself.
    """
    names, ends, facts = GrowingArray(np.uint8), GrowingArray(np.int64), GrowingArray(DOCUMENT)
    files = GrowingArray(FILE)
    held, given_names = dict[int, bytes](), dict[int, Any]()
    rows, file_numbers, called = [0], [0], list[str]()
    ends.add(np.zeros(1))
    for done, artifact in enumerate(inputs):
        run.progress("reading", done, len(inputs))
        documents, before = artifact.documents, rows[-1]
        if isinstance(artifact, BandIndex):
            artifact.hold_tables()
        ends.add(documents.names.offsets[1:] + len(names))
        names.add(documents.names.values)
        facts.add(documents.facts)
        its_files = documents.sources.files.copy()
        its_files["row"] += before
        files.add(its_files)
        held |= {row + before: data for row, data in documents.held.items()}
        given_names |= {row + before: name for row, name in documents.given_names.items()}
        rows.append(before + len(documents))
        file_numbers.append(file_numbers[-1] + len(its_files))
        called.append(artifact.name)
        for column in artifact.columns.values():
            column.release()
    sources = SourceFiles(files.all())
    every = Documents(Ragged(names.all(), ends.all()), facts.all(), sources, held, given_names=given_names)
    _refuse_repeated(ByteStrings(every.names), rows, called, "document")
    if (every.facts["container"] > 0).any():  # or else files have the names of their documents
        _refuse_repeated(_names_of_files(every), file_numbers, called, "file")
    return _without_other_names(every, np.array(rows), np.array(file_numbers), root, run)


def _names_of_files(documents: Documents) -> ByteStrings:
    names, files = GrowingByteStrings(), EarlierFiles(documents, 0, 0)
    for at in range(0, len(documents.sources.files), _NAMES_AT_ONCE):
        names.add(files.names(np.arange(at, min(at + _NAMES_AT_ONCE, len(documents.sources.files)))))
    return names.all()


def _refuse_repeated(names: ByteStrings, offsets: Sequence[int], called: Sequence[str], noun: str) -> None:
    """Raise UsageError if two inputs have the same name. offsets: where the names of each input begin."""
    seen = SeenNames(lambda row: names[row])
    for at in range(0, len(names), _NAMES_AT_ONCE):
        some = names[at : at + _NAMES_AT_ONCE]
        if repeated := seen.repeated(some):
            second = at + min(repeated)
            first = names.index(names[second])
            one, other = (called[bisect_right(offsets, row) - 1] for row in (first, second))
            where = f"this {noun} is in {one} and in {other}"
            raise UsageError(f"{display_name(names[second])}: {where}: merge artifacts of different documents")
        seen.add(some, np.arange(at, at + len(some)))


def _without_other_names(documents: Documents, offsets: Index, file_offsets: Index, root: bytes, run: Run) -> Merged:
    """Leave out the files that an earlier input has under another name.

    offsets, file_offsets: where the documents and the files of each input begin, and the end.
    """
    sources, names = documents.sources, EarlierFiles(documents, 0, 0).names
    runs = np.repeat(np.arange(len(offsets) - 1), np.diff(file_offsets))

    def name_of(file: int) -> bytes:
        return names(np.array([file]))[0]

    first = first_names(sources.files, runs, lambda file: path_from(root, name_of(file)))
    is_first = first == np.arange(len(first))
    if is_first.all():
        return Merged(documents, [InputRows(row, None) for row in offsets[:-1].tolist()])
    for file in np.flatnonzero(~is_first).tolist():
        run.skipped.add(Skip("again", name_of(file)))
    kept = np.repeat(is_first, np.diff(np.append(sources.files["row"], len(documents))))
    files, row_now = sources.files[is_first], offsets_of(kept)
    files["row"] = row_now[files["row"]]
    rest = Documents(
        documents.names.take(np.flatnonzero(kept)),
        documents.facts[kept],
        SourceFiles(files),
        {int(row_now[row]): data for row, data in documents.held.items() if kept[row]},
        given_names={int(row_now[row]): name for row, name in documents.given_names.items() if kept[row]},
    )
    cuts = pairwise(offsets.tolist())
    return Merged(rest, [InputRows(int(row_now[begin]), kept[begin:end]) for begin, end in cuts])


def merge_arrays(inputs: Inputs, merged: Merged, recipe: Recipe, append: Append, run: Run) -> Expectation | None:
    """Write all arrays but those about the documents. Return what the bands of an index will find.

    ArtifactError: a block of an input is damaged.
    """
    if not isinstance(recipe, SignatureRecipe):
        _merge_token_sets(inputs, merged, append, run.progress)
        return None
    _merge_signatures(inputs, merged, recipe.sketching.num_perm, append, run.progress)
    append("ignored", inputs[0]["ignored"].all())
    return _merge_tables(inputs, merged, recipe, append, run.progress) if isinstance(recipe, IndexRecipe) else None


def _merge_token_sets(inputs: Inputs, merged: Merged, append: Append, progress: Progress) -> None:
    append("tokens", NO_TOKENS)
    for artifact, (first, kept) in zip(inputs, merged.places, strict=True):
        offsets = offsets_of(artifact["documents"].all()["count"])
        for begin, end in row_blocks(offsets, _TOKENS_AT_ONCE):
            progress("merging", first + begin, len(merged.documents))
            tokens = artifact["tokens"].cut(int(offsets[begin]), int(offsets[end]))
            append(
                "tokens",
                tokens if kept is None else tokens[np.repeat(kept[begin:end], np.diff(offsets[begin : end + 1]))],
            )
            artifact["tokens"].release()
        artifact["documents"].release()
    append("offsets", offsets_of(merged.documents.facts["count"]))


def _merge_signatures(inputs: Inputs, merged: Merged, num_perm: int, append: Append, progress: Progress) -> None:
    append("signatures", np.empty((0, num_perm), np.uint32))
    for artifact, (first, kept) in zip(inputs, merged.places, strict=True):
        for begin in range(0, artifact.n_documents, _ROWS_AT_ONCE):
            progress("merging", first + begin, len(merged.documents))
            end = min(begin + _ROWS_AT_ONCE, artifact.n_documents)
            signatures = artifact["signatures"].cut(begin, end)
            append("signatures", signatures if kept is None else signatures[kept[begin:end]])
            artifact["signatures"].release()


def _merge_tables(
    inputs: Inputs, merged: Merged, recipe: IndexRecipe, append: Append, progress: Progress
) -> Expectation:
    firsts, texts = merged.documents.distinct_texts()
    append("same_as", same_as(firsts, texts))
    is_first = np.zeros(len(texts) + 1, bool)  # the last place stands for -1
    is_first[firsts] = True
    counter = BucketCounter(recipe)
    made = _bands(inputs, merged.places, is_first, recipe.banding.bands)
    for keys, rows in each_band(made, recipe.banding.bands, progress):
        counter.add(keys[0], rows[0])
        append("band_keys", keys)
        append("band_rows", rows)
    sketched = 0
    for tokens, owners in _sketches(inputs, merged.places, is_first):
        append("sketch_tokens", tokens)
        append("sketch_rows", owners)
        sketched += len(tokens)
    expected = counter.expectation(lambda some: _signatures_at(inputs, merged.places, some), len(firsts))
    return expected._replace(sketched=sketched if recipe.containing.containment else None)


def _bands(inputs: Inputs, places: Sequence[InputRows], is_first: Mask, bands: int) -> Iterator[tuple[Keys, Tokens]]:
    """Yield the keys and the rows of the bucket tables of all inputs, for one band after the other: (1, M) each.

    is_first: whether a row is the first of its text in all inputs. Only these are in the tables.
    """
    at_once = max(1, _ENTRIES_AT_ONCE // len(is_first))
    for begin in range(0, bands, at_once):
        end = min(begin + at_once, bands)
        keys, owners = ([list[Array]() for _ in range(begin, end)] for _ in range(2))
        for artifact, place in zip(inputs, places, strict=True):
            its_keys, then = artifact["band_keys"].cut(begin, end), artifact["band_rows"].cut(begin, end)
            for at in range(end - begin):
                its_key, now = its_keys[at], _owners(artifact, place, then[at])
                if place.kept is not None:
                    order = np.lexsort((now, its_key))
                    its_key, now = its_key[order], now[order]
                there = is_first[now]
                keys[at].append(its_key[there])
                owners[at].append(now[there])
            artifact["band_keys"].release()
            artifact["band_rows"].release()
        for of_band, its_rows in zip(keys, owners, strict=True):
            # A stable sort finds the parts that ascend already, and merges them.
            yield bucket_tables(np.concatenate(of_band)[np.newaxis], np.concatenate(its_rows))
            of_band.clear()
            its_rows.clear()


def _owners(artifact: Artifact, place: InputRows, then: Array) -> Rows:
    """The first document, now, of each text whose first document had this row in an input; -1 if none is left.

    It is another one if the first was left out. then: of entries of its tables or its sketch.
    """
    if place.kept is None:
        return place.rows(then)
    same, left = artifact["same_as"].all(), np.flatnonzero(place.kept)[::-1]
    heirs = np.full(len(same), -1)
    heirs[same[left]] = left  # the last assignment counts, which is that of the first row
    return np.where(heirs[then] >= 0, place.rows(heirs)[then], -1)


def _sketches(inputs: Inputs, places: Sequence[InputRows], is_first: Mask) -> Iterator[tuple[Tokens, Tokens]]:
    """Yield the sketches of all inputs, merged, in parts with ascending tokens."""
    sizes, largest = list[int](), 0
    for artifact in inputs:
        column, size = artifact["sketch_tokens"], len(artifact["sketch_tokens"])
        sizes.append(size)
        largest = max(largest, *column.cut(max(0, size - 1), size).tolist(), 0)
    # Tokens are hash values, so intervals of equal length have about as many of them.
    parts = 1 + sum(sizes) // _ENTRIES_AT_ONCE
    limits = [largest * part // parts for part in range(1, parts)]
    cuts = list[list[int]]()
    for artifact, size in zip(inputs, sizes, strict=True):
        cuts.append([0, *np.searchsorted(artifact["sketch_tokens"].all(), limits).tolist(), size])
        artifact["sketch_tokens"].release()
    for part in range(parts):
        tokens, owners = list[Tokens](), list[Rows]()
        for artifact, place, its_cuts in zip(inputs, places, cuts, strict=True):
            now = _owners(artifact, place, artifact["sketch_rows"].cut(*its_cuts[part : part + 2]))
            there = is_first[now]
            tokens.append(artifact["sketch_tokens"].cut(*its_cuts[part : part + 2])[there])
            owners.append(now[there])
            artifact["sketch_tokens"].release()
            artifact["sketch_rows"].release()
        none = Ragged(NO_TOKENS, np.zeros(1, np.int64))
        yield sketch_table(none, np.empty(0, np.int64), np.concatenate(tokens), np.concatenate(owners))


def _signatures_at(inputs: Inputs, places: Sequence[InputRows], rows: Rows) -> Tokens:
    """The signatures of these rows, which ascend."""
    firsts = [place.first for place in places]
    ends = np.searchsorted(rows, [*firsts[1:], np.iinfo(np.int64).max])
    found, begin = list[Tokens](), 0
    for artifact, place, end in zip(inputs, places, ends.tolist(), strict=True):
        found.append(artifact["signatures"].rows(place.of(rows[begin:end])))
        artifact["signatures"].release()
        begin = end
    return np.concatenate(found)
