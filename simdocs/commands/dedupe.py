"""dedupe: which documents are nearly the same, and which of them to keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from simdocs.advice.length_advice import length_advice
from simdocs.advice.template_advice import CrowdWatch, encoding_advice, keep_of_lines, template_advice
from simdocs.commands.artifact_hints import explain_no_index
from simdocs.commands.blocks import (
    PrintedNames,
    head_of_pairs,
    line_blocks,
    name_blocks,
    names_of_pairs,
    pair_differences,
    refuse_other_than_lines,
    shown_pairs,
)
from simdocs.commands.ignoring import leaving_out, refuse_other_tokens
from simdocs.commands.resolve import (
    KnownDocuments,
    banding_of,
    contradictions_with,
    encoded_root,
    intake_of,
    opened_index,
    opened_shingles,
    signature_recipe,
)
from simdocs.corpora.containers.recognise import looking_like
from simdocs.corpora.containers.reopened import Reopened
from simdocs.corpora.identity import FilesToDelete
from simdocs.engines.run import Run
from simdocs.errors import UnreachableRecallError, mention
from simdocs.kernels.group.connectivity import PairGraph
from simdocs.kernels.lsh.banding import least_probability
from simdocs.matching.candidates.self_join import SelfJoin
from simdocs.matching.corpus import Corpus
from simdocs.matching.groups.decision import Decision
from simdocs.matching.groups.greedy import decide
from simdocs.matching.preparing import of_same_documents, prepare, rows_around, threshold_warning, useless_template
from simdocs.matching.similar_pairs import PairCollector, PairsLeftOut, similar_pairs
from simdocs.matching.verification.verify import Verifier, outdated_warnings
from simdocs.model.answers import LINES, NAMES, Block, Delivery
from simdocs.model.artifact import Artifact
from simdocs.model.deduplication import Deduplication, SimilarPairs
from simdocs.model.documents import Documents
from simdocs.model.groups import NestedPairs, Pairs
from simdocs.model.ragged import Mask, Rows
from simdocs.model.search_result import GROUPS, NESTED, PAIRS, SearchFacts
from simdocs.parameters import PARAMETERS
from simdocs.parameters.answers import Grouping
from simdocs.parameters.families import LISTS
from simdocs.parameters.recipes import Banding, BandingRequest, Bands, IndexRecipe, SignatureRecipe
from simdocs.parameters.texts import Sequences
from simdocs.pipeline.boilerplate import with_common_tokens
from simdocs.pipeline.indexing import low_recall
from simdocs.pipeline.prepare import Intake
from simdocs.requests.search_requests import DedupeRequest

if TYPE_CHECKING:
    from simdocs.model.deduplication import ComponentFacts
    from simdocs.model.explanation import ExplainedDocument


@dataclass(frozen=True, slots=True)
class DedupePlan:
    """What is done: with what, and every parameter that decides the answer.

    banding: how candidates are found; None: by an exact join. measure: what is compared with the threshold. known: an
    index whose documents are always kept. chosen_now: whether the bands were chosen for this run. changed: the
    documents of the index (in the intake) that are new or changed, if only pairs with one of them are wanted.
    most_memory: the bytes that an exact join may take; None: what there is. explain: whether it is said why documents
    are kept or duplicates.
    """

    intake: Intake
    recipe: SignatureRecipe
    banding: Banding | None
    grouping: Grouping
    threshold: float
    measure: str = "jaccard"
    known: KnownDocuments | None = None
    chosen_now: bool = True
    changed: Rows | None = None
    most_memory: int | None = None
    explain: bool = False

    @property
    def cut(self) -> Bands | None:
        """The bands by which candidates are found, if there are any."""
        return None if self.banding is None else self.banding.cut

    @property
    def is_joinable(self) -> bool:
        """Whether an exact join, which was not asked for, would answer the same question."""
        return self.banding is not None and self.known is None


def plan_dedupe(request: DedupeRequest, outputs: Sequence[str | None] = ()) -> DedupePlan:
    """What a request amounts to.

    UsageError: it contradicts an artifact, or no bands reach the recall. ParametersError: an artifact and the index to
    compare against were made with different parameters. ArtifactError: changed documents are wanted, and there is no
    index, or it does not say which they are.
    """
    known = _known(request)

    def find_contradictions(artifact: Artifact | None) -> Iterator[str]:
        yield from contradictions_with(artifact, request, ("threshold",))
        yield from contradictions_with(
            None if known is None else known.index, request, ("threshold", *Sequences.parameters)
        )

    intake = intake_of(request, outputs, find_contradictions)
    artifact = intake.artifact
    fixed = None if artifact is None else artifact.recipe
    if known is not None:
        index = known.index.recipe
        if artifact is not None:
            refuse_other_tokens(artifact, known.index)
            sequences = artifact.recipe.sequences
        else:
            given = request.given()
            sequences = index.sequences.but(**{name: given[name] for name in Sequences.parameters if name in given})
        fixed = index.but(sequences=sequences)
    recipe = signature_recipe(request, fixed)
    intake, recipe = leaving_out(request, intake, recipe, artifact if known is None else known.index)
    grouping, measure = Grouping.of(request.given()), request.measure or PARAMETERS["measure"].default
    if measure == "containment":  # signatures say little about it
        grouping = grouping.but(exact=True)
    if isinstance(fixed, IndexRecipe):
        banding: Banding | None = fixed.banding
    else:
        banding = None if grouping.exact else _banding_of(request, recipe.sketching.num_perm)
    threshold = request.threshold or _threshold_of(fixed, request)
    chosen_now = not isinstance(fixed, IndexRecipe)
    changed = opened_index(artifact).news(renamed=bool(request.renamed)) if request.changed else None
    banding = None if grouping.exact else banding
    more = request.max_memory, bool(request.explain)
    return DedupePlan(intake, recipe, banding, grouping, threshold, measure, known, chosen_now, changed, *more)


def _banding_of(request: DedupeRequest, num_perm: int) -> Banding:
    """The bands that serve what was asked. UnreachableRecallError: none do, but an exact join would."""
    try:
        return banding_of(request, num_perm)
    except UnreachableRecallError as error:
        raise error.or_else(f"{mention('exact')} to find every pair") from None


def _threshold_of(fixed: object, request: DedupeRequest) -> float:
    """The threshold when none is given: that of the index, or the default."""
    if isinstance(fixed, IndexRecipe):
        return fixed.banding.threshold
    return BandingRequest.of(request.given()).threshold


def _known(request: DedupeRequest) -> KnownDocuments | None:
    if request.against is None:
        return None
    sets = None if request.shingles is None else opened_shingles(request.shingles)
    assert request.root is None or isinstance(request.root, bytes)
    explain_no_index(request.against)
    return KnownDocuments(opened_index(request.against), sets, encoded_root(request.root))


_LOOKED_AT = 1 << 13
"""Duplicates whose files are looked at together: their names and facts are Python objects then."""


def answer(request: DedupeRequest, run: Run, delivery: Delivery) -> Deduplication | SimilarPairs:
    """The groups, the pairs, or the lists of names or lines that a request asks for."""
    plan = plan_dedupe(request, delivery.outputs)
    corpus = read_documents(plan, run, linked=not request.pairs)
    if request.pairs:
        return find_pairs(plan, corpus, run, delivery, all_copies=bool(request.all_copies))
    return find_groups(plan, corpus, run, delivery, request.list)


def read_documents(plan: DedupePlan, run: Run, *, linked: bool = True) -> Corpus:
    """The documents of a plan that are compared, read and signed, or what an artifact has of them.

    linked: for groups, which need documents that are linked through others, too.
    """
    if plan.changed is None or plan.banding is None:
        intake, recipe = plan.intake, plan.recipe
        if plan.known is None:  # or else the index decides which tokens are left out
            intake, recipe = with_common_tokens(intake, recipe, run)
        corpus = prepare(intake, recipe, run)
        if plan.known is None:
            run.skipped.warnings += useless_template(corpus.documents, intake.artifact, recipe)
        return corpus
    index = opened_index(plan.intake.artifact)
    sets = of_same_documents(plan.intake.shingles, index)
    corpus = Corpus.of_artifact(index, sets=sets, root=plan.intake.root)
    return corpus.select(rows_around(index, plan.changed, linked=linked))


def _given(plan: DedupePlan, corpus: Corpus) -> Documents:
    """All documents that were given, although only some of them may have to be compared."""
    return corpus.documents if corpus.rows is None else opened_index(plan.intake.artifact).documents


def _changed(plan: DedupePlan, corpus: Corpus) -> Mask | None:
    """Which documents of the corpus are new or changed, if only pairs with one of them are wanted: (N,)."""
    if plan.changed is None:
        return None
    return np.isin(np.arange(len(corpus)) if corpus.rows is None else corpus.rows, plan.changed)


def find_groups(
    plan: DedupePlan, corpus: Corpus, run: Run, delivery: Delivery, listing: str | None = None
) -> Deduplication:
    """Groups of near-duplicates.

    delivery: takes the answer in blocks, which is the list that `listing` names, if any. UsageError: lines are wanted,
    and a document is not a line. InputError: a line has changed since it was read.
    """
    documents, changed = _given(plan, corpus), _changed(plan, corpus)
    if listing is not None and LISTS[listing].lines:
        refuse_other_than_lines(documents, listing)
    run.skipped.warnings += keep_of_lines(documents, plan.grouping.keep)
    watch = CrowdWatch(len(corpus), run, joinable=plan.is_joinable)
    decision = _decide(plan, corpus, changed, run)
    take = delivery.take
    if take is not None:
        for block in _blocks(decision, listing, plan, run, delivery):
            take(block)
    compared, pairs, largest = decision.corpus, decision.pairs, decision.largest
    kept = compared.given_rows(decision.kept_and_found())
    run.skipped.warnings += _warnings(plan, run)
    duplicate_files, freed_bytes = _freed(compared, pairs.right)
    components, explained = _explanations(decision, plan)
    return Deduplication(
        documents=documents,
        pairs=pairs.renumbered(compared.given_rows),
        names=names_of_pairs(compared, pairs if take is None else Pairs.empty()),
        comparison=_comparison(plan, corpus, documents, run),
        kept=kept,
        groups=decision.groups,
        known=len(decision.known),
        against_index=plan.known is not None,
        largest=None if largest is None else (compared.printed_names(np.array([largest[0]]))[0], largest[1]),
        duplicate_bytes=int(compared.facts(pairs.right)["size"].sum()),
        duplicate_files=duplicate_files,
        freed_bytes=freed_bytes,
        components=components,
        advice=watch.advice + _advice(plan, documents, decision.found, compared),
        explained=explained if take is None else None,
    )


def find_pairs(
    plan: DedupePlan, corpus: Corpus, run: Run, delivery: Delivery, *, all_copies: bool = False
) -> SimilarPairs:
    """Every pair of near-duplicates. delivery: if it takes them in blocks, they are not held for the result."""
    documents, changed = _given(plan, corpus), _changed(plan, corpus)
    watch = CrowdWatch(len(corpus), run, joinable=plan.is_joinable)
    join = SelfJoin(_verifier(plan, corpus, run), plan.cut, plan.most_memory)
    chain = None if all_copies else PairsLeftOut(join, changed)
    printed, differences = PrintedNames(run.skipped), pair_differences(delivery, run)
    kind, head = (NestedPairs, NESTED) if plan.measure == "containment" else (Pairs, PAIRS)
    if delivery.take is not None:
        delivery.take(Block(head_of_pairs(head, differences), []))
    held, found, collector = [kind.empty()], 0, PairCollector(len(corpus))
    for pairs in similar_pairs(join, all_copies=all_copies, changed=changed):
        wanted = pairs if changed is None else pairs.with_any(changed)
        found += len(wanted)
        if chain is not None:
            chain.add(pairs, len(wanted))
        collector.add(pairs)
        if delivery.take is None:
            held.append(wanted)
        else:
            for block in shown_pairs(corpus, wanted, head, printed, differences):
                delivery.take(block)
    every = kind.concat(held)
    run.skipped.warnings += _warnings(plan, run)
    return SimilarPairs(
        documents=documents,
        pairs=every.renumbered(corpus.given_rows),
        names=names_of_pairs(corpus, every),
        comparison=_comparison(plan, corpus, documents, run),
        found=found,
        left_out=0 if chain is None else chain.count,
        advice=watch.advice + _advice(plan, documents, collector.graph(), corpus),
    )


def _advice(plan: DedupePlan, documents: Documents, found: PairGraph, corpus: Corpus) -> tuple[str, ...]:
    """Advice about encodings, about k for documents that are cut into shingles now, and about a template."""
    shingling, lines = plan.recipe.shingling, list(encoding_advice(documents))
    if plan.intake.artifact is None and plan.known is None:
        lines += length_advice(documents, shingling)
    if plan.changed is None:
        lines += template_advice(found, corpus, shingling.unit)
    return tuple(lines)


def _decide(plan: DedupePlan, corpus: Corpus, changed: Mask | None, run: Run) -> Decision:
    if plan.known is None:
        decision = decide(
            SelfJoin(_verifier(plan, corpus, run), plan.cut, plan.most_memory), plan.grouping, explain=plan.explain
        )
        return decision if changed is None else decision.with_changed(changed)
    from simdocs.matching.groups.against import decide_against

    index = plan.known.index
    sets = of_same_documents(plan.known.shingles, index)
    indexed = Corpus.of_artifact(index, sets=sets, root=plan.known.root)
    return decide_against(indexed, _verifier(plan, corpus, run), plan.grouping, explain=plan.explain)


def _verifier(plan: DedupePlan, corpus: Corpus, run: Run) -> Verifier:
    """A verifier of these documents. An exact join drops no candidate because of its estimate."""
    by_exact, exact = plan.grouping.verify == "exact", plan.grouping.exact
    return Verifier(corpus, plan.threshold, run, measure=plan.measure, exact=by_exact, no_prefilter=exact)


def _blocks(decision: Decision, listing: str | None, plan: DedupePlan, run: Run, delivery: Delivery) -> Iterator[Block]:
    """The answer: groups, explanations of them, or the names or lines that are listed."""
    printed = PrintedNames(run.skipped)
    if plan.explain:
        from simdocs.commands.explaining import explained_blocks

        yield from explained_blocks(decision, plan.cut, printed)
        return
    if listing is None:
        differences = pair_differences(delivery, run)
        yield Block(head_of_pairs(GROUPS, differences), [])
        yield from shown_pairs(decision.corpus, decision.pairs, GROUPS, printed, differences)
        return
    rows = decision.duplicates() if LISTS[listing].duplicates else decision.kept()
    if LISTS[listing].lines:
        yield Block(LINES, [])
        yield from line_blocks(decision.corpus, rows, run.engine.state.get(Reopened))
    else:
        yield Block(NAMES, [])
        yield from name_blocks(decision.corpus, rows, printed)


def _freed(corpus: Corpus, duplicates: Rows) -> tuple[int, int]:
    """How many of these duplicates are files, and the bytes that deleting these would free."""
    files, deleted = 0, FilesToDelete()
    for at in range(0, len(duplicates), _LOOKED_AT):
        for _, request in corpus.readings(duplicates[at : at + _LOOKED_AT]):
            whole = (request.facts["container"] == 0) & (request.facts["inode"] != 0)
            files += int(whole.sum())
            for place in np.flatnonzero(whole).tolist():
                deleted.add(request.file(place), int(request.facts["file_size"][place]))
    return files, deleted.freed


def _explanations(
    decision: Decision, plan: DedupePlan
) -> tuple[tuple[ComponentFacts, ...] | None, tuple[ExplainedDocument, ...] | None]:
    """How loosely components hang together, and why each document is kept or a duplicate, as far as that is wanted."""
    if decision.components is None and not plan.explain:
        return None, None
    from simdocs.commands.explaining import component_facts, explained_documents

    return component_facts(decision), explained_documents(decision, plan.cut) if plan.explain else None


def _warnings(plan: DedupePlan, run: Run) -> Iterator[str]:
    """Yield what to know before trusting the answer."""
    yield from outdated_warnings(run, plan.intake.artifact, None if plan.known is None else plan.known.index)
    if plan.banding is not None:
        yield from threshold_warning(plan.threshold, plan.banding)
        if plan.chosen_now:
            yield from low_recall(plan.banding, plan.recipe.sketching.num_perm)


def _comparison(plan: DedupePlan, corpus: Corpus, documents: Documents, run: Run) -> SearchFacts:
    """What was compared, and how."""
    banding = plan.banding
    return SearchFacts(
        documents=documents,
        recipe=corpus.recipe,
        walking=plan.intake.walking,
        grouping=plan.grouping,
        banding=banding,
        bands=plan.cut,
        threshold=plan.threshold,
        probability=1.0 if banding is None else least_probability(plan.threshold, *banding.cut),
        candidates=run.tally.candidates,
        verified=run.tally.verified,
        skipped=run.skipped,
        changed=None if plan.changed is None else len(plan.changed),
        measure=plan.measure,
        ignored=len(corpus.ignored),
        looks_like=tuple(looking_like(documents, plain=corpus.recipe.sequences.plain)),
    )
