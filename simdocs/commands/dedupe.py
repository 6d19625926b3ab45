"""dedupe: which documents are nearly the same, and which of them to keep."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain as end_to_end

import numpy as np

from simdocs.advice.collection_advice import encoding_advice, keep_of_lines
from simdocs.advice.crowd_advice import CrowdWatch
from simdocs.advice.length_advice import length_advice
from simdocs.advice.template_advice import template_advice
from simdocs.commands.blocks import line_blocks, name_blocks, names_of_pairs, pair_differences, shown_pairs
from simdocs.commands.component_facts import component_facts
from simdocs.commands.dedupe_plan import DedupePlan, plan_dedupe
from simdocs.commands.explaining import explanations
from simdocs.commands.printed_names import PrintedNames
from simdocs.commands.resolve import opened_index
from simdocs.corpora.identity import FilesToDelete
from simdocs.corpora.jsonl_lookup import LineReader
from simdocs.engines.run import Run
from simdocs.errors import UsageError, mention
from simdocs.kernels.group.pair_graph import PairGraph
from simdocs.kernels.lsh.banding import least_probability
from simdocs.matching.candidates.self_join import SelfJoin, self_join, verifier_of
from simdocs.matching.documents.corpus import Corpus, Documented
from simdocs.matching.documents.left_out import report_useless_template
from simdocs.matching.documents.prepared import Prepared, of_same_documents, prepared, threshold_warning
from simdocs.matching.documents.scope import Scope, around, scope_of
from simdocs.matching.groups.against import decide_against
from simdocs.matching.groups.decision import Decision, decide
from simdocs.matching.pairs.found_pairs import PairCollector
from simdocs.matching.pairs.similar_pairs import PairsLeftOut, similar_pairs
from simdocs.matching.verification.verify import warn_of_outdated
from simdocs.model.answer_blocks import Block, ExplainedBlock, Take
from simdocs.model.deduplication import Deduplication
from simdocs.model.delivery import Delivery
from simdocs.model.documents import Documents
from simdocs.model.explanation import ExplainedDocument
from simdocs.model.groups import NestedPairs, Pairs
from simdocs.model.listed_pairs import SimilarPairs
from simdocs.model.names import display_name
from simdocs.model.numbering import Rows
from simdocs.model.search_result import SearchFacts
from simdocs.pipeline.boilerplate import with_common_tokens
from simdocs.pipeline.indexing import low_recall
from simdocs.requests.search_requests import DedupeRequest

_LOOKED_AT = 1 << 13
"""Duplicates whose files are looked at together: their names and facts are Python objects then."""


def answer(request: DedupeRequest, run: Run, delivery: Delivery) -> Deduplication | SimilarPairs:
    """The groups, the pairs, or the lists of names or lines that a request asks for."""
    plan = plan_dedupe(request, delivery.outputs)
    scope = read_documents(plan, run, linked=not request.pairs)
    if request.pairs:
        return find_pairs(plan, scope, run, all_copies=bool(request.all_copies), take=delivery.take, diff=delivery.diff)
    return find_groups(plan, scope, run, request.list, delivery.take, diff=delivery.diff)


def read_documents(plan: DedupePlan, run: Run, *, linked: bool = True) -> Scope:
    """The documents of a plan that are compared, read and signed, or what an artifact has of them.

    linked: for groups, which need documents that are linked through others, too.
    """
    if plan.changed is None or plan.banding is None:
        intake, recipe = plan.intake, plan.recipe
        if plan.known is None:  # or else the index decides which tokens are left out
            intake, recipe = with_common_tokens(intake, recipe, run)
        ready = prepared(intake, recipe, run)
        if plan.known is None:
            report_useless_template(ready.documents, intake.artifact, recipe, run.skipped)
        return scope_of(ready, plan.changed)
    index = opened_index(plan.intake.artifact)
    sets = of_same_documents(plan.intake.shingles, index)
    corpus = Corpus.of_artifact(index, index["signatures"], sets, plan.intake.root)
    return around(index, corpus, plan.changed, linked=linked)


def find_groups(
    plan: DedupePlan,
    scope: Scope,
    run: Run,
    listing: str | None = None,
    take: Take | None = None,
    *,
    diff: str | None = None,
) -> Deduplication:
    """Groups of near-duplicates. take: is given the answer in blocks, which is the list that `listing` names, if any.

    diff: see Delivery. UsageError: lines are wanted, and a document is not a line. InputError: a line has changed since
    it was read.
    """
    if listing is not None and listing.endswith("-lines"):
        _refuse_other_than_lines(scope.documents, listing)
    run.skipped.warnings += keep_of_lines(scope.documents, plan.grouping.keep)
    watch = CrowdWatch(len(scope.prepared.documents), run, joinable=plan.is_joinable)
    decision = _decide(plan, scope, run)
    if take is not None:
        for block in _blocks(decision, listing, plan, run, diff):
            take(block)
    corpus, pairs = decision.corpus, decision.pairs
    kept = decision.kept_and_found()
    kept = kept - len(decision.of_index) if scope.rows is None else scope.rows[kept]
    largest = decision.largest
    return Deduplication(
        scope.documents,
        scope.of_documents(decision.pairs_of_given()),
        names_of_pairs(corpus, pairs if take is None else Pairs.empty()),
        _comparison(plan, scope, run),
        kept,
        decision.groups,
        len(decision.known),
        plan.known is not None,
        None if largest is None else (corpus.printed_names(np.array([largest[0]]))[0], largest[1]),
        int(corpus.facts(pairs.right)["size"].sum()),
        *_freed(corpus, pairs.right),
        None if decision.components is None else tuple(component_facts(corpus, decision.components)),
        watch.advice + _advice(plan, scope, decision.found, corpus),
        _explained(decision, plan) if take is None else None,
    )


def find_pairs(
    plan: DedupePlan,
    scope: Scope,
    run: Run,
    *,
    all_copies: bool = False,
    take: Take | None = None,
    diff: str | None = None,
) -> SimilarPairs:
    """Every pair of near-duplicates. take: is given them in blocks; then they are not held for the result.

    diff: see Delivery.
    """
    watch = CrowdWatch(len(scope.prepared.documents), run, joinable=plan.is_joinable)
    joined, corpus = _self_join(plan, scope.prepared, run), scope.prepared.corpus
    chain = None if all_copies else PairsLeftOut.of(joined, scope.changed)
    printed, differences = PrintedNames(run.skipped), pair_differences(diff, plan.recipe.shingling, run)
    kind = NestedPairs if plan.measure == "containment" else Pairs
    held, found, collector = [kind.empty()], 0, PairCollector(len(corpus))
    for pairs in similar_pairs(joined, all_copies=all_copies, changed=scope.changed):
        wanted = scope.wanted(pairs)
        found += len(wanted)
        if chain is not None:
            chain.add(pairs, len(wanted))
        collector.add(pairs)
        if take is None:
            held.append(wanted)
        else:
            for block in shown_pairs(corpus, wanted, printed, differences):
                take(block)
    every = kind.concat(held)
    return SimilarPairs(
        scope.documents,
        scope.of_documents(every),
        names_of_pairs(corpus, every),
        _comparison(plan, scope, run),
        found,
        0 if chain is None else chain.count,
        watch.advice + _advice(plan, scope, collector.graph(), corpus),
    )


def _advice(plan: DedupePlan, scope: Scope, found: PairGraph, corpus: Documented) -> tuple[str, ...]:
    """Advice about encodings, about k for documents that are cut into shingles now, and about a template."""
    shingling, lines = plan.recipe.shingling, list(encoding_advice(scope.documents))
    if plan.intake.artifact is None and plan.known is None:
        lines += length_advice(scope.documents, shingling)
    if scope.changed is None:
        lines += template_advice(found, corpus, shingling.unit)
    return tuple(lines)


def _decide(plan: DedupePlan, scope: Scope, run: Run) -> Decision:
    ready = scope.prepared
    if plan.known is None:
        decision = decide(_self_join(plan, ready, run), plan.grouping, explain=plan.explain)
        return decision if scope.changed is None else decision.with_changed(scope.changed)
    index = plan.known.index
    sets = of_same_documents(plan.known.shingles, index)
    indexed = Corpus.of_artifact(index, index["signatures"], sets, plan.known.root)
    verifier = verifier_of(ready, plan.threshold, plan.grouping, run)
    return decide_against(index, indexed, ready, verifier, plan.grouping, explain=plan.explain)


def _self_join(plan: DedupePlan, ready: Prepared, run: Run) -> SelfJoin:
    return self_join(ready, plan.threshold, plan.grouping, plan.cut, run, plan.most_memory, plan.measure)


def _blocks(decision: Decision, listing: str | None, plan: DedupePlan, run: Run, diff: str | None) -> Iterator[Block]:
    """The answer: groups, explanations of them, or the names or lines that are listed."""
    if plan.explain:
        of_components = decision.components is not None
        for some in explanations(decision, plan.cut, PrintedNames(run.skipped), in_groups=True):
            yield ExplainedBlock(some, of_components)
        return
    if listing is None:
        differences = pair_differences(diff, plan.recipe.shingling, run)
        yield from shown_pairs(decision.corpus, decision.pairs, PrintedNames(run.skipped), differences)
        return
    rows = decision.duplicates() if listing.startswith("duplicate") else decision.kept()
    if listing.endswith("-lines"):
        yield from line_blocks(decision.corpus, rows, plan.recipe.shingling, run.engine.state.get(LineReader))
    else:
        yield from name_blocks(decision.corpus, rows, PrintedNames(run.skipped))


def _freed(corpus: Documented, duplicates: Rows) -> tuple[int, int]:
    """How many of these duplicates are files, and the bytes that deleting these would free."""
    files, deleted = 0, FilesToDelete()
    for at in range(0, len(duplicates), _LOOKED_AT):
        for _, request in corpus.readings(duplicates[at : at + _LOOKED_AT]):
            whole = (request.facts["container"] == 0) & (request.facts["inode"] != 0)
            files += int(whole.sum())
            for place in np.flatnonzero(whole).tolist():
                deleted.add(request.file(place), int(request.facts["file_size"][place]))
    return files, deleted.freed


def _explained(decision: Decision, plan: DedupePlan) -> tuple[ExplainedDocument, ...] | None:
    """Why each document is kept or a duplicate, in the order of the documents, if that is wanted."""
    return tuple(end_to_end(*explanations(decision, plan.cut, None, in_groups=False))) if plan.explain else None


def _refuse_other_than_lines(documents: Documents, listing: str) -> None:
    """UsageError: a document is no line of a JSONL file."""
    others = np.flatnonzero(documents.facts["container"] == 0)
    if len(others):
        example, option = display_name(documents.raw_name(int(others[0]))), mention("list")
        counted = "1 document is" if len(others) == 1 else f"{len(others):,} documents are"
        names = "duplicates" if listing.startswith("duplicate") else "kept"
        raise UsageError(
            f"{option} {listing} needs JSON Lines files, and {counted} not in one, such as {example}: use {option}"
            f" {names}"
        )


def _comparison(plan: DedupePlan, scope: Scope, run: Run) -> SearchFacts:
    """What was compared, and how."""
    banding = plan.banding
    known = None if plan.known is None else plan.known.index
    warn_of_outdated(run, plan.intake.artifact, known)
    if banding is not None:
        run.skipped.warnings += threshold_warning(plan.threshold, banding)
        if plan.chosen_now:
            run.skipped.warnings += low_recall(banding, plan.recipe.sketching.num_perm)
    return SearchFacts(
        scope.documents,
        scope.prepared.recipe,
        plan.intake.walking,
        plan.grouping,
        banding,
        plan.cut,
        plan.threshold,
        1.0 if banding is None else least_probability(plan.threshold, *banding.cut),
        run.tally.candidates,
        run.tally.verified,
        run.skipped,
        None if plan.changed is None else len(plan.changed),
        plan.measure,
        ignored=len(scope.prepared.corpus.ignored),
    )
