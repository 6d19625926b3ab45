"""From documents to tokens: shingle, the first stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.batches import batches
from simdocs.corpora.decode import as_utf8
from simdocs.corpora.discover import FileList
from simdocs.corpora.identity import row_digests
from simdocs.corpora.jsonl import Lines
from simdocs.corpora.read_tasks import Files, tasks
from simdocs.engines.run import Run
from simdocs.kernels.tokens import multisets
from simdocs.kernels.tokens.shinglers import normalised_texts, shingled_texts, shingler_of, text_tokens
from simdocs.model.documents import EMPTY, INVALID, SHORT, Documents
from simdocs.model.ragged import Index, Ragged, count_true_in_rows
from simdocs.model.texts import Texts
from simdocs.parameters import Recipe, Shingling
from simdocs.pipeline.reading import Advance, Read, Register, ragged_bytes, read_task


@dataclass(frozen=True, slots=True)
class Shingled:
    """Some documents of a batch: which (ascending), normalised, their tokens (in text order, or as multisets), and how
    many units each has."""

    places: Index
    texts: Texts
    tokens: Ragged
    lengths: Index


def normalised(raws: Sequence[bytes], how: Shingling) -> Iterator[tuple[Index, Texts]]:
    """The normalised texts of documents given as UTF-8 bytes, and which they are: first of those in ASCII, which are
    done faster, then the rest; no more at once than a batch has, though they were unfolded from much less."""
    plain = np.fromiter((raw.isascii() for raw in raws), bool, len(raws))
    for alike in (np.flatnonzero(plain), np.flatnonzero(~plain)):
        for cut in batches([len(raws[place]) for place in alike.tolist()]):
            places = alike[cut.start : cut.stop]
            yield places, normalised_texts(ragged_bytes([raws[place] for place in places.tolist()]), how)


def shingled(raws: Sequence[bytes], how: Shingling) -> Iterator[Shingled]:
    """The tokens of documents given as UTF-8 bytes, in the parts in which they are normalised."""
    for places, texts in normalised(raws, how):
        tokens, lengths = shingled_texts(texts, how)
        yield Shingled(places, texts, multisets.token_multisets(tokens, how.seed) if how.multiset else tokens, lengths)


def note(facts: NDArray[np.void], part: Shingled, k: int) -> None:
    """Write into facts what shingling found out: digest, length in units, flags."""
    facts["length"][part.places] = part.lengths
    facts["digest"][part.places] = row_digests(part.texts.encoded)
    empty, short = part.lengths == 0, part.lengths < k
    facts["flags"][part.places] |= np.where(empty, EMPTY, np.where(short, SHORT, 0)).astype(np.uint32)
    points = part.texts.codepoints
    if part.texts.stride_offsets is not None:
        escaped = points.values >= 0xDC80  # a mask: in a document of such bytes alone, their places would be large
        escaped &= points.values <= 0xDCFF
        facts["flags"][part.places[count_true_in_rows(escaped, points.offsets) > 0]] |= INVALID


def note_sets(facts: NDArray[np.void], places: Index, sets: Ragged) -> None:
    """Write into facts the number of tokens of each set, and its digest."""
    facts["count"][places] = sets.lengths
    facts["set_digest"][places] = row_digests(sets)


def shingle_task(task: Files | Lines, recipe: Recipe) -> tuple[Read, Ragged]:
    """The documents of a task, without their texts, and their token sets."""
    read = read_task(task, recipe.sequences)
    row_of = np.empty(len(read.raws), np.int64)
    parts, done = [], 0
    for part in shingled(read.raws, recipe.shingling):
        note(read.facts, part, recipe.shingling.k)
        row_of[part.places] = done + np.arange(len(part.places))
        done += len(part.places)
        parts.append(multisets.token_sets(part.tokens))
    sets = Ragged.concat(parts, np.uint32).take(row_of)
    note_sets(read.facts, np.arange(len(row_of)), sets)
    read.raws = []
    return read, sets


def shingle(
    found: FileList,
    limit: int,
    recipe: Recipe,
    run: Run,
    take: Callable[[Ragged], None],
) -> Documents:
    """The documents of the files found that could be read, in row order; `take` gets their token sets, batch by batch,
    in the same order. Skips are noted."""
    register, advance = Register(found, run.skipped), Advance(found)
    work = partial(shingle_task, recipe=recipe)
    results = run.engine.map(work, advance.watch(tasks(found, limit, recipe.sequences, run.skipped)))
    for turn, (read, sets) in enumerate(results):
        take(sets.take(register.enter(read, advance.files[turn])))
        run.progress("shingling", advance.bytes[turn], advance.total)
    return register.documents()


_SHOWN = 1 << 12
"""Shingles of a text that are spelt at once."""


def show(data: bytes, how: Shingling) -> Iterator[tuple[str, int]]:
    """Each shingle of one text, in text order, with its token."""
    raw, _ = as_utf8(data)
    texts = normalised_texts(ragged_bytes([raw]), how)
    shingler = shingler_of(how.unit)
    units = shingler.units(texts)
    layout = shingler.layout(texts, units, how)
    tokens = text_tokens(texts, how)
    if how.multiset:
        tokens = multisets.token_multisets(tokens, how.seed)
    for at in range(0, len(tokens.values), _SHOWN):
        firsts, sizes = layout.firsts[at : at + _SHOWN], layout.sizes[at : at + _SHOWN]
        first, stop = int(firsts[0]), int((firsts + sizes).max())
        spans = texts.byte_spans(units.starts[first:stop], units.stops[first:stop])
        spelt = [
            texts.data[a : a + n].tobytes().decode("utf-8", "surrogateescape")
            for a, n in zip(*(span.tolist() for span in spans), strict=True)
        ]
        found = tokens.values[at : at + _SHOWN].tolist()
        for begin, size, token in zip((firsts - first).tolist(), sizes.tolist(), found, strict=True):
            yield shingler.separator.join(spelt[begin : begin + size]), token
