"""audit: the fraction of the similar pairs that the bands find."""

from __future__ import annotations

from contextlib import suppress

from simdocs.commands.resolve import resolve
from simdocs.corpora.containers.recognise import looking_like
from simdocs.engines.run import Run
from simdocs.errors import MemoryNeededError
from simdocs.matching.candidates.self_join import SelfJoin
from simdocs.matching.preparing import prepare
from simdocs.matching.sampling.found_similar import FoundPairs, measured
from simdocs.matching.sampling.sampled_recall import sampled_recall
from simdocs.matching.verification.verify import Verifier, outdated_warnings
from simdocs.model.answers import Delivery
from simdocs.model.audited import Audit
from simdocs.parameters.recipes import IndexRecipe
from simdocs.pipeline.boilerplate import with_common_tokens
from simdocs.requests.studying import AuditRequest

_SAMPLED = (
    "all texts and their similar pairs do not fit in memory at once: a sample of them is compared with all others"
)


def answer(request: AuditRequest, run: Run, delivery: Delivery) -> Audit:
    """An Audit of the bands that a request chooses, or of those of an index.

    The missed pairs are estimated from a sample if that was asked for, or if an exact join does not fit in memory.
    UsageError: it contradicts an artifact, or no bands reach the recall. InputError, ArtifactError: documents or an
    artifact cannot be opened.
    """
    plan = resolve(request, delivery.outputs)
    intake, recipe = with_common_tokens(plan.intake, plan.recipe, run)
    corpus = prepare(intake, recipe, run)
    banding = recipe.banding
    join = SelfJoin(Verifier(corpus, banding.threshold, run, no_prefilter=True), None)
    found = _measured(request, join, recipe, run)
    run.skipped.warnings += outdated_warnings(run, intake.artifact)
    return Audit(
        documents=corpus.documents,
        recipe=recipe,
        stated=banding.recall,
        skipped=run.skipped,
        **found._asdict(),
        looks_like=tuple(looking_like(corpus.documents)),
    )


def _measured(request: AuditRequest, join: SelfJoin, recipe: IndexRecipe, run: Run) -> FoundPairs:
    """The pairs that the bands find, counted or estimated from a sample."""
    cut = recipe.banding.cut
    if not request.has("sample"):
        # What was read before it became too much is held as long as the error is.
        with suppress(MemoryNeededError):
            return measured(join, cut, recipe.sketching, request.comparing.max_memory)
        run.explain(_SAMPLED)
        run.skipped.warnings.append(_SAMPLED)
    return sampled_recall(join, cut, request.sampling.sample)
