"""Resolve what was asked: open its artifacts, and fill in every option that they, or else the defaults, decide."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from simdocs.artifacts.formats import FORMATS, is_disguised, kind_of
from simdocs.artifacts.reader import open_artifact, usable
from simdocs.commands.ignoring import (
    contradictory_files,
    ignored_of,
    leaving_out,
    permutations_of,
    refuse_other_tokens,
    stop_word_list,
)
from simdocs.errors import InputError, UnreachableRecallError, UsageError
from simdocs.kernels.banding import choose
from simdocs.matching.corpus import Corpus
from simdocs.model.artifact import Artifact, BandIndex, Shingles
from simdocs.model.ragged import Rows
from simdocs.names import MANIFEST, command_line, display_name
from simdocs.options.declaration import Option, Options
from simdocs.options.families import TEXT_FORMAT, UNITS
from simdocs.options.recipes import (
    OF_BANDS,
    Banding,
    Bands,
    ChoosingBands,
    Containing,
    Ignoring,
    IndexRecipe,
    Normalisation,
    Recipe,
    Sequences,
    Shingling,
    SignatureRecipe,
    Sketching,
    Walking,
)
from simdocs.options.sources import OfDocuments, files_beside, names_of
from simdocs.pipeline.reading import Intake
from simdocs.reading.decode import as_bytes
from simdocs.reading.file_list import FileList
from simdocs.reading.find import Sources
from simdocs.reading.single_text import refuse_to_replace

if TYPE_CHECKING:
    from simdocs.commands.dedupe import Dedupe
    from simdocs.commands.pairs import Pairs
    from simdocs.commands.query import Query

Given = TypeVar("Given", bound=Options)
Asked = TypeVar("Asked", bound=OfDocuments)
Searched = TypeVar("Searched", "Dedupe", "Pairs")


@dataclass(frozen=True, slots=True)
class Resolved(Generic[Asked]):
    """What was asked, and everything about it that artifacts decide.

    options: what was asked, without an option that is undecided.
    intake: the documents, or an artifact of them.
    recipe: how they become what the answer is computed from.
    banding: the bands by which candidates are found; None: they are found without bands.
    known: the documents of an index beside these: the index that is asked, or whose documents are always kept.
    chosen_now: whether the bands were chosen for this run.
    changed: the documents of the index that are new or changed, if only these count.
    """

    options: Asked
    intake: Intake
    recipe: Any
    banding: Banding | None
    known: Corpus | None = None
    chosen_now: bool = True
    changed: Rows | None = None

    @property
    def artifact(self) -> Artifact | None:
        """The artifact that has the documents, if one has them."""
        return self.intake.artifact

    @property
    def cut(self) -> Bands | None:
        """The bands and rows, if candidates are found by bands."""
        return None if self.banding is None else self.banding.cut


def resolved(
    options: Given, artifact: Artifact | None, free: Collection[str] = (), undecided: Collection[str] = ()
) -> Given:
    """The options with everything that an artifact decides: what was given, else the artifact's, else the default.

    free: options that may differ from the artifact's. undecided: options that the artifact does not decide.
    UsageError: another value was given than the artifact was built with.
    """
    fixed = {} if artifact is None else dict(artifact.recipe.flattened())
    fixed = {name: value for name, value in fixed.items() if name not in undecided}
    if fixed.get("plain"):
        fixed["input_format"] = TEXT_FORMAT
    values, problems = dict[str, Any](), list[str]()
    for name, declared in options.options.items():
        if not declared.decided:
            continue
        given, built = getattr(options, name), fixed.get(name)
        values[name] = next((each for each in (given, built, declared.default) if each is not None), None)
        if artifact is not None and name in fixed and name not in free and given is not None and given != built:
            problems.append(_contradiction(declared, given, built, artifact.name))
    if artifact is not None:
        problems += contradictory_files(options, artifact)
    if problems:
        raise UsageError(*problems)
    return options.filled(**values)


def _contradiction(declared: Option, asked: object, built: object, name: str) -> str:
    option = declared.flag
    if is_unset(declared.name, built):
        wanted = option if asked is True else f"{option} {in_words(asked)}"
        return f"{name} was built without {option}: rebuild it with {wanted}, or leave the option out"
    if built is True:
        return f"{name} was built with {option}: rebuild it without, or give the option here"
    ours, theirs = in_words(asked), in_words(built)
    return f"{name} was built with {option} {theirs}, not {ours}: rebuild it, or leave the option out"


def is_unset(option: str, value: object) -> bool:
    """Whether an artifact with this value was built without the option, rather than with a value of it."""
    return value is False or value is None or value == () or (option == "ignore_common" and value == 1.0)


def in_words(value: object) -> str:
    """A value, or several with commas between them."""
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value) or "''"


def of_documents(options: Asked) -> Resolved[Asked]:
    """What is asked about documents that become token sets."""
    intake = intake_of(options)
    options = resolved(options, intake.artifact)
    fixed = None if intake.artifact is None else intake.artifact.recipe
    return Resolved(options, intake, shingles_recipe(options, fixed), None)


def of_signatures(options: Asked) -> Resolved[Asked]:
    """What is asked about documents that become signatures."""
    intake = intake_of(options)
    options = resolved(options, intake.artifact)
    intake, recipe = _signed(options, intake, intake.artifact)
    return Resolved(options, intake, recipe, None)


def of_bands(options: Asked, *, own: bool) -> Resolved[Asked]:
    """What is asked about documents that become signatures in bands. own: whether an index gets bands of its own.

    UsageError: the hash functions of an artifact are stated, and nothing can be said about what these find.
    """
    intake = intake_of(options) if options.ways() else Intake(outputs=outputs_of(options))
    artifact = intake.artifact
    if artifact is not None and options.command != "index":
        fixed = artifact.recipe
        if isinstance(fixed, SignatureRecipe) and fixed.sketching.is_own:
            raise UsageError(
                f"{artifact.name} has hash functions that were stated, and {options.command} is about random ones: name"
                " the documents instead"
            )
    options = resolved(options, artifact, undecided=OF_BANDS if own else ())
    if isinstance(artifact, BandIndex) and not own:
        return Resolved(options, *_signed(options, intake, artifact), artifact.recipe.banding, chosen_now=False)
    intake, recipe = _signed(options, intake, artifact)
    containing = artifact.recipe.containing if isinstance(artifact, BandIndex) else Containing.of(options.fields())
    banding = banding_of(options, recipe.sketching)
    made = {name: recipe.fields()[name] for name in SignatureRecipe.defaults}
    return Resolved(options, intake, IndexRecipe(**made, banding=banding, containing=containing), banding)


def of_search(options: Searched) -> Resolved[Searched]:
    """What is asked about near-duplicates among documents: dedupe and pairs."""
    against = getattr(options, "against", None)
    known = None if against is None else _known(against, options)
    intake = intake_of(options)
    artifact, index = intake.artifact, None if known is None else known.index
    if index is None:
        options = resolved(options, artifact, ("threshold",))
        intake, recipe = _signed(options, intake, artifact)
    else:
        options, intake, recipe = _beside(options, intake, index)
    fixed = index or artifact
    banding = None
    if not options.exact and options.measure == "jaccard":
        banding = fixed.recipe.banding if isinstance(fixed, BandIndex) else banding_of(options, recipe.sketching)
    changed = opened_index(artifact).changed if options.changed else None
    return Resolved(options, intake, recipe, banding, known, not isinstance(fixed, BandIndex), changed)


def of_query(options: Query) -> Resolved[Query]:
    """What is asked about documents of an index that are similar to others."""
    known = _known(options.index, options)
    index = known.index
    assert index is not None
    intake = Intake(outputs=outputs_of(options)) if options.changed else intake_of(options)
    options, intake, recipe = _beside(options, intake, index)
    changed = index.changed if options.changed else None
    banding = None if options.exact or options.measure == "containment" else recipe.banding
    return Resolved(options, intake, recipe, banding, known, False, changed)


def _known(given: Any, options: Any) -> Corpus:
    """The documents of the index beside those that are read. UsageError: documents stand where an index is needed."""
    if isinstance(given, bytes) and os.path.lexists(given) and kind_of(given) is None:
        name = display_name(given)
        if options.command == "query" and any(isinstance(each, bytes) and kind_of(each) for each in options.documents):
            raise UsageError(f"{name}: this is not an index: the index comes first, and then the documents")
        remedy = command_line("index", [name], {"output": f"{name.rstrip('/')}.index"})
        raise UsageError(f"{name}: this is not an index: build one with {remedy}")
    return Corpus.of_artifact(opened_index(given), sets=opened_shingles(options.shingles), root=options.root)


def _beside(options: Asked, intake: Intake, index: BandIndex) -> tuple[Asked, Intake, IndexRecipe]:
    """The options, the documents and the recipe of documents that are compared with those of an index."""
    artifact = intake.artifact
    if artifact is not None:
        refuse_other_tokens(artifact, index)
        resolved(options, artifact, ("threshold",))
    options = resolved(options, index, ("threshold", *Sequences.options))
    sequences = Sequences.of(options.fields()) if artifact is None else artifact.recipe.sequences
    sources = intake.sources._replace(input_format=sequences.input_format or "")
    # Standard input and FIFOs, too, are read in the format of the index.
    intake = replace(intake, sources=sources, ignored=ignored_of(index))
    return options, intake, index.recipe.but(sequences=sequences)


def _signed(options: Any, intake: Intake, artifact: Artifact | None) -> tuple[Intake, Any]:
    """The documents with the tokens that are left out, and how they become signatures."""
    fixed = None if artifact is None else artifact.recipe
    if isinstance(fixed, SignatureRecipe):
        recipe = fixed
    else:
        if (name := getattr(options, "permutation_file", None)) is not None:
            intake = replace(intake, permutations=permutations_of(name))
        functions = getattr(options, "functions", ())
        sketching = Sketching.of(options.fields()).with_own_functions(functions, intake.permutations)
        made = shingles_recipe(options, fixed).fields()
        recipe = SignatureRecipe(**made, sketching=sketching, ignoring=Ignoring.of(options.fields()))
    if artifact is None and not getattr(options, "template", ()):
        return intake, recipe
    return leaving_out(options, intake, recipe, artifact)


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


def opened_shingles(given: Any) -> Shingles | None:
    """The token sets that were given, if any were: see `opened`."""
    artifact = None if given is None else opened(given, (Shingles.kind,))
    assert artifact is None or isinstance(artifact, Shingles)
    return artifact


def is_artifact(given: Any) -> bool:
    """Whether a document is an artifact."""
    return not isinstance(given, bytes) or (given != b"-" and kind_of(given) is not None)


def outputs_of(options: Any) -> list[str]:
    """The files to which the answer and its summary are written, which must not be among those that are read."""
    return [os.fsdecode(each) for each in (options.path, getattr(options, "summary_json", None)) if each]


def intake_of(options: OfDocuments) -> Intake:
    """The documents that were named, or an artifact of them.

    UsageError: options cannot be combined with them. InputError, ArtifactError: an artifact cannot be opened.
    """
    if read := files_beside(options):
        refuse_to_replace(outputs_of(options), read)
    if any(map(is_artifact, options.documents)):
        for name in options.documents:
            # Someone who can write to the directory may have made it an artifact, so that the answer names files
            # elsewhere.
            if isinstance(name, bytes) and name != b"-" and is_disguised(name):
                suffixes = ", ".join(form.suffix for form in FORMATS.values())
                raise InputError(
                    f"{display_name(name)}: this is an artifact and not a directory of documents:"
                    f" give it a name that ends in one of {suffixes}, or remove its {MANIFEST}"
                )
        if problems := list(options.problems_beside_artifact()):
            raise UsageError(*problems)
        artifact = opened(options.documents[0], options.upstream, or_documents=True)
        # Beside an index, token sets and a root belong to its documents.
        beside = hasattr(options, "index") or getattr(options, "against", None) is not None
        shingles, root = (None if beside else getattr(options, name, None) for name in ("shingles", "root"))
        return Intake(artifact=artifact, shingles=opened_shingles(shingles), root=root, outputs=outputs_of(options))
    if problems := list(options.problems_beside_documents()):
        raise UsageError(*problems)
    walking = Walking.of(options.fields())
    if options.texts is not None:
        data = list(map(as_bytes, options.texts))
        called, objects = names_of(options.names, len(data))
        found = FileList.of(called, [len(text) for text in data], dict(enumerate(data)), texts=True)
        return Intake(walking=walking, found=replace(found, given_names=objects))
    listed = options.files_from if options.files_from is not None else options.files0_from
    form = "" if options.input_format in (None, TEXT_FORMAT) else options.input_format
    sources = Sources(options.documents, listed, options.files0_from is not None, form)
    given = {name: getattr(options, name) for name in ("text_field", "id_field")}
    return Intake(sources=sources, walking=walking, outputs=outputs_of(options), **given)


def shingling_of(given: Mapping[str, Any]) -> Shingling:
    """The shingling with these options, in which None stands for the default. That of k depends on the unit.

    InputError, UsageError: the list of stop words cannot be used.
    """
    chosen = Shingling.of(given).but(normalisation=Normalisation.of(given))
    unit = UNITS[chosen.unit]
    listed = "" if given.get("stop_words") is None else stop_word_list(given["stop_words"])
    if not (unit.may_ignore_stop_words or unit.begins_at_stop_words):
        listed = ""
    ignored = unit.may_ignore_stop_words and bool(chosen.ignore_stop_words or listed)
    return chosen.but(stop_word_list=listed, ignore_stop_words=ignored)


def shingles_recipe(options: Any, fixed: Recipe | None) -> Recipe:
    """How documents become token sets: as in the artifact, or as asked."""
    if fixed is not None:
        return Recipe(sequences=fixed.sequences, shingling=fixed.shingling)
    given = options.fields()
    return Recipe(sequences=Sequences.of(given), shingling=shingling_of(given))


def banding_of(options: Any, sketching: Sketching) -> Banding:
    """The bands and rows that were asked for. UsageError: no bands and rows fulfil it."""
    asked = ChoosingBands.of(options.fields())
    try:
        return Banding(**asked.fields() | choose(asked, sketching.num_perm)._asdict())
    except UnreachableRecallError as error:
        remedy = "state more functions, or set --bands or --rows" if sketching.is_own else error.remedy
        if hasattr(options, "exact"):
            remedy = f"{remedy}, or --exact to find every pair"
        raise UnreachableRecallError(error.threshold, error.recall, error.num_perm, error.best, remedy) from None
