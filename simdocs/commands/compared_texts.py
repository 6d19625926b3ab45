"""The texts of compare: how they are read, and how they are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from simdocs.artifacts.formats import FORMATS
from simdocs.commands.compare import Compare, no_trace
from simdocs.commands.ignoring import ignored_of, stop_word_list, tokens_of_templates
from simdocs.commands.named_rows import rows_named
from simdocs.commands.resolve import banding_of, is_artifact, opened, resolved, shingling_of
from simdocs.corpora.decode import as_bytes, as_utf8
from simdocs.corpora.single_text import read_single_document, refuse_fifo_twice
from simdocs.errors import InputError, UnreachableRecallError, UsageError
from simdocs.matching.corpus import Corpus
from simdocs.model.artifact import Artifact
from simdocs.model.ragged import Tokens
from simdocs.model.skipped import OF_UNVERIFIED
from simdocs.names import display_name, name_to_text
from simdocs.options.families import UNITS
from simdocs.options.recipes import Bands, IndexRecipe, Recipe, Shingling, SignatureRecipe, Sketching
from simdocs.options.texts import Sequences
from simdocs.pipeline.reload import reload_texts
from simdocs.pipeline.shingling import spelled_shingles


@dataclass(frozen=True, slots=True)
class ComparedTexts:
    """Texts to compare, and how they are compared.

    options: what was asked, without an option that is undecided.
    names, texts: their names, and their bytes as UTF-8.
    shinglings: how they become tokens: for each unit and each k that was asked for.
    ignored: for each of these, the tokens that are left out.
    sketching: how signatures are computed; functions that are stated are so far without items.
    permutations: those of a file, if one is given.
    artifact: where the texts are recorded, if they are.
    given_names: the names that are neither str nor bytes, by the bytes that stand for them.
    """

    options: Compare
    names: list[bytes]
    texts: list[bytes]
    shinglings: list[Shingling]
    ignored: list[Tokens]
    sketching: Sketching
    permutations: Sequence[Sequence[str]] = ()
    artifact: Artifact | None = None
    given_names: Mapping[bytes, Any] = field(default_factory=dict)

    @property
    def named(self) -> list[Any]:
        """The names as they were given, or else as str."""
        return [self.given_names.get(name, name_to_text(name)) for name in self.names]

    @property
    def recipe(self) -> Recipe | None:
        """How the artifact was made in which they are recorded."""
        return None if self.artifact is None else self.artifact.recipe

    def own_sketching(self) -> Sketching:
        """How signatures are computed, with functions that are stated for the shingles of these texts.

        UsageError: they have too many shingles, or a permutation is not one of them.
        """
        if not self.sketching.is_own or isinstance(self.recipe, SignatureRecipe):
            return self.sketching
        from simdocs.commands.own_functions import with_items

        return with_items(self.sketching, spelled_tokens(self.texts, self.shinglings[0]), self.permutations)

    @property
    def bands(self) -> Bands:
        """The bands and rows of the index, or as asked. UsageError: none fulfil what was asked.

        A few own functions may reach no recall, and then each place is a band.
        """
        if isinstance(self.recipe, IndexRecipe):
            return self.recipe.banding.cut
        try:
            return banding_of(self.options, self.sketching).cut
        except UnreachableRecallError:
            if not self.sketching.is_own:
                raise
            return Bands(self.sketching.num_perm, 1)


_MOST = 2000
"""Texts in a matrix, which then has 4 million cells."""


def compared_texts(options: Compare) -> ComparedTexts:
    """The texts that are named, read, and how they are compared.

    UsageError: options cannot be combined. InputError: a text cannot be read, or has changed since the artifact was
    built. ArtifactError: the artifact cannot be opened.
    """
    recorded = options.texts is None and is_artifact(options.documents[0])
    compared = _recorded(options) if recorded else _read(options)
    artifact, sketching, problems = compared.artifact, compared.sketching, list[str]()
    if len(compared.texts) > 2:
        problems += options.problems_of_many()
    if artifact is not None and options.trace and not sketching.goes_by_rows:
        if isinstance(compared.recipe, SignatureRecipe):
            other = f"{artifact.name} has another scheme: name the files of the two documents"
            problems.append(f"--trace needs --scheme permutation, and {other}")
        else:
            problems.append(no_trace(sketching.scheme))
    if len(compared.texts) > _MOST:
        remedy = "simdocs pairs DOCS finds similar pairs"
        problems.append(f"a matrix has at most {_MOST:,} texts, not {len(compared.texts):,}: {remedy}")
    _refuse(problems)
    return compared


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        raise UsageError(*problems)


def _read(options: Compare) -> ComparedTexts:
    """Texts in memory, or those of files."""
    _refuse(list(options.problems_beside_documents()))
    objects = dict[bytes, Any]()
    if options.texts is not None:
        from simdocs.options.in_memory import names_of

        names, objects = names_of(options.names, len(options.texts))
        texts = [as_utf8(as_bytes(text))[0] for text in options.texts]
    else:
        names = list(options.documents)
        for later in names[1:]:
            if is_artifact(later):
                shown = display_name(later) if isinstance(later, bytes) else later.name
                raise UsageError(f"{shown} is an artifact: name it first, and then two of its documents")
        refuse_fifo_twice([*names, *options.template, options.stop_words, options.permutation_file])
        sequences = Sequences.of(options.fields())
        texts = [read_single_document(name, options.max_size, sequences) for name in names]
    options = resolved(options, None)
    shinglings = _shinglings(options)
    ignored = [tokens_of_templates(options.template, each) for each in shinglings]
    sketching, permutations = _sketching(options)
    return ComparedTexts(options, names, texts, shinglings, ignored, sketching, permutations, given_names=objects)


def _recorded(options: Compare) -> ComparedTexts:
    """The documents of an artifact with these names."""
    artifact = opened(options.documents[0], tuple(FORMATS))
    problems = list(options.problems_beside_artifact())
    names = [name for name in options.documents[1:] if isinstance(name, bytes)]
    if len(names) < 2:
        problems.append(f"{artifact.name} is an artifact: name two of its documents after it")
    _refuse(problems)
    recipe, shingling = artifact.recipe, artifact.recipe.shingling
    unit, k = (None if each is None else each[0] for each in (options.unit, options.k))
    options = resolved(options.filled(unit=unit, k=k), artifact, ("threshold",))
    options = options.filled(unit=(shingling.unit,), k=(shingling.k,))
    corpus = Corpus.of_artifact(artifact, root=options.root)
    rows = rows_named(corpus, names)
    ((_, request),) = corpus.readings(rows)
    found, skips = reload_texts(request, list(range(len(rows))), shingling)
    for skip in skips:
        why = OF_UNVERIFIED.get(skip.detail, f"its text cannot be read again ({skip.detail})")
        raise InputError(f"{display_name(skip.shown_name)}: {why}: build {artifact.name} again")
    texts, called = dict(found), corpus.printed_names(rows)
    in_order = [texts[place] for place in range(len(rows))]
    if isinstance(recipe, SignatureRecipe):
        ignored, sketching, permutations = ignored_of(artifact), recipe.sketching, list[list[str]]()
    else:
        ignored = tokens_of_templates(options.template, shingling)
        sketching, permutations = _sketching(options)
    return ComparedTexts(options, called, in_order, [shingling], [ignored], sketching, permutations, artifact)


def _shinglings(options: Compare) -> list[Shingling]:
    """How texts become tokens, for each unit with each k. The list of stop words is read once."""
    given, found = options.fields() | {"stop_words": None}, list[Shingling]()
    listed = "" if options.stop_words is None else stop_word_list(options.stop_words)
    for name, k in product(options.unit, options.k or (None,)):
        shingling, unit = shingling_of(given | {"unit": name, "k": k}), UNITS[name]
        if listed and (unit.may_ignore_stop_words or unit.begins_at_stop_words):
            shingling = shingling.but(stop_word_list=listed, ignore_stop_words=unit.may_ignore_stop_words)
        found.append(shingling)
    return found


def _sketching(options: Compare) -> tuple[Sketching, list[list[str]]]:
    """How signatures are computed, as asked; and the permutations, if they are in a file.

    InputError, UsageError: the file cannot be used.
    """
    permutations = list[list[str]]()
    if options.permutation_file is not None:
        from simdocs.commands.own_functions import permutations_of

        permutations = permutations_of(options.permutation_file)
    return Sketching.of(options.fields()).with_own_functions(options.functions, permutations), permutations


def spelled_tokens(texts: Sequence[bytes], shingling: Shingling) -> dict[int, str]:
    """The shingle of each token of these texts, in the order in which the texts have them first. texts: UTF-8."""
    spelled = dict[int, str]()
    for text in texts:
        for shingle, token in spelled_shingles(text, shingling):
            spelled.setdefault(token, shingle)
    return spelled
