"""tune: which bands to choose, and what they will find among these documents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from simdocs.advice.common_advice import common_advice
from simdocs.advice.length_advice import larger_k, length_advice, smaller_k
from simdocs.advice.similarity_advice import Advice, length_of_signatures, many_similar, similarity_advice
from simdocs.commands.ignoring import leaving_out
from simdocs.commands.resolve import (
    banding_of,
    contradictions_with,
    encoded_root,
    index_recipe,
    intake_of,
    signature_recipe,
)
from simdocs.engines.run import Run
from simdocs.errors import suggested
from simdocs.kernels.compare.pair_totals import total
from simdocs.matching.documents.prepared import Prepared, prepared
from simdocs.matching.sampling import forecast
from simdocs.matching.sampling.sampled_pairs import sample_pairs
from simdocs.matching.verification.token_sets import token_sets
from simdocs.matching.verification.verify import Verifier, outdated_warning
from simdocs.model.artifact import Artifact, Shingles
from simdocs.model.delivery import Delivery
from simdocs.model.documents import WITHOUT_TOKENS
from simdocs.model.numbering import Rows, TextNumbers
from simdocs.model.pair_sample import PairSample
from simdocs.model.ragged import Floats, Ragged
from simdocs.model.tuning import Tuning
from simdocs.pipeline.boilerplate import with_common_tokens
from simdocs.pipeline.prepare import Intake
from simdocs.recipes import OF_BANDS, IndexRecipe
from simdocs.requests.tune_request import TuneRequest

_SAMPLED = 1000
"""Documents whose tokens are counted to find a template."""


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
        return Tuning(choices, curve, None, (), "", recipe, None, run.skipped)
    intake, recipe = with_common_tokens(plan.intake, recipe, run)
    ready = prepared(intake, recipe, run)
    firsts, _ = ready.documents.distinct_texts()
    sample = _sample(ready, firsts, recipe, run)
    run.skipped.warnings += outdated_warning(run.tally, plan.artifact)
    known = sample if len(sample.random) else None
    choices, curve = tuple(forecast.choices(recipe, known)), tuple(forecast.curve(recipe.banding, known))
    corpus = forecast.corpus_facts(sample, len(firsts), threshold)
    chosen = next(choice for choice in choices if choice.chosen)
    larger, smaller = (better(ready.documents, recipe.shingling) for better in (larger_k, smaller_k))
    k = smaller if larger is None else larger
    advice = list[Advice]()
    if larger is None and not many_similar(corpus):
        advice += _of_template(plan, ready, recipe, run)
    if k is None and not advice:
        # Otherwise similarities will be others, and tune comes again.
        advice += similarity_advice(corpus, curve, chosen, recipe.shingling)
        advice += length_of_signatures(
            len(firsts),
            chosen,
            recipe.banding.recall,
            lambda cut: total(sample, forecast.false_candidates(cut, threshold)),
        )
    changes: dict[str, Any] = {name: value for each in advice for name, value in each.change.items()}
    if k is not None:
        changes["k"] = k
    lines = (*length_advice(ready.documents, recipe.shingling), *(each.line for each in advice))
    following = _next(request, plan, changes) if len(ready.documents) > 1 else ""
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


def _of_template(plan: TunePlan, ready: Prepared, recipe: IndexRecipe, run: Run) -> Iterator[Advice]:
    """Advice about a template that a sample of the documents shares; none if signatures have fixed the tokens."""
    if plan.artifact is None or isinstance(plan.artifact, Shingles):
        rows = np.flatnonzero(ready.documents.facts["flags"] & WITHOUT_TOKENS == 0)
        if len(rows) > _SAMPLED:
            rows = np.sort(np.random.default_rng(recipe.shingling.seed).choice(rows, _SAMPLED, replace=False))
        verifier = Verifier(ready.corpus, recipe.shingling, recipe.banding.threshold, run)
        yield from common_advice(Ragged.concat([sets for _, sets in token_sets(verifier, rows)], np.uint32))


def _next(request: TuneRequest, plan: TunePlan, changes: dict[str, Any]) -> str:
    """The call that comes next; empty if the documents cannot be read a second time.

    It is tune again if another k is advised, or tokens are to be left out, because other similarities call for other
    advice.
    """
    ways = (*request.documents, request.files_from, request.files0_from)
    if request.texts is not None or b"-" in ways or not all(isinstance(way, bytes) for way in ways if way is not None):
        return ""
    names = list(map(os.fsdecode, request.documents))
    given: dict[str, Any] = {
        name: os.fsdecode(value) if isinstance(value, bytes) else value for name, value in request.given().items()
    }
    if request.template:
        given["template"] = [os.fsdecode(name) for name in request.template]
    if plan.artifact is None:
        return suggested("tune" if {"k", "ignore_common"} & changes.keys() else "dedupe", *names, **given | changes)
    of_bands = {name: value for name, value in (given | changes).items() if name in OF_BANDS}
    fixed = plan.artifact.recipe
    if isinstance(fixed, IndexRecipe) and of_bands:
        return suggested("index", *names, **of_bands, output=names[0])
    return suggested(
        "dedupe", *names, **{name: value for name, value in given.items() if name not in OF_BANDS} | of_bands
    )
