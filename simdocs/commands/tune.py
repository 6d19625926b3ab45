"""tune: which options suit documents, and what bands will find among them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

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
    from simdocs.model.tuning import Tuning


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
    from simdocs.model.tuning import Tuning

    refuse_stated(options)
    plan = plan_of(options, run)
    check_root(plan.intake.root)
    if options.ways():
        return Tuner(options, plan, run).tuning()
    recipe = plan.recipe
    return Tuning(
        choices=tuple(sampled_pairs.choices(recipe, None)),
        curve=tuple(sampled_pairs.curve(recipe.banding, None)),
        corpus=None,
        advice=tuple(low_recall(recipe.banding, recipe.sketching.num_perm)),
        next="",
        recipe=recipe,
        documents=None,
        skipped=run.skipped,
    )
