"""The documents of an index that are nearly the same as given ones, with what is said about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from simdocs.commands.resolve import Resolved
from simdocs.commands.searching import name_rows, names_for, pair_rows, summary_of
from simdocs.engines.engine import Run
from simdocs.kernels.banding import threshold_warning, unknown_recall
from simdocs.matching.containing import find_containing
from simdocs.matching.corpus import read_corpus
from simdocs.matching.lookup import Lookup, MatchBlock, find_matches, index_of
from simdocs.matching.nearest import find_nearest
from simdocs.matching.verify import Verifier
from simdocs.model.documents import EMPTY, SHORT, Documents
from simdocs.model.figures import counted
from simdocs.model.groups import ContainedPairs, Pairs, SimilarPairs
from simdocs.model.ragged import distinct
from simdocs.model.result import GROUPED, NAME, NAMES, SIMILARITY, Row, Table, table_head
from simdocs.pipeline.again import outdated_warnings

MATCHES = table_head(GROUPED, query=NAME, match=NAME, jaccard=SIMILARITY, estimate=SIMILARITY)
CONTAINING = MATCHES.but(GROUPED, containment=SIMILARITY)


def matches(plan: Resolved[Any], run: Run) -> SimilarPairs:
    """Every document with its matches: in the order given, then by falling similarity, then by name.

    If the answer is drawn, the result does not hold it. With a list, the answer has only the names of all matches, each
    once, in the order of the index.
    """
    indexed, wanted = plan.known, plan.options
    assert indexed is not None
    listing, nearest, contained = wanted.list, wanted.nearest or 0, wanted.measure == "containment"
    by_sketch = contained and plan.recipe.containing.containment and not wanted.exact
    asked = read_corpus(plan.intake, plan.recipe, run) if plan.changed is None else indexed.select(plan.changed)
    documents = asked.documents
    if plan.changed is not None:  # those of an index in memory have the names that they were given
        given = index_of(indexed).given_names
        named = {at: given[row] for at, row in enumerate(plan.changed.tolist()) if row in given}
        documents = replace(documents, given_names=named)
    names = names_for(run, documents, indexed)
    kind, head = (ContainedPairs, CONTAINING) if contained else (Pairs, MATCHES)
    held = [kind.empty()]
    found = matched = similar = left_out = 0

    def blocks() -> Iterator[MatchBlock]:
        nonlocal found, matched, similar, left_out
        exact = wanted.verify == "exact"
        verifier = Verifier(indexed, plan.options.threshold, run, exact=exact, no_prefilter=wanted.exact)
        for block in _blocks(Lookup(verifier, asked, wanted.top or 0, wanted.itself), wanted, by_sketch=by_sketch):
            found += len(block.pairs)
            left_out += block.left_out
            similar += int(np.count_nonzero(block.pairs.score >= plan.options.threshold))
            matched += len(distinct(block.pairs.left))
            yield block

    def names_of_matches() -> Iterator[list[Row]]:
        every = [np.empty(0, np.int64), *(distinct(block.matches) for block in blocks())]
        yield from name_rows(indexed, distinct(np.concatenate(every)), names)

    if run.draw is None:
        held += (replace(block.pairs, left=block.asked, right=block.matches) for block in blocks())
    elif listing is not None:
        run.draw(Table(NAMES, names_of_matches))
    else:
        run.draw(Table(head, lambda: (rows for each in blocks() for rows in pair_rows(each.corpus, each.pairs, names))))
    run.skipped.warnings += outdated_warnings(run, indexed.index)
    if plan.banding is not None:
        run.skipped.warnings += unknown_recall(plan.recipe)
        run.skipped.warnings += threshold_warning(plan.options.threshold, plan.banding)
    pairs, both = kind.concat(held), indexed.select(np.arange(len(indexed))).followed_by(asked)
    advice = () if found else tuple(_nothing_found(asked.documents, plan))
    counts = {"indexed": len(indexed)} | ({"nearest": nearest, "copies_left_out": left_out} if nearest else {})
    counts |= {"compared_with_all": run.tally.undecided} if by_sketch else {}
    counts |= {"matches": found, "matched": matched}
    beside = f", against {counted(len(indexed), 'document')}"
    summary = summary_of(plan, asked, documents, run, counts, advice, _outcome, beside)
    in_both = replace(pairs, left=len(indexed) + pairs.left)
    return SimilarPairs(
        "query",
        Table(head, lambda: pair_rows(both, in_both, names)),
        pairs,
        lists={"matches": Table(NAMES, lambda: name_rows(both, distinct(pairs.right), names))},
        is_found=similar > 0,
        **summary,
    )


def _blocks(lookup: Lookup, wanted: Any, *, by_sketch: bool) -> Iterator[MatchBlock]:
    """All matches, some documents at a time."""
    if wanted.nearest is not None:
        return find_nearest(lookup, wanted.nearest, exact=wanted.exact, all_copies=wanted.all_copies)
    if wanted.measure == "containment":
        return find_containing(lookup, by_sketch=by_sketch)
    return find_matches(lookup, exact=wanted.exact, most_memory=wanted.max_memory)


def _outcome(facts: Mapping[str, Any], seconds: float) -> Iterator[str]:
    found, left_out = facts["matches"], facts.get("copies_left_out", 0)
    matches = f"{counted(found, 'match', 'matches')} for {counted(facts['matched'], 'document')}"
    yield f"{matches if found else 'no matches'}, in {seconds:.2f} s"
    if left_out:
        more = "1 more match is a copy" if left_out == 1 else f"{left_out:,} more matches are copies"
        yield f"{more} of these (--all-copies lists every copy)"


def _nothing_found(asked: Documents, plan: Resolved[Any]) -> Iterator[str]:
    """Yield why nothing matches, if documents have too little text; or what else to ask."""
    empty, short = asked.flagged(EMPTY), asked.flagged(SHORT)
    if empty:
        yield counted(empty, "document is empty, so it matches", "documents are empty, so they match") + " nothing"
    if short:
        shorter = f"{counted(short, 'document is', 'documents are')} shorter than a shingle"
        they = "it has" if short == 1 else "they have"
        yield f"{shorter} (-k {plan.recipe.shingling.k}): {they} no match but documents with the same text"
