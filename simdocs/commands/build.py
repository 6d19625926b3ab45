"""shingle, signature, index, merge: build an artifact from documents, or from artifacts that there are."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from simdocs.options.answers import Drawn, Talking, Target, quiet_or_not, summary_is_a_file
from simdocs.options.declaration import Options
from simdocs.options.recipes import Containing, OwnFunctions, Rereading, Updating
from simdocs.options.sources import DOCS, Banded, OfSignatures, OfTokens, one_scheme, paths

if TYPE_CHECKING:
    from simdocs.engines.engine import Run
    from simdocs.model.artifact import Artifact
    from simdocs.model.result import Result


_WHICH = "name the artifact to write, which is a directory"


class Build(OfTokens, Updating, Target, Drawn):
    """What every stage that builds an artifact is asked. kind: the kind of the artifact.

    path: where the answer of a dry run is drawn, which is standard output.
    """

    kind: ClassVar[str] = ""
    takes = DOCS
    path = None

    format: str | None = Drawn.options["format"].but(
        described="table on a terminal, else tsv", help="Format of the answer of --dry-run."
    )
    header: bool = Drawn.options["header"].but(help="With --dry-run, begin TSV with the names of the columns.")

    def _check(self) -> Iterator[str]:
        yield from super()._check()
        if self.dry_run and self.output is None:
            yield "--dry-run needs -o: name the artifact to compare with"

    @property
    def publishes_itself(self) -> bool:
        """Whether an artifact is published: a dry run has an answer that is drawn instead."""
        return not self.dry_run

    def problem_of_shell(self) -> str:
        """What is wrong on a command line, which has no artifacts in memory: the artifact has no name."""
        missing = self.output == b"-" or (self.output is None and not self.dry_run)
        return f"-o NAME.{self.kind} is missing: {_WHICH}" if missing else ""


class Shingle(Build):
    """Turn documents into token sets.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. A shingle is k consecutive
    units of the normalised text. Its token is a 4-byte number, the MurmurHash3 of the shingle (as mmh3 computes it).
    NAME.shingles holds the tokens of each document in ascending order, in tokens.npy.
    """

    command = "shingle"
    kind = "shingles"
    examples = ("simdocs shingle docs/ -o docs.shingles", "simdocs shingle docs/ --unit word -k 3 -o docs.shingles")
    usual = ("unit", "k", "seed", "nfkc", "strip_accents", "include", "exclude", "output", "jobs", "verbose")


class Signature(Build, OfSignatures, OwnFunctions):
    """Turn documents or token sets into signatures.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. They may also be one artifact:
    X.shingles. The fraction of places in which two signatures agree estimates how similar their documents are.
    NAME.signatures holds a row of K values for each document, in signatures.npy.
    """

    command = "signature"
    kind = "signatures"
    upstream = ("shingles",)
    examples = (
        "simdocs signature docs.shingles -o docs.signatures",
        "simdocs signature docs/ --unit word --num-perm 256 -o docs.signatures",
        "simdocs signature sets/ --unit line --functions '(x+1) mod 5, (3*x+1) mod 5' -o sets.signatures",
    )
    usual = ("unit", "k", "num_perm", "scheme", "seed", "include", "exclude", "output", "jobs", "verbose")
    rules = (one_scheme,)


class Index(Build, Banded, OwnFunctions, Containing):
    """Build an index for finding similar documents.

    DOCS are files, directories (read recursively), s3:// names, or - for standard input. They may also be one artifact:
    X.shingles, X.signatures or X.index. The bands of NAME.index are chosen so that at least --recall of the pairs
    exactly at --threshold share a bucket. An index with other bands is built from X.index without reading the documents
    again.
    """

    command = "index"
    kind = "index"
    upstream = ("shingles", "signatures", "index")
    examples = (
        "simdocs index docs/ -o docs.index && simdocs query docs.index new.txt",
        "simdocs index docs.signatures --threshold 0.9 -o docs.index",
        "simdocs index docs.index --threshold 0.6 -o looser.index",
    )
    usual = ("threshold", "recall", "num_perm", "unit", "k", "include", "exclude", "output", "jobs", "verbose")
    rules = (one_scheme,)


def answer(options: Build, run: Run) -> Result | Artifact:
    """Build the artifact and publish it, unless `conclude` raises an exception; without an output, hold it in memory.

    With dry_run, find out what that would change. UsageError: options contradict an artifact in the place of documents,
    or the one that would be replaced. ShrunkError: that would lose documents.
    """
    from simdocs.artifacts.writer import MemoryWriter, artifact_writer
    from simdocs.commands.new_artifact import build_and_compare, changes_of, plan_of

    if options.dry_run:
        return changes_of(options, run)
    plan = plan_of(options)
    with artifact_writer(options.output, options.kind, options.lock_wait) as writer:
        result, *_ = build_and_compare(options, plan, writer, run, "it is rebuilt from scratch now")
        made = writer.artifact(run.skipped) if isinstance(writer, MemoryWriter) else result
        run.conclude(result)
    return made


class Merge(Options, Rereading, Target, Talking):
    """Merge artifacts of one kind into one, without reading documents.

    The result has the same bytes as the artifact that one run over the arguments of all of them, in this order, would
    have built (except run.json). So several machines or jobs can each build a part, with the same options. No two
    ARTIFACTs may have a document of the same name. An existing PATH is replaced.
    """

    command = "merge"
    takes = MappingProxyType({"artifacts": ("ARTIFACT...", -1, True)})
    without = frozenset(("shingles", "dry_run"))
    examples = (
        "simdocs merge 1.index 2.index 3.index -o docs.index",
        "simdocs merge jobs/*.signatures -o docs.signatures",
    )
    usual = ("root", "allow_shrink", "output", "verbose")
    rules = (quiet_or_not, summary_is_a_file)
    publishes_itself = True

    artifacts: tuple[Any, ...] = ()

    root: bytes | None = Rereading.options["root"].but(
        described="the directory where all of them were built",
        help="Record that the documents are in DIR. Needed if the artifacts were built in different directories.",
    )
    allow_shrink: bool = Target.options["allow_shrink"].but(
        help="Replace the artifact even if it, or an argument, loses more than half of its documents."
    )

    def _check(self) -> Iterator[str]:
        self.__dict__["artifacts"], wrong = paths(self.artifacts, or_texts=False)
        yield from wrong
        if not (self.artifacts or wrong):
            yield "nothing to merge: name the artifacts"

    def problem_of_shell(self) -> str:
        """What is wrong on a command line, which has no artifacts in memory: the artifact has no name."""
        return f"-o NAME is missing: {_WHICH}" if self.output in (None, b"-") else ""


def merge(options: Merge, run: Run) -> Result | Artifact:
    """The artifact that holds all of these, or what was published: see `merged`."""
    from simdocs.commands.merged import merged

    return merged(options, run)
