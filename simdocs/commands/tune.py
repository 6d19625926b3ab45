"""tune: which options suit documents, and what bands will find among them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from simdocs.model.figures import counted, found_by, with_interval
from simdocs.model.result import NAME, NUMBER, SIMILARITY, Row, Table, table_head
from simdocs.options.answers import Drawn
from simdocs.options.declaration import OUTPUT, RUN, flags, option
from simdocs.options.families import TUNE_LISTS
from simdocs.options.file_formats import FORMATS
from simdocs.options.recipes import OF_BANDS
from simdocs.options.sources import DOCS, Banded
from simdocs.options.texts import Rereading
from simdocs.options.values import choice

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.model.documents import Documents
    from simdocs.model.skipped import Skipped
    from simdocs.model.tuning import BandChoice, CorpusFacts, CurvePoint, Estimate, ExamplePair, Tuning
    from simdocs.options.recipes import Recipe


def whole_table(options: Tune) -> str:
    """A table for people shows the choices and the curve."""
    if options.list != "choices" and options.format is not None and FORMATS[options.format].for_people:
        *others, last = (name for name, form in FORMATS.items() if not form.for_people)
        return f"--list needs {', '.join(others)} or {last}: a {options.format} always shows both"
    return ""


class Tune(Banded, Rereading, Drawn):
    """Choose bands and rows, and show what they find.

    Without DOCS, shows the choices for a threshold and a recall, and with which probability they find a pair. DOCS are
    files, directories (read recursively), - for standard input, or one artifact. With DOCS, also estimates from a
    sample of them how similar they are to each other, how many pairs would be missed and how many false candidates
    compared. Then proposes options that suit their lengths, scripts and similarities, in a command for dedupe.
    """

    command = "tune"
    takes = DOCS
    examples = (
        "simdocs tune --threshold 0.7 --recall 0.99",
        "simdocs tune --bands 20 --rows 5 --list curve --header",
        "simdocs tune docs/ --unit word",
        "simdocs tune docs.index -o curve.svg",
    )
    usual = ("unit", "k", "num_perm", "threshold", "recall", "bands", "rows", "list", "output", "format")
    upstream = ("shingles", "signatures", "index")
    rules = (whole_table,)

    output: bytes | None = Drawn.options["output"].but(help="Write the answer to PATH; an image if it ends in .svg.")
    list: str = option(choice(TUNE_LISTS), default="choices", help="What to list.", metavar="WHAT", shell=True)

    def _check(self) -> Iterator[str]:
        if self.ways():
            yield from super()._check()
            return
        yield from self._check_texts()
        useful = {"num_perm", *OF_BANDS, "list"}
        useless = [
            each
            for each in self.differ(tuple(self.options))
            if each.name not in useful and each.shared not in (OUTPUT, RUN)
        ]
        if useless:
            yield f"{flags(useless)} needs documents: name some, or leave it out"


def answer(options: Tune, run: Run) -> Tuning:
    """What the bands that were asked for find, with the options that suit the documents.

    UsageError: options contradict an artifact, or no bands reach the recall. InputError, ArtifactError: documents or an
    artifact cannot be opened.
    """
    from simdocs.commands.own_functions import refuse_stated
    from simdocs.commands.tuner import Tuner, plan_of
    from simdocs.kernels.banding import low_recall
    from simdocs.matching import sampled_pairs
    from simdocs.matching.corpus import check_root

    refuse_stated(options)
    plan = plan_of(options)
    check_root(plan.intake.root)
    if options.ways():
        return Tuner(options, plan, run).tuning()
    recipe = plan.recipe
    return tuned(
        tuple(sampled_pairs.choices(recipe, None)),
        tuple(sampled_pairs.curve(recipe.banding, None)),
        recipe,
        run.skipped,
        advice=tuple(low_recall(recipe.banding, recipe.sketching.num_perm)),
    )


def tuned(
    choices: tuple[BandChoice, ...],
    curve: tuple[CurvePoint, ...],
    recipe: Recipe,
    skipped: Skipped,
    *,
    advice: tuple[str, ...],
    corpus: CorpusFacts | None = None,
    documents: Documents | None = None,
    following: str = "",
    examples: tuple[ExamplePair, ...] = (),
) -> Tuning:
    """The result of tune: see Tuning. Without documents, `corpus` and `documents` are None."""
    from dataclasses import asdict

    from simdocs.commands.searching import facts_read, no_pair, read_in_words
    from simdocs.corpora.containers.recognise import looking_like
    from simdocs.model.tuning import Tuning

    chosen = next(choice for choice in choices if choice.chosen)
    of_choice = asdict(chosen)
    in_bytes, _ = of_choice.pop("bytes"), of_choice.pop("chosen")  # `bytes` are those of the documents, as everywhere
    facts = {
        **({"documents": 0} if documents is None else facts_read(documents)),
        "skipped": skipped.counts,
        "bytes_a_document": in_bytes,
        **of_choice,
        **({} if corpus is None else asdict(corpus)),
        "parameters": recipe.as_dict(),
        "seconds": None,
        "looks_like": {} if documents is None else dict(looking_like(documents)),
        "advice": list(advice),
        "next": following,
    }

    def lines(_seconds: float, _verbose: bool) -> Iterator[str]:
        bands = found_by(chosen.bands, chosen.rows, chosen.threshold, chosen.probability)
        if corpus is None or documents is None:
            yield bands
            yield from advice
            return
        drawn = f", drawn at random from {corpus.of_documents:,}" if corpus.of_documents > len(documents) else ""
        yield f"{read_in_words(documents, skipped)}{drawn}; {counted(corpus.texts, 'different text')}"
        yield bands
        if not corpus.compared:
            yield no_pair(documents, skipped, "distribution of similarities")
        if corpus.typical is not None and corpus.unusual is not None:
            yield (
                f"half of the pairs have a similarity {_or_less(corpus.typical)}, and 99% {_or_less(corpus.unusual)};"
                f" pairs compared: {corpus.compared:,} of {corpus.pairs:,}"
            )
        if chosen.misses is not None and chosen.false_candidates is not None:
            is_crowded = 2 * chosen.false_candidates.value > max(_CROWD, corpus.texts)
            one_run = "one run may have twice as many" if is_crowded else "one run may differ"
            yield (
                f"pairs of different texts at {chosen.threshold:g} or above: {_about(corpus.similar, whole=True)};"
                f" expected ({one_run}): missed: {_about(chosen.misses)}, false candidates:"
                f" {_about(chosen.false_candidates)}"
            )
        yield from advice
        for pair in examples:
            difference = f": {pair.difference}" if pair.difference else ""
            yield f"{pair.where} {pair.threshold:g}: {pair.jaccard:.3f} {pair.document} {pair.other}{difference}"

    table = Table.of(CHOICES, map(_choice_row, choices))
    return Tuning(
        table,
        choices=choices,
        curve=curve,
        corpus=corpus,
        following=following,
        examples=examples,
        lists={"choices": table, "curve": Table.of(CURVE, map(_curve_row, curve))},
        facts=facts,
        lines=lines,
        documents=documents,
        skipped=skipped,
        # People who do not see the summary want to know the command that comes next, too.
        notes=(f"next: {following}",) if following else (),
        advice=advice,
    )


_CROWD = 100
"""No smaller number of false candidates is a crowd: each may be one by chance. If they are more than half as many as
the texts, these must share text, and runs find very different numbers. Texts that share none have about one candidate
each. Of 1,400 tweets of which 500 have one template, 4,500 are expected, and eight seeds found 1,000 to 10,100."""

_INTERVAL = ("", "_low", "_high")
CHOICES = table_head(
    bands=NUMBER,
    rows=NUMBER,
    num_perm=NUMBER,
    threshold=SIMILARITY,
    probability=SIMILARITY,
    probability_below=SIMILARITY,
    probability_above=SIMILARITY,
    half=SIMILARITY,
    steepest=SIMILARITY,
    bytes=NUMBER,
    **{f"misses{end}": SIMILARITY for end in _INTERVAL},
    **{f"false_candidates{end}": SIMILARITY for end in _INTERVAL},
    chosen=NAME,
)
CURVE = table_head(
    similarity=SIMILARITY,
    probability=SIMILARITY,
    **{f"pairs{end}": SIMILARITY for end in _INTERVAL},
    misses=SIMILARITY,
    false_candidates=SIMILARITY,
)


def _choice_row(choice: BandChoice) -> Row:
    """A choice as a row. NaN: unknown without two texts."""
    return (
        *(choice.bands, choice.rows, choice.num_perm, choice.threshold, choice.probability),
        *(choice.probability_below, choice.probability_above, choice.half, choice.steepest, choice.bytes),
        *_figures(choice.misses),
        *_figures(choice.false_candidates),
        "yes" if choice.chosen else "no",
    )


def _curve_row(point: CurvePoint) -> Row:
    """A point of the curve as a row. NaN: unknown without two texts."""
    misses, false = (math.nan if each is None else each.value for each in (point.misses, point.false_candidates))
    return point.similarity, point.probability, *_figures(point.pairs), misses, false


def _figures(estimate: Estimate | None) -> tuple[float, ...]:
    return (math.nan,) * 3 if estimate is None else tuple(estimate)


_LEAST_SHOWN = 0.0001
"""The smallest similarity that four digits show."""


def _or_less(similarity: float) -> str:
    """A bound of similarities. One that has no digits but zeros is given as the smallest that has others."""
    return f"below {_LEAST_SHOWN}" if similarity < _LEAST_SHOWN / 2 else f"of {similarity:.4f} or less"


def _about(estimate: Estimate, *, whole: bool = False) -> str:
    """An estimated number with its 95% interval, unless the ends of the interval look like the number."""
    value, interval = with_interval(estimate, whole=whole)
    return f"about {value} {interval}" if interval else value
