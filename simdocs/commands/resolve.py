"""Resolve a request: open its artifacts, and decide everything that they leave open."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, overload

from simdocs.artifacts.formats import FORMATS
from simdocs.artifacts.reader import open_artifact, usable
from simdocs.artifacts.recognise import kind_of
from simdocs.commands.artifact_hints import explain_no_index, explain_order, explain_wrong_kind, refuse_disguised
from simdocs.commands.ignoring import contradictory_files, leaving_out, refuse_other_tokens, with_stop_word_list
from simdocs.corpora.decode import as_bytes
from simdocs.corpora.discover import Sources
from simdocs.corpora.file_list import FileList
from simdocs.errors import InputError, Problem, UnreachableRecallError, UsageError, mention
from simdocs.kernels.lsh.banding import choose
from simdocs.matching.corpus import Corpus, check_root
from simdocs.matching.preparing import corpus_of
from simdocs.model.artifact import Artifact, BandIndex, Shingles, Signatures
from simdocs.model.names import display_name
from simdocs.model.ragged import Rows
from simdocs.parameters.answers import Grouping
from simdocs.parameters.families import UNITS
from simdocs.parameters.recipes import (
    NO_SKETCH,
    OF_BANDS,
    Banding,
    BandingRequest,
    Bands,
    IndexRecipe,
    Recipe,
    Shingling,
    SignatureRecipe,
    Sketching,
)
from simdocs.parameters.texts import Normalisation, OnlyChanged, Sequences
from simdocs.pipeline.prepare import Intake
from simdocs.requests.building import BuildRequest, IndexRequest
from simdocs.requests.request import Request, contradictions
from simdocs.requests.searching import DedupeRequest, PairsRequest, PassagesRequest, QueryRequest, SimilarRequest
from simdocs.requests.sources import BandsRequest, DocumentTokensRequest, ReadRequest, SignaturesRequest
from simdocs.requests.studying import AuditRequest, TuneRequest

_Sought = TypeVar("_Sought", DedupeRequest, PairsRequest, PassagesRequest)
Asked_co = TypeVar("Asked_co", bound=Request, covariant=True)
Made_co = TypeVar("Made_co", bound=Recipe, covariant=True)


@dataclass(frozen=True, slots=True)
class Resolved(Generic[Asked_co, Made_co]):
    """A request, and everything about it that its artifacts decide.

    request: what was asked. Its groups have what no artifact decides, with the defaults.
    intake: the documents, or an artifact of them.
    recipe: how they become what the answer is computed from.
    threshold: the minimum similarity.
    banding: the bands by which candidates are found; None: they are found without bands.
    grouping: how candidates are decided.
    known: the documents of an index beside these: the index that is asked, or whose documents are always kept.
    chosen_now: whether the bands were chosen for this run.
    changed: the documents of the index that are new or changed, if only these count.
    """

    request: Asked_co
    intake: Intake
    recipe: Made_co
    threshold: float
    banding: Banding | None
    grouping: Grouping
    known: Corpus | None
    chosen_now: bool
    changed: Rows | None

    @property
    def artifact(self) -> Artifact | None:
        """The artifact that has the documents, if one has them."""
        return self.intake.artifact

    @property
    def cut(self) -> Bands | None:
        """The bands and rows, if candidates are found by bands."""
        return None if self.banding is None else self.banding.cut


@overload
def resolve(request: QueryRequest, outputs: Sequence[str | None] = ...) -> Resolved[QueryRequest, IndexRecipe]: ...


@overload
def resolve(request: _Sought, outputs: Sequence[str | None] = ...) -> Resolved[_Sought, SignatureRecipe]: ...


@overload
def resolve(
    request: TuneRequest | AuditRequest, outputs: Sequence[str | None] = ...
) -> Resolved[BandsRequest, IndexRecipe]: ...


@overload
def resolve(request: BuildRequest, outputs: Sequence[str | None] = ...) -> Resolved[BuildRequest, Recipe]: ...


@overload
def resolve(request: ReadRequest, outputs: Sequence[str | None] = ...) -> Resolved[ReadRequest, Recipe]: ...


def resolve(request: ReadRequest, outputs: Sequence[str | None] = ()) -> Resolved[Any, Any]:
    """The request with everything that its artifacts decide.

    UsageError: it contradicts an artifact, or no bands reach the recall. ParametersError: an artifact and an index
    beside it were made with different parameters. ArtifactError, InputError: an artifact cannot be opened, or does not
    say which of its documents are new or changed.
    """
    known, changed = _known(request), None
    index = None if known is None else known.index
    only_changed = request.only_changed if isinstance(request, QueryRequest | SimilarRequest) else OnlyChanged()
    of_index = isinstance(request, QueryRequest) and only_changed.changed
    if of_index or (isinstance(request, TuneRequest) and not request.has_documents):
        intake = Intake(outputs=outputs)
    else:
        intake = intake_of(request, outputs, lambda found: _contradictions(request, found, index))
    artifact = intake.artifact
    if isinstance(request, TuneRequest | AuditRequest):
        check_root(intake.root)
        _refuse_own_functions(request, artifact)
    fixed = None if artifact is None else artifact.recipe
    if index is not None:
        if artifact is not None:
            refuse_other_tokens(artifact, index)
        fixed = index.recipe.but(
            sequences=_with_given(index.recipe.sequences, request) if fixed is None else fixed.sequences
        )
        intake = _in_format(intake, fixed.sequences)
    if request.has("permutation_file") and not isinstance(fixed, SignatureRecipe):
        from simdocs.commands.own_functions import permutation_lines

        intake = replace(intake, permutations=permutation_lines(request.given["permutation_file"]))
    recipe = _recipe(request, fixed, intake)
    if isinstance(recipe, SignatureRecipe):
        intake, recipe = leaving_out(request, intake, recipe, index or artifact)
    grouping = request.grouping if isinstance(request, QueryRequest | SimilarRequest) else Grouping()
    banding = recipe.banding if isinstance(recipe, IndexRecipe) else None
    if isinstance(request, SimilarRequest):
        if request.comparing.measure == "containment":  # signatures say little about it
            grouping = grouping.but(exact=True)
        banding = None if grouping.exact else _banding_of_pairs(request, fixed)
    if only_changed.changed:
        changed = (index or opened_index(artifact)).changed
    return Resolved(
        request=request,
        intake=intake,
        recipe=recipe,
        threshold=threshold_of(request, fixed),
        banding=banding,
        grouping=grouping,
        known=known,
        chosen_now=not isinstance(fixed, IndexRecipe),
        changed=changed,
    )


def _refuse_own_functions(request: Request, artifact: Artifact | None) -> None:
    """Raise UsageError if the hash functions of an artifact are stated: nothing can be said about what these find."""
    if artifact is not None and isinstance(artifact.recipe, SignatureRecipe) and artifact.recipe.sketching.is_own:
        raise UsageError(
            f"{artifact.name} has hash functions that were stated, and {request.question} is about random ones: name"
            " the documents instead"
        )


def threshold_of(request: Request, fixed: Recipe | None) -> float:
    """The threshold that was given, or else the index's, or else the default. fixed: the recipe of an artifact."""
    default = fixed.banding.threshold if isinstance(fixed, IndexRecipe) else BandingRequest().threshold
    return float(request.given.get("threshold", default))


def _known(request: ReadRequest) -> Corpus | None:
    """The documents of the index beside those of a request, if there is one."""
    if isinstance(request, QueryRequest):
        explain_order(request)
        given = request.index
    elif isinstance(request, DedupeRequest) and request.known.against is not None:
        given = request.known.against
    else:
        return None
    explain_no_index(given)
    shingles, root = request.rereading.shingles, request.rereading.root
    sets = None if shingles is None else opened_shingles(shingles)
    return corpus_of(opened_index(given), sets, root)


def _contradictions(
    request: ReadRequest, artifact: Artifact | None, index: BandIndex | None
) -> Iterator[Problem | str]:
    """Yield a problem for each parameter that contradicts the artifact of the documents, or the index beside them."""
    if isinstance(request, QueryRequest):
        return
    # An index of an index has bands of its own, and so have the bands that are judged.
    of_bands = isinstance(request, BuildRequest | TuneRequest)
    free = OF_BANDS if of_bands else ("threshold",) if isinstance(request, SimilarRequest) else ()
    yield from contradictions_with(artifact, request, free)
    yield from contradictions_with(index, request, ("threshold", *Sequences.parameters))
    if isinstance(request, IndexRequest) and request.containing.containment and isinstance(artifact, Signatures):
        remedy = "give the documents, or their .shingles"
        yield f"{artifact.name} has no tokens, which {mention('containment')} needs: {remedy}"


def _in_format(intake: Intake, sequences: Sequences) -> Intake:
    """The same documents. Standard input and FIFOs, too, are read in the format of the index."""
    if intake.sources.jsonl:
        return intake
    form = "" if sequences.plain else sequences.input_format or ""
    return replace(intake, sources=replace(intake.sources, input_format=form))


def _with_given(sequences: Sequences, request: ReadRequest) -> Sequences:
    return sequences.but(**{name: request.given[name] for name in Sequences.parameters if name in request.given})


def _recipe(request: ReadRequest, fixed: Recipe | None, intake: Intake) -> Recipe:
    """How documents become what a request needs: as in the artifact as far as that goes, otherwise as requested."""
    if isinstance(request, QueryRequest) and fixed is not None:
        return fixed
    assert isinstance(request, DocumentTokensRequest)
    own_bands = isinstance(request, TuneRequest) and bool(request.given.keys() & set(OF_BANDS))
    if isinstance(fixed, IndexRecipe) and isinstance(request, AuditRequest | TuneRequest) and not own_bands:
        return fixed
    if isinstance(request, PassagesRequest):
        return SignatureRecipe(**shingles_recipe(request, fixed).fields(), sketching=Sketching())
    if not isinstance(request, SignaturesRequest):
        return shingles_recipe(request, fixed)
    recipe = signature_recipe(request, fixed, intake)
    if isinstance(request, SimilarRequest) or not isinstance(request, BandsRequest):
        return recipe
    containing = request.containing if isinstance(request, IndexRequest) else NO_SKETCH
    if isinstance(request, IndexRequest) and isinstance(fixed, IndexRecipe):
        containing = fixed.containing
    banding = banding_of(request.banding, recipe.sketching)
    return IndexRecipe(**recipe.fields(), banding=banding, containing=containing)


def _banding_of_pairs(request: SimilarRequest, fixed: Recipe | None) -> Banding:
    """The bands that serve what was asked. UnreachableRecallError: none do, but an exact join would."""
    if isinstance(fixed, IndexRecipe):
        return fixed.banding
    sketching = fixed.sketching if isinstance(fixed, SignatureRecipe) else request.sketching
    try:
        return banding_of(request.banding, sketching)
    except UnreachableRecallError as error:
        raise error.or_else(f"{mention('exact')} to find every pair") from None


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


FindContradictions = Callable[[Artifact | None], Iterable[Problem | str]]
"""Finds the parameters that contradict an artifact: the input (None: the input is documents), or an index."""


def contradictions_with(
    artifact: Artifact | None, request: Request, free: Sequence[str] = ()
) -> Iterator[Problem | str]:
    """Yield a message for each parameter and template that was given and that the artifact was made without.

    free: parameters that may differ.
    """
    if artifact is not None:
        fixed = FORMATS[artifact.kind].parameter_groups
        yield from contradictions(request.given, artifact.recipe, artifact.name, fixed, free)
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
        problems: list[Problem | str] = list(request.problems_beside_artifact())
        if len(request.documents) > 1:
            _refuse(problems)
        artifact = opened(request.documents[0], request.upstream, or_documents=True)
        _refuse([*problems, *find_contradictions(artifact)])
        beside = isinstance(request, QueryRequest) or "against" in request.given
        given = {} if beside else request.given  # token sets and a root belong to the documents of the index beside it
        shingles, root = given.get("shingles"), given.get("root")
        sets = None if shingles is None else opened_shingles(shingles)
        return Intake(artifact=artifact, shingles=sets, root=root, outputs=outputs)
    _refuse([*request.problems_beside_documents(), *find_contradictions(None)])
    walking = request.walking
    if request.texts is not None:
        return Intake(walking=walking, found=_in_memory(request))
    naming = request.naming
    listed = naming.files_from if naming.files_from is not None else naming.files0_from
    for name in (*request.documents, *([] if listed is None else [listed])):
        if b"\0" in name:
            raise InputError(f"{display_name(name)}: a path cannot contain NUL")
    input_format = request.sequences.input_format or ""
    sources = Sources(request.documents, listed, naming.files0_from is not None, naming.jsonl, input_format)
    given = {name: request.given.get(name) for name in ("text_field", "id_field")}
    return Intake(sources=sources, walking=walking, outputs=outputs, **given)


def _in_memory(request: ReadRequest) -> FileList:
    """Texts in memory as a list of files that were read already."""
    from simdocs.requests.in_memory import names_of

    data = list(map(as_bytes, request.texts or ()))
    called, objects = names_of(request.names, len(data))
    found = FileList.of(called, [len(text) for text in data], dict(enumerate(data)), texts=True)
    return replace(found, given_names=objects)


def shingling_of(given: Mapping[str, Any]) -> Shingling:
    """The shingling with these parameters. The default of k depends on the unit.

    InputError, UsageError: the list of stop words cannot be used.
    """
    given = with_stop_word_list(given)
    unit = Shingling.of(given).unit
    may_ignore, listed = UNITS[unit].may_ignore_stop_words, given.get("stop_word_list", "")
    if not (may_ignore or UNITS[unit].begins_at_stop_words):
        listed = ""
    ignored = may_ignore and bool(given.get("ignore_stop_words") or listed)
    given |= {"stop_word_list": listed, "ignore_stop_words": ignored}
    return Shingling.of(given | {"normalisation": Normalisation.of(given)})


def shingles_recipe(request: DocumentTokensRequest, fixed: Recipe | None) -> Recipe:
    """How documents become token sets: as in the artifact, or as requested."""
    if fixed is not None:
        return Recipe(sequences=fixed.sequences, shingling=fixed.shingling, unicode=fixed.unicode)
    return Recipe(sequences=request.sequences, shingling=shingling_of(request.given))


def signature_recipe(request: SignaturesRequest, fixed: Recipe | None, intake: Intake) -> SignatureRecipe:
    """How documents become signatures: as in the artifact as far as that goes, otherwise as requested."""
    recipe = shingles_recipe(request, fixed)
    if isinstance(fixed, SignatureRecipe):
        return SignatureRecipe(**recipe.fields(), sketching=fixed.sketching, ignoring=fixed.ignoring)
    functions = request.given.get("functions", ())
    sketching = request.sketching.with_own_functions(functions, intake.permutations)
    return SignatureRecipe(**recipe.fields(), sketching=sketching, ignoring=request.ignoring)


def banding_of(asked: BandingRequest, sketching: Sketching) -> Banding:
    """The bands and rows for a request. UsageError: no bands and rows fulfil it."""
    try:
        return Banding(**asked.fields() | choose(asked, sketching.num_perm)._asdict())
    except UnreachableRecallError as error:
        if not sketching.is_own:
            raise
        remedy = f"state more functions, or set {mention('bands')} or {mention('rows')}"
        raise UnreachableRecallError(error.threshold, error.recall, error.num_perm, error.best, remedy) from None


def _refuse(problems: Sequence[Problem | str]) -> None:
    if problems:
        raise UsageError(*problems)
