"""tune: what bands find by similarity, how similar documents are, and which options suit them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from simdocs.model.figures import counted, found_by
from simdocs.model.result import NAME, NUMBER, SIMILARITY, Table, table_head
from simdocs.options.answers import Drawn
from simdocs.options.declaration import OUTPUT, RUN, flags
from simdocs.options.recipes import OF_BANDS
from simdocs.options.sources import DOCS, Banded
from simdocs.options.texts import Rereading

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.model.documents import Documents
    from simdocs.model.skipped import Skipped
    from simdocs.model.tuning import Tuning
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
        "simdocs tune docs.index -o curve.svg",
    )
    usual = ("unit", "k", "num_perm", "threshold", "recall", "bands", "rows", "jobs", "output", "format")
    upstream = ("shingles", "signatures", "index")

    output: bytes | None = Drawn.options["output"].but(help="Write the answer to PATH; an image if it ends in .svg.")

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
    from simdocs.commands.own_functions import refuse_stated
    from simdocs.commands.tuner import Tuner, plan_of
    from simdocs.kernels.banding import low_recall
    from simdocs.matching.corpus import check_root

    refuse_stated(options)
    plan = plan_of(options)
    check_root(plan.intake.root)
    if options.ways():
        return Tuner(options, plan, run).tuning()
    recipe = plan.recipe
    low = list(low_recall(recipe.banding, recipe.sketching.num_perm))
    return tuned(recipe.banding, recipe, run.skipped, advice=low)


Example = tuple[bytes, bytes, float, str]
"""A pair of documents, their similarity, and their difference in short."""

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
    banding: Banding,
    recipe: Recipe,
    skipped: Skipped,
    *,
    advice: Sequence[str],
    documents: Documents | None = None,
    counts: Sequence[float] = (),
    similar: float = 0.0,
    texts: int = 0,
    every: int = 0,
    examples: Mapping[int, Example] = {},
    following: str = "",
) -> Tuning:
    """The result of tune: see Tuning. The last arguments are about documents, if there are any.

    counts: the estimated number of pairs in each twentieth; none without two different texts. similar: that of all
    pairs at the threshold or above. texts: the number of different texts. every: the number of documents from which
    these were drawn. examples: a pair in a twentieth.
    """
    from simdocs.commands.searching import facts_read, no_pair, read_in_words
    from simdocs.corpora.containers.recognise import looking_like
    from simdocs.kernels.banding import least_probability
    from simdocs.model.tuning import STEPS, Tuning

    threshold, cut = banding.threshold, banding.cut
    probability = least_probability(threshold, *cut)
    facts = {
        **({"documents": 0} if documents is None else facts_read(documents)),
        "skipped": skipped.counts,
        "threshold": threshold,
        "bands": cut.bands,
        "rows": cut.rows,
        "probability": probability,
        "texts": texts,
        "of_documents": every,
        "similar": round(similar),
        "parameters": recipe.as_dict(),
        "seconds": None,
        "looks_like": {} if documents is None else dict(looking_like(documents)),
        "advice": list(advice),
        "next": following,
    }

    def lines(_seconds: float, _verbose: bool) -> Iterator[str]:
        bands = found_by(*cut, threshold, probability)
        if documents is None:
            yield bands
        else:
            drawn = f", drawn at random from {every:,}" if every > len(documents) else ""
            yield f"{read_in_words(documents, skipped)}{drawn}; {counted(texts, 'different text')}"
            yield bands
            if counts:
                yield f"about {similar:,.0f} pairs of different texts have a similarity of {threshold:g} or more"
            else:
                yield no_pair(documents, skipped, "distribution of similarities")
        yield from advice

    rows = []
    for step in range(STEPS + 1):
        pairs, at = round(counts[step]) if counts else None, step / STEPS
        rows.append((at, cut.chance(at), pairs, *examples.get(step, (None, None, None, None))))
    return Tuning(
        Table.of(CURVE, rows),
        banding,
        tuple(map(round, counts)),
        following,
        facts=facts,
        lines=lines,
        documents=documents,
        skipped=skipped,
        # People who do not see the summary want to know the command that comes next, too.
        notes=(f"next: {following}",) if following else (),
        advice=advice,
    )
