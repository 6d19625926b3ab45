"""Turn requests into plans: open artifacts, and give every parameter its value."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.reader import open_artifact, usable
from simdocs.artifacts.recognise import kind_of
from simdocs.commands.artifact_hints import explain_wrong_kind, refuse_disguised
from simdocs.commands.ignoring import contradictory_files, with_stop_word_list
from simdocs.corpora.decode import as_bytes
from simdocs.corpora.discover import Sources
from simdocs.corpora.file_list import FileList
from simdocs.errors import InputError, UsageError, mention
from simdocs.kernels.lsh.banding import choose
from simdocs.model.artifact import Artifact, BandIndex, Shingles
from simdocs.model.names import display_name
from simdocs.parameters import PARAMETERS
from simdocs.parameters.families import UNITS
from simdocs.parameters.recipes import (
    NO_SKETCH,
    Banding,
    BandingRequest,
    Containing,
    Ignoring,
    IndexRecipe,
    Recipe,
    Shingling,
    SignatureRecipe,
    Sketching,
)
from simdocs.parameters.texts import Normalisation, Sequences, Walking
from simdocs.pipeline.prepare import Intake
from simdocs.requests.checked_request import CheckedRequest, contradictions
from simdocs.requests.read_request import ReadRequest


@dataclass(frozen=True, slots=True)
class KnownDocuments:
    """An index of documents that are always kept.

    shingles: their token sets, if given. root: the directory from which the documents are found.
    """

    index: BandIndex
    shingles: Shingles | None
    root: bytes | None


def opened(given: Any, kinds: Collection[str], *, or_documents: bool = False) -> Artifact:
    """The artifact that was given, by name or as an object. or_documents: documents can be given instead.

    ArtifactError: it is of another kind, damaged, or made with other Unicode tables. InputError: it does not exist.
    """
    artifact = open_artifact(given) if isinstance(given, bytes) else given
    return usable(artifact, kinds, or_documents=or_documents)


def opened_index(given: Any) -> BandIndex:
    """The index that was given: see `opened`."""
    artifact = opened(given, (BandIndex.kind,))
    assert isinstance(artifact, BandIndex)
    return artifact


def opened_shingles(given: Any) -> Shingles:
    """The token sets that were given: see `opened`."""
    artifact = opened(given, (Shingles.kind,))
    assert isinstance(artifact, Shingles)
    return artifact


def is_artifact(given: Any) -> bool:
    """Whether a document in a request is an artifact."""
    return not isinstance(given, bytes) or (given != b"-" and kind_of(given) is not None)


FindContradictions = Callable[[Artifact | None], Iterable[str]]
"""Finds the parameters that contradict an artifact: the input (None: the input is documents), or an index."""


def contradictions_with(artifact: Artifact | None, request: ReadRequest, free: Sequence[str] = ()) -> Iterator[str]:
    """Yield a message for each parameter and template that was given and that the artifact was made without.

    free: parameters that may differ.
    """
    if artifact is not None:
        fixed = FORMATS[artifact.kind].parameter_groups
        yield from contradictions(request.given(), artifact.recipe, artifact.name, fixed, free)
        yield from contradictory_files(request, artifact)


def intake_of(
    request: ReadRequest, outputs: Sequence[str | None] = (), find_contradictions: FindContradictions = lambda _: ()
) -> Intake:
    """The input of a request: documents, or an artifact of them.

    UsageError: parameters cannot be combined, or contradict an artifact. InputError, ArtifactError: an artifact cannot
    be opened.
    """
    if any(map(is_artifact, request.documents)):
        explain_wrong_kind(request)
        refuse_disguised(request.documents)
        problems = list(request.problems_beside_artifact())
        if len(request.documents) > 1:
            _refuse(problems)
        artifact = opened(request.documents[0], request.upstream, or_documents=True)
        _refuse([*problems, *find_contradictions(artifact)])
        shingles, root = getattr(request, "shingles", None), getattr(request, "root", None)
        if any(getattr(request, index, None) is not None for index in ("index", "against")):
            shingles = root = None  # these belong to the documents of that index
        sets = None if shingles is None else opened_shingles(shingles)
        return Intake(artifact=artifact, shingles=sets, root=root, outputs=outputs)
    _refuse([*request.problems_beside_documents(), *find_contradictions(None)])
    walking = Walking.of(request.given())
    if request.texts is not None:
        return Intake(walking=walking, found=_in_memory(request))
    listed = request.files_from if request.files_from is not None else request.files0_from
    for name in (*request.documents, *([listed] if isinstance(listed, bytes) else [])):
        if b"\0" in name:
            raise InputError(f"{display_name(name)}: a path cannot contain NUL")
    assert listed is None or isinstance(listed, bytes)
    sources = Sources(request.documents, listed, request.files0_from is not None, bool(request.jsonl))
    return Intake(sources=sources, walking=walking, outputs=outputs, id_field=request.id_field)


def _in_memory(request: ReadRequest) -> FileList:
    """Texts in memory as a list of files that were read already."""
    texts = request.texts or ()
    names = request.names if request.names is not None else [str(row) for row in range(len(texts))]
    data = list(map(as_bytes, texts))
    try:
        called = [os.fsencode(name) for name in names]
    except UnicodeEncodeError as error:
        raise UsageError(f"names holds {error.object!r}, which has no bytes: give bytes") from None
    return FileList.of(called, [len(text) for text in data], dict(enumerate(data)), texts=True)


def shingling_of(given: Mapping[str, Any]) -> Shingling:
    """The shingling with these parameters. The default of k depends on the unit.

    InputError, UsageError: the list of stop words cannot be used.
    """
    given = with_stop_word_list(given)
    unit = given.get("unit", PARAMETERS["unit"].default)
    may_ignore, listed = UNITS[unit].may_ignore_stop_words, given.get("stop_word_list", "")
    if not (may_ignore or UNITS[unit].begins_at_stop_words):
        listed = ""
    ignored = may_ignore and bool(given.get("ignore_stop_words") or listed)
    given |= {"stop_word_list": listed, "ignore_stop_words": ignored}
    return Shingling.of(given | {"normalisation": Normalisation.of(given)})


def shingles_recipe(request: ReadRequest, fixed: Recipe | None) -> Recipe:
    """How documents become token sets: as in the artifact, or as requested."""
    if fixed is not None:
        return Recipe(sequences=fixed.sequences, shingling=fixed.shingling, unicode=fixed.unicode)
    return Recipe(sequences=Sequences.of(request.given()), shingling=shingling_of(request.given()))


def signature_recipe(request: ReadRequest, fixed: Recipe | None) -> SignatureRecipe:
    """How documents become signatures: as in the artifact as far as that goes, otherwise as requested."""
    recipe = shingles_recipe(request, fixed)
    given = request.given()
    if isinstance(fixed, SignatureRecipe):
        sketching, ignoring = fixed.sketching, fixed.ignoring
    else:
        sketching, ignoring = Sketching.of(given), Ignoring.of(given)
    return SignatureRecipe(**recipe.fields(), sketching=sketching, ignoring=ignoring)


def index_recipe(recipe: SignatureRecipe, banding: Banding, containing: Containing = NO_SKETCH) -> IndexRecipe:
    """The recipe of an index with these bands."""
    return IndexRecipe(**recipe.fields(), banding=banding, containing=containing)


def banding_of(request: CheckedRequest, num_perm: int) -> Banding:
    """The bands and rows for a request. UsageError: no bands and rows fulfil it."""
    asked = BandingRequest.of(request.given())
    return Banding(**asked.fields() | choose(asked, num_perm)._asdict())


def encoded_root(root: bytes | None) -> bytes | None:
    """The directory itself. InputError: it is not a directory."""
    if root is not None and not os.path.isdir(root):
        raise InputError(f"{display_name(root)}: {mention('root')} is not a directory")
    return root


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        raise UsageError(*problems)
