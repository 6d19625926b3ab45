"""Merge artifacts of one kind: their documents end to end, and their sorted tables into one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from simdocs.artifacts.npy import MappedColumn
from simdocs.engines.engine import Progress, Run, each_band
from simdocs.errors import ArtifactError, UsageError
from simdocs.kernels.buckets import bucket_tables
from simdocs.kernels.fracminhash import sketch_table
from simdocs.model.artifact import Artifact, BandIndex
from simdocs.model.documents import DOCUMENT, FILE, Documents
from simdocs.model.ragged import (
    NO_TOKENS,
    Array,
    ByteStrings,
    GrowingArray,
    GrowingByteStrings,
    Keys,
    Mask,
    Ragged,
    Rows,
    Tokens,
    offsets_of,
)
from simdocs.names import display_name
from simdocs.options.recipes import IndexRecipe, Recipe, SignatureRecipe
from simdocs.pipeline.indexing import BucketCounter, Expectation, same_as
from simdocs.pipeline.signing import token_sets
from simdocs.reading.batches import SeenNames
from simdocs.reading.unchanged import names_of_files

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


def merged_documents(inputs: Inputs, run: Run) -> tuple[Documents, list[int]]:
    """The documents of all inputs, end to end, and the row of the first one of each input.

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
        its_files = documents.files.copy()
        its_files["row"] += before
        files.add(its_files)
        held |= {row + before: data for row, data in documents.held.items()}
        given_names |= {row + before: name for row, name in documents.given_names.items()}
        rows.append(before + len(documents))
        file_numbers.append(file_numbers[-1] + len(its_files))
        called.append(artifact.name)
        for column in artifact.columns.values():
            column.release()
    every = Documents(Ragged(names.all(), ends.all()), facts.all(), files.all(), held, given_names=given_names)
    _refuse_repeated(ByteStrings(every.names), rows, called, "document")
    if (every.facts["container"] > 0).any():  # or else files have the names of their documents
        of_files = GrowingByteStrings()
        for at in range(0, file_numbers[-1], _NAMES_AT_ONCE):
            of_files.add(names_of_files(every, np.arange(at, min(at + _NAMES_AT_ONCE, file_numbers[-1]))))
        _refuse_repeated(of_files.all(), file_numbers, called, "file")
    return every, rows[:-1]


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


def merge_arrays(
    inputs: Inputs, documents: Documents, firsts: Sequence[int], recipe: Recipe, append: Append, run: Run
) -> Expectation | None:
    """Write all arrays but those about the documents. Return what the bands of an index will find.

    documents, firsts: see `merged_documents`. ArtifactError: a block of an input is damaged.
    """
    if not isinstance(recipe, SignatureRecipe):
        append("tokens", NO_TOKENS)
        done = 0
        for artifact in inputs:
            for sets in token_sets(artifact, np.arange(artifact.n_documents), _TOKENS_AT_ONCE):
                append("tokens", sets.values)
                done += len(sets)
                run.progress("merging", done, len(documents))
            artifact["offsets"].release()
        append("offsets", offsets_of(documents.facts["count"]))
        return None
    append("signatures", np.empty((0, recipe.sketching.num_perm), np.uint32))
    for artifact, first in zip(inputs, firsts, strict=True):
        for begin in range(0, artifact.n_documents, _ROWS_AT_ONCE):
            run.progress("merging", first + begin, len(documents))
            append("signatures", artifact["signatures"].cut(begin, min(begin + _ROWS_AT_ONCE, artifact.n_documents)))
            artifact["signatures"].release()
    append("ignored", inputs[0]["ignored"].all())
    if not isinstance(recipe, IndexRecipe):
        return None
    return _merge_tables(inputs, documents, firsts, recipe, append, run.progress)


def _merge_tables(
    inputs: Inputs,
    documents: Documents,
    firsts: Sequence[int],
    recipe: IndexRecipe,
    append: Append,
    progress: Progress,
) -> Expectation:
    of_texts, texts = documents.distinct_texts()
    append("same_as", same_as(of_texts, texts))
    is_first = np.zeros(len(texts), bool)
    is_first[of_texts] = True
    counter = BucketCounter(recipe)
    made = _bands(inputs, firsts, is_first, recipe.banding.bands)
    for keys, rows in each_band(made, recipe.banding.bands, progress):
        counter.add(keys[0], rows[0])
        append("band_keys", keys)
        append("band_rows", rows)
    sketched = 0
    for tokens, owners in _sketches(inputs, firsts, is_first):
        append("sketch_tokens", tokens)
        append("sketch_rows", owners)
        sketched += len(tokens)
    expected = counter.expectation(lambda some: _signatures_at(inputs, firsts, some), len(of_texts))
    return expected._replace(sketched=sketched if recipe.containing.containment else None)


def _bands(inputs: Inputs, firsts: Sequence[int], is_first: Mask, bands: int) -> Iterator[tuple[Keys, Tokens]]:
    """Yield the keys and the rows of the bucket tables of all inputs, for one band after the other: (1, M) each.

    is_first: whether a row is the first of its text in all inputs. Only these are in the tables.
    """
    at_once = max(1, _ENTRIES_AT_ONCE // (len(is_first) + 1))
    for begin in range(0, bands, at_once):
        end = min(begin + at_once, bands)
        keys, owners = ([list[Array]() for _ in range(begin, end)] for _ in range(2))
        for artifact, first in zip(inputs, firsts, strict=True):
            its_keys, then = artifact["band_keys"].cut(begin, end), artifact["band_rows"].cut(begin, end)
            for at in range(end - begin):
                now = first + then[at].astype(np.int64)
                keys[at].append(its_keys[at][is_first[now]])
                owners[at].append(now[is_first[now]])
            artifact["band_keys"].release()
            artifact["band_rows"].release()
        for of_band, its_rows in zip(keys, owners, strict=True):
            # A stable sort finds the parts that ascend already, and merges them.
            yield bucket_tables(np.concatenate(of_band)[np.newaxis], np.concatenate(its_rows))
            of_band.clear()
            its_rows.clear()


def _sketches(inputs: Inputs, firsts: Sequence[int], is_first: Mask) -> Iterator[tuple[Tokens, Tokens]]:
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
        for artifact, first, its_cuts in zip(inputs, firsts, cuts, strict=True):
            now = first + artifact["sketch_rows"].cut(*its_cuts[part : part + 2]).astype(np.int64)
            there = is_first[now]
            tokens.append(artifact["sketch_tokens"].cut(*its_cuts[part : part + 2])[there])
            owners.append(now[there])
            artifact["sketch_tokens"].release()
            artifact["sketch_rows"].release()
        none = Ragged(NO_TOKENS, np.zeros(1, np.int64))
        yield sketch_table(none, np.empty(0, np.int64), np.concatenate(tokens), np.concatenate(owners))


def _signatures_at(inputs: Inputs, firsts: Sequence[int], rows: Rows) -> Tokens:
    """The signatures of these rows, which ascend."""
    ends = np.searchsorted(rows, [*firsts[1:], np.iinfo(np.int64).max])
    found, begin = list[Tokens](), 0
    for artifact, first, end in zip(inputs, firsts, ends.tolist(), strict=True):
        found.append(artifact["signatures"].rows(rows[begin:end] - first))
        artifact["signatures"].release()
        begin = end
    return np.concatenate(found)
