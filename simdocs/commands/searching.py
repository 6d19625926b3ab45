"""What dedupe and pairs have in common: the documents that are compared, the verifier, and what is said about both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simdocs.advice.length_advice import length_advice
from simdocs.advice.template_advice import encoding_advice, template_advice
from simdocs.commands.resolve import Resolved, opened_index
from simdocs.corpora.containers.recognise import looking_like
from simdocs.engines.run import Run
from simdocs.kernels.banding import least_probability, low_recall, threshold_warning
from simdocs.kernels.grouping import PairGraph
from simdocs.matching.corpus import Corpus
from simdocs.matching.preparing import corpus_of, prepare, rows_around, unknown_recall, useless_template
from simdocs.matching.verify import Verifier, outdated_warnings
from simdocs.model.documents import Documents
from simdocs.model.ragged import Mask
from simdocs.model.search_result import SearchFacts
from simdocs.options.answers import Grouping
from simdocs.pipeline.boilerplate import with_common_tokens


def is_joinable(plan: Resolved[Any]) -> bool:
    """Whether an exact join, which was not asked for, would answer the same question."""
    return plan.banding is not None and plan.known is None


def read_documents(plan: Resolved[Any], run: Run, *, linked: bool) -> Corpus:
    """The documents of a plan that are compared, read and signed, or what an artifact has of them.

    linked: documents are wanted, too, that are linked with new or changed ones through others.
    """
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
    return corpus.select(rows_around(index, plan.changed, linked=linked))


def given_documents(plan: Resolved[Any], corpus: Corpus) -> Documents:
    """All documents that were given, although only some of them may have to be compared."""
    return corpus.documents if corpus.rows is None else opened_index(plan.intake.artifact).documents


def changed_ones(plan: Resolved[Any], corpus: Corpus) -> Mask | None:
    """Which documents of the corpus are new or changed, if only pairs with one of them are wanted: (N,)."""
    if plan.changed is None:
        return None
    return np.isin(np.arange(len(corpus)) if corpus.rows is None else corpus.rows, plan.changed)


def advice(plan: Resolved[Any], documents: Documents, found: PairGraph, corpus: Corpus) -> tuple[str, ...]:
    """Advice about encodings, about k for documents that are cut into shingles now, and about a template."""
    shingling, lines = plan.recipe.shingling, list(encoding_advice(documents))
    if plan.intake.artifact is None and plan.known is None:
        lines += length_advice(documents, shingling)
    if plan.changed is None:
        lines += template_advice(found, corpus, shingling.unit)
    return tuple(lines)


def verifier_of(plan: Resolved[Any], corpus: Corpus, run: Run) -> Verifier:
    """A verifier of these documents. An exact join drops no candidate because of its estimate."""
    by_exact, measure = plan.options.verify == "exact", plan.options.measure
    no_prefilter = plan.options.exact or measure == "containment"
    return Verifier(corpus, plan.threshold, run, measure=measure, exact=by_exact, no_prefilter=no_prefilter)


def warnings(plan: Resolved[Any], run: Run) -> Iterator[str]:
    """Yield what to know before trusting the answer."""
    yield from outdated_warnings(run, plan.intake.artifact, None if plan.known is None else plan.known.index)
    if plan.banding is not None:
        yield from unknown_recall(plan.recipe)
        yield from threshold_warning(plan.threshold, plan.banding)
        if plan.chosen_now:
            yield from low_recall(plan.banding, plan.recipe.sketching.num_perm)


def grouping_of(options: Any) -> Grouping:
    """How candidates were found and decided, as answers record it."""
    # Signatures say little about containment.
    return Grouping.of(options.fields()).but(exact=options.exact or options.measure == "containment")


def comparison_of(plan: Resolved[Any], corpus: Corpus, documents: Documents, run: Run) -> SearchFacts:
    """What was compared, and how."""
    banding = plan.banding
    return SearchFacts(
        documents=documents,
        recipe=corpus.recipe,
        walking=plan.intake.walking,
        grouping=grouping_of(plan.options),
        banding=banding,
        threshold=plan.threshold,
        probability=1.0 if banding is None else least_probability(plan.threshold, *banding.cut),
        candidates=run.tally.candidates,
        verified=run.tally.verified,
        skipped=run.skipped,
        changed=None if plan.changed is None else len(plan.changed),
        measure=plan.options.measure,
        ignored=len(corpus.ignored),
        looks_like=tuple(looking_like(documents)),
    )
