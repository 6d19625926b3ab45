"""query: which documents of an index resemble these?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simdocs.options.answers import NUL, Deciding, Drawn, Searching, names_with_nul
from simdocs.options.declaration import flags, option, switch
from simdocs.options.families import MATCH_LISTS
from simdocs.options.recipes import MIN_PASSAGE, PASSAGES, ChoosingBands, Sequences
from simdocs.options.sources import OF_WALKS, OfDocuments, problems_of_passages
from simdocs.options.values import artifact_name, choice, whole

if TYPE_CHECKING:
    from simdocs.engines.engine import Run
    from simdocs.model.result import Result


class Query(OfDocuments, ChoosingBands, Deciding, Searching, Drawn):
    """Find the documents of an index that are similar to DOCS.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. They may also be one artifact:
    X.shingles or X.signatures. The index sets how they are cut into shingles. Each document is listed with its matches,
    the most similar first. A document that is in the index does not match itself, but its copies do. With --passages,
    the passages are listed that DOCS have in common with documents of the index. If the index has a sketch for
    containment, it misses few quotes of 50 words, or of 200 if the unit is words. Without a sketch, or with --exact,
    none is missed, and every document is read again.
    """

    command = "query"
    takes = MappingProxyType({"index": ("X.index", 1, True), "documents": ("[DOCS]...", -1, False)})
    without = frozenset(("against", "recall", "rule", "bands", "rows"))
    examples = (
        "simdocs query archive.index letter.txt",
        "simdocs query archive.index excerpt.txt --measure containment",
        "simdocs query archive.index letter.txt --passages",
        "simdocs query archive.index letter.txt --nearest 5",
        "simdocs query archive.index today/ --top 3 --header > matches.tsv",
        "simdocs query archive.index today/ --list matches -0 | xargs -0 -r ls -l",
    )
    usual = ("threshold", "nearest", "top", "list", "passages", "output", "format", "exit_code", "verbose")
    upstream = ("shingles", "signatures")
    rules = (names_with_nul,)

    index: Any = None

    threshold: float = ChoosingBands.options["threshold"].but(default=None, described="the index's", shared="")
    exact: bool = Deciding.options["exact"].but(
        help="Compare with every document of the index, which are all read again. Unless --nearest, --passages or"
        " --measure containment is given, all tokens are held in memory."
    )
    changed: bool = Searching.options["changed"].but(
        help="Look up the documents of the index that were new or changed when it was last updated, instead of DOCS."
    )
    all_copies: bool = switch("With --nearest, list all documents that have one of these texts.")
    top: int | None = option(whole(1), help="List at most N matches for each document.", metavar="N")
    nearest: int | None = option(
        whole(1),
        help="List the N most similar texts, even below the threshold, with one document each. Only the documents"
        " whose signatures agree most are compared, unless --exact is given.",
        metavar="N",
    )
    itself: bool = switch("Let a document that is in the index match itself.", spellings=("--self",))
    list: str | None = option(choice(MATCH_LISTS), help="List only names.", metavar="WHAT", shell=True)
    passages: bool = PASSAGES.but(
        help="List passages that two texts have in common, and where. How similar the texts are is not computed. If the"
        " index has a sketch for containment, short ones may be missed: --exact misses none."
    )
    min_passage: int | None = MIN_PASSAGE
    nul: bool = NUL

    def _check(self) -> Iterator[str]:
        if self.index is None:
            yield "nothing to look in: name an index, as in simdocs query X.index DOCS"
            return
        yield from self.checked_argument("index", artifact_name("index"))
        yield from super()._check()
        contained = self.measure == "containment"
        if self.nearest is not None and contained:
            yield f"--nearest is about similarity: use --measure containment --top {self.nearest} instead"
        elif self.nearest is not None and (useless := self.differ(("threshold", "top", "max_memory"))):
            yield f"--nearest and {flags(useless)} cannot be combined: the N most similar texts are listed"
        others = ("threshold", "verify", "measure", "top", "nearest", "list", "changed", "shingles")
        yield from problems_of_passages(self, others)
        useless = self.differ((*OF_WALKS, "max_size", *Sequences.options, "itself"))
        if self.changed and useless:
            yield f"--changed and {flags(useless)} cannot be combined: no DOCS are read"
        if self.verify == "estimate" and (self.exact or contained):
            yield "--verify estimate cannot be combined with --exact or --measure containment"
        if self.max_memory is not None and not self.exact:
            yield "--max-memory needs --exact"

    def ways(self) -> Sequence[str]:
        """The ways in which documents are named."""
        return [*super().ways(), *(["--changed"] if self.changed else [])]

    def problems_beside_documents(self) -> Iterator[str]:
        """Yield nothing: token sets and a root belong to the index."""
        yield from ()


def answer(options: Query, run: Run) -> Result:
    """The matches that were asked for, or the passages.

    UsageError: options contradict the index. InputError, ArtifactError: documents or the index cannot be opened.
    """
    from simdocs.commands.resolve import of_query

    plan = of_query(options)
    if options.passages:
        from simdocs.commands.quoted import quotations

        return quotations(plan, run)
    from simdocs.commands.matched import matches

    return matches(plan, run)
