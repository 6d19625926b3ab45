"""dedupe: which documents are nearly the same, and which of them to keep."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simdocs.advice.length_advice import length_advice
from simdocs.advice.template_advice import CrowdWatch, encoding_advice, keep_of_lines, template_advice
from simdocs.commands.blocks import (
    PrintedNames,
    given_names_of,
    group_blocks,
    name_blocks,
    names_of_pairs,
    shown_pairs,
)
from simdocs.commands.resolve import Resolved, opened_index, resolve
from simdocs.corpora.containers.recognise import looking_like
from simdocs.corpora.identity import FilesToDelete
from simdocs.engines.run import Run
from simdocs.errors import mention
from simdocs.kernels.compare.jaccard import unlike_lengths
from simdocs.kernels.group.connectivity import PairGraph
from simdocs.kernels.lsh.banding import least_probability, low_recall, threshold_warning
from simdocs.matching.candidates.self_join import SelfJoin
from simdocs.matching.corpus import Corpus
from simdocs.matching.groups.decision import Decision
from simdocs.matching.groups.greedy import decide
from simdocs.matching.preparing import corpus_of, prepare, rows_around, unknown_recall, useless_template
from simdocs.matching.verification.verify import Verifier, outdated_warnings
from simdocs.model.answers import NAMES, Block, Delivery
from simdocs.model.deduplication import ComponentFacts, Deduplication
from simdocs.model.documents import Documents
from simdocs.model.groups import Pairs
from simdocs.model.names import path_from
from simdocs.model.ragged import Mask, Rows
from simdocs.model.search_result import GROUPS, SearchFacts
from simdocs.parameters.families import LISTS
from simdocs.parameters.recipes import SignatureRecipe
from simdocs.pipeline.boilerplate import with_common_tokens
from simdocs.pipeline.prepare import files_of
from simdocs.requests.searching import DedupeRequest, SimilarRequest

if TYPE_CHECKING:
    from simdocs.commands.row_outputs import RowDrafts
    from simdocs.model.saved_answer import SavedAnswer


_Plan = Resolved[DedupeRequest, SignatureRecipe]

Searched = Resolved[SimilarRequest, SignatureRecipe]
"""A plan for documents whose near-duplicates are looked for: their groups, or all pairs."""


def is_joinable(plan: Searched) -> bool:
    """Whether an exact join, which was not asked for, would answer the same question."""
    return plan.banding is not None and plan.known is None


_LOOKED_AT = 1 << 13
"""Duplicates whose files are looked at together: their names and facts are Python objects then."""


def answer(request: DedupeRequest, run: Run, delivery: Delivery) -> Deduplication:
    """The groups, or the lists of names that a request asks for."""
    plan, rows = with_row_outputs(resolve(request, delivery.outputs), run, delivery)
    return find_groups(plan, read_documents(plan, run), run, delivery, rows)


def with_row_outputs(plan: _Plan, run: Run, delivery: Delivery) -> tuple[_Plan, RowDrafts | None]:
    """The plan with the files of its documents, and drafts of the outputs of their rows; None if none is wanted."""
    given = {name: os.fsdecode(path) for name, path in plan.request.row_outputs.fields().items() if path is not None}
    run.skipped.keeps_rows = "kept_rows" in given or "flagged_rows" in given
    if given and plan.intake.artifact is None:
        from simdocs.commands.row_sources import refuse_unread

        found = files_of(plan.intake, run)
        refuse_unread(found, plan.recipe.sequences)
        plan = replace(plan, intake=replace(plan.intake, found=found))
    if delivery.take is not None and not given:
        plan = replace(plan, intake=replace(plan.intake, with_digests=False))
    if not given:
        return plan, None
    from simdocs.commands.row_outputs import opened_outputs

    assert delivery.publishing is not None
    fields, others = plan.recipe.sequences, delivery.outputs
    return plan, opened_outputs(given, plan.intake, fields, others, delivery.publishing)


def read_documents(plan: Searched, run: Run) -> Corpus:
    """The documents of a plan that are compared, read and signed, or what an artifact has of them."""
    if plan.changed is None or plan.banding is None:
        intake, recipe = plan.intake, plan.recipe
        if plan.known is None:  # or else the index decides which tokens are left out
            intake, recipe = with_common_tokens(intake, recipe, run)
        elif recipe.sketching.is_own:
            from simdocs.commands.own_functions import refuse_other_items

            intake = refuse_other_items(intake, recipe, plan.known, run)
        corpus = prepare(intake, recipe, run)
        if plan.known is None:
            run.skipped.warnings += useless_template(corpus.documents, intake.artifact, recipe)
        return corpus
    index = opened_index(plan.intake.artifact)
    corpus = corpus_of(index, plan.intake.shingles, plan.intake.root)
    # Groups need documents that are linked through others, too.
    return corpus.select(rows_around(index, plan.changed, linked=isinstance(plan.request, DedupeRequest)))


def given_documents(plan: Searched, corpus: Corpus) -> Documents:
    """All documents that were given, although only some of them may have to be compared."""
    return corpus.documents if corpus.rows is None else opened_index(plan.intake.artifact).documents


def changed_ones(plan: Searched, corpus: Corpus) -> Mask | None:
    """Which documents of the corpus are new or changed, if only pairs with one of them are wanted: (N,)."""
    if plan.changed is None:
        return None
    return np.isin(np.arange(len(corpus)) if corpus.rows is None else corpus.rows, plan.changed)


def find_groups(
    plan: _Plan, corpus: Corpus, run: Run, delivery: Delivery, rows: RowDrafts | None = None
) -> Deduplication:
    """Groups of near-duplicates.

    delivery: takes the answer in blocks, which is a list if one was asked for. rows: where the rows of the documents'
    files are written; they are published by the delivery. InputError: a file has changed since its rows were read.
    """
    listing = plan.request.answer.list
    documents, changed = given_documents(plan, corpus), changed_ones(plan, corpus)
    run.skipped.warnings += keep_of_lines(documents, plan.grouping.keep)
    watch = CrowdWatch(len(corpus), run, joinable=is_joinable(plan))
    decision = _decide(plan, corpus, changed, run)
    corpus.signatures.release()
    take = delivery.take
    if take is not None:
        for block in _blocks(decision, listing, documents, run):
            take(block)
    written = () if rows is None else rows.write(decision, documents, run)
    compared, pairs, largest = decision.corpus, decision.pairs, decision.largest
    kept = compared.given_rows(decision.kept_and_found())
    run.skipped.warnings += [*search_warnings(plan, run), *_nothing_new(plan, decision, documents)]
    duplicate_bytes, duplicate_files, freed_bytes = _freed(compared, pairs.right)
    index_names = given_names_of(plan.known)
    comparison = comparison_of(plan, corpus, documents, run)

    def save() -> SavedAnswer:
        from simdocs.commands.saving import saved

        return saved(decision, plan.intake, plan.known, documents, comparison, kept)

    named = take is None and delivery.is_wanted and not delivery.look.as_file
    return Deduplication(
        documents=documents,
        pairs=pairs.renumbered(compared.given_rows),
        names=names_of_pairs(compared, pairs if named else Pairs.empty()),
        comparison=comparison,
        kept=kept,
        groups=decision.groups,
        known=len(decision.known),
        against_index=plan.known is not None,
        largest=None if largest is None else (compared.printed_names(np.array([largest[0]]))[0], largest[1]),
        duplicate_bytes=duplicate_bytes,
        duplicate_files=duplicate_files,
        freed_bytes=freed_bytes,
        unlike_lengths=_unlike_lengths(compared, pairs, plan.threshold),
        components=_component_facts(decision),
        advice=watch.advice + advice(plan, documents, decision.found, compared),
        written=written,
        index_names=index_names,
        save=save,
    )


def advice(plan: Searched, documents: Documents, found: PairGraph, corpus: Corpus) -> tuple[str, ...]:
    """Advice about encodings, about k for documents that are cut into shingles now, and about a template."""
    shingling, lines = plan.recipe.shingling, list(encoding_advice(documents))
    if plan.intake.artifact is None and plan.known is None:
        lines += length_advice(documents, shingling)
    if plan.changed is None:
        lines += template_advice(found, corpus, shingling.unit)
    return tuple(lines)


def _decide(plan: _Plan, corpus: Corpus, changed: Mask | None, run: Run) -> Decision:
    if plan.known is None:
        join = SelfJoin(verifier_of(plan, corpus, run), plan.cut, plan.request.comparing.max_memory)
        decision = decide(join, plan.grouping)
        return decision if changed is None else decision.with_changed(changed)
    from simdocs.matching.groups.against import decide_against

    return decide_against(plan.known, verifier_of(plan, corpus, run), plan.grouping)


def verifier_of(plan: Searched, corpus: Corpus, run: Run) -> Verifier:
    """A verifier of these documents. An exact join drops no candidate because of its estimate."""
    by_exact, exact = plan.grouping.verify == "exact", plan.grouping.exact
    return Verifier(
        corpus, plan.threshold, run, measure=plan.request.comparing.measure, exact=by_exact, no_prefilter=exact
    )


def _blocks(decision: Decision, listing: str | None, given: Documents, run: Run) -> Iterator[Block]:
    """The answer: groups, or what is listed. given: the documents that were given."""
    printed = PrintedNames(run.skipped)
    if listing is None:
        yield Block(GROUPS, [])
        yield from shown_pairs(decision.corpus, decision.pairs, GROUPS, printed)
        return
    if LISTS[listing].groups:
        yield from group_blocks(decision, len(given), printed)
        return
    rows = decision.duplicates() if LISTS[listing].duplicates else decision.kept()
    yield Block(NAMES, [])
    yield from name_blocks(decision.corpus, rows, printed)


def _freed(corpus: Corpus, duplicates: Rows) -> tuple[int, int, int]:
    """The bytes of these duplicates, how many of them are files, and the bytes that deleting these would free."""
    size, files, deleted = 0, 0, FilesToDelete()
    for at in range(0, len(duplicates), _LOOKED_AT):
        rows = duplicates[at : at + _LOOKED_AT]
        facts = corpus.facts(rows)
        whole: Mask = (facts["container"] == 0) & (facts["inode"] != 0)
        alone: Mask = whole & (False if corpus.met is None else corpus.met["links"][rows] == 1)
        size += int(facts["size"].sum())
        files += int(whole.sum())
        deleted.add_alone(int(facts["file_size"][alone].sum()))
        others = rows[whole & ~alone]
        for _, request in corpus.readings(others) if len(others) else ():
            paths = [path_from(request.root, name) for name in request.names]
            deleted.add(paths, request.facts["file_size"].tolist())
    return size, files, deleted.freed


def _component_facts(decision: Decision) -> tuple[ComponentFacts, ...] | None:
    """The facts of each component, the loosest first; None if there are no components."""
    found = decision.components
    if found is None:
        return None
    order = sorted(range(len(found.kept)), key=lambda at: (found.pairwise[at], found.kept[at]))
    return tuple(
        ComponentFacts(
            decision.corpus.printed_names(found.kept[at : at + 1])[0],
            int(found.size[at]),
            _rounded(found.to_kept[at]),
            _rounded(found.pairwise[at]),
            bool(found.complete[at]),
        )
        for at in order
    )


def _rounded(value: float) -> float | None:
    return None if math.isnan(value) else round(float(value), 6)


def _unlike_lengths(corpus: Corpus, pairs: Pairs, threshold: float) -> int:
    """The number of duplicates whose texts are many times as long as those of their kept documents, or as short."""
    count = 0
    for at in range(0, len(pairs), _LOOKED_AT):
        left, right = (corpus.facts(rows[at : at + _LOOKED_AT])["length"] for rows in (pairs.left, pairs.right))
        count += int(unlike_lengths(left, right, threshold).sum())
    return count


def search_warnings(plan: Searched, run: Run) -> Iterator[str]:
    """Yield what to know before trusting the answer."""
    yield from outdated_warnings(run, plan.intake.artifact, None if plan.known is None else plan.known.index)
    if plan.banding is not None:
        yield from unknown_recall(plan.recipe)
        yield from threshold_warning(plan.threshold, plan.banding)
        if plan.chosen_now:
            yield from low_recall(plan.banding, plan.recipe.sketching.num_perm)


def _nothing_new(plan: _Plan, decision: Decision, documents: Documents) -> Iterator[str]:
    """Yield a warning if all documents are in the index that they are compared with, so that none was compared."""
    if plan.known is not None and len(documents) and len(decision.known) == len(documents):
        every = "the document" if len(documents) == 1 else f"all {len(documents):,} documents"
        yield (
            f"nothing was compared: the index of {mention('against')} has {every} already, so compare documents before"
            " you add them to it"
        )


def comparison_of(plan: Searched, corpus: Corpus, documents: Documents, run: Run) -> SearchFacts:
    """What was compared, and how."""
    banding = plan.banding
    return SearchFacts(
        documents=documents,
        recipe=corpus.recipe,
        walking=plan.intake.walking,
        grouping=plan.grouping,
        banding=banding,
        threshold=plan.threshold,
        probability=1.0 if banding is None else least_probability(plan.threshold, *banding.cut),
        candidates=run.tally.candidates,
        verified=run.tally.verified,
        skipped=run.skipped,
        changed=None if plan.changed is None else len(plan.changed),
        measure=plan.request.comparing.measure,
        ignored=len(corpus.ignored),
        looks_like=tuple(looking_like(documents)),
    )
