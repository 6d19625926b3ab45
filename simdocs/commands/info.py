"""info, check and show: what does an artifact hold, is it undamaged, and which shingles has a text?"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from simdocs.errors import ArtifactError, InputError
from simdocs.model.result import FACTS, NAME, Look, Result, Table, table_head
from simdocs.options.answers import Drawn, Talking
from simdocs.options.declaration import Options, flags, switch
from simdocs.options.recipes import REFUSED, STOP_WORDS, Normalisation, Rereading, Shingling, Walking
from simdocs.options.sources import ONCE, one_list_of_stop_words, paths, useless_stop_words
from simdocs.options.values import path_name

if TYPE_CHECKING:
    from simdocs.engines.engine import Run


PROBLEMS = table_head(kind=NAME, problem=NAME)

_LONG = 80
"""Characters of a list of stop words that a table shows whole."""


class Info(Drawn):
    """Show what an artifact holds.

    Prints its parameters, counts and arrays, its first and last documents and, for an index, the probability that a
    pair is found. Only what is printed is checked; `simdocs check` checks everything.
    """

    command = "info"
    takes = MappingProxyType({"artifact": ("ARTIFACT", 1, True)})
    examples = ("simdocs info docs.index", "simdocs info docs.signatures --format jsonl")
    usual = ("output", "format", "header")
    without = frozenset(Talking.options) - {"debug"}

    artifact: Any = None

    def _check(self) -> Iterator[str]:
        given, wrong = paths(() if self.artifact is None else (self.artifact,), or_texts=False)
        self.__dict__["artifact"] = given[0] if given else None
        yield from wrong
        if not (given or wrong):
            yield "nothing to show: name an artifact"


class Check(Options, Talking):
    """Check that artifacts are undamaged.

    Reads everything, compares the checksums, and checks all internal rules. Prints nothing if all is well. Otherwise
    prints one line for each problem and exits with status 4. Checksums find accidental damage, not forgery.
    """

    command = "check"
    takes = MappingProxyType({"artifacts": ("ARTIFACT...", -1, True)})
    examples = ("simdocs check docs.index", "simdocs check *.index *.shingles")
    without = frozenset(Talking.options) - {"debug"}
    is_wanted = False  # all problems are errors

    artifacts: tuple[Any, ...] = ()

    def _check(self) -> Iterator[str]:
        self.__dict__["artifacts"], wrong = paths(self.artifacts, or_texts=False)
        yield from wrong
        if not (self.artifacts or wrong):
            yield "nothing to check: name the artifacts"


def answer(options: Info, run: Run) -> Result:  # noqa: ARG001  (as all answers)
    """What an artifact says of itself. InputError, ArtifactError: it cannot be opened."""
    from simdocs.artifacts.formats import FORMATS
    from simdocs.commands.resolve import opened
    from simdocs.commands.shown_tables import facts_of

    rows = list(facts_of(opened(options.artifact, tuple(FORMATS))))

    def drawn(look: Look) -> Iterator[Table]:
        """The facts; for people, of a long list of stop words only the number."""
        shown = dict(rows).get("stop_word_list")
        words = f"{len(str(shown).split()):,} words" if look.for_people and len(str(shown)) > _LONG else shown
        yield Table.of(FACTS, ((key, words if key == "stop_word_list" else value) for key, value in rows))

    return Result("info", Table.of(FACTS, rows), drawn=drawn)


def check(options: Check, run: Run) -> Result:
    """The damage in artifacts, and those that cannot be read, as errors of the run."""
    from simdocs.artifacts.damage import damages, damages_of

    found = run.errors
    for given in options.artifacts:
        try:
            found += map(ArtifactError, damages(given) if isinstance(given, bytes) else damages_of(given))
        except InputError as error:
            found.append(error)
    kinds = ((InputError, "unreadable"), (ArtifactError, "damage"))
    rows = ((next(kind for error, kind in kinds if isinstance(each, error)), str(each)) for each in found)
    return Result("check", Table.of(PROBLEMS, rows))


OF_TEXTS = (*Normalisation.options, *Shingling.options, "stop_words", "max_size")
"""The options about a text, which an artifact has decided."""


class Show(Drawn, Normalisation, Shingling, Rereading):
    """Show the shingles of one text, or what an artifact holds.

    FILE is a text; - is standard input. The shingles are listed with their tokens in the order of the text, with
    repeats. Documents are compared by the sets of their shingles. Of X.shingles, the matrix is shown; of X.signatures
    and X.index the signatures, for two documents with the places that agree; of X.index also the buckets and the
    candidate pairs.
    """

    command = "show"
    takes = MappingProxyType({"file": ("FILE|-|ARTIFACT", 1, False), "documents": ("[NAME]...", -1, False)})
    examples = (
        "printf abcdabd | simdocs show - -k 2",
        "simdocs show docs.index --candidates --header",
        "simdocs show letter.txt --unit word -k 3",
        "simdocs show docs.signatures docs/a.txt docs/b.txt",
    )
    usual = ("unit", "k", "nfkc", "keep_case", "mask_digits", "matrix", "buckets", "candidates", "output", "header")
    without = frozenset(("summary_json", "verbose", "summary"))
    rules = (one_list_of_stop_words,)

    file: Any = b""
    documents: tuple[Any, ...] = ()
    text: str | bytes | None = None

    matrix: bool = switch("Show which of up to 20 documents has which shingle.")
    buckets: bool = switch("List the buckets that two or more documents share.")
    candidates: bool = switch("List candidate pairs, and how similar they are.")
    stop_words: bytes | None = STOP_WORDS
    max_size: int = Walking.options["max_size"].but(help=REFUSED)

    def _check(self) -> Iterator[str]:
        if not hasattr(self.file, "recipe"):
            yield from self.checked_argument("file", path_name())
        if self.text is not None and not isinstance(self.text, str | bytes):
            yield f"text must be str or bytes, not {type(self.text).__name__}"
        if self.text is None and self.file == b"":
            yield "nothing to read: name a text, - for standard input, or an artifact"
        if self.text is not None and self.file != b"":
            yield "file and text cannot be combined: name one text"
        if self.text is not None and (useless := self.differ(("max_size",))):
            yield f"{flags(useless)} needs a file, not a text in memory"
        if b"-" == self.file == self.stop_words:
            yield ONCE
        if len(views := self.differ(("matrix", "buckets", "candidates"))) > 1:
            yield f"{flags(views)} cannot be combined: choose one"
        try:
            self.__dict__["documents"] = tuple(map(path_name().check, self.documents))
        except ValueError as wanted:
            yield f"each name of a document must be {wanted}"
        yield from useless_stop_words(self)

    def problems_of(self, shown: str) -> Iterator[str]:
        """Yield what is wrong if this is shown: `a text`, or an artifact of this kind."""
        if shown == "a text" and self.documents:
            yield "names of documents need an artifact, not a text"
        if shown != "a text" and (useless := self.differ(OF_TEXTS)):
            yield f"{flags(useless)} needs a text, not an artifact"
        if shown != "index" and (useless := self.differ(("buckets", "candidates"))):
            yield f"{flags(useless)} needs an index, not {shown}"
        if shown != "shingles" and self.matrix:
            yield f"--matrix needs shingles, not {shown}"


def show(options: Show, run: Run) -> Result:
    """The shingles of a text, or a table of an artifact."""
    from simdocs.commands.shown_tables import shown

    return shown(options, run)
