"""The token sets of documents, read again in the workers, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from simdocs.corpora.batches import batches
from simdocs.matching.verification.verify import Verifier
from simdocs.model.numbering import Rows
from simdocs.model.ragged import Ragged
from simdocs.pipeline.reload import Source
from simdocs.pipeline.token_cache import load_token_sets


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
