"""The exact join: candidates that certainly contain every pair at the threshold."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from simdocs.corpora.batches import batches
from simdocs.kernels.lsh.rare_prefixes import prefix_tokens, rows_sharing_values, token_frequencies
from simdocs.matching.verify import Verifier
from simdocs.model.numbering import Rows
from simdocs.model.ragged import Ragged
from simdocs.pipeline.reload import Source
from simdocs.pipeline.token_cache import load_token_sets


def rare_token_buckets(verifier: Verifier, firsts: Rows) -> Ragged:
    """Buckets of the documents `firsts`, numbered 0, 1, ..., that share a rare token: Ragged int64.

    Every pair at the threshold shares a bucket. All tokens of these documents are held in memory, 4 bytes each, and
    twice while they are brought together.
    """
    sets = _token_sets(verifier, firsts)
    return rows_sharing_values(prefix_tokens(sets, verifier.threshold, token_frequencies(sets.values)))


def _token_sets(verifier: Verifier, firsts: Rows) -> Ragged:
    cuts = list(batches(verifier.corpus.facts(firsts)["size"].tolist()))

    def tasks() -> Iterator[Source]:
        for cut in cuts:
            ((_, source),) = verifier.corpus.sources(firsts[cut.start : cut.stop])
            yield source

    parts = []
    work = partial(load_token_sets, shingling=verifier.shingling)
    for cut, (part, _, skips) in zip(cuts, verifier.run.engine.map_with_state(work, tasks()), strict=True):
        parts.append(part)
        recorded = verifier.corpus.recorded(firsts[cut.start : cut.stop])
        verifier.looked_for(int(recorded.sum()), verifier.report(skips))
        verifier.run.progress("reading all", cut.stop, len(firsts))
    return Ragged.concat(parts, np.uint32)
