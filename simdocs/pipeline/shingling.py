"""The first stage, shingle: from documents to tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from simdocs.corpora.decode import as_utf8
from simdocs.corpora.file_list import FileList
from simdocs.corpora.identity import row_digests
from simdocs.corpora.jsonl import Lines
from simdocs.corpora.read_tasks import Files, KeptFiles, KeptLines, Portion, tasks
from simdocs.engines.run import Progress, Run
from simdocs.engines.worker_state import WorkerState, untold
from simdocs.kernels.tokens import multisets
from simdocs.kernels.tokens.shinglers import normalised_texts, shingled_texts, shingler_of, text_tokens
from simdocs.model.byte_strings import joined
from simdocs.model.documents import EMPTY, IGNORED, INVALID, SHORT, Documents
from simdocs.model.ragged import BlockPlaces, Index, Ragged, count_true_in_rows, offsets_of
from simdocs.model.texts import Texts, batches
from simdocs.pipeline.reading import Read, read_task
from simdocs.pipeline.register import Register
from simdocs.pipeline.reuse import Earlier, in_order
from simdocs.recipes import Recipe, Shingling


class Advance:
    """Measures progress while files are read: the numbers of files and bytes that are done with each task."""

    def __init__(self, found: FileList) -> None:
        self._ends = offsets_of(found.sizes)
        self.total = int(self._ends[-1])
        self.files: list[int] = []
        """The number of files that end with each task."""
        self.bytes: list[int] = [0]
        """The number of bytes of files that are done before the first task, and after each."""
        self._taken = 0

    def watch(self, tasks: Iterator[tuple[Portion, int]]) -> Iterator[Portion]:
        """Yield the tasks alone, and note how far each one gets."""
        done = 0
        for task, files in tasks:
            done += files
            within = task.read_to if isinstance(task, Lines | KeptLines) and not files else 0
            before, end = self._ends[[done, min(done + 1, len(self._ends) - 1)]].tolist()
            self.files.append(files)
            self.bytes.append(min(before + within, end))
            yield task

    def take(self) -> int:
        """Count the next task as done. Return the number of files that end with it."""
        self._taken += 1
        return self.files[self._taken - 1]

    def teller(self, step: str, progress: Progress) -> Callable[[float], None]:
        """A function that reports as done: the bytes of all tasks taken, and a share of those of the next one."""

        def tell(share: float) -> None:
            done = self.bytes[self._taken]
            if share:
                done += int(share * (self.bytes[self._taken + 1] - done))
            progress(step, done, self.total)

        return tell


_NORMALISED, _HASHED = 0.2, 0.7
"""The shares of the time of a large document, from its text to its signature, after these two steps. By measurement."""


@dataclass(frozen=True, slots=True)
class Shingled:
    """Some documents of a batch: their places in it, ascending; their normalised texts; and their tokens.

    tokens: in text order, or as multisets. lengths: the number of units of each text.
    """

    places: BlockPlaces
    texts: Texts
    tokens: Ragged
    lengths: NDArray[np.int64]


def normalised(raws: Sequence[bytes], shingling: Shingling) -> Iterator[tuple[BlockPlaces, Texts]]:
    """Yield the normalised texts of documents, given as UTF-8 bytes, with the places of the documents.

    Texts in ASCII come first, because they are normalised faster. At most a batch is yielded at once, though the texts
    may be much larger than the compressed files they come from.
    """
    plain = np.fromiter((raw.isascii() for raw in raws), bool, len(raws))
    for alike in (np.flatnonzero(plain), np.flatnonzero(~plain)):
        for cut in batches([len(raws[place]) for place in alike.tolist()]):
            places = alike[cut.start : cut.stop]
            yield places, normalised_texts(joined([raws[place] for place in places.tolist()]), shingling)


def shingled(raws: Sequence[bytes], shingling: Shingling, tell: Callable[[float], None] = untold) -> Iterator[Shingled]:
    """Yield the tokens of documents, given as UTF-8 bytes, in the parts in which they are normalised.

    tell: is called with the share of the work that is done, which a user sees move within one large document.
    """
    total, before = sum(map(len, raws)) or 1, 0
    for places, texts in normalised(raws, shingling):
        size = sum(len(raws[place]) for place in places.tolist())
        tell((before + _NORMALISED * size) / total)
        tokens, lengths = shingled_texts(texts, shingling)
        if shingling.multiset:
            tokens = multisets.token_multisets(tokens, shingling.seed)
        tell((before + _HASHED * size) / total)
        yield Shingled(places, texts, tokens, lengths)
        before += size


def record_texts(facts: NDArray[np.void], part: Shingled, k: int) -> None:
    """Write digests, lengths and flags into the facts of the documents."""
    facts["length"][part.places] = part.lengths
    facts["digest"][part.places] = row_digests(part.texts.encoded)
    empty, short = part.lengths == 0, part.lengths < k
    facts["flags"][part.places] |= np.where(empty, EMPTY, np.where(short, SHORT, 0)).astype(np.uint32)
    points = part.texts.codepoints
    if part.texts.stride_offsets is not None:
        # This is a mask, because the positions of very many invalid bytes would take much memory.
        escaped = points.values >= 0xDC80
        escaped &= points.values <= 0xDCFF
        facts["flags"][part.places[count_true_in_rows(escaped, points.offsets) > 0]] |= INVALID


def record_sets(facts: NDArray[np.void], places: BlockPlaces, sets: Ragged) -> None:
    """Write the number of tokens of each set and its digest into the facts of the documents at these places."""
    facts["count"][places] = sets.lengths
    facts["set_digest"][places] = row_digests(sets)


def record_ignored(facts: NDArray[np.void], places: BlockPlaces, left: Index) -> None:
    """Write how many tokens of each set are left out into the facts of the documents at these places.

    left: how many tokens are left of each set. The sizes of the sets are in the facts.
    """
    counts = facts["count"][places]
    facts["ignored"][places] = counts - left
    facts["flags"][places] |= np.where((counts > 0) & (left == 0), IGNORED, 0).astype(np.uint32)


def shingle_task(task: Files | Lines, worker: WorkerState, recipe: Recipe) -> tuple[Read, Ragged]:
    """Read the documents of a task. Return them without their texts, and their token sets."""
    read = read_task(task, recipe.sequences)
    row_of = np.empty(len(read.raws), np.int64)
    parts, done = [], 0
    for part in shingled(read.raws, recipe.shingling, worker.tell):
        record_texts(read.facts, part, recipe.shingling.k)
        row_of[part.places] = done + np.arange(len(part.places))
        done += len(part.places)
        parts.append(multisets.token_sets(part.tokens))
    sets = Ragged.concat(parts, np.uint32).take(row_of)
    record_sets(read.facts, np.arange(len(row_of)), sets)
    read.raws = []
    return read, sets


def shingle(
    found: FileList,
    limit: int,
    recipe: Recipe,
    run: Run,
    take: Callable[[Ragged], None],
    earlier: Earlier | None = None,
) -> Documents:
    """Shingle the files found, and return the documents that could be read, in row order.

    take: is called with their token sets, batch by batch, in the same order. The other files are added to skipped.
    earlier: the artifact from which unchanged documents are taken over.
    """
    reuse = None if earlier is None else earlier.reuse(found, recipe, limit, run.skipped)
    unchanged = None if reuse is None else reuse.unchanged
    unread = None
    if unchanged is not None:
        found, unread = unchanged.found, unchanged.unread
    register = Register(found, run.skipped, recipe, unread)
    advance = Advance(found)
    work = partial(shingle_task, recipe=recipe)
    stream = advance.watch(tasks(found, limit, recipe.sequences, register.skip_rest, unchanged))
    tell = advance.teller("shingling", run.progress)
    for result in in_order(run.engine, work, stream, tell):
        if isinstance(result, KeptFiles | KeptLines):
            assert reuse is not None
            kept, old = reuse.take(result)
            for some in reuse.token_sets(old[register.enter(kept, advance.take(), old)]):
                take(some)
            continue
        read, sets = result
        old_rows = None
        if reuse is not None and len(read.known):
            old_rows = reuse.fill(read, register.files_done)
            known = list(reuse.token_sets(old_rows[read.known]))
            order = np.arange(len(read.places))
            order[read.known] = len(order) + np.arange(len(read.known))
            sets = Ragged.concat([sets, *known], np.uint32).take(order)
        take(sets.take(register.enter(read, advance.take(), old_rows)))
        tell(0)
    return register.documents()


_SHOWN = 1 << 12
"""Shingles of a text that are decoded at once."""


def show(data: bytes, shingling: Shingling) -> Iterator[tuple[str, int]]:
    """Yield each shingle of one text, in text order, with its token. data: as it was read."""
    raw, _ = as_utf8(data)
    yield from spelled_shingles(raw, shingling)


def spelled_shingles(raw: bytes, shingling: Shingling) -> Iterator[tuple[str, int]]:
    """Yield each shingle of one text, in text order, with its token. raw: UTF-8."""
    texts = normalised_texts(joined([raw]), shingling)
    shingler = shingler_of(shingling.unit)
    units = shingler.units(texts, shingling)
    layout = shingler.layout(texts, units, shingling)
    tokens = text_tokens(texts, shingling)
    if shingling.multiset:
        tokens = multisets.token_multisets(tokens, shingling.seed)
    for at in range(0, len(tokens.values), _SHOWN):
        firsts, sizes = layout.firsts[at : at + _SHOWN], layout.sizes[at : at + _SHOWN]
        first, stop = int(firsts[0]), int((firsts + sizes).max())
        spans = texts.byte_spans(units.starts[first:stop], units.stops[first:stop])
        decoded = [
            texts.data[a : a + n].tobytes().decode("utf-8", "surrogateescape")
            for a, n in zip(*(span.tolist() for span in spans), strict=True)
        ]
        found = tokens.values[at : at + _SHOWN].tolist()
        for begin, size, token in zip((firsts - first).tolist(), sizes.tolist(), found, strict=True):
            yield shingler.separator.join(decoded[begin : begin + size]), token
