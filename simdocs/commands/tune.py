"""tune: which bands to choose, and what they will find among these documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from simdocs.advice.common_advice import common_advice
from simdocs.advice.length_advice import larger_k, length_advice, next_larger_k, smaller_k
from simdocs.advice.similarity_advice import Advice, length_of_signatures, many_similar, similarity_advice
from simdocs.commands.ignoring import leaving_out
from simdocs.commands.next_call import BANDS_AGAIN, built_again, next_call
from simdocs.commands.resolve import (
    banding_of,
    contradictions_with,
    encoded_root,
    index_recipe,
    intake_of,
    signature_recipe,
)
from simdocs.engines.run import Run
from simdocs.kernels.compare.pair_totals import total
from simdocs.matching.documents.prepared import Prepared, prepared
from simdocs.matching.sampling import forecast
from simdocs.matching.sampling.sampled_pairs import sample_pairs
from simdocs.matching.verification.token_sets import token_sets
from simdocs.matching.verification.verify import Verifier, warn_of_outdated
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.delivery import Delivery
from simdocs.model.documents import WITHOUT_TOKENS
from simdocs.model.numbering import Rows, TextNumbers
from simdocs.model.pair_sample import PairSample
from simdocs.model.ragged import Floats, Ragged
from simdocs.model.tuning import BandChoice, CorpusFacts, CurvePoint, Tuning
from simdocs.pipeline.boilerplate import with_common_tokens
from simdocs.pipeline.indexing import low_recall
from simdocs.pipeline.prepare import Intake
from simdocs.recipes import OF_BANDS, IndexRecipe
from simdocs.requests.tune_request import TuneRequest

_SAMPLED = 1000
"""Documents whose tokens are counted to find a template."""


Judged = tuple[CorpusFacts, tuple[BandChoice, ...], tuple[CurvePoint, ...]]
"""What is known of the similarities, the choices of bands, and the curve of the chosen one."""


@dataclass(frozen=True, slots=True)
class TunePlan:
    """The bands to judge. intake: the documents to judge them with, if there are any."""

    recipe: IndexRecipe
    intake: Intake | None

    @property
    def artifact(self) -> Artifact | None:
        """The artifact that has the documents, if there is one."""
        return None if self.intake is None else self.intake.artifact


def answer(request: TuneRequest, run: Run, delivery: Delivery) -> Tuning:
    """What the bands find that a request chooses.

    UsageError: it contradicts an artifact, or no bands reach the recall. InputError, ArtifactError: documents or an
    artifact cannot be opened.
    """
    plan = plan_tune(request, delivery)
    recipe, threshold = plan.recipe, plan.recipe.banding.threshold
    if plan.intake is None:
        choices, curve = tuple(forecast.choices(recipe, None)), tuple(forecast.curve(recipe.banding, None))
        lines = tuple(low_recall(recipe.banding, recipe.sketching.num_perm))
        return Tuning(choices, curve, None, lines, "", recipe, None, run.skipped)
    intake, recipe = with_common_tokens(plan.intake, recipe, run)
    ready = prepared(intake, recipe, run)
    firsts, _ = ready.documents.distinct_texts()
    sample = _sample(ready, firsts, recipe, run)
    warn_of_outdated(run, plan.artifact)
    known = sample if len(sample.random) else None
    choices, curve = tuple(forecast.choices(recipe, known)), tuple(forecast.curve(recipe.banding, known))
    corpus = forecast.corpus_facts(sample, len(firsts), threshold)
    lines, changes = _advice(plan, ready, recipe, sample, (corpus, choices, curve), run)
    following = ""
    if changes is not None and _with_tokens(ready) > 1:
        following = next_call(request, plan.artifact, changes)
    return Tuning(choices, curve, corpus, lines, following, recipe, ready.documents, run.skipped)


def plan_tune(request: TuneRequest, delivery: Delivery) -> TunePlan:
    """The plan for a request: see `answer`."""

    intake = None
    if request.has_documents:
        intake = intake_of(request, delivery.outputs, lambda found: contradictions_with(found, request, OF_BANDS))
    fixed = None if intake is None or intake.artifact is None else intake.artifact.recipe
    if intake is not None:
        encoded_root(intake.root)
    recipe = signature_recipe(request, fixed)
    if intake is not None:
        intake, recipe = leaving_out(request, intake, recipe, intake.artifact)
    if isinstance(fixed, IndexRecipe) and not request.given().keys() & set(OF_BANDS):
        return TunePlan(fixed, intake)
    return TunePlan(index_recipe(recipe, banding_of(request, recipe.sketching.num_perm)), intake)


def _sample(ready: Prepared, firsts: Rows, recipe: IndexRecipe, run: Run) -> PairSample:
    """A sample of all pairs of different texts. firsts: (M,) the first document of each text."""
    verifier = Verifier(ready.corpus, recipe.shingling, recipe.banding.threshold, run)

    def compare(left: TextNumbers, right: TextNumbers) -> Floats:
        return verifier.exact_jaccard(firsts[left], firsts[right])

    return sample_pairs(ready.signatures[firsts], compare, recipe.shingling.seed, run.progress)


def _advice(
    plan: TunePlan, ready: Prepared, recipe: IndexRecipe, sample: PairSample, judged: Judged, run: Run
) -> tuple[tuple[str, ...], dict[str, Any] | None]:
    """The lines of advice, and the parameters with which they would be followed; None if people have to choose some."""
    (corpus, choices, curve), banding, texts = judged, recipe.banding, judged[0].texts
    documents, shingling = ready.documents, recipe.shingling
    chosen = next(choice for choice in choices if choice.chosen)
    larger, smaller = larger_k(documents, shingling), smaller_k(documents, shingling)
    k = smaller if larger is None else larger
    of_length = list(length_advice(documents, shingling))
    advice = [Advice(line, {} if k is None else {"k": k}) for line in of_length]
    if larger is None and not many_similar(corpus):
        advice += _of_template(plan, ready, recipe, run)
    if k is None and len(advice) == len(of_length):
        # Otherwise similarities will be others, and tune comes again.
        advice += similarity_advice(corpus, curve, chosen, shingling, next_larger_k(documents, shingling))
        if not any("k" in each.change for each in advice):
            advice += length_of_signatures(
                texts,
                chosen,
                banding.recall,
                lambda cut: total(sample, forecast.false_candidates(cut, banding.threshold)),
            )
    changes = {name: value for each in advice for name, value in each.change.items()}
    undecided = not all(each.change for each in advice)
    lines = [*(each.line for each in advice), *built_again(plan.artifact, advice)]
    if low := tuple(low_recall(banding, recipe.sketching.num_perm)):
        lines, changes = [*low, *lines], {BANDS_AGAIN: None} | changes
    return tuple(lines), None if undecided else changes


def _with_tokens(ready: Prepared) -> int:
    """How many documents can be compared."""
    return int(np.count_nonzero(ready.documents.facts["flags"] & WITHOUT_TOKENS == 0))


def _of_template(plan: TunePlan, ready: Prepared, recipe: IndexRecipe, run: Run) -> Iterator[Advice]:
    """Advice about a template that a sample of the documents shares; none if signatures have fixed the tokens."""
    if plan.artifact is None or isinstance(plan.artifact, Shingles):
        rows = np.flatnonzero(ready.documents.facts["flags"] & WITHOUT_TOKENS == 0)
        if len(rows) > _SAMPLED:
            rows = np.sort(np.random.default_rng(recipe.shingling.seed).choice(rows, _SAMPLED, replace=False))
        verifier = Verifier(ready.corpus, recipe.shingling, recipe.banding.threshold, run)
        yield from common_advice(Ragged.concat([sets for _, sets in token_sets(verifier, rows)], np.uint32))
