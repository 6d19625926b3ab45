"""compare: how similar texts are, and why; and the similarity of two texts in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING

from simdocs.options.answers import ANSWER, Drawn, Searching, Talking
from simdocs.options.declaration import Options, option, switch
from simdocs.options.families import COMPARED, DIFFS, FORMATS, SIMILARITIES
from simdocs.options.recipes import (
    MIN_PASSAGE,
    OF_BANDS,
    PASSAGES,
    REFUSED,
    STOP_WORDS,
    TEMPLATE,
    ChoosingBands,
    Normalisation,
    OwnFunctions,
    Sequences,
    Shingling,
    Sketching,
    Walking,
)
from simdocs.options.sources import (
    OF_FILES,
    OfSources,
    by_hand_or_rule,
    files_beside,
    one_list_of_stop_words,
    one_scheme,
    problems_of_passages,
    standard_input_once,
    useless_stop_words,
)
from simdocs.options.values import choice

if TYPE_CHECKING:
    from simdocs.engines.engine import Run
    from simdocs.model.result import Result


class Compare(OfSources, Sequences, Normalisation, Shingling, Sketching, OwnFunctions, ChoosingBands, Drawn):
    """Show how similar two texts are, and why.

    A and B are files, - for standard input, or rows of data sets as PATH#ID. On a terminal, one sentence says how alike
    they are. Then come the texts with their differences marked, and the main measures, with -v all of them. Elsewhere,
    all measures are printed, or with --diff the difference instead. With --passages, the passages that both have are
    listed, the longest first, with their places: characters from 0 to the one after the last, and lines from 1. Three
    texts or more give the matrix of their similarities.
    """

    command = "compare"
    takes = MappingProxyType({"documents": ("A B [C]...", -1, False)})
    without = frozenset(("summary_json", "summary"))
    examples = (
        "simdocs compare draft.txt final.txt",
        "simdocs compare draft.txt final.txt --diff unified",
        "simdocs compare letter.txt licence.txt --passages",
        "simdocs compare draft.txt final.txt --unit word -k 3",
        "simdocs compare 'data.jsonl#17' 'data.jsonl#18' --format jsonl",
        "simdocs compare draft.txt final.txt -o difference.html",
        "simdocs compare a.txt b.txt -k 2 --scheme permutation --num-perm 4 --trace",
    )
    usual = ("diff", "passages", "unit", "k", "threshold", "exit_code", "output", "format", "verbose", "nfkc")
    wanted = "two files"
    of_paths = OF_FILES
    rules = (one_list_of_stop_words, standard_input_once, by_hand_or_rule, one_scheme)

    diff: str | None = option(choice(DIFFS), help="Print where texts differ.")
    trace: bool = switch(
        "Show how MinHash computes the signatures, row by row. Needs --scheme permutation, --functions or"
        " --permutation-file."
    )
    passages: bool = PASSAGES
    min_passage: int | None = MIN_PASSAGE
    max_size: int = Walking.options["max_size"].but(help=REFUSED)
    stop_words: bytes | None = STOP_WORDS
    template: tuple[bytes, ...] = TEMPLATE
    threshold: float = ChoosingBands.options["threshold"].but(
        help="Minimum similarity of near-duplicates. --exit-code and the choice of bands depend on it."
    )
    output: bytes | None = Drawn.options["output"].but(
        help=f"{ANSWER} If it ends in .html, it is a page with both texts side by side."
    )
    verbose: bool = Talking.options["verbose"].but(help="Show all measures in a table.")
    exit_code: bool = Searching.options["exit_code"].but()

    def _check(self) -> Iterator[str]:
        yield from super()._check()
        texts = len(self.documents if self.texts is None else self.texts)
        if texts == 1:
            yield "there is nothing to compare this text with: give two texts, or more"
        if texts > 2 and self.diff is not None:
            yield "--diff shows the difference of two texts, not of more"
        if texts > 2 and self.passages:
            yield "--passages lists what two texts have in common, not more"
        if texts > MOST_TEXTS:
            yield f"a matrix has at most {MOST_TEXTS:,} texts, not {texts:,}: simdocs pairs DOCS finds similar pairs"
        if self.trace and self.diff is not None:
            yield "--trace and --diff cannot be combined: --trace shows only how signatures are computed"
        about = ("diff", "trace", "multiset", "seed", *Sketching.options, *OwnFunctions.options, *OF_BANDS)
        yield from problems_of_passages(self, about)
        chosen = self.format or self.suffix
        form = FORMATS.get(chosen)
        if self.diff is not None and form is not None and not (form.for_people or form.nested):
            yield f"--diff prints marked texts, which have no place in {chosen}: use --format jsonl"
        yield from useless_stop_words(self)
        scheme = self.scheme or Sketching.defaults["scheme"]
        if self.trace and not (self.differ(tuple(OwnFunctions.options)) or scheme == "permutation"):
            default = ", the default," if scheme == Sketching.defaults["scheme"] else ""
            wanted = "--scheme permutation, --functions or --permutation-file"
            yield f"--trace needs {wanted}: {scheme}{default} does not go through shingles row by row"


MOST_TEXTS = 2000
"""Texts in a matrix, which then has 4 million cells."""


def answer(options: Compare, run: Run) -> Result:
    """The measures of two texts, or the similarities of more; or how signatures are computed, or passages in common.

    UsageError: options cannot be combined. InputError: a text cannot be read.
    """
    from simdocs.commands.quoted import passages_of
    from simdocs.commands.resolve import outputs_of
    from simdocs.commands.similarities import ComparedTexts, comparison, similarity_matrix, slot_trace
    from simdocs.model.result import Look
    from simdocs.reading.single_text import refuse_to_replace

    look, as_page = run.look or Look(), bool(options.page)
    refuse_to_replace(outputs_of(options), [*options.documents, *files_beside(options)])
    compared = ComparedTexts(options)
    in_common = None
    if options.passages:
        in_common = passages_of(compared)
        if not as_page:
            return in_common
    if options.trace:
        return slot_trace(compared)
    if len(compared.texts) > 2:
        return similarity_matrix(compared)
    # Drawn for people or as JSON Lines, the measures are shown together with the places where the texts differ.
    diff = options.diff or ("words" if run.look is not None and look.holds_all else None)
    alone = options.diff is not None and not look.holds_all
    units = None if diff is None else COMPARED[diff]
    return comparison(compared, units, in_common, with_edits=not alone, with_sentence=not look.for_people or as_page)


class Similarity(Options, Normalisation, Shingling):
    """Return the exact similarity of two texts, from 0.0 to 1.0. A text without shingles has 0.0 with any.

    a, b: the texts themselves, not paths: use Path.read_bytes() for files. With multiset=True, repeats count in
    jaccard, containment and overlap.
    """

    command = "similarity"
    takes = MappingProxyType({"a": ("A", 1, False), "b": ("B", 1, False)})
    rules = (one_list_of_stop_words,)

    a: str | bytes = b""
    b: str | bytes = b""

    stop_words: bytes | None = STOP_WORDS
    measure: str = option(choice(SIMILARITIES), default="jaccard", help="Which similarity is returned.")

    def _check(self) -> Iterator[str]:
        for text in (self.a, self.b):
            if not isinstance(text, str | bytes):
                hint = ": read the file with read_bytes()" if isinstance(text, os.PathLike) else ""
                yield f"a text must be str or bytes, not {type(text).__name__}{hint}"
        yield from useless_stop_words(self)


def similarity_of(options: Similarity, _run: Run) -> float:
    """The exact similarity of two texts. UsageError: they are too long for this measure."""
    from simdocs.commands.resolve import shingling_of
    from simdocs.matching.measures import similarity
    from simdocs.reading.decode import as_bytes, as_utf8

    a, b = (as_utf8(as_bytes(text))[0] for text in (options.a, options.b))
    return similarity(a, b, shingling_of(options.fields()), options.measure)
