"""query: find the documents of an index that are nearly the same as given ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from simdocs.commands.artifact_hints import explain_no_index, explain_order
from simdocs.commands.blocks import PrintedNames, name_blocks, names_of_pairs, pair_differences, shown_pairs
from simdocs.commands.ignoring import ignored_of, refuse_other_tokens
from simdocs.commands.resolve import encoded_root, intake_of, opened_index, opened_shingles
from simdocs.engines.run import Run
from simdocs.errors import mention
from simdocs.kernels.lsh.banding import least_probability
from simdocs.kernels.lsh.buckets import equal_runs
from simdocs.matching.documents.corpus import Corpus
from simdocs.matching.documents.prepared import Prepared, of_same_documents, part_of, prepared, threshold_warning
from simdocs.matching.lookup.containing import find_containing
from simdocs.matching.lookup.index_matches import Lookup, MatchBlock, find_matches
from simdocs.matching.lookup.nearest import find_nearest
from simdocs.matching.verification.verify import Verifier, warn_of_outdated
from simdocs.model.answers import Delivery, Take
from simdocs.model.artifact import BandIndex, Shingles
from simdocs.model.documents import EMPTY, SHORT, Documents
from simdocs.model.groups import ContainedPairs, Pairs
from simdocs.model.ragged import Array, BlockPlaces, Floats, Mask, Ragged, Rows
from simdocs.model.search_result import Matches, SearchFacts
from simdocs.parameters import PARAMETERS
from simdocs.pipeline.prepare import Intake
from simdocs.recipes import SEQUENCES, Grouping, IndexRecipe
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
    def by_sketch(self) -> bool:
        """Whether candidates are found by the sketch of the index."""
        return self.contained and self.index.recipe.containing.containment and not self.exact


def answer(request: QueryRequest, run: Run, delivery: Delivery) -> Matches:
    """The matches that a request asks for."""
    return query(plan_query(request, delivery.outputs), run, request.list, delivery.take, diff=delivery.diff)


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
        recipe = replace(recipe, sequences=intake.artifact.recipe.sequences)
    else:
        given = request.given()
        sequences = {name: given[name] for name in SEQUENCES if name in given}
        recipe = replace(recipe, sequences=replace(recipe.sequences, **sequences))
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


def query(
    plan: QueryPlan, run: Run, listing: str | None = None, take: Take | None = None, *, diff: str | None = None
) -> Matches:
    """Every document with its matches: in the order given, then by falling similarity, then by name.

    take: is called with the answer in blocks, which the result then does not hold. listing: `matches` gives only the
    names of all matches, each once, in the order of the index. diff: see Delivery.
    """
    sets = of_same_documents(plan.shingles, plan.index)
    indexed = Corpus.of_artifact(plan.index, plan.index["signatures"], sets, plan.root)
    if plan.changed is None:
        asked = prepared(plan.intake, plan.recipe, run)
    else:
        asked = part_of(indexed, plan.recipe, plan.changed)
    kind = ContainedPairs if plan.contained else Pairs
    held, names, listed = [kind.empty()], [names_of_pairs(indexed, kind.empty())], list[Rows]()
    printed, differences = PrintedNames(run.skipped), pair_differences(diff, plan.recipe.shingling, run)
    found = matched = similar = short = left_out = 0
    once = None
    if plan.changed is not None and not plan.contained and listing is None:
        once = _Once(plan.changed, plan.index["same_as"].all(), plan.top, nearest=bool(plan.nearest))
    for every in _blocks(plan if once is None else replace(plan, top=0), indexed, asked, run):
        block = every if once is None else once.without_repeats(every)
        found += len(block.pairs)
        left_out += block.left_out
        similar += int(np.count_nonzero(block.pairs.score >= plan.threshold))
        matched += len(np.unique(every.pairs.left))
        short += shorter_than_matches(every, plan.threshold) if plan.nearest else 0
        if take is None:
            held.append(replace(block.pairs, left=block.asked, right=block.matches))
            names.append(names_of_pairs(block.corpus, block.pairs))
        elif listing is not None:
            listed.append(np.unique(block.matches))
        else:
            for named in shown_pairs(block.corpus, block.pairs, printed, differences):
                take(named)
    if take is not None and listed:
        for part in name_blocks(indexed, np.unique(np.concatenate(listed)), printed):
            take(part)
    left, right = (Ragged.concat([each[side] for each in names], np.uint8) for side in (0, 1))
    return Matches(
        asked.documents,
        kind.concat(held),
        (left, right),
        _facts(plan, asked, run),
        len(indexed),
        found,
        matched,
        similar,
        plan.nearest,
        tuple(_excerpts(short, plan.nearest) if found else _nothing_found(asked.documents, plan)),
        left_out,
    )


class _Once:
    """Lists each pair of two changed documents once.

    changed: their rows in the index. text: the number of each text in the index. top: the largest number of matches of
    a document. nearest: whether blocks have only the nearest matches.
    """

    def __init__(self, changed: Rows, text: Array, top: int, *, nearest: bool) -> None:
        self.changed, self.text, self.top, self.nearest = changed, text, top, nearest
        self._listed_by = defaultdict[int, list[int]](list)

    def without_repeats(self, block: MatchBlock) -> MatchBlock:
        """The block without pairs that an earlier one has the other way round, and then at most `top` of a document.

        Blocks must come in row order. Without `nearest`, they must have all matches.
        """
        rows, others = self.changed[block.asked], block.matches
        is_changed = np.isin(others, self.changed)
        if self.top or self.nearest:
            places = self._chosen(rows, others, is_changed, block.pairs.score)
        else:  # every pair is found from both sides
            places = np.flatnonzero(~is_changed | (rows <= others))
        return replace(block, pairs=block.pairs.take(places))

    def _chosen(self, rows: Rows, others: Rows, is_changed: Mask, score: Floats) -> BlockPlaces:
        """The places of the pairs to list. A document may list few, so a pair may be listed by the later one alone.

        Among the matches of a document, earlier copies of its own text do not count: each of them has a later copy to
        list. If they counted, many copies of a changed text would list only each other. Of equally similar matches,
        those that are not changed are chosen first.
        """
        if self.nearest:
            order = np.arange(len(rows))
        else:
            left_out = is_changed & (others < rows) & (self.text[others] == self.text[rows])
            order = np.lexsort((is_changed, -score, rows))
            order = order[~left_out[order]]
        chosen = list[BlockPlaces]()
        begins, counts = equal_runs(rows[order])
        for begin, count in zip(begins.tolist(), counts.tolist(), strict=True):
            places = order[begin : begin + count]
            row = int(rows[places[0]])
            places = places[~np.isin(others[places], self._listed_by.pop(row, []))][: self.top or None]
            chosen.append(places)
            for other in others[places[is_changed[places]]].tolist():
                if other > row:
                    self._listed_by[other].append(row)
        return np.sort(np.concatenate([np.empty(0, np.int64), *chosen]))


def _blocks(plan: QueryPlan, indexed: Corpus, asked: Prepared, run: Run) -> Iterator[MatchBlock]:
    """All matches, some documents at a time."""
    shingling, threshold = plan.recipe.shingling, plan.threshold
    verifier = Verifier(indexed, shingling, threshold, run, exact=plan.by_exact, no_prefilter=plan.exact)
    lookup = Lookup(plan.index, indexed, asked, verifier, plan.top, plan.itself, plan.changed)
    if plan.nearest:
        return find_nearest(lookup, plan.nearest, exact=plan.exact, all_copies=plan.all_copies)
    if plan.contained:
        return find_containing(lookup, by_sketch=plan.by_sketch)
    return find_matches(lookup, exact=plan.exact, most_memory=plan.most_memory)


def _facts(plan: QueryPlan, asked: Prepared, run: Run) -> SearchFacts:
    """What was looked up, and how. What to know before trusting it is added to the warnings of the run."""
    banding = None if plan.contained or plan.exact else plan.recipe.banding
    warn_of_outdated(run, plan.index)
    if banding is not None and not plan.nearest:
        run.skipped.warnings += threshold_warning(plan.threshold, banding)
    return SearchFacts(
        asked.documents,
        plan.recipe,
        plan.intake.walking,
        Grouping(verify="exact" if plan.by_exact else "estimate", exact=plan.exact),
        banding,
        None if banding is None else banding.cut,
        plan.threshold,
        _probability(plan),
        run.tally.candidates,
        run.tally.verified,
        run.skipped,
        None if plan.changed is None else len(plan.changed),
        plan.measure,
        len(plan.intake.ignored),
        run.tally.undecided if plan.by_sketch else None,
    )


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
    """How many documents asked about are less than half as long as most of their matches, of which none is similar.

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
    """Yield what else to ask if so many documents are much shorter than their nearest ones."""
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
