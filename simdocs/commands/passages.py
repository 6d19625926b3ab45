"""passages: which passages occur in several documents?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from simdocs.options.answers import Drawn, Searching
from simdocs.options.recipes import TEMPLATE, SignatureRecipe, Sketching
from simdocs.options.sources import DOCS, OfTokens
from simdocs.options.texts import MIN_PASSAGE

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.model.result import Result


class Passages(OfTokens, Drawn):
    """Find passages that occur in several documents.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. Such passages are boilerplate,
    or quotes that went from one to another. Each place of each passage is listed. First come the passages that take
    most text beside their first place. Texts are compared after they were normalised.
    """

    command = "passages"
    takes = DOCS
    without = frozenset(("multiset", "seed"))
    examples = (
        "simdocs passages docs/",
        "simdocs passages docs/ --unit word --min-passage 30",
        "simdocs passages docs/ --unit line -o passages.tsv",
        "simdocs passages docs/ --template form.txt",
    )
    usual = ("unit", "k", "include", "min_passage", "template", "output", "format", "exit_code", "verbose")

    template: tuple[bytes, ...] = TEMPLATE
    min_passage: int | None = MIN_PASSAGE
    exit_code: bool = Searching.options["exit_code"].but()


def answer(options: Passages, run: Run) -> Result:
    """The passages that occur in several documents.

    UsageError: a shingle has more units than the shortest passage. InputError: documents cannot be opened. OutputError:
    there is no room for temporary files.
    """
    from simdocs.commands.ignoring import leaving_out
    from simdocs.commands.repeated import repeated
    from simdocs.commands.resolve import of_documents

    plan = of_documents(options)
    recipe = SignatureRecipe(**plan.recipe.fields(), sketching=Sketching())
    intake, recipe = leaving_out(options, plan.intake, recipe, None)
    return repeated(replace(plan, intake=intake, recipe=recipe), run)
