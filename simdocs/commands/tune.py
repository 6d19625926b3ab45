"""tune: what bands find by similarity, how similar documents are, and which options suit them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simdocs.options.answers import Drawn
from simdocs.options.declaration import OUTPUT, RUN, flags
from simdocs.options.recipes import OF_BANDS, Rereading
from simdocs.options.sources import DOCS, Banded

if TYPE_CHECKING:
    from simdocs.engines.engine import Run
    from simdocs.model.comparison import Tuning


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
        others = [each.name for each in self.options.values() if each.shared not in (OUTPUT, RUN)]
        if useless := self.differ([name for name in others if name not in useful]):
            yield f"{flags(useless)} needs documents: name some, or leave it out"


def answer(options: Tune, run: Run) -> Tuning:
    """What the bands that were asked for find, with the options that suit the documents.

    UsageError: options contradict an artifact, or no bands reach the recall. InputError, ArtifactError: documents or an
    artifact cannot be opened.
    """
    from simdocs.commands.tuner import tuned

    return tuned(options, run)
