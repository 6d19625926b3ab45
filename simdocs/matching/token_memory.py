"""The memory that an exact join needs, which is compared with what there is before it begins."""

from __future__ import annotations

from dataclasses import dataclass

from simdocs.engines.memory import available_memory
from simdocs.errors import MemoryNeededError
from simdocs.kernels.join.prefix_index import bytes_needed
from simdocs.matching.verify import Verifier
from simdocs.model.numbering import Rows


@dataclass(slots=True)
class TokenMemory:
    """The tokens of the documents of an exact join, as far as they are known, and the bytes that they may take.

    limit: these bytes; None: nobody knows. allowed: whether the user gave the limit. size: bytes of text of all
    documents. counted: how many tokens they have in all, if an artifact says it; otherwise 0.
    """

    verifier: Verifier
    limit: int | None
    allowed: bool
    documents: int
    size: int
    counted: int
    announced: bool = False

    @classmethod
    def of(cls, verifier: Verifier, rows: Rows, most: int | None) -> TokenMemory:
        """The memory for the documents in these rows. most: the bytes that they may take; None: what there is."""
        facts = verifier.corpus.facts(rows)
        counts = facts["count"]
        counted = int(counts.sum()) if counts.all() else 0
        limit = available_memory() if most is None else most
        return cls(verifier, limit, most is not None, len(rows), int(facts["size"].sum()), counted)

    def check(self, tokens: int, size: int) -> None:
        """Compare what is needed with the limit. tokens: how many there are in the first `size` bytes of text.

        Texts that were not read yet are expected to have as many tokens for each byte. MemoryNeededError: it is too
        much.
        """
        expected = self.counted or (tokens * self.size // size if size else tokens)
        needed = bytes_needed(expected, self.documents, self.verifier.threshold)
        if self.limit is not None and needed > self.limit:
            raise MemoryNeededError(self.documents, needed, self.limit, self.allowed)
        if not self.announced:
            left = "" if self.limit is None else f", of {self.limit / 1e6:,.0f} MB"
            self.verifier.run.explain(
                f"comparing {self.documents:,} texts exactly needs about {needed / 1e6:,.0f} MB of memory{left}"
                f" {'allowed' if self.allowed else 'available'}: {expected:,} tokens, and their prefix index"
            )
            self.announced = True
