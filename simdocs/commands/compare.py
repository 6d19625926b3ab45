"""compare: how similar texts are, and why."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import compress, product
from typing import TYPE_CHECKING, Any

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.commands.blocks import rows_named
from simdocs.commands.ignoring import contradictory_files, ignored_of, tokens_of_templates, with_stop_word_list
from simdocs.commands.resolve import banding_of, is_artifact, opened, shingling_of, threshold_of
from simdocs.corpora.containers.reopened import Reopened
from simdocs.corpora.decode import as_bytes, as_utf8
from simdocs.corpora.single_text import read_single_document, refuse_fifo_twice, refuse_to_replace
from simdocs.engines.run import Run
from simdocs.errors import InputError, Problem, UnreachableRecallError, UsageError, mention, suggested
from simdocs.kernels.compare import jaccard
from simdocs.kernels.sketch.permutation import each_alone, slots
from simdocs.kernels.sketch.schemes import signing_of
from simdocs.matching.corpus import Corpus
from simdocs.matching.difference import difference
from simdocs.matching.measures import (
    are_shorter_than_a_shingle,
    edit_measures,
    shingle_measures,
    signature_measures,
    token_sets,
)
from simdocs.model.answers import Delivery
from simdocs.model.artifact import Artifact
from simdocs.model.comparison import Comparison, SimilarityMatrix, SlotTrace
from simdocs.model.measures import NOT_COMPUTED
from simdocs.model.names import display_name, name_to_text
from simdocs.model.ragged import Ragged, Tokens, distinct
from simdocs.model.skipped import OF_UNVERIFIED
from simdocs.parameters.families import DIFFS
from simdocs.parameters.recipes import (
    SIMILARITIES,
    Bands,
    IndexRecipe,
    Recipe,
    Shingling,
    SignatureRecipe,
    Sketching,
)
from simdocs.pipeline.reload import ReloadRequest, reload_texts
from simdocs.pipeline.shingling import spelled_shingles
from simdocs.requests.request import contradictions
from simdocs.requests.studying import CompareRequest, SimilarityRequest

if TYPE_CHECKING:
    from simdocs.model.common_passages import CommonPassages
    from simdocs.parameters.hash_functions import PermutationLines


@dataclass(frozen=True, slots=True)
class ComparedTexts:
    """Texts to compare: their names, and their bytes as UTF-8.

    artifact: where they are recorded, if they are.
    given_names: the names that are neither str nor bytes, by the bytes that stand for them.
    """

    names: list[bytes]
    texts: list[bytes]
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


def compared_texts(request: CompareRequest) -> ComparedTexts:
    """Read the texts of a request.

    UsageError: parameters cannot be combined. InputError: a text cannot be read, or has changed since the artifact was
    built. ArtifactError: the artifact cannot be opened.
    """
    if request.texts is None and is_artifact(request.artifact):
        return _recorded(request)
    if problems := list(request.problems_beside_documents()):
        raise UsageError(*problems)
    if request.texts is not None:
        from simdocs.requests.in_memory import names_of

        names, objects = names_of(request.names, len(request.texts))
        return ComparedTexts(names, [_encoded(text) for text in request.texts], given_names=objects)
    for later in request.documents[1:]:
        if is_artifact(later):
            problem = f"{display_name(later)} is an artifact: name it first, and then two of its documents"
            raise UsageError(problem)
    beside = (request.stop_words.stop_words, request.own.permutation_file)
    refuse_fifo_twice([*request.documents, *request.templates.template, *beside])
    limit, sequences = request.walking.max_size, request.sequences
    paths: list[bytes] = list(request.documents)
    return ComparedTexts(paths, [read_single_document(path, limit, sequences) for path in paths])


def _encoded(text: str | bytes) -> bytes:
    return as_utf8(as_bytes(text))[0]


def _recorded(request: CompareRequest) -> ComparedTexts:
    """The documents of an artifact with these names."""
    artifact = opened(request.artifact, tuple(FORMATS))
    problems: list[Problem | str] = [*request.problems_beside_artifact(), *contradictory_files(request, artifact)]
    names = [name for name in request.documents[1:] if isinstance(name, bytes)]
    if len(names) < 2:
        problems.append(f"{artifact.name} is an artifact: name two of its documents after it")
    if problems:
        raise UsageError(*problems)
    corpus = Corpus.of_artifact(artifact, root=request.rereading.root)
    rows = rows_named(corpus, names)
    ((_, source),) = corpus.sources(rows)
    assert isinstance(source, ReloadRequest)
    with closing(Reopened()) as reader:
        found, skips = reload_texts(source, list(range(len(rows))), artifact.recipe.shingling, reader)
    for skip in skips:
        why = OF_UNVERIFIED.get(skip.detail, f"its text cannot be read again ({skip.detail})")
        raise InputError(f"{display_name(skip.shown_name)}: {why}: build {artifact.name} again")
    texts = dict(found)
    return ComparedTexts(corpus.printed_names(rows), [texts[place] for place in range(len(rows))], artifact)


_MOST = 2000
"""Texts in a matrix, which then has 4 million cells."""


def answer(
    request: CompareRequest, _run: Run | None, delivery: Delivery
) -> Comparison | SimilarityMatrix | SlotTrace | CommonPassages:
    """The measures of two texts, or the similarities of more; or how signatures are computed, or passages in common.

    UsageError: parameters cannot be combined, or contradict the artifact.
    """
    beside = (*request.templates.template, request.own.permutation_file)
    refuse_to_replace(delivery.outputs, (*request.documents, *beside), "a text that is read")
    compared = compared_texts(request)
    problems: list[Problem | str] = list(_contradictions(request, compared))
    many = len(compared.texts) > 2
    problems += request.problems_of_many() if many else ()
    sketching, permutations = _sketching(request, compared.recipe)
    if isinstance(compared.recipe, SignatureRecipe) and request.answer.trace and not sketching.goes_by_rows:
        assert compared.artifact is not None
        needs = f"{mention('trace')} needs {mention('scheme')} permutation"
        problems = [f"{needs}, and {compared.artifact.name} has another scheme: name the files of the two documents"]
    elif compared.artifact is not None:
        problems += request.problems_of_trace(sketching)
    if len(compared.texts) > _MOST:
        remedy = f"{suggested('pairs', 'DOCS')} finds similar pairs"
        problems.append(f"a matrix has at most {_MOST:,} texts, not {len(compared.texts):,}: {remedy}")
    if problems:
        raise UsageError(*problems)
    if compared.recipe is not None:
        shinglings = [compared.recipe.shingling]
    else:
        listed = with_stop_word_list(request.given)
        shinglings = [shingling_of(listed | each) for each in _units(request)]
    ignored = [_ignored(request, compared.artifact, shingling) for shingling in shinglings]
    in_common = None
    if request.in_common.passages:
        from simdocs.commands.passages import passages_of

        in_common = passages_of(compared.named, compared.texts, request.in_common, shinglings[0], ignored[0])
        if not delivery.look.as_file:
            return in_common
    sets = token_sets(compared.texts, shinglings[0], ignored[0])
    if sketching.is_own and not isinstance(compared.recipe, SignatureRecipe):
        sketching = _about_items(sketching, compared.texts, sets, shinglings[0], permutations)
    measure = request.comparing.measure
    short = are_shorter_than_a_shingle(compared.texts, sets, shinglings[0])
    matrix = _matrix(compared, sets, short, measure, threshold_of(request, compared.recipe))
    if request.answer.trace:
        return slot_trace(compared.texts, sets, shinglings[0], sketching, matrix)
    if many:
        return matrix
    a, b = compared.texts
    first, recipe, look = shinglings[0], compared.recipe, delivery.look
    alone = (look.as_file or request.answer.diff is not None) and not look.holds_all
    shows_edits = not (alone or request.several_shinglings)
    # Drawn for people or as JSON Lines, the measures are shown together with the places where the texts differ.
    drawn = delivery.take is not None or look.as_file
    shows_both = drawn and look.holds_all and (look.as_file or not request.several_shinglings)
    diff = request.answer.diff or ("words" if shows_both else None)
    exact = float(jaccard.exact(sets, np.array([0]), np.array([1]))[0])
    comparison = Comparison(
        names=(compared.named[0], compared.named[1]),
        every=tuple(shingle_measures(a, b, *each) for each in zip(shinglings, ignored, strict=True)),
        edits=edit_measures(a, b, first) if shows_edits else NOT_COMPUTED,
        signatures=signature_measures(sets, first.seed, sketching, _bands(request, recipe, sketching), exact),
        matrix=matrix,
        difference=None if diff is None else difference(a, b, first, DIFFS[diff].compared),
        decided_by=_decided_by(measure=request.comparing.measure, multiset=first.multiset),
    )
    return comparison if in_common is None else replace(in_common, comparison=comparison)


def _units(request: CompareRequest) -> Iterator[dict[str, Any]]:
    """Yield each unit, with each k that was given."""
    for unit, k in product(request.shinglings.unit, request.shinglings.k or (None,)):
        yield {"unit": unit} | ({} if k is None else {"k": k})


def _contradictions(request: CompareRequest, compared: ComparedTexts) -> Iterator[Problem]:
    """Yield what was given and contradicts the artifact."""
    if compared.artifact is not None:
        first = next(_units(request))
        given = {name: first.get(name, value) for name, value in request.given.items()}
        artifact, fixed = compared.artifact, FORMATS[compared.artifact.kind].parameter_groups
        yield from contradictions(given, artifact.recipe, artifact.name, fixed, ("threshold",))


def _matrix(
    compared: ComparedTexts, sets: Ragged, short: Sequence[bool], measure: str, threshold: float
) -> SimilarityMatrix:
    """How similar each two of these texts are, by this measure of their token sets."""
    left, right = np.triu_indices(len(sets), 1)
    similarity = np.diag((sets.lengths > 0).astype(np.float64))
    if measure == "containment":
        shared = jaccard.overlaps(sets, left, right)
        similarity[left, right] = jaccard.containments(shared, sets.lengths[left])
        similarity[right, left] = jaccard.containments(shared, sets.lengths[right])
    else:
        similarity[left, right] = similarity[right, left] = jaccard.exact(sets, left, right)
    names = tuple(compared.named)
    blank = (not text.decode("utf-8", "surrogateescape").strip() for text in compared.texts)
    return SimilarityMatrix(
        names,
        similarity,
        threshold,
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


def _sketching(request: CompareRequest, recipe: Recipe | None) -> tuple[Sketching, PermutationLines | None]:
    """How signatures are computed: as in the artifact, or as requested; and the permutations, if they are in a file.

    InputError, UsageError: the file cannot be used.
    """
    if isinstance(recipe, SignatureRecipe):
        return recipe.sketching, None
    permutations = None
    if request.own.permutation_file is not None:
        from simdocs.commands.own_functions import permutation_lines

        permutations = permutation_lines(request.own.permutation_file)
    return request.sketching.with_own_functions(request.own.functions, permutations), permutations


def _bands(request: CompareRequest, recipe: Recipe | None, sketching: Sketching) -> Bands:
    """The bands and rows of the index, or as requested. UsageError: none fulfil the request.

    A few own functions may reach no recall, and then each place is a band.
    """
    if isinstance(recipe, IndexRecipe):
        return recipe.banding.cut
    try:
        return banding_of(request.banding, sketching).cut
    except UnreachableRecallError:
        if not sketching.is_own:
            raise
        return Bands(sketching.num_perm, 1)


def _about_items(
    sketching: Sketching,
    texts: Sequence[bytes],
    sets: Ragged,
    shingling: Shingling,
    permutations: PermutationLines | None,
) -> Sketching:
    """The scheme with functions of the shingles of these texts, given as UTF-8. sets: their token sets.

    UsageError: they have too many shingles, or a function is not defined for one.
    """
    from simdocs.commands.own_functions import refuse_too_many, with_items

    refuse_too_many(sketching, len(distinct(sets.values)))
    return with_items(sketching, _spelled(texts, shingling), permutations)


def _spelled(texts: Sequence[bytes], shingling: Shingling) -> dict[int, str]:
    """The shingle of each token of these texts, in the order in which the texts have them first. texts: UTF-8."""
    spelled = dict[int, str]()
    for text in texts:
        for shingle, token in spelled_shingles(text, shingling):
            spelled.setdefault(token, shingle)
    return spelled


def _ignored(request: CompareRequest, artifact: Artifact | None, shingling: Shingling) -> Tokens:
    """The tokens that are left out: the same as in the artifact, or the tokens of the templates."""
    if artifact is not None and isinstance(artifact.recipe, SignatureRecipe):
        return ignored_of(artifact)
    return tokens_of_templates(request, shingling)


def _decided_by(*, measure: str | None, multiset: bool) -> str:
    """The measure that the threshold is about, by its name in a comparison."""
    if measure == "containment":
        return "overlap of multisets" if multiset else "overlap"
    return "bag_jaccard" if multiset else "jaccard"


def similarity_of(request: SimilarityRequest, a: str | bytes, b: str | bytes) -> float:
    """The exact similarity of two texts, from 0.0 to 1.0.

    UsageError: one of them is not a text, or they are too long for this measure.
    """
    for text in (a, b):
        if not isinstance(text, str | bytes):
            hint = ": read the file with read_bytes()" if isinstance(text, os.PathLike) else ""
            raise UsageError(f"a text must be str or bytes, not {type(text).__name__}{hint}")
    measured: float = SIMILARITIES[request.measuring.measure].load()(
        _encoded(a), _encoded(b), shingling_of(request.given)
    )
    return measured


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
            f"{mention('trace')} would print {values:,} values, and at most {_MOST_VALUES:,} are printed:"
            f" {len(compared):,} shingles of {len(sets):,} texts, and {num_perm:,} hash functions: use shorter texts,"
            f" or a smaller {mention('num_perm')}"
        )
    if sketching.is_own:
        spelled = dict(zip(sketching.item_tokens, sketching.items, strict=True))
    else:
        spelled = _spelled(texts, shingling)
    tokens = np.fromiter(spelled, np.uint32, len(spelled))
    tokens = tokens[np.isin(tokens, compared)]
    members = np.column_stack([np.isin(tokens, sets[row]) for row in range(len(sets))])
    sign = signing_of(sketching).signatures
    hashes = sign(each_alone(tokens), num_perm, shingling.seed)
    return SlotTrace(
        shingles=tuple(spelled[token] for token in tokens.tolist()),
        tokens=tokens,
        members=members,
        hashes=hashes,
        slots=slots(hashes, members),
        signatures=sign(sets, num_perm, shingling.seed),
        matrix=matrix,
    )
