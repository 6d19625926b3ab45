"""compare: how similar texts are, and why; and the similarity of two texts in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simdocs.options.answers import ANSWER, Drawn, Searching, Talking
from simdocs.options.declaration import Options, flags, option
from simdocs.options.families import COMPARED, DIFFS, SIMILARITIES, UNITS
from simdocs.options.file_formats import FORMATS
from simdocs.options.recipes import (
    MOST_UNITS,
    OF_BANDS,
    STOP_WORDS,
    TEMPLATE,
    ChoosingBands,
    OwnFunctions,
    Shingling,
    Sketching,
)
from simdocs.options.sources import (
    OF_FILES,
    OfSources,
    by_hand_or_rule,
    one_list_of_stop_words,
    one_scheme,
    standard_input_once,
    useless_stop_words,
)
from simdocs.options.texts import MIN_PASSAGE, PASSAGES, REFUSED, Normalisation, Rereading, Sequences, Walking
from simdocs.options.values import FLAG, choice, several, whole

if TYPE_CHECKING:
    from simdocs.engines.run import Run
    from simdocs.model.result import Result


def of_trace(options: Compare) -> str:
    """A trace shows how signatures are computed, which are about the Jaccard similarity alone."""
    useless = options.differ(("diff", "measure"))
    if options.trace and useless:
        return f"--trace and {flags(useless)} cannot be combined: --trace shows only how signatures are computed"
    return ""


def of_passages(options: Compare) -> str:
    """Passages are listed for themselves."""
    about = ("diff", "trace", "measure", "multiset", "seed", *Sketching.options, *OwnFunctions.options, *OF_BANDS)
    useless = options.differ(about)
    if options.passages and useless:
        return f"--passages and {flags(useless)} cannot be combined: all passages are listed, the longest first"
    return "--min-passage needs --passages" if options.min_passage is not None and not options.passages else ""


def one_shingling(options: Compare) -> str:
    """Only measures are a table over several units or numbers of them."""
    alone = options.differ(("trace", "passages"))
    if alone and options.has_several_shinglings:
        return f"{flags(alone)} needs one --unit and one -k, not lists of them"
    return ""


def room_for_marks(options: Compare) -> str:
    """Marked texts need a format that has room for them."""
    chosen = options.format or options.suffix
    form = FORMATS.get(chosen)
    if options.diff is not None and form is not None and not (form.for_people or form.nested):
        nested = " or ".join(name for name, each in FORMATS.items() if each.nested)
        return (
            f"--diff prints marked texts, which have no place in {chosen}: use --format {nested}, or leave the format"
            " out"
        )
    return ""


class Compare(OfSources, Sequences, Normalisation, Shingling, Sketching, OwnFunctions, ChoosingBands, Rereading, Drawn):
    """Show how similar two texts are, and why.

    A and B are files, - for standard input, or lines of JSON Lines files as PATH#ID. After an artifact
    (X.shingles, X.signatures or X.index), they are names of its documents, which are compared as it was built. On a
    terminal, one sentence says how alike they are. Then come the texts with their differences marked, and the main
    measures, with -v all of them. Elsewhere, all measures are printed, or with --diff the difference instead. With
    --passages, the passages that both have are listed, the longest first, with their places: characters from 0 to the
    one after the last, and lines from 1. Three texts or more give the matrix of their similarities.
    """

    command = "compare"
    takes = MappingProxyType({"documents": ("A B [C]...", -1, False)})
    without = frozenset(("shingles", "summary_json", "summary"))
    examples = (
        "simdocs compare draft.txt final.txt",
        "simdocs compare draft.txt final.txt --diff unified",
        "simdocs compare letter.txt licence.txt --passages",
        "simdocs compare draft.txt final.txt --unit char,word -k 3,5,9",
        "simdocs compare docs.index docs/a.txt docs/b.txt",
        "simdocs compare 'data.jsonl#17' 'data.jsonl#18' --format jsonl",
        "simdocs compare draft.txt final.txt -o difference.html",
        "simdocs compare essays/*.txt -o similarity.npy",
        "simdocs compare a.txt b.txt -k 2 --scheme permutation --num-perm 4 --trace",
    )
    usual = ("diff", "passages", "unit", "k", "threshold", "exit_code", "output", "format", "verbose", "nfkc")
    wanted = "two files"
    of_paths = (*OF_FILES, "root")
    rules = (
        *(one_list_of_stop_words, standard_input_once, by_hand_or_rule, one_scheme),
        *(of_trace, of_passages, one_shingling, room_for_marks),
    )

    diff: str | None = option(choice(DIFFS), default=None, help="Print where texts differ.")
    trace: bool = option(
        FLAG,
        default=False,
        help="Show how MinHash computes the signatures, row by row. Needs --scheme permutation, --functions or"
        " --permutation-file.",
    )
    passages: bool = PASSAGES
    min_passage: int | None = MIN_PASSAGE
    max_size: int = Walking.options["max_size"].but(help=REFUSED)
    unit: Any = Shingling.options["unit"].but(
        values=several(choice(UNITS)),
        default=("char",),
        help="Unit of a shingle. Several units, separated by commas, give a table.",
    )
    k: Any = Shingling.options["k"].but(
        values=several(whole(1, MOST_UNITS)),
        help="Units in a shingle. Several numbers, separated by commas, give a table.",
    )
    stop_words: bytes | None = STOP_WORDS
    template: tuple[bytes, ...] = TEMPLATE
    threshold: float = ChoosingBands.options["threshold"].but(
        help="Minimum similarity of near-duplicates. --exit-code and the choice of bands depend on it. With an index,"
        " the default is that of the index."
    )
    measure: str = Searching.options["measure"].but(
        help="What is compared with the threshold, and is in the matrix of several texts."
    )
    output: bytes | None = Drawn.options["output"].but(
        help=f"{ANSWER} If it ends in .html, it is a page with both texts side by side."
    )
    verbose: bool = Talking.options["verbose"].but(help="Show all measures in a table.")
    exit_code: bool = Searching.options["exit_code"].but()

    def _check(self) -> Iterator[str]:
        yield from super()._check()
        if len(self.documents if self.texts is None else self.texts) == 1:
            yield "there is nothing to compare this text with: give two texts, or more"

    @property
    def has_several_shinglings(self) -> bool:
        """Whether the answer is a table over units and k."""
        return len(self.unit or ()) > 1 or len(self.k or ()) > 1

    def problems_beside_artifact(self) -> Iterator[str]:
        """Yield what an artifact before names of its documents does not allow."""
        if useless := self.differ(OF_FILES):
            yield f"{flags(useless)} needs documents, not an artifact"
        if self.has_several_shinglings:
            yield "an artifact has one --unit and one -k: name the documents instead"

    def problems_beside_documents(self) -> Iterator[str]:
        """Yield what documents that are read now do not allow."""
        if self.root is not None:
            yield "--root needs an artifact, not documents"
        yield from useless_stop_words(self, self.unit or ("char",))
        scheme = self.scheme or Sketching.defaults["scheme"]
        if self.trace and not (self.differ(tuple(OwnFunctions.options)) or scheme == "permutation"):
            yield no_trace(scheme)

    def problems_of_many(self) -> Iterator[str]:
        """Yield what more than two texts do not allow."""
        if self.diff is not None:
            yield "--diff shows the difference of two texts, not of more"
        if self.passages:
            yield "--passages lists what two texts have in common, not more"
        if self.has_several_shinglings:
            yield "a matrix has one --unit and one -k: give two texts for a table over several"


def no_trace(scheme: str) -> str:
    """The message that signatures of this scheme have no trace."""
    which = ", the default," if scheme == Sketching.defaults["scheme"] else ""
    wanted = "--scheme permutation, --functions or --permutation-file"
    return f"--trace needs {wanted}: {scheme}{which} does not go through shingles row by row"


def answer(options: Compare, run: Run) -> Result:
    """The measures of two texts, or the similarities of more; or how signatures are computed, or passages in common.

    UsageError: options cannot be combined, or contradict the artifact. InputError: a text cannot be read, or has
    changed since the artifact was built. ArtifactError: the artifact cannot be opened.
    """
    from simdocs.commands.compared_texts import compared_texts
    from simdocs.commands.resolve import outputs_of
    from simdocs.commands.similarities import comparison, matrix_of, similarity_matrix, slot_trace
    from simdocs.corpora.single_text import refuse_to_replace
    from simdocs.matching.measures import token_sets

    look, as_page = run.look, options.file_format is not None
    read = (*options.documents, *options.template, options.permutation_file)
    refuse_to_replace(outputs_of(options), read, "a text that is read")
    compared = compared_texts(options)
    texts, shingling, ignored = compared.texts, compared.shinglings[0], compared.ignored[0]
    in_common = None
    if options.passages:
        from simdocs.commands.quoted import passages_of

        in_common = passages_of(compared.named, texts, options.min_passage, shingling, ignored)
        if not as_page:
            return in_common
    sets = token_sets(texts, shingling, ignored)
    sketching = compared.own_sketching()
    similarity, notes = matrix_of(compared, sets)
    if options.trace:
        return slot_trace(compared, sets, sketching, similarity, notes)
    if len(texts) > 2:
        return similarity_matrix(compared, similarity, notes)
    # Drawn for people or as JSON Lines, the measures are shown together with the places where the texts differ.
    several = options.has_several_shinglings
    shows_both = look is not None and look.holds_all and (as_page or not several)
    diff = options.diff or ("words" if shows_both else None)
    alone = (as_page or options.diff is not None) and not (look is None or look.holds_all)
    units = None if diff is None else COMPARED[diff]
    measured = comparison(compared, sets, sketching, similarity, notes, units, with_edits=not (alone or several))
    if in_common is None:
        return measured
    in_common.comparison = measured
    return in_common


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
        yield from useless_stop_words(self, {self.unit or Shingling.defaults["unit"]})


def similarity_of(options: Similarity, _run: Run) -> float:
    """The exact similarity of two texts. UsageError: they are too long for this measure."""
    from simdocs.commands.resolve import shingling_of
    from simdocs.corpora.decode import as_bytes, as_utf8
    from simdocs.matching.measures import SIMILARITIES_OF

    a, b = (as_utf8(as_bytes(text))[0] for text in (options.a, options.b))
    return SIMILARITIES_OF[options.measure](a, b, shingling_of(options.fields()))
