"""tune: what bands find by similarity, how similar documents are, and which options suit them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from simdocs.model.figures import counted, found_by
from simdocs.model.result import NAME, NUMBER, SIMILARITY, Table, table_head
from simdocs.options.answers import Drawn
from simdocs.options.declaration import OUTPUT, RUN, flags
from simdocs.options.recipes import OF_BANDS
from simdocs.options.sources import DOCS, Banded
from simdocs.options.texts import Rereading

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.model.comparison import Tuning
    from simdocs.model.documents import Documents
    from simdocs.model.skipped import Skipped
    from simdocs.options.recipes import Banding, Recipe


class Tune(Banded, Rereading, Drawn):
    """Show what the bands find, and propose options that suit DOCS.

    Lists the similarities from 0 to 1: with which probability the bands find a pair. With DOCS, which are files,
    directories (read recursively), - for standard input, or one artifact, a sample of them is compared: how many pairs
    have this similarity, with an example. Then proposes options that suit their lengths, scripts and similarities, in
    a command for dedupe.
    """

    command = "tune"
    takes = DOCS
    examples = (
        "simdocs tune --threshold 0.7 --recall 0.99",
        "simdocs tune --bands 20 --rows 5 --header",
        "simdocs tune docs/ --unit word",
    )
    usual = ("unit", "k", "num_perm", "threshold", "recall", "bands", "rows", "jobs", "output", "format")
    upstream = ("shingles", "signatures", "index")

    def _check(self) -> Iterator[str]:
        if self.ways():
            yield from super()._check()
            return
        yield from self._check_texts()
        useful = {"num_perm", *OF_BANDS}
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
    from simdocs.commands.tuner import Tuner, plan_of
    from simdocs.kernels.banding import low_recall
    from simdocs.matching.corpus import check_root

    plan = plan_of(options)
    check_root(plan.intake.root)
    if options.ways():
        return Tuner(options, plan, run).tuning()
    recipe = plan.recipe
    low = list(low_recall(recipe.banding, recipe.sketching.num_perm))
    return tuned(recipe.banding, recipe, run.skipped, low)


class Sampled(NamedTuple):
    """What is known of documents from a sample of their pairs.

    documents: those that were read. every: the number of documents from which these were drawn.
    texts: the number of different texts.
    counts: the estimated number of pairs in each twentieth; none without two different texts.
    similar: that of all pairs at the threshold or above.
    examples: a pair in a twentieth: the two names, the similarity, and the difference in short.
    following: the call that is proposed; empty if there is none.
    """

    documents: Documents
    every: int
    texts: int
    counts: list[float]
    similar: float
    examples: Mapping[int, tuple[bytes, bytes, float, str]]
    following: str


CURVE = table_head(
    similarity=SIMILARITY,
    probability=SIMILARITY,
    pairs=NUMBER,
    document=NAME,
    other=NAME,
    jaccard=SIMILARITY,
    difference=NAME,
)


def tuned(
    banding: Banding, recipe: Recipe, skipped: Skipped, advice: Sequence[str], found: Sampled | None = None
) -> Tuning:
    """The result of tune: see Tuning. found: what is known of documents, if there are any."""
    from simdocs.commands.searching import facts_read
    from simdocs.kernels.banding import least_probability
    from simdocs.model.comparison import Tuning
    from simdocs.model.figures import STEPS
    from simdocs.reading.lookalikes import looking_like

    cut, following = banding.cut, "" if found is None else found.following
    counts = [] if found is None else found.counts
    facts: dict[str, Any] = {
        **({"documents": 0} if found is None else facts_read(found.documents)),
        "skipped": skipped.counts,
        "threshold": banding.threshold,
        "bands": cut.bands,
        "rows": cut.rows,
        "probability": least_probability(banding.threshold, *cut),
        "texts": 0 if found is None else found.texts,
        "of_documents": 0 if found is None else found.every,
        "similar": 0 if found is None else round(found.similar),
        "parameters": recipe.as_dict(),
        "seconds": None,
        "looks_like": {} if found is None else dict(looking_like(found.documents)),
        "advice": list(advice),
        "next": following,
    }
    rows = []
    for step in range(STEPS + 1):
        pairs, at = round(counts[step]) if counts else None, step / STEPS
        pair = (None, None, None, None) if found is None else found.examples.get(step, (None, None, None, None))
        rows.append((at, cut.chance(at), pairs, *pair))
    return Tuning(
        Table.of(CURVE, rows),
        banding,
        tuple(map(round, counts)),
        following,
        facts=facts,
        lines=lambda _seconds, _verbose: _lines(facts, skipped, advice, found),
        documents=None if found is None else found.documents,
        skipped=skipped,
        # People who do not see the summary want to know the command that comes next, too.
        notes=(f"next: {following}",) if following else (),
        advice=advice,
    )


def _lines(facts: Mapping[str, Any], skipped: Skipped, advice: Sequence[str], found: Sampled | None) -> Iterator[str]:
    from simdocs.commands.searching import no_pair, read_in_words

    bands = found_by(facts["bands"], facts["rows"], facts["threshold"], facts["probability"])
    if found is None:
        yield bands
    else:
        drawn = f", drawn at random from {found.every:,}" if found.every > len(found.documents) else ""
        yield f"{read_in_words(found.documents, skipped)}{drawn}; {counted(found.texts, 'different text')}"
        yield bands
        if found.counts:
            many = f"{found.similar:,.0f}"
            yield f"about {many} pairs of different texts have a similarity of {facts['threshold']:g} or more"
        else:
            yield no_pair(found.documents, skipped, "distribution of similarities")
    yield from advice
