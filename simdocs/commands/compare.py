"""compare: how similar texts are, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress, product
from typing import Any

import numpy as np

from simdocs.artifacts.formats import FORMATS
from simdocs.commands.compared_texts import ComparedTexts, compared_texts
from simdocs.commands.ignoring import ignored_of, tokens_of_templates
from simdocs.commands.resolve import banding_of, shingling_of
from simdocs.commands.stop_words import with_stop_word_list
from simdocs.engines.run import Run
from simdocs.errors import UsageError, mention, suggested
from simdocs.families import DIFFS
from simdocs.kernels.compare import jaccard
from simdocs.kernels.compare.containment import containments
from simdocs.matching.comparison.difference import difference
from simdocs.matching.comparison.measures import (
    are_shorter_than_a_shingle,
    edit_measures,
    shingle_measures,
    signature_measures,
    token_sets,
)
from simdocs.model.artifact import Artifact
from simdocs.model.comparison import NOT_COMPUTED, Comparison, EditMeasures, ShingleMeasures, SimilarityMatrix
from simdocs.model.delivery import Delivery
from simdocs.model.names import name_to_text
from simdocs.model.ragged import Ragged, Tokens
from simdocs.model.slot_trace import SlotTrace
from simdocs.parameters import PARAMETERS
from simdocs.recipes import IndexRecipe, Recipe, Shingling, SignatureRecipe, Sketching, of_group
from simdocs.requests.compare_request import CompareRequest
from simdocs.requests.contradictions import contradictions

_MOST = 2000
"""Texts in a matrix, which then has 4 million cells."""


def answer(request: CompareRequest, _run: Run | None, delivery: Delivery) -> Comparison | SimilarityMatrix | SlotTrace:
    """The measures of two texts, or the similarities of more; or how their signatures are computed.

    UsageError: parameters cannot be combined, or contradict the artifact.
    """
    compared = compared_texts(request)
    problems = list(_contradictions(request, compared))
    many = len(compared.texts) > 2
    problems += request.problems_of_many() if many else ()
    sketching = _sketching(request, compared.recipe)
    if isinstance(compared.recipe, SignatureRecipe) and request.trace and sketching.scheme != "permutation":
        assert compared.artifact is not None
        needs = f"{mention('trace')} needs {mention('scheme')} permutation"
        problems = [f"{needs}, and {compared.artifact.name} has another scheme: name the files of the two documents"]
    elif compared.artifact is not None:
        problems += request.problems_of_trace(sketching.scheme)
    if len(compared.texts) > _MOST:
        remedy = f"{suggested('dedupe', 'DOCS', pairs=True)} finds similar pairs"
        problems.append(f"a matrix has at most {_MOST:,} texts, not {len(compared.texts):,}: {remedy}")
    if problems:
        raise UsageError(*problems)
    if compared.recipe is not None:
        shinglings = [compared.recipe.shingling]
    else:
        listed = with_stop_word_list(request.given())
        shinglings = [shingling_of(listed | each) for each in _units(request)]
    ignored = [_ignored(request, compared.artifact, shingling) for shingling in shinglings]
    sets = token_sets(compared.texts, shinglings[0], ignored[0])
    measure = request.measure or PARAMETERS["compare.measure"].default
    short = are_shorter_than_a_shingle(compared.texts, sets, shinglings[0])
    matrix = _matrix(compared, sets, short, measure, _threshold(request, compared.recipe))
    if request.trace:
        from simdocs.commands.trace_slots import slot_trace

        return slot_trace(compared.texts, sets, shinglings[0], sketching.num_perm, matrix)
    if many:
        return matrix
    a, b = compared.texts
    every = tuple(shingle_measures(a, b, *each) for each in zip(shinglings, ignored, strict=True))
    edits = edit_measures(a, b, shinglings[0]) if delivery.edits else NOT_COMPUTED
    return _comparison(request, compared, shinglings[0], sketching, sets, every, edits, matrix)


def _units(request: CompareRequest) -> Iterator[dict[str, Any]]:
    """Yield each unit, with each k that was given."""
    units, sizes = request.unit or PARAMETERS["compare.unit"].default, request.k or (None,)
    for unit, k in product(units, sizes):
        yield {"unit": unit} | ({} if k is None else {"k": k})


def _contradictions(request: CompareRequest, compared: ComparedTexts) -> Iterator[str]:
    """Yield what was given and contradicts the artifact."""
    if compared.artifact is not None:
        given = request.given() | next(_units(request))
        given = {name: value for name, value in given.items() if getattr(request, name) is not None}
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
        similarity[left, right] = containments(shared, sets.lengths[left])
        similarity[right, left] = containments(shared, sets.lengths[right])
    else:
        similarity[left, right] = similarity[right, left] = jaccard.exact(sets, left, right)
    names = tuple(map(name_to_text, compared.names))
    blank = (not text.decode("utf-8", "surrogateescape").strip() for text in compared.texts)
    flags = (blank, short, (not _is_utf8(text) for text in compared.texts))
    return SimilarityMatrix(names, similarity, threshold, *(frozenset(compress(names, each)) for each in flags))


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def _threshold(request: CompareRequest, recipe: Recipe | None) -> float:
    """The threshold that was given; otherwise that of the index, or the default."""
    default = recipe.banding.threshold if isinstance(recipe, IndexRecipe) else request.parameter("threshold").default
    return float(default if request.threshold is None else request.threshold)


def _sketching(request: CompareRequest, recipe: Recipe | None) -> Sketching:
    """How signatures are computed: as those of the artifact, or as was asked for."""
    return recipe.sketching if isinstance(recipe, SignatureRecipe) else of_group(Sketching, request.given())


def _ignored(request: CompareRequest, artifact: Artifact | None, shingling: Shingling) -> Tokens:
    """The tokens that are left out: those that the artifact leaves out, or those of templates."""
    if artifact is not None and isinstance(artifact.recipe, SignatureRecipe):
        return ignored_of(artifact)
    return tokens_of_templates(request, shingling)


def _comparison(
    request: CompareRequest,
    compared: ComparedTexts,
    first: Shingling,
    sketching: Sketching,
    sets: Ragged,
    every: tuple[ShingleMeasures, ...],
    edits: EditMeasures,
    matrix: SimilarityMatrix,
) -> Comparison:
    """The measures of two texts. every: those by shingles. sets, matrix: those of the first shingling."""
    a, b = compared.texts
    recipe = compared.recipe
    banding = recipe.banding if isinstance(recipe, IndexRecipe) else banding_of(request, sketching.num_perm)
    exact = float(jaccard.exact(sets, np.array([0]), np.array([1]))[0])
    return Comparison(
        (name_to_text(compared.names[0]), name_to_text(compared.names[1])),
        every,
        edits,
        signature_measures(sets, first.seed, sketching, banding.cut, exact),
        matrix,
        None if request.diff is None else difference(a, b, first, DIFFS[request.diff].compared),
        _decided_by(measure=request.measure, multiset=first.multiset),
    )


def _decided_by(*, measure: str | None, multiset: bool) -> str:
    """The measure that the threshold is about, by its name in a comparison."""
    if measure == "containment":
        return "overlap of multisets" if multiset else "overlap"
    return "bag_jaccard" if multiset else "jaccard"
