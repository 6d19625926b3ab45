"""All token sets of an exact join in memory, if there is enough of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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

    work = partial(load_token_sets, shingling=verifier.shingling)
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
    memory, read = TokenMemory.of(facts, first, most_memory), offsets_of(facts["size"])
    if memory.counted:
        memory.check(0, 0)
    tokens, lengths = GrowingArray(np.uint32), GrowingArray(np.int64)
    for verifier, rows in parts:
        for _, sets in token_sets(verifier, rows):
            tokens.add(sets.values)
            lengths.add(sets.lengths)
            memory.check(len(tokens), int(read[len(lengths)]))
    return Ragged.from_lengths(tokens.all(), lengths.all())


@dataclass(slots=True)
class TokenMemory:
    """The tokens of the documents of an exact join, as far as they are known, and the bytes that they may take.

    verifier: how they are compared. limit: these bytes; None: nobody knows. allowed: whether the user gave the limit.
    size: bytes of text of all documents. counted: how many tokens they have in all, if an artifact says it; otherwise
    0.
    """

    verifier: Verifier
    limit: int | None
    allowed: bool
    documents: int
    size: int
    counted: int
    announced: bool = False

    @classmethod
    def of(cls, facts: NDArray[np.void], verifier: Verifier, most: int | None) -> TokenMemory:
        """The memory for documents with these facts that are compared like this.

        most: the bytes that they may take; None: what there is.
        """
        counts = facts["count"]
        counted = int(counts.sum()) if counts.all() else 0
        limit = available_memory() if most is None else most
        return cls(verifier, limit, most is not None, len(facts), int(facts["size"].sum()), counted)

    def check(self, tokens: int, size: int) -> None:
        """Compare what is needed with the limit. tokens: how many there are in the first `size` bytes of text.

        Texts that were not read yet are expected to have as many tokens for each byte. MemoryNeededError: it is too
        much.
        """
        expected = self.counted or (tokens * self.size // size if size else tokens)
        needed = self._needed(expected)
        self._compare(needed)
        if not self.announced:
            left = "" if self.limit is None else f", of {shown_memory(self.limit)}"
            texts = "1 text" if self.documents == 1 else f"{self.documents:,} texts"
            self.verifier.run.explain(
                f"comparing {texts} exactly needs about {shown_memory(needed)} of memory{left}"
                f" {'allowed' if self.allowed else 'available'}: {expected:,} tokens, and their prefix index",
                detail=needed < _MUCH,
            )
            self.announced = True

    def check_beside(self, tokens: int, more: int) -> None:
        """Compare with the limit what is needed beside the join, which is in memory. more: bytes.

        tokens: how many the join has. MemoryNeededError: it is too much.
        """
        self._compare(more + (self._needed(tokens) if self.allowed else 0))

    def _needed(self, tokens: int) -> int:
        """The bytes that so many tokens take; and, of a limit that the user gave for everything, the documents."""
        join = _NEEDED[self.verifier.measure](tokens, self.documents, self.verifier.threshold)
        return join + (_DOCUMENT * self.documents if self.allowed else 0)

    def _compare(self, needed: int) -> None:
        if self.limit is not None and needed > self.limit:
            option = "exact" if self.verifier.measure == "jaccard" else "measure"
            raise MemoryNeededError(self.documents, needed, self.limit, self.allowed, option)
