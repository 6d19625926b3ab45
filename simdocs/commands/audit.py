"""audit: the fraction of the similar pairs that the bands find."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simdocs.errors import MemoryNeededError
from simdocs.model.figures import counted, cut_in_words, shown_probability
from simdocs.model.result import FACTS, KEYED, NAME, Look, Table
from simdocs.options.answers import Drawn, Searching
from simdocs.options.declaration import option
from simdocs.options.sources import DOCS, Banded
from simdocs.options.texts import Rereading
from simdocs.options.values import UNITS_OF_SIZE, whole

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.matching.found_similar import FoundPairs, MeasuredRecall
    from simdocs.matching.self_join import SelfJoin
    from simdocs.model.result import Result
    from simdocs.options.recipes import Banding, IndexRecipe

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "documents": "documents that were read",
        "distinct_texts": "different texts among them",
        "threshold": "near-duplicates reach this similarity",
        "bands": "bands of a signature",
        "rows": "rows of a band",
        "similar_pairs": "pairs of texts at the threshold or above",
        "found": "similar pairs that share a bucket",
        "missed": "similar pairs that share none",
        "recall": "found / similar_pairs",
        "stated_recall": "smallest recall that was asked for",
        "predicted_recall": "mean probability of these pairs to be found",
        "seeds": "other hash functions that were tried",
        "mean_recall": "mean recall with these",
        "mean_recall_low": "95% interval of the recall to expect: from",
        "mean_recall_high": "95% interval of the recall to expect: to",
        "candidates": "pairs of texts that share a bucket",
        "precision": "found / candidates",
        "sampled": "documents drawn to estimate; 0: all compared",
        "recall_low": "95% interval of recall in a sample: from",
        "recall_high": "95% interval of recall in a sample: to",
        "missed_family": "largest family that the sample may overlook (5% chance)",
    }
)
"""The meaning of each key, in a few words."""

_ESTIMATED = frozenset({"similar_pairs", "missed"})
"""Counts that a sample estimates. The others are exact."""

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


def answer(options: Audit, run: Run) -> Result:
    """What the bands that were asked for find, or those of an index.

    The missed pairs are estimated from a sample if that was asked for, or if an exact join does not fit in memory.
    UsageError: options contradict an artifact, or no bands reach the recall. InputError, ArtifactError: documents or an
    artifact cannot be opened.
    """
    from simdocs.commands.own_functions import refuse_stated
    from simdocs.commands.resolve import of_bands
    from simdocs.commands.searching import no_pair, read_in_words
    from simdocs.corpora.containers.recognise import looking_like
    from simdocs.matching.corpus import check_root
    from simdocs.matching.preparing import prepare
    from simdocs.matching.self_join import SelfJoin
    from simdocs.matching.verify import Verifier, outdated_warnings
    from simdocs.model.result import Result
    from simdocs.pipeline.boilerplate import with_common_tokens

    refuse_stated(options)
    plan = of_bands(options, own=False)
    check_root(plan.intake.root)
    intake, recipe = with_common_tokens(plan.intake, plan.recipe, run)
    corpus = prepare(intake, recipe, run)
    join = SelfJoin(Verifier(corpus, recipe.banding.threshold, run, no_prefilter=True), None)
    found = _measured(options, join, recipe, run)
    run.skipped.warnings += outdated_warnings(run, intake.artifact)
    documents, skipped, banding = corpus.documents, run.skipped, recipe.banding
    facts = {
        "documents": len(documents),
        "distinct_texts": found.texts,
        "threshold": banding.threshold,
        "bands": banding.bands,
        "rows": banding.rows,
        "similar_pairs": found.pairs,
        "found": found.found,
        "candidates": found.candidates,
        "precision": found.found / found.candidates if found.candidates else None,
        "stated_recall": banding.recall,
        "sampled": found.sampled,
        "recall": None if found.recall is None else found.recall._asdict(),
        "skipped": skipped.counts,
        "warnings": list(skipped.every_warning),
        "seconds": None,
        "looks_like": dict(looking_like(documents)),
        "advice": [],
    }

    def lines(_seconds: float, _verbose: bool) -> Iterator[str]:
        yield f"{read_in_words(documents, skipped)}; {counted(found.texts, 'different text')}"
        if found.texts < 2:
            yield no_pair(documents, skipped, "recall to measure")
        elif found.recall is None:
            where = " in the sample" if found.sampled else ""
            yield f"no pair{where} is similar at {banding.threshold:g}, so there is no recall to measure"
        else:
            yield from (_lines_of_sample if found.sampled else _lines_of_all)(found, found.recall, banding)

    every = list(_rows(facts, found))
    return Result(
        "audit",
        Table.of(FACTS, every),
        drawn=lambda look: (_drawn(every, found, look),),
        facts=facts,
        lines=lines,
        documents=documents,
        skipped=skipped,
        is_found=_is_below(found, banding),
    )


def _is_below(found: FoundPairs, banding: Banding) -> bool:
    """Whether the recall is certainly below the stated one: its interval ends below."""
    return found.recall is not None and found.recall.high < banding.recall


def _has_drawn_all(found: FoundPairs) -> bool:
    """Whether a sample has every text, so that nothing is estimated."""
    return found.sampled > 0 and not found.missed_family


def _rows(facts: Mapping[str, Any], found: FoundPairs) -> Iterator[tuple[str, Any]]:
    """Yield the facts, as keys and values. None: it is not defined."""
    recall, sampled = found.recall, found.sampled
    interval = (None, None) if recall is None else (recall.low, recall.high)
    of_mean, of_found = ((None, None), interval) if sampled else (interval, (None, None))
    yield from ((name, facts[name]) for name in ("documents", "distinct_texts", "threshold", "bands", "rows"))
    yield "similar_pairs", found.pairs
    yield "found", found.found
    yield "missed", found.pairs - found.found
    yield "recall", None if recall is None else recall.found
    yield "stated_recall", float(facts["stated_recall"])
    yield "predicted_recall", None if recall is None else recall.predicted
    yield "seeds", 0 if recall is None else recall.seeds
    yield "mean_recall", None if recall is None else recall.mean
    yield "mean_recall_low", of_mean[0]
    yield "mean_recall_high", of_mean[1]
    yield "candidates", found.candidates
    yield "precision", facts["precision"]
    yield "sampled", sampled
    yield "recall_low", of_found[0]
    yield "recall_high", of_found[1]
    yield "missed_family", found.missed_family if sampled else None


def _drawn(every: list[tuple[str, Any]], found: FoundPairs, look: Look) -> Table:
    """The facts; for people, without empty values, and with estimates marked as such."""
    drawn_all, rows = _has_drawn_all(found), list[tuple[Any, ...]]()
    for key, value in every:
        if value is None and look.for_people:
            continue
        about = look.for_people and found.sampled and not drawn_all and key in _ESTIMATED
        meaning = "all texts were compared" if key == "sampled" and drawn_all else MEANINGS[key]
        shown = f"about {value:.0f}" if about else value
        rows.append((key, shown, meaning) if look.explained else (key, shown))
    return Table.of(FACTS.but(KEYED, meaning=NAME) if look.explained else FACTS, rows)


def _not_reached(found: FoundPairs, banding: Banding) -> str:
    """A phrase that the recall is not reached; empty if it may be."""
    return f"the recall asked for, {banding.recall:g}, is not reached: " if _is_below(found, banding) else ""


def _lines_of_sample(measured: FoundPairs, recall: MeasuredRecall, banding: Banding) -> Iterator[str]:
    cut, missing, stated = banding.cut, measured.pairs - measured.found, f"stated: {banding.recall:g} or more"
    found, low, high = map(shown_probability, (recall.found, recall.low, recall.high))
    predicted = "" if recall.predicted is None else f" predicted: {shown_probability(recall.predicted)};"
    missed = _not_reached(measured, banding)
    yield (
        f"{counted(measured.found, 'similar pair')} found by {cut_in_words(cut.bands, cut.rows)};"
        f" {counted(measured.candidates, 'candidate')}"
    )
    if _has_drawn_all(measured):
        yield (
            f"the sample has all {counted(measured.texts, 'text')}, and {missing:,} missed pairs:"
            f" {missed}{found};{predicted} {stated}"
        )
        return
    yield (
        f"from a sample of {measured.sampled:,}, about {missing:,} missed:"
        f" {missed}{found} ({low} to {high});{predicted} {stated}"
    )
    if measured.missed_family:
        yield (
            f"with a probability of 5% such a sample misses a family of {measured.missed_family:,} similar documents"
            " of which the bands find no pair"
        )


def _lines_of_all(measured: FoundPairs, recall: MeasuredRecall, banding: Banding) -> Iterator[str]:
    assert recall.mean is not None
    assert recall.predicted is not None
    cut, stated = banding.cut, f"stated: {banding.recall:g} or more"
    found, low, high = map(shown_probability, (recall.found, recall.low, recall.high))
    mean, predicted = map(shown_probability, (recall.mean, recall.predicted))
    yield (
        f"{counted(measured.pairs, 'similar pair')}, {measured.found:,} found by {cut_in_words(cut.bands, cut.rows)}"
        f" ({found}); {counted(measured.candidates, 'candidate')}"
    )
    if measured.pairs == measured.found and recall.mean == 1:
        # The interval only says how few pairs there are, and its lower end may be below what is stated.
        yield (
            f"all similar pairs were found with each of {recall.seeds} other hash functions, too"
            f" (predicted: {predicted}; {stated})"
        )
    elif missed := _not_reached(measured, banding):
        yield f"{missed}{mean} on average with {recall.seeds} other hash functions ({low} to {high} expected)"
    else:
        yield (
            f"with {recall.seeds} other hash functions: {mean} on average ({low} to {high} expected);"
            f" predicted: {predicted}; {stated}"
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
