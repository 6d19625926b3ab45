"""query: find the documents of an index that are nearly the same as given ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from simdocs.commands.artifact_hints import explain_no_index, explain_order
from simdocs.commands.blocks import (
    PrintedNames,
    head_of_pairs,
    name_blocks,
    names_of_pairs,
    pair_differences,
    shown_pairs,
)
from simdocs.commands.ignoring import ignored_of, refuse_other_tokens
from simdocs.commands.resolve import encoded_root, intake_of, opened_index, opened_shingles
from simdocs.corpora.containers.recognise import looking_like
from simdocs.engines.run import Run
from simdocs.errors import mention
from simdocs.kernels.lsh.banding import least_probability
from simdocs.kernels.lsh.buckets import equal_runs
from simdocs.matching.corpus import Corpus
from simdocs.matching.lookup.containing import find_containing
from simdocs.matching.lookup.index_matches import Lookup, MatchBlock, PairsOnce, find_matches
from simdocs.matching.lookup.nearest import find_nearest
from simdocs.matching.preparing import of_same_documents, prepare, threshold_warning
from simdocs.matching.verification.verify import Verifier, outdated_warnings
from simdocs.model.answers import NAMES, Block, Delivery
from simdocs.model.artifact import BandIndex, Shingles
from simdocs.model.documents import EMPTY, SHORT, Documents
from simdocs.model.groups import ContainedPairs, Pairs
from simdocs.model.matches import Matches
from simdocs.model.ragged import Ragged, Rows, distinct
from simdocs.model.search_result import CONTAINING, MATCHES, SearchFacts
from simdocs.parameters import PARAMETERS
from simdocs.parameters.answers import Grouping
from simdocs.parameters.recipes import Banding, IndexRecipe
from simdocs.parameters.texts import Sequences
from simdocs.pipeline.prepare import Intake
from simdocs.requests.checked_request import containment_instead
from simdocs.requests.search_requests import QueryRequest


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """What is looked up in which index.

    measure: what is compared with the threshold. top: the largest number of matches for each document (0: all).
    itself: a document that is in the index matches itself, too. nearest: the number of most similar documents to find,
    whatever the threshold (0: find those at the threshold). shingles: token sets of the index's documents, for
    verification. root: the directory from which these documents are found. changed: the documents of the index that are
    looked up; None: those of the intake are. exact: find every match, by an exact join. most_memory: the bytes that it
    may take; None: what there is. all_copies: list every copy of the most similar texts.
    """

    index: BandIndex
    recipe: IndexRecipe
    intake: Intake
    threshold: float
    measure: str = "jaccard"
    by_exact: bool = True
    top: int = 0
    itself: bool = False
    nearest: int = 0
    shingles: Shingles | None = None
    root: bytes | None = None
    changed: Rows | None = None
    exact: bool = False
    most_memory: int | None = None
    all_copies: bool = False

    @property
    def contained(self) -> bool:
        """Whether documents of the index that contain the others are found, instead of similar ones."""
        return self.measure == "containment"

    @property
    def searched_by(self) -> Banding | None:
        """The bands by which candidates are found, if they are found by bands."""
        return None if self.contained or self.exact else self.recipe.banding

    @property
    def by_sketch(self) -> bool:
        """Whether candidates are found by the sketch of the index."""
        return self.contained and self.index.recipe.containing.containment and not self.exact


def answer(request: QueryRequest, run: Run, delivery: Delivery) -> Matches:
    """The matches that a request asks for."""
    return query(plan_query(request, delivery.outputs), run, delivery, request.list)


def plan_query(request: QueryRequest, outputs: Sequence[str | None] = ()) -> QueryPlan:
    """The plan for a request.

    UsageError: there are documents where the index is needed. ArtifactError, InputError: an artifact cannot be opened,
    or does not fit the index, or the index does not say which of its documents are new or changed.
    """
    explain_order(request)
    explain_no_index(request.index)
    index = opened_index(request.index)
    recipe = index.recipe
    changed = index.news(renamed=bool(request.renamed)) if request.changed else None
    intake = Intake(outputs=outputs) if request.changed else intake_of(request, outputs)
    if intake.artifact is not None:
        refuse_other_tokens(intake.artifact, index)
        recipe = recipe.but(sequences=intake.artifact.recipe.sequences)
    else:
        given = request.given()
        sequences = {name: given[name] for name in Sequences.parameters if name in given}
        recipe = recipe.but(sequences=recipe.sequences.but(**sequences))
    intake = replace(intake, ignored=ignored_of(index))
    sets = None if request.shingles is None else opened_shingles(request.shingles)
    assert request.root is None or isinstance(request.root, bytes)
    verify = request.verify or PARAMETERS["verify"].default
    return QueryPlan(
        index,
        recipe,
        intake,
        request.threshold or recipe.banding.threshold,
        request.measure or PARAMETERS["measure"].default,
        verify == "exact",
        request.top or 0,
        bool(request.itself),
        request.nearest or 0,
        sets,
        encoded_root(request.root),
        changed,
        bool(request.exact),
        request.max_memory,
        bool(request.all_copies),
    )


def query(plan: QueryPlan, run: Run, delivery: Delivery, listing: str | None = None) -> Matches:
    """Every document with its matches: in the order given, then by falling similarity, then by name.

    delivery: if it takes the answer in blocks, the result does not hold it. listing: `matches` gives only the names of
    all matches, each once, in the order of the index.
    """
    sets = of_same_documents(plan.shingles, plan.index)
    indexed = Corpus.of_artifact(plan.index, sets=sets, root=plan.root)
    asked = prepare(plan.intake, plan.recipe, run) if plan.changed is None else indexed.select(plan.changed)
    kind, head = (ContainedPairs, CONTAINING) if plan.contained else (Pairs, MATCHES)
    held, names, listed = [kind.empty()], [names_of_pairs(indexed, kind.empty())], list[Rows]()
    printed, differences = PrintedNames(run.skipped), pair_differences(delivery, run)
    found = matched = similar = short = left_out = 0
    take, once = delivery.take, None
    if take is not None:
        take(Block(NAMES if listing is not None else head_of_pairs(head, differences), []))
    if plan.changed is not None and not plan.contained and listing is None:
        once = PairsOnce(plan.changed, plan.index["same_as"].all(), plan.top, nearest=bool(plan.nearest))
    for every in _blocks(plan if once is None else replace(plan, top=0), indexed, asked, run):
        block = every if once is None else once.without_repeats(every)
        found += len(block.pairs)
        left_out += block.left_out
        similar += int(np.count_nonzero(block.pairs.score >= plan.threshold))
        matched += len(distinct(every.pairs.left))
        short += shorter_than_matches(every, plan.threshold) if plan.nearest else 0
        if take is None:
            held.append(replace(block.pairs, left=block.asked, right=block.matches))
            names.append(names_of_pairs(block.corpus, block.pairs))
        elif listing is not None:
            listed.append(distinct(block.matches))
        else:
            for named in shown_pairs(block.corpus, block.pairs, head, printed, differences):
                take(named)
    if take is not None and listed:
        for part in name_blocks(indexed, distinct(np.concatenate(listed)), printed):
            take(part)
    left, right = (Ragged.concat([each[side] for each in names], np.uint8) for side in (0, 1))
    run.skipped.warnings += _warnings(plan, run)
    return Matches(
        documents=asked.documents,
        pairs=kind.concat(held),
        names=(left, right),
        comparison=_facts(plan, asked, run),
        indexed=len(indexed),
        found=found,
        matched=matched,
        similar=similar,
        nearest=plan.nearest,
        advice=tuple(_excerpts(short, plan.nearest) if found else _nothing_found(asked.documents, plan)),
        left_out=left_out,
    )


def _blocks(plan: QueryPlan, indexed: Corpus, asked: Corpus, run: Run) -> Iterator[MatchBlock]:
    """All matches, some documents at a time."""
    verifier = Verifier(indexed, plan.threshold, run, exact=plan.by_exact, no_prefilter=plan.exact)
    lookup = Lookup(verifier, asked, plan.top, plan.itself)
    if plan.nearest:
        return find_nearest(lookup, plan.nearest, exact=plan.exact, all_copies=plan.all_copies)
    if plan.contained:
        return find_containing(lookup, by_sketch=plan.by_sketch)
    return find_matches(lookup, exact=plan.exact, most_memory=plan.most_memory)


def _facts(plan: QueryPlan, asked: Corpus, run: Run) -> SearchFacts:
    """What was looked up, and how."""
    banding = plan.searched_by
    return SearchFacts(
        documents=asked.documents,
        recipe=plan.recipe,
        walking=plan.intake.walking,
        grouping=Grouping(verify="exact" if plan.by_exact else "estimate", exact=plan.exact),
        banding=banding,
        bands=None if banding is None else banding.cut,
        threshold=plan.threshold,
        probability=_probability(plan),
        candidates=run.tally.candidates,
        verified=run.tally.verified,
        skipped=run.skipped,
        changed=None if plan.changed is None else len(plan.changed),
        measure=plan.measure,
        ignored=len(plan.intake.ignored),
        undecided=run.tally.undecided if plan.by_sketch else None,
        looks_like=tuple(looking_like(asked.documents, plain=plan.recipe.sequences.plain)),
    )


def _warnings(plan: QueryPlan, run: Run) -> Iterator[str]:
    """Yield what to know before trusting the answer."""
    yield from outdated_warnings(run, plan.index)
    if plan.searched_by is not None and not plan.nearest:
        yield from threshold_warning(plan.threshold, plan.searched_by)


def _probability(plan: QueryPlan) -> float:
    """The least with which a pair at the threshold becomes a candidate."""
    if plan.by_sketch:
        return plan.recipe.banding.recall
    if plan.contained or plan.exact:
        return 1.0
    return least_probability(plan.threshold, *plan.recipe.banding.cut)


def excerpt_advice(asked: Documents, plan: QueryPlan) -> Iterator[str]:
    """Yield what else to ask if the documents are so much shorter than those of the index that none can be similar."""
    sizes = plan.index.facts.all()["size"]
    if plan.contained or plan.nearest or not len(asked) or not len(sizes):
        return
    if 0 < asked.facts["size"].max() < plan.threshold * np.median(sizes):
        yield (
            f"these documents are shorter than most of the index, so few can be similar to them: {mention('measure')}"
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
    """Yield what else to ask if documents are much shorter than their nearest ones. short: how many are."""
    if short:
        document, they = ("1 document is", "it") if short == 1 else (f"{short:,} documents are", "them")
        yield (
            f"{document} much shorter than the texts that are most similar: {containment_instead(nearest)} to find"
            f" documents that contain {they}"
        )


def _nothing_found(asked: Documents, plan: QueryPlan) -> Iterator[str]:
    """Yield why nothing matches, if documents have too little text; or what else to ask."""
    empty, short = asked.flagged(EMPTY), asked.flagged(SHORT)
    if empty:
        yield (
            "1 document is empty, so it matches nothing"
            if empty == 1
            else (f"{empty:,} documents are empty, so they match nothing")
        )
    if short:
        documents = "1 document is" if short == 1 else f"{short:,} documents are"
        than, they = (
            f"shorter than a shingle ({mention('k')} {plan.recipe.shingling.k})",
            "it has" if short == 1 else "they have",
        )
        yield f"{documents} {than}: {they} no match but documents with the same text"
    if empty + short < len(asked):
        yield from excerpt_advice(asked, plan)
