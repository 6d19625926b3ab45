"""audit: the fraction of the similar pairs that the bands find."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from simdocs.errors import MemoryNeededError
from simdocs.model.figures import counted, cut_in_words, shown_probability
from simdocs.model.result import FACTS, Result, Table
from simdocs.options.answers import Drawn, Searching
from simdocs.options.declaration import option
from simdocs.options.recipes import Rereading
from simdocs.options.sources import DOCS, Banded
from simdocs.options.values import UNITS_OF_SIZE, whole

if TYPE_CHECKING:
    from simdocs.engines.engine import Run
    from simdocs.matching.measured_recall import MeasuredRecall
    from simdocs.options.recipes import Banding

_SAMPLE = 2000

_SAMPLED = "the tokens of all texts do not fit in memory at once: a sample of the texts is compared with all others"


class Audit(Banded, Rereading, Drawn):
    """Measure how many similar pairs the bands find.

    DOCS are files, directories (read recursively), - for standard input, or one artifact. Finds all pairs of similar
    documents by an exact join, and counts those that share a bucket. If the tokens do not fit in memory, or with
    --sample, documents are drawn at random and compared with all others.
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

    sample: int | None = option(
        whole(1),
        described=f"compare all pairs, or {_SAMPLE} documents with all if memory is short",
        help="Draw N documents, and compare each with all others.",
        metavar="N",
    )
    max_memory: int | None = Searching.options["max_memory"].but(
        help=f"Audit a sample if comparing all pairs needs more than SIZE of memory. {UNITS_OF_SIZE}"
    )
    exit_code: bool = Searching.options["exit_code"].but(
        help="Exit with 1 if the interval of the recall ends below the stated recall."
    )


def answer(options: Audit, run: Run) -> Result:
    """What the bands that were asked for find, or those of an index.

    A sample is compared with all documents if that was asked for, or if an exact join does not fit in memory.
    UsageError: options contradict an artifact, or no bands reach the recall. InputError, ArtifactError: documents or an
    artifact cannot be opened.
    """
    from simdocs.commands.resolve import of_bands
    from simdocs.commands.searching import facts_at_end, no_pair, read_in_words
    from simdocs.matching.corpus import check_root, read_corpus
    from simdocs.matching.groups import SelfJoin
    from simdocs.matching.measured_recall import measured_recall
    from simdocs.matching.verify import Verifier
    from simdocs.pipeline.again import outdated_warnings
    from simdocs.pipeline.boilerplate import with_common_tokens

    plan = of_bands(options, own=False)
    check_root(plan.intake.root)
    intake, recipe = with_common_tokens(plan.intake, plan.recipe, run)
    corpus = read_corpus(intake, recipe, run)
    documents, skipped, banding = corpus.documents, run.skipped, recipe.banding
    join = SelfJoin(Verifier(corpus, banding.threshold, run, no_prefilter=True), None)
    found = None
    # What was read before it became too much is held as long as the error is.
    with suppress(MemoryNeededError):
        found = measured_recall(join, banding.cut, options.sample, options.max_memory)
    if found is None:
        run.explain(_SAMPLED)
        skipped.warnings.append(_SAMPLED)
        found = measured_recall(join, banding.cut, _SAMPLE, None)
    skipped.warnings += outdated_warnings(run, intake.artifact)
    low, high = found.interval() or (None, None)
    answer = {
        "documents": len(documents),
        "distinct_texts": found.texts,
        "threshold": banding.threshold,
        **banding.cut._asdict(),
        "similar_pairs": found.pairs,
        "found": found.found,
        "missed": found.pairs - found.found,
        "recall": found.recall,
        "recall_low": low,
        "recall_high": high,
        "stated_recall": float(banding.recall),
        "sampled": found.sampled,
    }
    more = {"warnings": list(skipped.every_warning), **facts_at_end(documents), "advice": []}

    def lines(_seconds: float, _verbose: bool) -> Iterator[str]:
        yield f"{read_in_words(documents, skipped)}; {counted(found.texts, 'different text')}"
        too_few = [no_pair(documents, skipped, "recall to measure")]
        yield from too_few if found.texts < 2 else _recall_in_words(found, banding)

    return Result(
        "audit",
        Table.of(FACTS, answer.items()),
        facts={**answer, "skipped": skipped.counts, **more},
        lines=lines,
        documents=documents,
        skipped=skipped,
        is_found=high is not None and high < banding.recall,
    )


def _recall_in_words(found: MeasuredRecall, banding: Banding) -> Iterator[str]:
    where = f" of {counted(found.sampled, 'drawn text')}" if found.sampled else ""
    interval = found.interval()
    if interval is None or found.recall is None:
        yield f"no pair{where} is similar at {banding.threshold:g}, so there is no recall to measure"
        return
    yield (
        f"{counted(found.pairs, 'similar pair')}{where}, {found.found:,} found by"
        f" {cut_in_words(banding.bands, banding.rows)}; {found.pairs - found.found:,} missed"
    )
    recall, low, high = map(shown_probability, (found.recall, *interval))
    is_below = interval[1] < banding.recall
    yield (
        f"{f'the recall asked for, {banding.recall:g}, is not reached: ' if is_below else 'recall: '}{recall}"
        f" (95% interval: {low} to {high}; pairs of one family are found or missed together, so these count as"
        f" {found.cases:.3g})"
    )
