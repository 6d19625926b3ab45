"""All token sets of an exact join in memory, if there is enough of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from simdocs.engines.run import available_memory
from simdocs.errors import MemoryNeededError, shown_memory
from simdocs.kernels.join import containment_index, prefix_index
from simdocs.matching.verification.verify import Verifier
from simdocs.model.byte_strings import GrowingArray
from simdocs.model.ragged import Ragged, Rows, offsets_of
from simdocs.model.texts import batches
from simdocs.pipeline.reload import Source, load_token_sets


def token_sets(verifier: Verifier, rows: Rows) -> Iterator[tuple[int, Ragged]]:
    """Yield the token sets of these rows of the verifier's corpus, in order: Ragged uint32, and the place of its first.

    The set of a document that is missing or has changed is empty, and the document is reported.
    """
    cuts = list(batches(verifier.corpus.facts(rows)["size"].tolist()))

    def tasks() -> Iterator[Source]:
        for cut in cuts:
            ((_, source),) = verifier.corpus.sources(rows[cut.start : cut.stop])
            yield source

    work = partial(load_token_sets, shingling=verifier.corpus.recipe.shingling)
    for cut, (sets, _, skips) in zip(cuts, verifier.run.engine.map_with_state(work, tasks()), strict=True):
        recorded = verifier.corpus.recorded(rows[cut.start : cut.stop])
        verifier.looked_for(int(recorded.sum()), verifier.report(skips))
        yield cut.start, sets
        verifier.run.progress("reading all", cut.stop, len(rows))


_NEEDED = {"jaccard": prefix_index.bytes_needed, "containment": containment_index.bytes_needed}
"""How many bytes an exact join takes, by what is compared with the threshold."""


_DOCUMENT = 1000
"""Bytes of a document beside its tokens: its facts, name and signature, and its place in buckets."""

_MUCH = 1 << 26
"""Bytes that are worth a line at a terminal: 64 MiB."""


def held_sets(parts: Sequence[tuple[Verifier, Rows]], most_memory: int | None) -> Ragged:
    """The token sets of these documents of the corpus of each verifier, end to end: Ragged uint32.

    Documents that are missing or have changed are reported, and have empty sets. The verifiers have one run, and
    compare the same with one threshold. most_memory: the bytes that an exact join of these documents may take; None:
    what there is. MemoryNeededError: that is not enough.
    """
    facts = np.concatenate([verifier.corpus.facts(rows) for verifier, rows in parts])
    first, _ = parts[0]
    memory, read = TokenMemory(facts, first, most_memory), offsets_of(facts["size"])
    if memory.counted:
        memory.check(0, 0)
    tokens, lengths = GrowingArray(np.uint32), GrowingArray(np.int64)
    for verifier, rows in parts:
        for _, sets in token_sets(verifier, rows):
            tokens.add(sets.values)
            lengths.add(sets.lengths)
            memory.check(len(tokens), int(read[len(lengths)]))
    return Ragged.from_lengths(tokens.all(), lengths.all())


class TokenMemory:
    """The tokens of the documents of an exact join, as far as they are known, and the bytes that they may take.

    counted: how many tokens there are in all, if an artifact says it; otherwise 0.
    """

    def __init__(self, facts: NDArray[np.void], verifier: Verifier, most: int | None) -> None:
        """facts: those of the documents, which the verifier compares. most: the bytes that they may take; None: what
        there is.
        """
        counts = facts["count"]
        self.counted = int(counts.sum()) if counts.all() else 0
        self._verifier, self._documents, self._size = verifier, len(facts), int(facts["size"].sum())
        self._limit, self._is_given = available_memory() if most is None else most, most is not None
        self._is_announced = False

    def check(self, tokens: int, size: int) -> None:
        """Compare what is needed with the limit. tokens: how many there are in the first `size` bytes of text.

        Texts that were not read yet are expected to have as many tokens for each byte. MemoryNeededError: it is too
        much.
        """
        expected = self.counted or (tokens * self._size // size if size else tokens)
        needed = self._needed(expected)
        self._compare(needed)
        if not self._is_announced:
            left = "" if self._limit is None else f", of {shown_memory(self._limit)}"
            texts = "1 text" if self._documents == 1 else f"{self._documents:,} texts"
            self._verifier.run.explain(
                f"comparing {texts} exactly needs about {shown_memory(needed)} of memory{left}"
                f" {'allowed' if self._is_given else 'available'}: {expected:,} tokens, and their prefix index",
                detail=needed < _MUCH,
            )
            self._is_announced = True

    def check_beside(self, tokens: int, more: int) -> None:
        """Compare with the limit what is needed beside the join, which is in memory. more: bytes.

        tokens: how many the join has. MemoryNeededError: it is too much.
        """
        self._compare(more + (self._needed(tokens) if self._is_given else 0))

    def _needed(self, tokens: int) -> int:
        """The bytes that so many tokens take; and, of a limit that the user gave for everything, the documents."""
        join = _NEEDED[self._verifier.measure](tokens, self._documents, self._verifier.threshold)
        return join + (_DOCUMENT * self._documents if self._is_given else 0)

    def _compare(self, needed: int) -> None:
        if self._limit is not None and needed > self._limit:
            option = "exact" if self._verifier.measure == "jaccard" else "measure"
            raise MemoryNeededError(self._documents, needed, self._limit, self._is_given, option)
