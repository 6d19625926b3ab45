"""The texts of compare: how they are read, and how they are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import compress, product
from typing import Any

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.commands.blocks import rows_named
from simdocs.commands.compare import Compare, no_trace
from simdocs.commands.ignoring import ignored_of, stop_word_list, tokens_of_templates
from simdocs.commands.resolve import banding_of, is_artifact, opened, resolved, shingling_of
from simdocs.corpora.containers.reopened import Reopened
from simdocs.corpora.decode import as_bytes, as_utf8
from simdocs.corpora.single_text import read_single_document, refuse_fifo_twice
from simdocs.errors import InputError, UnreachableRecallError, UsageError
from simdocs.kernels import jaccard
from simdocs.kernels.permutation import slots
from simdocs.kernels.schemes import signing_of
from simdocs.matching.corpus import Corpus
from simdocs.matching.difference import difference
from simdocs.matching.measures import are_shorter_than_a_shingle, edit_measures, shingle_measures, signature_measures
from simdocs.model.artifact import Artifact
from simdocs.model.comparison import Comparison, SimilarityMatrix
from simdocs.model.measures import NOT_COMPUTED
from simdocs.model.ragged import Ragged, Tokens, distinct
from simdocs.model.skipped import OF_UNVERIFIED
from simdocs.model.slot_trace import SlotTrace
from simdocs.names import display_name, name_to_text
from simdocs.options.families import UNITS
from simdocs.options.recipes import Bands, IndexRecipe, Recipe, Shingling, SignatureRecipe, Sketching
from simdocs.options.texts import Sequences
from simdocs.pipeline.reload import ReloadRequest, reload_texts
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

        return with_items(self.sketching, _spelled(self.texts, self.shinglings[0]), self.permutations)

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
    ((_, source),) = corpus.sources(rows)
    assert isinstance(source, ReloadRequest)
    with closing(Reopened()) as reader:
        found, skips = reload_texts(source, list(range(len(rows))), shingling, reader)
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


def matrix_of(compared: ComparedTexts, sets: Ragged) -> SimilarityMatrix:
    """How similar each two texts are, by the measure of their token sets that was asked for."""
    left, right = np.triu_indices(len(sets), 1)
    similarity = np.diag((sets.lengths > 0).astype(np.float64))
    if compared.options.measure == "containment":
        shared = jaccard.overlaps(sets, left, right)
        similarity[left, right] = jaccard.containments(shared, sets.lengths[left])
        similarity[right, left] = jaccard.containments(shared, sets.lengths[right])
    else:
        similarity[left, right] = similarity[right, left] = jaccard.exact(sets, left, right)
    names = tuple(compared.named)
    blank = (not text.decode("utf-8", "surrogateescape").strip() for text in compared.texts)
    short = are_shorter_than_a_shingle(compared.texts, sets, compared.shinglings[0])
    return SimilarityMatrix(
        names,
        similarity,
        compared.options.threshold,
        empty=frozenset(compress(names, blank)),
        short=frozenset(compress(names, short)),
        invalid=frozenset(compress(names, (not _is_utf8(text) for text in compared.texts))),
    )


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def comparison(
    compared: ComparedTexts,
    sets: Ragged,
    sketching: Sketching,
    matrix: SimilarityMatrix,
    marked: str | None,
    *,
    with_edits: bool,
) -> Comparison:
    """Two texts by every measure. marked: the units by which their difference is marked; None: it is not."""
    (a, b), named, first = compared.texts, compared.named, compared.shinglings[0]
    exact = float(jaccard.exact(sets, np.array([0]), np.array([1]))[0])
    decided_by = "bag_jaccard" if first.multiset else "jaccard"
    if compared.options.measure == "containment":
        decided_by = "overlap of multisets" if first.multiset else "overlap"
    each = zip(compared.shinglings, compared.ignored, strict=True)
    return Comparison(
        names=(named[0], named[1]),
        every=tuple(shingle_measures(a, b, shingling, ignored) for shingling, ignored in each),
        edits=edit_measures(a, b, first) if with_edits else NOT_COMPUTED,
        signatures=signature_measures(sets, first.seed, sketching, compared.bands, exact),
        matrix=matrix,
        difference=None if marked is None else difference(a, b, first, marked),
        decided_by=decided_by,
    )


def _spelled(texts: Sequence[bytes], shingling: Shingling) -> dict[int, str]:
    """The shingle of each token of these texts, in the order in which the texts have them first. texts: UTF-8."""
    spelled = dict[int, str]()
    for text in texts:
        for shingle, token in spelled_shingles(text, shingling):
            spelled.setdefault(token, shingle)
    return spelled


_MOST_VALUES = 10**6
"""The largest number of values in a trace, one for each row, document and hash function."""


def slot_trace(
    texts: Sequence[bytes], sets: Ragged, shingling: Shingling, sketching: Sketching, matrix: SimilarityMatrix
) -> SlotTrace:
    """The trace of texts, given as UTF-8. sets: the tokens of each that count.

    The rows are in the order of the texts, or with own functions in that of their numbers.
    UsageError: it would have more than a million numbers.
    """
    compared, num_perm = distinct(sets.values), sketching.num_perm
    values = len(compared) * (len(sets) + 1) * num_perm
    if values > _MOST_VALUES:
        raise UsageError(
            f"--trace would print {values:,} values, and at most {_MOST_VALUES:,} are printed:"
            f" {len(compared):,} shingles of {len(sets):,} texts, and {num_perm:,} hash functions: use shorter texts,"
            " or a smaller --num-perm"
        )
    if sketching.is_own:
        spelled = dict(zip(sketching.item_tokens, sketching.items, strict=True))
    else:
        spelled = _spelled(texts, shingling)
    tokens = np.fromiter(spelled, np.uint32, len(spelled))
    tokens = tokens[np.isin(tokens, compared)]
    members = np.column_stack([np.isin(tokens, sets[row]) for row in range(len(sets))])
    sign = signing_of(sketching)
    hashes = sign(Ragged(tokens, np.arange(len(tokens) + 1)), num_perm, shingling.seed)
    return SlotTrace(
        shingles=tuple(spelled[token] for token in tokens.tolist()),
        tokens=tokens,
        members=members,
        hashes=hashes,
        slots=slots(hashes, members),
        signatures=sign(sets, num_perm, shingling.seed),
        matrix=matrix,
    )
