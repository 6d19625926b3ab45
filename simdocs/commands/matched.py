"""The documents of an index that are nearly the same as given ones, with what is said about them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from simdocs.commands.blocks import (
    PrintedNames,
    given_names_of,
    name_blocks,
    names_of_pairs,
    shown_pairs,
)
from simdocs.commands.resolve import Resolved
from simdocs.corpora.containers.recognise import looking_like
from simdocs.engines.run import Run
from simdocs.kernels.banding import least_probability, threshold_warning
from simdocs.kernels.buckets import equal_runs
from simdocs.matching.containing import find_containing
from simdocs.matching.corpus import Corpus
from simdocs.matching.index_matches import Lookup, MatchBlock, PairsOnce, find_matches
from simdocs.matching.lookup import index_of
from simdocs.matching.nearest import find_nearest
from simdocs.matching.preparing import prepare, unknown_recall
from simdocs.matching.verify import Verifier, outdated_warnings
from simdocs.model.answers import NAMES, Block
from simdocs.model.documents import EMPTY, SHORT, Documents
from simdocs.model.figures import counted
from simdocs.model.groups import ContainedPairs, Pairs
from simdocs.model.matches import Matches
from simdocs.model.ragged import Ragged, Rows, distinct
from simdocs.model.search_result import CONTAINING, MATCHES, SearchFacts
from simdocs.options.answers import Grouping
from simdocs.options.recipes import Banding


def _contained(plan: Resolved[Any]) -> bool:
    """Whether documents of the index that contain the others are found, instead of similar ones."""
    return bool(plan.options.measure == "containment")


def _searched_by(plan: Resolved[Any]) -> Banding | None:
    """The bands by which candidates are found, if they are found by bands."""
    return None if _contained(plan) or plan.options.exact else plan.banding


def _by_sketch(plan: Resolved[Any]) -> bool:
    """Whether candidates are found by the sketch of the index."""
    return _contained(plan) and plan.recipe.containing.containment and not plan.options.exact


def matches(plan: Resolved[Any], run: Run) -> Matches:
    """Every document with its matches: in the order given, then by falling similarity, then by name.

    If the answer is taken in blocks, the result does not hold it. With a list, the answer has only the names
    of all matches, each once, in the order of the index.
    """
    indexed, wanted, delivery = plan.known, plan.options, run.delivery
    assert indexed is not None
    listing, nearest = wanted.list, wanted.nearest or 0
    asked = prepare(plan.intake, plan.recipe, run) if plan.changed is None else indexed.select(plan.changed)
    kind, head = (ContainedPairs, CONTAINING) if _contained(plan) else (Pairs, MATCHES)
    held, names, listed = [kind.empty()], [names_of_pairs(indexed, kind.empty())], list[Rows]()
    printed = PrintedNames(run.skipped)
    found = matched = similar = short = left_out = 0
    take, once = delivery.take, None
    if take is not None:
        take(Block(NAMES if listing is not None else head, []))
    if plan.changed is not None and not _contained(plan) and listing is None:
        once = PairsOnce(plan.changed, index_of(indexed)["same_as"].all(), wanted.top or 0, nearest=nearest > 0)
    top = (wanted.top or 0) if once is None else 0
    for every in _blocks(plan, indexed, asked, top, run):
        block = every if once is None else once.without_repeats(every)
        found += len(block.pairs)
        left_out += block.left_out
        similar += int(np.count_nonzero(block.pairs.score >= plan.threshold))
        matched += len(distinct(every.pairs.left))
        short += shorter_than_matches(every, plan.threshold) if nearest else 0
        if take is None:
            held.append(replace(block.pairs, left=block.asked, right=block.matches))
            names.append(names_of_pairs(block.corpus, block.pairs))
        elif listing is not None:
            listed.append(distinct(block.matches))
        else:
            for named in shown_pairs(block.corpus, block.pairs, head, printed):
                take(named)
    if take is not None and listed:
        for part in name_blocks(indexed, distinct(np.concatenate(listed)), printed):
            take(part)
    left, right = (Ragged.concat([each[side] for each in names], np.uint8) for side in (0, 1))
    run.skipped.warnings += _warnings(plan, run)
    documents, given = asked.documents, given_names_of(plan.known)
    if plan.changed is not None and given:
        now = {at: given[row] for at, row in enumerate(plan.changed.tolist()) if row in given}
        documents = replace(documents, given_names=now)
    return Matches(
        documents=documents,
        pairs=kind.concat(held),
        names=(left, right),
        comparison=_facts(plan, asked, run),
        indexed=len(indexed),
        found=found,
        matched=matched,
        similar=similar,
        nearest=nearest,
        index_names=given,
        advice=tuple(_excerpts(short, nearest) if found else _nothing_found(asked.documents, plan)),
        left_out=left_out,
    )


def _blocks(plan: Resolved[Any], indexed: Corpus, asked: Corpus, top: int, run: Run) -> Iterator[MatchBlock]:
    """All matches, some documents at a time."""
    wanted, exact, verify = plan.options, plan.options.exact, plan.options.verify
    verifier = Verifier(indexed, plan.threshold, run, exact=verify == "exact", no_prefilter=exact)
    lookup = Lookup(verifier, asked, top, wanted.itself)
    if wanted.nearest is not None:
        return find_nearest(lookup, wanted.nearest, exact=exact, all_copies=wanted.all_copies)
    if _contained(plan):
        return find_containing(lookup, by_sketch=_by_sketch(plan))
    return find_matches(lookup, exact=exact, most_memory=plan.options.max_memory)


def _facts(plan: Resolved[Any], asked: Corpus, run: Run) -> SearchFacts:
    """The parameters and counts of the search."""
    banding = _searched_by(plan)
    return SearchFacts(
        documents=asked.documents,
        recipe=plan.recipe,
        walking=plan.intake.walking,
        grouping=Grouping.of(plan.options.fields()),
        banding=banding,
        threshold=plan.threshold,
        probability=_probability(plan),
        candidates=run.tally.candidates,
        verified=run.tally.verified,
        skipped=run.skipped,
        changed=None if plan.changed is None else len(plan.changed),
        measure=plan.options.measure,
        ignored=len(plan.intake.ignored),
        undecided=run.tally.undecided if _by_sketch(plan) else None,
        looks_like=tuple(looking_like(asked.documents)),
    )


def _warnings(plan: Resolved[Any], run: Run) -> Iterator[str]:
    """Yield what to know before trusting the answer."""
    yield from outdated_warnings(run, None if plan.known is None else plan.known.index)
    banding = _searched_by(plan)
    if banding is not None:
        yield from unknown_recall(plan.recipe)
    if banding is not None and plan.options.nearest is None:
        yield from threshold_warning(plan.threshold, banding)


def _probability(plan: Resolved[Any]) -> float:
    """The least with which a pair at the threshold becomes a candidate."""
    if _by_sketch(plan):
        return float(plan.recipe.banding.recall)
    if _contained(plan) or plan.options.exact:
        return 1.0
    return least_probability(plan.threshold, *plan.recipe.banding.cut)


def excerpt_advice(asked: Documents, plan: Resolved[Any]) -> Iterator[str]:
    """Yield advice if documents are too much shorter than those of the index to be similar to any."""
    sizes = plan.known.all_facts()["size"] if plan.known is not None else ()
    if _contained(plan) or plan.options.nearest or not len(asked) or not len(sizes):
        return
    if 0 < asked.facts["size"].max() < plan.threshold * np.median(sizes):
        yield (
            "these documents are shorter than most of the index, so few can be similar to them: --measure"
            " containment finds documents that contain them"
        )


def shorter_than_matches(block: MatchBlock, threshold: float) -> int:
    """How many documents asked about have no similar match, and are less than half as long as most of their matches.

    Sizes are bytes of text. threshold: from which similarity on a match is similar.
    """
    pairs = block.pairs
    if not len(pairs):
        return 0
    begins, counts = equal_runs(pairs.left)
    asked, found = (block.corpus.facts(rows)["size"] for rows in (pairs.left, pairs.right))
    shorter = np.add.reduceat(2 * asked < found, begins, dtype=np.int64)
    return int(np.count_nonzero((2 * shorter > counts) & (pairs.score[begins] < threshold)))


def _excerpts(short: int, nearest: int) -> Iterator[str]:
    """Yield advice if documents are much shorter than their nearest ones. short: the number of such documents."""
    if short:
        documents, they = counted(short, "document is", "documents are"), "it" if short == 1 else "them"
        yield (
            f"{documents} much shorter than the texts that are most similar: use --measure containment --top {nearest}"
            f" instead of --nearest {nearest} to find"
            f" documents that contain {they}"
        )


def _nothing_found(asked: Documents, plan: Resolved[Any]) -> Iterator[str]:
    """Yield why nothing matches, if documents have too little text; or what else to ask."""
    empty, short = asked.flagged(EMPTY), asked.flagged(SHORT)
    if empty:
        yield counted(empty, "document is empty, so it matches", "documents are empty, so they match") + " nothing"
    if short:
        shorter = f"{counted(short, 'document is', 'documents are')} shorter than a shingle"
        they = "it has" if short == 1 else "they have"
        k = f"-k {plan.recipe.shingling.k}"
        yield f"{shorter} ({k}): {they} no match but documents with the same text"
    if empty + short < len(asked):
        if plan.options.nearest and not plan.options.exact:
            yield "no signature in the index is like one of these documents: --exact compares with every document"
        yield from excerpt_advice(asked, plan)
