"""The exact join: candidates among which every pair at the threshold is, with no chance of missing one."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from simdocs.corpora.batches import batches
from simdocs.kernels.lsh.rare_prefixes import prefix_tokens, rows_sharing_values, token_frequencies
from simdocs.matching.verify import Verifier
from simdocs.model.ragged import Index, Ragged
from simdocs.pipeline.reload import Source
from simdocs.pipeline.token_cache import load_token_sets


def every_candidate(judge: Verifier, firsts: Index) -> Ragged:
    """The buckets of documents `firsts`, numbered 0, 1, ..., that share a rare token: every pair at the threshold
    stands in one of them. Holds all tokens of these documents in memory, 4 bytes each, and once more while they come
    together."""
    sets = _sets(judge, firsts)
    return rows_sharing_values(prefix_tokens(sets, judge.threshold, token_frequencies(sets.values)))


def _sets(judge: Verifier, firsts: Index) -> Ragged:
    sizes = judge.corpus.facts(firsts)["size"].tolist()
    cuts = list(batches(sizes))

    def tasks() -> Iterator[Source]:
        for cut in cuts:
            rows = firsts[cut.start : cut.stop]
            ((_, source),) = judge.corpus.sources(rows)
            yield source

    parts = []
    work = partial(load_token_sets, shingling=judge.how)
    for cut, (part, _, skips) in zip(cuts, judge.run.engine.map_with_state(work, tasks()), strict=True):
        parts.append(part)
        judge.note(skips)
        judge.run.progress("reading all", cut.stop, len(firsts))
    return Ragged.concat(parts, np.uint32)
