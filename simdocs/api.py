"""The Python API: the stages on paths, texts and what earlier stages made; nouns come back, nothing is printed."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, Literal, Unpack, cast

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.manifest import differences
from simdocs.artifacts.memory_writer import MemoryWriter
from simdocs.artifacts.reader import checked as all_blocks_checked
from simdocs.artifacts.reader import open_artifact, usable
from simdocs.artifacts.recognise import kind_of
from simdocs.artifacts.writer import write_artifact
from simdocs.commands.build import Build, Order, build_index, build_shingles, build_signatures
from simdocs.commands.dedupe import Job, sketch
from simdocs.commands.query import Query, Question
from simdocs.corpora.discover import Found, Sources
from simdocs.engines.local import Local
from simdocs.engines.run import Run
from simdocs.errors import InputError, ParametersError, UsageError
from simdocs.families import default_k
from simdocs.model.artifact import Artifact, BandIndex, Shingles, Signatures
from simdocs.model.names import shown
from simdocs.model.results import Deduplication, Matches
from simdocs.parameters import (
    Banding,
    Grouping,
    Normalisation,
    Recipe,
    Sequences,
    Shingling,
    Sketching,
    Walking,
)
from simdocs.pipeline.prepare import Intake
from simdocs.requests import Asked, BandingAsked, DedupeAsked, ReadingAsked, SigningAsked, all_checked, checked

Path = str | bytes | os.PathLike[str] | os.PathLike[bytes]
Text = str | bytes


def open(artifact: Path) -> Shingles | Signatures | BandIndex:  # noqa: A001  (simdocs.open, as gzip.open)
    """The artifact of this name: all of it checked, its arrays memory-mapped. ArtifactError, InputError."""
    opened = all_blocks_checked(usable(open_artifact(_encoded(artifact)), FORMATS))
    return cast(Shingles | Signatures | BandIndex, opened)


def shingle(
    *documents: Path,
    texts: Sequence[Text] | None = None,
    names: Sequence[Text] | None = None,
    output: Path | None = None,
    jobs: int = 1,
    **options: Unpack[Asked],
) -> Shingles:
    """The token sets of documents (files, directories) or texts. output: onto disk, too, all or nothing."""
    asked = all_checked(options, Asked.__optional_keys__)
    intake = _intake(documents, texts, names, (), asked)
    return cast(Shingles, _made("shingles", build_shingles, intake, output, jobs, asked))


def signature(
    *documents: Path | Shingles,
    texts: Sequence[Text] | None = None,
    names: Sequence[Text] | None = None,
    output: Path | None = None,
    jobs: int = 1,
    **options: Unpack[SigningAsked],
) -> Signatures:
    """The signatures of documents, texts, or token sets (Shingles, or the path of X.shingles)."""
    asked = all_checked(options, SigningAsked.__optional_keys__)
    intake = _intake(documents, texts, names, ("shingles",), asked)
    return cast(Signatures, _made("signatures", build_signatures, intake, output, jobs, asked))


def index(
    *documents: Path | Shingles | Signatures,
    texts: Sequence[Text] | None = None,
    names: Sequence[Text] | None = None,
    output: Path | None = None,
    jobs: int = 1,
    **options: Unpack[BandingAsked],
) -> BandIndex:
    """An index of documents, texts, token sets or signatures."""
    asked = all_checked(options, BandingAsked.__optional_keys__)
    intake = _intake(documents, texts, names, ("shingles", "signatures"), asked)
    return cast(BandIndex, _made("index", build_index, intake, output, jobs, asked))


def query(
    index: Path | BandIndex,
    *documents: Path,
    texts: Sequence[Text] | None = None,
    names: Sequence[Text] | None = None,
    threshold: float | None = None,
    verify: Literal["exact", "estimate"] = "exact",
    top: int = 0,
    itself: bool = False,
    shingles: Path | Shingles | None = None,
    root: Path | None = None,
    jobs: int = 1,
    **options: Unpack[ReadingAsked],
) -> Matches:
    """The documents of an index that are nearly the same as these documents or texts.

    top: at most so many matches each (0: all). itself: a document of the index matches itself, too. shingles: verify by
    these token sets of the index's documents; root: or find those documents from there.
    """
    asked = all_checked(options, ReadingAsked.__optional_keys__)
    shelf = _shelf(index, ("index",))
    recipe, banding = shelf.recipe, shelf.recipe.banding or Banding()
    sequences = {name: asked[name] for name in Sequences.__slots__ if name in asked}
    at = banding.threshold if threshold is None else checked("threshold", threshold)
    question = Question(
        shelf,
        _intake(documents, texts, names, (), asked),
        replace(recipe.sequences, **sequences),
        at,
        checked("verify", verify) == "exact",
        checked("top", top),
        checked("itself", itself),
        None if shingles is None else _shelf(shingles, ("shingles",)),
        None if root is None else _encoded(root),
    )
    with _engine(jobs) as engine:
        work = Query(question, Run(engine))
        pairs, called = work.named_pairs()
    return Matches(work.asking.documents, pairs, called, work.skipped)


def dedupe(
    *documents: Path | Shingles | Signatures | BandIndex,
    texts: Sequence[Text] | None = None,
    names: Sequence[Text] | None = None,
    shingles: Path | Shingles | None = None,
    root: Path | None = None,
    jobs: int = 1,
    **options: Unpack[DedupeAsked],
) -> Deduplication:
    """Which of these documents or texts are nearly the same, and which of them to keep.

    shingles, root: as of query, for the documents of an artifact.
    """
    asked = all_checked(options, DedupeAsked.__optional_keys__)
    intake = _intake(documents, texts, names, ("shingles", "signatures", "index"), asked)
    if intake.shelf is None and not (shingles is None and root is None):
        raise UsageError("shingles= and root= go with an artifact, not with documents")
    sets = None if shingles is None else _shelf(shingles, ("shingles",))
    intake = replace(intake, shingles=sets, root=None if root is None else _encoded(root))
    recipe = _recipe(asked, intake.shelf, ("threshold",))
    banding = recipe.banding or Banding()
    grouping = _some(Grouping, asked)
    with _engine(jobs) as engine:
        work = sketch(Job(intake, recipe, grouping, asked.get("threshold", banding.threshold)), Run(engine))
        pairs = work.decided()
    kept = np.ones(len(work.prepared.documents), bool)
    kept[pairs.right] = False
    return Deduplication(work.prepared.documents, pairs, np.flatnonzero(kept), work.skipped)


@contextlib.contextmanager
def _engine(jobs: int) -> Iterator[Local]:
    """A place to work. Its caches and open files are its own: files may have changed before the next call."""
    with Local(checked("jobs", jobs)) as engine:
        yield engine


def _made(kind: str, build: Build, intake: Intake, output: Path | None, jobs: int, asked: dict[str, Any]) -> Artifact:
    recipe = _recipe(asked, intake.shelf)
    with _engine(jobs) as engine:
        if output is None:
            memory = MemoryWriter(kind)
            built = build(Order(intake, recipe, memory, sys.argv), Run(engine))
            return memory.artifact(built.skipped)
        with write_artifact(os.fsdecode(_encoded(output)), kind) as writer:
            built = build(Order(intake, recipe, writer, sys.argv), Run(engine))
    made = open(output)
    # Texts cannot be had again from the disk.
    return replace(made, held=built.documents.held, skipped=built.skipped)


def _intake(given: Sequence[Any], texts: Any, names: Any, upstream: Sequence[str], asked: dict[str, Any]) -> Intake:
    """What a stage is given. UsageError: nothing, or what does not go together."""
    walking = _some(Walking, asked)
    walks = [field.name for field in fields(Walking) if field.name in asked]
    if texts is not None:
        if given:
            raise UsageError("documents and texts= do not go together: give one of them")
        if walks:
            raise UsageError(f"{walks[0]}= goes with paths, not with texts=")
        return Intake(walking=walking, texts=_held(texts, names))
    if names is not None:
        raise UsageError("names= goes with texts=")
    if not given:
        raise UsageError("nothing to read: give paths, texts= or what an earlier stage made")
    shelves = [one for one in given if isinstance(one, Artifact) or kind_of(_encoded(one))]
    if shelves and len(given) > 1:
        raise UsageError("an artifact stands alone: give one, or documents")
    if shelves and walks:
        raise UsageError(f"{walks[0]}= goes with paths, not with an artifact")
    if shelves:
        return Intake(shelf=_shelf(given[0], upstream))
    return Intake(Sources(tuple(map(_encoded, given))), walking)


def _encoded(path: Path) -> bytes:
    """A path as the system has it. InputError: there can be none such."""
    try:
        name = os.fsencode(path)
    except TypeError:
        raise UsageError(f"{type(path).__name__} is no path: give paths as arguments of their own") from None
    if b"\0" in name:
        raise InputError(f"{shown(name)}: no path holds a NUL")
    return name


def _held(texts: Sequence[Text], names: Sequence[Text] | None) -> Found:
    """Texts in memory as files that were read already."""
    for what, given in (("texts", texts), ("names", names)):
        if isinstance(given, str | bytes):
            raise UsageError(f"{what}= is a sequence, not one of str or bytes")
        wrong = [row for row, one in enumerate(given or ()) if not isinstance(one, str | bytes)]
        if wrong:
            raise UsageError(f"{what}[{wrong[0]}] is neither str nor bytes")
    if names is None:
        names = [str(row) for row in range(len(texts))]
    if len(names) != len(texts):
        raise UsageError(f"{len(names)} names for {len(texts)} texts: give one each")
    data = [one if isinstance(one, bytes) else one.encode("utf-8", "surrogatepass") for one in texts]
    try:
        called = [os.fsencode(one) for one in names]
    except UnicodeEncodeError as error:
        raise UsageError(f"names= holds {error.object!r}, which has no bytes: give bytes") from None
    return Found(called, [len(one) for one in data], dict(enumerate(data)), texts=True)


def _shelf(given: Any, kinds: Sequence[str]) -> Artifact:
    """What is given as an artifact, of one of these kinds."""
    return usable(given if isinstance(given, Artifact) else open_artifact(_encoded(given)), kinds)


def _recipe(asked: dict[str, Any], shelf: Artifact | None, free: Sequence[str] = ()) -> Recipe:
    """All parameters; what an artifact fixes is read from it. ParametersError: an option contradicts it."""
    normalisation = _some(Normalisation, asked)
    shingling = _some(Shingling, asked | {"normalisation": normalisation})
    if "k" not in asked:
        shingling = replace(shingling, k=default_k(shingling.unit))
    recipe = Recipe(_some(Sequences, asked), shingling, _some(Sketching, asked), _some(Banding, asked))
    if shelf is None:
        return recipe
    fixed = {group: getattr(shelf.recipe, group) for group in FORMATS[shelf.kind].recipe}
    found = differences(shelf.recipe, replace(recipe, unicode=shelf.recipe.unicode), fixed)
    if contradicted := {name: found[name] for name in found if name in asked and name not in free}:
        raise ParametersError(shelf.name, "those asked for", contradicted)
    return replace(recipe, **fixed)


def _some(kind: Any, asked: dict[str, Any]) -> Any:
    """The dataclass of parameters with those options that are its own."""
    return kind(**{field.name: asked[field.name] for field in fields(kind) if field.name in asked})
