"""audit: the fraction of the similar pairs that the bands find."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from simdocs.errors import MemoryNeededError
from simdocs.options.answers import Drawn, Searching
from simdocs.options.declaration import option
from simdocs.options.sources import DOCS, Banded
from simdocs.options.texts import Rereading
from simdocs.options.values import UNITS_OF_SIZE, whole

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.matching.found_similar import FoundPairs
    from simdocs.matching.self_join import SelfJoin
    from simdocs.model.audited import Audit as Audited
    from simdocs.options.recipes import IndexRecipe

_SAMPLE = 2000

_SAMPLED = (
    "all texts and their similar pairs do not fit in memory at once: a sample of them is compared with all others"
)


def of_samples(options: Audit) -> str:
    """A sample is compared in little memory."""
    if options.sample is not None and options.max_memory is not None:
        return "--sample and --max-memory cannot be combined: a sample is compared in little memory"
    return ""


class Audit(Banded, Rereading, Drawn):
    """Measure how many similar pairs the bands find.

    DOCS are files, directories (read recursively), - for standard input, or one artifact. Finds all pairs of similar
    documents by an exact join, and counts those that share a bucket. This is repeated with other hash functions, for
    the 95% interval of the recall. If the tokens do not fit in memory, or with --sample, documents are drawn and
    compared with all others, and the interval is about what these say.
    """

    command = "audit"
    takes = DOCS
    examples = (
        "simdocs audit docs.index",
        "simdocs audit docs/ --unit word --threshold 0.7",
        "simdocs audit docs/ --bands 20 --rows 5 --exit-code",
        "simdocs audit docs.index --sample 5000",
    )
    usual = ("unit", "k", "num_perm", "threshold", "recall", "bands", "rows", "jobs", "output", "format")
    upstream = ("shingles", "signatures", "index")
    rules = (of_samples,)

    sample: int | None = option(
        whole(1),
        default=None,
        described=f"compare all pairs, or {_SAMPLE} if these do not fit in memory",
        help="Draw N documents, compare each with all others, and estimate from them what is missed.",
        metavar="N",
    )
    max_memory: int | None = Searching.options["max_memory"].but(
        help=f"Audit a sample if comparing all pairs needs more than SIZE of memory. {UNITS_OF_SIZE}"
    )
    exit_code: bool = Searching.options["exit_code"].but(
        help="Exit with 1 if the interval of the recall ends below the stated recall."
    )


def answer(options: Audit, run: Run) -> Audited:
    """What the bands that were asked for find, or those of an index.

    The missed pairs are estimated from a sample if that was asked for, or if an exact join does not fit in memory.
    UsageError: options contradict an artifact, or no bands reach the recall. InputError, ArtifactError: documents or an
    artifact cannot be opened.
    """
    from simdocs.commands.own_functions import refuse_stated
    from simdocs.commands.resolve import of_bands
    from simdocs.corpora.containers.recognise import looking_like
    from simdocs.matching.corpus import check_root
    from simdocs.matching.preparing import prepare
    from simdocs.matching.self_join import SelfJoin
    from simdocs.matching.verify import Verifier, outdated_warnings
    from simdocs.model.audited import Audit as Audited
    from simdocs.pipeline.boilerplate import with_common_tokens

    refuse_stated(options)
    plan = of_bands(options, run.delivery.outputs, own=False)
    check_root(plan.intake.root)
    intake, recipe = with_common_tokens(plan.intake, plan.recipe, run)
    corpus = prepare(intake, recipe, run)
    join = SelfJoin(Verifier(corpus, recipe.banding.threshold, run, no_prefilter=True), None)
    found = _measured(options, join, recipe, run)
    run.skipped.warnings += outdated_warnings(run, intake.artifact)
    return Audited(
        documents=corpus.documents,
        recipe=recipe,
        stated=recipe.banding.recall,
        skipped=run.skipped,
        **found._asdict(),
        looks_like=tuple(looking_like(corpus.documents)),
    )


def _measured(options: Audit, join: SelfJoin, recipe: IndexRecipe, run: Run) -> FoundPairs:
    """The pairs that the bands find, counted or estimated from a sample."""
    from simdocs.matching.found_similar import measured
    from simdocs.matching.sampled_recall import sampled_recall

    if options.sample is None:
        # What was read before it became too much is held as long as the error is.
        with suppress(MemoryNeededError):
            return measured(join, recipe.banding.cut, recipe.sketching, options.max_memory)
        run.explain(_SAMPLED)
        run.skipped.warnings.append(_SAMPLED)
    return sampled_recall(join, recipe.banding.cut, options.sample or _SAMPLE)
